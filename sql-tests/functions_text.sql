--@test: case, length and blanks
CREATE STREAM v (k STRING KEY, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, UCASE(s) AS u, LCASE(s) AS l, INITCAP(s) AS i, LEN(s) AS n, TRIM(s) AS t FROM v;
INSERT INTO v VALUES ('a', '  the Quick fOX ');
INSERT INTO v VALUES ('b', 'Straße 😀');
INSERT INTO v VALUES ('c', NULL);
INSERT INTO v VALUES ('d', '');
ASSERT VALUES r VALUES ('a', '  THE QUICK FOX ', '  the quick fox ', 'The Quick Fox ', 16, 'the Quick fOX');
ASSERT VALUES r VALUES ('b', 'STRASSE 😀', 'straße 😀', 'Straße 😀', 9, 'Straße 😀');
ASSERT VALUES r VALUES ('c', NULL, NULL, NULL, NULL, NULL);
ASSERT VALUES r VALUES ('d', '', '', '', 0, '');

--@test: joining texts
CREATE STREAM v (k STRING KEY, a STRING, b STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, CONCAT(a, '-', b) AS c, CONCAT_WS(', ', a, b, 'z') AS w, a || b AS p, LPAD(a, 5, '*') AS l, RPAD(a, 2, '*') AS r FROM v;
INSERT INTO v VALUES ('x', 'abc', 'd');
INSERT INTO v VALUES ('y', 'abc', NULL);
INSERT INTO v VALUES ('z', NULL, NULL);
ASSERT VALUES r VALUES ('x', 'abc-d', 'abc, d, z', 'abcd', '**abc', 'ab');
ASSERT VALUES r VALUES ('y', 'abc-', 'abc, z', 'abc', '**abc', 'ab');
ASSERT VALUES r VALUES ('z', '-', 'z', '', NULL, NULL);

--@test: parts of texts
CREATE STREAM v (k STRING KEY, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, SUBSTRING(s, 2) AS a, SUBSTRING(s, 2, 3) AS b, SUBSTRING(s, -3) AS c, SUBSTRING(s, 0, 2) AS d, SUBSTRING(s, 99) AS e, INSTR(s, 'o') AS i, INSTR(s, 'o', 6) AS i6, INSTR(s, 'o', -1) AS ib, INSTR(s, 'o', 1, 2) AS i2,
    REPLACE(s, 'l', 'L') AS rep FROM v;
INSERT INTO v VALUES ('x', 'hello world');
INSERT INTO v VALUES ('y', NULL);
ASSERT VALUES r VALUES ('x', 'ello world', 'ell', 'rld', 'he', '', 5, 8, 8, 8, 'heLLo worLd');
ASSERT VALUES r VALUES ('y', NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL);

--@test: splitting
CREATE STREAM v (k STRING KEY, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, SPLIT(s, ',') AS a, SPLIT(s, '') AS c, SPLIT_TO_MAP(s, ',', '=') AS m, REGEXP_SPLIT_TO_ARRAY(s, '[=,]') AS x FROM v;
INSERT INTO v VALUES ('x', 'a=1,b=2,c');
INSERT INTO v VALUES ('y', ',');
INSERT INTO v VALUES ('z', NULL);
ASSERT VALUES r VALUES ('x', ARRAY['a=1', 'b=2', 'c'], ARRAY['a', '=', '1', ',', 'b', '=', '2', ',', 'c'], MAP('a' := '1', 'b' := '2'), ARRAY['a', '1', 'b', '2', 'c']);
ASSERT VALUES r (k, a, c, x) VALUES ('y', ARRAY['', ''], ARRAY[','], ARRAY['', '']);
ASSERT VALUES r VALUES ('z', NULL, NULL, NULL, NULL);

--@test: choosing among texts
CREATE STREAM v (k STRING KEY, i INT, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, ELT(i, 'a', s, 'c') AS e, FIELD(s, 'x', 'y') AS f, CHR(i + 64) AS c FROM v;
INSERT INTO v VALUES ('a', 2, 'y');
INSERT INTO v VALUES ('b', 4, 'q');
INSERT INTO v VALUES ('c', 1, NULL);
ASSERT VALUES r VALUES ('a', 'y', 2, 'B');
ASSERT VALUES r VALUES ('b', NULL, 0, 'D');
ASSERT VALUES r VALUES ('c', 'a', 0, 'A');

--@test: masks
CREATE STREAM v (k STRING KEY, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, MASK(s) AS m, MASK(s, '*', NULL, '#', NULL) AS o, MASK_LEFT(s, 3) AS l, MASK_RIGHT(s, 3) AS r, MASK_KEEP_LEFT(s, 3) AS kl, MASK_KEEP_RIGHT(s, 3) AS kr FROM v;
INSERT INTO v VALUES ('a', 'Ab3-yZ');
INSERT INTO v VALUES ('b', NULL);
ASSERT VALUES r VALUES ('a', 'Xxn-xX', '*b#-y*', 'Xxn-yZ', 'Ab3-xX', 'Ab3-xX', 'Xxn-yZ');
ASSERT VALUES r VALUES ('b', NULL, NULL, NULL, NULL, NULL, NULL);

--@test: regular expressions
CREATE STREAM v (k STRING KEY, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, REGEXP_EXTRACT('[0-9]+', s) AS d, REGEXP_EXTRACT('([a-z]+)([0-9]+)', s, 2) AS g, REGEXP_EXTRACT_ALL('[0-9]', s) AS a, REGEXP_REPLACE(s, '([a-z])([0-9])', '$2$1') AS x FROM v;
INSERT INTO v VALUES ('a', 'ab12 c3');
INSERT INTO v VALUES ('b', 'none');
INSERT INTO v VALUES ('c', NULL);
ASSERT VALUES r VALUES ('a', '12', '12', ARRAY['1', '2', '3'], 'a1b2 3c');
ASSERT VALUES r (k, d, g, x) VALUES ('b', NULL, NULL, 'none');
ASSERT VALUES r VALUES ('c', NULL, NULL, NULL, NULL);

--@test: bytes and their encodings
CREATE STREAM v (k STRING KEY, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, TO_BYTES(s, 'utf8') AS y, FROM_BYTES(TO_BYTES(s, 'utf8'), 'hex') AS h, ENCODE(s, 'utf8', 'hex') AS e, ENCODE(s, 'ascii', 'base64') AS b, LEN(TO_BYTES(s, 'utf8')) AS n,
    CONCAT(TO_BYTES(s, 'utf8'), TO_BYTES('00', 'hex')) AS c, SUBSTRING(TO_BYTES(s, 'utf8'), 2, 1) AS p, MD5(s) AS m FROM v;
INSERT INTO v VALUES ('a', 'jk');
INSERT INTO v VALUES ('b', NULL);
ASSERT VALUES r VALUES ('a', 'ams=', '6A6B', '6a6b', 'ams=', 2, 'amsA', 'aw==', '051a9911de7b5bbc610b76f4eda834a0');
ASSERT VALUES r (k, y, h, e, b, n, m) VALUES ('b', NULL, NULL, NULL, NULL, NULL, NULL);

--@test: a bad encoding is the column's error
--@expected.log: Error computing expression
CREATE STREAM v (k STRING KEY, s STRING, e STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, TO_BYTES(s, e) AS y FROM v;
INSERT INTO v VALUES ('a', 'zz', 'hex');
INSERT INTO v VALUES ('b', 'zz', 'rot13');
INSERT INTO v VALUES ('c', 'zz', 'ascii');
ASSERT VALUES r VALUES ('a', NULL);
ASSERT VALUES r VALUES ('b', NULL);
ASSERT VALUES r VALUES ('c', 'eno=');

--@test: URLs
CREATE STREAM v (k STRING KEY, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, URL_EXTRACT_PROTOCOL(s) AS p, URL_EXTRACT_HOST(s) AS h, URL_EXTRACT_PORT(s) AS n, URL_EXTRACT_PATH(s) AS pa, URL_EXTRACT_QUERY(s) AS q, URL_EXTRACT_PARAMETER(s, 'b') AS b, URL_EXTRACT_FRAGMENT(s) AS f,
    URL_ENCODE_PARAM('a b&ü') AS e, URL_DECODE_PARAM('a+b%26') AS d FROM v;
INSERT INTO v VALUES ('a', 'https://example.org:8443/x/y?a=1&b=two#top');
INSERT INTO v VALUES ('b', 'http://example.org');
INSERT INTO v VALUES ('c', NULL);
ASSERT VALUES r VALUES ('a', 'https', 'example.org', 8443, '/x/y', 'a=1&b=two', 'two', 'top', 'a+b%26%C3%BC', 'a b&');
ASSERT VALUES r (k, p, h, n, q, b, f) VALUES ('b', 'http', 'example.org', NULL, NULL, NULL, NULL);
ASSERT VALUES r (k, p, h, n, pa, q, b, f) VALUES ('c', NULL, NULL, NULL, NULL, NULL, NULL, NULL);

--@test: JSON in a text
CREATE STREAM v (k STRING KEY, s STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, EXTRACTJSONFIELD(s, '$.a.b') AS b, EXTRACTJSONFIELD(s, '$.l[1]') AS l, EXTRACTJSONFIELD(s, '$.a') AS a, EXTRACTJSONFIELD(s, '$.none') AS none, IS_JSON_STRING(s) AS is_json FROM v;
INSERT INTO v VALUES ('a', '{"a":{"b":"text"},"l":[1,2.50]}');
INSERT INTO v VALUES ('b', NULL);
ASSERT VALUES r VALUES ('a', 'text', '2.50', '{"b":"text"}', NULL, true);
ASSERT VALUES r VALUES ('b', NULL, NULL, NULL, NULL, false);

--@test: JSON arrays, objects and their parts
CREATE STREAM v (k STRING KEY, arr STRING, obj STRING) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, JSON_ARRAY_CONTAINS(arr, 2) AS two, JSON_ARRAY_CONTAINS(arr, '2') AS text, JSON_ARRAY_LENGTH(arr) AS n, JSON_ITEMS(arr) AS items, JSON_KEYS(obj) AS keys, JSON_RECORDS(obj) AS records, JSON_CONCAT(obj, '{"z":0}') AS more FROM v;
INSERT INTO v VALUES ('a', '[1,2,"x"]', '{"p":1,"q":"r"}');
INSERT INTO v VALUES ('b', NULL, NULL);
ASSERT VALUES r VALUES ('a', true, false, 3, ARRAY['1', '2', '"x"'], ARRAY['p', 'q'], MAP('p' := '1', 'q' := 'r'), '{"p":1,"q":"r","z":0}');
ASSERT VALUES r (k, n, items, keys, records, more) VALUES ('b', NULL, NULL, NULL, NULL, NULL);

--@test: values to JSON
CREATE STREAM v (k STRING KEY, i INT, a ARRAY<DECIMAL(3, 1)>, s STRUCT<y INT, x STRING>, m MAP<STRING, BOOLEAN>, t TIMESTAMP) WITH (KAFKA_TOPIC='v', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, TO_JSON_STRING(i) AS i, TO_JSON_STRING(a) AS a, TO_JSON_STRING(s) AS s, TO_JSON_STRING(m) AS m, TO_JSON_STRING(t) AS t FROM v;
INSERT INTO v VALUES ('a', 1, ARRAY[1.5, NULL], STRUCT(y := 2, x := 'q'), MAP('b' := true, 'a' := false), '2020-01-01T00:00:00.001');
INSERT INTO v VALUES ('b', NULL, NULL, NULL, NULL, NULL);
ASSERT VALUES r VALUES ('a', '1', '[1.5,null]', '{"X":"q","Y":2}', '{"a":false,"b":true}', '"2020-01-01T00:00:00.001"');
ASSERT VALUES r VALUES ('b', 'null', 'null', 'null', 'null', 'null');
