--@test: JSON holds every type, nested too, and writes each in its own form
CREATE STREAM every (k INT KEY, b BOOLEAN, i INT, l BIGINT, d DOUBLE, m DECIMAL(6, 2), s STRING, y BYTES, a ARRAY<INT>,
    p MAP<STRING, BIGINT>, r STRUCT<x INT, deep STRUCT<z ARRAY<STRING>>>, da DATE, t TIME, ts TIMESTAMP)
  WITH (KAFKA_TOPIC='every', VALUE_FORMAT='JSON');
CREATE STREAM every_text (k INT KEY, line STRING) WITH (KAFKA_TOPIC='every', VALUE_FORMAT='KAFKA');
CREATE STREAM copied AS SELECT * FROM every;
CREATE STREAM copied_text (k INT KEY, line STRING) WITH (KAFKA_TOPIC='COPIED', VALUE_FORMAT='KAFKA');
INSERT INTO every_text VALUES (1, '{"b":true,"i":-5,"l":9007199254740993,"d":1.5,"m":12.3,"s":"x","y":"AQI=","a":[1,null],"p":{"one":1},"r":{"x":7,"deep":{"z":["q"]}},"da":19000,"t":3723000,"ts":1700000000123}');
INSERT INTO every_text VALUES (2, '{"B":false,"unknown":{"skipped":[1,2]},"R":{},"S":null}');
INSERT INTO every_text VALUES (3, '{"i":"12","l":"-3","d":"2.25","m":"7","s":{"as":["text"]},"a":[],"p":{}}');
ASSERT VALUES copied VALUES (1, true, -5, 9007199254740993, 1.5, 12.30, 'x', 'AQI=', ARRAY[1, NULL], MAP('one' := 1),
    STRUCT(x := 7, deep := STRUCT(z := ARRAY['q'])), '2022-01-08', '01:02:03', '2023-11-14T22:13:20.123');
ASSERT VALUES copied (k, b, i, s, a, ts) VALUES (2, false, NULL, NULL, NULL, NULL);
ASSERT VALUES copied (k, i, l, d, m, s) VALUES (3, 12, -3, 2.25, 7.00, '{"as":["text"]}');
ASSERT VALUES copied_text VALUES (1, '{"B":true,"I":-5,"L":9007199254740993,"D":1.5,"M":12.30,"S":"x","Y":"AQI=","A":[1,null],"P":{"one":1},"R":{"X":7,"DEEP":{"Z":["q"]}},"DA":19000,"T":3723000,"TS":1700000000123}');
ASSERT VALUES copied_text VALUES (2, '{"B":false,"I":null,"L":null,"D":null,"M":null,"S":null,"Y":null,"A":null,"P":null,"R":{"X":null,"DEEP":null},"DA":null,"T":null,"TS":null}');
ASSERT VALUES copied_text VALUES (3, '{"B":null,"I":12,"L":-3,"D":2.25,"M":7.00,"S":"{\"as\":[\"text\"]}","Y":null,"A":[],"P":{},"R":null,"DA":null,"T":null,"TS":null}');
ASSERT STREAM copied (k INT KEY, b BOOLEAN, i INT, l BIGINT, d DOUBLE, m DECIMAL(6, 2), s STRING, y BYTES, a ARRAY<INT>,
    p MAP<STRING, BIGINT>, r STRUCT<x INT, deep STRUCT<z ARRAY<STRING>>>, da DATE, t TIME, ts TIMESTAMP)
  WITH (KAFKA_TOPIC='COPIED', KEY_FORMAT='KAFKA', VALUE_FORMAT='JSON');

--@test: DELIMITED writes each type as text and quotes what needs it
CREATE STREAM parts (k STRING KEY, b BOOLEAN, i INT, l BIGINT, d DOUBLE, m DECIMAL(5, 1), s STRING, y BYTES, da DATE, t TIME, ts TIMESTAMP)
  WITH (KAFKA_TOPIC='parts', VALUE_FORMAT='DELIMITED');
