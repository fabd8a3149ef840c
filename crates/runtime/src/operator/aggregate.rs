//! Folds rows into one row a key: what plain and windowed aggregates share.
//!
//! A step gives every key (and window) it meets a slot, loads the states of the slots once, folds all rows with one call
//! per aggregate function, and saves the slots. Stored body: the states of the calls one after another.

mod fold;
mod held;
mod pending;
mod plain;
mod session;
mod windowed;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::concat;
use flumen_plan::{AggregateCall as Call, Emit};
use flumen_state::Store;
use flumen_types::{WindowKind, WindowSpec};

use super::{Builder, Context, Operator};
use crate::RuntimeError;
use crate::chunk::{OldRows, pick_columns};
use fold::Fold;
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

/// Seeds of our own: the maps live for one step and hold no order.
pub(super) fn hasher() -> ahash::RandomState {
    ahash::RandomState::with_seeds(1, 2, 3, 4)
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
