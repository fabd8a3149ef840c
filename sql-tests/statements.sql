--@test: CREATE OR REPLACE changes the condition and adds a column
CREATE STREAM s (k STRING KEY, v INT, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, v FROM s WHERE v > 10;
CREATE OR REPLACE STREAM r AS SELECT k, v, w FROM s WHERE v > 0;
INSERT INTO s VALUES ('a', 1, 2);
ASSERT STREAM r (k STRING KEY, v INT, w INT);
ASSERT VALUES r VALUES ('a', 1, 2);

--@test: CREATE OR REPLACE does not take a column away
--@expected.error: statement
CREATE STREAM s (k STRING KEY, v INT, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, v, w FROM s;
CREATE OR REPLACE STREAM r AS SELECT k, v FROM s;

--@test: a terminated query reads no more, its topic stays
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT * FROM s;
CREATE STREAM q AS SELECT * FROM s;
TERMINATE CSAS_R_1;
INSERT INTO s VALUES ('a', 1);
ASSERT STREAM r (k STRING KEY, v INT);
ASSERT VALUES q VALUES ('a', 1);

--@test: a dropped source may be made anew
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT * FROM s;
DROP STREAM r;
DROP STREAM IF EXISTS r;
DROP STREAM s;
CREATE TABLE s (k STRING PRIMARY KEY, v INT, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
INSERT INTO s VALUES ('a', 1, 2);
ASSERT TABLE s (k STRING PRIMARY KEY, v INT, w INT);
ASSERT VALUES s VALUES ('a', 1, 2);

--@test: DROP STREAM is not for tables
--@expected.message: TABLE
CREATE TABLE s (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
DROP STREAM s;

--@test: what is absent cannot be dropped
--@expected.message: NOTHING
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
DROP STREAM nothing;

--@test: LIMIT is for queries that end
--@expected.message: LIMIT
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT * FROM s EMIT CHANGES LIMIT 3;

--@test: a table of one group needs its GROUP BY
--@expected.error: statement
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT COUNT(*) AS n FROM s;

--@test: a table function is not for WHERE
--@expected.message: EXPLODE
CREATE STREAM s (k STRING KEY, v ARRAY<INT>) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k FROM s WHERE EXPLODE(v) > 1;

--@test: a table function is not for tables
--@expected.message: able
CREATE TABLE s (k STRING PRIMARY KEY, v ARRAY<INT>) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, EXPLODE(v) AS x FROM s;

--@test: table functions and aggregates do not meet
--@expected.message: aggregat
CREATE STREAM s (k STRING KEY, v ARRAY<INT>) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, EXPLODE(v) AS x, COUNT(*) AS n FROM s GROUP BY k;

--@test: an unknown function is refused with the nearest
--@expected.message: SUBSTRING
CREATE STREAM s (k STRING KEY, v STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, SUBSTRNG(v, 1) AS t FROM s;

--@test: a function with arguments it does not take is refused with what it takes
--@expected.message: STRING, INTEGER
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, SUBSTRING(v, 1) AS t FROM s;

--@test: the bounds of a window are for its groups
--@expected.message: WINDOWSTART
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, WINDOWSTART AS w FROM s;

--@test: queries do not read windowed tables
--@expected.message: windowed table
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE t AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY k;
CREATE TABLE r AS SELECT k, n FROM t;

--@test: the value format KAFKA is not aggregated
--@expected.message: KAFKA
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='KAFKA');
CREATE TABLE r AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;

--@test: a group of several columns does not fit a KAFKA key
--@expected.message: KAFKA
CREATE STREAM s (k STRING KEY, a INT, b INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT a, b, COUNT(*) AS n FROM s GROUP BY a, b;

--@test: a SOURCE STREAM is read only
--@expected.message: read-only
CREATE SOURCE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
INSERT INTO s VALUES ('a', 1);

--@test: a stream is not joined with itself
--@expected.message: join
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT a.k AS k, a.v AS v, b.v AS w FROM s a JOIN s b WITHIN 1 HOUR ON a.k = b.k;

--@test: what Flumen cannot do yet says so
--@expected.message: not supported yet
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='AVRO');

--@test: ALTER is not for the results of queries
--@expected.error: statement
CREATE STREAM s (k INT KEY, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT * FROM s;
ALTER STREAM r ADD COLUMN z INT;

--@test: a result has the partitions of its source, unless it says otherwise
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON', PARTITIONS=3);
CREATE STREAM r AS SELECT * FROM s;
CREATE STREAM q WITH (PARTITIONS=2) AS SELECT * FROM s;
CREATE STREAM r_again (k STRING KEY, v INT) WITH (KAFKA_TOPIC='R', VALUE_FORMAT='JSON', PARTITIONS=3);
CREATE STREAM q_again (k STRING KEY, v INT) WITH (KAFKA_TOPIC='Q', VALUE_FORMAT='JSON', PARTITIONS=2);
INSERT INTO s VALUES ('a', 1);
ASSERT STREAM q_again (k STRING KEY, v INT);

--@test: a table has no windows
--@expected.error: statement
CREATE TABLE t (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, COUNT(*) AS n FROM t WINDOW TUMBLING (SIZE 1 MINUTE) GROUP BY k;

--@test: there is no ORDER BY
--@expected.message: ORDER
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT * FROM s ORDER BY v;

--@test: an error tells line and column
--@expected.message: line 2:3
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k,
  w FROM s;
