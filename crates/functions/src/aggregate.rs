//! The aggregate functions: one file each, over shared slots and cells.

mod attr;
mod average;
mod cell;
mod collect_list;
mod collect_set;
mod correlation;
mod count;
mod count_distinct;
mod deviation;
mod extreme;
mod histogram;
mod list;
mod offset;
mod slots;
mod sum;
mod sum_list;
mod top;
mod top_distinct;

use arrow::array::ArrayRef;
use flumen_expr::ExprError;
use flumen_expr::function::{Instance, Registry};
use flumen_types::{SqlType, Value};

/// Adds all aggregate functions.
pub fn register(registry: &mut Registry) {
    registry.add_aggregate(attr::function());
    registry.add_aggregate(average::function());
    registry.add_aggregate(collect_list::function());
    registry.add_aggregate(collect_set::function());
    registry.add_aggregate(correlation::function());
    registry.add_aggregate(count::function());
    registry.add_aggregate(count_distinct::function());
    registry.add_aggregate(deviation::sample());
    registry.add_aggregate(deviation::variance());
    registry.add_aggregate(extreme::maximum());
    registry.add_aggregate(extreme::minimum());
    registry.add_aggregate(histogram::function());
    registry.add_aggregate(offset::earliest());
    registry.add_aggregate(offset::latest());
    registry.add_aggregate(sum::function());
    registry.add_aggregate(sum_list::function());
    registry.add_aggregate(top::function());
    registry.add_aggregate(top_distinct::function());
}

/// An argument column by position.
fn argument(args: &[ArrayRef], position: usize) -> Result<&ArrayRef, ExprError> {
    args.get(position).ok_or_else(|| ExprError::user(format!("an aggregate got no argument {}", position + 1)))
}

/// The type of an argument by position.
fn argument_type<'a>(instance: &'a Instance<'_>, position: usize) -> Result<&'a SqlType, ExprError> {
    instance.types.get(position).ok_or_else(|| ExprError::user(format!("an aggregate got no argument {}", position + 1)))
}

/// A literal argument that is a number of at least 1.
fn positive(instance: &Instance<'_>, position: usize, what: &str) -> Result<usize, ExprError> {
    match instance.init.get(position) {
        Some(Value::Integer(n)) if *n >= 1 => Ok(*n as usize),
        Some(other) => Err(ExprError::user(format!("{what} must be a number of at least 1, not {}", shown(other)))),
        None => Err(ExprError::user(format!("{what} is missing"))),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Integer(n) => n.to_string(),
        Value::Null => "NULL".to_string(),
        other => other.type_name().to_string(),
    }
}

/// A limit set by `ksql.functions.<name>.limit`; none by default or when it is negative.
fn size_limit(instance: &Instance<'_>, name: &str) -> Result<usize, ExprError> {
    let property = format!("ksql.functions.{name}.limit");
    match instance.settings.get(&property) {
        None => Ok(usize::MAX),
        Some(text) => match text.trim().parse::<i64>() {
            Ok(n) if n < 0 => Ok(usize::MAX),
            Ok(n) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
            Err(_) => Err(ExprError::user(format!("property {property} must be a number, not '{text}'"))),
        },
    }
}
