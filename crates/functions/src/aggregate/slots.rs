//! One aggregate's states over many groups, the per-row work dispatched statically.

use arrow::array::ArrayRef;
use flumen_expr::function::{Accumulators, Batch};
use flumen_expr::{ExprError, Failures};

/// What one aggregate does with one state.
pub(super) trait Kernel: Send + 'static {
    /// A group's state.
    type State: Clone + Send;
    /// The argument columns as their own types.
    type Args<'a>;
    /// Builds the result column.
    type Output: Send;

    fn initial(&self) -> Self::State;

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<Self::Args<'a>, ExprError>;

    /// Takes a row in; `sequence` grows from row to row. On an error the state is as it was.
    fn add(&self, state: &mut Self::State, args: &Self::Args<'_>, row: usize, sequence: i64) -> Result<(), String>;

    /// Takes a row back.
    fn undo(&self, _state: &mut Self::State, _args: &Self::Args<'_>, _row: usize) -> Result<(), String> {
        Err("this aggregate cannot take a row back".to_string())
    }

    fn merge(&self, into: &mut Self::State, from: Self::State);

    fn save(&self, state: &Self::State, out: &mut Vec<u8>);

    /// `None` when the bytes are not a saved state.
    fn load(&self, bytes: &mut &[u8]) -> Option<Self::State>;

    /// The highest sequence number in a state.
    fn last_sequence(&self, _state: &Self::State) -> i64 {
        0
    }

    fn output(&self) -> Self::Output;

    fn emit(&self, state: &Self::State, out: &mut Self::Output);

    fn finish(&self, out: Self::Output) -> ArrayRef;
}

/// The states of a kernel.
pub(super) struct Slots<K: Kernel> {
    kernel: K,
    states: Vec<K::State>,
    emitted: K::Output,
    sequence: i64,
}

impl<K: Kernel> Slots<K> {
    pub fn boxed(kernel: K) -> Result<Box<dyn Accumulators>, ExprError> {
        let emitted = kernel.output();
        Ok(Box::new(Slots { kernel, states: Vec::new(), emitted, sequence: 0 }))
    }
}

/// Steps between one clock reading's numbers and the next one's.
const PER_MILLISECOND_BITS: u32 = 20;

impl<K: Kernel> Accumulators for Slots<K> {
    fn reset(&mut self, slots: usize) {
        self.states.clear();
        self.emitted = self.kernel.output();
        self.grow(slots);
    }

    fn grow(&mut self, slots: usize) {
        self.states.resize(slots.max(self.states.len()), self.kernel.initial());
    }

    fn clear(&mut self, slot: usize) {
        if let Some(state) = self.states.get_mut(slot) {
            *state = self.kernel.initial();
        }
    }

    fn advance(&mut self, now_ms: i64) {
        self.sequence = self.sequence.max(now_ms.saturating_mul(1 << PER_MILLISECOND_BITS));
    }

    fn load(&mut self, slot: usize, bytes: &mut &[u8]) -> Result<(), ExprError> {
        let loaded = self.kernel.load(bytes);
        let state = self.states.get_mut(slot).ok_or_else(|| ExprError::user(format!("there is no slot {slot}")))?;
        match loaded {
            Some(loaded) => {
                self.sequence = self.sequence.max(self.kernel.last_sequence(&loaded));
                *state = loaded;
                Ok(())
            }
            None => {
                *state = self.kernel.initial();
                Err(ExprError::user("the stored state of an aggregate is damaged"))
            }
        }
    }

    fn save(&self, slot: usize, out: &mut Vec<u8>) {
        if let Some(state) = self.states.get(slot) {
            self.kernel.save(state, out);
        }
    }

    fn update(&mut self, batch: &Batch<'_>, failures: &mut Failures) -> Result<(), ExprError> {
        let args = self.kernel.bind(batch.args)?;
        for (step, row, slot, back) in batch.steps() {
            let state = self.states.get_mut(slot).ok_or_else(|| ExprError::user(format!("there is no slot {slot}")))?;
            self.sequence = self.sequence.wrapping_add(1);
            let done = if back { self.kernel.undo(state, &args, row) } else { self.kernel.add(state, &args, row, self.sequence) };
            if let Err(text) = done {
                failures.fail(step, || text);
            }
            if batch.emit.at(step) {
                self.kernel.emit(state, &mut self.emitted);
            }
        }
        Ok(())
    }

    fn merge(&mut self, from: usize, into: usize) {
        if let (Some(source), Some(target)) = (self.states.get(from).cloned(), self.states.get_mut(into)) {
            self.kernel.merge(target, source);
        }
    }

    fn take_emitted(&mut self) -> ArrayRef {
        let full = std::mem::replace(&mut self.emitted, self.kernel.output());
        self.kernel.finish(full)
    }

    fn results(&self, slots: &[u32]) -> ArrayRef {
        let mut out = self.kernel.output();
        let initial = self.kernel.initial();
        for slot in slots {
            self.kernel.emit(self.states.get(*slot as usize).unwrap_or(&initial), &mut out);
        }
        self.kernel.finish(out)
    }
}
