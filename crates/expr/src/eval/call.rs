//! Function calls and their lambdas.

use arrow::array::{Array, ArrayRef, UInt32Array, new_null_array};
use arrow::compute::take;
use arrow::datatypes::DataType;
use flumen_types::{SqlType, Value};

use super::node::{Cx, Node};
use super::operand::Operand;
use super::{Selection, internal, mask};
use crate::function::{CallArgs, Lambda, Overload};
use crate::{Expr, ExprError, Failures};

pub(super) struct CallNode {
    name: String,
    overload: Overload,
    args: Vec<Node>,
    types: Vec<SqlType>,
    constants: Vec<Option<Value>>,
    /// True for the positions whose NULL fails the row.
    required: Vec<bool>,
    ty: SqlType,
}

impl CallNode {
    pub fn new(name: String, overload: Overload, args: Vec<Node>, exprs: &[Expr], ty: SqlType) -> Self {
        let types: Vec<SqlType> = exprs.iter().map(|e| e.ty().clone()).collect();
        let constants = args
            .iter()
            .zip(&types)
            .map(|(node, ty)| match node {
                Node::Constant(array) => Some(flumen_types::value_at(array.as_ref(), ty, 0)),
                _ => None,
            })
            .collect();
        let params = overload.signature.params_for(args.len()).unwrap_or_default();
        let required = params.iter().map(|p| overload.signature.required.contains(p)).collect();
        CallNode { name, overload, args, types, constants, required, ty }
    }
}

pub(super) fn call(node: &CallNode, cx: &Cx<'_>, selection: &Selection, failures: &mut Failures) -> Result<Operand, ExprError> {
    let rows = cx.rows;
    let mut args = Vec::with_capacity(node.args.len());
    for arg in &node.args {
        args.push(match arg {
            Node::Lambda(_) => new_null_array(&DataType::Null, rows),
            other => other.eval(cx, selection, failures)?.into_rows(rows)?,
        });
    }
    let active = active(node, &args, rows, selection, failures);
    let lambdas: Vec<BoundLambda<'_>> = node
        .args
        .iter()
        .filter_map(|arg| match arg {
            Node::Lambda(lambda) => Some(BoundLambda { node: lambda, cx }),
            _ => None,
        })
        .collect();
    let lambdas: Vec<&dyn Lambda> = lambdas.iter().map(|l| l as &dyn Lambda).collect();
    let call = CallArgs {
        args: &args,
        types: &node.types,
        constants: &node.constants,
        lambdas: &lambdas,
        return_type: &node.ty,
        rows,
        active: &active,
        now_ms: cx.now_ms,
        random: cx.random,
    };
    let result = (node.overload.implementation)(&call, failures)?;
    if result.len() != rows {
        return Err(ExprError::User(format!("function {} gave {} results for {rows} rows", node.name, result.len())));
    }
    Ok(Operand::Column(result))
}

/// The rows to compute: selected, not failed, and without a NULL argument where those give NULL anyway.
fn active(node: &CallNode, args: &[ArrayRef], rows: usize, selection: &Selection, failures: &mut Failures) -> Selection {
    let lambda = |i: usize| matches!(node.args.get(i), Some(Node::Lambda(_)));
    let nullable: Vec<(usize, &ArrayRef)> = args.iter().enumerate().filter(|(i, a)| a.null_count() > 0 && !lambda(*i)).collect();
    for (i, array) in &nullable {
        if node.required.get(*i).copied().unwrap_or(false) {
            selection.each(rows, |row| {
                if array.is_null(row) {
                    failures.fail(row, || format!("argument {} of {} is NULL", i + 1, node.name));
                }
            });
        }
    }
    let skips_null = node.overload.propagates_null && !nullable.is_empty();
    if !skips_null && failures.is_empty() {
        return selection.clone();
    }
    selection.narrow(rows, |row| !failures.failed(row) && (!skips_null || nullable.iter().all(|(_, array)| array.is_valid(row))))
}

pub(super) struct LambdaNode {
    pub params: Vec<u32>,
    /// Input columns the body reads.
    pub columns: Vec<u32>,
    /// Variables of enclosing lambdas the body reads.
    pub variables: Vec<u32>,
    pub body: Node,
    pub ty: SqlType,
}

struct BoundLambda<'a> {
    node: &'a LambdaNode,
    cx: &'a Cx<'a>,
}

impl Lambda for BoundLambda<'_> {
    fn return_type(&self) -> &SqlType {
        &self.node.ty
    }

    fn apply(&self, params: &[ArrayRef], origin: &[u32], failures: &mut Failures) -> Result<ArrayRef, ExprError> {
        if params.len() != self.node.params.len() || params.iter().any(|p| p.len() != origin.len()) {
            return Err(ExprError::user("a lambda was applied to the wrong number of arguments"));
        }
        let places = UInt32Array::from(origin.to_vec());
        let at_origin = |array: &ArrayRef| take(array, &places, None).map_err(internal);
        // Columns the body does not read keep their place and their old length; nothing looks at them.
        let mut columns = self.cx.columns.to_vec();
        for index in &self.node.columns {
            if let Some(column) = columns.get_mut(*index as usize) {
                *column = at_origin(column)?;
            }
        }
        let mut variables: Vec<(u32, ArrayRef)> = self.node.params.iter().copied().zip(params.iter().cloned()).collect();
        for (id, array) in self.cx.variables.iter().filter(|(id, _)| self.node.variables.contains(id)) {
            variables.push((*id, at_origin(array)?));
        }
        let rows = origin.len();
        let inner = Cx { columns: &columns, variables: &variables, rows, now_ms: self.cx.now_ms, random: self.cx.random };
        let mut own = Failures::new(rows);
        let values = self.node.body.eval(&inner, &Selection::All, &mut own)?.into_rows(rows)?;
        let values = mask(values, rows, &Selection::All, &own)?;
        failures.absorb(own, |element| origin.get(element).copied().unwrap_or(0) as usize);
        Ok(values)
    }
}
