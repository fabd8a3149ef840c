--@test: an unreadable time stops the query where asked
--@expected.message: not a time
SET 'ksql.timestamp.throw.on.invalid' = 'true';
CREATE STREAM events (k STRING KEY, happened STRING) WITH (KAFKA_TOPIC='events', VALUE_FORMAT='JSON', TIMESTAMP='happened', TIMESTAMP_FORMAT='yyyy-MM-dd');
CREATE STREAM timed AS SELECT * FROM events;
INSERT INTO events VALUES ('a', 'not a time');

--@test: an unreadable record stops the query where asked
--@expected.message: V
SET 'ksql.fail.on.deserialization.error' = 'true';
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM s_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='KAFKA');
CREATE STREAM r AS SELECT * FROM s;
INSERT INTO s_text VALUES ('a', '{"v":"x"}');

--@test: a negative time is no time
--@expected.log: events 0: 
CREATE STREAM events (k STRING KEY, happened BIGINT) WITH (KAFKA_TOPIC='events', VALUE_FORMAT='JSON', TIMESTAMP='happened');
CREATE STREAM timed AS SELECT * FROM events;
INSERT INTO events VALUES ('a', -1);
INSERT INTO events VALUES ('b', 5);
ASSERT VALUES timed (ROWTIME, k, happened) VALUES (5, 'b', 5);

--@test: a missing time is no time
--@expected.log: events 0: 
CREATE STREAM events (k STRING KEY, happened TIMESTAMP, v INT) WITH (KAFKA_TOPIC='events', VALUE_FORMAT='JSON', TIMESTAMP='happened');
CREATE STREAM timed AS SELECT k, v FROM events;
INSERT INTO events VALUES ('a', NULL, 1);
INSERT INTO events VALUES ('b', '1970-01-01T00:00:00.005', 2);
ASSERT VALUES timed (ROWTIME, k, v) VALUES (5, 'b', 2);

--@test: lists and sets may be bounded
SET 'ksql.functions.collect_list.limit' = '2';
SET 'ksql.functions.collect_set.limit' = '1';
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, COLLECT_LIST(v) AS l, COLLECT_SET(v) AS c FROM s GROUP BY k;
INSERT INTO s VALUES ('a', 1);
INSERT INTO s VALUES ('a', 2);
INSERT INTO s VALUES ('a', 3);
ASSERT VALUES r VALUES ('a', ARRAY[1], ARRAY[1]);
ASSERT VALUES r VALUES ('a', ARRAY[1, 2], ARRAY[1]);
ASSERT VALUES r VALUES ('a', ARRAY[1, 2], ARRAY[1]);

--@test: single values are bare where the server says so
SET 'ksql.persistence.wrap.single.values' = 'false';
CREATE STREAM s (k STRING KEY, v INT, w INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, v FROM s;
CREATE STREAM r_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='R', VALUE_FORMAT='KAFKA');
INSERT INTO s VALUES ('a', 1, 2);
ASSERT VALUES r_text VALUES ('a', '1');

--@test: a property nobody knows is refused with the nearest
--@expected.message: auto.offset.reset
SET 'auto.offset.rest' = 'earliest';
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');

--@test: UNSET goes back to the server's value
SET 'ksql.cast.strings.preserve.nulls' = 'false';
UNSET 'ksql.cast.strings.preserve.nulls';
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM r AS SELECT k, CAST(v AS STRING) AS t FROM s;
INSERT INTO s VALUES ('a', NULL);
ASSERT VALUES r VALUES ('a', NULL);

--@test: a query keeps the properties it was created with
SET 'ksql.nested.error.set.null' = 'false';
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE STREAM strict AS SELECT k, CAST(v AS STRING) AS t FROM s;
SET 'ksql.cast.strings.preserve.nulls' = 'false';
CREATE STREAM loose AS SELECT k, CAST(v AS STRING) AS t FROM s;
INSERT INTO s VALUES ('a', NULL);
ASSERT VALUES strict VALUES ('a', NULL);
ASSERT VALUES loose VALUES ('a', 'null');

--@test: EMIT FINAL can be switched off
--@expected.message: ksql.suppress.enabled=true
SET 'ksql.suppress.enabled' = 'false';
CREATE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
CREATE TABLE r AS SELECT k, COUNT(*) AS n FROM s WINDOW TUMBLING (SIZE 1 SECOND) GROUP BY k EMIT FINAL;

--@test: CREATE OR REPLACE can be switched off
--@expected.message: ksql.create.or.replace.enabled=true
SET 'ksql.create.or.replace.enabled' = 'false';
CREATE OR REPLACE STREAM s (k STRING KEY, v INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');
