//! Aggregation by tumbling and hopping windows.
//!
//! A window takes rows until stream time passes its end and grace; stream time advances before the row is judged.

use std::collections::HashMap;

use arrow::array::Int64Array;
use flumen_expr::Selection;
use flumen_state::{Store, window_key};
use flumen_types::{WindowSpec, hopping_starts};

use super::{Fold, Steps, all_present, before, by_key, hasher};
use crate::chunk::Windows;
use crate::evaluate::Side;
use crate::operator::{Context, Inputs, Operator};
use crate::{Chunk, RuntimeError};

pub(in crate::operator) struct Windowed {
    fold: Fold,
    spec: WindowSpec,
    stream_time: Option<i64>,
}

impl Windowed {
    pub fn new(fold: Fold, spec: WindowSpec) -> Self {
        Windowed { fold, spec, stream_time: None }
    }

    /// The windows of each row that are still open, as steps; and the start of each step's window.
    fn assign(&mut self, chunk: &Chunk, rows: &[u32]) -> (Steps, Vec<i64>) {
        let keys = self.fold.keys(chunk);
        let slots = &mut self.fold.slots;
        slots.clear();
        let mut known = by_key(chunk.rows());
        let mut windows: HashMap<(u32, i64), u32, _> = HashMap::with_capacity_and_hasher(rows.len().min(1 << 16), hasher());
        let mut steps = Steps::default();
        let mut starts = Vec::with_capacity(rows.len());
        for row in rows {
            let time = chunk.timestamps.value(*row as usize);
            let stream_time = self.stream_time.map_or(time, |t| t.max(time));
            self.stream_time = Some(stream_time);
            let close = stream_time.saturating_sub(self.spec.grace);
            let key = keys.key(*row as usize);
            let keys_known = known.len() as u32;
            let number = *known.entry(key).or_insert(keys_known);
            for start in hopping_starts(time, self.spec.size, self.spec.advance) {
                if start.saturating_add(self.spec.size) <= close {
                    continue;
                }
                let add = || slots.add(|out| window_key(key, start, out));
                steps.rows.push(*row);
                steps.slots.push(*windows.entry((number, start)).or_insert_with(add));
                starts.push(start);
            }
        }
        (steps, starts)
    }
}

impl Operator for Windowed {
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let Some(chunk) = inputs.left else { return Ok(None) };
        let complete = chunk.complete_rows();
        let selection = complete.clone().map_or(Selection::All, Selection::Rows);
        let rows = complete.unwrap_or_else(|| (0..chunk.rows() as u32).collect());
        let (steps, starts) = self.assign(&chunk, &rows);
        self.fold.load()?;
        let args = self.fold.args(&chunk, Side::New, &selection, ctx)?;
        let initial = self.fold.old.then(|| self.fold.results());
        let results = self.fold.fold(&steps, &args, ctx)?;
        let time = |(row, slot): (&u32, &u32)| self.fold.slots.advance(*slot, chunk.timestamps.value(*row as usize));
        let times = steps.rows.iter().zip(&steps.slots).map(time).collect();
        self.fold.save();
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
