//! Calls of functions on single values.

use flumen_expr::{Compiled, Evaluated, Expr, ExprError, Input, IntervalUnit, Random, Registry, Selection};
use flumen_functions::builtins;
use flumen_types::{SqlType, Value, column_of, value_at};

/// The instant that counts as now.
pub const NOW: i64 = 1_700_000_000_000;

/// An argument: a value with its type, or a unit.
#[derive(Clone)]
pub enum Arg {
    Value(Value, SqlType),
    Unit(IntervalUnit),
}

impl From<&str> for Arg {
    fn from(text: &str) -> Arg {
        Arg::Value(text.into(), SqlType::String)
    }
}

impl From<i32> for Arg {
    fn from(n: i32) -> Arg {
        Arg::Value(n.into(), SqlType::Integer)
    }
}

impl From<i64> for Arg {
    fn from(n: i64) -> Arg {
        Arg::Value(n.into(), SqlType::Bigint)
    }
}

impl From<f64> for Arg {
    fn from(n: f64) -> Arg {
        Arg::Value(n.into(), SqlType::Double)
    }
}

impl From<bool> for Arg {
    fn from(b: bool) -> Arg {
        Arg::Value(b.into(), SqlType::Boolean)
    }
}

impl From<&[u8]> for Arg {
    fn from(b: &[u8]) -> Arg {
        Arg::Value(Value::Bytes(b.to_vec()), SqlType::Bytes)
    }
}

impl From<IntervalUnit> for Arg {
    fn from(unit: IntervalUnit) -> Arg {
        Arg::Unit(unit)
    }
}

pub fn null(ty: SqlType) -> Arg {
    Arg::Value(Value::Null, ty)
}

pub fn decimal(text: &str, precision: u32, scale: u32) -> Arg {
    Arg::Value(dec(text), SqlType::decimal(precision, scale).unwrap())
}

pub fn dec(text: &str) -> Value {
    Value::Decimal(text.parse().unwrap())
}

pub fn date(days: i32) -> Arg {
    Arg::Value(Value::Date(days), SqlType::Date)
}

pub fn time(millis: i32) -> Arg {
    Arg::Value(Value::Time(millis), SqlType::Time)
}

pub fn timestamp(text: &str) -> Arg {
    Arg::Value(stamp(text), SqlType::Timestamp)
}

pub fn stamp(text: &str) -> Value {
    Value::Timestamp(flumen_types::parse_timestamp(text).unwrap())
}

pub fn ints(values: &[Option<i32>]) -> Arg {
    Arg::Value(int_array(values), SqlType::array(SqlType::Integer))
}

pub fn int_array(values: &[Option<i32>]) -> Value {
    Value::Array(values.iter().map(|v| v.map_or(Value::Null, Value::Integer)).collect())
}

pub fn texts(values: &[&str]) -> Arg {
    Arg::Value(text_array(values), SqlType::array(SqlType::String))
}

pub fn text_array(values: &[&str]) -> Value {
    Value::Array(values.iter().map(|v| Value::from(*v)).collect())
}

pub fn int_map(entries: &[(&str, Option<i32>)]) -> Arg {
    let entries = entries.iter().map(|(k, v)| (Value::from(*k), v.map_or(Value::Null, Value::Integer))).collect();
    Arg::Value(Value::Map(entries), SqlType::map(SqlType::String, SqlType::Integer))
}

/// Runs an expression over one row.
pub fn evaluate(expr: &Expr, registry: &Registry, args: &[Arg]) -> Result<Value, String> {
    let columns: Vec<_> = args
        .iter()
        .map(|arg| match arg {
            Arg::Value(v, ty) => column_of(ty, [v]).unwrap(),
            Arg::Unit(_) => column_of(&SqlType::Boolean, [&Value::Null]).unwrap(),
        })
        .collect();
    let random = Random::seeded(7);
    let input = Input { columns: &columns, rows: 1, now_ms: NOW, random: &random };
    let compiled = Compiled::new(expr, registry).map_err(|e| e.to_string())?;
    let Evaluated { array, failures } = compiled.eval(&input, &Selection::All).map_err(|e| e.to_string())?;
    match failures.messages().first() {
        Some((_, text)) => Err(text.clone()),
        None => Ok(value_at(array.as_ref(), expr.ty(), 0)),
    }
}

/// An argument as a column of the row.
pub fn column(index: usize, arg: &Arg) -> Expr {
    match arg {
        Arg::Value(_, ty) => Expr::column(index as u32, format!("C{index}"), ty.clone()),
        Arg::Unit(unit) => Expr::Unit { unit: *unit },
    }
}

/// A resolved call on columns.
pub fn resolve(name: &str, args: &[Arg]) -> Result<Expr, ExprError> {
    builtins().call(name, args.iter().enumerate().map(|(i, a)| column(i, a)).collect())
}

/// Calls a function on columns and on literals, which must agree.
pub fn call(name: &str, args: &[Arg]) -> Result<Value, String> {
    let registry = builtins();
    let on_columns = resolve(name, args).map_err(|e| e.to_string()).and_then(|e| evaluate(&e, &registry, args));
    let literals = args.iter().map(|arg| match arg {
        Arg::Value(v, ty) => Expr::literal(v.clone(), ty.clone()),
        Arg::Unit(unit) => Expr::Unit { unit: *unit },
    });
    let on_literals = registry.call(name, literals.collect()).map_err(|e| e.to_string()).and_then(|e| evaluate(&e, &registry, args));
    assert_eq!(format!("{on_columns:?}"), format!("{on_literals:?}"), "{name} differs between columns and literals");
    on_columns
}

/// Calls a function: `f!("TRIM", " a ")`.
#[macro_export]
macro_rules! f {
    ($name:expr $(, $arg:expr)* $(,)?) => {
        $crate::support::call($name, &[$($crate::support::Arg::from($arg)),*])
    };
}

/// Checks that a call gives a value: `gives!(Value::from("a"), "TRIM", " a ")`.
#[macro_export]
macro_rules! gives {
    ($expected:expr, $name:expr $(, $arg:expr)* $(,)?) => {
        assert_eq!($crate::f!($name $(, $arg)*), Ok(flumen_types::Value::from($expected)), "{}", $name)
    };
}

/// Checks that a call gives NULL.
#[macro_export]
macro_rules! gives_null {
    ($name:expr $(, $arg:expr)* $(,)?) => {
        assert_eq!($crate::f!($name $(, $arg)*), Ok(flumen_types::Value::Null), "{}", $name)
    };
}

/// Checks that a call fails with a message that contains a text.
#[macro_export]
macro_rules! fails {
    ($why:expr, $name:expr $(, $arg:expr)* $(,)?) => {{
        let message = $crate::f!($name $(, $arg)*).expect_err($name);
        assert!(message.contains($why), "{message}");
    }};
}
