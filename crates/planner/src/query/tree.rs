//! Walking and rebuilding expressions as written.

use flumen_parser::ast::{Expr, ExprKind, FunctionCall, WhenClause};

/// The direct parts of an expression.
pub(crate) fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Column { .. } | ExprKind::TimeUnit(_) => Vec::new(),
        ExprKind::Arithmetic { left, right, .. } | ExprKind::Comparison { left, right, .. } | ExprKind::Logical { left, right, .. } => {
            vec![left, right]
        }
        ExprKind::Not(operand)
        | ExprKind::Unary { operand, .. }
        | ExprKind::IsNull { operand, .. }
        | ExprKind::Cast { operand, .. }
        | ExprKind::AtTimeZone { operand, .. } => vec![operand],
        ExprKind::Between { operand, low, high, .. } => vec![operand, low, high],
        ExprKind::InList { operand, list, .. } => std::iter::once(operand.as_ref()).chain(list).collect(),
        ExprKind::Like { operand, pattern, .. } => vec![operand, pattern],
        ExprKind::SearchedCase { branches, default } => {
            branches.iter().flat_map(|b| [&b.when, &b.then]).chain(default.as_deref()).collect()
        }
        ExprKind::SimpleCase { operand, branches, default } => {
            std::iter::once(operand.as_ref()).chain(branches.iter().flat_map(|b| [&b.when, &b.then])).chain(default.as_deref()).collect()
        }
        ExprKind::Subscript { base, index } => vec![base, index],
        ExprKind::StructDeref { base, .. } => vec![base],
        ExprKind::Function(call) => call.args.iter().collect(),
        ExprKind::Lambda { body, .. } => vec![body],
        ExprKind::Array(items) => items.iter().collect(),
        ExprKind::Map(entries) => entries.iter().flat_map(|(k, v)| [k, v]).collect(),
        ExprKind::Struct(fields) => fields.iter().map(|(_, v)| v).collect(),
    }
}

/// Calls `see` on the expression and all below it, outermost first.
pub(crate) fn visit<'e>(expr: &'e Expr, see: &mut impl FnMut(&'e Expr)) {
    see(expr);
    children(expr).into_iter().for_each(|child| visit(child, see));
}

/// The same expression with each direct part replaced.
pub(crate) fn rebuild<E>(expr: &Expr, change: &mut dyn FnMut(&Expr) -> Result<Expr, E>) -> Result<Expr, E> {
    let mut one = |e: &Expr| change(e);
    let kind = match &expr.kind {
        leaf @ (ExprKind::Literal(_) | ExprKind::Column { .. } | ExprKind::TimeUnit(_)) => leaf.clone(),
        ExprKind::Arithmetic { op, left, right } => {
            ExprKind::Arithmetic { op: *op, left: Box::new(one(left)?), right: Box::new(one(right)?) }
        }
        ExprKind::Comparison { op, left, right } => {
            ExprKind::Comparison { op: *op, left: Box::new(one(left)?), right: Box::new(one(right)?) }
        }
        ExprKind::Logical { op, left, right } => ExprKind::Logical { op: *op, left: Box::new(one(left)?), right: Box::new(one(right)?) },
        ExprKind::Not(operand) => ExprKind::Not(Box::new(one(operand)?)),
        ExprKind::Unary { sign, operand } => ExprKind::Unary { sign: *sign, operand: Box::new(one(operand)?) },
        ExprKind::IsNull { operand, negated } => ExprKind::IsNull { operand: Box::new(one(operand)?), negated: *negated },
        ExprKind::Cast { operand, data_type } => ExprKind::Cast { operand: Box::new(one(operand)?), data_type: data_type.clone() },
        ExprKind::AtTimeZone { operand, zone } => ExprKind::AtTimeZone { operand: Box::new(one(operand)?), zone: zone.clone() },
        ExprKind::Between { operand, negated, low, high } => {
            ExprKind::Between { operand: Box::new(one(operand)?), negated: *negated, low: Box::new(one(low)?), high: Box::new(one(high)?) }
        }
        ExprKind::InList { operand, negated, list } => {
            ExprKind::InList { operand: Box::new(one(operand)?), negated: *negated, list: list.iter().map(one).collect::<Result<_, _>>()? }
        }
        ExprKind::Like { operand, negated, pattern, escape } => {
            ExprKind::Like { operand: Box::new(one(operand)?), negated: *negated, pattern: Box::new(one(pattern)?), escape: *escape }
        }
        ExprKind::SearchedCase { branches, default } => ExprKind::SearchedCase {
            branches: when_clauses(branches, &mut one)?,
            default: default.as_deref().map(one).transpose()?.map(Box::new),
        },
        ExprKind::SimpleCase { operand, branches, default } => ExprKind::SimpleCase {
            operand: Box::new(one(operand)?),
            branches: when_clauses(branches, &mut one)?,
            default: default.as_deref().map(one).transpose()?.map(Box::new),
        },
        ExprKind::Subscript { base, index } => ExprKind::Subscript { base: Box::new(one(base)?), index: Box::new(one(index)?) },
        ExprKind::StructDeref { base, field } => ExprKind::StructDeref { base: Box::new(one(base)?), field: field.clone() },
        ExprKind::Function(call) => ExprKind::Function(FunctionCall {
            name: call.name.clone(),
            args: call.args.iter().map(one).collect::<Result<_, _>>()?,
            star: call.star,
        }),
        ExprKind::Lambda { params, body } => ExprKind::Lambda { params: params.clone(), body: Box::new(one(body)?) },
        ExprKind::Array(items) => ExprKind::Array(items.iter().map(one).collect::<Result<_, _>>()?),
        ExprKind::Map(entries) => ExprKind::Map(entries.iter().map(|(k, v)| Ok((one(k)?, one(v)?))).collect::<Result<_, E>>()?),
        ExprKind::Struct(fields) => ExprKind::Struct(fields.iter().map(|(n, v)| Ok((n.clone(), one(v)?))).collect::<Result<_, E>>()?),
    };
    Ok(Expr { kind, span: expr.span })
}

fn when_clauses<E>(branches: &[WhenClause], one: &mut dyn FnMut(&Expr) -> Result<Expr, E>) -> Result<Vec<WhenClause>, E> {
    branches.iter().map(|b| Ok(WhenClause { when: one(&b.when)?, then: one(&b.then)? })).collect()
}
