--@test: the last value of a key counts; a tombstone takes the row out
CREATE TABLE users (id INT PRIMARY KEY, name STRING, age INT) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM users_text (id INT KEY, line STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='KAFKA');
CREATE TABLE names AS SELECT id, UCASE(name) AS name FROM users;
INSERT INTO users VALUES (1, 'ann', 30);
INSERT INTO users VALUES (1, 'anna', 30);
INSERT INTO users_text VALUES (1, NULL);
INSERT INTO users VALUES (2, NULL, 5);
ASSERT TABLE names (id INT PRIMARY KEY, name STRING);
ASSERT VALUES names VALUES (1, 'ANN');
ASSERT VALUES names VALUES (1, 'ANNA');
ASSERT NULL VALUES names (id) KEY (1);
ASSERT VALUES names VALUES (2, NULL);

--@test: a filtered table says when a row leaves, and only then
CREATE TABLE users (id INT PRIMARY KEY, age INT) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM users_text (id INT KEY, line STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='KAFKA');
CREATE TABLE adults AS SELECT id, age FROM users WHERE age >= 18;
INSERT INTO users VALUES (1, 17);
INSERT INTO users VALUES (1, 18);
INSERT INTO users VALUES (1, 19);
INSERT INTO users VALUES (1, 3);
INSERT INTO users VALUES (1, 4);
INSERT INTO users_text VALUES (1, NULL);
INSERT INTO users VALUES (2, 40);
INSERT INTO users_text VALUES (2, NULL);
INSERT INTO users_text VALUES (3, NULL);
ASSERT VALUES adults VALUES (1, 18);
ASSERT VALUES adults VALUES (1, 19);
ASSERT NULL VALUES adults (id) KEY (1);
ASSERT VALUES adults VALUES (2, 40);
ASSERT NULL VALUES adults (id) KEY (2);

--@test: rows without a key are no rows of a table
CREATE TABLE users (id INT PRIMARY KEY, age INT) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM users_raw (id INT KEY, age INT) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE TABLE copied AS SELECT * FROM users;
INSERT INTO users_raw (age) VALUES (1);
INSERT INTO users VALUES (7, 2);
ASSERT VALUES copied VALUES (7, 2);

--@test: aggregating a table takes back the old row and adds the new one
CREATE TABLE users (id INT PRIMARY KEY, city STRING, age INT) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM users_text (id INT KEY, line STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='KAFKA');
CREATE TABLE per_city AS SELECT city, COUNT(*) AS n, SUM(age) AS total, AVG(age) AS mean, COLLECT_LIST(id) AS ids FROM users GROUP BY city;
INSERT INTO users VALUES (1, 'x', 10);
INSERT INTO users VALUES (2, 'x', 20);
INSERT INTO users VALUES (1, 'y', 10);
INSERT INTO users VALUES (2, 'x', 30);
INSERT INTO users_text VALUES (2, NULL);
INSERT INTO users_text VALUES (9, NULL);
ASSERT VALUES per_city VALUES ('x', 1, 10, 10.0, ARRAY[1]);
ASSERT VALUES per_city VALUES ('x', 2, 30, 15.0, ARRAY[1, 2]);
ASSERT VALUES per_city VALUES ('x', 1, 20, 20.0, ARRAY[2]);
ASSERT VALUES per_city VALUES ('y', 1, 10, 10.0, ARRAY[1]);
ASSERT VALUES per_city VALUES ('x', 1, 30, 30.0, ARRAY[2]);
ASSERT VALUES per_city (city, n, total, mean) VALUES ('x', 0, 0, 0.0);

--@test: NULL groups of a table are in none
--@expected.log: an expression of the new key is NULL
CREATE TABLE users (id INT PRIMARY KEY, city STRING, age INT) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE TABLE per_city AS SELECT city, COUNT(*) AS n FROM users GROUP BY city;
INSERT INTO users VALUES (1, NULL, 10);
INSERT INTO users VALUES (1, 'x', 10);
INSERT INTO users VALUES (1, NULL, 10);
ASSERT VALUES per_city VALUES ('x', 1);
ASSERT VALUES per_city VALUES ('x', 0);

