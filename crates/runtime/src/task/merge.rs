//! The place of every row among those of all inputs.

use crate::RuntimeError;
use crate::source::Read;

use super::{Order, internal};

/// Sets the rank of every row.
pub(super) fn rank(reads: &mut [(usize, Read)], orders: &[Order<'_>]) -> Result<(), RuntimeError> {
    let given = orders.iter().filter(|o| matches!(o, Order::Given(_))).count();
    match given {
        0 => by_timestamp(reads),
        n if n == orders.len() => {
            for ((_, read), order) in reads.iter_mut().zip(orders) {
                let Order::Given(places) = order else { continue };
                let rank = |record: u32| places.get(record as usize).map(|place| (place >> 32) as u32);
                let rows = read.chunk.rows() as u32;
                let ranks: Option<Vec<u32>> = match &read.records {
                    Some(records) => records.iter().map(|r| rank(*r)).collect(),
                    None => (0..rows).map(rank).collect(),
                };
                read.chunk.ord = ranks.ok_or_else(|| internal("an input has more records than places"))?;
            }
        }
        _ => return Err(internal("a step mixes given and chosen orders")),
    }
    Ok(())
}

/// Merges the inputs: the smallest timestamp at a head first, the earlier input where they are equal.
fn by_timestamp(reads: &mut [(usize, Read)]) {
    if let [(_, read)] = reads {
        read.chunk.ord = (0..read.chunk.rows() as u32).collect();
        return;
    }
    // Inputs in the task's own order, however the step names them.
    let mut sequence: Vec<usize> = (0..reads.len()).collect();
    sequence.sort_by_key(|i| reads.get(*i).map(|(input, _)| *input));
    let mut next = vec![0usize; reads.len()];
    reads.iter_mut().for_each(|(_, read)| read.chunk.ord = Vec::with_capacity(read.chunk.rows()));
    let mut rank = 0;
    loop {
        let head = |i: &usize| {
            let (_, read) = reads.get(*i)?;
            read.chunk.timestamps.values().get(*next.get(*i)?).map(|time| (*time, *i))
        };
        // min_by_key gives the first of equal ones.
        let Some((_, first)) = sequence.iter().filter_map(head).min_by_key(|(time, _)| *time) else { break };
        let (Some((_, read)), Some(at)) = (reads.get_mut(first), next.get_mut(first)) else { break };
        read.chunk.ord.push(rank);
        *at += 1;
        rank += 1;
    }
}
