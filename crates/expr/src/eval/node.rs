//! The compiled tree and its evaluation.

use arrow::array::ArrayRef;
use flumen_types::SqlType;

use super::call::{CallNode, LambdaNode};
use super::like::LikeNode;
use super::membership::InNode;
use super::operand::Operand;
use super::{Input, Selection, arithmetic, call, cast, compare, conditional, like, logic, membership, nested};
use crate::{ArithmeticOp, CompareOp, ExprError, Failures, LogicalOp, Random};

/// What an evaluation sees: the chunk, and the variables of the lambdas around.
#[derive(Clone, Copy)]
pub(super) struct Cx<'a> {
    pub columns: &'a [ArrayRef],
    pub variables: &'a [(u32, ArrayRef)],
    pub rows: usize,
    pub now_ms: i64,
    pub random: &'a Random,
}

impl<'a> Cx<'a> {
    pub fn of(input: &Input<'a>) -> Self {
        Cx { columns: input.columns, variables: &[], rows: input.rows, now_ms: input.now_ms, random: input.random }
    }
}

/// A compiled expression.
pub(super) enum Node {
    Column {
        index: u32,
        name: String,
    },
    Variable {
        id: u32,
        name: String,
    },
    /// An array of length 1.
    Constant(ArrayRef),
    Arithmetic {
        op: ArithmeticOp,
        left: Box<Node>,
        right: Box<Node>,
        ty: SqlType,
    },
    Negate(Box<Node>, SqlType),
    Compare {
        op: CompareOp,
        left: Box<Node>,
        right: Box<Node>,
        types: Box<(SqlType, SqlType)>,
    },
    Logical {
        op: LogicalOp,
        left: Box<Node>,
        right: Box<Node>,
        right_is_total: bool,
    },
    Not(Box<Node>),
    IsNull {
        operand: Box<Node>,
        negated: bool,
    },
    Between {
        operand: Box<Node>,
        low: Box<Node>,
        high: Box<Node>,
        negated: bool,
        types: Box<[SqlType; 3]>,
    },
    In(Box<InNode>),
    Like(Box<LikeNode>),
    Case {
        branches: Vec<(Node, Node)>,
        otherwise: Option<Box<Node>>,
        ty: SqlType,
    },
    Cast {
        operand: Box<Node>,
        from: SqlType,
        to: SqlType,
    },
    Subscript {
        base: Box<Node>,
        index: Box<Node>,
        base_type: SqlType,
    },
    Field {
        base: Box<Node>,
        index: usize,
    },
    Array {
        items: Vec<Node>,
        ty: SqlType,
    },
    Map {
        keys: Vec<Node>,
        values: Vec<Node>,
        ty: SqlType,
    },
    Struct {
        values: Vec<Node>,
        ty: SqlType,
    },
    Call(Box<CallNode>),
    Lambda(Box<LambdaNode>),
}

impl Node {
    /// The values for the selected rows; what stands in other rows means nothing.
    pub fn eval(&self, cx: &Cx<'_>, selection: &Selection, failures: &mut Failures) -> Result<Operand, ExprError> {
        match self {
            Node::Column { index, name } => match cx.columns.get(*index as usize) {
                Some(column) if column.len() == cx.rows => Ok(Operand::Column(column.clone())),
                Some(column) => Err(ExprError::User(format!("column {name} has {} rows instead of {}", column.len(), cx.rows))),
                None => Err(ExprError::User(format!("column {name} is not among the {} columns given", cx.columns.len()))),
            },
            Node::Variable { id, name } => match cx.variables.iter().find(|(known, _)| known == id) {
                Some((_, column)) => Ok(Operand::Column(column.clone())),
                None => Err(ExprError::User(format!("lambda variable {name} has no value here"))),
            },
            Node::Constant(value) => Ok(Operand::Constant(value.clone())),
            Node::Arithmetic { op, left, right, ty } => {
                let left = left.eval(cx, selection, failures)?;
                let right = right.eval(cx, selection, failures)?;
                arithmetic::arithmetic(*op, &left, &right, ty, cx.rows, selection, failures)
            }
            Node::Negate(operand, ty) => {
                let operand = operand.eval(cx, selection, failures)?;
                arithmetic::negate(&operand, ty, cx.rows, selection, failures)
            }
            Node::Compare { op, left, right, types } => {
                let left = left.eval(cx, selection, failures)?;
                let right = right.eval(cx, selection, failures)?;
                compare::compare(*op, (&left, &types.0), (&right, &types.1), cx.rows)
            }
            Node::Logical { op, left, right, right_is_total } => logic::logical(*op, left, right, *right_is_total, cx, selection, failures),
            Node::Not(operand) => logic::not(&operand.eval(cx, selection, failures)?, cx.rows, selection, failures),
            Node::IsNull { operand, negated } => logic::is_null(&operand.eval(cx, selection, failures)?, *negated),
            Node::Between { operand, low, high, negated, types } => {
                let operand = operand.eval(cx, selection, failures)?;
                let low = low.eval(cx, selection, failures)?;
                let high = high.eval(cx, selection, failures)?;
                membership::between((&operand, &low, &high), types, *negated, cx.rows)
            }
            Node::In(node) => membership::is_in(node, cx, selection, failures),
            Node::Like(node) => like::like(node, cx, selection, failures),
            Node::Case { branches, otherwise, ty } => conditional::case(branches, otherwise.as_deref(), ty, cx, selection, failures),
            Node::Cast { operand, from, to } => {
                let operand = operand.eval(cx, selection, failures)?;
                cast::cast(&operand, from, to, cx.rows, selection, failures)
            }
            Node::Subscript { base, index, base_type } => {
                let base = base.eval(cx, selection, failures)?;
                let index = index.eval(cx, selection, failures)?;
                nested::subscript(&base, &index, base_type, cx.rows)
            }
            Node::Field { base, index } => nested::field(&base.eval(cx, selection, failures)?, *index),
            Node::Array { items, ty } => nested::array(items, ty, cx, selection, failures),
            Node::Map { keys, values, ty } => nested::map(keys, values, ty, cx, selection, failures),
            Node::Struct { values, ty } => nested::structure(values, ty, cx, selection, failures),
            Node::Call(node) => call::call(node, cx, selection, failures),
            Node::Lambda(_) => Err(ExprError::unsupported("a lambda outside the arguments of a function")),
        }
    }

    /// True when the value is known already.
    pub fn is_constant(&self) -> bool {
        matches!(self, Node::Constant(_))
    }

    /// True when no row can fail and the value is never NULL: then it may be computed for rows that do not need it.
    pub fn is_total(&self) -> bool {
        match self {
            Node::Compare { left, right, .. } => left.cannot_fail() && right.cannot_fail(),
            Node::IsNull { operand, .. } => operand.cannot_fail(),
            Node::Between { operand, low, high, .. } => operand.cannot_fail() && low.cannot_fail() && high.cannot_fail(),
            Node::Logical { left, right, .. } => left.is_total() && right.is_total(),
            Node::Not(operand) => operand.is_total(),
            Node::Constant(value) => value.is_valid(0),
            _ => false,
        }
    }

    fn cannot_fail(&self) -> bool {
        match self {
            Node::Column { .. } | Node::Variable { .. } | Node::Constant(_) => true,
            Node::Field { base, .. } => base.cannot_fail(),
            Node::Cast { operand, from, to } => operand.cannot_fail() && cast::cannot_fail(from, to),
            other => other.is_total(),
        }
    }
}
