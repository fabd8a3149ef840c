--@test: arrays as lists
CREATE STREAM v (k STRING KEY, a ARRAY<INT>, b ARRAY<INT>) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, ARRAY_LENGTH(a) AS n, ARRAY_CONTAINS(a, 2) AS has, ARRAY_CONCAT(a, b) AS both, ARRAY_MAX(a) AS mx, ARRAY_MIN(a) AS mn, ARRAY_SORT(a) AS up, ARRAY_SORT(a, 'DESC') AS down, ARRAY_JOIN(a, '-') AS txt, SLICE(a, 2, 3) AS s, ARRAY_REMOVE(a, 2) AS rem FROM v;
INSERT INTO v VALUES ('a', ARRAY[3, 2, NULL, 2], ARRAY[9]);
INSERT INTO v VALUES ('b', NULL, ARRAY[1]);
INSERT INTO v VALUES ('c', NULL, NULL);
ASSERT VALUES r VALUES ('a', 4, true, ARRAY[3, 2, NULL, 2, 9], 3, 2, ARRAY[2, 2, 3, NULL], ARRAY[3, 2, 2, NULL], '3-2-null-2', ARRAY[2, NULL], ARRAY[3, NULL]);
ASSERT VALUES r (k, n, has, both, mx, up, txt, s, rem) VALUES ('b', NULL, false, ARRAY[1], NULL, NULL, NULL, NULL, NULL);
ASSERT VALUES r (k, both) VALUES ('c', NULL);

--@test: arrays as sets
CREATE STREAM v (k STRING KEY, a ARRAY<STRING>, b ARRAY<STRING>) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, ARRAY_DISTINCT(a) AS d, ARRAY_UNION(a, b) AS u, ARRAY_INTERSECT(a, b) AS i, ARRAY_EXCEPT(a, b) AS e FROM v;
INSERT INTO v VALUES ('a', ARRAY['x', 'y', 'x', NULL], ARRAY['y', 'z', 'z']);
INSERT INTO v VALUES ('b', ARRAY['x'], NULL);
ASSERT VALUES r VALUES ('a', ARRAY['x', 'y', NULL], ARRAY['x', 'y', NULL, 'z'], ARRAY['y'], ARRAY['x', NULL]);
ASSERT VALUES r VALUES ('b', ARRAY['x'], NULL, NULL, NULL);

