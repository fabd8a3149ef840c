//! Aggregation by tumbling and hopping windows.
//!
//! A window takes rows until stream time passes its end and grace; stream time advances before the row is judged. Under
//! EMIT FINAL a window's result is given by the row that closes it, unless time has jumped so far that its store would
//! have dropped the window by then: older than size and grace before the newest window, or a longer retention asked for.

use arrow::array::Int64Array;
use flumen_expr::Selection;
use flumen_plan::Emit;
use flumen_state::{Store, window_key};
use flumen_types::{WindowSpec, hopping_starts};

use super::pending::{Due, Pending, final_rows};
use super::{Fold, Steps, all_present, before};
use crate::chunk::Windows;
use crate::evaluate::Side;
use crate::operator::{Context, Inputs, Operator};
use crate::{Chunk, RuntimeError};

pub(in crate::operator) struct Windowed {
    fold: Fold,
    spec: WindowSpec,
    emit: Emit,
    stream_time: Option<i64>,
    pending: Pending,
}

impl Windowed {
    pub fn new(fold: Fold, spec: WindowSpec, emit: Emit) -> Self {
        Windowed { fold, spec, emit, stream_time: None, pending: Pending::default() }
    }

    /// Windows that end at or before this take no rows any more.
    fn close(&self) -> i64 {
        self.stream_time.unwrap_or(i64::MIN).saturating_sub(self.spec.grace)
    }

    /// Windows that start before this are gone from the store.
    fn kept_from(&self) -> i64 {
        let WindowSpec { size, advance, grace, retention, .. } = self.spec;
        let least = size.saturating_add(grace);
        let kept = if retention > WindowSpec::default_retention(size, grace) { retention } else { least };
        let newest = self.stream_time.map_or(0, |t| t - t.rem_euclid(advance.max(1)));
        newest.saturating_sub(kept)
    }

    /// The windows of each row that are still open.
    fn assign(&mut self, chunk: &Chunk, rows: &[u32]) -> Result<Assigned, RuntimeError> {
        let keys = self.fold.keys(chunk);
        let is_final = self.emit == Emit::Final;
        self.fold.store.begin();
        let mut store_key = Vec::new();
        let mut out = Assigned { starts: Vec::with_capacity(rows.len()), ..Assigned::default() };
        for row in rows {
            let time = chunk.timestamps.value(*row as usize);
            self.stream_time = Some(self.stream_time.map_or(time, |t| t.max(time)));
            let close = self.close();
            let key = keys.key(*row as usize);
            for start in hopping_starts(time, self.spec.size, self.spec.advance) {
                let end = start.saturating_add(self.spec.size);
                if end <= close {
                    continue;
                }
                store_key.clear();
                window_key(key, start, &mut store_key);
                out.steps.rows.push(*row);
                out.steps.slots.push(self.fold.store.slot(&store_key)?);
                out.starts.push(start);
                if is_final {
                    self.pending.insert((end, start, key.to_vec()));
                }
            }
            while let Some(due) = is_final.then(|| self.pending.pop(|end| end <= close)).flatten() {
                if due.1 >= self.kept_from() {
                    out.closing_rows.push(*row);
                    out.closed.push(due);
                }
            }
        }
        Ok(out)
    }

    /// The results of the windows that were closed, from the store.
    fn finals(&mut self, chunk: &Chunk, rows: Vec<u32>, closed: Vec<Due>) -> Result<Chunk, RuntimeError> {
        // A window is closed once, so each has a slot of its own, in this order.
        self.fold.store.begin();
        let mut store_key = Vec::new();
        for (_, start, key) in &closed {
            store_key.clear();
            window_key(key, *start, &mut store_key);
            self.fold.store.slot(&store_key)?;
        }
        self.fold.load()?;
        let times = self.fold.slots.times.clone();
        final_rows(chunk, rows, &closed, &self.fold, times, self.fold.results())
    }
}

/// The windows of a step's rows.
#[derive(Default)]
struct Assigned {
    steps: Steps,
    /// The start of each step's window.
    starts: Vec<i64>,
    /// Windows closed by the rows, and which rows.
    closed: Vec<Due>,
    closing_rows: Vec<u32>,
}

impl Operator for Windowed {
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let Some(chunk) = inputs.left else { return Ok(None) };
        let complete = chunk.complete_rows();
        let selection = complete.clone().map_or(Selection::All, Selection::Rows);
        let rows = complete.unwrap_or_else(|| (0..chunk.rows() as u32).collect());
        if self.emit == Emit::Final {
            let (size, close) = (self.spec.size, self.close());
            self.pending.find(&self.fold.store, |start, _| start.saturating_add(size), |end| end > close)?;
        }
        let Assigned { steps, starts, closed, closing_rows } = self.assign(&chunk, &rows)?;
        self.fold.load()?;
        let args = self.fold.args(&chunk, Side::New, &selection, ctx)?;
        let initial = self.fold.old.then(|| self.fold.results());
        let results = self.fold.fold(&steps, &args, ctx)?;
        let time = |(row, slot): (&u32, &u32)| self.fold.slots.advance(*slot, chunk.timestamps.value(*row as usize));
        let times = steps.rows.iter().zip(&steps.slots).map(time).collect();
        self.fold.save();
        if self.emit == Emit::Final {
            return self.finals(&chunk, closing_rows, closed).map(Some);
        }
        if self.fold.held.is_some() {
            return Ok(None);
        }
        let old = match initial {
            Some(initial) => {
                let values = before(&initial, &results, &steps.slots, self.fold.slots.len())?;
                Some(all_present(values, steps.rows.len()))
            }
            None => None,
        };
        let ends = starts.iter().map(|s| s.saturating_add(self.spec.size)).collect::<Vec<i64>>();
        let mut out = self.fold.output(&chunk, steps.rows, times, results)?;
        out.old = old;
        out.windows = Some(Windows { starts: Int64Array::from(starts), ends: Int64Array::from(ends) });
        Ok(Some(out))
    }

    fn flush(&mut self) -> Result<Option<Chunk>, RuntimeError> {
        self.fold.flush(Some(self.spec.size))
    }

    fn holds_results(&self) -> bool {
        self.fold.holds_results()
    }

    fn forget(&mut self) {
        self.pending.forget();
        self.fold.held.iter_mut().for_each(super::Held::clear);
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