--@test: HAVING on a table's groups
CREATE TABLE users (id INT PRIMARY KEY, city STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE TABLE crowded AS SELECT city, COUNT(*) AS n FROM users GROUP BY city HAVING COUNT(*) > 1;
INSERT INTO users VALUES (1, 'x');
INSERT INTO users VALUES (2, 'x');
INSERT INTO users VALUES (3, 'x');
INSERT INTO users VALUES (1, 'y');
INSERT INTO users VALUES (2, 'y');
ASSERT VALUES crowded VALUES ('x', 2);
ASSERT VALUES crowded VALUES ('x', 3);
ASSERT VALUES crowded VALUES ('x', 2);
ASSERT NULL VALUES crowded (city) KEY ('x');
ASSERT VALUES crowded VALUES ('y', 2);

--@test: a filter before the groups takes rows back too
CREATE TABLE users (id INT PRIMARY KEY, city STRING, age INT) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE TABLE adults AS SELECT city, COUNT(*) AS n FROM users WHERE age >= 18 GROUP BY city;
INSERT INTO users VALUES (1, 'x', 20);
INSERT INTO users VALUES (1, 'x', 10);
INSERT INTO users VALUES (2, 'x', 5);
INSERT INTO users VALUES (1, 'x', 30);
ASSERT VALUES adults VALUES ('x', 1);
ASSERT VALUES adults VALUES ('x', 0);
ASSERT VALUES adults VALUES ('x', 1);

--@test: MIN cannot take a row back
--@expected.message: MIN
CREATE TABLE users (id INT PRIMARY KEY, city STRING, age INT) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE TABLE youngest AS SELECT city, MIN(age) AS age FROM users GROUP BY city;

--@test: tables of tables
CREATE TABLE users (id INT PRIMARY KEY, city STRING, age INT) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE TABLE adults AS SELECT id, city FROM users WHERE age >= 18;
CREATE TABLE per_city AS SELECT city, COUNT(*) AS n FROM adults GROUP BY city;
CREATE TABLE big AS SELECT city, n FROM per_city WHERE n > 1;
INSERT INTO users VALUES (1, 'x', 20);
INSERT INTO users VALUES (2, 'x', 20);
INSERT INTO users VALUES (1, 'x', 3);
ASSERT VALUES per_city VALUES ('x', 1);
ASSERT VALUES per_city VALUES ('x', 2);
ASSERT VALUES per_city VALUES ('x', 1);
ASSERT VALUES big VALUES ('x', 2);
ASSERT NULL VALUES big (city) KEY ('x');

--@test: a bare NULL is a tombstone, a NULL in a record is not
CREATE TABLE bare (id INT PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='bare', VALUE_FORMAT='JSON', WRAP_SINGLE_VALUE=false);
CREATE TABLE copied AS SELECT id, v FROM bare;
CREATE TABLE again WITH (WRAP_SINGLE_VALUE=false) AS SELECT id, v FROM bare;
CREATE STREAM copied_text (k INT KEY, line STRING) WITH (KAFKA_TOPIC='COPIED', VALUE_FORMAT='KAFKA');
CREATE STREAM again_text (k INT KEY, line STRING) WITH (KAFKA_TOPIC='AGAIN', VALUE_FORMAT='KAFKA');
INSERT INTO bare VALUES (1, 5);
INSERT INTO bare VALUES (1, NULL);
ASSERT VALUES copied_text VALUES (1, '{"V":5}');
ASSERT NULL VALUES copied_text (k) KEY (1);
ASSERT VALUES again_text VALUES (1, '5');
ASSERT NULL VALUES again_text (k) KEY (1);

--@test: a stream passes a record without a value on
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM s_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='KAFKA');
CREATE STREAM copied AS SELECT k, v + 1 AS v FROM s;
CREATE STREAM filtered AS SELECT * FROM s WHERE v > 0;
INSERT INTO s VALUES ('a', 1);
INSERT INTO s_text VALUES ('a', NULL);
ASSERT VALUES copied VALUES ('a', 2);
ASSERT NULL VALUES copied (k) KEY ('a');
ASSERT VALUES filtered VALUES ('a', 1);

--@test: tables with a key of several columns
CREATE TABLE t (a INT PRIMARY KEY, b STRING PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='t', FORMAT='JSON');
CREATE TABLE r AS SELECT a, b, v FROM t WHERE v > 1;
CREATE STREAM r_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='R', VALUE_FORMAT='KAFKA');
INSERT INTO t VALUES (1, 'x', 2);
INSERT INTO t VALUES (1, 'y', 3);
INSERT INTO t VALUES (1, 'x', 0);
ASSERT VALUES r_text VALUES ('{"A":1,"B":"x"}', '{"V":2}');
ASSERT VALUES r_text VALUES ('{"A":1,"B":"y"}', '{"V":3}');
ASSERT NULL VALUES r_text (k) KEY ('{"A":1,"B":"x"}');

--@test: a SOURCE TABLE is read only
--@expected.message: read-only
CREATE SOURCE TABLE t (k INT PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');
INSERT INTO t VALUES (1, 2);

--@test: statistics, sums of lists and counts of values take rows back
CREATE TABLE t (a INT PRIMARY KEY, g STRING, v INT) WITH (KAFKA_TOPIC='t', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT g, STDDEV_SAMPLE(v) AS s, CORRELATION(v, v) AS c, ATTR(v) AS at_, HISTOGRAM(g) AS h, SUM_LIST(ARRAY[v, v]) AS sl FROM t GROUP BY g;
INSERT INTO t VALUES (1, 'x', 2);
INSERT INTO t VALUES (2, 'x', 4);
INSERT INTO t VALUES (1, 'y', 2);
ASSERT VALUES r (g, s, at_, sl) VALUES ('x', 0.0, 2, 4);
ASSERT VALUES r (g, s, at_, sl) VALUES ('x', 1.4142135623730951, NULL, 12);
ASSERT VALUES r (g, s, at_, h, sl) VALUES ('x', 0.0, 4, MAP('x' := 1), 8);
ASSERT VALUES r (g, s, at_, h, sl) VALUES ('y', 0.0, 2, MAP('y' := 1), 4);
