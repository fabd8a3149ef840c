--@test: all columns, keys first, in their declared order
CREATE STREAM mixed (a INT, k STRING KEY, b STRING) WITH (KAFKA_TOPIC='mixed', VALUE_FORMAT='JSON');
INSERT INTO mixed VALUES ('key', 1, 'b');
ASSERT VALUES mixed (k, a, b) VALUES ('key', 1, 'b');

--@test: some columns, in any order; the others are NULL
CREATE STREAM mixed (k STRING KEY, a INT, b STRING) WITH (KAFKA_TOPIC='mixed', VALUE_FORMAT='JSON');
CREATE STREAM mixed_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='mixed', VALUE_FORMAT='KAFKA');
INSERT INTO mixed (b, k) VALUES ('b', 'x');
INSERT INTO mixed (a) VALUES (3);
INSERT INTO mixed (k, a, b) VALUES ('y', NULL, NULL);
ASSERT VALUES mixed_text VALUES ('x', '{"A":null,"B":"b"}');
ASSERT VALUES mixed_text VALUES (NULL, '{"A":3,"B":null}');
ASSERT VALUES mixed_text VALUES ('y', '{"A":null,"B":null}');

--@test: ROWTIME is given in milliseconds
CREATE STREAM timed (k STRING KEY, v INT) WITH (KAFKA_TOPIC='timed', VALUE_FORMAT='JSON');
INSERT INTO timed (k, ROWTIME, v) VALUES ('a', 1234567890123, 1);
INSERT INTO timed (k, v) VALUES ('b', 2);
ASSERT VALUES timed (ROWTIME, k, v) VALUES (1234567890123, 'a', 1);
ASSERT VALUES timed (ROWTIME, k, v) VALUES (0, 'b', 2);

--@test: values are expressions, and become what the column is
CREATE STREAM things (k STRING KEY, i INT, l BIGINT, d DOUBLE, m DECIMAL(6, 2), b BOOLEAN, s STRING, da DATE, t TIME, ts TIMESTAMP, y BYTES)
  WITH (KAFKA_TOPIC='things', VALUE_FORMAT='JSON');
INSERT INTO things VALUES (CONCAT('a', 'b'), 2 + 3 * 4, 5, 5, 5, true, UCASE('up'), '2020-02-29', '23:59', '2020-02-29T10:00', 'AAE=');
INSERT INTO things VALUES ('strings', '7', '-8', '1.25', '3.456', 'true', 'x', '2020', '05:06:07', '2020-01', NULL);
INSERT INTO things (k, m, d, s) VALUES ('more', -1, 1e2, CAST(12 AS STRING));
INSERT INTO things (k, s) VALUES ('number', 12);
ASSERT VALUES things VALUES ('ab', 14, 5, 5.0, 5.00, true, 'UP', '2020-02-29', '23:59:00', '2020-02-29T10:00:00.000', 'AAE=');
ASSERT VALUES things VALUES ('strings', 7, -8, 1.25, 3.46, true, 'x', '2020-01-01', '05:06:07', '2020-01-01T00:00:00.000', NULL);
ASSERT VALUES things (k, m, d, s) VALUES ('more', -1.00, 100.0, '12');
ASSERT VALUES things (k, s) VALUES ('number', '12');

--@test: constructors fill nested columns
CREATE STREAM deep (k STRING KEY, a ARRAY<BIGINT>, m MAP<STRING, DOUBLE>, r STRUCT<x INT, y ARRAY<STRUCT<z STRING>>>)
  WITH (KAFKA_TOPIC='deep', VALUE_FORMAT='JSON');
CREATE STREAM deep_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='deep', VALUE_FORMAT='KAFKA');
INSERT INTO deep VALUES ('a', ARRAY[1, NULL, 3], MAP('pi' := 3.5, 'one' := 1.0), STRUCT(y := ARRAY[STRUCT(z := 'q')], x := 2));
INSERT INTO deep (k, r) VALUES ('b', STRUCT(x := 1));
ASSERT VALUES deep_text VALUES ('a', '{"A":[1,null,3],"M":{"pi":3.5,"one":1.0},"R":{"X":2,"Y":[{"Z":"q"}]}}');
ASSERT VALUES deep_text VALUES ('b', '{"A":null,"M":null,"R":{"X":1,"Y":null}}');

--@test: several rows need several statements
--@expected.error: statement
CREATE STREAM one (k STRING KEY, v INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
INSERT INTO one VALUES ('a', 1), ('b', 2);

--@test: the number of values is that of the columns
--@expected.message: 3 values
CREATE STREAM one (k STRING KEY, v INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
INSERT INTO one VALUES ('a', 1, 2);

--@test: a table needs its key
--@expected.message: primary key
CREATE TABLE one (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
INSERT INTO one (v) VALUES (1);

--@test: no value refers to a column
--@expected.error: statement
CREATE STREAM one (k STRING KEY, v INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
INSERT INTO one VALUES ('a', v);

--@test: a text that is no number is refused
--@expected.message: twelve
CREATE STREAM one (k STRING KEY, v INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
INSERT INTO one VALUES ('a', 'twelve');

--@test: a number does not lose digits unasked
--@expected.message: INTEGER
CREATE STREAM one (k STRING KEY, v INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
INSERT INTO one VALUES ('a', 3000000000);

--@test: ROWOFFSET cannot be given
--@expected.message: ROWOFFSET
CREATE STREAM one (k STRING KEY, v INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
INSERT INTO one (k, v, ROWOFFSET) VALUES ('a', 1, 5);

--@test: INSERT VALUES can be switched off
--@expected.message: ksql.insert.into.values.enabled
CREATE STREAM one (k STRING KEY, v INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
SET 'ksql.insert.into.values.enabled' = 'false';
INSERT INTO one VALUES ('a', 1);

--@test: quoted names keep their case
CREATE STREAM names ("key" STRING KEY, "Total Sum" INT) WITH (KAFKA_TOPIC='names', VALUE_FORMAT='JSON');
CREATE STREAM names_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='names', VALUE_FORMAT='KAFKA');
INSERT INTO names ("Total Sum", `key`) VALUES (1, 'a');
ASSERT VALUES names_text VALUES ('a', '{"Total Sum":1}');
