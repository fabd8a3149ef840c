//! Fetch: batches out of logs, waiting for more if there are too few.

use crate::{
    node::{Node, Share},
    topics::{Partition, Waiter},
};
use bytes::Bytes;
use flumen_wire::Batches;
use kafka_protocol::{
    ResponseError,
    messages::{
        BrokerId, FetchRequest, FetchResponse,
        fetch_request::FetchPartition,
        fetch_response::{AbortedTransaction, FetchableTopicResponse, PartitionData},
    },
};
use std::{io, sync::Arc, time::Duration};
use tokio::time::Instant;

/// Longest wait whatever the client says.
const LONGEST_WAIT: Duration = Duration::from_secs(300);

/// Reads, and waits up to the client's limit until there is enough. `None` if the broker stops meanwhile.
pub async fn fetch(node: &Node, request: FetchRequest) -> Option<(FetchResponse, Option<Share>)> {
    if request.session_id != 0 {
        // Every answer says that there is no session, so this client speaks of one of another broker.
        return Some((FetchResponse::default().with_error_code(ResponseError::FetchSessionIdNotFound.code()), None));
    }
    let wait = Duration::from_millis(u64::try_from(request.max_wait_ms).unwrap_or(0)).min(LONGEST_WAIT);
    let deadline = Instant::now() + wait;
    let max_bytes = usize::try_from(request.max_bytes).unwrap_or(0).min(node.config.limits.fetch_bytes);
    let min_bytes = usize::try_from(request.min_bytes).unwrap_or(0);
    loop {
        let waiter = Waiter::default();
        // Watching begins before the look, so that nothing can come between the two.
        if Instant::now() < deadline && min_bytes > 0 {
            watch(node, &request, &waiter);
        }
        let mut share = node.fetch_memory.take(max_bytes).await?;
        let found = gather(node, &request, max_bytes);
        if found.bytes >= min_bytes || found.failed || Instant::now() >= deadline {
            share.shrink(found.bytes);
            count(node, &found);
            return Some((FetchResponse::default().with_responses(found.topics), Some(share)));
        }
        drop(share);
        let _ = tokio::time::timeout_at(deadline, waiter.notified()).await;
    }
}

/// Counts what is given. The headers of the batches have just been read, so looking at them again costs little.
fn count(node: &Node, found: &Found) {
    let records = found.topics.iter().flat_map(|topic| &topic.partitions).filter_map(|partition| partition.records.as_ref());
    let counts = records.flat_map(|records| Batches(records).flatten()).map(|batch| u64::try_from(batch.header.count).unwrap_or(0));
    node.counters.fetched_records.add(counts.sum());
    node.counters.fetched_bytes.add(found.bytes as u64);
}

fn watch(node: &Node, request: &FetchRequest, waiter: &Waiter) {
    for topic in &request.topics {
        if let Some(found) = node.topics.get(&topic.topic) {
            for partition in topic.partitions.iter().filter_map(|p| found.partition(p.partition)) {
                partition.watch(waiter);
            }
        }
    }
}

struct Found {
    topics: Vec<FetchableTopicResponse>,
    bytes: usize,
    failed: bool,
}

fn gather(node: &Node, request: &FetchRequest, max_bytes: usize) -> Found {
    let committed = request.isolation_level == 1;
    let mut found = Found { topics: Vec::with_capacity(request.topics.len()), bytes: 0, failed: false };
    for wanted in &request.topics {
        let topic = node.topics.get(&wanted.topic);
        let mut partitions = Vec::with_capacity(wanted.partitions.len());
        for want in &wanted.partitions {
            let partition: Option<Arc<Partition>> = topic.as_ref().and_then(|t| t.partition(want.partition));
            let room = max_bytes.saturating_sub(found.bytes);
            let data = read(partition.as_deref(), want, committed, room, found.bytes == 0);
            found.bytes += data.records.as_ref().map_or(0, Bytes::len);
            found.failed |= data.error_code != 0;
            partitions.push(data);
        }
        found.topics.push(FetchableTopicResponse::default().with_topic(wanted.topic.clone()).with_partitions(partitions));
    }
    found
}

fn read(partition: Option<&Partition>, want: &FetchPartition, committed: bool, room: usize, first: bool) -> PartitionData {
    let data = PartitionData::default()
        .with_partition_index(want.partition)
        .with_preferred_read_replica(BrokerId(-1))
        .with_high_watermark(-1)
        .with_last_stable_offset(-1)
        .with_log_start_offset(-1)
        .with_records(Some(Bytes::new()));
    let Some(partition) = partition else {
        return data.with_error_code(ResponseError::UnknownTopicOrPartition.code());
    };
    let (start, end, stable) = {
        let log = partition.log();
        (log.start(), log.end(), log.stable_end())
    };
    let data = data.with_high_watermark(end).with_last_stable_offset(stable).with_log_start_offset(start);
    if !(start..=end).contains(&want.fetch_offset) {
        return data.with_error_code(ResponseError::OffsetOutOfRange.code());
    }
    let until = if committed { stable } else { end };
    let max = room.min(usize::try_from(want.partition_max_bytes).unwrap_or(0));
    match read_records(partition, want.fetch_offset, until, max, first) {
        Ok((records, next)) => {
            let aborted = committed.then(|| {
                let log = partition.log();
                let aborted = log.aborted_between(want.fetch_offset, next);
                aborted
                    .into_iter()
                    .map(|a| AbortedTransaction::default().with_producer_id(a.producer_id.into()).with_first_offset(a.first_offset))
            });
            data.with_records(Some(records.into())).with_aborted_transactions(aborted.map(Iterator::collect))
        }
        Err(error) => {
            tracing::error!(partition = want.partition, %error, "a log cannot be read");
            data.with_error_code(ResponseError::KafkaStorageError.code())
        }
    }
}

/// The batches from `offset` on, and the offset behind them. Only the file is read beside the log's lock.
fn read_records(partition: &Partition, mut offset: i64, until: i64, max: usize, at_least_one: bool) -> io::Result<(Vec<u8>, i64)> {
    loop {
        let Some(plan) = partition.log().plan_read(offset, until) else { return Ok((Vec::new(), offset)) };
        let (records, next) = plan.read(max, at_least_one)?;
        match plan.next_segment() {
            // The rest of this segment was compacted away.
            Some(base) if records.is_empty() && at_least_one && base > offset => offset = base,
            _ => return Ok((records, next)),
        }
    }
}
