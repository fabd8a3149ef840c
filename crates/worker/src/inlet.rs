//! One input of a task: what was fetched and not processed yet.

use std::collections::VecDeque;
use std::sync::Arc;

use flumen_runtime::RuntimeError;
use flumen_wire::RecordChunk;

/// Records buffered for an input of a task.
pub(crate) struct Inlet {
    pub topic: Arc<str>,
    pub partition: i32,
    /// Offset of the next record to take in.
    pub next: i64,
    /// Everything there is was taken in.
    pub at_end: bool,
    /// Takes nothing in now: its partition is not asked for.
    pub held: bool,
    /// Takes nothing in from this offset on.
    pub stop: Option<i64>,
    queue: VecDeque<Piece>,
    records: usize,
}

/// A part of a chunk: the rows from `from` up to, not with, `to`.
struct Piece {
    chunk: Arc<RecordChunk>,
    /// The times of all its records, where these are not their own.
    times: Option<Vec<i64>>,
    from: usize,
    to: usize,
}

impl Piece {
    fn greatest_time(&self) -> i64 {
        self.times().copied().max().unwrap_or(i64::MIN)
    }

    fn times(&self) -> impl Iterator<Item = &i64> {
        self.times.as_deref().unwrap_or(self.chunk.timestamps()).iter().take(self.to).skip(self.from)
    }

    /// The rows from here up to, not with, this one.
    fn up_to(&self, end: usize) -> Result<Arc<RecordChunk>, RuntimeError> {
        if self.from == 0 && end == self.chunk.len() {
            return Ok(self.chunk.clone());
        }
        let mut part = RecordChunk::new(self.chunk.topic().clone(), self.chunk.partition());
        for row in self.from..end {
            let (chunk, headers) = (&self.chunk, self.chunk.columns().raw_headers(row));
            part.push(chunk.offset(row), chunk.key(row), chunk.value(row), chunk.timestamp(row), headers)?;
        }
        Ok(Arc::new(part))
    }
}

impl Inlet {
    pub fn new(topic: Arc<str>, partition: i32, next: i64) -> Self {
        Inlet { topic, partition, next, at_end: false, held: false, stop: None, queue: VecDeque::new(), records: 0 }
    }

    /// Takes in a chunk of its partition, without what it had before. `times` are those by which its records are merged with
    /// others, where these are not the records' own.
    pub fn offer(&mut self, chunk: &Arc<RecordChunk>, times: Option<Vec<i64>>) {
        let Some(next) = chunk.next_offset() else { return };
        if self.held || next <= self.next {
            return;
        }
        let from = chunk.offsets().partition_point(|offset| *offset < self.next);
        let to = self.stop.map_or(chunk.len(), |stop| chunk.offsets().partition_point(|offset| *offset < stop));
        self.next = next;
        self.at_end = false;
        if from < to {
            self.records += to - from;
            self.queue.push_back(Piece { chunk: chunk.clone(), times, from, to });
        }
    }

    /// Nothing is left of what it had to read: all up to `stop`, or all there was.
    pub fn is_through(&self) -> bool {
        self.queue.is_empty() && (self.at_end || self.stop.is_some_and(|stop| self.next >= stop))
    }

    /// Forgets what is buffered and goes on from this offset.
    pub fn reset(&mut self, next: i64) {
        self.queue.clear();
        self.records = 0;
        self.next = next;
        self.at_end = false;
    }

    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Records buffered.
    pub fn records(&self) -> usize {
        self.records
    }

    /// The first chunk, up to the first record of which `place` says no.
    fn take(&mut self, place: impl Fn(i64) -> bool) -> Result<Option<Arc<RecordChunk>>, RuntimeError> {
        let Some(piece) = self.queue.front_mut() else { return Ok(None) };
        let rows = piece.times().take_while(|time| place(**time)).count();
        if rows == 0 {
            return Ok(None);
        }
        let end = piece.from + rows;
        let taken = piece.up_to(end)?;
        self.records -= rows;
        if end == piece.to {
            self.queue.pop_front();
        } else {
            piece.from = end;
        }
        Ok(Some(taken))
    }
}

/// What keeps a task of several inputs from going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Nothing, or nothing is there.
    No,
    /// There are records of an input that has none here.
    Behind,
    /// An input is at its end while others have records: what it may bring soon could be earlier.
    Idle,
}

/// What keeps these inputs.
pub(crate) fn wait(inlets: &[Inlet]) -> Wait {
    if inlets.len() < 2 || inlets.iter().all(Inlet::is_empty) {
        return Wait::No;
    }
    let empty = || inlets.iter().filter(|i| i.is_empty());
    if empty().any(|i| !i.at_end) {
        Wait::Behind
    } else if empty().next().is_some() {
        Wait::Idle
    } else {
        Wait::No
    }
}