CREATE STREAM parts_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='parts', VALUE_FORMAT='KAFKA');
CREATE STREAM copied AS SELECT * FROM parts;
CREATE STREAM copied_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='COPIED', VALUE_FORMAT='KAFKA');
INSERT INTO parts VALUES ('a', true, 7, 8, 2.5, 3.5, 'left, right', 'AQI=', '2022-01-08', '01:02:03', '2023-11-14T22:13:20.123');
INSERT INTO parts VALUES ('b', false, -7, NULL, 1e300, -0.5, 'he said "no"', NULL, NULL, NULL, NULL);
INSERT INTO parts_text VALUES ('c', 'TRUE,1,2,3,4,"quoted, ""twice""",,0,0,0');
ASSERT VALUES copied_text VALUES ('a', 'true,7,8,2.5,3.5,"left, right",AQI=,19000,3723000,1700000000123');
ASSERT VALUES copied_text VALUES ('b', 'false,-7,,1.0E300,-0.5,"he said ""no""",,,,');
ASSERT VALUES copied_text VALUES ('c', 'true,1,2,3.0,4.0,"quoted, ""twice""",,0,0,0');

--@test: KAFKA writes numbers big-endian and text and bytes as they are
CREATE STREAM numbers (k STRING KEY, i INT, l BIGINT, d DOUBLE, s STRING, y BYTES) WITH (KAFKA_TOPIC='numbers', VALUE_FORMAT='JSON');
CREATE STREAM ints WITH (VALUE_FORMAT='KAFKA') AS SELECT k, i FROM numbers;
CREATE STREAM longs WITH (VALUE_FORMAT='KAFKA') AS SELECT k, l FROM numbers;
CREATE STREAM doubles WITH (VALUE_FORMAT='KAFKA') AS SELECT k, d FROM numbers;
CREATE STREAM texts WITH (VALUE_FORMAT='KAFKA') AS SELECT k, s FROM numbers;
CREATE STREAM blobs WITH (VALUE_FORMAT='KAFKA') AS SELECT k, y FROM numbers;
CREATE STREAM ints_bytes (k STRING KEY, y BYTES) WITH (KAFKA_TOPIC='INTS', VALUE_FORMAT='KAFKA');
CREATE STREAM longs_bytes (k STRING KEY, y BYTES) WITH (KAFKA_TOPIC='LONGS', VALUE_FORMAT='KAFKA');
CREATE STREAM doubles_bytes (k STRING KEY, y BYTES) WITH (KAFKA_TOPIC='DOUBLES', VALUE_FORMAT='KAFKA');
CREATE STREAM texts_bytes (k STRING KEY, y BYTES) WITH (KAFKA_TOPIC='TEXTS', VALUE_FORMAT='KAFKA');
CREATE STREAM blobs_bytes (k STRING KEY, y BYTES) WITH (KAFKA_TOPIC='BLOBS', VALUE_FORMAT='KAFKA');
INSERT INTO numbers VALUES ('n', 7, -1, 1.0, 'é', 'AAEC');
ASSERT VALUES ints_bytes VALUES ('n', 'AAAABw==');
ASSERT VALUES longs_bytes VALUES ('n', '//////////8=');
ASSERT VALUES doubles_bytes VALUES ('n', 'P/AAAAAAAAA=');
ASSERT VALUES texts_bytes VALUES ('n', 'w6k=');
ASSERT VALUES blobs_bytes VALUES ('n', 'AAEC');

