//! Comparisons, BETWEEN, IN, LIKE, DISTINCT FROM: NULL compares as false.

use flumen_expr::CompareOp::{DistinctFrom, Eq, Ge, Gt, Le, Lt, Ne, NotDistinctFrom};
use flumen_expr::{CompareOp, Expr, build};
use flumen_types::{Field, SqlType, Value};

use crate::table::*;

fn compare(t: &Table, op: CompareOp, l: Expr, r: Expr) -> Vec<Value> {
    let out = t.eval(&build::compare(op, l, r).unwrap());
    assert!(out.failed.is_empty());
    out.values
}

/// Three rows whose left value is below, at and above the right one, then NULLs on the left, right and both sides.
fn check_order(ty: SqlType, low: Value, mid: Value, high: Value, ordered: bool) {
    let t = Table::new().with("A", ty.clone(), &[low, mid.clone(), high, Value::Null, mid.clone(), Value::Null]).with(
        "B",
        ty,
        &[mid.clone(), mid.clone(), mid.clone(), mid, Value::Null, Value::Null],
    );
    let check = |op, expected: [u8; 6]| {
        let wanted: Vec<Value> = expected.iter().map(|b| Value::Boolean(*b == 1)).collect();
        assert_eq!(compare(&t, op, t.col("A"), t.col("B")), wanted, "{op:?}");
    };
    check(Eq, [0, 1, 0, 0, 0, 0]);
    check(Ne, [1, 0, 1, 0, 0, 0]);
    check(DistinctFrom, [1, 0, 1, 1, 1, 0]);
    check(NotDistinctFrom, [0, 1, 0, 0, 0, 1]);
    if ordered {
        check(Lt, [1, 0, 0, 0, 0, 0]);
        check(Le, [1, 1, 0, 0, 0, 0]);
        check(Gt, [0, 0, 1, 0, 0, 0]);
        check(Ge, [0, 1, 1, 0, 0, 0]);
    } else {
        for op in [Lt, Le, Gt, Ge] {
            assert!(build::compare(op, t.col("A"), t.col("B")).is_err());
        }
    }
}

#[test]
fn every_type_with_every_operator() {
    check_order(SqlType::Integer, int(1), int(2), int(3), true);
    check_order(SqlType::Bigint, long(1), long(2), long(3), true);
    check_order(SqlType::Double, double(1.0), double(2.0), double(3.0), true);
    check_order(dec_type(4, 1), dec("-1.0"), dec("2.0"), dec("2.1"), true);
    check_order(dec_type(50, 1), dec("-1.0"), dec("2.0"), dec("2.1"), true);
    check_order(SqlType::String, "a".into(), "b".into(), "ba".into(), true);
    check_order(SqlType::Bytes, Value::Bytes(vec![0x80]), Value::Bytes(vec![1]), Value::Bytes(vec![1, 2]), true);
    check_order(SqlType::Date, Value::Date(1), Value::Date(2), Value::Date(3), true);
    check_order(SqlType::Time, Value::Time(1), Value::Time(2), Value::Time(3), true);
    check_order(SqlType::Timestamp, Value::Timestamp(1), Value::Timestamp(2), Value::Timestamp(3), true);
    let array = |n: i32| Value::Array(vec![int(n), Value::Null]);
    check_order(SqlType::array(SqlType::Integer), array(1), array(2), array(3), false);
    let map = |n: i32| Value::Map(vec![("k".into(), int(n))]);
    check_order(SqlType::map(SqlType::String, SqlType::Integer), map(1), map(2), map(3), false);
    let structure = |n: i32| Value::Struct(vec![int(n)]);
    check_order(SqlType::Struct(vec![Field::new("F", SqlType::Integer)]), structure(1), structure(2), structure(3), false);
}

#[test]
fn booleans_compare_for_equality_only() {
    let t = Table::new().with("A", SqlType::Boolean, &[yes(), no(), Value::Null]);
    assert_eq!(compare(&t, Eq, t.col("A"), lit(yes())), [yes(), no(), no()]);
    assert_eq!(compare(&t, Ne, t.col("A"), lit(yes())), [no(), yes(), no()]);
    assert!(build::compare(Lt, t.col("A"), lit(yes())).is_err());
}

