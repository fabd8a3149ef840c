--@test: what is no JSON is left out and said
--@expected.log: s 1: column V: not well-formed JSON
--@expected.log: s 2: not well-formed JSON
--@expected.log: s 3: 
--@expected.log: s 4: not well-formed JSON
--@expected.log: s 5: not well-formed JSON
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM s_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='KAFKA');
CREATE STREAM r AS SELECT * FROM s;
INSERT INTO s_text VALUES ('a', '{"v":1}');
INSERT INTO s_text VALUES ('b', '{"v":');
INSERT INTO s_text VALUES ('c', 'text');
INSERT INTO s_text VALUES ('d', '[1]');
INSERT INTO s_text VALUES ('e', '{"v":1} tail');
INSERT INTO s_text VALUES ('f', '');
INSERT INTO s_text VALUES ('g', '{"v":2}');
ASSERT VALUES r VALUES ('a', 1);
ASSERT VALUES r VALUES ('g', 2);

--@test: a value of the wrong type, for each type
--@expected.log: s 0: column B: 
--@expected.log: s 1: column B: 
--@expected.log: s 2: column I: 
--@expected.log: s 3: column I: 
--@expected.log: s 4: column L: 
--@expected.log: s 5: column D: 
--@expected.log: s 6: column M: 
--@expected.log: s 7: column M: 
--@expected.log: s 8: column Y: 
--@expected.log: s 9: column A: 
--@expected.log: s 10: column A: 
--@expected.log: s 11: column P: 
--@expected.log: s 12: column P: 
--@expected.log: s 13:  
--@expected.log: s 14:  
--@expected.log: s 15: column DA: 
--@expected.log: s 16: column T: 
--@expected.log: s 17: column TS: 
CREATE STREAM s (k STRING KEY, b BOOLEAN, i INT, l BIGINT, d DOUBLE, m DECIMAL(4, 2), y BYTES, a ARRAY<INT>, p MAP<STRING, INT>, r STRUCT<x INT>, da DATE, t TIME, ts TIMESTAMP)
  WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM s_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='KAFKA');
CREATE STREAM r AS SELECT * FROM s;
INSERT INTO s_text VALUES ('b', '{"b":"true"}');
INSERT INTO s_text VALUES ('b2', '{"b":1}');
INSERT INTO s_text VALUES ('i', '{"i":"one"}');
INSERT INTO s_text VALUES ('i2', '{"i":true}');
INSERT INTO s_text VALUES ('l', '{"l":[1]}');
INSERT INTO s_text VALUES ('d', '{"d":"x"}');
INSERT INTO s_text VALUES ('m', '{"m":"1,5"}');
INSERT INTO s_text VALUES ('m2', '{"m":100.00}');
INSERT INTO s_text VALUES ('y', '{"y":"not base64!"}');
INSERT INTO s_text VALUES ('a', '{"a":{"x":1}}');
INSERT INTO s_text VALUES ('a2', '{"a":["x"]}');
INSERT INTO s_text VALUES ('p', '{"p":[1]}');
INSERT INTO s_text VALUES ('p2', '{"p":{"x":"y"}}');
INSERT INTO s_text VALUES ('r', '{"r":1}');
INSERT INTO s_text VALUES ('r2', '{"r":{"x":{}}}');
INSERT INTO s_text VALUES ('da', '{"da":"2020-01-01"}');
INSERT INTO s_text VALUES ('t', '{"t":"10:00"}');
INSERT INTO s_text VALUES ('ts', '{"ts":"2020-01-01T00:00:00"}');
INSERT INTO s_text VALUES ('fine', '{"i":1,"y":"AAE="}');
ASSERT VALUES r (k, i, y) VALUES ('fine', 1, 'AAE=');

--@test: a line with too few or too many columns, or with a column that does not read
--@expected.log: s 0: 
--@expected.log: s 1: 
--@expected.log: s 2: 
--@expected.log: s 3: 
--@expected.log: s 4: 
CREATE STREAM s (k STRING KEY, i INT, b BOOLEAN, d DOUBLE) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='DELIMITED');
CREATE STREAM s_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='KAFKA');
CREATE STREAM r AS SELECT * FROM s;
INSERT INTO s_text VALUES ('few', '1,true');
INSERT INTO s_text VALUES ('many', '1,true,2.0,3');
INSERT INTO s_text VALUES ('int', 'x,true,2.0');
INSERT INTO s_text VALUES ('double', '1,true,x');
INSERT INTO s_text VALUES ('quote', '"1,true,2.0');
INSERT INTO s_text VALUES ('fine', '1,true,2.0');
ASSERT VALUES r VALUES ('fine', 1, true, 2.0);

--@test: bytes of the wrong length are no KAFKA number, as value or as key
--@expected.log: ints 1: column V: INTEGER takes 4 bytes
--@expected.log: keys 0: column K: BIGINT takes 8 bytes
CREATE STREAM ints (k STRING KEY, v INT) WITH (KAFKA_TOPIC='ints', VALUE_FORMAT='KAFKA');
CREATE STREAM ints_raw (k STRING KEY, y BYTES) WITH (KAFKA_TOPIC='ints', VALUE_FORMAT='KAFKA');
CREATE STREAM keys (k BIGINT KEY, v INT) WITH (KAFKA_TOPIC='keys', VALUE_FORMAT='JSON');
CREATE STREAM keys_raw (k BYTES KEY, v INT) WITH (KAFKA_TOPIC='keys', VALUE_FORMAT='JSON');
CREATE STREAM r WITH (VALUE_FORMAT='JSON') AS SELECT * FROM ints;
CREATE STREAM q AS SELECT * FROM keys;
INSERT INTO ints_raw VALUES ('a', 'AAAAAQ==');
INSERT INTO ints_raw VALUES ('b', 'AAE=');
INSERT INTO keys_raw VALUES ('AAAAAQ==', 1);
INSERT INTO keys_raw VALUES ('AAAAAAAAAAE=', 2);
ASSERT VALUES r VALUES ('a', 1);
ASSERT VALUES q VALUES (1, 2);

--@test: a key that does not read leaves the row out of an aggregate
--@expected.log: s 1: 
CREATE STREAM s (k STRUCT<id INT> KEY, v INT) WITH (KAFKA_TOPIC='s', FORMAT='JSON');
CREATE STREAM s_text (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;
INSERT INTO s_text VALUES ('{"id":1}', 1);
INSERT INTO s_text VALUES ('{"id":', 1);
INSERT INTO s_text VALUES ('{"ID":1}', 1);
ASSERT VALUES r VALUES (STRUCT(id := 1), 1);
ASSERT VALUES r VALUES (STRUCT(id := 1), 2);

--@test: malformed rows of a table change nothing
--@expected.log: t 1: column V: 
CREATE TABLE t (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');
CREATE STREAM t_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='KAFKA');
CREATE TABLE r AS SELECT k, v FROM t WHERE v > 0;
INSERT INTO t VALUES ('a', 1);
INSERT INTO t_text VALUES ('a', '{"v":"x"}');
INSERT INTO t VALUES ('a', 0);
ASSERT VALUES r VALUES ('a', 1);
ASSERT NULL VALUES r (k) KEY ('a');
