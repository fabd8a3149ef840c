--@test: counts and sums by the key, every change emitted
CREATE STREAM sales (shop STRING KEY, amount INT) WITH (KAFKA_TOPIC='sales', VALUE_FORMAT='JSON');
CREATE TABLE totals AS SELECT shop, COUNT(*) AS n, SUM(amount) AS total, AVG(amount) AS mean, MIN(amount) AS low, MAX(amount) AS high
  FROM sales GROUP BY shop;
INSERT INTO sales VALUES ('north', 10);
INSERT INTO sales VALUES ('south', 1);
INSERT INTO sales VALUES ('north', 30);
ASSERT VALUES totals VALUES ('north', 1, 10, 10.0, 10, 10);
ASSERT VALUES totals VALUES ('south', 1, 1, 1.0, 1, 1);
ASSERT VALUES totals VALUES ('north', 2, 40, 20.0, 10, 30);

--@test: grouping by another column goes through a repartition topic
CREATE STREAM orders (id INT KEY, customer STRING, item STRING) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');
CREATE TABLE per_customer AS SELECT customer, COUNT(*) AS n, COLLECT_LIST(item) AS items, LATEST_BY_OFFSET(item) AS latest
  FROM orders GROUP BY customer;
INSERT INTO orders VALUES (1, 'ann', 'pen');
INSERT INTO orders VALUES (2, 'bob', 'ink');
INSERT INTO orders VALUES (3, 'ann', 'pad');
INSERT INTO orders VALUES (4, NULL, 'dropped: no customer');
ASSERT VALUES per_customer VALUES ('ann', 1, ARRAY['pen'], 'pen');
ASSERT VALUES per_customer VALUES ('bob', 1, ARRAY['ink'], 'ink');
ASSERT VALUES per_customer VALUES ('ann', 2, ARRAY['pen', 'pad'], 'pad');

--@test: HAVING takes a row out again with a tombstone
CREATE STREAM moves (account STRING KEY, amount INT) WITH (KAFKA_TOPIC='moves', VALUE_FORMAT='JSON');
CREATE TABLE in_debt AS SELECT account, SUM(amount) AS balance FROM moves GROUP BY account HAVING SUM(amount) < 0;
INSERT INTO moves VALUES ('a', -5);
INSERT INTO moves VALUES ('a', 20);
ASSERT VALUES in_debt VALUES ('a', -5);
ASSERT NULL VALUES in_debt (account) KEY ('a');