#[test]
fn numbers_of_different_types_compare_by_value() {
    let t = Table::new()
        .with("I", SqlType::Integer, &[int(1), int(2)])
        .with("L", SqlType::Bigint, &[long(1), long(3)])
        .with("D", SqlType::Double, &[double(1.0), double(1.5)])
        .with("P", dec_type(5, 3), &[dec("1.000"), dec("1.999")])
        .with("Q", dec_type(40, 1), &[dec("1.0"), dec("2.0")]);
    for (l, r, expected) in [
        ("I", "L", [yes(), no()]),
        ("I", "D", [yes(), no()]),
        ("L", "D", [yes(), no()]),
        ("I", "P", [yes(), no()]),
        ("P", "Q", [yes(), no()]),
        ("P", "D", [yes(), no()]),
        ("Q", "I", [yes(), yes()]),
    ] {
        assert_eq!(compare(&t, Eq, t.col(l), t.col(r)), expected, "{l} = {r}");
    }
    assert_eq!(compare(&t, Gt, t.col("I"), t.col("P")), [no(), yes()]);
    assert_eq!(compare(&t, Lt, t.col("P"), lit(dec("1.5"))), [yes(), no()]);
}

#[test]
fn not_a_number_equals_nothing() {
    let t = Table::new().with("D", SqlType::Double, &[double(f64::NAN), double(-0.0)]);
    assert_eq!(compare(&t, Eq, t.col("D"), t.col("D")), [no(), yes()]);
    assert_eq!(compare(&t, Eq, t.col("D"), lit(double(0.0))), [no(), yes()]);
}

#[test]
fn texts_compare_with_times() {
    let t = Table::new()
        .with("T", SqlType::Timestamp, &[Value::Timestamp(0), Value::Timestamp(86_400_000)])
        .with("D", SqlType::Date, &[Value::Date(0), Value::Date(1)])
        .with("C", SqlType::Time, &[Value::Time(0), Value::Time(60_000)])
        .with("S", SqlType::String, &["1970-01-01".into(), "never".into()]);
    assert_eq!(compare(&t, Gt, t.col("T"), text("1970-01-01T12:00:00")), [no(), yes()]);
    assert_eq!(compare(&t, Eq, text("1970-01-02"), t.col("D")), [no(), yes()]);
    assert_eq!(compare(&t, Eq, t.col("C"), text("00:01")), [no(), yes()]);
    assert_eq!(compare(&t, Eq, t.col("T"), t.col("D")), [yes(), yes()]);
    let out = t.eval(&build::compare(Eq, t.col("D"), t.col("S")).unwrap());
    assert_eq!((out.values, out.failed), (vec![yes(), Value::Null], vec![1]));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let t = Table::new()
        .with("I", SqlType::Integer, &[int(1)])
        .with("S", SqlType::String, &["a".into()])
        .with("X", SqlType::Bytes, &[Value::Bytes(vec![])])
        .with("T", SqlType::Time, &[Value::Time(0)])
        .with("D", SqlType::Date, &[Value::Date(0)]);
    for (l, r) in [("I", "S"), ("X", "S"), ("T", "D"), ("I", "D")] {
        let error = build::compare(Eq, t.col(l), t.col(r)).unwrap_err().to_string();
        assert!(error.contains("cannot be used to compare"), "{error}");
    }
    let error = build::compare(Eq, t.col("I"), Expr::Null).unwrap_err().to_string();
    assert!(error.contains("IS NULL"), "{error}");
    assert_eq!(compare(&t, DistinctFrom, t.col("I"), Expr::Null), [yes()]);
    assert_eq!(compare(&t, NotDistinctFrom, Expr::Null, Expr::Null), [yes()]);
}

#[test]
fn maps_are_equal_in_any_order() {
    let ty = SqlType::map(SqlType::String, SqlType::Integer);
    let t = Table::new().with("A", ty.clone(), &[Value::Map(vec![("x".into(), int(1)), ("y".into(), int(2))])]).with(
        "B",
        ty,
        &[Value::Map(vec![("y".into(), int(2)), ("x".into(), int(1))])],
    );
    assert_eq!(compare(&t, Eq, t.col("A"), t.col("B")), [yes()]);
    assert_eq!(compare(&t, Ne, t.col("A"), t.col("B")), [no()]);
}

