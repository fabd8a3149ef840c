//! Subscripts, fields and constructors.

use flumen_expr::ArithmeticOp::Divide;
use flumen_expr::{Expr, build};
use flumen_types::{Field, SqlType, Value};

use crate::table::*;

#[test]
fn array_positions_count_from_one_and_from_the_end() {
    let array = |items: &[i32]| Value::Array(items.iter().map(|i| int(*i)).collect());
    let t = Table::new().with("A", SqlType::array(SqlType::Integer), &[array(&[1, 2, 3]), array(&[]), Value::Null, array(&[9])]).with(
        "I",
        SqlType::Integer,
        &[int(2), int(1), int(1), int(-1)],
    );
    let at = |index: Expr| t.eval(&build::subscript(t.col("A"), index).unwrap()).values;
    assert_eq!(at(lit(int(1))), [int(1), Value::Null, Value::Null, int(9)]);
    assert_eq!(at(lit(int(-1))), [int(3), Value::Null, Value::Null, int(9)]);
    assert_eq!(at(lit(int(0))), [Value::Null, Value::Null, Value::Null, Value::Null]);
    assert_eq!(at(lit(int(-4))), [Value::Null, Value::Null, Value::Null, Value::Null]);
    assert_eq!(at(lit(long(i64::MIN))), [Value::Null, Value::Null, Value::Null, Value::Null]);
    assert_eq!(at(t.col("I")), [int(2), Value::Null, Value::Null, int(9)]);
    assert!(build::subscript(t.col("A"), text("1")).is_err());
    assert!(build::subscript(t.col("I"), lit(int(1))).is_err());
}

#[test]
fn map_entries_are_found_by_key() {
    let t = Table::new()
        .with(
            "M",
            SqlType::map(SqlType::String, SqlType::Integer),
            &[Value::Map(vec![("a".into(), int(1)), ("b".into(), Value::Null)]), Value::Map(vec![]), Value::Null],
        )
        .with("N", SqlType::map(SqlType::Bigint, SqlType::String), &[Value::Map(vec![(long(7), "seven".into())]), Value::Null, Value::Null])
        .with("K", SqlType::String, &["b".into(), "a".into(), Value::Null]);
    let get = |base: &str, key: Expr| t.eval(&build::subscript(t.col(base), key).unwrap()).values;
    assert_eq!(get("M", text("a")), [int(1), Value::Null, Value::Null]);
    assert_eq!(get("M", t.col("K")), [Value::Null, Value::Null, Value::Null]);
    assert_eq!(get("N", lit(int(7))), ["seven".into(), Value::Null, Value::Null]);
    assert!(build::subscript(t.col("M"), lit(int(1))).is_err());
}

#[test]
fn fields_of_null_structs_are_null() {
    let inner = SqlType::Struct(vec![Field::new("X", SqlType::Integer)]);
    let outer = SqlType::Struct(vec![Field::new("S", inner), Field::new("T", SqlType::String)]);
    let t = Table::new().with(
        "A",
        outer,
        &[Value::Struct(vec![Value::Struct(vec![int(1)]), "t".into()]), Value::Struct(vec![Value::Null, Value::Null]), Value::Null],
    );
    let x = build::field(build::field(t.col("A"), "S").unwrap(), "X").unwrap();
    assert_eq!(x.to_string(), "A->S->X");
    assert_eq!(t.eval(&x).values, [int(1), Value::Null, Value::Null]);
    let error = build::field(t.col("A"), "Z").unwrap_err().to_string();
    assert!(error.contains("'Z'") && error.contains("S, T"), "{error}");
    assert!(build::field(text("a"), "Z").is_err());
}

#[test]
fn constructors_take_one_type_of_elements() {
    let t = Table::new().with("I", SqlType::Integer, &[int(1), Value::Null]);
    let array = build::array(vec![t.col("I"), lit(long(5)), Expr::Null, text("7")]).unwrap();
    assert_eq!(*array.ty(), SqlType::array(SqlType::Bigint));
    assert_eq!(
        t.eval(&array).values,
        [Value::Array(vec![long(1), long(5), Value::Null, long(7)]), Value::Array(vec![Value::Null, long(5), Value::Null, long(7)])]
    );
    let map = build::map(vec![(text("a"), t.col("I")), (text("b"), lit(dec("1.5")))]).unwrap();
    assert_eq!(*map.ty(), SqlType::map(SqlType::String, dec_type(11, 1)));
    assert_eq!(t.eval(&map).values[0], Value::Map(vec![("a".into(), dec("1.0")), ("b".into(), dec("1.5"))]));
    let structure = build::struct_(vec![("A".into(), t.col("I")), ("B".into(), text("x"))]).unwrap();
    assert_eq!(structure.to_string(), "STRUCT(A := I, B := 'x')");
    assert_eq!(t.eval(&structure).values[1], Value::Struct(vec![Value::Null, "x".into()]));
    let nested = build::array(vec![build::array(vec![lit(int(1))]).unwrap(), build::array(vec![lit(double(2.5))]).unwrap()]);
    assert_eq!(*nested.unwrap().ty(), SqlType::array(SqlType::array(SqlType::Double)));
}

