//! The stored form of an expression: its nodes in one flat list, operands before operators.
//!
//! A tree of JSON objects would nest two levels for every node; readers limit nesting, and a chain of a hundred ANDs would
//! be written but never read again. The list has no depth. It is persisted inside plans: names and order stay.

use flumen_types::{SqlType, Value};
use serde::{Deserialize, Serialize};

use super::{ArithmeticOp, Branch, CompareOp, Expr, IntervalUnit, LambdaParam, LogicalOp};

/// One node; its operands are the last results before it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stored {
    Column { index: u32, name: String, ty: SqlType },
    Null,
    Literal { value: Value, ty: SqlType },
    Unit { unit: IntervalUnit },
    Arithmetic { op: ArithmeticOp, ty: SqlType },
    Negate,
    Compare { op: CompareOp },
    Logical { op: LogicalOp },
    Not,
    IsNull { negated: bool },
    Between { negated: bool },
    In { count: u32, negated: bool },
    Like { negated: bool, escape: Option<char> },
    Case { branches: u32, otherwise: bool, ty: SqlType },
    Cast { ty: SqlType },
    Subscript { ty: SqlType },
    Field { index: u32, name: String, ty: SqlType },
    Array { count: u32, ty: SqlType },
    Map { count: u32, ty: SqlType },
    Struct { count: u32, ty: SqlType },
    Call { function: String, count: u32, ty: SqlType },
    Lambda { params: Vec<LambdaParam> },
    Variable { id: u32, name: String, ty: SqlType },
}

impl From<Expr> for Vec<Stored> {
    fn from(expr: Expr) -> Self {
        let mut out = Vec::new();
        push(&expr, &mut out);
        out
    }
}

fn push(expr: &Expr, out: &mut Vec<Stored>) {
    for child in expr.children() {
        push(child, out);
    }
    out.push(node(expr));
}

fn node(expr: &Expr) -> Stored {
    let count = |n: usize| n as u32;
    match expr {
        Expr::Column { index, name, ty } => Stored::Column { index: *index, name: name.clone(), ty: ty.clone() },
        Expr::Null => Stored::Null,
        Expr::Literal { value, ty } => Stored::Literal { value: value.clone(), ty: ty.clone() },
        Expr::Unit { unit } => Stored::Unit { unit: *unit },
        Expr::Arithmetic { op, ty, .. } => Stored::Arithmetic { op: *op, ty: ty.clone() },
        Expr::Negate { .. } => Stored::Negate,
        Expr::Compare { op, .. } => Stored::Compare { op: *op },
        Expr::Logical { op, .. } => Stored::Logical { op: *op },
        Expr::Not { .. } => Stored::Not,
        Expr::IsNull { negated, .. } => Stored::IsNull { negated: *negated },
        Expr::Between { negated, .. } => Stored::Between { negated: *negated },
        Expr::In { list, negated, .. } => Stored::In { count: count(list.len()), negated: *negated },
        Expr::Like { negated, escape, .. } => Stored::Like { negated: *negated, escape: *escape },
        Expr::Case { branches, otherwise, ty } => {
            Stored::Case { branches: count(branches.len()), otherwise: otherwise.is_some(), ty: ty.clone() }
        }
        Expr::Cast { ty, .. } => Stored::Cast { ty: ty.clone() },
        Expr::Subscript { ty, .. } => Stored::Subscript { ty: ty.clone() },
        Expr::Field { index, name, ty, .. } => Stored::Field { index: *index, name: name.clone(), ty: ty.clone() },
        Expr::Array { items, ty } => Stored::Array { count: count(items.len()), ty: ty.clone() },
        Expr::Map { entries, ty } => Stored::Map { count: count(entries.len()), ty: ty.clone() },
        Expr::Struct { values, ty } => Stored::Struct { count: count(values.len()), ty: ty.clone() },
        Expr::Call { function, args, ty } => Stored::Call { function: function.clone(), count: count(args.len()), ty: ty.clone() },
        Expr::Lambda { params, .. } => Stored::Lambda { params: params.clone() },
        Expr::Variable { id, name, ty } => Stored::Variable { id: *id, name: name.clone(), ty: ty.clone() },
    }
}

