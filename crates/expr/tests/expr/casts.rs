//! The CAST matrix.

use flumen_expr::{Selection, build};
use flumen_types::{Field, SqlType, Value, parse_date, parse_timestamp};

use crate::table::*;

fn cast(from: SqlType, value: Value, to: SqlType) -> Option<Value> {
    let t = Table::new().with("A", from, &[value, Value::Null]);
    let out = t.eval(&build::cast(t.col("A"), &to).unwrap());
    assert_eq!(out.values[1], Value::Null);
    assert!(!out.failed.contains(&1));
    if out.failed.is_empty() { Some(out.values[0].clone()) } else { None }
}

#[test]
fn numbers_to_numbers() {
    use SqlType::{Bigint, Double, Integer};
    let d = dec_type;
    for (from, value, to, expected) in [
        (Integer, int(5), Bigint, Some(long(5))),
        (Integer, int(5), Double, Some(double(5.0))),
        (Integer, int(5), d(3, 1), Some(dec("5.0"))),
        (Integer, int(500), d(3, 1), None),
        (Integer, int(-5), d(12, 2), Some(dec("-5.00"))),
        (Bigint, long(1 << 32), Integer, Some(int(0))),
        (Bigint, long(7), Double, Some(double(7.0))),
        (Bigint, long(7), d(19, 0), Some(dec("7"))),
        (Bigint, long(7), d(40, 4), Some(dec("7.0000"))),
        (Bigint, long(7), d(1, 0), Some(dec("7"))),
        (Bigint, long(70), d(1, 0), None),
        (Double, double(2.9), Integer, Some(int(2))),
        (Double, double(-2.9), Bigint, Some(long(-2))),
        (Double, double(1e20), Integer, Some(int(i32::MAX))),
        (Double, double(1.25), d(3, 1), Some(dec("1.3"))),
        (Double, double(-1.25), d(3, 1), Some(dec("-1.3"))),
        (Double, double(100.0), d(3, 1), None),
        (Double, double(f64::NAN), d(3, 1), None),
        (d(4, 2), dec("12.99"), Integer, Some(int(12))),
        (d(4, 2), dec("-12.99"), Bigint, Some(long(-12))),
        (d(4, 2), dec("12.99"), Double, Some(double(12.99))),
        (d(4, 2), dec("12.99"), d(3, 1), Some(dec("13.0"))),
        (d(4, 2), dec("12.99"), d(6, 3), Some(dec("12.990"))),
        (d(4, 2), dec("12.99"), d(50, 30), Some(dec("12.990000000000000000000000000000"))),
        (d(4, 2), dec("99.99"), d(3, 1), None),
    ] {
        assert_eq!(cast(from.clone(), value.clone(), to.clone()), expected, "{value:?} {from} -> {to}");
    }
}

#[test]
fn texts_to_everything() {
    use SqlType::{Bigint, Boolean, Bytes, Date, Double, Integer, Time, Timestamp};
    for (text, to, expected) in [
        ("TRUE", Boolean, Some(yes())),
        ("y", Boolean, Some(yes())),
        ("no", Boolean, Some(no())),
        ("maybe", Boolean, Some(no())),
        (" 12 ", Integer, Some(int(12))),
        ("+12", Integer, Some(int(12))),
        ("12.0", Integer, None),
        ("99999999999", Integer, None),
        ("99999999999", Bigint, Some(long(99_999_999_999))),
        ("x", Bigint, None),
        ("1e2", Double, Some(double(100.0))),
        ("", Double, None),
        ("1.25", dec_type(3, 1), Some(dec("1.3"))),
        ("1,2", dec_type(3, 1), None),
        ("1000", dec_type(3, 1), None),
        ("2020-02-30", Date, None),
        ("2020-02", Date, Some(Value::Date(parse_date("2020-02-01").unwrap()))),
        ("10:00", Time, Some(Value::Time(36_000_000))),
        ("25:00", Time, None),
        ("2020-01-01T10:00+0100", Timestamp, Some(Value::Timestamp(parse_timestamp("2020-01-01T09:00:00").unwrap()))),
        ("yesterday", Timestamp, None),
        ("AQI=", Bytes, Some(Value::Bytes(vec![1, 2]))),
        ("!", Bytes, None),
    ] {
        assert_eq!(cast(SqlType::String, text.into(), to.clone()), expected, "'{text}' -> {to}");
    }
}

