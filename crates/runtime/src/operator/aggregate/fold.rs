//! The aggregate calls of a node at work on the slots of one step.

use std::ops::Range;

use arrow::array::{ArrayRef, Int64Array, UInt32Array};
use flumen_expr::function::{Batch, Emit as Emission, Settings};
use flumen_expr::{Accumulators, AggregateCall, Failures, Selection};
use flumen_plan::AggregateCall as Call;
use flumen_state::{Store, split_stored, stored_value};
use flumen_types::SqlType;

use super::held::Held;
use super::{Builder, Context, Steps, numbered};
use crate::chunk::pick_columns;
use crate::evaluate::{Expressions, Side};
use crate::{Chunk, LogEntry, LogKind, RuntimeError};

/// The aggregate calls of a node, their store, and the slots of the step at hand.
pub(super) struct Fold {
    pub store: Store,
    pub key_types: Vec<SqlType>,
    pub args: Expressions,
    pub calls: Vec<(Box<dyn Accumulators>, Range<usize>, String)>,
    pub old: bool,
    /// There when results are held back until a commit.
    pub held: Option<Held>,
    pub slots: Slots,
    pub buffer: Vec<u8>,
}

/// What is known of each slot: whether the store has it, its timestamp.
#[derive(Default)]
pub(super) struct Slots {
    count: u32,
    pub exists: Vec<bool>,
    pub times: Vec<i64>,
}

impl Slots {
    /// This many slots of which nothing is known.
    fn reset(&mut self, count: usize) {
        self.count = count as u32;
        self.exists.clear();
        self.exists.resize(count, false);
        self.times.clear();
        self.times.resize(count, 0);
    }

    pub fn len(&self) -> usize {
        self.count as usize
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

impl Fold {
    pub fn new(builder: &Builder<'_>, calls: &[Call], store: Store) -> Result<Self, RuntimeError> {
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
    pub fn keys(&self, chunk: &Chunk) -> flumen_types::KeyRows {
        flumen_types::encode_rows(&chunk.keys.iter().zip(&self.key_types).collect::<Vec<_>>(), chunk.rows())
    }

    /// The argument columns of one side of a chunk.
    pub fn args(&self, chunk: &Chunk, side: Side, rows: &Selection, ctx: &mut Context<'_>) -> Result<Vec<ArrayRef>, RuntimeError> {
        Ok(self.args.eval(chunk, side, rows, ctx)?.0)
    }

    /// Reads the states of all slots that the store has given.
    pub fn load(&mut self) -> Result<(), RuntimeError> {
        let count = self.store.slots();
        self.calls.iter_mut().for_each(|(calls, ..)| calls.reset(count));
        self.slots.reset(count);
        for slot in 0..count {
            let stored = self.store.slot_value(slot);
            if let Some(held) = &mut self.held {
                held.touch(self.store.slot_key(slot), stored);
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
    pub fn fold(&mut self, steps: &Steps, args: &[ArrayRef], ctx: &mut Context<'_>) -> Result<Vec<ArrayRef>, RuntimeError> {
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
    pub fn fold_one(&mut self, row: u32, slot: u32, args: &[ArrayRef], ctx: &mut Context<'_>) -> Result<(), RuntimeError> {
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
    pub fn results(&self) -> Vec<ArrayRef> {
        let all: Vec<u32> = (0..self.slots.count).collect();
        self.calls.iter().map(|(calls, ..)| calls.results(&all)).collect()
    }

    /// Writes the slots that exist to the store.
    pub fn save(&mut self) {
        let mut value = std::mem::take(&mut self.buffer);
        for slot in (0..self.slots.exists.len()).filter(|s| self.slots.exists[*s]) {
            self.write_state(slot, self.slots.times[slot], &mut value);
            self.store.set_slot(slot, Some(&value));
        }
        self.buffer = value;
    }

    /// The stored value of a slot.
    pub fn write_state(&self, slot: usize, time: i64, value: &mut Vec<u8>) {
        value.clear();
        stored_value(time, &[], value);
        for (calls, ..) in &self.calls {
            calls.save(slot, value);
        }
    }

    /// Forgets all slots.
    pub fn reset(&mut self) {
        self.slots.reset(0);
        self.calls.iter_mut().for_each(|(calls, ..)| calls.reset(0));
    }

    /// A new slot in the initial state.
    pub fn new_slot(&mut self) -> u32 {
        let slot = self.slots.count;
        self.slots.count += 1;
        self.calls.iter_mut().for_each(|(calls, ..)| calls.grow(slot as usize + 1));
        slot
    }

    /// A new slot with a stored state.
    pub fn load_new(&mut self, mut body: &[u8]) -> Result<u32, RuntimeError> {
        let slot = self.new_slot();
        for (calls, ..) in &mut self.calls {
            calls.load(slot as usize, &mut body)?;
        }
        Ok(slot)
    }

    /// A new slot that holds what these hold together.
    pub fn join(&mut self, slots: impl Iterator<Item = u32>) -> u32 {
        let into = self.new_slot();
        for from in slots {
            self.calls.iter_mut().for_each(|(calls, ..)| calls.merge(from as usize, into as usize));
        }
        into
    }

    /// Results of slots; NULL where there is none.
    pub fn results_at(&self, slots: &[Option<u32>]) -> Result<Vec<ArrayRef>, RuntimeError> {
        let wanted: Vec<u32> = slots.iter().flatten().copied().collect();
        let results: Vec<ArrayRef> = self.calls.iter().map(|(calls, ..)| calls.results(&wanted)).collect();
        if wanted.len() == slots.len() {
            return Ok(results);
        }
        pick_columns(&results, &numbered(&slots.iter().map(Option::is_some).collect::<Vec<bool>>()))
    }

    /// The rows of output: results by emission number, where there is one, under the keys of `rows`.
    pub fn output(&self, chunk: &Chunk, rows: Vec<u32>, times: Vec<i64>, results: Vec<ArrayRef>) -> Result<Chunk, RuntimeError> {
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
