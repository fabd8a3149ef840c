//! Keeps rows for which a condition is true; on a table, turns the others into deletions.

use flumen_expr::Expr;

use super::{Builder, Context, Inputs, Operator};
use crate::chunk::mask;
use crate::evaluate::{Expressions, Side, bits_of, present};
use crate::{Chunk, RuntimeError};

pub(super) struct Filter {
    predicate: Expressions,
    table: bool,
}

impl Filter {
    pub fn new(builder: &Builder<'_>, predicate: &Expr) -> Result<Self, RuntimeError> {
        let predicate = Expressions::new([predicate], &builder.input(0)?.schema, builder.registry)?;
        Ok(Filter { predicate, table: builder.node.table })
    }
}

impl Operator for Filter {
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let Some(mut chunk) = inputs.left else { return Ok(None) };
        let rows = chunk.rows();
        let holds = self.predicate.holds(&chunk, Side::New, &present(&chunk, Side::New), ctx)?;
        if !self.table {
            return Ok(Some(if holds.len() == rows { chunk } else { chunk.keep_rows(Some(holds))? }));
        }
        let passes = bits_of(&holds, rows);
        let old_holds = match &chunk.old {
            Some(_) => Some(self.predicate.holds(&chunk, Side::Old, &present(&chunk, Side::Old), ctx)?),
            None => None,
        };
        chunk.deleted = mask(!&passes);
        let (Some(old), Some(old_holds)) = (&mut chunk.old, old_holds) else {
            // Whether the key was there is not known: every row that fails deletes it.
            return Ok(Some(chunk));
        };
        old.present = bits_of(&old_holds, rows);
        let kept = &passes | &old.present;
        Ok(Some(chunk.keep(&kept)?))
    }
}
