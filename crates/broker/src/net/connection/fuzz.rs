//! Mutated frames through the very code that serves a connection: no panic, no large piece of memory, no harm to other topics, and the data
//! directory they leave can be opened again.

mod requests;

use super::*;
use crate::{
    api::samples,
    chance::{Dice, cases, folder, in_bounded_memory},
    config::BrokerConfig,
    topics::MAX_PARTITIONS,
};
use flumen_wire::{Batches, Compression, batch::Producer};
use kafka_protocol::{
    messages::{ProduceResponse, RequestHeader, ResponseHeader},
    protocol::{Decodable, Encodable, HeaderVersion, StrBytes},
};
use requests::{Sample, lively, produce, random_produce};
use std::{collections::BTreeMap, future::ready, path::Path, sync::atomic::AtomicBool};

/// The topic that no mutated request names.
const CANARY: &str = "canary";
/// Requests sent between two looks at the canary.
const ROUND: u64 = 500;
/// Rounds with one data directory.
const ROUNDS: u64 = 60;

/// What became of the requests.
#[derive(Debug, Default)]
struct Tally {
    answered: u64,
    waiting: u64,
    refused: u64,
    gone: u64,
}

fn config(folder: &Path) -> BrokerConfig {
    let mut config = BrokerConfig::new(folder);
    config.limits.request_bytes = 1 << 20;
    config.limits.control_request_bytes = 1 << 16;
    config.limits.inflight_request_bytes = 4 << 20;
    config.limits.inflight_control_bytes = 4 << 20;
    config.limits.fetch_bytes = 1 << 20;
    config.groups.initial_rebalance_delay = Duration::ZERO;
    config.groups.min_session_timeout = Duration::from_millis(1);
    config.log.index_interval_bytes = 500;
    config.log.snapshot_interval_bytes = 20_000;
    config.log.compaction_bytes_per_second = 0;
    config
}

/// A whole frame around a body.
fn frame((key, version, body): &Sample, id: i32) -> Vec<u8> {
    let header = RequestHeader::default().with_request_api_key(*key as i16).with_request_api_version(*version).with_correlation_id(id);
    let mut bytes = bytes::BytesMut::from(&[0; 4][..]);
    header.with_client_id(Some(StrBytes::from_static_str("f"))).encode(&mut bytes, key.request_header_version(*version)).unwrap();
    bytes.extend_from_slice(body);
    let mut bytes = bytes.to_vec();
    set_size(&mut bytes);
    bytes
}

fn set_size(frame: &mut [u8]) {
    let size = i32::try_from(frame.len().saturating_sub(4)).unwrap();
    if let Some(front) = frame.first_chunk_mut::<4>() {
        *front = size.to_be_bytes();
    }
}

/// Some frame that a client could send, or something like it.
fn mutated(dice: &mut Dice, all: &[Sample]) -> Vec<u8> {
    let id = dice.roll(1 << 20) as i32;
    if dice.once_in(10) {
        return frame(&random_produce(dice), id);
    }
    let (key, version, body) = &all[dice.roll(all.len())];
    let mut body = body.clone();
    match dice.roll(16) {
        0 => {}
        // The body of another version, or even of another API.
        1 => body.clone_from(&all[dice.roll(all.len())].2),
        _ => dice.mutate(&mut body),
    }
    let mut bytes = frame(&(*key, *version, body), id);
    if dice.once_in(16) {
        // The frame's own fields.
        let end = bytes.len().min(20);
        dice.spoil(&mut bytes[4..end]);
    }
    match dice.roll(24) {
        0 => dice.spoil(&mut bytes[..4]),
        1 => bytes.truncate(dice.roll(bytes.len())),
        _ => {}
    }
    bytes
}

/// Has a connection serve what comes, as far as that needs no waiting. Gives the answers.
async fn feed(node: &Node, bytes: &[u8], tally: &mut Tally) -> Vec<Reply> {
    let anywhere = SocketAddr::from(([127, 0, 0, 1], 9092));
    let connected = Connected { local: anywhere, peer: anywhere };
    let mut rest = bytes;
    let mut replies = Vec::new();
    loop {
        let request = rest;
        let next = tokio::task::unconstrained(next_reply(node, &connected, &mut rest));
        // Who waits, as a fetch for more records does, is a client that goes away meanwhile.
        let reply = tokio::select! { biased; reply = next => reply, () = ready(()) => { tally.waiting += 1; return replies } };
        match reply {
            Ok(Some(reply)) => {
                tally.answered += 1;
                let size = reply.bytes.first_chunk::<4>().map(|size| i32::from_be_bytes(*size));
                assert_eq!(size, i32::try_from(reply.bytes.len() - 4).ok());
                assert_eq!(reply.bytes.get(4..8), request.get(8..12), "the correlation id");
                replies.push(reply);
            }
            Ok(None) => tally.answered += 1,
            Err(Ended::Refused(_)) => {
                tally.refused += 1;
                return replies;
            }
            Err(Ended::Gone) => {
                tally.gone += u64::from(!request.is_empty());
                return replies;
            }
        }
    }
}

