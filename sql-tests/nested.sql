--@test: arrays count from 1, and from the end below 0
CREATE STREAM v (k STRING KEY, a ARRAY<INT>, i INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a[1] AS first, a[-1] AS last, a[0] AS zero, a[9] AS far, a[-9] AS before, a[i] AS here, a[i + 1] AS next FROM v;
INSERT INTO v VALUES ('a', ARRAY[10, 20, 30], 2);
INSERT INTO v VALUES ('b', ARRAY[10, 20, 30], -3);
INSERT INTO v VALUES ('c', NULL, 1);
INSERT INTO v (k, a, i) VALUES ('d', ARRAY[5], 1);
ASSERT VALUES r VALUES ('a', 10, 30, NULL, NULL, NULL, 20, 30);
ASSERT VALUES r VALUES ('b', 10, 30, NULL, NULL, NULL, 10, 20);
ASSERT VALUES r VALUES ('c', NULL, NULL, NULL, NULL, NULL, NULL, NULL);
ASSERT VALUES r VALUES ('d', 5, 5, NULL, NULL, NULL, 5, NULL);

--@test: maps by key, structs by field, through several levels
CREATE STREAM v (k STRING KEY, m MAP<STRING, ARRAY<STRUCT<x INT>>>, s STRUCT<a STRUCT<b MAP<STRING, INT>>>, n STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, m['one'][1]->x AS x, m[n][-1]->x AS last, s->a->b['y'] AS y, s->a->b[n] AS by_name FROM v;
INSERT INTO v VALUES ('a', MAP('one' := ARRAY[STRUCT(x := 1), STRUCT(x := 2)]), STRUCT(a := STRUCT(b := MAP('y' := 7))), 'one');
INSERT INTO v VALUES ('b', MAP('two' := ARRAY[STRUCT(x := 3)]), NULL, 'none');
INSERT INTO v VALUES ('c', NULL, STRUCT(a := CAST(NULL AS STRUCT<b MAP<STRING, INT>>)), NULL);
ASSERT VALUES r VALUES ('a', 1, 2, 7, NULL);
ASSERT VALUES r VALUES ('b', NULL, NULL, NULL, NULL);
ASSERT VALUES r VALUES ('c', NULL, NULL, NULL, NULL);

--@test: a dereferenced field gives the column its name; a second one is numbered
CREATE STREAM v (k STRING KEY, s STRUCT<a INT, b STRUCT<a INT>>) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, s->a, s->b->a, s->a + 1 FROM v;
CREATE STREAM wide AS SELECT k, s->* FROM v;
INSERT INTO v VALUES ('x', STRUCT(a := 1, b := STRUCT(a := 2)));
ASSERT STREAM r (k STRING KEY, a INT, a_1 INT, ksql_col_0 INT);
ASSERT VALUES r VALUES ('x', 1, 2, 2);
ASSERT STREAM wide (k STRING KEY, a INT, b STRUCT<a INT>);
ASSERT VALUES wide VALUES ('x', 1, STRUCT(a := 2));

--@test: constructors bring their values to one type
CREATE STREAM v (k STRING KEY, i INT, l BIGINT, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, ARRAY[i, l, 3] AS a, ARRAY[s, 'x', NULL] AS t, MAP('i' := i, s := l) AS m, STRUCT(a := i, b := ARRAY[s], c := STRUCT(d := l)) AS st,
    ARRAY['1', i] AS mixed, ARRAY[1, '2.5'] AS dec
  FROM v;
INSERT INTO v VALUES ('a', 1, 2, 'j');
INSERT INTO v VALUES ('b', NULL, 2, 'i');
ASSERT STREAM r (k STRING KEY, a ARRAY<BIGINT>, t ARRAY<STRING>, m MAP<STRING, BIGINT>, st STRUCT<a INT, b ARRAY<STRING>, c STRUCT<d BIGINT>>, mixed ARRAY<INT>, dec ARRAY<DECIMAL(11, 1)>);
ASSERT VALUES r VALUES ('a', ARRAY[1, 2, 3], ARRAY['j', 'x', NULL], MAP('i' := 1, 'j' := 2), STRUCT(a := 1, b := ARRAY['j'], c := STRUCT(d := 2)), ARRAY[1, 1], ARRAY[1.0, 2.5]);
ASSERT VALUES r VALUES ('b', ARRAY[NULL, 2, 3], ARRAY['i', 'x', NULL], MAP('i' := 2), STRUCT(a := CAST(NULL AS INT), b := ARRAY['i'], c := STRUCT(d := 2)), ARRAY[1, NULL], ARRAY[1.0, 2.5]);

--@test: an error in an element makes that element NULL
--@expected.log: by zero
CREATE STREAM v (k STRING KEY, i INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, ARRAY[i, 6 / i] AS a, STRUCT(x := i, y := 6 / i) AS s, MAP('q' := 6 / i) AS m FROM v;
INSERT INTO v VALUES ('a', 0);
INSERT INTO v VALUES ('b', 2);
ASSERT VALUES r VALUES ('a', ARRAY[0, NULL], STRUCT(x := 0, y := CAST(NULL AS INT)), MAP('q' := CAST(NULL AS INT)));
ASSERT VALUES r VALUES ('b', ARRAY[2, 3], STRUCT(x := 2, y := 3), MAP('q' := 3));

--@test: or the whole value, where asked for
--@expected.log: by zero
SET 'ksql.nested.error.set.null' = 'false';
CREATE STREAM v (k STRING KEY, i INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, ARRAY[i, 6 / i] AS a, STRUCT(x := i, y := 6 / i) AS s, MAP('q' := 6 / i) AS m, ARRAY[ARRAY[6 / i]] AS deep, ARRAY[i, i + 1] AS fine FROM v;
INSERT INTO v VALUES ('a', 0);
INSERT INTO v VALUES ('b', 2);
ASSERT VALUES r VALUES ('a', NULL, NULL, NULL, NULL, ARRAY[0, 1]);
ASSERT VALUES r VALUES ('b', ARRAY[2, 3], STRUCT(x := 2, y := 3), MAP('q' := 3), ARRAY[ARRAY[3]], ARRAY[2, 3]);

--@test: an empty array has no type
--@expected.message: empty
CREATE STREAM v (k STRING KEY, i INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, ARRAY[] AS a FROM v;

--@test: a number and a truth have no common type
--@expected.message: common type
CREATE STREAM v (k STRING KEY, i INT, b BOOLEAN) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, ARRAY[i, b] AS a FROM v;

--@test: an unknown field is refused with those there are
--@expected.message: Z
CREATE STREAM v (k STRING KEY, s STRUCT<x INT, y INT>) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, s->z AS z FROM v;

--@test: an array's place is a number
--@expected.message: BIGINT
CREATE STREAM v (k STRING KEY, a ARRAY<INT>) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a['one'] AS z FROM v;
