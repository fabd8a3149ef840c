//! Expressions over chunks: the flat column list they see, and their failures as log entries.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int64Array, new_null_array};
use arrow::buffer::BooleanBuffer;
use arrow::compute::nullif;
use arrow::datatypes::DataType;
use flumen_expr::{Compiled, Expr, Failures, Input, Registry, Selection};
use flumen_plan::RowSchema;
use flumen_types::PseudoColumn;

use crate::operator::Context;
use crate::{Chunk, LogEntry, LogKind, RuntimeError};

/// Which rows of a table's changes are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    New,
    Old,
}

/// Compiled expressions over rows of one schema.
pub(crate) struct Expressions {
    compiled: Vec<(Compiled, String)>,
    /// Which pseudo columns any of them reads, as in [`PseudoColumn::ALL`].
    pseudo: Vec<(PseudoColumn, bool)>,
}

impl Expressions {
    pub fn new<'a>(exprs: impl IntoIterator<Item = &'a Expr>, schema: &RowSchema, registry: &Registry) -> Result<Self, RuntimeError> {
        let mut compiled = Vec::new();
        let mut pseudo: Vec<_> = PseudoColumn::ALL.into_iter().map(|p| (p, false)).collect();
        for expr in exprs {
            let used = expr.columns_used();
            pseudo.iter_mut().for_each(|(p, read)| *read |= used.iter().any(|c| *c == schema.pseudo_index(*p)));
            compiled.push((Compiled::new(expr, registry)?, expr.to_string()));
        }
        Ok(Expressions { compiled, pseudo })
    }

    /// One column per expression; NULL where a row was not selected or failed, and the rows that failed.
    pub fn eval(
        &self,
        chunk: &Chunk,
        side: Side,
        selection: &Selection,
        ctx: &mut Context<'_>,
    ) -> Result<(Vec<ArrayRef>, Vec<Failures>), RuntimeError> {
        let columns = self.columns(chunk, side)?;
        let input = Input { columns: &columns, rows: chunk.rows(), now_ms: ctx.now, random: ctx.random };
        let (mut arrays, mut failures) = (Vec::with_capacity(self.compiled.len()), Vec::with_capacity(self.compiled.len()));
        for (compiled, text) in &self.compiled {
            let result = compiled.eval(&input, selection)?;
            report(&result.failures, text, ctx);
            arrays.push(result.array);
            failures.push(result.failures);
        }
        Ok((arrays, failures))
    }

    /// The selected rows for which the first expression, a condition, is true.
    pub fn holds(&self, chunk: &Chunk, side: Side, selection: &Selection, ctx: &mut Context<'_>) -> Result<Vec<u32>, RuntimeError> {
        let columns = self.columns(chunk, side)?;
        let input = Input { columns: &columns, rows: chunk.rows(), now_ms: ctx.now, random: ctx.random };
        let Some((condition, text)) = self.compiled.first() else { return Ok(Vec::new()) };
        let filtered = condition.eval_filter(&input, selection)?;
        report(&filtered.failures, text, ctx);
        Ok(filtered.rows)
    }

    /// Keys, values, then the pseudo columns; what no expression reads of the latter is not made.
    fn columns(&self, chunk: &Chunk, side: Side) -> Result<Vec<ArrayRef>, RuntimeError> {
        let values = match (side, &chunk.old) {
            (Side::New, _) => chunk.values.as_slice(),
            (Side::Old, Some(old)) => old.values.as_slice(),
            (Side::Old, None) => &[],
        };
        let time: ArrayRef = Arc::new(chunk.timestamps.clone());
        let mut columns = Vec::with_capacity(chunk.keys.len() + values.len() + self.pseudo.len());
        columns.extend(chunk.keys.iter().cloned());
        columns.extend(values.iter().cloned());
        for (pseudo, read) in &self.pseudo {
            columns.push(if *read { pseudo_column(chunk, side, *pseudo)? } else { time.clone() });
        }
        Ok(columns)
    }
}

/// The rows of a side that have a value.
pub(crate) fn present(chunk: &Chunk, side: Side) -> Selection {
    let bits = match (side, &chunk.deleted, &chunk.old) {
        (Side::New, None, _) => return Selection::All,
        (Side::New, Some(deleted), _) => !deleted,
        (Side::Old, _, Some(old)) => old.present.clone(),
        (Side::Old, _, None) => return Selection::Rows(Vec::new()),
    };
    Selection::Rows(crate::chunk::rows_of(&bits))
}

/// Bits of these rows among `rows`.
pub(crate) fn bits_of(selected: &[u32], rows: usize) -> BooleanBuffer {
    let mut bits = vec![false; rows];
    for row in selected {
        if let Some(bit) = bits.get_mut(*row as usize) {
            *bit = true;
        }
    }
    BooleanBuffer::from(bits)
}

fn pseudo_column(chunk: &Chunk, side: Side, pseudo: PseudoColumn) -> Result<ArrayRef, RuntimeError> {
    let rows = chunk.rows();
    let longs = |a: Option<&Int64Array>| -> ArrayRef { a.map_or_else(|| new_null_array(&DataType::Int64, rows), |a| Arc::new(a.clone())) };
    let array: ArrayRef = match pseudo {
        PseudoColumn::RowTime => Arc::new(chunk.timestamps.clone()),
        PseudoColumn::RowPartition => match &chunk.origin {
            Some(origin) => Arc::new(origin.partitions.clone()),
            None => new_null_array(&DataType::Int32, rows),
        },
        PseudoColumn::RowOffset => longs(chunk.origin.as_ref().map(|o| &o.offsets)),
        PseudoColumn::WindowStart => longs(chunk.windows.as_ref().map(|w| &w.starts)),
        PseudoColumn::WindowEnd => longs(chunk.windows.as_ref().map(|w| &w.ends)),
    };
    // The pseudo columns belong to the value, window bounds apart: they are part of the key.
    let in_value = !matches!(pseudo, PseudoColumn::WindowStart | PseudoColumn::WindowEnd);
    match &chunk.deleted {
        Some(deleted) if in_value && side == Side::New => Ok(nullif(&array, &BooleanArray::new(deleted.clone(), None))?),
        _ => Ok(array),
    }
}

fn report(failures: &Failures, text: &str, ctx: &mut Context<'_>) {
    for (_, message) in failures.messages().iter().chain(failures.notes()) {
        ctx.out.log.push(LogEntry {
            node: ctx.node,
            kind: LogKind::Processing,
            target: None,
            reason: format!("Error computing expression {text}: {message}"),
            record: None,
        });
    }
    let kept = failures.messages().len();
    if failures.count() > kept {
        ctx.out.log.push(LogEntry {
            node: ctx.node,
            kind: LogKind::Processing,
            target: None,
            reason: format!("Error computing expression {text}: it failed for {} more rows", failures.count() - kept),
            record: None,
        });
    }
}
