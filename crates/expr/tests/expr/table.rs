//! A small table to evaluate expressions over, and values from text.

use arrow::array::{Array, ArrayRef};
use flumen_expr::{Compiled, Expr, Failures, Input, Random, Registry, Selection};
use flumen_types::{SqlType, Value, column_of, value_at};

pub const NOW: i64 = 1_600_000_000_000;

#[derive(Default)]
pub struct Table {
    names: Vec<(String, SqlType)>,
    pub columns: Vec<ArrayRef>,
    pub registry: Registry,
}

/// The values of an expression and the rows that failed.
pub struct Outcome {
    pub values: Vec<Value>,
    pub failed: Vec<usize>,
    pub failures: Failures,
}

impl Table {
    pub fn new() -> Self {
        Table::default()
    }

    pub fn with(mut self, name: &str, ty: SqlType, values: &[Value]) -> Self {
        self.columns.push(column_of(&ty, values).unwrap());
        self.names.push((name.to_string(), ty));
        self
    }

    pub fn rows(&self) -> usize {
        self.columns.first().map_or(1, |c| c.len())
    }

    pub fn col(&self, name: &str) -> Expr {
        let at = self.names.iter().position(|(n, _)| n == name).unwrap();
        Expr::column(at as u32, name, self.names[at].1.clone())
    }

    pub fn eval(&self, expr: &Expr) -> Outcome {
        self.eval_rows(expr, &Selection::All)
    }

    pub fn eval_rows(&self, expr: &Expr, selection: &Selection) -> Outcome {
        let random = Random::seeded(7);
        let input = Input { columns: &self.columns, rows: self.rows(), now_ms: NOW, random: &random };
        let out = Compiled::new(expr, &self.registry).unwrap().eval(&input, selection).unwrap();
        assert_eq!(out.array.len(), self.rows());
        assert_eq!(out.array.data_type(), &flumen_types::arrow_type(expr.ty()), "{expr}");
        let values = (0..self.rows()).map(|row| value_at(out.array.as_ref(), expr.ty(), row)).collect();
        Outcome { values, failed: out.failures.rows().collect(), failures: out.failures }
    }

    pub fn filter(&self, expr: &Expr, selection: &Selection) -> (Vec<u32>, Vec<usize>) {
        let random = Random::seeded(7);
        let input = Input { columns: &self.columns, rows: self.rows(), now_ms: NOW, random: &random };
        let out = Compiled::new(expr, &self.registry).unwrap().eval_filter(&input, selection).unwrap();
        (out.rows, out.failures.rows().collect())
    }
}

pub fn int(n: i32) -> Value {
    Value::Integer(n)
}

pub fn long(n: i64) -> Value {
    Value::Bigint(n)
}

pub fn double(n: f64) -> Value {
    Value::Double(n)
}

pub fn yes() -> Value {
    Value::Boolean(true)
}

pub fn no() -> Value {
    Value::Boolean(false)
}

pub fn dec(text: &str) -> Value {
    Value::Decimal(text.parse().unwrap())
}

pub fn dec_type(precision: u32, scale: u32) -> SqlType {
    SqlType::decimal(precision, scale).unwrap()
}

/// A literal of the type its value suggests.
pub fn lit(value: Value) -> Expr {
    let ty = match &value {
        Value::Boolean(_) => SqlType::Boolean,
        Value::Integer(_) => SqlType::Integer,
        Value::Bigint(_) => SqlType::Bigint,
        Value::Double(_) => SqlType::Double,
        Value::Bytes(_) => SqlType::Bytes,
        Value::Date(_) => SqlType::Date,
        Value::Time(_) => SqlType::Time,
        Value::Timestamp(_) => SqlType::Timestamp,
        Value::String(_) => SqlType::String,
        Value::Decimal(d) => return flumen_expr::build::decimal_literal(&d.to_string()).unwrap(),
        other => panic!("no literal for {other:?}"),
    };
    Expr::literal(value, ty)
}

pub fn text(s: &str) -> Expr {
    lit(Value::from(s))
}
