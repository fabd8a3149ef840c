//! Expressions as SQL text, for EXPLAIN and messages.

use std::fmt::{self, Display, Formatter};

use flumen_types::{SqlType, Value, display_value, quote_name};

use super::{ArithmeticOp, CompareOp, Expr, LogicalOp};

impl ArithmeticOp {
    /// The operator's sign.
    pub fn symbol(self) -> &'static str {
        match self {
            ArithmeticOp::Add => "+",
            ArithmeticOp::Subtract => "-",
            ArithmeticOp::Multiply => "*",
            ArithmeticOp::Divide => "/",
            ArithmeticOp::Remainder => "%",
        }
    }
}

impl CompareOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            CompareOp::Eq => "=",
            CompareOp::Ne => "<>",
            CompareOp::Lt => "<",
            CompareOp::Le => "<=",
            CompareOp::Gt => ">",
            CompareOp::Ge => ">=",
            CompareOp::DistinctFrom => "IS DISTINCT FROM",
            CompareOp::NotDistinctFrom => "IS NOT DISTINCT FROM",
        }
    }
}

impl LogicalOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            LogicalOp::And => "AND",
            LogicalOp::Or => "OR",
        }
    }
}

fn list(f: &mut Formatter<'_>, items: &[Expr]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

fn literal(f: &mut Formatter<'_>, value: &Value, ty: &SqlType) -> fmt::Result {
    match value {
        Value::Null => f.write_str("null"),
        Value::String(text) => write!(f, "'{}'", text.replace('\'', "''")),
        Value::Boolean(b) => f.write_str(if *b { "true" } else { "false" }),
        Value::Integer(_) | Value::Bigint(_) | Value::Double(_) | Value::Decimal(_) => f.write_str(&display_value(value, ty)),
        other => write!(f, "CAST('{}' AS {ty})", display_value(other, ty).replace('\'', "''")),
    }
}

fn not(negated: bool) -> &'static str {
    if negated { "NOT " } else { "" }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Column { name, .. } | Expr::Variable { name, .. } => f.write_str(&quote_name(name)),
            Expr::Null => f.write_str("null"),
            Expr::Literal { value, ty } => literal(f, value, ty),
            Expr::Unit { unit } => write!(f, "{unit}"),
            Expr::Arithmetic { op, left, right, .. } => write!(f, "({left} {} {right})", op.symbol()),
            Expr::Negate { operand } => write!(f, "-({operand})"),
            Expr::Compare { op, left, right } => write!(f, "({left} {} {right})", op.symbol()),
            Expr::Logical { op, left, right } => write!(f, "({left} {} {right})", op.symbol()),
            Expr::Not { operand } => write!(f, "(NOT {operand})"),
            Expr::IsNull { operand, negated } => write!(f, "({operand} IS {}NULL)", not(*negated)),
            Expr::Between { operand, negated, low, high } => {
                write!(f, "({operand} {}BETWEEN {low} AND {high})", not(*negated))
            }
            Expr::In { operand, negated, list: items } => {
                write!(f, "({operand} {}IN (", not(*negated))?;
                list(f, items)?;
                f.write_str("))")
            }
            Expr::Like { operand, negated, pattern, escape } => {
                write!(f, "({operand} {}LIKE {pattern}", not(*negated))?;
                if let Some(c) = escape {
                    write!(f, " ESCAPE '{}'", if *c == '\'' { "''".to_string() } else { c.to_string() })?;
                }
                f.write_str(")")
            }
            Expr::Case { branches, otherwise, .. } => {
                f.write_str("(CASE")?;
                for b in branches {
                    write!(f, " WHEN {} THEN {}", b.when, b.then)?;
                }
                if let Some(e) = otherwise {
                    write!(f, " ELSE {e}")?;
                }
                f.write_str(" END)")
            }
            Expr::Cast { operand, ty } => write!(f, "CAST({operand} AS {ty})"),
            Expr::Subscript { base, index, .. } => write!(f, "{base}[{index}]"),
            Expr::Field { base, name, .. } => write!(f, "{base}->{}", quote_name(name)),
            Expr::Array { items, .. } => {
                f.write_str("ARRAY[")?;
                list(f, items)?;
                f.write_str("]")
            }
            Expr::Map { entries, .. } => {
                f.write_str("MAP(")?;
                for (i, (k, v)) in entries.iter().enumerate() {
                    write!(f, "{}{k} := {v}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str(")")
            }
            Expr::Struct { values, ty } => {
                let fields = if let SqlType::Struct(fields) = ty { fields.as_slice() } else { &[] };
                f.write_str("STRUCT(")?;
                for (i, (field, v)) in fields.iter().zip(values).enumerate() {
                    write!(f, "{}{} := {v}", if i > 0 { ", " } else { "" }, quote_name(&field.name))?;
                }
                f.write_str(")")
            }
            Expr::Call { function, args, .. } => {
                write!(f, "{function}(")?;
                list(f, args)?;
                f.write_str(")")
            }
            Expr::Lambda { params, body } => match params.as_slice() {
                [one] => write!(f, "{} => {body}", quote_name(&one.name)),
                many => {
                    let names: Vec<String> = many.iter().map(|p| quote_name(&p.name)).collect();
                    write!(f, "({}) => {body}", names.join(", "))
                }
            },
        }
    }
}