#[test]
fn constructors_without_a_type_are_refused() {
    assert!(build::array(vec![]).is_err());
    assert!(build::array(vec![Expr::Null]).is_err());
    assert!(build::map(vec![]).is_err());
    assert!(build::array(vec![lit(int(1)), text("one")]).is_err());
    assert!(build::array(vec![lit(yes()), lit(int(1))]).is_err());
    assert!(build::struct_(vec![("A".into(), lit(int(1))), ("A".into(), lit(int(2)))]).is_err());
    let flags = build::array(vec![lit(yes()), text("fal")]).unwrap();
    assert_eq!(Table::new().eval(&flags).values, [Value::Array(vec![yes(), no()])]);
}

#[test]
fn a_failed_element_is_null_alone_and_noted() {
    let t = Table::new().with("I", SqlType::Integer, &[int(2), int(0)]);
    let quotient = || build::arithmetic(Divide, lit(int(4)), t.col("I")).unwrap();
    let out = t.eval(&build::array(vec![quotient(), t.col("I")]).unwrap());
    assert_eq!(out.values, [Value::Array(vec![int(2), int(2)]), Value::Array(vec![Value::Null, int(0)])]);
    assert!(out.failed.is_empty());
    assert_eq!(out.failures.notes().len(), 1);
    assert_eq!(out.failures.notes()[0].0, 1);
    let out = t.eval(&build::struct_(vec![("Q".into(), quotient())]).unwrap());
    assert_eq!(out.values[1], Value::Struct(vec![Value::Null]));
    let out = t.eval(&build::map(vec![(text("k"), quotient())]).unwrap());
    assert_eq!(out.values[1], Value::Map(vec![("k".into(), Value::Null)]));
}

#[test]
fn lists_agree_element_by_element() {
    let ints = SqlType::array(SqlType::Bigint);
    let t = Table::new()
        .with("A", ints, &[Value::Array(vec![long(3), Value::Null]), Value::Array(vec![long(5)])])
        .with("S", SqlType::String, &["k".into(), "l".into()])
        .with("B", SqlType::Boolean, &[yes(), no()]);
    let array = |items: Vec<Expr>| build::array(items).unwrap();
    let list = vec![array(vec![text("3"), Expr::Null]), array(vec![lit(int(4))])];
    assert_eq!(t.eval(&build::in_list(t.col("A"), false, list).unwrap()).values, [yes(), no()]);
    assert!(build::in_list(t.col("A"), false, vec![array(vec![text("three")])]).is_err());
    assert!(build::in_list(t.col("A"), false, vec![lit(int(3))]).is_err());
    let whole = array(vec![Expr::Null, lit(int(10)), text("2e1")]);
    assert_eq!(*whole.ty(), SqlType::array(SqlType::decimal(10, 0).unwrap()));
    let whole_number = |n: i64| Value::Decimal(flumen_types::Decimal::from_i64(n));
    assert_eq!(t.eval(&whole).values[0], Value::Array(vec![Value::Null, whole_number(10), whole_number(20)]));
    let mixed = build::map(vec![(t.col("S"), t.col("B")), (lit(int(10)), text("no"))]).unwrap();
    assert_eq!(t.eval(&mixed).values[0], Value::Map(vec![("k".into(), yes()), ("10".into(), no())]));
    let structure = |a: &str, b: &str| build::struct_(vec![(a.into(), lit(int(1))), (b.into(), lit(long(2)))]).unwrap();
    let structs = array(vec![structure("X", "Y"), structure("Y", "Z")]);
    let row = |x: Value, y: Value, z: Value| Value::Struct(vec![x, y, z]);
    assert_eq!(t.eval(&structs).values[0], Value::Array(vec![row(int(1), long(2), Value::Null), row(Value::Null, long(1), long(2))]));
}

#[test]
fn the_last_of_equal_map_keys_wins_and_null_keys_are_texts() {
    let t = Table::new().with("K", SqlType::String, &["a".into(), "b".into(), Value::Null]).with(
        "N",
        SqlType::Bigint,
        &[long(1), long(2), Value::Null],
    );
    let out = t.eval(&build::map(vec![(t.col("K"), lit(int(1))), (text("a"), lit(int(2)))]).unwrap());
    assert_eq!(out.values[0], Value::Map(vec![("a".into(), int(2))]));
    assert_eq!(out.values[1], Value::Map(vec![("b".into(), int(1)), ("a".into(), int(2))]));
    assert_eq!(out.values[2], Value::Map(vec![("null".into(), int(1)), ("a".into(), int(2))]));
    let out = t.eval(&build::map(vec![(text("a"), lit(int(1))), (text("a"), lit(int(2)))]).unwrap());
    assert_eq!(out.values[2], Value::Map(vec![("a".into(), int(2))]));
    assert_eq!(t.eval(&build::map(vec![(t.col("N"), lit(int(1)))]).unwrap()).failed, [2]);
    assert!(build::map(vec![(Expr::Null, lit(int(1)))]).is_err());
}

#[test]
fn a_failed_condition_computes_no_branch() {
    let t = Table::new().with("I", SqlType::Integer, &[int(0), int(2)]);
    let quotient = build::arithmetic(Divide, lit(int(6)), t.col("I")).unwrap();
    let computed = build::is_null(build::is_null(quotient.clone(), false), true);
    let case = build::case(vec![(computed, build::array(vec![quotient]).unwrap())], None).unwrap();
    let out = t.eval(&case);
    assert_eq!(out.values, [Value::Null, Value::Array(vec![int(3)])]);
    assert_eq!(out.failures.count(), 1);
    assert!(out.failures.notes().is_empty());
}
