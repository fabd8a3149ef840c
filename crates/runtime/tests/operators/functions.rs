//! A registry of a few functions, enough for plans of these tests.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, ListArray, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, Int64Type};
use flumen_expr::function::{AggregateFunction, BIGINT, Batch, ScalarFunction, Signature, array, map1, whole};
use flumen_expr::{Accumulators, ExprError, Failures, Registry};

pub fn registry() -> Arc<Registry> {
    let mut registry = Registry::new();
    registry.add_aggregate(
        AggregateFunction::new("COUNT", "Rows.").overload(Signature::new([], BIGINT), true, |_| Ok(Box::new(Sums::default()))),
    );
    registry.add_aggregate(
        AggregateFunction::new("SUM", "Sum.").overload(Signature::new([BIGINT], BIGINT), true, |_| Ok(Box::new(Sums::default()))),
    );
    registry.add_scalar(ScalarFunction::new("HALF", "MATH", "Half of an even number.").overload(
        Signature::new([BIGINT], BIGINT),
        map1::<i64, i64>(|n| if n % 2 == 0 { Ok(Some(n / 2)) } else { Err("it is odd".to_string()) }),
    ));
    // DOWN(n) gives n, n-1, … 1.
    registry.add_table(ScalarFunction::new("DOWN", "TABLE", "Counts down.").overload(
        Signature::new([BIGINT], array(BIGINT)),
        whole(|call, _| {
            let numbers = call.args[0].as_primitive::<Int64Type>();
            let (mut values, mut ends) = (Vec::new(), vec![0]);
            for row in 0..call.rows {
                if numbers.is_valid(row) {
                    values.extend((1..=numbers.value(row)).rev());
                }
                ends.push(values.len() as i32);
            }
            let field = Arc::new(Field::new("item", DataType::Int64, true));
            let items = Arc::new(Int64Array::from(values));
            Ok(Arc::new(ListArray::new(field, OffsetBuffer::new(ends.into()), items, None)) as ArrayRef)
        }),
    ));
    Arc::new(registry)
}

/// COUNT without an argument, SUM with one.
#[derive(Default)]
struct Sums {
    sums: Vec<i64>,
    emitted: Vec<i64>,
}

impl Accumulators for Sums {
    fn reset(&mut self, slots: usize) {
        self.sums = vec![0; slots];
        self.emitted.clear();
    }

    fn grow(&mut self, slots: usize) {
        self.sums.resize(slots, 0);
    }

    fn clear(&mut self, slot: usize) {
        self.sums[slot] = 0;
    }

    fn load(&mut self, slot: usize, bytes: &mut &[u8]) -> Result<(), ExprError> {
        let (head, rest) = bytes.split_first_chunk::<8>().ok_or_else(|| ExprError::user("too short"))?;
        *bytes = rest;
        self.sums[slot] = i64::from_be_bytes(*head);
        Ok(())
    }

    fn save(&self, slot: usize, out: &mut Vec<u8>) {
        out.extend(self.sums[slot].to_be_bytes());
    }

    fn update(&mut self, batch: &Batch<'_>, _: &mut Failures) -> Result<(), ExprError> {
        for (step, row, slot, back) in batch.steps() {
            let one = match batch.args.first() {
                None => 1,
                Some(column) if column.is_null(row) => 0,
                Some(column) => column.as_primitive::<Int64Type>().value(row),
            };
            self.sums[slot] += if back { -one } else { one };
            if batch.emit.at(step) {
                self.emitted.push(self.sums[slot]);
            }
        }
        Ok(())
    }

    fn merge(&mut self, from: usize, into: usize) {
        self.sums[into] += self.sums[from];
    }

    fn take_emitted(&mut self) -> ArrayRef {
        Arc::new(Int64Array::from(std::mem::take(&mut self.emitted)))
    }

    fn results(&self, slots: &[u32]) -> ArrayRef {
        take(&Int64Array::from(self.sums.clone()), &UInt32Array::from(slots.to_vec()), None).expect("slots that are there")
    }
}
