--@test: operands widen to the larger type
CREATE STREAM n (k STRING KEY, i INT, l BIGINT, d DOUBLE, m DECIMAL(5, 2)) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, i + i AS ii, i - l AS il, i * d AS id, l / i AS li, m + i AS mi, m * d AS md, l % i AS rest, -i AS minus, +m AS plus FROM n;
INSERT INTO n VALUES ('a', 3, 10, 0.5, 1.25);
INSERT INTO n VALUES ('b', -3, 10, 2.0, -1.25);
ASSERT STREAM r (k STRING KEY, ii INT, il BIGINT, id DOUBLE, li BIGINT, mi DECIMAL(13, 2), md DOUBLE, rest BIGINT, minus INT, plus DECIMAL(5, 2));
ASSERT VALUES r VALUES ('a', 6, -7, 1.5, 3, 4.25, 0.625, 1, -3, 1.25);
ASSERT VALUES r VALUES ('b', -6, -13, -6.0, -3, -4.25, -2.5, 1, 3, -1.25);

--@test: precision and scale of decimal results
CREATE STREAM n (k STRING KEY, a DECIMAL(5, 2), b DECIMAL(4, 3)) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a + b AS s, a - b AS d, a * b AS p, a / b AS q, a % b AS m FROM n;
CREATE STREAM r_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='R', VALUE_FORMAT='KAFKA');
INSERT INTO n VALUES ('a', 10.25, 0.125);
INSERT INTO n VALUES ('b', -1.50, 4.000);
ASSERT STREAM r (k STRING KEY, s DECIMAL(7, 3), d DECIMAL(7, 3), p DECIMAL(10, 5), q DECIMAL(13, 7), m DECIMAL(4, 3));
ASSERT VALUES r_text VALUES ('a', '{"S":10.375,"D":10.125,"P":1.28125,"Q":82.0000000,"M":0.000}');
ASSERT VALUES r_text VALUES ('b', '{"S":2.500,"D":-5.500,"P":-6.00000,"Q":-0.3750000,"M":-1.500}');

--@test: literals are INTEGER, BIGINT, DECIMAL or DOUBLE as they are written
CREATE STREAM n (k STRING KEY, i INT) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, 1 AS a, 3000000000 AS b, 1.50 AS c, .5 AS d, 1e3 AS e, 2.5E-1 AS f, -7 AS g, DECIMAL '12.300' AS h FROM n;
INSERT INTO n VALUES ('a', 0);
ASSERT STREAM r (k STRING KEY, a INT, b BIGINT, c DECIMAL(3, 2), d DECIMAL(2, 1), e DOUBLE, f DOUBLE, g INT, h DECIMAL(5, 3));
ASSERT VALUES r VALUES ('a', 1, 3000000000, 1.50, 0.5, 1000.0, 0.25, -7, 12.300);

--@test: precedence and brackets
CREATE STREAM n (k STRING KEY, a INT, b INT, c INT) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a + b * c AS x, (a + b) * c AS y, a - b - c AS z, -a * b AS v, a * b % c AS w, a / b / c AS u, 'v' || 'w' || 'x' AS s FROM n;
INSERT INTO n VALUES ('a', 20, 3, 4);
ASSERT VALUES r VALUES ('a', 32, 92, 13, -60, 0, 1, 'vwx');

--@test: whole numbers wrap where they do not fit
CREATE STREAM n (k STRING KEY, i INT, l BIGINT) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, i + 1 AS i, l + 1 AS l, i * 2 AS two, CAST(i AS BIGINT) + 1 AS wide FROM n;
INSERT INTO n VALUES ('a', 2147483647, 9223372036854775807);
ASSERT VALUES r VALUES ('a', -2147483648, -9223372036854775807 - 1, -2, 2147483648);

--@test: division by zero is an error of the one column
--@expected.log: (A / B)
--@expected.log: (A % B)
--@expected.log: (M / 
CREATE STREAM n (k STRING KEY, a INT, b INT, m DECIMAL(4, 2)) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a / b AS q, a % b AS rest, m / 0 AS m, a + b AS s FROM n;
INSERT INTO n VALUES ('a', 7, 0, 1.5);
INSERT INTO n VALUES ('b', 7, 2, 1.5);
ASSERT VALUES r VALUES ('a', NULL, NULL, NULL, 7);
ASSERT VALUES r VALUES ('b', 3, 1, NULL, 9);

--@test: a DOUBLE divided by zero is infinite or no number
CREATE STREAM n (k STRING KEY, d DOUBLE) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, d / 0 AS q, d % 0 AS rest, -d / 0 AS minus FROM n;
CREATE STREAM r_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='R', VALUE_FORMAT='KAFKA');
INSERT INTO n VALUES ('a', 2.5);
INSERT INTO n VALUES ('z', 0.0);
ASSERT VALUES r_text VALUES ('a', '{"Q":"Infinity","REST":"NaN","MINUS":"-Infinity"}');
ASSERT VALUES r_text VALUES ('z', '{"Q":"NaN","REST":"NaN","MINUS":"NaN"}');

--@test: a NULL operand is an error of the one column
--@expected.log: an operand of + is NULL
CREATE STREAM n (k STRING KEY, a INT, b INT) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a + b AS s, b AS b FROM n;
INSERT INTO n VALUES ('a', NULL, 2);
ASSERT VALUES r VALUES ('a', NULL, 2);

--@test: a quotient that has no end fails where its digits do not fit
--@expected.log: (A / B)
CREATE STREAM n (k STRING KEY, a DECIMAL(3, 1), b DECIMAL(3, 1)) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, a / b AS q FROM n;
INSERT INTO n VALUES ('a', 1.0, 3.0);
INSERT INTO n VALUES ('b', 1.0, 8.0);
ASSERT VALUES r VALUES ('a', NULL);
ASSERT VALUES r VALUES ('b', 0.125000);

--@test: a failing condition leaves the row out
--@expected.log: (10 / V)
CREATE STREAM n (k STRING KEY, v INT) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT * FROM n WHERE 10 / v > 1;
INSERT INTO n VALUES ('a', 0);
INSERT INTO n VALUES ('b', 4);
INSERT INTO n VALUES ('c', 20);
ASSERT VALUES r VALUES ('b', 4);

--@test: text is added, numbers and text are not
--@expected.message: STRING
CREATE STREAM n (k STRING KEY, v INT) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, k + 'x' AS t, k + v AS bad FROM n;