--@test: series
--@expected.log: Error computing expression GENERATE_SERIES
CREATE STREAM v (k STRING KEY, a INT, b INT, c INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, GENERATE_SERIES(a, b) AS s, GENERATE_SERIES(a, b, c) AS step FROM v;
INSERT INTO v VALUES ('up', 1, 4, 2);
INSERT INTO v VALUES ('down', 3, 1, -1);
INSERT INTO v VALUES ('wrong', 1, 3, -1);
ASSERT VALUES r VALUES ('up', ARRAY[1, 2, 3, 4], ARRAY[1, 3]);
ASSERT VALUES r VALUES ('down', ARRAY[3, 2, 1], ARRAY[3, 2, 1]);
ASSERT VALUES r VALUES ('wrong', ARRAY[1, 2, 3], NULL);

--@test: maps
CREATE STREAM v (k STRING KEY, m MAP<STRING, INT>, n MAP<STRING, INT>) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, ARRAY_SORT(MAP_KEYS(m)) AS ks, ARRAY_SORT(MAP_VALUES(m)) AS vs, MAP_UNION(m, n) AS u, AS_MAP(ARRAY['p', 'q'], ARRAY[1, 2]) AS am, ENTRIES(m, true) AS e FROM v;
INSERT INTO v VALUES ('a', MAP('y' := 2, 'x' := 1), MAP('y' := 9));
INSERT INTO v VALUES ('b', NULL, MAP('y' := 9));
ASSERT VALUES r VALUES ('a', ARRAY['x', 'y'], ARRAY[1, 2], MAP('x' := 1, 'y' := 9), MAP('p' := 1, 'q' := 2), ARRAY[STRUCT(k := 'x', v := 1), STRUCT(k := 'y', v := 2)]);
ASSERT VALUES r (k, ks, vs, u, e) VALUES ('b', NULL, NULL, MAP('y' := 9), NULL);

--@test: lambdas over arrays
CREATE STREAM v (k STRING KEY, a ARRAY<INT>, f INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, TRANSFORM(a, x => x * f) AS t, FILTER(a, x => x > 1 AND x < f) AS l, REDUCE(a, 100, (s, x) => s + x) AS s, TRANSFORM(a, x => TRANSFORM(ARRAY[x, f], y => y + x)) AS nested FROM v;
INSERT INTO v VALUES ('a', ARRAY[1, 2, 3], 3);
INSERT INTO v VALUES ('b', NULL, 3);
INSERT INTO v VALUES ('c', CAST(ARRAY[1] AS ARRAY<INT>), 0);
ASSERT VALUES r VALUES ('a', ARRAY[3, 6, 9], ARRAY[2], 106, ARRAY[ARRAY[2, 4], ARRAY[4, 5], ARRAY[6, 6]]);
ASSERT VALUES r VALUES ('b', NULL, NULL, 100, NULL);
ASSERT VALUES r (k, t, s) VALUES ('c', ARRAY[0], 101);

--@test: lambdas over maps
CREATE STREAM v (k STRING KEY, m MAP<STRING, INT>) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, TRANSFORM(m, (a, b) => UCASE(a), (a, b) => b + 1) AS t, FILTER(m, (a, b) => b > 1 OR a = 'keep') AS l, REDUCE(m, 0, (s, a, b) => s + b) AS s FROM v;
INSERT INTO v VALUES ('a', MAP('one' := 1, 'two' := 2, 'keep' := 0));
ASSERT VALUES r VALUES ('a', MAP('ONE' := 2, 'TWO' := 3, 'KEEP' := 1), MAP('two' := 2, 'keep' := 0), 3);

--@test: an error inside a lambda is the column's
--@expected.log: Error computing expression TRANSFORM
CREATE STREAM v (k STRING KEY, a ARRAY<INT>) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, TRANSFORM(a, x => 6 / x) AS t FROM v;
INSERT INTO v VALUES ('a', ARRAY[1, 2]);
INSERT INTO v VALUES ('b', ARRAY[1, 0]);
INSERT INTO v VALUES ('c', ARRAY[3]);
ASSERT VALUES r VALUES ('a', ARRAY[6, 3]);
ASSERT VALUES r VALUES ('b', NULL);
ASSERT VALUES r VALUES ('c', ARRAY[2]);

--@test: EXPLODE makes a row of each element
CREATE STREAM v (k STRING KEY, a ARRAY<INT>, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, EXPLODE(a) AS x, s FROM v;
INSERT INTO v VALUES ('a', ARRAY[1, NULL, 3], 'p');
INSERT INTO v VALUES ('b', NULL, 'q');
INSERT INTO v VALUES ('c', ARRAY[4], 'r');
ASSERT VALUES r VALUES ('a', 1, 'p');
ASSERT VALUES r VALUES ('a', NULL, 'p');
ASSERT VALUES r VALUES ('a', 3, 'p');
ASSERT VALUES r VALUES ('c', 4, 'r');

--@test: table functions side by side, in expressions, and with a filter
CREATE STREAM v (k STRING KEY, a ARRAY<INT>, b ARRAY<STRING>) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, EXPLODE(a) + 10 AS x, EXPLODE(b) AS y FROM v WHERE ARRAY_LENGTH(b) > 1;
CREATE STREAM cubes AS SELECT k, CUBE_EXPLODE(ARRAY[b[1], b[2]]) AS c FROM v WHERE ARRAY_LENGTH(b) > 1;
INSERT INTO v VALUES ('a', ARRAY[1, 2], ARRAY['p', 'q']);
INSERT INTO v VALUES ('b', ARRAY[1, 2], ARRAY['p']);
ASSERT VALUES r VALUES ('a', 11, 'p');
ASSERT VALUES r VALUES ('a', 12, 'q');
ASSERT VALUES cubes VALUES ('a', ARRAY[CAST(NULL AS STRING), NULL]);
ASSERT VALUES cubes VALUES ('a', ARRAY[NULL, 'q']);
ASSERT VALUES cubes VALUES ('a', ARRAY['p', NULL]);
ASSERT VALUES cubes VALUES ('a', ARRAY['p', 'q']);

--@test: lambdas inside lambdas, over both parts of a map
CREATE STREAM s (k STRING KEY, m MAP<STRING, ARRAY<INT>>) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, TRANSFORM(m, (a, b) => a || '!', (a, b) => REDUCE(b, 0, (s, x) => s + x)) AS t, FILTER(MAP_KEYS(m), a => LEN(a) > 1) AS f FROM s;
INSERT INTO s VALUES ('a', MAP('x' := ARRAY[1, 2], 'yy' := ARRAY[3]));
ASSERT VALUES r VALUES ('a', MAP('x!' := 3, 'yy!' := 3), ARRAY['yy']);

--@test: the rows of a table function are grouped in a query of their own
CREATE STREAM s (id INT KEY, l ARRAY<STRING>) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM words AS SELECT id, EXPLODE(l) AS w FROM s;
CREATE TABLE r AS SELECT w, COUNT(*) AS n FROM words GROUP BY w;
INSERT INTO s VALUES (1, ARRAY['a', 'b', 'a']);
ASSERT VALUES r VALUES ('a', 1);
ASSERT VALUES r VALUES ('b', 1);
ASSERT VALUES r VALUES ('a', 2);

--@test: table functions after PARTITION BY
CREATE STREAM s (id INT KEY, l ARRAY<STRING>, t STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM words AS SELECT t, EXPLODE(l) AS w FROM s PARTITION BY t;
INSERT INTO s VALUES (1, ARRAY['a', 'b'], 'q');
ASSERT VALUES words VALUES ('q', 'a');
ASSERT VALUES words VALUES ('q', 'b');