#[test]
fn between_includes_its_bounds() {
    let t = Table::new().with("I", SqlType::Integer, &[int(1), int(2), int(3), int(4), Value::Null]);
    let plain = build::between(t.col("I"), false, lit(int(2)), lit(int(3))).unwrap();
    assert_eq!(t.eval(&plain).values, [no(), yes(), yes(), no(), no()]);
    let negated = build::between(t.col("I"), true, lit(int(2)), lit(int(3))).unwrap();
    assert_eq!(t.eval(&negated).values, [yes(), no(), no(), yes(), yes()]);
    let mixed = build::between(t.col("I"), false, lit(long(2)), lit(double(3.5))).unwrap();
    assert_eq!(t.eval(&mixed).values, [no(), yes(), yes(), no(), no()]);
    let decimal = build::between(t.col("I"), false, lit(dec("1.5")), lit(int(2))).unwrap();
    assert_eq!(t.eval(&decimal).values, [no(), yes(), no(), no(), no()]);
    assert!(build::between(t.col("I"), false, Expr::Null, lit(int(2))).is_err());
}

#[test]
fn membership_ignores_nulls_and_converts_literals() {
    let t = Table::new()
        .with("I", SqlType::Integer, &[int(1), int(10), Value::Null])
        .with("S", SqlType::String, &["a".into(), "b".into(), Value::Null])
        .with("P", dec_type(4, 2), &[dec("1.50"), dec("2.00"), Value::Null]);
    let is_in = |name: &str, negated, list: Vec<Expr>| t.eval(&build::in_list(t.col(name), negated, list).unwrap()).values;
    assert_eq!(is_in("I", false, vec![lit(int(1)), Expr::Null]), [yes(), no(), no()]);
    assert_eq!(is_in("I", false, vec![text("10"), lit(int(3))]), [no(), yes(), no()]);
    assert_eq!(is_in("I", true, vec![lit(int(1))]), [no(), yes(), yes()]);
    assert_eq!(is_in("I", false, vec![lit(long(1)), lit(dec("10.0"))]), [yes(), yes(), no()]);
    assert_eq!(is_in("S", false, vec![text("b")]), [no(), yes(), no()]);
    assert_eq!(is_in("P", false, vec![lit(int(2)), lit(dec("1.5"))]), [yes(), yes(), no()]);
    assert_eq!(is_in("I", false, vec![t.col("I")]), [yes(), yes(), no()]);
    let many: Vec<Expr> = (0..12).map(|i| lit(int(i))).collect();
    assert_eq!(is_in("I", false, many), [yes(), yes(), no()]);
    let many: Vec<Expr> = "abcdefghijk".chars().map(|c| text(&c.to_string())).chain([Expr::Null]).collect();
    assert_eq!(is_in("S", true, many), [no(), no(), yes()]);
    assert!(build::in_list(t.col("I"), false, vec![text("ten")]).is_err());
    assert_eq!(is_in("S", false, vec![lit(int(1)), text("a")]), [yes(), no(), no()]);
    assert!(build::in_list(t.col("S"), false, vec![t.col("I")]).is_err());
}

#[test]
fn like_matches_columns_and_patterns() {
    let t = Table::new().with("S", SqlType::String, &["abc".into(), "axc".into(), Value::Null, "a%c".into()]).with(
        "P",
        SqlType::String,
        &["a%".into(), "_".into(), "%".into(), Value::Null],
    );
    let like = |pattern: Expr, escape, negated| t.eval(&build::like(t.col("S"), negated, pattern, escape).unwrap()).values;
    assert_eq!(like(text("ab%"), None, false), [yes(), no(), no(), no()]);
    assert_eq!(like(text("a_c"), None, false), [yes(), yes(), no(), yes()]);
    assert_eq!(like(text("a!%c"), Some('!'), false), [no(), no(), no(), yes()]);
    assert_eq!(like(text("%b%"), None, true), [no(), yes(), yes(), yes()]);
    assert_eq!(like(t.col("P"), None, false), [yes(), no(), no(), no()]);
    assert!(build::like(lit(int(1)), false, text("1"), None).is_err());
}
