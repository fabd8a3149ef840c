//! HISTOGRAM: how often each text came, for the first 1,000 texts.

use std::collections::HashMap;

use arrow::array::{Array, ArrayRef, AsArray, Int64Builder, MapBuilder, StringArray, StringBuilder};
use arrow::datatypes::{DataType, Field};
use flumen_expr::ExprError;
use flumen_expr::function::{AggregateFunction, BIGINT, STRING, Signature, map};

use super::argument;
use super::cell::{Fixed, load_bytes, load_count, save_bytes, save_count};
use super::slots::{Kernel, Slots};

const MOST_KEYS: usize = 1_000;

pub(super) fn function() -> AggregateFunction {
    AggregateFunction::new("HISTOGRAM", "Counts each distinct text, of the first 1,000 only.").composite_state().overload(
        Signature::new([STRING], map(STRING, BIGINT)),
        true,
        |_| Slots::boxed(Histogram),
    )
}

struct Histogram;

/// Counts in first-seen order, and where each text stands.
#[derive(Clone, Default)]
struct Counts {
    entries: Vec<(String, i64)>,
    places: HashMap<String, usize>,
}

impl Counts {
    fn add(&mut self, text: &str, count: i64) {
        match self.places.get(text) {
            Some(at) => self.entries[*at].1 += count,
            None if self.entries.len() < MOST_KEYS => {
                self.places.insert(text.to_string(), self.entries.len());
                self.entries.push((text.to_string(), count));
            }
            None => {}
        }
    }

    fn remove(&mut self, text: &str) {
        let Some(at) = self.places.get(text).copied() else { return };
        self.entries[at].1 -= 1;
        if self.entries[at].1 < 1 {
            self.entries.remove(at);
            self.places = self.entries.iter().enumerate().map(|(i, (text, _))| (text.clone(), i)).collect();
        }
    }
}

impl Kernel for Histogram {
    type State = Counts;
    type Args<'a> = &'a StringArray;
    type Output = MapBuilder<StringBuilder, Int64Builder>;

    fn initial(&self) -> Counts {
        Counts::default()
    }

    fn bind<'a>(&self, args: &'a [ArrayRef]) -> Result<&'a StringArray, ExprError> {
        argument(args, 0)?.as_string_opt::<i32>().ok_or_else(|| ExprError::user("HISTOGRAM counts STRINGs only"))
    }

    fn add(&self, state: &mut Counts, column: &&StringArray, row: usize, _: i64) -> Result<(), String> {
        if column.is_valid(row) {
            state.add(column.value(row), 1);
        }
        Ok(())
    }

    fn undo(&self, state: &mut Counts, column: &&StringArray, row: usize) -> Result<(), String> {
        if column.is_valid(row) {
            state.remove(column.value(row));
        }
        Ok(())
    }

    fn merge(&self, into: &mut Counts, from: Counts) {
        for (text, count) in from.entries {
            into.add(&text, count);
        }
    }

    fn save(&self, state: &Counts, out: &mut Vec<u8>) {
        save_count(state.entries.len(), out);
        for (text, count) in &state.entries {
            save_bytes(text.as_bytes(), out);
            count.put(out);
        }
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Counts> {
        let mut state = Counts::default();
        for _ in 0..load_count(bytes)? {
            let text = std::str::from_utf8(load_bytes(bytes)?).ok()?;
            state.add(text, Fixed::take(bytes)?);
        }
        Some(state)
    }

    fn output(&self) -> Self::Output {
        let names = arrow::array::MapFieldNames { entry: "entries".into(), key: "keys".into(), value: "values".into() };
        MapBuilder::new(Some(names), StringBuilder::new(), Int64Builder::new()).with_values_field(Field::new(
            "values",
            DataType::Int64,
            true,
        ))
    }

    fn emit(&self, state: &Counts, out: &mut Self::Output) {
        for (text, count) in &state.entries {
            out.keys().append_value(text);
            out.values().append_value(*count);
        }
        // Keys and values were appended in pairs: there is nothing to refuse.
        let _ = out.append(true);
    }

    fn finish(&self, mut out: Self::Output) -> ArrayRef {
        std::sync::Arc::new(out.finish())
    }
}
