--@test: a filter keeps the rows for which it is true
CREATE STREAM readings (sensor STRING KEY, degrees DOUBLE, place STRING) WITH (KAFKA_TOPIC='readings', VALUE_FORMAT='JSON');
CREATE STREAM hot AS SELECT sensor, degrees FROM readings WHERE degrees > 30;
INSERT INTO readings (sensor, degrees, place) VALUES ('a', 31.5, 'attic');
INSERT INTO readings (sensor, degrees, place) VALUES ('b', 20, 'cellar');
INSERT INTO readings (sensor, place) VALUES ('c', 'no value: a comparison with NULL is false');
INSERT INTO readings (sensor, degrees) VALUES ('d', 99.0);
ASSERT VALUES hot (sensor, degrees) VALUES ('a', 31.5);
ASSERT VALUES hot (sensor, degrees) VALUES ('d', 99.0);
ASSERT STREAM hot (sensor STRING KEY, degrees DOUBLE) WITH (KAFKA_TOPIC='HOT');

--@test: CASE, CAST, LIKE, BETWEEN, IN and IS NULL in one projection
CREATE STREAM items (id INT KEY, name STRING, n INT) WITH (KAFKA_TOPIC='items', VALUE_FORMAT='JSON');
CREATE STREAM judged AS SELECT id,
    CASE WHEN n < 10 THEN 'few' WHEN n < 100 THEN 'some' ELSE 'many' END AS amount,
    CAST(n AS STRING) AS text,
    name LIKE 'b%' AS starts_with_b,
    n BETWEEN 5 AND 15 AS middling,
    name IN ('pear', 'plum') AS fruit,
    n IS NULL AS unknown
  FROM items;
INSERT INTO items VALUES (1, 'bolt', 7);
INSERT INTO items VALUES (2, 'pear', 50);
INSERT INTO items VALUES (3, 'plum', NULL);
ASSERT VALUES judged VALUES (1, 'few', '7', true, true, false, false);
ASSERT VALUES judged VALUES (2, 'some', '50', false, false, true, false);
ASSERT VALUES judged VALUES (3, 'many', NULL, false, false, true, true);

--@test: arrays, maps and structs are read and built
CREATE STREAM nested (k STRING KEY, items ARRAY<INT>, tags MAP<STRING, STRING>, spot STRUCT<x INT, y INT>)
  WITH (KAFKA_TOPIC='nested', VALUE_FORMAT='JSON');
CREATE STREAM flat AS SELECT k, items[1] AS first, items[-1] AS last, tags['colour'] AS colour, spot->x AS x,
    ARRAY[spot->x, spot->y] AS pair, STRUCT(sum := spot->x + spot->y) AS total
  FROM nested;
INSERT INTO nested VALUES ('a', ARRAY[1, 2, 3], MAP('colour' := 'red'), STRUCT(x := 4, y := 5));
ASSERT VALUES flat VALUES ('a', 1, 3, 'red', 4, ARRAY[4, 5], STRUCT(sum := 9));