--@test: keys of each primitive in KAFKA
CREATE STREAM ints (k INT KEY, v INT) WITH (KAFKA_TOPIC='ints', VALUE_FORMAT='JSON');
CREATE STREAM longs (k BIGINT KEY, v INT) WITH (KAFKA_TOPIC='longs', VALUE_FORMAT='JSON');
CREATE STREAM doubles (k DOUBLE KEY, v INT) WITH (KAFKA_TOPIC='doubles', VALUE_FORMAT='JSON');
CREATE STREAM int_copy AS SELECT * FROM ints;
CREATE STREAM long_copy AS SELECT * FROM longs;
CREATE STREAM double_copy AS SELECT * FROM doubles;
CREATE STREAM int_bytes (k BYTES KEY, v INT) WITH (KAFKA_TOPIC='INT_COPY', VALUE_FORMAT='JSON');
CREATE STREAM long_bytes (k BYTES KEY, v INT) WITH (KAFKA_TOPIC='LONG_COPY', VALUE_FORMAT='JSON');
CREATE STREAM double_bytes (k BYTES KEY, v INT) WITH (KAFKA_TOPIC='DOUBLE_COPY', VALUE_FORMAT='JSON');
INSERT INTO ints VALUES (-2, 1);
INSERT INTO longs VALUES (256, 2);
INSERT INTO doubles VALUES (-0.5, 3);
ASSERT VALUES int_bytes VALUES ('/////g==', 1);
ASSERT VALUES long_bytes VALUES ('AAAAAAAAAQA=', 2);
ASSERT VALUES double_bytes VALUES ('v+AAAAAAAAA=', 3);

--@test: one JSON key is bare, several are a record, DELIMITED joins them
CREATE STREAM one (a DECIMAL(4, 1) KEY, v INT) WITH (KAFKA_TOPIC='one', FORMAT='JSON');
CREATE STREAM pair (a INT KEY, b STRING KEY, v INT) WITH (KAFKA_TOPIC='pair', FORMAT='JSON');
CREATE STREAM one_copy AS SELECT * FROM one;
CREATE STREAM pair_copy AS SELECT * FROM pair;
CREATE STREAM pair_line WITH (KEY_FORMAT='DELIMITED') AS SELECT * FROM pair;
CREATE STREAM one_text (k STRING KEY, v INT) WITH (KAFKA_TOPIC='ONE_COPY', VALUE_FORMAT='JSON');
CREATE STREAM pair_text (k STRING KEY, v INT) WITH (KAFKA_TOPIC='PAIR_COPY', VALUE_FORMAT='JSON');
CREATE STREAM line_text (k STRING KEY, v INT) WITH (KAFKA_TOPIC='PAIR_LINE', VALUE_FORMAT='JSON');
INSERT INTO one VALUES (2.5, 1);
INSERT INTO pair VALUES (1, 'x', 2);
INSERT INTO pair VALUES (NULL, 'y', 3);
ASSERT VALUES one_text VALUES ('2.5', 1);
ASSERT VALUES pair_text VALUES ('{"A":1,"B":"x"}', 2);
ASSERT VALUES pair_text VALUES ('{"A":null,"B":"y"}', 3);
ASSERT VALUES line_text VALUES ('1,x', 2);
ASSERT VALUES line_text VALUES (',y', 3);

--@test: nested keys in JSON
CREATE STREAM nested (k STRUCT<id INT, tags ARRAY<STRING>> KEY, v INT) WITH (KAFKA_TOPIC='nested', FORMAT='JSON');
CREATE STREAM copied AS SELECT k, k->id AS id, v FROM nested;
INSERT INTO nested VALUES (STRUCT(id := 4, tags := ARRAY['p', 'q']), 9);
ASSERT VALUES copied VALUES (STRUCT(id := 4, tags := ARRAY['p', 'q']), 4, 9);

--@test: a custom type stands for the type it names
CREATE TYPE place AS STRUCT<lat DOUBLE, lon DOUBLE>;
CREATE STREAM trips (k STRING KEY, "from" place, via ARRAY<place>) WITH (KAFKA_TOPIC='trips', VALUE_FORMAT='JSON');
CREATE STREAM starts AS SELECT k, "from"->lat AS lat, via[1]->lon AS lon FROM trips;
INSERT INTO trips VALUES ('t', STRUCT(lat := 1.5, lon := 2.5), ARRAY[STRUCT(lat := 3.0, lon := 4.0)]);
ASSERT VALUES starts VALUES ('t', 1.5, 4.0);
ASSERT STREAM trips (k STRING KEY, "from" STRUCT<lat DOUBLE, lon DOUBLE>, via ARRAY<STRUCT<lat DOUBLE, lon DOUBLE>>) WITH (VALUE_FORMAT='JSON');

