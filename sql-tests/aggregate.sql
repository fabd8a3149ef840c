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

--@test: NULLs do not count, but their rows do
CREATE STREAM sales (shop STRING KEY, amount INT, price DOUBLE) WITH (KAFKA_TOPIC='sales', VALUE_FORMAT='JSON');
CREATE TABLE totals AS SELECT shop, COUNT(*) AS n, COUNT(amount) AS c, SUM(amount) AS total, AVG(price) AS mean, MIN(amount) AS low, MAX(price) AS high
  FROM sales GROUP BY shop;
INSERT INTO sales VALUES ('a', NULL, NULL);
INSERT INTO sales VALUES ('a', 3, 1.5);
INSERT INTO sales VALUES ('a', NULL, 2.5);
ASSERT VALUES totals VALUES ('a', 1, 0, 0, 0.0, NULL, NULL);
ASSERT VALUES totals VALUES ('a', 2, 1, 3, 1.5, 3, 1.5);
ASSERT VALUES totals VALUES ('a', 3, 1, 3, 2.0, 3, 2.5);

--@test: sums and extremes of each type
CREATE STREAM s (k STRING KEY, i INT, l BIGINT, d DOUBLE, m DECIMAL(4, 2), t STRING, da DATE, ts TIMESTAMP, ti TIME) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, SUM(i) AS i, SUM(l) AS l, SUM(d) AS d, SUM(m) AS m, MAX(t) AS t, MIN(da) AS da, MAX(ts) AS ts, MIN(m) AS mm, MAX(ti) AS ti FROM s GROUP BY k;
INSERT INTO s VALUES ('a', 2147483647, 1, 0.5, 1.25, 'b', '2020-01-02', '2020-01-01T00:00:00', '10:00');
INSERT INTO s VALUES ('a', 1, 2, 0.25, 98.00, 'a', '2020-01-01', '2020-01-01T00:00:00.001', '09:59');
ASSERT STREAM s (k STRING KEY, i INT, l BIGINT, d DOUBLE, m DECIMAL(4, 2), t STRING, da DATE, ts TIMESTAMP, ti TIME);
ASSERT TABLE r (k STRING PRIMARY KEY, i INT, l BIGINT, d DOUBLE, m DECIMAL(4, 2), t STRING, da DATE, ts TIMESTAMP, mm DECIMAL(4, 2), ti TIME);
ASSERT VALUES r VALUES ('a', 2147483647, 1, 0.5, 1.25, 'b', '2020-01-02', '2020-01-01T00:00:00.000', 1.25, '10:00');
ASSERT VALUES r VALUES ('a', -2147483648, 3, 0.75, 99.25, 'b', '2020-01-01', '2020-01-01T00:00:00.001', 1.25, '10:00');

--@test: grouping by another column goes through a repartition topic
--@expected.log: an expression of the new key is NULL
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

--@test: by several columns, in the order written
CREATE STREAM s (k STRING KEY, a INT, b STRING, v INT) WITH (KAFKA_TOPIC='s', FORMAT='JSON');
CREATE TABLE r AS SELECT b, a, SUM(v) AS total FROM s GROUP BY b, a;
CREATE STREAM r_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='R', VALUE_FORMAT='KAFKA');
INSERT INTO s VALUES ('x', 1, 'p', 10);
INSERT INTO s VALUES ('y', 1, 'p', 20);
INSERT INTO s VALUES ('y', 2, 'p', 5);
ASSERT TABLE r (b STRING PRIMARY KEY, a INT PRIMARY KEY, total INT);
ASSERT VALUES r VALUES ('p', 1, 10);
ASSERT VALUES r VALUES ('p', 1, 30);
ASSERT VALUES r VALUES ('p', 2, 5);
ASSERT VALUES r_text VALUES ('{"B":"p","A":1}', '{"TOTAL":10}');
ASSERT VALUES r_text VALUES ('{"B":"p","A":1}', '{"TOTAL":30}');
ASSERT VALUES r_text VALUES ('{"B":"p","A":2}', '{"TOTAL":5}');

