//! Expressions, with the fewest parentheses.

use std::fmt::{self, Display, Formatter};

use super::{Quoted, list, when};
use crate::ast::{ArithmeticOp, ComparisonOp, Expr, ExprKind, Literal, LogicalOp, Sign, TimeUnit, WhenClause};

/// How tightly an expression holds together, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Comparison,
    /// What stands on either side of a comparison.
    Value,
    Product,
    Sign,
    Zone,
    Primary,
}

impl Level {
    /// The next tighter one.
    fn above(self) -> Level {
        match self {
            Level::Or => Level::And,
            Level::And => Level::Not,
            Level::Not => Level::Comparison,
            Level::Comparison => Level::Value,
            Level::Value => Level::Product,
            Level::Product => Level::Sign,
            Level::Sign => Level::Zone,
            Level::Zone | Level::Primary => Level::Primary,
        }
    }
}

fn level(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Logical { op: LogicalOp::Or, .. } => Level::Or,
        ExprKind::Logical { op: LogicalOp::And, .. } => Level::And,
        ExprKind::Not(_) => Level::Not,
        ExprKind::Comparison { .. }
        | ExprKind::IsNull { .. }
        | ExprKind::Between { .. }
        | ExprKind::InList { .. }
        | ExprKind::Like { .. } => Level::Comparison,
        ExprKind::Arithmetic { op: ArithmeticOp::Add | ArithmeticOp::Subtract, .. } => Level::Value,
        ExprKind::Arithmetic { .. } => Level::Product,
        ExprKind::Unary { .. } => Level::Sign,
        ExprKind::Literal(literal) if is_negative(literal) => Level::Sign,
        ExprKind::AtTimeZone { .. } => Level::Zone,
        _ => Level::Primary,
    }
}

fn is_negative(literal: &Literal) -> bool {
    match literal {
        Literal::Integer(value) => *value < 0,
        Literal::BigInt(value) => *value < 0,
        Literal::Double(value) => value.0.is_sign_negative(),
        Literal::Decimal(text) => text.starts_with('-'),
        _ => false,
    }
}

/// An operand where `min` is the loosest level allowed without parentheses.
struct Operand<'a>(&'a Expr, Level);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if level(self.0) < self.1 { write!(f, "({})", self.0) } else { self.0.fmt(f) }
    }
}

/// An expression before `->`.
pub(super) fn as_struct(expr: &Expr) -> impl Display {
    Operand(expr, Level::Primary)
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let own = level(self);
        let negation = |negated| when(negated, "NOT ");
        match &self.kind {
            ExprKind::Literal(literal) => literal.fmt(f),
            ExprKind::Column { source: Some(source), name } => write!(f, "{source}.{name}"),
            ExprKind::Column { source: None, name } => name.fmt(f),
            ExprKind::Arithmetic { op, left, right } => write!(f, "{} {op} {}", Operand(left, own), Operand(right, own.above())),
            ExprKind::Comparison { op, left, right } => write!(f, "{} {op} {}", Operand(left, Level::Value), Operand(right, Level::Value)),
            ExprKind::Logical { op, left, right } => write!(f, "{} {op} {}", Operand(left, own), Operand(right, own.above())),
            ExprKind::Not(operand) => write!(f, "NOT {}", Operand(operand, Level::Not)),
            ExprKind::Unary { sign, operand } => {
                let sign = if *sign == Sign::Plus { "+" } else { "-" };
                if is_number(operand) {
                    write!(f, "{sign}({operand})")
                } else {
                    // Two signs side by side could begin a comment.
                    let gap = when(level(operand) == Level::Sign, " ");
                    write!(f, "{sign}{gap}{}", Operand(operand, Level::Sign))
                }
            }
            ExprKind::IsNull { operand, negated } => write!(f, "{} IS {}NULL", Operand(operand, Level::Value), negation(*negated)),
            ExprKind::Between { operand, negated, low, high } => {
                write!(f, "{} {}BETWEEN ", Operand(operand, Level::Value), negation(*negated))?;
                write!(f, "{} AND {}", Operand(low, Level::Value), Operand(high, Level::Value))
            }
            ExprKind::InList { operand, negated, list: items } => {
                write!(f, "{} {}IN ({})", Operand(operand, Level::Value), negation(*negated), list(items))
            }
            ExprKind::Like { operand, negated, pattern, escape } => {
                write!(f, "{} {}LIKE {}", Operand(operand, Level::Value), negation(*negated), Operand(pattern, Level::Value))?;
                match escape {
                    Some(escape) => write!(f, " ESCAPE {}", Quoted(escape.encode_utf8(&mut [0; 4]))),
                    None => Ok(()),
                }
            }
            ExprKind::SearchedCase { branches, default } => case(f, None, branches, default.as_deref()),
            ExprKind::SimpleCase { operand, branches, default } => case(f, Some(operand), branches, default.as_deref()),
            ExprKind::Cast { operand, data_type } => write!(f, "CAST({operand} AS {data_type})"),
            ExprKind::Subscript { base, index } => write!(f, "{}[{index}]", Operand(base, Level::Primary)),
            ExprKind::StructDeref { base, field } => write!(f, "{}->{field}", Operand(base, Level::Primary)),
            ExprKind::Function(call) if call.star => write!(f, "{}(*)", call.name),
            ExprKind::Function(call) => write!(f, "{}({})", call.name, list(&call.args)),
            ExprKind::Lambda { params, body } => match params.as_slice() {
                [one] => write!(f, "{one} => {body}"),
                several => write!(f, "({}) => {body}", list(several)),
            },
            ExprKind::Array(items) => write!(f, "ARRAY[{}]", list(items)),
            ExprKind::Map(entries) => {
                f.write_str("MAP(")?;
                assignments(f, entries)
            }
            ExprKind::Struct(fields) => {
                f.write_str("STRUCT(")?;
                assignments(f, fields)
            }
            ExprKind::AtTimeZone { operand, zone } => write!(f, "{} AT TIME ZONE {}", Operand(operand, Level::Zone), Quoted(zone)),
            ExprKind::TimeUnit(unit) => unit.fmt(f),
        }
    }
}

