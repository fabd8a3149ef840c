//! Replaces the value columns by expressions.

use flumen_plan::NamedExpr;

use super::{Builder, Context, Inputs, Operator};
use crate::chunk::OldRows;
use crate::evaluate::{Expressions, Side, present};
use crate::{Chunk, RuntimeError};

pub(super) struct Select {
    values: Expressions,
    old: bool,
}

impl Select {
    pub fn new(builder: &Builder<'_>, values: &[NamedExpr]) -> Result<Self, RuntimeError> {
        let schema = &builder.input(0)?.schema;
        let values = Expressions::new(values.iter().map(|v| &v.expr), schema, builder.registry)?;
        Ok(Select { values, old: builder.needs.old(builder.node.id) })
    }
}

impl Operator for Select {
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let Some(mut chunk) = inputs.left else { return Ok(None) };
        let old = match &chunk.old {
            Some(old) if self.old => {
                let present_bits = old.present.clone();
                let (values, _) = self.values.eval(&chunk, Side::Old, &present(&chunk, Side::Old), ctx)?;
                Some(OldRows { values, present: present_bits })
            }
            _ => None,
        };
        chunk.values = self.values.eval(&chunk, Side::New, &present(&chunk, Side::New), ctx)?.0;
        chunk.old = old;
        Ok(Some(chunk))
    }
}
