"""confluent-kafka: produce, transactions that commit and abort, read_committed, offsets committed with a transaction."""
import sys
import time
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

address = sys.argv[1]
admin = AdminClient({"bootstrap.servers": address})
for future in admin.create_topics([NewTopic("plain", 2, 1), NewTopic("out", 1, 1)]).values():
    future.result(30)

failed = []
plain = Producer({"bootstrap.servers": address, "enable.idempotence": True, "compression.type": "zstd"})
for i in range(1000):
    plain.produce("plain", key=f"k{i % 10}", value=str(i), headers=[("n", str(i))], on_delivery=lambda e, m: e and failed.append(e))
assert plain.flush(30) == 0 and not failed, failed


def consumer(**more):
    return Consumer({"bootstrap.servers": address, "auto.offset.reset": "earliest", "enable.auto.commit": False, **more})


def read(source, count):
    found, end = [], time.monotonic() + 60
    while time.monotonic() < end:
        message = source.poll(0.1)
        if message is None:
            continue
        assert message.error() is None, message.error()
        found.append(message)
        if len(found) == count:
            break
    return found


source = consumer(**{"group.id": "g", "partition.assignment.strategy": "cooperative-sticky"})
source.subscribe(["plain"])
found = read(source, 1000)
assert sorted(int(m.value()) for m in found) == list(range(1000))
assert all(m.headers() == [("n", m.value())] for m in found)

writer = Producer({"bootstrap.servers": address, "transactional.id": "t"})
writer.init_transactions(30)
for commit in (False, True):
    writer.begin_transaction()
    writer.produce("out", value="committed" if commit else "aborted")
    if commit:
        writer.send_offsets_to_transaction(source.position(source.assignment()), source.consumer_group_metadata(), 30)
        writer.commit_transaction(30)
    else:
        writer.flush(30)
        writer.abort_transaction(30)

reader = consumer(**{"group.id": "r", "isolation.level": "read_committed"})
reader.assign([TopicPartition("out", 0, 0)])
assert [m.value() for m in read(reader, 1)] == [b"committed"]
committed = source.committed([TopicPartition("plain", p) for p in (0, 1)], 30)
assert sum(p.offset for p in committed) == 1000, committed
source.close()
reader.close()
print("right")
