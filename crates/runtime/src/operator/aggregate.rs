//! Folds rows into one row a key: what plain and windowed aggregates share.
//!
//! A step gives every key (and window) it meets a slot, loads the states of the slots once, folds all rows with one call
//! per aggregate function, and saves the slots. Stored body: the states of the calls one after another.

mod held;
mod pending;
mod plain;
mod session;
mod windowed;

use std::collections::HashMap;
use std::ops::Range;

use arrow::array::{ArrayRef, Int64Array, UInt32Array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::concat;
use flumen_expr::function::{Batch, Emit as Emission, Settings};
use flumen_expr::{Accumulators, AggregateCall, Failures, Selection};
use flumen_plan::{AggregateCall as Call, Emit};
use flumen_state::{Store, split_stored, stored_value};
use flumen_types::{SqlType, WindowKind, WindowSpec};

use super::{Builder, Context, Operator};
use crate::chunk::{OldRows, pick_columns};
use crate::evaluate::{Expressions, Side};
use crate::{Chunk, LogEntry, LogKind, RuntimeError};
use held::Held;

/// The operator of an aggregate node.
pub(super) fn build(
    builder: &Builder<'_>,
    calls: &[Call],
    window: Option<WindowSpec>,
    emit: Emit,
    store: Store,
) -> Result<Box<dyn Operator>, RuntimeError> {
    let mut fold = Fold::new(builder, calls, store)?;
    let session = window.is_some_and(|w| w.kind == WindowKind::Session);
    if builder.settings.cache_bytes > 0 && emit == Emit::Changes && !session {
        fold.held = Some(Held::new(fold.old));
    }
    let table = builder.input(0)?.table;
    match window {
        None if emit == Emit::Final => Err(RuntimeError::Plan("EMIT FINAL needs a window".to_string())),
        None => Ok(Box::new(plain::Plain::new(fold, table))),
        Some(_) if table => Err(RuntimeError::Plan("a table cannot be aggregated by windows".to_string())),
        Some(spec) if spec.kind == WindowKind::Session => Ok(Box::new(session::Session::new(fold, spec, emit))),
        Some(spec) => Ok(Box::new(windowed::Windowed::new(fold, spec, emit))),
    }
}

/// The aggregate calls of a node, their store, and the slots of the step at hand.
pub(super) struct Fold {
    pub store: Store,
    key_types: Vec<SqlType>,
    args: Expressions,
    calls: Vec<(Box<dyn Accumulators>, Range<usize>, String)>,
    old: bool,
    /// There when results are held back until a commit.
    held: Option<Held>,
    slots: Slots,
    buffer: Vec<u8>,
}

/// What is known of each slot: its store key, whether the store has it, its timestamp.
#[derive(Default)]
pub(super) struct Slots {
    keys: Vec<u8>,
    ends: Vec<u32>,
    pub exists: Vec<bool>,
    pub times: Vec<i64>,
}

impl Slots {
    fn clear(&mut self) {
        self.keys.clear();
        self.ends.clear();
        self.exists.clear();
        self.times.clear();
    }

    /// Adds a slot; `write` appends its store key.
    pub fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> u32 {
        write(&mut self.keys);
        self.ends.push(self.keys.len() as u32);
        self.ends.len() as u32 - 1
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    fn key(&self, slot: usize) -> &[u8] {
        let start = slot.checked_sub(1).and_then(|s| self.ends.get(s)).copied().unwrap_or(0) as usize;
        let end = self.ends.get(slot).copied().unwrap_or(0) as usize;
        self.keys.get(start..end).unwrap_or_default()
    }

    /// Takes a row's timestamp into a slot and gives the result's: the greatest of the group.
    pub fn advance(&mut self, slot: u32, time: i64) -> i64 {
        let slot = slot as usize;
        let known = if self.exists[slot] { self.times[slot] } else { i64::MIN };
        self.exists[slot] = true;
        self.times[slot] = known.max(time);
        self.times[slot]
    }
}

/// Folding steps in order, and which of them end an output row.
#[derive(Default)]
pub(super) struct Steps {
    pub rows: Vec<u32>,
    pub slots: Vec<u32>,
    /// As long as the others, or empty when no step takes back.
    pub retract: Vec<bool>,
    /// As long as the others, or empty when every step gives an output row.
    pub emit: Vec<bool>,
}

/// Slot numbers by bytes, for one step.
pub(super) type ByKey<'a> = HashMap<&'a [u8], u32, ahash::RandomState>;

/// An empty map with room for some keys.
pub(super) fn by_key<'a>(rows: usize) -> ByKey<'a> {
    HashMap::with_capacity_and_hasher(rows.min(1 << 16), hasher())
}

/// Seeds of our own: the maps live for one step and hold no order.
pub(super) fn hasher() -> ahash::RandomState {
    ahash::RandomState::with_seeds(1, 2, 3, 4)
}

impl Fold {
    fn new(builder: &Builder<'_>, calls: &[Call], store: Store) -> Result<Self, RuntimeError> {
        let schema = &builder.input(0)?.schema;
        let settings: Settings = builder.plan.properties.clone();
        let mut accumulators = Vec::new();
        let mut at = 0;
        for call in calls {
            let resolved = AggregateCall {
                function: call.function.clone(),
                args: call.args.clone(),
                init: call.init.clone(),
                ty: call.ty.clone(),
                undo: builder.input(0)?.table,
            };
            let range = at..at + call.args.len();
            at = range.end;
            accumulators.push((builder.registry.accumulators(&resolved, &settings)?, range, call.function.clone()));
        }
        Ok(Fold {
            store,
            key_types: schema.keys.iter().map(|(_, ty)| ty.clone()).collect(),
            args: Expressions::new(calls.iter().flat_map(|c| &c.args), schema, builder.registry)?,
            calls: accumulators,
            old: builder.needs.old(builder.node.id),
            held: None,
            slots: Slots::default(),
            buffer: Vec::new(),
        })
    }

    /// The memcomparable keys of a chunk.
    fn keys(&self, chunk: &Chunk) -> flumen_types::KeyRows {
        flumen_types::encode_rows(&chunk.keys.iter().zip(&self.key_types).collect::<Vec<_>>(), chunk.rows())
    }

    /// The argument columns of one side of a chunk.
    fn args(&self, chunk: &Chunk, side: Side, rows: &Selection, ctx: &mut Context<'_>) -> Result<Vec<ArrayRef>, RuntimeError> {
        Ok(self.args.eval(chunk, side, rows, ctx)?.0)
    }

    /// Reads the states of all slots.
    fn load(&mut self) -> Result<(), RuntimeError> {
        let count = self.slots.len();
        self.calls.iter_mut().for_each(|(calls, ..)| calls.reset(count));
        self.slots.exists = vec![false; count];
        self.slots.times = vec![0; count];
        for slot in 0..count {
            let key = self.slots.key(slot);
            let stored = self.store.get(key)?;
            if let Some(held) = &mut self.held {
                held.touch(key, stored);
            }
            let Some(stored) = stored else { continue };
            let (time, mut body) = split_stored(stored)?;
            for (calls, ..) in &mut self.calls {
                calls.load(slot, &mut body)?;
            }
            self.slots.exists[slot] = true;
            self.slots.times[slot] = time;
        }
        Ok(())
    }

    /// Folds the steps and gives a column of results per call, one row for each step that ends an output row.
    fn fold(&mut self, steps: &Steps, args: &[ArrayRef], ctx: &mut Context<'_>) -> Result<Vec<ArrayRef>, RuntimeError> {
        let emit = match (&self.held, steps.emit.is_empty()) {
            (Some(_), _) => Emission::Nothing,
            (None, true) => Emission::Every,
            (None, false) => Emission::Marked(&steps.emit),
        };
        let mut results = Vec::with_capacity(self.calls.len());
        for (calls, range, function) in &mut self.calls {
            let batch = Batch {
                args: args.get(range.clone()).unwrap_or_default(),
                rows: &steps.rows,
                slots: &steps.slots,
                retract: (!steps.retract.is_empty()).then_some(steps.retract.as_slice()),
                emit,
            };
            let mut failures = Failures::new(steps.rows.len());
            calls.update(&batch, &mut failures)?;
            report(&failures, function, ctx);
            results.push(calls.take_emitted());
        }
        Ok(results)
    }

    /// Folds one row into one slot.
    fn fold_one(&mut self, row: u32, slot: u32, args: &[ArrayRef], ctx: &mut Context<'_>) -> Result<(), RuntimeError> {
        for (calls, range, function) in &mut self.calls {
            let args = args.get(range.clone()).unwrap_or_default();
            let batch = Batch { args, rows: &[row], slots: &[slot], retract: None, emit: Emission::Nothing };
            let mut failures = Failures::new(1);
            calls.update(&batch, &mut failures)?;
            report(&failures, function, ctx);
        }
        Ok(())
    }

    /// The results of all slots as they are now.
    fn results(&self) -> Vec<ArrayRef> {
        let all: Vec<u32> = (0..self.slots.len() as u32).collect();
        self.calls.iter().map(|(calls, ..)| calls.results(&all)).collect()
    }

    /// Writes the slots that exist to the store.
    fn save(&mut self) {
        let mut value = std::mem::take(&mut self.buffer);
        for slot in (0..self.slots.len()).filter(|s| self.slots.exists[*s]) {
            self.write_state(slot, self.slots.times[slot], &mut value);
            self.store.put(self.slots.key(slot), Some(&value));
        }
        self.buffer = value;
    }

    /// The stored value of a slot.
    fn write_state(&self, slot: usize, time: i64, value: &mut Vec<u8>) {
        value.clear();
        stored_value(time, &[], value);
        for (calls, ..) in &self.calls {
            calls.save(slot, value);
        }
    }

    /// Forgets all slots.
    fn reset(&mut self) {
        self.slots.clear();
        self.calls.iter_mut().for_each(|(calls, ..)| calls.reset(0));
    }

    /// A new slot in the initial state.
    fn new_slot(&mut self) -> u32 {
        let slot = self.slots.add(|_| {});
        self.calls.iter_mut().for_each(|(calls, ..)| calls.grow(slot as usize + 1));
        slot
    }

    /// A new slot with a stored state.
    fn load_new(&mut self, mut body: &[u8]) -> Result<u32, RuntimeError> {
        let slot = self.new_slot();
        for (calls, ..) in &mut self.calls {
            calls.load(slot as usize, &mut body)?;
        }
        Ok(slot)
    }

    /// A new slot that holds what these hold together.
    fn join(&mut self, slots: impl Iterator<Item = u32>) -> u32 {
        let into = self.new_slot();
        for from in slots {
            self.calls.iter_mut().for_each(|(calls, ..)| calls.merge(from as usize, into as usize));
        }
        into
    }

    /// Results of slots; NULL where there is none.
    fn results_at(&self, slots: &[Option<u32>]) -> Result<Vec<ArrayRef>, RuntimeError> {
        let wanted: Vec<u32> = slots.iter().flatten().copied().collect();
        let results: Vec<ArrayRef> = self.calls.iter().map(|(calls, ..)| calls.results(&wanted)).collect();
        if wanted.len() == slots.len() {
            return Ok(results);
        }
        pick_columns(&results, &numbered(&slots.iter().map(Option::is_some).collect::<Vec<bool>>()))
    }

    /// The rows of output: results by emission number, where there is one, under the keys of `rows`.
    fn output(&self, chunk: &Chunk, rows: Vec<u32>, times: Vec<i64>, results: Vec<ArrayRef>) -> Result<Chunk, RuntimeError> {
        let whole = rows.len() == chunk.rows() && rows.iter().enumerate().all(|(i, r)| i as u32 == *r);
        let mut out = match whole {
            true => Chunk { values: Vec::new(), old: None, deleted: None, ..chunk.clone() },
            false => chunk.pick_meta(&UInt32Array::from(rows))?,
        };
        out.null_keys = None;
        out.timestamps = Int64Array::from(times);
        out.values = results;
        Ok(out)
    }
}

/// The results before each output row: those of the slots before the step, or the slot's latest emission before it.
///
/// `slots` are the slots of the output rows; `initial` has a row per slot, `emitted` one per output row.
fn before(initial: &[ArrayRef], emitted: &[ArrayRef], slots: &[u32], count: usize) -> Result<Vec<ArrayRef>, RuntimeError> {
    let mut latest: Vec<u32> = (0..count as u32).collect();
    let mut at = Vec::with_capacity(slots.len());
    for (row, slot) in slots.iter().enumerate() {
        let slot = *slot as usize;
        at.push(latest[slot]);
        latest[slot] = (count + row) as u32;
    }
    let rows = UInt32Array::from(at);
    let both = |(a, b): (&ArrayRef, &ArrayRef)| Ok(concat(&[a.as_ref(), b.as_ref()])?);
    let all = initial.iter().zip(emitted).map(both).collect::<Result<Vec<ArrayRef>, RuntimeError>>()?;
    pick_columns(&all, &rows)
}

/// Old rows that are all there.
fn all_present(values: Vec<ArrayRef>, rows: usize) -> OldRows {
    OldRows { values, present: BooleanBuffer::new_set(rows) }
}

/// Numbers of the set marks in order, and NULL elsewhere: where to find a marked step's emission.
fn numbered(marks: &[bool]) -> UInt32Array {
    let mut next = 0;
    let number = |mark: &bool| {
        mark.then(|| {
            next += 1;
            next - 1
        })
    };
    let numbers: UInt32Array = marks.iter().map(number).collect();
    debug_assert_eq!(numbers.len(), marks.len());
    numbers
}

fn report(failures: &Failures, function: &str, ctx: &mut Context<'_>) {
    for (_, message) in failures.messages() {
        ctx.out.log.push(LogEntry {
            node: ctx.node,
            kind: LogKind::Processing,
            target: None,
            reason: format!("aggregate {function} failed on a row: {message}"),
            record: None,
        });
    }
}