#[test]
fn everything_to_text() {
    let structure = SqlType::Struct(vec![Field::new("A", SqlType::Integer)]);
    for (from, value, expected) in [
        (SqlType::Boolean, yes(), "true"),
        (SqlType::Integer, int(-1), "-1"),
        (SqlType::Bigint, long(1), "1"),
        (SqlType::Double, double(1e10), "1.0E10"),
        (dec_type(4, 2), dec("1.50"), "1.50"),
        (SqlType::Date, Value::Date(0), "1970-01-01"),
        (SqlType::Time, Value::Time(1_000), "00:00:01"),
        (SqlType::Timestamp, Value::Timestamp(1), "1970-01-01T00:00:00.001"),
        (SqlType::array(SqlType::Integer), Value::Array(vec![int(1), Value::Null]), "[1, null]"),
        (SqlType::map(SqlType::String, SqlType::Integer), Value::Map(vec![("k".into(), int(1))]), "{k=1}"),
        (structure, Value::Struct(vec![int(1)]), "Struct{A=1}"),
    ] {
        assert_eq!(cast(from, value, SqlType::String), Some(expected.into()));
    }
}

#[test]
fn times_to_times() {
    let at = Value::Timestamp(parse_timestamp("1969-12-31T10:00:00.5").unwrap());
    assert_eq!(cast(SqlType::Timestamp, at.clone(), SqlType::Date), Some(Value::Date(-1)));
    assert_eq!(cast(SqlType::Timestamp, at, SqlType::Time), Some(Value::Time(36_000_500)));
    assert_eq!(cast(SqlType::Date, Value::Date(-1), SqlType::Timestamp), Some(Value::Timestamp(-86_400_000)));
}

#[test]
fn collections_convert_inside() {
    let ints = SqlType::array(SqlType::Integer);
    let value = Value::Array(vec![int(1), Value::Null]);
    assert_eq!(cast(ints.clone(), value.clone(), SqlType::array(SqlType::Double)), Some(Value::Array(vec![double(1.0), Value::Null])));
    let texts = SqlType::array(SqlType::String);
    assert_eq!(cast(texts, Value::Array(vec!["1".into(), "x".into()]), ints), None);
    let map = SqlType::map(SqlType::String, SqlType::Integer);
    let wide = SqlType::map(SqlType::String, SqlType::Bigint);
    assert_eq!(cast(map, Value::Map(vec![("k".into(), int(1))]), wide), Some(Value::Map(vec![("k".into(), long(1))])));
    let from = SqlType::Struct(vec![Field::new("A", SqlType::Integer), Field::new("B", SqlType::String)]);
    let to = SqlType::Struct(vec![Field::new("B", SqlType::String), Field::new("C", SqlType::Date), Field::new("A", SqlType::Bigint)]);
    assert_eq!(cast(from, Value::Struct(vec![int(1), "x".into()]), to), Some(Value::Struct(vec!["x".into(), Value::Null, long(1)])));
}

#[test]
fn a_failed_element_fails_its_own_row() {
    let ty = SqlType::array(SqlType::String);
    let rows: Vec<Value> = (0..1_200)
        .map(|i| match i % 3 {
            0 => Value::Array(vec!["1".into(), "bad".into()]),
            1 => Value::Null,
            _ => Value::Array(vec![Value::from(i.to_string())]),
        })
        .collect();
    let t = Table::new().with("A", ty, &rows);
    let expr = build::cast(t.col("A"), &SqlType::array(SqlType::Integer)).unwrap();
    let out = t.eval(&expr);
    assert_eq!(out.failed.len(), 400);
    assert!(out.failed.iter().all(|row| row % 3 == 0));
    assert_eq!(out.values[1_199], Value::Array(vec![int(1_199)]));
    let sound = Selection::Rows((0..1_200).filter(|i| i % 3 != 0).collect());
    assert!(t.eval_rows(&expr, &sound).failed.is_empty());
}

#[test]
fn what_has_no_conversion_is_refused() {
    use SqlType::*;
    for (from, to) in [
        (Boolean, Integer),
        (Integer, Boolean),
        (Bytes, String),
        (Date, Time),
        (Time, Timestamp),
        (Integer, Timestamp),
        (Integer, SqlType::array(Integer)),
        (SqlType::array(Boolean), SqlType::array(Integer)),
        (SqlType::map(String, Integer), SqlType::array(Integer)),
    ] {
        let t = Table::new().with("A", from.clone(), &[]);
        let error = build::cast(t.col("A"), &to).unwrap_err().to_string();
        assert!(error.contains(&from.to_string()) && error.contains(&to.to_string()), "{error}");
    }
    let null = build::cast(flumen_expr::Expr::Null, &Integer).unwrap();
    assert_eq!(Table::new().eval(&null).values, [Value::Null]);
}
