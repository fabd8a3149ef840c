--@test: a stream row finds the table's row as of its arrival
--@expected.log: an operand of * is NULL
CREATE TABLE prices (item STRING PRIMARY KEY, price INT) WITH (KAFKA_TOPIC='prices', VALUE_FORMAT='JSON');
CREATE STREAM carts (item STRING KEY, n INT) WITH (KAFKA_TOPIC='carts', VALUE_FORMAT='JSON');
CREATE STREAM costs AS SELECT c.item AS item, n, price, n * price AS cost FROM carts c LEFT JOIN prices p ON c.item = p.item;
CREATE STREAM known AS SELECT c.item AS item, price FROM carts c JOIN prices p ON c.item = p.item;
INSERT INTO prices VALUES ('pen', 3);
INSERT INTO carts VALUES ('pen', 2);
INSERT INTO carts VALUES ('ink', 1);
ASSERT VALUES costs VALUES ('pen', 2, 3, 6);
ASSERT VALUES costs VALUES ('ink', 1, NULL, NULL);
ASSERT VALUES known VALUES ('pen', 3);

--@test: updates and tombstones of the table change what later rows find, and emit nothing
CREATE TABLE prices (item STRING PRIMARY KEY, price INT) WITH (KAFKA_TOPIC='prices', VALUE_FORMAT='JSON');
CREATE STREAM prices_text (item STRING KEY, line STRING) WITH (KAFKA_TOPIC='prices', VALUE_FORMAT='KAFKA');
CREATE STREAM carts (item STRING KEY, n INT) WITH (KAFKA_TOPIC='carts', VALUE_FORMAT='JSON');
CREATE STREAM inner_ AS SELECT c.item AS item, n, price FROM carts c JOIN prices p ON c.item = p.item;
CREATE STREAM left_ AS SELECT c.item AS item, n, price FROM carts c LEFT JOIN prices p ON c.item = p.item;
INSERT INTO carts VALUES ('pen', 1);
INSERT INTO prices VALUES ('pen', 3);
INSERT INTO carts VALUES ('pen', 2);
INSERT INTO prices VALUES ('pen', 4);
INSERT INTO carts VALUES ('pen', 3);
INSERT INTO prices_text VALUES ('pen', NULL);
INSERT INTO carts VALUES ('pen', 4);
INSERT INTO prices VALUES ('pen', NULL);
INSERT INTO carts VALUES ('pen', 5);
ASSERT VALUES inner_ VALUES ('pen', 2, 3);
ASSERT VALUES inner_ VALUES ('pen', 3, 4);
ASSERT VALUES inner_ VALUES ('pen', 5, NULL);
ASSERT VALUES left_ VALUES ('pen', 1, NULL);
ASSERT VALUES left_ VALUES ('pen', 2, 3);
ASSERT VALUES left_ VALUES ('pen', 3, 4);
ASSERT VALUES left_ VALUES ('pen', 4, NULL);
ASSERT VALUES left_ VALUES ('pen', 5, NULL);

--@test: the order of arrival counts, not the times; the result has the stream row's time
CREATE TABLE prices (item STRING PRIMARY KEY, price INT) WITH (KAFKA_TOPIC='prices', VALUE_FORMAT='JSON');
CREATE STREAM carts (item STRING KEY, n INT) WITH (KAFKA_TOPIC='carts', VALUE_FORMAT='JSON');
CREATE STREAM joined AS SELECT c.item AS item, n, price FROM carts c JOIN prices p ON c.item = p.item;
INSERT INTO prices (ROWTIME, item, price) VALUES (500, 'pen', 3);
INSERT INTO carts (ROWTIME, item, n) VALUES (100, 'pen', 1);
INSERT INTO prices (ROWTIME, item, price) VALUES (50, 'pen', 4);
INSERT INTO carts (ROWTIME, item, n) VALUES (600, 'pen', 2);
ASSERT VALUES joined (ROWTIME, item, n, price) VALUES (100, 'pen', 1, 3);
ASSERT VALUES joined (ROWTIME, item, n, price) VALUES (600, 'pen', 2, 4);

--@test: rows without a key or a value join nothing, in a LEFT JOIN too
CREATE TABLE prices (item STRING PRIMARY KEY, price INT) WITH (KAFKA_TOPIC='prices', VALUE_FORMAT='JSON');
CREATE STREAM carts (item STRING KEY, n INT) WITH (KAFKA_TOPIC='carts', VALUE_FORMAT='JSON');
CREATE STREAM carts_text (item STRING KEY, line STRING) WITH (KAFKA_TOPIC='carts', VALUE_FORMAT='KAFKA');
CREATE STREAM joined AS SELECT c.item AS item, n, price FROM carts c LEFT JOIN prices p ON c.item = p.item;
INSERT INTO carts (n) VALUES (1);
INSERT INTO carts_text VALUES ('pen', NULL);
INSERT INTO carts VALUES ('pen', 2);
ASSERT VALUES joined VALUES ('pen', 2, NULL);

