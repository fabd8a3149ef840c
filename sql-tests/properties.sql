--@test: VALUE_DELIMITER and KEY_DELIMITER choose the character between columns
CREATE STREAM pipes (a INT KEY, b INT KEY, v INT, w STRING)
  WITH (KAFKA_TOPIC='pipes', FORMAT='DELIMITED', VALUE_DELIMITER='|', KEY_DELIMITER='TAB');
CREATE STREAM pipes_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='pipes', VALUE_FORMAT='KAFKA');
CREATE STREAM spaces WITH (VALUE_DELIMITER='SPACE', KEY_DELIMITER=';') AS SELECT * FROM pipes;
CREATE STREAM spaces_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='SPACES', VALUE_FORMAT='KAFKA');
INSERT INTO pipes VALUES (1, 2, 3, 'x|y');
ASSERT VALUES pipes_text VALUES ('1	2', '3|"x|y"');
ASSERT VALUES spaces_text VALUES ('1;2', '3 x|y');

--@test: a delimiter is for DELIMITED only
--@expected.message: delimiter
CREATE STREAM odd (k STRING KEY, v INT) WITH (KAFKA_TOPIC='odd', VALUE_FORMAT='JSON', VALUE_DELIMITER='|');

--@test: WRAP_SINGLE_VALUE decides between a record and the bare value
CREATE STREAM numbers (k STRING KEY, v INT) WITH (KAFKA_TOPIC='numbers', VALUE_FORMAT='JSON');
CREATE STREAM wrapped WITH (WRAP_SINGLE_VALUE=true) AS SELECT k, v FROM numbers;
CREATE STREAM bare WITH (WRAP_SINGLE_VALUE=false) AS SELECT k, v FROM numbers;
CREATE STREAM again WITH (WRAP_SINGLE_VALUE=true) AS SELECT k, v + 1 AS v FROM bare;
CREATE STREAM wrapped_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='WRAPPED', VALUE_FORMAT='KAFKA');
CREATE STREAM bare_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='BARE', VALUE_FORMAT='KAFKA');
CREATE STREAM again_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='AGAIN', VALUE_FORMAT='KAFKA');
INSERT INTO numbers VALUES ('a', 5);
ASSERT VALUES wrapped_text VALUES ('a', '{"V":5}');
ASSERT VALUES bare_text VALUES ('a', '5');
ASSERT VALUES again_text VALUES ('a', '{"V":6}');

--@test: wrapping is asked of one column only
--@expected.message: WRAP_SINGLE_VALUE
CREATE STREAM pair (k STRING KEY, v INT, w INT) WITH (KAFKA_TOPIC='pair', VALUE_FORMAT='JSON', WRAP_SINGLE_VALUE=true);

--@test: a BIGINT column gives the time of a row
CREATE STREAM events (k STRING KEY, happened BIGINT, v INT) WITH (KAFKA_TOPIC='events', VALUE_FORMAT='JSON', TIMESTAMP='happened');
CREATE STREAM timed AS SELECT k, ROWTIME AS t, v FROM events;
INSERT INTO events (ROWTIME, k, happened, v) VALUES (5, 'a', 1234, 1);
ASSERT VALUES timed (ROWTIME, k, t, v) VALUES (1234, 'a', 1234, 1);

--@test: a TIMESTAMP column gives the time of a row
CREATE STREAM events (k STRING KEY, happened TIMESTAMP) WITH (KAFKA_TOPIC='events', VALUE_FORMAT='JSON', TIMESTAMP='happened');
CREATE STREAM timed AS SELECT k, ROWTIME AS t FROM events;
INSERT INTO events VALUES ('a', '1970-01-02T00:00:00.250');
ASSERT VALUES timed (ROWTIME, k, t) VALUES (86400250, 'a', 86400250);

--@test: a STRING column is read by its format; a row whose time cannot be read is left out
--@expected.log: not a time
CREATE STREAM events (k STRING KEY, happened STRING) WITH (KAFKA_TOPIC='events', VALUE_FORMAT='JSON', TIMESTAMP='happened', TIMESTAMP_FORMAT='yyyy-MM-dd HH:mm:ss');
CREATE STREAM timed AS SELECT k, ROWTIME AS t FROM events;
INSERT INTO events VALUES ('a', '1970-01-01 00:01:00');
INSERT INTO events VALUES ('b', 'not a time');
INSERT INTO events VALUES ('c', '1970-01-01 01:00:00');
ASSERT VALUES timed (ROWTIME, k, t) VALUES (60000, 'a', 60000);
ASSERT VALUES timed (ROWTIME, k, t) VALUES (3600000, 'c', 3600000);

