"""kafka-python: topics, produce with compression, a group, transactions that commit and abort, read_committed."""
import sys
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic

address = sys.argv[1]
admin = KafkaAdminClient(bootstrap_servers=address)
admin.create_topics([NewTopic("py", 3, 1), NewTopic("py-out", 1, 1)])

plain = KafkaProducer(bootstrap_servers=address, acks="all", compression_type="gzip")
sent = [plain.send("py", key=b"k%d" % (i % 7), value=b"%d" % i, timestamp_ms=1000 + i) for i in range(500)]
plain.flush(30)
assert all(s.get(30).offset >= 0 for s in sent)


def consumer(**more):
    return KafkaConsumer(bootstrap_servers=address, auto_offset_reset="earliest", consumer_timeout_ms=5000, enable_auto_commit=False, **more)


source = consumer(group_id="pg")
source.subscribe(["py"])
found = []
for record in source:
    found.append(record)
    if len(found) == 500:
        break
assert sorted(int(r.value) for r in found) == list(range(500)), len(found)
assert all(r.timestamp == 1000 + int(r.value) for r in found)
source.commit()
assert sum(source.committed(TopicPartition("py", p)) for p in range(3)) == 500
source.close()

writer = KafkaProducer(bootstrap_servers=address, transactional_id="pt")
writer.init_transactions()
for word in (b"aborted", b"committed"):
    writer.begin_transaction()
    writer.send("py-out", value=word).get(30)
    writer.commit_transaction() if word == b"committed" else writer.abort_transaction()

reader = consumer(isolation_level="read_committed")
reader.assign([TopicPartition("py-out", 0)])
assert [r.value for r in reader] == [b"committed"]
print("right")
