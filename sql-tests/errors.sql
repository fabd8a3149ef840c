--@test: an unknown source is refused with the nearest name
--@expected.message: Did you mean
CREATE STREAM parcels (k STRING KEY, v INT) WITH (KAFKA_TOPIC='parcels', VALUE_FORMAT='JSON');
CREATE STREAM copy AS SELECT * FROM parcel;

--@test: an unknown column is refused
--@expected.message: WEIGHT
CREATE STREAM parcels (k STRING KEY, v INT) WITH (KAFKA_TOPIC='parcels', VALUE_FORMAT='JSON');
CREATE STREAM copy AS SELECT k, weight FROM parcels;

--@test: an unknown property is refused
--@expected.error: statement
CREATE STREAM parcels (k STRING KEY, v INT) WITH (KAFKA_TOPIC='parcels', VALUE_FORMATT='JSON');