--@test: a sink's TIMESTAMP writes the record's time from a column
CREATE STREAM events (k STRING KEY, happened BIGINT) WITH (KAFKA_TOPIC='events', VALUE_FORMAT='JSON');
CREATE STREAM later WITH (TIMESTAMP='moved') AS SELECT k, happened + 10 AS moved FROM events;
INSERT INTO events (ROWTIME, k, happened) VALUES (1, 'a', 500);
ASSERT VALUES later (ROWTIME, k, moved) VALUES (510, 'a', 510);

--@test: TIMESTAMP_FORMAT is for STRING columns only
--@expected.message: TIMESTAMP_FORMAT
CREATE STREAM events (k STRING KEY, happened BIGINT) WITH (KAFKA_TOPIC='events', VALUE_FORMAT='JSON', TIMESTAMP='happened', TIMESTAMP_FORMAT='yyyy');

--@test: the time column must exist
--@expected.message: WHEN_IT_WAS
CREATE STREAM events (k STRING KEY, happened BIGINT) WITH (KAFKA_TOPIC='events', VALUE_FORMAT='JSON', TIMESTAMP='when_it_was');

--@test: FORMAT stands for both, and not beside them
--@expected.message: FORMAT
CREATE STREAM twice (k STRING KEY, v INT) WITH (KAFKA_TOPIC='twice', FORMAT='JSON', VALUE_FORMAT='JSON');

--@test: the partitions of a topic that exists are as they are
--@expected.message: partition
CREATE STREAM fresh (k STRING KEY, v INT) WITH (VALUE_FORMAT='JSON', KAFKA_TOPIC='fresh', PARTITIONS=2);
CREATE STREAM other (k STRING KEY, v INT) WITH (VALUE_FORMAT='JSON', KAFKA_TOPIC='fresh', PARTITIONS=3);

--@test: the server's formats serve where none is given
SET 'ksql.persistence.default.format.value' = 'DELIMITED';
SET 'ksql.persistence.default.format.key' = 'JSON';
CREATE STREAM plain (k STRING KEY, v INT, w INT) WITH (KAFKA_TOPIC='plain');
CREATE STREAM plain_text (k STRING KEY, line STRING) WITH (KAFKA_TOPIC='plain', KEY_FORMAT='KAFKA', VALUE_FORMAT='KAFKA');
INSERT INTO plain VALUES ('a', 1, 2);
ASSERT VALUES plain_text VALUES ('"a"', '1,2');

--@test: KAFKA_TOPIC, formats and partitions of a result
CREATE STREAM readings (k STRING KEY, v INT) WITH (KAFKA_TOPIC='readings', VALUE_FORMAT='JSON', PARTITIONS=3);
CREATE STREAM renamed WITH (KAFKA_TOPIC='elsewhere', VALUE_FORMAT='DELIMITED', KEY_FORMAT='JSON') AS SELECT * FROM readings;
INSERT INTO readings VALUES ('a', 4);
ASSERT STREAM renamed (k STRING KEY, v INT) WITH (KAFKA_TOPIC='elsewhere', KEY_FORMAT='JSON', VALUE_FORMAT='DELIMITED');
ASSERT VALUES renamed VALUES ('a', 4);

--@test: a stream without a key
CREATE STREAM keyless (v INT, w STRING) WITH (KAFKA_TOPIC='keyless', VALUE_FORMAT='JSON');
CREATE STREAM copied AS SELECT w, v FROM keyless;
INSERT INTO keyless VALUES (1, 'x');
ASSERT VALUES copied VALUES ('x', 1);
ASSERT STREAM copied (w STRING, v INT) WITH (KEY_FORMAT='NONE');

--@test: NONE holds no key column
--@expected.message: NONE
CREATE STREAM keyed (k STRING KEY, v INT) WITH (KAFKA_TOPIC='keyed', KEY_FORMAT='NONE', VALUE_FORMAT='JSON');