/// The records that a task may take now, by number of the input: with several inputs none that comes after what another
/// input may still bring. Records are in order of their times, and with equal times in that of their inputs.
pub(crate) fn ready(inlets: &mut [Inlet]) -> Result<Vec<(usize, Arc<RecordChunk>)>, RuntimeError> {
    let mut limit = (i64::MAX, usize::MAX);
    if inlets.len() > 1 {
        for (number, inlet) in inlets.iter().enumerate() {
            match inlet.queue.front() {
                Some(piece) if !inlet.at_end || inlet.queue.len() > 1 => limit = limit.min((piece.greatest_time(), number)),
                _ => {}
            }
        }
    }
    let mut out = Vec::with_capacity(inlets.len());
    for (number, inlet) in inlets.iter_mut().enumerate() {
        out.extend(inlet.take(|time| (time, number) <= limit)?.map(|chunk| (number, chunk)));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(first: i64, times: &[i64]) -> Arc<RecordChunk> {
        let mut chunk = RecordChunk::new("t".into(), 0);
        for (i, time) in times.iter().enumerate() {
            chunk.push(first + i as i64, Some(b"k"), Some(b"v"), *time, &[]).unwrap();
        }
        Arc::new(chunk)
    }

    fn inlets(count: usize) -> Vec<Inlet> {
        (0..count).map(|_| Inlet::new("t".into(), 0, 0)).collect()
    }

    fn taken(inlets: &mut [Inlet]) -> Vec<(usize, Vec<i64>)> {
        if wait(inlets) == Wait::Behind {
            return Vec::new();
        }
        ready(inlets).unwrap().iter().map(|(i, c)| (*i, c.offsets().to_vec())).collect()
    }

    #[test]
    fn one_input_takes_whole_chunks_without_a_copy() {
        let mut inlets = inlets(1);
        let first = chunk(0, &[9, 3]);
        inlets[0].offer(&first, None);
        inlets[0].offer(&chunk(2, &[1]), None);
        assert!(Arc::ptr_eq(&ready(&mut inlets).unwrap()[0].1, &first));
        assert_eq!(taken(&mut inlets), [(0, vec![2])]);
        assert!(taken(&mut inlets).is_empty());
    }

    #[test]
    fn what_was_had_before_is_skipped() {
        let mut inlets = inlets(1);
        inlets[0].next = 2;
        inlets[0].offer(&chunk(0, &[1, 1]), None);
        assert!(taken(&mut inlets).is_empty());
        inlets[0].offer(&chunk(0, &[1, 1, 1, 1]), None);
        assert_eq!(taken(&mut inlets), [(0, vec![2, 3])]);
        inlets[0].reset(1);
        inlets[0].offer(&chunk(0, &[1, 1]), None);
        assert_eq!(taken(&mut inlets), [(0, vec![1])]);
    }

    #[test]
    fn nothing_behind_the_stop_is_taken() {
        let mut inlets = inlets(1);
        inlets[0].stop = Some(3);
        assert!(!inlets[0].is_through());
        inlets[0].offer(&chunk(0, &[1, 1]), None);
        inlets[0].offer(&chunk(2, &[1, 1]), None);
        assert_eq!(taken(&mut inlets), [(0, vec![0, 1])]);
        assert!(!inlets[0].is_through());
        assert_eq!(taken(&mut inlets), [(0, vec![2])]);
        assert!(inlets[0].is_through());
        inlets[0].offer(&chunk(4, &[1]), None);
        assert!(taken(&mut inlets).is_empty() && inlets[0].is_through());
        // The rest up to the stop may not be committed: then the end of what is counts.
        inlets[0].stop = Some(9);
        assert!(!inlets[0].is_through());
        inlets[0].at_end = true;
        assert!(inlets[0].is_through());
    }

    #[test]
    fn several_inputs_wait_for_each_other_and_merge_by_time() {
        let mut inlets = inlets(2);
        inlets[0].offer(&chunk(0, &[10, 20, 30]), None);
        assert!(taken(&mut inlets).is_empty(), "the other input may bring earlier records");
        inlets[1].offer(&chunk(0, &[5, 25]), None);
        assert_eq!(taken(&mut inlets), [(0, vec![0, 1]), (1, vec![0, 1])]);
        assert!(taken(&mut inlets).is_empty());
        inlets[1].at_end = true;
        assert_eq!(taken(&mut inlets), [(0, vec![2])]);
        assert_eq!((inlets[0].records(), inlets[1].records()), (0, 0));
    }

    #[test]
    fn an_input_at_its_end_holds_nothing_back_and_a_later_chunk_does() {
        let mut inlets = inlets(2);
        inlets[0].offer(&chunk(0, &[10, 50]), None);
        inlets[0].at_end = true;
        inlets[1].offer(&chunk(0, &[20]), None);
        inlets[1].offer(&chunk(1, &[60]), None);
        inlets[1].at_end = true;
        assert_eq!(taken(&mut inlets), [(0, vec![0]), (1, vec![0])]);
        assert_eq!(taken(&mut inlets), [(0, vec![1]), (1, vec![1])]);
    }

    #[test]
    fn equal_times_are_in_the_order_of_the_inputs_wherever_chunks_end() {
        let mut inlets = inlets(2);
        inlets[0].offer(&chunk(0, &[10]), None);
        inlets[1].offer(&chunk(0, &[10, 11]), None);
        assert_eq!(taken(&mut inlets), [(0, vec![0])], "the first input may bring more of that time");
        inlets[0].offer(&chunk(1, &[10, 12]), None);
        assert_eq!(taken(&mut inlets), [(0, vec![1]), (1, vec![0, 1])]);
    }

    #[test]
    fn times_of_a_column_win_over_those_of_the_records() {
        let mut inlets = inlets(2);
        inlets[0].offer(&chunk(0, &[1, 2]), Some(vec![100, 300]));
        inlets[1].offer(&chunk(0, &[150, 200]), None);
        assert_eq!(taken(&mut inlets), [(0, vec![0]), (1, vec![0, 1])]);
    }

    #[test]
    fn what_a_task_waits_for() {
        let mut inlets = inlets(2);
        assert_eq!(wait(&inlets), Wait::No);
        inlets[0].offer(&chunk(0, &[1]), None);
        assert_eq!(wait(&inlets), Wait::Behind);
        inlets[1].at_end = true;
        assert_eq!(wait(&inlets), Wait::Idle);
        inlets[1].offer(&chunk(0, &[1]), None);
        assert_eq!(wait(&inlets), Wait::No);
    }
}