--@test: by expressions, which may be projected in expressions again
--@expected.log: (V / 0)
--@expected.log: an expression of the new key is NULL
CREATE STREAM s (k STRING KEY, v INT, t STRUCT<c STRING>) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT v % 2 AS odd, COUNT(*) AS n, CASE WHEN v % 2 = 0 THEN 'even' ELSE 'odd' END AS name FROM s GROUP BY v % 2;
CREATE TABLE q AS SELECT t->c AS c, SUM(v) + 1 AS more FROM s GROUP BY t->c;
CREATE TABLE failing AS SELECT v / 0 AS x, COUNT(*) AS n FROM s GROUP BY v / 0;
INSERT INTO s VALUES ('a', 3, STRUCT(c := 'x'));
INSERT INTO s VALUES ('b', 4, STRUCT(c := 'x'));
INSERT INTO s VALUES ('c', 5, STRUCT(c := 'y'));
ASSERT VALUES r VALUES (1, 1, 'odd');
ASSERT VALUES r VALUES (0, 1, 'even');
ASSERT VALUES r VALUES (1, 2, 'odd');
ASSERT VALUES q VALUES ('x', 4);
ASSERT VALUES q VALUES ('x', 8);
ASSERT VALUES q VALUES ('y', 6);

--@test: HAVING takes a row out again with a tombstone
CREATE STREAM moves (account STRING KEY, amount INT) WITH (KAFKA_TOPIC='moves', VALUE_FORMAT='JSON');
CREATE TABLE in_debt AS SELECT account, SUM(amount) AS balance FROM moves GROUP BY account HAVING SUM(amount) < 0;
INSERT INTO moves VALUES ('a', -5);
INSERT INTO moves VALUES ('a', 20);
INSERT INTO moves VALUES ('a', -1);
INSERT INTO moves VALUES ('a', -30);
ASSERT VALUES in_debt VALUES ('a', -5);
ASSERT NULL VALUES in_debt (account) KEY ('a');
ASSERT VALUES in_debt VALUES ('a', -16);

--@test: WHERE comes before, HAVING after, on aggregates that are not selected
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, SUM(v) AS total FROM s WHERE v > 0 GROUP BY k HAVING COUNT(*) > 1 AND k <> 'c';
INSERT INTO s VALUES ('a', 1);
INSERT INTO s VALUES ('a', -5);
INSERT INTO s VALUES ('a', 2);
INSERT INTO s VALUES ('c', 2);
INSERT INTO s VALUES ('c', 2);
ASSERT VALUES r VALUES ('a', 3);

--@test: lists, sets, and the first and last
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, COLLECT_LIST(v) AS l, COLLECT_SET(v) AS s, EARLIEST_BY_OFFSET(v) AS e, LATEST_BY_OFFSET(v) AS la, LATEST_BY_OFFSET(v, false) AS ln, EARLIEST_BY_OFFSET(v, 2) AS e2, LATEST_BY_OFFSET(v, 2) AS l2 FROM s GROUP BY k;
INSERT INTO s VALUES ('a', 1);
INSERT INTO s VALUES ('a', NULL);
INSERT INTO s VALUES ('a', 3);
INSERT INTO s VALUES ('a', 1);
ASSERT VALUES r VALUES ('a', ARRAY[1], ARRAY[1], 1, 1, 1, ARRAY[1], ARRAY[1]);
ASSERT VALUES r VALUES ('a', ARRAY[1, NULL], ARRAY[1, NULL], 1, 1, NULL, ARRAY[1], ARRAY[1]);
ASSERT VALUES r VALUES ('a', ARRAY[1, NULL, 3], ARRAY[1, NULL, 3], 1, 3, 3, ARRAY[1, 3], ARRAY[1, 3]);
ASSERT VALUES r VALUES ('a', ARRAY[1, NULL, 3, 1], ARRAY[1, NULL, 3], 1, 1, 1, ARRAY[1, 3], ARRAY[3, 1]);