/// Whether the operand begins with a number that would take a sign before it for its own.
fn is_number(operand: &Expr) -> bool {
    match &operand.kind {
        ExprKind::Literal(literal @ (Literal::Integer(_) | Literal::BigInt(_) | Literal::Double(_) | Literal::Decimal(_))) => {
            !is_negative(literal)
        }
        ExprKind::Subscript { base, .. } | ExprKind::StructDeref { base, .. } => is_number(base),
        ExprKind::AtTimeZone { operand, .. } => is_number(operand),
        _ => false,
    }
}

fn assignments<K: Display>(f: &mut Formatter<'_>, entries: &[(K, Expr)]) -> fmt::Result {
    for (i, (key, value)) in entries.iter().enumerate() {
        write!(f, "{}{key} := {value}", when(i > 0, ", "))?;
    }
    f.write_str(")")
}

fn case(f: &mut Formatter<'_>, operand: Option<&Expr>, branches: &[WhenClause], default: Option<&Expr>) -> fmt::Result {
    f.write_str("CASE")?;
    if let Some(operand) = operand {
        write!(f, " {operand}")?;
    }
    for WhenClause { when, then } in branches {
        write!(f, " WHEN {when} THEN {then}")?;
    }
    if let Some(default) = default {
        write!(f, " ELSE {default}")?;
    }
    f.write_str(" END")
}

impl Display for ArithmeticOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ArithmeticOp::Add => "+",
            ArithmeticOp::Subtract => "-",
            ArithmeticOp::Multiply => "*",
            ArithmeticOp::Divide => "/",
            ArithmeticOp::Modulo => "%",
        })
    }
}

impl Display for ComparisonOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ComparisonOp::Equal => "=",
            ComparisonOp::NotEqual => "<>",
            ComparisonOp::LessThan => "<",
            ComparisonOp::LessThanOrEqual => "<=",
            ComparisonOp::GreaterThan => ">",
            ComparisonOp::GreaterThanOrEqual => ">=",
            ComparisonOp::IsDistinctFrom => "IS DISTINCT FROM",
            ComparisonOp::IsNotDistinctFrom => "IS NOT DISTINCT FROM",
        })
    }
}

impl Display for LogicalOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LogicalOp::And => "AND",
            LogicalOp::Or => "OR",
        })
    }
}

impl Display for TimeUnit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TimeUnit::Millisecond => "MILLISECONDS",
            TimeUnit::Second => "SECONDS",
            TimeUnit::Minute => "MINUTES",
            TimeUnit::Hour => "HOURS",
            TimeUnit::Day => "DAYS",
            TimeUnit::Month => "MONTHS",
            TimeUnit::Year => "YEARS",
        })
    }
}