impl TryFrom<Vec<Stored>> for Expr {
    type Error = String;

    fn try_from(nodes: Vec<Stored>) -> Result<Self, String> {
        let mut stack = Stack(Vec::new());
        for node in nodes {
            let expr = stack.build(node).ok_or("a stored expression lacks an operand")?;
            stack.0.push(expr);
        }
        match (stack.0.pop(), stack.0.is_empty()) {
            (Some(expr), true) => Ok(expr),
            _ => Err("a stored expression is not one tree".to_string()),
        }
    }
}

/// The results not yet taken as operands.
struct Stack(Vec<Expr>);

impl Stack {
    fn one(&mut self) -> Option<Box<Expr>> {
        self.0.pop().map(Box::new)
    }

    fn many(&mut self, count: u32) -> Option<Vec<Expr>> {
        let start = self.0.len().checked_sub(count as usize)?;
        Some(self.0.split_off(start))
    }

    fn pairs(&mut self, count: u32) -> Option<Vec<(Expr, Expr)>> {
        let mut flat = self.many(count.checked_mul(2)?)?.into_iter();
        Some(std::iter::from_fn(|| Some((flat.next()?, flat.next()?))).collect())
    }

    fn build(&mut self, node: Stored) -> Option<Expr> {
        Some(match node {
            Stored::Column { index, name, ty } => Expr::Column { index, name, ty },
            Stored::Null => Expr::Null,
            Stored::Literal { value, ty } => Expr::Literal { value, ty },
            Stored::Unit { unit } => Expr::Unit { unit },
            Stored::Arithmetic { op, ty } => {
                let right = self.one()?;
                Expr::Arithmetic { op, left: self.one()?, right, ty }
            }
            Stored::Negate => Expr::Negate { operand: self.one()? },
            Stored::Compare { op } => {
                let right = self.one()?;
                Expr::Compare { op, left: self.one()?, right }
            }
            Stored::Logical { op } => {
                let right = self.one()?;
                Expr::Logical { op, left: self.one()?, right }
            }
            Stored::Not => Expr::Not { operand: self.one()? },
            Stored::IsNull { negated } => Expr::IsNull { operand: self.one()?, negated },
            Stored::Between { negated } => {
                let (high, low) = (self.one()?, self.one()?);
                Expr::Between { operand: self.one()?, negated, low, high }
            }
            Stored::In { count, negated } => {
                let list = self.many(count)?;
                Expr::In { operand: self.one()?, negated, list }
            }
            Stored::Like { negated, escape } => {
                let pattern = self.one()?;
                Expr::Like { operand: self.one()?, negated, pattern, escape }
            }
            Stored::Case { branches, otherwise, ty } => {
                let otherwise = if otherwise { Some(self.one()?) } else { None };
                let branches = self.pairs(branches)?.into_iter().map(|(when, then)| Branch { when, then }).collect();
                Expr::Case { branches, otherwise, ty }
            }
            Stored::Cast { ty } => Expr::Cast { operand: self.one()?, ty },
            Stored::Subscript { ty } => {
                let index = self.one()?;
                Expr::Subscript { base: self.one()?, index, ty }
            }
            Stored::Field { index, name, ty } => Expr::Field { base: self.one()?, index, name, ty },
            Stored::Array { count, ty } => Expr::Array { items: self.many(count)?, ty },
            Stored::Map { count, ty } => Expr::Map { entries: self.pairs(count)?, ty },
            Stored::Struct { count, ty } => Expr::Struct { values: self.many(count)?, ty },
            Stored::Call { function, count, ty } => Expr::Call { function, args: self.many(count)?, ty },
            Stored::Lambda { params } => Expr::Lambda { params, body: self.one()? },
            Stored::Variable { id, name, ty } => Expr::Variable { id, name, ty },
        })
    }
}
