--@test: PARTITION BY makes a value column the key
CREATE STREAM visits (visitor STRING KEY, page STRING, ms INT) WITH (KAFKA_TOPIC='visits', VALUE_FORMAT='JSON');
CREATE STREAM by_page AS SELECT page, visitor, ms FROM visits PARTITION BY page;
INSERT INTO visits VALUES ('ann', '/home', 12);
INSERT INTO visits VALUES ('bob', '/cart', 30);
ASSERT VALUES by_page (page, visitor, ms) VALUES ('/home', 'ann', 12);
ASSERT VALUES by_page (page, visitor, ms) VALUES ('/cart', 'bob', 30);
