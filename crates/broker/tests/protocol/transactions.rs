//! Transactions over the wire.

use crate::client::*;
use flumen_wire::batch::Producer;
use kafka_protocol::{ResponseError, messages::*};
use std::io;

/// A transactional producer that does one thing after the other.
pub struct Txn {
    pub client: Client,
    id: &'static str,
    producer: (i64, i16),
    sequences: Vec<i32>,
}

impl Txn {
    pub fn init(mut client: Client, id: &'static str, timeout_ms: i32, partitions: usize) -> io::Result<Self> {
        let request = InitProducerIdRequest::default()
            .with_transactional_id(Some(TransactionalId(text(id))))
            .with_transaction_timeout_ms(timeout_ms)
            .with_producer_id((-1).into())
            .with_producer_epoch(-1);
        let given = client.try_call(4, &request)?;
        assert_eq!(given.error_code, 0);
        Ok(Self { client, id, producer: (given.producer_id.0, given.producer_epoch), sequences: vec![0; partitions] })
    }

    pub fn send(&mut self, name: &str, partition: i32, value: &str) -> io::Result<i16> {
        let added = add_partitions_to_txn_request::AddPartitionsToTxnTopic::default();
        let request = AddPartitionsToTxnRequest::default()
            .with_v3_and_below_transactional_id(TransactionalId(text(self.id)))
            .with_v3_and_below_producer_id(self.producer.0.into())
            .with_v3_and_below_producer_epoch(self.producer.1)
            .with_v3_and_below_topics(vec![added.with_name(topic(name)).with_partitions(vec![partition])]);
        let response = self.client.try_call(3, &request)?;
        let code = response.results_by_topic_v3_and_below[0].results_by_partition[0].partition_error_code;
        if code != 0 {
            return Ok(code);
        }
        let sequence = &mut self.sequences[partition as usize];
        let by = Producer { id: self.producer.0, epoch: self.producer.1, sequence: *sequence, transactional: true };
        *sequence += 1;
        Ok(self.client.try_produce(name, partition, batch_by(&[value], 1, by), Some(self.id))?.error_code)
    }

    pub fn offset(&mut self, name: &str, offset: i64) -> io::Result<i16> {
        let group = GroupId(text("g"));
        let request = AddOffsetsToTxnRequest::default()
            .with_transactional_id(TransactionalId(text(self.id)))
            .with_producer_id(self.producer.0.into())
            .with_producer_epoch(self.producer.1)
            .with_group_id(group.clone());
        let code = self.client.try_call(3, &request)?.error_code;
        if code != 0 {
            return Ok(code);
        }
        let partition = txn_offset_commit_request::TxnOffsetCommitRequestPartition::default().with_committed_offset(offset);
        let wanted = txn_offset_commit_request::TxnOffsetCommitRequestTopic::default().with_name(topic(name));
        let request = TxnOffsetCommitRequest::default()
            .with_transactional_id(TransactionalId(text(self.id)))
            .with_group_id(group)
            .with_producer_id(self.producer.0.into())
            .with_producer_epoch(self.producer.1)
            .with_generation_id(-1)
            .with_topics(vec![wanted.with_partitions(vec![partition])]);
        Ok(self.client.try_call(3, &request)?.topics[0].partitions[0].error_code)
    }

    pub fn end(&mut self, commit: bool) -> io::Result<i16> {
        let request = EndTxnRequest::default()
            .with_transactional_id(TransactionalId(text(self.id)))
            .with_producer_id(self.producer.0.into())
            .with_producer_epoch(self.producer.1)
            .with_committed(commit);
        Ok(self.client.try_call(3, &request)?.error_code)
    }
}

pub fn committed_offset(client: &mut Client, name: &str) -> io::Result<i64> {
    let wanted = offset_fetch_request::OffsetFetchRequestTopic::default().with_name(topic(name)).with_partition_indexes(vec![0]);
    let request = OffsetFetchRequest::default().with_group_id(GroupId(text("g"))).with_topics(Some(vec![wanted]));
    Ok(client.try_call(7, &request)?.topics[0].partitions[0].committed_offset)
}

fn values(client: &mut Client, partition: i32, committed: bool) -> Vec<String> {
    client.read_all("t", partition, committed).into_iter().map(|(_, value)| value).collect()
}

