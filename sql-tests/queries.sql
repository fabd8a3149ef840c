--@test: * is all columns, keys first; aliases and unnamed expressions get names
CREATE STREAM s (v INT, k STRING KEY, w STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM everything AS SELECT * FROM s;
CREATE STREAM named AS SELECT k AS id, v + 1, w AS "text", v * 2 AS twice, UCASE(w) FROM s;
INSERT INTO s VALUES ('a', 1, 'x');
ASSERT STREAM everything (k STRING KEY, v INT, w STRING);
ASSERT VALUES everything VALUES ('a', 1, 'x');
ASSERT STREAM named (id STRING KEY, ksql_col_0 INT, "text" STRING, twice INT, ksql_col_1 STRING);
ASSERT VALUES named VALUES ('a', 2, 'x', 2, 'X');

--@test: queries read what other queries write
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM doubled AS SELECT k, v * 2 AS v FROM s WHERE v > 0;
CREATE STREAM shifted WITH (VALUE_FORMAT='DELIMITED') AS SELECT k, v + 1 AS v, 'from ' || k AS note FROM doubled;
CREATE TABLE sums AS SELECT k, SUM(v) AS total FROM shifted GROUP BY k;
CREATE TABLE large AS SELECT k, total FROM sums WHERE total > 5;
INSERT INTO s VALUES ('a', 1);
INSERT INTO s VALUES ('b', -1);
INSERT INTO s VALUES ('a', 2);
ASSERT VALUES shifted VALUES ('a', 3, 'from a');
ASSERT VALUES shifted VALUES ('a', 5, 'from a');
ASSERT VALUES sums VALUES ('a', 3);
ASSERT VALUES sums VALUES ('a', 8);
ASSERT VALUES large VALUES ('a', 8);

--@test: INSERT INTO adds the rows of a query to a stream, in the stream's format
CREATE STREAM one (k STRING KEY, v INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
CREATE STREAM two (k STRING KEY, v INT, w INT) WITH (KAFKA_TOPIC='two', VALUE_FORMAT='JSON');
CREATE STREAM all_rows (k STRING KEY, v BIGINT) WITH (KAFKA_TOPIC='all', VALUE_FORMAT='DELIMITED');
INSERT INTO all_rows SELECT k, CAST(v AS BIGINT) AS v FROM one;
INSERT INTO all_rows SELECT k, v + w AS v FROM two WHERE w > 0;
INSERT INTO one VALUES ('a', 1);
INSERT INTO two VALUES ('b', 2, 3);
INSERT INTO two VALUES ('c', 2, 0);
INSERT INTO all_rows VALUES ('d', 9);
ASSERT VALUES all_rows VALUES ('d', 9);
ASSERT VALUES all_rows VALUES ('a', 1);
ASSERT VALUES all_rows VALUES ('b', 5);

--@test: INSERT INTO needs the columns of its target
--@expected.message: V
CREATE STREAM one (k STRING KEY, w INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
CREATE STREAM target (k STRING KEY, v INT) WITH (KAFKA_TOPIC='target', VALUE_FORMAT='JSON');
INSERT INTO target SELECT * FROM one;

--@test: INSERT INTO does not narrow
--@expected.message: BIGINT
CREATE STREAM one (k STRING KEY, v BIGINT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
CREATE STREAM target (k STRING KEY, v INT) WITH (KAFKA_TOPIC='target', VALUE_FORMAT='JSON');
INSERT INTO target SELECT * FROM one;

--@test: INSERT INTO is for streams
--@expected.message: into a stream
CREATE STREAM one (k STRING KEY, v INT) WITH (KAFKA_TOPIC='one', VALUE_FORMAT='JSON');
CREATE TABLE target (k STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='target', VALUE_FORMAT='JSON');
INSERT INTO target SELECT * FROM one;

--@test: a result keeps its key; a copy of it is a value
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM copied AS SELECT k AS id, AS_VALUE(k) AS again, v FROM s;
INSERT INTO s VALUES ('a', 1);
ASSERT STREAM copied (id STRING KEY, again STRING, v INT);
ASSERT VALUES copied VALUES ('a', 'a', 1);

--@test: a result without its key is refused
--@expected.message: must include the key column K
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM keyless AS SELECT AS_VALUE(k) AS c, v FROM s;

--@test: two columns of a name are refused
--@expected.message: X
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM doubled AS SELECT k, v AS x, v + 1 AS x FROM s;

--@test: a stream's query does not make a table
--@expected.message: CREATE STREAM AS SELECT
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE t AS SELECT * FROM s;

--@test: an aggregate does not make a stream
--@expected.message: CREATE TABLE AS SELECT
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM t AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;

--@test: a name is taken once, unless it may exist
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM IF NOT EXISTS s (other STRING KEY) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
INSERT INTO s VALUES ('a', 1);
ASSERT STREAM s (k STRING KEY, v INT);
ASSERT VALUES s VALUES ('a', 1);

--@test: a second source of the name is refused
--@expected.message: already exists
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');

--@test: variables stand for text
DEFINE least = '10';
DEFINE name = 'big';
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM ${name} AS SELECT k, '${name}' AS note FROM s WHERE v > ${least};
INSERT INTO s VALUES ('a', 10);
INSERT INTO s VALUES ('b', 11);
ASSERT VALUES big VALUES ('b', 'big');

--@test: rows keep their time and their place through a query
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM kept AS SELECT * FROM s WHERE v <> 2;
INSERT INTO s (ROWTIME, k, v) VALUES (30, 'a', 1);
INSERT INTO s (ROWTIME, k, v) VALUES (10, 'b', 2);
INSERT INTO s (ROWTIME, k, v) VALUES (20, 'c', 3);
ASSERT VALUES kept (ROWTIME, k, v) VALUES (30, 'a', 1);
ASSERT VALUES kept (ROWTIME, k, v) VALUES (20, 'c', 3);

--@test: ALTER adds a column that later queries see
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM before AS SELECT * FROM s;
ALTER STREAM s ADD COLUMN w STRING, ADD z DOUBLE;
CREATE STREAM after AS SELECT * FROM s;
INSERT INTO s VALUES ('a', 1, 'x', 2.5);
ASSERT STREAM before (k STRING KEY, v INT);
ASSERT VALUES before VALUES ('a', 1);
ASSERT VALUES after VALUES ('a', 1, 'x', 2.5);

--@test: a source that is read cannot be dropped
--@expected.message: COPIED
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM copied AS SELECT * FROM s;
DROP STREAM s;

--@test: INSERT INTO under an id of its own
CREATE STREAM s (k INT KEY, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM t (k INT KEY, w INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');
INSERT INTO t WITH (QUERY_ID='mine') SELECT * FROM s;
INSERT INTO s VALUES (1, 2);
ASSERT VALUES t VALUES (1, 2);

--@test: INSERT INTO ends when it is terminated
CREATE STREAM s (k INT KEY, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM t (k INT KEY, w INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');
INSERT INTO t WITH (QUERY_ID='mine') SELECT * FROM s;
TERMINATE MINE;
INSERT INTO s VALUES (1, 2);
INSERT INTO t VALUES (3, 4);
ASSERT VALUES t VALUES (3, 4);

--@test: a result needs a value column
--@expected.message: no value columns
CREATE STREAM s (id INT KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT id FROM s;
