//! Aggregation by session windows.
//!
//! A row joins all sessions of its key within the gap into one: they are taken back and the joined one is given. A
//! session's stored timestamp is its end.

use std::collections::HashMap;

use arrow::array::{ArrayRef, Int64Array, UInt32Array};
use arrow::buffer::BooleanBuffer;
use flumen_expr::Selection;
use flumen_plan::Emit;
use flumen_state::{Store, split_stored, window_key};
use flumen_types::WindowSpec;

use super::pending::{Due, Pending, final_rows};
use super::{Fold, hasher};
use crate::chunk::{OldRows, Windows, mask};
use crate::evaluate::Side;
use crate::operator::{Context, Inputs, Operator};
use crate::{Chunk, RuntimeError};

pub(in crate::operator) struct Session {
    fold: Fold,
    spec: WindowSpec,
    emit: Emit,
    stream_time: Option<i64>,
    pending: Pending,
}

/// A session as it is during a step; its slot never changes once it has another in its place.
#[derive(Clone, Copy)]
struct Live {
    start: i64,
    end: i64,
    slot: u32,
}

/// The sessions of one key, by start, and the starts the store has.
#[derive(Default)]
struct OfKey {
    live: Vec<Live>,
    stored: Vec<i64>,
    changed: bool,
}

/// What a step knows of its keys.
#[derive(Default)]
struct Known {
    numbers: HashMap<Box<[u8]>, usize, ahash::RandomState>,
    keys: Vec<Box<[u8]>>,
    sessions: Vec<OfKey>,
}

/// Rows of output, in order.
#[derive(Default)]
struct Output {
    rows: Vec<u32>,
    windows: Vec<(i64, i64)>,
    /// Slot of the result, none for a session taken back.
    results: Vec<Option<u32>>,
    /// Slot of the row that was.
    old: Vec<Option<u32>>,
    due: Vec<Due>,
}

impl Session {
    pub fn new(fold: Fold, spec: WindowSpec, emit: Emit) -> Self {
        Session { fold, spec, emit, stream_time: None, pending: Pending::default() }
    }

    /// The number of a key, its sessions read from the store when it is new.
    fn key(&mut self, known: &mut Known, key: &[u8]) -> Result<usize, RuntimeError> {
        if let Some(number) = known.numbers.get(key) {
            return Ok(*number);
        }
        let expired = self.stream_time.map_or(i64::MIN, |t| t.saturating_sub(self.spec.retention));
        let mut sessions = OfKey::default();
        for (start, stored) in self.fold.store.scan_windows(key, i64::MIN, i64::MAX)? {
            let (end, body) = split_stored(&stored)?;
            sessions.stored.push(start);
            if end < expired {
                sessions.changed = true;
                continue;
            }
            let slot = self.fold.load_new(body)?;
            sessions.live.push(Live { start, end, slot });
        }
        let number = known.sessions.len();
        known.sessions.push(sessions);
        known.keys.push(key.into());
        known.numbers.insert(key.into(), number);
        Ok(number)
    }

    fn close(&self) -> i64 {
        let time = self.stream_time.unwrap_or(i64::MIN);
        time.saturating_sub(self.spec.grace).saturating_sub(self.spec.size)
    }

    /// Takes one row into the sessions of its key.
    fn take(
        &mut self,
        chunk: &Chunk,
        row: u32,
        of_key: (&[u8], &mut OfKey),
        args: &[ArrayRef],
        ctx: &mut Context<'_>,
        out: &mut Output,
    ) -> Result<(), RuntimeError> {
        let (key, sessions) = of_key;
        let time = chunk.timestamps.value(row as usize);
        let (from, to) = (time.saturating_sub(self.spec.size), time.saturating_add(self.spec.size));
        let near = |s: &Live| s.end >= from && s.start <= to;
        let found: Vec<Live> = sessions.live.iter().copied().filter(near).collect();
        let start = found.iter().map(|s| s.start).fold(time, i64::min);
        let end = found.iter().map(|s| s.end).fold(time, i64::max);
        if end < self.close() {
            return Ok(());
        }
        let slot = self.fold.join(found.iter().map(|s| s.slot));
        self.fold.fold_one(row, slot, args, ctx)?;
        // A session of this very instant is replaced without being taken back.
        let replaced = start == end;
        for s in found.iter().filter(|_| !replaced) {
            out.push(row, (s.start, s.end), None, Some(s.slot));
        }
        out.push(row, (start, end), Some(slot), None);
        sessions.live.retain(|s| !near(s));
        let at = sessions.live.partition_point(|s| s.start < start);
        sessions.live.insert(at, Live { start, end, slot });
        sessions.changed = true;
        if self.emit == Emit::Final {
            found.iter().for_each(|s| self.pending.remove(&(s.end, s.start, key.to_vec())));
            self.pending.insert((end, start, key.to_vec()));
        }
        Ok(())
    }

