--@test: PARTITION BY makes a value column the key
CREATE STREAM visits (visitor STRING KEY, page STRING, ms INT) WITH (KAFKA_TOPIC='visits', VALUE_FORMAT='JSON');
CREATE STREAM by_page AS SELECT page, visitor, ms FROM visits PARTITION BY page;
INSERT INTO visits VALUES ('ann', '/home', 12);
INSERT INTO visits VALUES ('bob', '/cart', 30);
ASSERT STREAM by_page (page STRING KEY, visitor STRING, ms INT);
ASSERT VALUES by_page (page, visitor, ms) VALUES ('/home', 'ann', 12);
ASSERT VALUES by_page (page, visitor, ms) VALUES ('/cart', 'bob', 30);

--@test: by an expression, which gets a name
CREATE STREAM visits (visitor STRING KEY, page STRING, ms INT) WITH (KAFKA_TOPIC='visits', VALUE_FORMAT='JSON');
CREATE STREAM by_length AS SELECT LEN(page) AS length, page FROM visits PARTITION BY LEN(page);
CREATE STREAM unnamed AS SELECT LEN(page), page FROM visits PARTITION BY LEN(page);
INSERT INTO visits VALUES ('ann', '/home', 12);
ASSERT STREAM by_length (length INT KEY, page STRING);
ASSERT VALUES by_length VALUES (5, '/home');
ASSERT STREAM unnamed (ksql_col_0 INT KEY, page STRING);
ASSERT VALUES unnamed VALUES (5, '/home');

--@test: a NULL or failing key is no key, and the row stays
--@expected.log: (10 / MS)
CREATE STREAM visits (visitor STRING KEY, page STRING, ms INT) WITH (KAFKA_TOPIC='visits', VALUE_FORMAT='JSON');
CREATE STREAM by_page AS SELECT page, ms FROM visits PARTITION BY page;
CREATE STREAM by_share AS SELECT 10 / ms AS share, visitor FROM visits PARTITION BY 10 / ms;
INSERT INTO visits VALUES ('ann', NULL, 5);
INSERT INTO visits VALUES ('bob', '/x', 0);
ASSERT VALUES by_page VALUES (NULL, 5);
ASSERT VALUES by_page VALUES ('/x', 0);
ASSERT VALUES by_share VALUES (2, 'ann');
ASSERT VALUES by_share VALUES (NULL, 'bob');

--@test: PARTITION BY NULL takes the key away
CREATE STREAM visits (visitor STRING KEY, page STRING) WITH (KAFKA_TOPIC='visits', VALUE_FORMAT='JSON');
CREATE STREAM keyless AS SELECT visitor, page FROM visits PARTITION BY NULL;
INSERT INTO visits VALUES ('ann', '/home');
ASSERT STREAM keyless (visitor STRING, page STRING) WITH (KEY_FORMAT='NONE');
ASSERT VALUES keyless VALUES ('ann', '/home');

--@test: by several columns
CREATE STREAM visits (visitor STRING KEY, page STRING, ms INT) WITH (KAFKA_TOPIC='visits', FORMAT='JSON');
CREATE STREAM by_two AS SELECT page, visitor, ms FROM visits PARTITION BY page, visitor;
CREATE STREAM by_two_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='BY_TWO', VALUE_FORMAT='KAFKA');
INSERT INTO visits VALUES ('ann', '/home', 12);
ASSERT STREAM by_two (page STRING KEY, visitor STRING KEY, ms INT);
ASSERT VALUES by_two_text VALUES ('{"PAGE":"/home","VISITOR":"ann"}', '{"MS":12}');

--@test: by a field of a struct, by a pseudo column, by a cast
CREATE STREAM visits (visitor STRING KEY, at_ STRUCT<city STRING>, ms INT) WITH (KAFKA_TOPIC='visits', VALUE_FORMAT='JSON');
CREATE STREAM by_city AS SELECT at_->city, ms FROM visits PARTITION BY at_->city;
CREATE STREAM by_time AS SELECT ROWTIME AS t, ms FROM visits PARTITION BY ROWTIME;
CREATE STREAM by_text AS SELECT CAST(ms AS STRING) AS ms_text, visitor FROM visits PARTITION BY CAST(ms AS STRING);
INSERT INTO visits (ROWTIME, visitor, at_, ms) VALUES (77, 'ann', STRUCT(city := 'Oslo'), 12);
ASSERT STREAM by_city (city STRING KEY, ms INT);
ASSERT VALUES by_city VALUES ('Oslo', 12);
ASSERT VALUES by_time VALUES (77, 12);
ASSERT VALUES by_text VALUES ('12', 'ann');