--@test: a join on a value column goes through a repartition topic
--@expected.log: an expression of the new key is NULL
CREATE TABLE users (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM orders (order_id STRING KEY, who INT, item STRING) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE STREAM joined AS SELECT o.who AS who, order_id, u.name AS name, item FROM orders o LEFT JOIN users u ON o.who = u.id;
INSERT INTO users VALUES (1, 'ann');
INSERT INTO orders VALUES ('o1', 1, 'pen');
INSERT INTO orders VALUES ('o2', 2, 'ink');
INSERT INTO orders VALUES ('o3', NULL, 'pad');
ASSERT STREAM joined (who INT KEY, order_id STRING, name STRING, item STRING);
ASSERT VALUES joined VALUES (1, 'o1', 'ann', 'pen');
ASSERT VALUES joined VALUES (2, 'o2', NULL, 'ink');

--@test: a join on an expression
CREATE TABLE users (id STRING PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM orders (order_id INT KEY, who STRING) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE STREAM joined AS SELECT u.id AS id, order_id, name FROM orders o JOIN users u ON LCASE(o.who) = u.id;
INSERT INTO users VALUES ('ann', 'Ann A.');
INSERT INTO orders VALUES (1, 'ANN');
INSERT INTO orders VALUES (2, 'BOB');
ASSERT VALUES joined VALUES ('ann', 1, 'Ann A.');

--@test: all columns of both, under the names of their sources
CREATE TABLE users (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM orders (id INT KEY, item STRING) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE STREAM joined AS SELECT * FROM orders o JOIN users u ON o.id = u.id;
INSERT INTO users VALUES (1, 'ann');
INSERT INTO orders VALUES (1, 'pen');
ASSERT STREAM joined (o_id INT KEY, o_item STRING, u_id INT, u_name STRING);
ASSERT VALUES joined VALUES (1, 'pen', 1, 'ann');

--@test: conditions on both sides, after the join
CREATE TABLE users (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM orders (id INT KEY, n INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE STREAM joined AS SELECT o.id AS id, n, name FROM orders o LEFT JOIN users u ON o.id = u.id WHERE n > 1 AND (name IS NULL OR name <> 'bob');
INSERT INTO users VALUES (1, 'ann');
INSERT INTO users VALUES (2, 'bob');
INSERT INTO orders VALUES (1, 1);
INSERT INTO orders VALUES (1, 2);
INSERT INTO orders VALUES (2, 3);
INSERT INTO orders VALUES (3, 4);
ASSERT VALUES joined VALUES (1, 2, 'ann');
ASSERT VALUES joined VALUES (3, 4, NULL);

--@test: a stream joined with two tables
CREATE TABLE users (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE TABLE items (item STRING PRIMARY KEY, price INT) WITH (KAFKA_TOPIC='items', VALUE_FORMAT='JSON');
CREATE STREAM orders (id INT KEY, item STRING) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE STREAM joined AS SELECT o.item AS item, name, price FROM orders o JOIN users u ON o.id = u.id JOIN items i ON o.item = i.item;
INSERT INTO users VALUES (1, 'ann');
INSERT INTO items VALUES ('pen', 3);
INSERT INTO orders VALUES (1, 'pen');
INSERT INTO orders VALUES (2, 'pen');
INSERT INTO orders VALUES (1, 'ink');
ASSERT VALUES joined VALUES ('pen', 'ann', 3);

--@test: groups of joined rows
CREATE TABLE users (id INT PRIMARY KEY, city STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM orders (id INT KEY, n INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE TABLE per_city AS SELECT city, SUM(n) AS n FROM orders o JOIN users u ON o.id = u.id GROUP BY city;
INSERT INTO users VALUES (1, 'x');
INSERT INTO users VALUES (2, 'x');
INSERT INTO orders VALUES (1, 1);
INSERT INTO orders VALUES (2, 2);
ASSERT VALUES per_city VALUES ('x', 1);
ASSERT VALUES per_city VALUES ('x', 3);

--@test: a join with the result of a query
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM probe (k STRING KEY, w INT) WITH (KAFKA_TOPIC='probe', VALUE_FORMAT='JSON');
CREATE TABLE counts AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;
CREATE STREAM joined AS SELECT p.k AS k, w, n FROM probe p LEFT JOIN counts c ON p.k = c.k;
INSERT INTO s VALUES ('a', 1);
INSERT INTO s VALUES ('a', 1);
INSERT INTO probe VALUES ('b', 7);
ASSERT VALUES joined VALUES ('b', 7, NULL);

--@test: sides of different types do not join
--@expected.message: BIGINT
CREATE TABLE users (id BIGINT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM orders (id INT KEY, n INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE STREAM joined AS SELECT o.id AS id, n, name FROM orders o JOIN users u ON o.id = u.id;

--@test: a stream joins a table by the table's key
--@expected.message: primary key
CREATE TABLE users (id INT PRIMARY KEY, boss INT) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM orders (id INT KEY, n INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE STREAM joined AS SELECT o.id AS id, n FROM orders o JOIN users u ON o.id = u.boss;

--@test: topics joined without repartitioning have as many partitions; the message names them
--@expected.message: partitions = 2 (topic orders_topic)
CREATE TABLE users (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users_topic', VALUE_FORMAT='JSON', PARTITIONS=3);
CREATE STREAM orders (id INT KEY, n INT) WITH (KAFKA_TOPIC='orders_topic', VALUE_FORMAT='JSON', PARTITIONS=2);
CREATE STREAM joined AS SELECT o.id AS id, n, name FROM orders o JOIN users u ON o.id = u.id;

--@test: where the key changes, the number of partitions does too
CREATE TABLE users (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users_topic', VALUE_FORMAT='JSON', PARTITIONS=3);
CREATE STREAM orders (id INT KEY, who INT) WITH (KAFKA_TOPIC='orders_topic', VALUE_FORMAT='JSON', PARTITIONS=2);
CREATE STREAM joined AS SELECT o.who AS who, o.id AS id, name FROM orders o JOIN users u ON o.who = u.id;
INSERT INTO users VALUES (1, 'ann');
INSERT INTO orders VALUES (5, 1);
ASSERT VALUES joined VALUES (1, 5, 'ann');

--@test: a table does not join a stream from the right
--@expected.error: statement
CREATE TABLE users (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM orders (id INT KEY, n INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE STREAM joined AS SELECT o.id AS id, n, name FROM users u JOIN orders o ON o.id = u.id;

--@test: WITHIN is for two streams
--@expected.message: WITHIN
CREATE TABLE users (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');
CREATE STREAM orders (id INT KEY, n INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE STREAM joined AS SELECT o.id AS id, n, name FROM orders o JOIN users u WITHIN 1 HOUR ON o.id = u.id;

--@test: keys in different formats meet through a repartition topic
CREATE TABLE t (a INT PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='t', FORMAT='JSON');
CREATE STREAM s (k INT KEY, w INT) WITH (KAFKA_TOPIC='s', KEY_FORMAT='KAFKA', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT s.k AS k, v, w FROM s LEFT JOIN t ON s.k = t.a;
INSERT INTO t VALUES (1, 5);
INSERT INTO s VALUES (1, 6);
ASSERT VALUES r VALUES (1, 5, 6);

--@test: a join has one condition
--@expected.error: statement
CREATE TABLE t (a INT PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='t', FORMAT='JSON');
CREATE STREAM s (k INT KEY, v INT) WITH (KAFKA_TOPIC='s', FORMAT='JSON');
CREATE STREAM r AS SELECT s.k, t.v FROM s JOIN t ON s.k = t.a AND s.v = t.v;

--@test: a table is not joined from the left by a stream on the right
--@expected.error: statement
CREATE TABLE t (a INT PRIMARY KEY, v INT) WITH (KAFKA_TOPIC='t', FORMAT='JSON');
CREATE STREAM s (k INT KEY, v INT) WITH (KAFKA_TOPIC='s', FORMAT='JSON');
CREATE STREAM r AS SELECT s.k, t.v FROM s RIGHT JOIN t ON s.k = t.a;

--@test: a table made by a query is joined as it is when the row comes
CREATE TABLE a (id INT PRIMARY KEY, x INT) WITH (KAFKA_TOPIC='a', VALUE_FORMAT='JSON');
CREATE TABLE b AS SELECT id, x * 2 AS x FROM a WHERE x > 0;
CREATE STREAM s (id INT KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT s.id AS id, v, x FROM s LEFT JOIN b ON s.id = b.id;
INSERT INTO a VALUES (1, 5);
INSERT INTO s VALUES (1, 1);
ASSERT VALUES r VALUES (1, 1, NULL);
