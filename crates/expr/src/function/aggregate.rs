//! Aggregate functions: the interface of their state over many groups at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::ArrayRef;
use flumen_types::{SqlType, Value};
use serde::{Deserialize, Serialize};

use super::Signature;
use crate::{Expr, ExprError, Failures};

/// Properties that aggregates read, by full name, as `ksql.functions.collect_list.limit`.
pub type Settings = BTreeMap<String, String>;

/// A resolved aggregate call, as plans persist it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AggregateCall {
    /// Upper-case name.
    pub function: String,
    /// The arguments computed from each row; none means that rows are counted.
    pub args: Vec<Expr>,
    /// The literal arguments behind them.
    pub init: Vec<Value>,
    /// Type of the result.
    pub ty: SqlType,
    /// True when a row can be taken back, as aggregating a table needs.
    pub undo: bool,
}

/// What a factory needs to know to make the state of a call.
pub struct Instance<'a> {
    /// Types of the row arguments.
    pub types: Vec<SqlType>,
    /// The literal arguments.
    pub init: &'a [Value],
    /// Type of the result.
    pub return_type: &'a SqlType,
    /// Properties.
    pub settings: &'a Settings,
}

/// Makes the state of a call.
pub type Factory = Arc<dyn Fn(&Instance<'_>) -> Result<Box<dyn Accumulators>, ExprError> + Send + Sync>;

/// One signature of an aggregate.
#[derive(Clone)]
pub struct AggregateOverload {
    /// All arguments, literal ones last, and the return type.
    pub signature: Signature,
    /// How many of the last arguments must be literals.
    pub init: usize,
    /// True when a row can be taken back.
    pub undo: bool,
    /// Makes the state.
    pub factory: Factory,
}

/// An aggregate function.
#[derive(Clone)]
pub struct AggregateFunction {
    /// Upper-case name.
    pub name: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// The overloads.
    pub overloads: Vec<AggregateOverload>,
    /// True when the state of a group is a collection or several values. In ksqlDB such a state must fit the format of the
    /// values that are aggregated.
    pub composite_state: bool,
}

impl AggregateFunction {
    /// A function without overloads.
    pub fn new(name: &'static str, description: &'static str) -> Self {
        AggregateFunction { name, description, overloads: Vec::new(), composite_state: false }
    }

    /// The state of a group is a collection or several values.
    pub fn composite_state(self) -> Self {
        AggregateFunction { composite_state: true, ..self }
    }

    /// Adds an overload without literal arguments.
    pub fn overload(
        self,
        signature: Signature,
        undo: bool,
        factory: impl Fn(&Instance<'_>) -> Result<Box<dyn Accumulators>, ExprError> + Send + Sync + 'static,
    ) -> Self {
        self.overload_with_literals(signature, 0, undo, factory)
    }

    /// Adds an overload whose last `init` arguments are literals.
    pub fn overload_with_literals(
        mut self,
        signature: Signature,
        init: usize,
        undo: bool,
        factory: impl Fn(&Instance<'_>) -> Result<Box<dyn Accumulators>, ExprError> + Send + Sync + 'static,
    ) -> Self {
        self.overloads.push(AggregateOverload { signature, init, undo, factory: Arc::new(factory) });
        self
    }
}

/// Which steps of a batch append their group's result.
#[derive(Debug, Clone, Copy)]
pub enum Emit<'a> {
    /// None.
    Nothing,
    /// Every one.
    Every,
    /// Those marked; as long as the batch.
    Marked(&'a [bool]),
}

impl Emit<'_> {
    /// True when step `i` appends its group's result.
    pub fn at(&self, i: usize) -> bool {
        match self {
            Emit::Nothing => false,
            Emit::Every => true,
            Emit::Marked(marks) => marks.get(i).copied().unwrap_or(false),
        }
    }
}

/// Steps to apply in order: step `i` takes row `rows[i]` of the arguments into (or back from) slot `slots[i]`.
pub struct Batch<'a> {
    /// The argument columns.
    pub args: &'a [ArrayRef],
    /// Row of each step.
    pub rows: &'a [u32],
    /// Slot of each step, as many as rows.
    pub slots: &'a [u32],
    /// Marks the steps that take their row back; `None`: no step does.
    pub retract: Option<&'a [bool]>,
    /// Which steps append their group's result, after the step.
    pub emit: Emit<'a>,
}

impl Batch<'_> {
    /// The steps: number, row, slot, whether it takes back.
    pub fn steps(&self) -> impl Iterator<Item = (usize, usize, usize, bool)> {
        self.rows.iter().zip(self.slots).enumerate().map(|(i, (row, slot))| {
            let back = self.retract.and_then(|r| r.get(i)).copied().unwrap_or(false);
            (i, *row as usize, *slot as usize, back)
        })
    }
}

/// The states of one aggregate call for many groups, one slot each: one call through the table per chunk, none per row.
pub trait Accumulators: Send {
    /// Makes `slots` slots, all in the initial state, and forgets what was appended.
    fn reset(&mut self, slots: usize);

    /// Makes it `slots` slots by adding initial ones.
    fn grow(&mut self, slots: usize);

    /// Puts one slot into the initial state.
    fn clear(&mut self, slot: usize);

    /// Tells the wall clock (epoch milliseconds) before a batch. Functions that depend on the order of rows number them, so
    /// that those of a later batch come later, after a restart too.
    fn advance(&mut self, _now_ms: i64) {}

    /// Reads a state that `save` wrote and advances the slice past it.
    ///
    /// # Errors
    /// Bytes that are not such a state; the slot is then in the initial state.
    fn load(&mut self, slot: usize, bytes: &mut &[u8]) -> Result<(), ExprError>;

    /// Appends the state's bytes. The format is persisted and never changes for a call of the same types.
    fn save(&self, slot: usize, out: &mut Vec<u8>);

    /// Applies a batch. A failed step leaves its slot as it was, is reported under its step number, and still appends
    /// the result when it is to.
    fn update(&mut self, batch: &Batch<'_>, failures: &mut Failures) -> Result<(), ExprError>;

    /// Adds the state of one slot to another (session windows); `from` stays as it is.
    fn merge(&mut self, from: usize, into: usize);

    /// The results appended by `update` since the last call.
    fn take_emitted(&mut self) -> ArrayRef;

    /// The results of these slots.
    fn results(&self, slots: &[u32]) -> ArrayRef;
}