    /// The sessions that a row's time closed.
    fn finish(&mut self, row: u32, known: &mut Known, out: &mut Output) -> Result<(), RuntimeError> {
        let close = self.close();
        while let Some(due) = self.pending.pop(|end| end < close) {
            let number = self.key(known, &due.2)?;
            let live = known.sessions.get(number).and_then(|s| s.live.iter().find(|s| s.start == due.1));
            if let Some(session) = live {
                out.push(row, (due.1, due.0), Some(session.slot), None);
                out.due.push(due);
            }
        }
        Ok(())
    }

    fn save(&mut self, known: &Known) {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        for (bytes, sessions) in known.keys.iter().zip(&known.sessions).filter(|(_, s)| s.changed) {
            for start in sessions.stored.iter().filter(|start| sessions.live.iter().all(|s| s.start != **start)) {
                key.clear();
                window_key(bytes, *start, &mut key);
                self.fold.store.put(&key, None);
            }
            for session in &sessions.live {
                key.clear();
                window_key(bytes, session.start, &mut key);
                self.fold.write_state(session.slot as usize, session.end, &mut value);
                self.fold.store.put(&key, Some(&value));
            }
        }
    }

    fn changes(&self, chunk: &Chunk, out: Output) -> Result<Chunk, RuntimeError> {
        let values = self.fold.results_at(&out.results)?;
        let gone = BooleanBuffer::collect_bool(out.results.len(), |i| out.results[i].is_none());
        let mut rows = chunk.pick_meta(&UInt32Array::from(out.rows))?;
        if self.fold.old {
            let present = BooleanBuffer::collect_bool(out.old.len(), |i| out.old[i].is_some());
            rows.old = Some(OldRows { values: self.fold.results_at(&out.old)?, present });
        }
        rows.null_keys = None;
        rows.headers = None;
        rows.deleted = mask(gone);
        rows.values = values;
        rows.timestamps = out.windows.iter().map(|w| w.1).collect::<Vec<i64>>().into();
        rows.windows = Some(windows(&out.windows));
        Ok(rows)
    }
}

impl Output {
    fn push(&mut self, row: u32, window: (i64, i64), result: Option<u32>, old: Option<u32>) {
        self.rows.push(row);
        self.windows.push(window);
        self.results.push(result);
        self.old.push(old);
    }

    fn clear(&mut self) {
        *self = Output::default();
    }
}

fn windows(bounds: &[(i64, i64)]) -> Windows {
    let (starts, ends): (Vec<i64>, Vec<i64>) = bounds.iter().copied().unzip();
    Windows { starts: Int64Array::from(starts), ends: Int64Array::from(ends) }
}

impl Operator for Session {
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let Some(chunk) = inputs.left else { return Ok(None) };
        let complete = chunk.complete_rows();
        let selection = complete.clone().map_or(Selection::All, Selection::Rows);
        let rows = complete.unwrap_or_else(|| (0..chunk.rows() as u32).collect());
        let args = self.fold.args(&chunk, Side::New, &selection, ctx)?;
        let keys = self.fold.keys(&chunk);
        self.fold.reset();
        let mut known = Known { numbers: HashMap::with_hasher(hasher()), ..Known::default() };
        if self.emit == Emit::Final {
            let close = self.close();
            self.pending.find(&self.fold.store, |_, time| time, |end| end >= close)?;
        }
        let (mut out, mut closed) = (Output::default(), Output::default());
        for row in rows {
            let time = chunk.timestamps.value(row as usize);
            self.stream_time = Some(self.stream_time.map_or(time, |t| t.max(time)));
            let key = keys.key(row as usize);
            let number = self.key(&mut known, key)?;
            if let Some(sessions) = known.sessions.get_mut(number) {
                self.take(&chunk, row, (key, sessions), &args, ctx, &mut out)?;
            }
            if self.emit == Emit::Final {
                out.clear();
                self.finish(row, &mut known, &mut closed)?;
            }
        }
        self.save(&known);
        if self.emit == Emit::Changes {
            return self.changes(&chunk, out).map(Some);
        }
        let results = self.fold.results_at(&closed.results)?;
        let times = closed.due.iter().map(|d| d.0).collect();
        final_rows(&chunk, closed.rows, &closed.due, &self.fold, times, results).map(Some)
    }

    fn forget(&mut self) {
        self.pending.forget();
    }

    fn store(&mut self) -> Option<&mut Store> {
        Some(&mut self.fold.store)
    }

    fn stream_time(&self) -> Option<i64> {
        self.stream_time
    }

    fn set_stream_time(&mut self, time: Option<i64>) {
        self.stream_time = time;
    }
}
