//! IN and BETWEEN.

use std::sync::Arc;

use ahash::AHashSet;
use arrow::array::{Array, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{Int32Type, Int64Type};
use flumen_types::SqlType;

use super::Selection;
use super::compare::{bits, equal_bits};
use super::node::{Cx, Node};
use super::operand::{Operand, validity};
use crate::{CompareOp, ExprError, Failures};

/// From this many constants on a hash set is faster than one comparison each.
const HASHED_FROM: usize = 8;

pub(super) struct InNode {
    operand: Node,
    list: Vec<Node>,
    ty: SqlType,
    negated: bool,
    set: Option<Set>,
}

enum Set {
    Integers(AHashSet<i32>),
    Bigints(AHashSet<i64>),
    Strings(AHashSet<String>),
}

impl InNode {
    pub fn new(operand: Node, list: Vec<Node>, ty: SqlType, negated: bool) -> Self {
        let set = if list.len() >= HASHED_FROM { Set::of(&list, &ty) } else { None };
        InNode { operand, list, ty, negated, set }
    }
}

impl Set {
    /// The constants of a list; `None` when not all are, or of a type that is compared one by one.
    fn of(list: &[Node], ty: &SqlType) -> Option<Set> {
        let arrays = list.iter().map(|node| match node {
            Node::Constant(array) => Some(array),
            _ => None,
        });
        let arrays = arrays.collect::<Option<Vec<_>>>()?;
        let present = arrays.into_iter().filter(|a| a.is_valid(0));
        Some(match ty {
            SqlType::Integer => Set::Integers(present.map(|a| Some(a.as_primitive_opt::<Int32Type>()?.value(0))).collect::<Option<_>>()?),
            SqlType::Bigint => Set::Bigints(present.map(|a| Some(a.as_primitive_opt::<Int64Type>()?.value(0))).collect::<Option<_>>()?),
            SqlType::String => Set::Strings(present.map(|a| Some(a.as_string_opt::<i32>()?.value(0).to_string())).collect::<Option<_>>()?),
            _ => return None,
        })
    }

    /// Where a column's value is in the set; what stands at NULLs means nothing.
    fn bits(&self, operand: &Operand, rows: usize) -> Result<BooleanBuffer, ExprError> {
        Ok(match self {
            Set::Integers(set) => {
                let numbers = operand.numbers::<Int32Type>()?;
                BooleanBuffer::collect_bool(rows, |i| set.contains(&numbers.at(i)))
            }
            Set::Bigints(set) => {
                let numbers = operand.numbers::<Int64Type>()?;
                BooleanBuffer::collect_bool(rows, |i| set.contains(&numbers.at(i)))
            }
            Set::Strings(set) => {
                let Some(texts) = operand.array().as_string_opt::<i32>() else {
                    return Err(ExprError::user("the operand of IN is not a STRING"));
                };
                BooleanBuffer::collect_bool(rows, |i| set.contains(texts.value(operand.index(i))))
            }
        })
    }
}

fn answer(found: BooleanBuffer, negated: bool) -> Operand {
    let bits = if negated { !&found } else { found };
    Operand::Column(Arc::new(BooleanArray::new(bits, None)))
}

pub(super) fn is_in(node: &InNode, cx: &Cx<'_>, selection: &Selection, failures: &mut Failures) -> Result<Operand, ExprError> {
    let rows = cx.rows;
    let operand = node.operand.eval(cx, selection, failures)?;
    if let Some(set) = &node.set {
        let mut found = set.bits(&operand, rows)?;
        if let Some(valid) = validity(&[&operand], rows) {
            found = &found & valid.inner();
        }
        return Ok(answer(found, node.negated));
    }
    let mut found = BooleanBuffer::new_unset(rows);
    for item in &node.list {
        let item = item.eval(cx, selection, failures)?;
        let equal = equal_bits(&operand, &item, &node.ty, rows)?;
        found = &found | &equal;
    }
    Ok(answer(found, node.negated))
}

pub(super) fn between(
    (operand, low, high): (&Operand, &Operand, &Operand),
    types: &[SqlType; 3],
    negated: bool,
    rows: usize,
) -> Result<Operand, ExprError> {
    let [ty, low_type, high_type] = types;
    let above = bits(CompareOp::Ge, (operand, ty), (low, low_type), rows)?;
    let below = bits(CompareOp::Le, (operand, ty), (high, high_type), rows)?;
    Ok(answer(&above & &below, negated))
}