--@test: the condition is on the row before it
CREATE STREAM visits (visitor STRING KEY, page STRING, ms INT) WITH (KAFKA_TOPIC='visits', VALUE_FORMAT='JSON');
CREATE STREAM by_page AS SELECT page, visitor FROM visits WHERE visitor <> 'bob' PARTITION BY page;
INSERT INTO visits VALUES ('ann', '/home', 12);
INSERT INTO visits VALUES ('bob', '/cart', 30);
ASSERT VALUES by_page VALUES ('/home', 'ann');

--@test: a new key may need another format
CREATE STREAM visits (visitor STRING KEY, page STRUCT<path STRING>) WITH (KAFKA_TOPIC='visits', VALUE_FORMAT='JSON');
CREATE STREAM by_page WITH (KEY_FORMAT='JSON') AS SELECT page, visitor FROM visits PARTITION BY page;
INSERT INTO visits VALUES ('ann', STRUCT(path := '/a'));
ASSERT VALUES by_page VALUES (STRUCT(path := '/a'), 'ann');

--@test: aggregates of a stream keyed anew
CREATE STREAM visits (visitor STRING KEY, page STRING) WITH (KAFKA_TOPIC='visits', VALUE_FORMAT='JSON');
CREATE STREAM by_page AS SELECT page, visitor FROM visits PARTITION BY page;
CREATE TABLE per_page AS SELECT page, COUNT(visitor) AS n FROM by_page GROUP BY page;
INSERT INTO visits VALUES ('ann', '/a');
INSERT INTO visits VALUES ('bob', '/b');
INSERT INTO visits VALUES ('cat', '/a');
ASSERT VALUES per_page VALUES ('/a', 1);
ASSERT VALUES per_page VALUES ('/b', 1);
ASSERT VALUES per_page VALUES ('/a', 2);

--@test: tables have their key for good
--@expected.message: PARTITION BY
CREATE TABLE t (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');
CREATE TABLE moved AS SELECT v, k FROM t PARTITION BY v;

--@test: no aggregate says where a row goes
--@expected.message: COUNT
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM moved AS SELECT v, k FROM s PARTITION BY COUNT(v);

--@test: a tombstone stays one under its new key, which it does not have
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM s_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='KAFKA');
CREATE STREAM moved AS SELECT v, k FROM s PARTITION BY v;
INSERT INTO s_text VALUES ('a', NULL);
INSERT INTO s VALUES ('b', 1);
ASSERT NULL VALUES moved (v) KEY (NULL);
ASSERT VALUES moved VALUES (1, 'b');

--@test: a windowed stream loses its window with its key, but not the bounds as values
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE t AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING (SIZE 1 SECOND) GROUP BY k;
CREATE STREAM w (k STRING KEY, n BIGINT) WITH (KAFKA_TOPIC='T', VALUE_FORMAT='JSON', WINDOW_TYPE='TUMBLING', WINDOW_SIZE='1 SECOND');
CREATE STREAM by_count AS SELECT n, k, WINDOWSTART AS ws, WINDOWEND AS we FROM w PARTITION BY n;
CREATE STREAM by_start AS SELECT WINDOWSTART AS ws, k, n FROM w PARTITION BY WINDOWSTART;
INSERT INTO s (ROWTIME, k, v) VALUES (1500, 'a', 1);
ASSERT STREAM by_count (n BIGINT KEY, k STRING, ws BIGINT, we BIGINT);
ASSERT VALUES by_count VALUES (1, 'a', 1000, 2000);
ASSERT VALUES by_start VALUES (1000, 'a', 1);

--@test: pseudo columns of a row with a new key
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT v, ROWOFFSET AS o, ROWPARTITION AS p, ROWTIME AS t FROM s PARTITION BY v;
INSERT INTO s (ROWTIME, k, v) VALUES (9, 'a', 1);
INSERT INTO s (ROWTIME, k, v) VALUES (8, 'a', 2);
ASSERT VALUES r VALUES (1, 0, 0, 9);
ASSERT VALUES r VALUES (2, 1, 0, 8);