--@test: a MAP is no key
--@expected.message: MAP
CREATE STREAM maps (k MAP<STRING, INT> KEY, v INT) WITH (KAFKA_TOPIC='maps', FORMAT='JSON');

--@test: KAFKA holds one column
--@expected.message: KAFKA
CREATE STREAM wide (k STRING KEY, a INT, b INT) WITH (KAFKA_TOPIC='wide', VALUE_FORMAT='KAFKA');

--@test: KAFKA holds no DECIMAL
--@expected.message: DECIMAL
CREATE STREAM money (k STRING KEY, a DECIMAL(4, 2)) WITH (KAFKA_TOPIC='money', VALUE_FORMAT='KAFKA');

--@test: DELIMITED holds no ARRAY
--@expected.message: ARRAY
CREATE STREAM lists (k STRING KEY, a ARRAY<INT>) WITH (KAFKA_TOPIC='lists', VALUE_FORMAT='DELIMITED');

--@test: a DECIMAL needs as many digits as its scale
--@expected.error: statement
CREATE STREAM money (k STRING KEY, a DECIMAL(2, 3)) WITH (KAFKA_TOPIC='money', VALUE_FORMAT='JSON');

--@test: numbers keep their range and their digits
CREATE STREAM limits (k STRING KEY, i INT, l BIGINT, d DOUBLE, m DECIMAL(38, 10), big DECIMAL(60, 5)) WITH (KAFKA_TOPIC='limits', VALUE_FORMAT='JSON');
CREATE STREAM copied AS SELECT * FROM limits;
CREATE STREAM copied_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='COPIED', VALUE_FORMAT='KAFKA');
INSERT INTO limits VALUES ('most', 2147483647, 9223372036854775807, 1.7976931348623157e308, 1234567890123456789012345678.0123456789, 1234567890123456789012345678901234567890123456789012345.54321);
INSERT INTO limits VALUES ('least', -2147483648, -9223372036854775807, -4.9e-324, -0.0000000001, -0.00001);
INSERT INTO limits VALUES ('plain', 0, 0, 100, 1, 1);
ASSERT VALUES copied_text VALUES ('most', '{"I":2147483647,"L":9223372036854775807,"D":1.7976931348623157E308,"M":1234567890123456789012345678.0123456789,"BIG":1234567890123456789012345678901234567890123456789012345.54321}');
ASSERT VALUES copied_text VALUES ('least', '{"I":-2147483648,"L":-9223372036854775807,"D":-4.9E-324,"M":-0.0000000001,"BIG":-0.00001}');
ASSERT VALUES copied_text VALUES ('plain', '{"I":0,"L":0,"D":100.0,"M":1.0000000000,"BIG":1.00000}');

--@test: the keys of a MAP in JSON are text
--@expected.message: MAP
CREATE STREAM s (k INT KEY, w MAP<INT, INT>) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');

--@test: a dropped type is no type
--@expected.error: statement
CREATE TYPE p AS STRUCT<x INT>;
DROP TYPE p;
CREATE STREAM s (k INT KEY, w p) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');

--@test: JSON numbers and texts in each other's places
CREATE STREAM s (id INT KEY, i INT, l BIGINT, d DOUBLE, s STRING, b BOOLEAN) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM t (id INT KEY, x STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='KAFKA');
CREATE STREAM r AS SELECT * FROM s;
INSERT INTO t VALUES (1, '{"i": 1.9, "l": 1e3, "d": 5, "s": 1.50, "b": null}');
INSERT INTO t VALUES (2, '{"i": -1.9, "l": "12", "d": "1e2", "s": true, "b": false}');
INSERT INTO t VALUES (3, 'null');
ASSERT VALUES r VALUES (1, 1, 1000, 5.0, '1.50', NULL);
ASSERT VALUES r VALUES (2, -1, 12, 100.0, 'true', false);
ASSERT NULL VALUES r (id) KEY (3);