#[test]
fn only_committed_records_and_offsets_are_seen() {
    let mut bench = Bench::start();
    let mut reader = bench.client();
    reader.create("t", 2, &[]);
    let mut txn = Txn::init(bench.client(), "tx", 60_000, 2).unwrap();
    assert_eq!((txn.send("t", 0, "a").unwrap(), txn.send("t", 1, "b").unwrap(), txn.offset("t", 5).unwrap()), (0, 0, 0));
    assert!(values(&mut reader, 0, true).is_empty());
    assert_eq!(values(&mut reader, 0, false), ["a"]);
    assert_eq!(committed_offset(&mut reader, "t").unwrap(), -1);
    assert_eq!(txn.end(true).unwrap(), 0);
    assert_eq!((txn.send("t", 0, "c").unwrap(), txn.offset("t", 9).unwrap(), txn.end(false).unwrap()), (0, 0, 0));
    assert_eq!((txn.send("t", 0, "d").unwrap(), txn.end(true).unwrap()), (0, 0));
    for _ in 0..2 {
        let mut reader = bench.client();
        assert_eq!(values(&mut reader, 0, true), ["a", "d"]);
        assert_eq!(values(&mut reader, 0, false), ["a", "c", "d"]);
        assert_eq!(values(&mut reader, 1, true), ["b"]);
        assert_eq!(committed_offset(&mut reader, "t").unwrap(), 5);
        bench.restart();
    }
}

#[test]
fn an_open_transaction_holds_back_what_came_after_it() {
    let bench = Bench::start();
    let mut reader = bench.client();
    reader.create("t", 1, &[]);
    let mut open = Txn::init(bench.client(), "open", 60_000, 1).unwrap();
    let mut other = Txn::init(bench.client(), "other", 60_000, 1).unwrap();
    open.send("t", 0, "hidden").unwrap();
    other.send("t", 0, "b").unwrap();
    other.end(true).unwrap();
    reader.produce("t", 0, batch(&["plain"]));
    assert!(values(&mut reader, 0, true).is_empty());
    open.end(false).unwrap();
    assert_eq!(values(&mut reader, 0, true), ["b", "plain"]);
}

#[test]
fn a_zombie_is_fenced() {
    let bench = Bench::start();
    let mut reader = bench.client();
    reader.create("t", 1, &[]);
    let mut old = Txn::init(bench.client(), "tx", 60_000, 1).unwrap();
    old.send("t", 0, "zombie").unwrap();
    let mut new = Txn::init(bench.client(), "tx", 60_000, 1).unwrap();
    new.send("t", 0, "new").unwrap();
    let fenced = ResponseError::ProducerFenced.code();
    assert_eq!(old.send("t", 0, "late").unwrap(), fenced);
    assert_eq!(old.end(true).unwrap(), fenced);
    assert_eq!(new.end(true).unwrap(), 0);
    assert_eq!(values(&mut reader, 0, true), ["new"]);
}

#[test]
fn a_transaction_open_too_long_is_aborted() {
    let bench = Bench::start();
    let mut reader = bench.client();
    reader.create("t", 1, &[]);
    let mut txn = Txn::init(bench.client(), "tx", 100, 1).unwrap();
    txn.send("t", 0, "stuck").unwrap();
    reader.produce("t", 0, batch(&["plain"]));
    let data = reader.fetch("t", 0, 0, true, 50_000);
    assert_eq!(data.last_stable_offset, data.high_watermark, "the fetch waits until the transaction is aborted");
    assert_eq!(values(&mut reader, 0, true), ["plain"]);
    assert_eq!(txn.end(true).unwrap(), ResponseError::ProducerFenced.code());
}

#[test]
fn a_transactional_batch_needs_an_open_transaction() {
    let bench = Bench::start();
    let mut client = bench.client();
    client.create("t", 1, &[]);
    let by = Producer { id: 12345, epoch: 0, sequence: 0, transactional: true };
    let none = client.try_produce("t", 0, batch_by(&["x"], 1, by), None).unwrap();
    assert_eq!(none.error_code, ResponseError::InvalidTxnState.code());
    let unknown = client.try_produce("t", 0, batch_by(&["x"], 1, by), Some("no such")).unwrap();
    assert_eq!(unknown.error_code, ResponseError::InvalidProducerIdMapping.code());
    assert!(client.read_all("t", 0, false).is_empty());
}
