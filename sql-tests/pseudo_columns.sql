--@test: ROWTIME, ROWPARTITION and ROWOFFSET of each row
CREATE STREAM steps (k STRING KEY, v INT) WITH (KAFKA_TOPIC='steps', VALUE_FORMAT='JSON');
CREATE STREAM placed AS SELECT k, v, ROWTIME AS t, ROWPARTITION AS p, ROWOFFSET AS o FROM steps;
INSERT INTO steps (ROWTIME, k, v) VALUES (1000, 'a', 1);
INSERT INTO steps (ROWTIME, k, v) VALUES (500, 'b', 2);
ASSERT VALUES placed VALUES ('a', 1, 1000, 0, 0);
ASSERT VALUES placed VALUES ('b', 2, 500, 0, 1);

--@test: pseudo columns in WHERE and in expressions; * leaves them out
CREATE STREAM steps (k STRING KEY, v INT) WITH (KAFKA_TOPIC='steps', VALUE_FORMAT='JSON');
CREATE STREAM kept AS SELECT * FROM steps WHERE ROWOFFSET > 0 AND ROWTIME >= 200;
CREATE STREAM moved AS SELECT k, ROWTIME + v AS later FROM steps WHERE ROWPARTITION = 0;
INSERT INTO steps (ROWTIME, k, v) VALUES (300, 'a', 1);
INSERT INTO steps (ROWTIME, k, v) VALUES (100, 'b', 2);
INSERT INTO steps (ROWTIME, k, v) VALUES (200, 'c', 3);
ASSERT STREAM kept (k STRING KEY, v INT) WITH (VALUE_FORMAT='JSON');
ASSERT VALUES kept (ROWTIME, k, v) VALUES (200, 'c', 3);
ASSERT VALUES moved VALUES ('a', 301);
ASSERT VALUES moved VALUES ('b', 102);
ASSERT VALUES moved VALUES ('c', 203);

--@test: ROWTIME compares with a written time
CREATE STREAM steps (k STRING KEY, v INT) WITH (KAFKA_TOPIC='steps', VALUE_FORMAT='JSON');
CREATE STREAM late AS SELECT * FROM steps WHERE ROWTIME >= '1970-01-01T00:00:01';
INSERT INTO steps (ROWTIME, k, v) VALUES (999, 'a', 1);
INSERT INTO steps (ROWTIME, k, v) VALUES (1000, 'b', 2);
ASSERT VALUES late VALUES ('b', 2);

--@test: a column may not take the name of a pseudo column
--@expected.message: ROWTIME
CREATE STREAM steps (k STRING KEY, rowtime BIGINT) WITH (KAFKA_TOPIC='steps', VALUE_FORMAT='JSON');

--@test: nor may an alias
--@expected.message: ROWOFFSET
CREATE STREAM steps (k STRING KEY, v BIGINT) WITH (KAFKA_TOPIC='steps', VALUE_FORMAT='JSON');
CREATE STREAM odd AS SELECT k, v AS rowoffset FROM steps;

--@test: HEADERS are an array, in their order
CREATE STREAM mail (k STRING KEY, v INT, hs ARRAY<STRUCT<key STRING, value BYTES>> HEADERS) WITH (KAFKA_TOPIC='mail', VALUE_FORMAT='JSON');
CREATE STREAM opened AS SELECT k, v, ARRAY_LENGTH(hs) AS n, hs[1]->key AS first, FROM_BYTES(hs[-1]->value, 'utf8') AS last FROM mail;
--@header: a=one
--@header: b=two
INSERT INTO mail (k, v) VALUES ('x', 1);
INSERT INTO mail (k, v) VALUES ('y', 2);
ASSERT VALUES opened VALUES ('x', 1, 2, 'a', 'two');
ASSERT VALUES opened (k, v, n, first, last) VALUES ('y', 2, 0, NULL, NULL);

--@test: HEADER takes the last of its name; * shows it as a value column
CREATE STREAM mail (k STRING KEY, v INT, tag BYTES HEADER('tag')) WITH (KAFKA_TOPIC='mail', VALUE_FORMAT='JSON');
CREATE STREAM tagged AS SELECT * FROM mail;
--@header: tag=red
--@header: other=blue
--@header: tag=green
INSERT INTO mail (k, v) VALUES ('x', 1);
INSERT INTO mail (k, v) VALUES ('y', 2);
ASSERT STREAM tagged (k STRING KEY, v INT, tag BYTES) WITH (VALUE_FORMAT='JSON');
ASSERT VALUES tagged VALUES ('x', 1, 'Z3JlZW4=');
ASSERT VALUES tagged VALUES ('y', 2, NULL);

--@test: headers are not inserted
--@expected.message: HEADER
CREATE STREAM mail (k STRING KEY, v INT, tag BYTES HEADER('tag')) WITH (KAFKA_TOPIC='mail', VALUE_FORMAT='JSON');
INSERT INTO mail (k, v, tag) VALUES ('x', 1, 'AAAA');

--@test: HEADERS has one type only
--@expected.message: HEADERS
CREATE STREAM mail (k STRING KEY, hs ARRAY<STRING> HEADERS) WITH (KAFKA_TOPIC='mail', VALUE_FORMAT='JSON');

--@test: KEY is for streams, PRIMARY KEY for tables
--@expected.message: PRIMARY KEY
CREATE STREAM odd (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='odd', VALUE_FORMAT='JSON');

--@test: a table without a primary key is refused
--@expected.message: PRIMARY KEY
CREATE TABLE odd (k STRING, v INT) WITH (KAFKA_TOPIC='odd', VALUE_FORMAT='JSON');
