//! Expressions to compiled nodes.

use arrow::array::Array;
use flumen_types::{column_of, null_column};

use super::call::{CallNode, LambdaNode};
use super::like::LikeNode;
use super::membership::InNode;
use super::node::{Cx, Node};
use super::{Selection, operand::Operand};
use crate::{Expr, ExprError, Failures, Random, Registry};

pub(super) fn compile(expr: &Expr, registry: &Registry) -> Result<Node, ExprError> {
    let node = node(expr, registry)?;
    Ok(fold(expr, node))
}

fn boxed(expr: &Expr, registry: &Registry) -> Result<Box<Node>, ExprError> {
    compile(expr, registry).map(Box::new)
}

fn all(exprs: &[Expr], registry: &Registry) -> Result<Vec<Node>, ExprError> {
    exprs.iter().map(|e| compile(e, registry)).collect()
}

fn node(expr: &Expr, registry: &Registry) -> Result<Node, ExprError> {
    Ok(match expr {
        Expr::Column { index, name, .. } => Node::Column { index: *index, name: name.clone() },
        Expr::Variable { id, name, .. } => Node::Variable { id: *id, name: name.clone() },
        Expr::Null => Node::Constant(null_column(expr.ty(), 1)),
        Expr::Literal { value, ty } => Node::Constant(column_of(ty, [value])?),
        Expr::Unit { unit } => Node::Constant(column_of(expr.ty(), [&unit.name().into()])?),
        Expr::Arithmetic { op, left, right, ty } => {
            Node::Arithmetic { op: *op, left: boxed(left, registry)?, right: boxed(right, registry)?, ty: ty.clone() }
        }
        Expr::Negate { operand } => Node::Negate(boxed(operand, registry)?, operand.ty().clone()),
        Expr::Compare { op, left, right } => {
            let types = Box::new((left.ty().clone(), right.ty().clone()));
            Node::Compare { op: *op, left: boxed(left, registry)?, right: boxed(right, registry)?, types }
        }
        Expr::Logical { op, left, right } => {
            let (left, right) = (boxed(left, registry)?, boxed(right, registry)?);
            let right_is_total = right.is_total();
            Node::Logical { op: *op, left, right, right_is_total }
        }
        Expr::Not { operand } => Node::Not(boxed(operand, registry)?),
        Expr::IsNull { operand, negated } => Node::IsNull { operand: boxed(operand, registry)?, negated: *negated },
        Expr::Between { operand, negated, low, high } => Node::Between {
            types: Box::new([operand.ty().clone(), low.ty().clone(), high.ty().clone()]),
            operand: boxed(operand, registry)?,
            low: boxed(low, registry)?,
            high: boxed(high, registry)?,
            negated: *negated,
        },
        Expr::In { operand, negated, list } => {
            let ty = operand.ty().clone();
            Node::In(Box::new(InNode::new(compile(operand, registry)?, all(list, registry)?, ty, *negated)))
        }
        Expr::Like { operand, negated, pattern, escape } => {
            let (operand, pattern) = (compile(operand, registry)?, compile(pattern, registry)?);
            Node::Like(Box::new(LikeNode::new(operand, pattern, *escape, *negated)))
        }
        Expr::Case { branches, otherwise, ty } => {
            let branch = |b: &crate::Branch| Ok((compile(&b.when, registry)?, compile(&b.then, registry)?));
            Node::Case {
                branches: branches.iter().map(branch).collect::<Result<_, ExprError>>()?,
                otherwise: otherwise.as_ref().map(|e| boxed(e, registry)).transpose()?,
                ty: ty.clone(),
            }
        }
        Expr::Cast { operand, ty } => Node::Cast { operand: boxed(operand, registry)?, from: operand.ty().clone(), to: ty.clone() },
        Expr::Subscript { base, index, .. } => {
            Node::Subscript { base: boxed(base, registry)?, index: boxed(index, registry)?, base_type: base.ty().clone() }
        }
        Expr::Field { base, index, .. } => Node::Field { base: boxed(base, registry)?, index: *index as usize },
        Expr::Array { items, ty } => Node::Array { items: all(items, registry)?, ty: ty.clone() },
        Expr::Map { entries, ty } => {
            let keys = entries.iter().map(|(k, _)| compile(k, registry)).collect::<Result<_, _>>()?;
            let values = entries.iter().map(|(_, v)| compile(v, registry)).collect::<Result<_, _>>()?;
            Node::Map { keys, values, ty: ty.clone() }
        }
        Expr::Struct { values, ty } => Node::Struct { values: all(values, registry)?, ty: ty.clone() },
        Expr::Call { function, args, ty } => {
            let overload = registry.overload(function, args)?.clone();
            let nodes = all(args, registry)?;
            Node::Call(Box::new(CallNode::new(function.clone(), overload, nodes, args, ty.clone())))
        }
        Expr::Lambda { params, body } => Node::Lambda(Box::new(LambdaNode {
            params: params.iter().map(|p| p.id).collect(),
            columns: body.columns_used().into_iter().collect(),
            variables: expr.free_variables().into_iter().collect(),
            body: compile(body, registry)?,
            ty: body.ty().clone(),
        })),
    })
}

/// Replaces an operation on constants by its value, unless it fails: then rows fail when they come.
fn fold(expr: &Expr, node: Node) -> Node {
    let foldable = match &node {
        Node::Arithmetic { left, right, .. } | Node::Compare { left, right, .. } => left.is_constant() && right.is_constant(),
        Node::Negate(operand, _) | Node::Not(operand) | Node::Cast { operand, .. } => operand.is_constant(),
        Node::Array { items, .. } | Node::Struct { values: items, .. } => items.iter().all(Node::is_constant),
        _ => false,
    };
    if !foldable {
        return node;
    }
    let random = Random::default();
    let cx = Cx { columns: &[], variables: &[], rows: 1, now_ms: 0, random: &random };
    let mut failures = Failures::new(1);
    let value = node.eval(&cx, &Selection::All, &mut failures).and_then(|v: Operand| v.into_rows(1));
    match value {
        Ok(value) if failures.is_empty() && failures.notes().is_empty() => {
            debug_assert_eq!(value.len(), 1, "{expr}");
            Node::Constant(value)
        }
        _ => node,
    }
}
