--@test: a stream row finds the table's row as of its arrival
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