--@test: the largest, with and without repetition, and with the rows' other columns
CREATE STREAM s (k STRING KEY, v INT, w STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, TOPK(v, 2) AS t, TOPKDISTINCT(v, 2) AS d, TOPK(v, w, 2) AS rows_ FROM s GROUP BY k;
INSERT INTO s VALUES ('a', 5, 'p');
INSERT INTO s VALUES ('a', 5, 'q');
INSERT INTO s VALUES ('a', NULL, 'r');
INSERT INTO s VALUES ('a', 7, 's');
ASSERT VALUES r VALUES ('a', ARRAY[5], ARRAY[5], ARRAY[STRUCT("sort_col" := 5, "col0" := 'p')]);
ASSERT VALUES r VALUES ('a', ARRAY[5, 5], ARRAY[5], ARRAY[STRUCT("sort_col" := 5, "col0" := 'p'), STRUCT("sort_col" := 5, "col0" := 'q')]);
ASSERT VALUES r VALUES ('a', ARRAY[5, 5], ARRAY[5], ARRAY[STRUCT("sort_col" := 5, "col0" := 'p'), STRUCT("sort_col" := 5, "col0" := 'q')]);
ASSERT VALUES r VALUES ('a', ARRAY[7, 5], ARRAY[7, 5], ARRAY[STRUCT("sort_col" := 7, "col0" := 's'), STRUCT("sort_col" := 5, "col0" := 'p')]);

--@test: statistics
CREATE STREAM s (k STRING KEY, x INT, y INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, STDDEV_SAMPLE(x) AS sd, STDDEV_SAMP(x) AS variance, COUNT_DISTINCT(y) AS d FROM s GROUP BY k;
CREATE TABLE c AS SELECT k, CORRELATION(x, y) AS c FROM s GROUP BY k;
INSERT INTO s VALUES ('a', 2, 4);
INSERT INTO s VALUES ('a', 4, 8);
INSERT INTO s VALUES ('a', 6, 12);
ASSERT VALUES r VALUES ('a', 0.0, 0.0, 1);
ASSERT VALUES r VALUES ('a', 1.4142135623730951, 2.0, 2);
ASSERT VALUES r VALUES ('a', 2.0, 4.0, 3);
ASSERT VALUES c VALUES ('a', CAST('NaN' AS DOUBLE));
ASSERT VALUES c VALUES ('a', 1.0);
ASSERT VALUES c VALUES ('a', 1.0);

--@test: histogram, sum of lists, and one value for all
CREATE STREAM s (k STRING KEY, t STRING, l ARRAY<INT>) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, HISTOGRAM(t) AS h, SUM_LIST(l) AS sl, ATTR(t) AS a FROM s GROUP BY k;
INSERT INTO s VALUES ('a', 'x', ARRAY[1, 2]);
INSERT INTO s VALUES ('a', 'x', ARRAY[NULL, 4]);
INSERT INTO s VALUES ('a', 'y', NULL);
ASSERT VALUES r VALUES ('a', MAP('x' := 1), 3, 'x');
ASSERT VALUES r VALUES ('a', MAP('x' := 2), 7, 'x');
ASSERT VALUES r VALUES ('a', MAP('x' := 2, 'y' := 1), 7, NULL);

--@test: aggregates in expressions, and of expressions
CREATE STREAM s (k STRING KEY, v INT, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, SUM(v * w) / COUNT(*) AS mean, CAST(MAX(v) AS STRING) || '!' AS text, k || '/' || CAST(COUNT(*) AS STRING) AS label FROM s GROUP BY k;
INSERT INTO s VALUES ('a', 2, 3);
INSERT INTO s VALUES ('a', 4, 2);
ASSERT VALUES r VALUES ('a', 6, '2!', 'a/1');
ASSERT VALUES r VALUES ('a', 7, '4!', 'a/2');

--@test: rows without a value are not aggregated
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM s_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='KAFKA');
CREATE TABLE r AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;
INSERT INTO s VALUES ('a', 1);
INSERT INTO s_text VALUES ('a', NULL);
INSERT INTO s VALUES ('a', 1);
ASSERT VALUES r VALUES ('a', 1);
ASSERT VALUES r VALUES ('a', 2);

--@test: rows without a key are not aggregated by it
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;
INSERT INTO s (v) VALUES (1);
INSERT INTO s VALUES ('a', 1);
ASSERT VALUES r VALUES ('a', 1);

--@test: the time of a group is that of its latest row
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, COUNT(*) AS n FROM s GROUP BY k;
INSERT INTO s (ROWTIME, k, v) VALUES (50, 'a', 1);
INSERT INTO s (ROWTIME, k, v) VALUES (20, 'a', 1);
INSERT INTO s (ROWTIME, k, v) VALUES (70, 'a', 1);
ASSERT VALUES r (ROWTIME, k, n) VALUES (50, 'a', 1);
ASSERT VALUES r (ROWTIME, k, n) VALUES (50, 'a', 2);
ASSERT VALUES r (ROWTIME, k, n) VALUES (70, 'a', 3);

--@test: a value whose sum does not fit the DECIMAL is left out of it
--@expected.log: SUM
CREATE STREAM s (k STRING KEY, m DECIMAL(3, 1)) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, SUM(m) AS t, COUNT(*) AS n FROM s GROUP BY k;
INSERT INTO s VALUES ('a', 60.0);
INSERT INTO s VALUES ('a', 60.0);
INSERT INTO s VALUES ('a', 30.0);
ASSERT VALUES r VALUES ('a', 60.0, 1);
ASSERT VALUES r VALUES ('a', 60.0, 2);
ASSERT VALUES r VALUES ('a', 90.0, 3);

--@test: a column that is neither grouped nor aggregated is refused
--@expected.message: W
CREATE STREAM s (k STRING KEY, v INT, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, w, COUNT(*) AS n FROM s GROUP BY k;

--@test: aggregates do not nest
--@expected.message: nested
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, SUM(COUNT(*)) AS n FROM s GROUP BY k;

--@test: aggregates are not for WHERE
--@expected.message: WHERE
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, COUNT(*) AS n FROM s WHERE COUNT(*) > 1 GROUP BY k;

--@test: a grouping column must be selected
--@expected.message: grouping expression K
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT COUNT(*) AS n, SUM(v) AS t FROM s GROUP BY k;

--@test: the number of places must be written out
--@expected.message: literal
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, TOPK(v, v) AS n FROM s GROUP BY k;

--@test: what needs a list for its state does not go with DELIMITED values
--@expected.message: intermediate type
CREATE STREAM s (k STRING KEY, v INT, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='DELIMITED');
CREATE TABLE r AS SELECT k, LATEST_BY_OFFSET(v) AS last FROM s GROUP BY k;

--@test: the others do
CREATE STREAM s (k STRING KEY, v INT, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='DELIMITED');
CREATE TABLE r AS SELECT k, SUM(v) AS total, COUNT(*) AS n, MAX(w) AS most FROM s GROUP BY k;
INSERT INTO s VALUES ('a', 1, 2);
INSERT INTO s VALUES ('a', 3, 1);
ASSERT VALUES r VALUES ('a', 1, 1, 2);
ASSERT VALUES r VALUES ('a', 4, 2, 2);

--@test: rows without a key are grouped by an expression
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT CAST(v AS STRING) AS vs, COUNT(*) AS n, LATEST_BY_OFFSET(k) AS k FROM s WHERE v IS NOT NULL GROUP BY CAST(v AS STRING);
INSERT INTO s (k, v) VALUES ('a', 1);
INSERT INTO s (k, v) VALUES (NULL, 1);
INSERT INTO s (k, v) VALUES ('b', NULL);
ASSERT VALUES r VALUES ('1', 1, 'a');
ASSERT VALUES r VALUES ('1', 2, 'a');

--@test: the mean of DECIMALs is a DOUBLE
CREATE STREAM s (k INT KEY, m DECIMAL(4, 2)) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, AVG(m) AS mean FROM s GROUP BY k;
INSERT INTO s VALUES (1, 1.25);
INSERT INTO s VALUES (1, 1.50);
ASSERT TABLE r (k INT PRIMARY KEY, mean DOUBLE);
ASSERT VALUES r VALUES (1, 1.25);
ASSERT VALUES r VALUES (1, 1.375);

--@test: an alias is no grouping expression
--@expected.error: statement
CREATE STREAM s (id INT KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT v + 1 AS w, COUNT(*) AS n FROM s GROUP BY w;
