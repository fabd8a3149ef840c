--@test: names without quotes are in upper case, those in quotes as written
CREATE STREAM "lower" (k STRING KEY, "mixedCase" INT, plain INT) WITH (KAFKA_TOPIC='lower', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, `mixedCase` AS "Other Name", PLAIN FROM `lower`;
CREATE STREAM r_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='R', VALUE_FORMAT='KAFKA');
INSERT INTO "lower" VALUES ('a', 1, 2);
ASSERT VALUES r_text VALUES ('a', '{"Other Name":1,"PLAIN":2}');

--@test: a field is found by its name, else by its name in upper case
CREATE STREAM s (k STRING KEY, "Id" INT, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM s_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='KAFKA');
CREATE STREAM r AS SELECT * FROM s;
INSERT INTO s_text VALUES ('a', '{"Id":1,"v":2}');
INSERT INTO s_text VALUES ('b', '{"id":3,"V":4}');
INSERT INTO s_text VALUES ('c', '{"ID":5,"vV":6}');
ASSERT VALUES r (k, "Id", v) VALUES ('a', 1, 2);
ASSERT VALUES r (k, "Id", v) VALUES ('b', NULL, 4);
ASSERT VALUES r (k, "Id", v) VALUES ('c', NULL, NULL);

--@test: columns may be qualified by the source or its alias
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT s.k, s.v + 1 AS v FROM s;
CREATE STREAM q AS SELECT x.k, x.v FROM s AS x WHERE x.v > 0;
INSERT INTO s VALUES ('a', 1);
ASSERT VALUES r VALUES ('a', 2);
ASSERT VALUES q VALUES ('a', 1);

--@test: an alias hides the source's name
--@expected.error: statement
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM q AS SELECT s.k, s.v FROM s AS x;

--@test: comments are nothing
-- a line
CREATE STREAM s (k STRING KEY, /* the value */ v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON'); -- behind
/* several
   lines */
CREATE STREAM r AS SELECT k, v -- a part
  FROM s;
INSERT INTO s VALUES ('a', 1);
ASSERT VALUES r VALUES ('a', 1);

--@test: text may hold quotes, semicolons and comment signs
CREATE STREAM s (k STRING KEY, v STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, v, 'it''s; -- no comment /* here */' AS t FROM s WHERE v <> 'a;b';
INSERT INTO s VALUES ('a', 'a;b');
INSERT INTO s VALUES ('b', '''');
ASSERT VALUES r VALUES ('b', '''', 'it''s; -- no comment /* here */');

--@test: words that are no reserved words are names
CREATE STREAM s (k STRING KEY, date DATE, time TIME, timestamp BIGINT, map INT, id INT, year INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, date, time, timestamp + 1 AS timestamp, map, id, year FROM s;
INSERT INTO s VALUES ('a', '2020-01-01', '10:00', 1, 2, 3, 4);
ASSERT VALUES r VALUES ('a', '2020-01-01', '10:00', 2, 2, 3, 4);
