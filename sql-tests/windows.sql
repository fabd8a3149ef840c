--@test: a tumbling count has one row a key and window, late records within the grace are taken
CREATE STREAM clicks (who STRING KEY, page STRING) WITH (KAFKA_TOPIC='clicks', VALUE_FORMAT='JSON');
CREATE TABLE per_minute AS SELECT who, COUNT(*) AS n FROM clicks
  WINDOW TUMBLING (SIZE 1 MINUTE, GRACE PERIOD 10 SECONDS) GROUP BY who;
INSERT INTO clicks (ROWTIME, who, page) VALUES (1000, 'ann', 'a');
INSERT INTO clicks (ROWTIME, who, page) VALUES (59000, 'ann', 'b');
INSERT INTO clicks (ROWTIME, who, page) VALUES (60000, 'ann', 'c');
INSERT INTO clicks (ROWTIME, who, page) VALUES (2000, 'ann', 'late, the window is open until 70000');
INSERT INTO clicks (ROWTIME, who, page) VALUES (70000, 'ann', 'd');
INSERT INTO clicks (ROWTIME, who, page) VALUES (3000, 'ann', 'too late');
ASSERT VALUES per_minute (who, WINDOWSTART, WINDOWEND, n) VALUES ('ann', 0, 60000, 1);
ASSERT VALUES per_minute (who, WINDOWSTART, WINDOWEND, n) VALUES ('ann', 0, 60000, 2);
ASSERT VALUES per_minute (who, WINDOWSTART, WINDOWEND, n) VALUES ('ann', 60000, 120000, 1);
ASSERT VALUES per_minute (who, WINDOWSTART, WINDOWEND, n) VALUES ('ann', 0, 60000, 3);
ASSERT VALUES per_minute (who, WINDOWSTART, WINDOWEND, n) VALUES ('ann', 60000, 120000, 2);

--@test: a hopping record counts in every window that holds it
CREATE STREAM beats (k STRING KEY, v INT) WITH (KAFKA_TOPIC='beats', VALUE_FORMAT='JSON');
CREATE TABLE hops AS SELECT k, SUM(v) AS total FROM beats WINDOW HOPPING (SIZE 10 SECONDS, ADVANCE BY 5 SECONDS) GROUP BY k;
INSERT INTO beats (ROWTIME, k, v) VALUES (12000, 'x', 3);
INSERT INTO beats (ROWTIME, k, v) VALUES (15000, 'x', 4);
ASSERT VALUES hops (k, WINDOWSTART, WINDOWEND, total) VALUES ('x', 5000, 15000, 3);
ASSERT VALUES hops (k, WINDOWSTART, WINDOWEND, total) VALUES ('x', 10000, 20000, 3);
ASSERT VALUES hops (k, WINDOWSTART, WINDOWEND, total) VALUES ('x', 10000, 20000, 7);
ASSERT VALUES hops (k, WINDOWSTART, WINDOWEND, total) VALUES ('x', 15000, 25000, 4);
