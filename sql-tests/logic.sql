--@test: comparisons with NULL are false, also the other way round
CREATE STREAM v (k STRING KEY, a INT, b INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a = b AS eq, a <> b AS ne, a < b AS lt, a >= b AS ge, NOT (a = b) AS n, a IS NULL AS nul, b IS NOT NULL AS there,
    a IS DISTINCT FROM b AS dis, a IS NOT DISTINCT FROM b AS same
  FROM v;
INSERT INTO v VALUES ('both', 1, 2);
INSERT INTO v VALUES ('equal', 2, 2);
INSERT INTO v VALUES ('left', NULL, 2);
INSERT INTO v VALUES ('none', NULL, NULL);
ASSERT VALUES r VALUES ('both', false, true, true, false, true, false, true, true, false);
ASSERT VALUES r VALUES ('equal', true, false, false, true, false, false, true, false, true);
ASSERT VALUES r VALUES ('left', false, false, false, false, true, true, true, true, false);
ASSERT VALUES r VALUES ('none', false, false, false, false, true, true, false, false, true);

--@test: AND and OR look no further than they must
--@expected.log: (A AND B)
--@expected.log: (A OR B)
--@expected.log: NOT
CREATE STREAM v (k STRING KEY, a BOOLEAN, b BOOLEAN) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a AND b AS both, a OR b AS one, NOT a AS n FROM v;
INSERT INTO v VALUES ('tt', true, true);
INSERT INTO v VALUES ('tf', true, false);
INSERT INTO v VALUES ('ft', false, true);
INSERT INTO v VALUES ('tn', true, NULL);
INSERT INTO v VALUES ('fn', false, NULL);
INSERT INTO v VALUES ('nt', NULL, true);
INSERT INTO v VALUES ('nf', NULL, false);
ASSERT VALUES r VALUES ('tt', true, true, false);
ASSERT VALUES r VALUES ('tf', false, true, false);
ASSERT VALUES r VALUES ('ft', false, true, true);
ASSERT VALUES r VALUES ('tn', NULL, true, false);
ASSERT VALUES r VALUES ('fn', false, NULL, true);
ASSERT VALUES r VALUES ('nt', NULL, NULL, NULL);
ASSERT VALUES r VALUES ('nf', NULL, NULL, NULL);

--@test: NOT binds closer than AND, AND closer than OR
CREATE STREAM v (k STRING KEY, a INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT * FROM v WHERE a = 1 OR a = 2 AND NOT a = 2 OR a > 5 AND a < 8;
INSERT INTO v VALUES ('one', 1);
INSERT INTO v VALUES ('two', 2);
INSERT INTO v VALUES ('six', 6);
INSERT INTO v VALUES ('nine', 9);
ASSERT VALUES r VALUES ('one', 1);
ASSERT VALUES r VALUES ('six', 6);

--@test: numbers of all types compare with each other
CREATE STREAM v (k STRING KEY, i INT, l BIGINT, d DOUBLE, m DECIMAL(6, 2)) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, i = l AS il, l < d AS ld, m > i AS mi, m = d AS md, i = 5.0 AS lit FROM v;
INSERT INTO v VALUES ('a', 5, 5, 5.5, 5.50);
ASSERT VALUES r VALUES ('a', true, true, true, true, true);

--@test: times compare with each other and with their texts
CREATE STREAM v (k STRING KEY, da DATE, t TIME, ts TIMESTAMP) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, da > '2020-01-31' AS d, t <= '12:00' AS t, ts = '2020-02-01T00:00:00' AS s, ts >= da AS both FROM v;
INSERT INTO v VALUES ('a', '2020-02-01', '12:00:01', '2020-02-01');
INSERT INTO v VALUES ('b', '2020-01-31', '11:59:59', '2020-01-30T23:59:59.999');
ASSERT VALUES r VALUES ('a', true, false, true, true);
ASSERT VALUES r VALUES ('b', false, true, false, false);

--@test: text compares by its characters, bytes by their values
CREATE STREAM v (k STRING KEY, s STRING, y BYTES) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, s < 'b' AS less, s = 'B' AS cap, y = TO_BYTES('ff', 'hex') AS all_ones FROM v;
INSERT INTO v VALUES ('a', 'abc', '/w==');
INSERT INTO v VALUES ('b', 'B', 'AA==');
INSERT INTO v VALUES ('c', 'é', NULL);
ASSERT VALUES r VALUES ('a', true, false, true);
ASSERT VALUES r VALUES ('b', true, true, false);
ASSERT VALUES r VALUES ('c', false, false, false);

--@test: arrays, maps and structs are equal or not
CREATE STREAM v (k STRING KEY, a ARRAY<INT>, b ARRAY<INT>, p STRUCT<x INT>, q STRUCT<x INT>) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a = b AS e, a <> b AS n, p = q AS s FROM v;
INSERT INTO v VALUES ('a', ARRAY[1, NULL], ARRAY[1, NULL], STRUCT(x := 1), STRUCT(x := 1));
INSERT INTO v VALUES ('b', ARRAY[1, 2], ARRAY[2, 1], STRUCT(x := 1), STRUCT(x := 2));
ASSERT VALUES r VALUES ('a', true, false, true);
ASSERT VALUES r VALUES ('b', false, true, false);

--@test: BETWEEN includes its bounds
CREATE STREAM v (k STRING KEY, a INT, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a BETWEEN 2 AND 4 AS i, a NOT BETWEEN 2 AND 4 AS o, a BETWEEN 4 AND 2 AS empty, s BETWEEN 'b' AND 'd' AS t FROM v;
INSERT INTO v VALUES ('low', 2, 'b');
INSERT INTO v VALUES ('high', 4, 'dx');
INSERT INTO v VALUES ('out', 5, 'c');
INSERT INTO v VALUES ('null', NULL, NULL);
ASSERT VALUES r VALUES ('low', true, false, false, true);
ASSERT VALUES r VALUES ('high', true, false, false, false);
ASSERT VALUES r VALUES ('out', false, true, false, true);
ASSERT VALUES r VALUES ('null', false, true, false, false);

--@test: IN, with NULLs on either side, and over values of a common type
CREATE STREAM v (k STRING KEY, a INT, s STRING, m DECIMAL(4, 2)) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a IN (1, 2, NULL) AS i, a NOT IN (1, 2) AS o, s IN ('x', 'y') AS t, m IN (1, 2.50) AS m, a IN ('3', 4) AS mixed FROM v;
INSERT INTO v VALUES ('a', 1, 'x', 2.5);
INSERT INTO v VALUES ('b', 3, 'z', 1);
INSERT INTO v VALUES ('c', NULL, NULL, NULL);
ASSERT VALUES r VALUES ('a', true, false, true, true, false);
ASSERT VALUES r VALUES ('b', false, true, false, true, true);
ASSERT VALUES r VALUES ('c', false, true, false, false, false);

--@test: LIKE with its two wildcards, and ESCAPE to take them as they are
CREATE STREAM v (k STRING KEY, s STRING, p STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, s LIKE 'a%' AS starts, s LIKE '%c' AS ends, s LIKE '_b_' AS three, s LIKE '%!%%' ESCAPE '!' AS percent, s NOT LIKE 'a%' AS other,
    s LIKE p AS col
  FROM v;
INSERT INTO v VALUES ('1', 'abc', 'abc');
INSERT INTO v VALUES ('2', 'a%c', '%!%');
INSERT INTO v VALUES ('3', 'xab.c', 'xab.c');
INSERT INTO v VALUES ('4', NULL, '%');
INSERT INTO v VALUES ('5', 'a
c', 'a_c');
ASSERT VALUES r VALUES ('1', true, true, true, false, false, true);
ASSERT VALUES r VALUES ('2', true, true, false, true, false, false);
ASSERT VALUES r VALUES ('3', false, true, false, false, true, true);
ASSERT VALUES r VALUES ('4', false, false, false, false, true, false);
ASSERT VALUES r VALUES ('5', true, true, false, false, false, true);

--@test: CASE takes the first branch that holds and computes no other
CREATE STREAM v (k STRING KEY, a INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, CASE WHEN a = 0 THEN 'zero' WHEN 10 / a > 4 THEN 'small' ELSE 'large' END AS magnitude,
    CASE WHEN a > 5 THEN a END AS big, CASE WHEN a IS NULL THEN NULL WHEN a < 0 THEN true ELSE false END AS below
  FROM v;
INSERT INTO v VALUES ('a', 0);
INSERT INTO v VALUES ('b', 2);
INSERT INTO v VALUES ('c', 7);
INSERT INTO v VALUES ('d', -7);
ASSERT VALUES r VALUES ('a', 'zero', NULL, false);
ASSERT VALUES r VALUES ('b', 'small', NULL, false);
ASSERT VALUES r VALUES ('c', 'large', 7, false);
ASSERT VALUES r VALUES ('d', 'large', NULL, true);

--@test: CASE with an operand is refused with a hint
--@expected.message: WHEN a = b
CREATE STREAM v (k STRING KEY, a INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, CASE a WHEN 1 THEN 'one' ELSE 'more' END AS t FROM v;

--@test: the branches of CASE have one type
--@expected.message: CASE
CREATE STREAM v (k STRING KEY, a INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, CASE WHEN a = 1 THEN 'one' ELSE 2 END AS t FROM v;

--@test: a condition is a BOOLEAN
--@expected.message: WHERE
CREATE STREAM v (k STRING KEY, a INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT * FROM v WHERE a;

--@test: the literal NULL is not compared
--@expected.message: IS NULL
CREATE STREAM v (k STRING KEY, a INT) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT * FROM v WHERE a = NULL;

--@test: truth and number do not compare
--@expected.message: BOOLEAN
CREATE STREAM v (k STRING KEY, a INT, b BOOLEAN) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT * FROM v WHERE a = b;

--@test: conditions of several kinds in one
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, v FROM s WHERE ROWTIME BETWEEN '1970-01-01T00:00:01' AND '1970-01-01T00:00:02' AND v IN (1, 2) OR k LIKE 'z%' AND NOT v BETWEEN 1 AND 5;
INSERT INTO s (ROWTIME, k, v) VALUES (1500, 'a', 1);
INSERT INTO s (ROWTIME, k, v) VALUES (2500, 'b', 1);
INSERT INTO s (ROWTIME, k, v) VALUES (2500, 'zz', 1);
INSERT INTO s (ROWTIME, k, v) VALUES (2500, 'zz', 9);
ASSERT VALUES r VALUES ('a', 1);
ASSERT VALUES r VALUES ('zz', 9);
