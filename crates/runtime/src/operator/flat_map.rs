//! Table functions: one row per element, side by side, padded with NULL to the longest.

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt32Array};
use arrow::compute::take;
use flumen_plan::NamedExpr;

use super::{Builder, Context, Inputs, Operator};
use crate::evaluate::{Expressions, Side, present};
use crate::{Chunk, RuntimeError};

pub(super) struct FlatMap {
    functions: Expressions,
}

impl FlatMap {
    pub fn new(builder: &Builder<'_>, functions: &[NamedExpr]) -> Result<Self, RuntimeError> {
        if builder.node.table {
            return Err(RuntimeError::Plan("table functions cannot be applied to a table".to_string()));
        }
        let schema = &builder.input(0)?.schema;
        Ok(FlatMap { functions: Expressions::new(functions.iter().map(|f| &f.expr), schema, builder.registry)? })
    }
}

impl Operator for FlatMap {
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let Some(chunk) = inputs.left else { return Ok(None) };
        let (arrays, _) = self.functions.eval(&chunk, Side::New, &present(&chunk, Side::New), ctx)?;
        let lists = arrays.iter().map(as_list).collect::<Result<Vec<&ListArray>, _>>()?;
        let len = |list: &ListArray, row: usize| if list.is_null(row) { 0 } else { list.value_length(row) as u32 };
        let mut sources = Vec::new();
        let mut elements: Vec<Vec<Option<u32>>> = vec![Vec::new(); lists.len()];
        for row in 0..chunk.rows() {
            let longest = lists.iter().map(|l| len(l, row)).max().unwrap_or(0);
            sources.extend(std::iter::repeat_n(row as u32, longest as usize));
            for (list, at) in lists.iter().zip(&mut elements) {
                let (start, count) = (list.value_offsets()[row] as u32, len(list, row));
                at.extend((0..longest).map(|i| (i < count).then_some(start + i)));
            }
        }
        let mut out = chunk.pick(&UInt32Array::from(sources))?;
        for (list, at) in lists.iter().zip(elements) {
            out.values.push(take(list.values().as_ref(), &UInt32Array::from(at), None)?);
        }
        Ok(Some(out))
    }
}

fn as_list(array: &ArrayRef) -> Result<&ListArray, RuntimeError> {
    array.as_list_opt::<i32>().ok_or_else(|| RuntimeError::Plan("a table function does not return an ARRAY".to_string()))
}