/// Writes to the topic that nobody harms; all that was written before is there.
async fn look_at_canary(node: &Node, written: &mut i64) {
    let sample = produce(CANARY, 9, -1, None, requests::batch(Compression::None, Producer::PLAIN));
    let mut replies = feed(node, &frame(&sample, 1), &mut Tally::default()).await;
    let mut bytes = replies.pop().expect("an answer").bytes.split_off(4).freeze();
    ResponseHeader::decode(&mut bytes, ProduceResponse::header_version(9)).unwrap();
    let response = ProduceResponse::decode(&mut bytes, 9).unwrap();
    let partition = &response.responses[0].partition_responses[0];
    assert_eq!((partition.error_code, partition.base_offset, partition.log_start_offset), (0, *written, 0));
    let partition = node.topics.partition(CANARY, 0).unwrap();
    *written = partition.log().end();
    let (mut offset, mut batches) = (0, 0);
    while let Some(plan) = partition.log().plan_read(offset, i64::MAX) {
        let (bytes, next) = plan.read(1 << 20, true).unwrap();
        batches += Batches(&bytes).inspect(|batch| batch.as_ref().unwrap().check_crc().unwrap()).count() as i64;
        offset = next;
    }
    assert_eq!((offset, batches), (*written, *written / 4));
}

/// Deletes what was made, if that is much, and makes the topic that the requests name.
fn tidy_topics(node: &Node) {
    let all = node.topics.all();
    let much = all.iter().map(|t| t.partition_count()).sum::<usize>() > MAX_PARTITIONS as usize / 2;
    for topic in all.iter().filter(|t| much && t.name() != CANARY) {
        node.topics.delete(topic.name()).unwrap();
    }
    let small = [("segment.bytes", "2000"), ("retention.ms", "-1")];
    let configs: BTreeMap<_, _> = small.map(|(name, value)| (name.to_string(), value.to_string())).into();
    for name in ["topic", CANARY] {
        if node.topics.get(name).is_none() {
            node.topics.create(name, 3, configs.clone()).unwrap();
        }
    }
}

async fn run(count: u64) {
    let mut dice = Dice::new();
    let mut tally = Tally::default();
    let fixed: Vec<Sample> = samples().into_iter().map(|(key, version, body)| (key, version, body.to_vec())).collect();
    let mut case = 0;
    while case < count {
        let dir = folder();
        let mut node = Node::open(config(dir.path())).unwrap();
        let mut written = 0;
        for round in 0..ROUNDS {
            tidy_topics(&node);
            let mut all = lively(&node, round);
            all.extend(fixed.iter().cloned());
            for _ in 0..ROUND {
                let mut bytes = mutated(&mut dice, &all);
                while dice.once_in(4) {
                    bytes.extend(mutated(&mut dice, &all));
                }
                feed(&node, &bytes, &mut tally).await;
            }
            case += ROUND;
            node.tick();
            look_at_canary(&node, &mut written).await;
            if round % 4 == 3 {
                node.flush();
                node.tidy();
                node.compact(&AtomicBool::new(false));
            }
            if round % 16 == 15 {
                // A stop, or a crash.
                if dice.once_in(2) {
                    node.close();
                }
                drop(node);
                node = Node::open(config(dir.path())).unwrap();
                look_at_canary(&node, &mut written).await;
            }
            if case >= count {
                break;
            }
        }
    }
    println!("{case} cases of mutated frames: {tally:?}");
    assert!(tally.answered > case / 5 && tally.refused > case / 20, "{tally:?}");
}

#[test]
fn mutated_frames_harm_nothing() {
    in_bounded_memory("net::connection::fuzz::mutated_frames_harm_nothing", || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(cases(100_000)));
    });
}
