//! Arithmetic: wrapping, truncation, NULL and zero as row errors, exact decimals.

use flumen_expr::ArithmeticOp::{Add, Divide, Multiply, Remainder, Subtract};
use flumen_expr::{ArithmeticOp, Expr, Selection, build};
use flumen_types::{SqlType, Value};

use crate::table::*;

const OPS: [ArithmeticOp; 5] = [Add, Subtract, Multiply, Divide, Remainder];

fn numbers() -> Table {
    Table::new()
        .with("I", SqlType::Integer, &[int(7), int(-7), Value::Null, int(i32::MAX)])
        .with("J", SqlType::Integer, &[int(2), int(0), int(1), int(1)])
        .with("L", SqlType::Bigint, &[long(7), long(i64::MIN), long(1), Value::Null])
        .with("D", SqlType::Double, &[double(0.5), double(0.0), double(2.0), Value::Null])
        .with("P", dec_type(4, 2), &[dec("10.10"), dec("-1.50"), dec("0.00"), Value::Null])
        .with("Q", dec_type(3, 1), &[dec("2.0"), dec("0.4"), dec("3.0"), dec("1.0")])
}

fn results(table: &Table, op: ArithmeticOp, l: &str, r: &str) -> Outcome {
    table.eval(&build::arithmetic(op, table.col(l), table.col(r)).unwrap())
}

#[test]
fn integers_wrap_truncate_and_fail_on_zero() {
    let t = numbers();
    let sum = results(&t, Add, "I", "J");
    assert_eq!(sum.values, [int(9), int(-7), Value::Null, int(i32::MIN)]);
    assert_eq!(sum.failed, [2]);
    let quotient = results(&t, Divide, "I", "J");
    assert_eq!(quotient.values, [int(3), Value::Null, Value::Null, int(i32::MAX)]);
    assert_eq!(quotient.failed, [1, 2]);
    assert!(quotient.failures.messages().iter().any(|(row, text)| *row == 1 && text.contains("zero")));
    assert_eq!(results(&t, Remainder, "I", "J").values, [int(1), Value::Null, Value::Null, int(0)]);
    assert_eq!(results(&t, Multiply, "I", "J").values[3], int(i32::MAX));
    assert_eq!(results(&t, Subtract, "L", "I").values[1], long(i64::MIN.wrapping_add(7)));
}

#[test]
fn result_types_widen() {
    let t = numbers();
    let ty = |l: &str, r: &str| build::arithmetic(Add, t.col(l), t.col(r)).unwrap().ty().clone();
    assert_eq!(ty("I", "J"), SqlType::Integer);
    assert_eq!(ty("I", "L"), SqlType::Bigint);
    assert_eq!(ty("L", "D"), SqlType::Double);
    assert_eq!(ty("P", "D"), SqlType::Double);
    assert_eq!(ty("P", "I"), dec_type(13, 2));
}

#[test]
fn doubles_never_fail_on_zero() {
    let t = numbers();
    let out = results(&t, Divide, "I", "D");
    assert_eq!(out.values[0], double(14.0));
    assert_eq!(out.values[1], double(f64::NEG_INFINITY));
    assert_eq!(out.failed, [2, 3]);
    let mixed = results(&t, Add, "P", "D");
    assert_eq!(mixed.values[0], double(10.6));
}

#[test]
fn decimals_are_exact() {
    let t = numbers();
    assert_eq!(results(&t, Add, "P", "Q").values[..3], [dec("12.10"), dec("-1.10"), dec("3.00")]);
    assert_eq!(results(&t, Subtract, "P", "Q").values[..3], [dec("8.10"), dec("-1.90"), dec("-3.00")]);
    assert_eq!(results(&t, Multiply, "P", "Q").values[..3], [dec("20.200"), dec("-0.600"), dec("0.000")]);
    assert_eq!(results(&t, Divide, "P", "Q").values[..3], [dec("5.050000"), dec("-3.750000"), dec("0.000000")]);
    assert_eq!(results(&t, Remainder, "P", "Q").values[..3], [dec("0.10"), dec("-0.30"), dec("0.00")]);
    assert_eq!(results(&t, Divide, "P", "Q").failed, [3]);
}

#[test]
fn a_quotient_that_needs_rounding_fails_its_row() {
    let t = Table::new().with("P", dec_type(4, 2), &[dec("1.00"), dec("1.00"), dec("1.00")]).with(
        "Q",
        dec_type(4, 2),
        &[dec("3.00"), dec("0.00"), dec("8.00")],
    );
    let out = results(&t, Divide, "P", "Q");
    assert_eq!(out.failed, [0, 1]);
    assert_eq!(out.values[2], dec("0.1250000"));
}

#[test]
fn wide_decimals_use_256_bits() {
    let t = Table::new().with("P", dec_type(30, 2), &[dec("1234567890123456789012345678.25"), Value::Null]).with(
        "Q",
        dec_type(20, 3),
        &[dec("10.500"), dec("1.000")],
    );
    let product = results(&t, Multiply, "P", "Q");
    assert_eq!(product.values[0], dec("12962962846296296284629629621.62500"));
    assert_eq!(product.failed, [1]);
    assert_eq!(results(&t, Add, "P", "Q").values[0], dec("1234567890123456789012345688.750"));
    let negated = t.eval(&build::negate(build::arithmetic(Multiply, t.col("P"), t.col("Q")).unwrap()).unwrap());
    assert_eq!(negated.values[0], dec("-12962962846296296284629629621.62500"));
}

#[test]
fn strings_join_and_null_fails() {
    let t = Table::new().with("A", SqlType::String, &["x".into(), Value::Null]);
    let out = t.eval(&build::arithmetic(Add, t.col("A"), text("!")).unwrap());
    assert_eq!(out.values, ["x!".into(), Value::Null]);
    assert_eq!(out.failed, [1]);
    assert!(build::arithmetic(Subtract, t.col("A"), text("!")).is_err());
    assert!(build::arithmetic(Add, t.col("A"), lit(int(1))).is_err());
}

#[test]
fn every_type_with_every_operator_or_a_clear_error() {
    let t = Table::new()
        .with("B", SqlType::Boolean, &[yes()])
        .with("S", SqlType::String, &["1".into()])
        .with("T", SqlType::Timestamp, &[Value::Timestamp(1)])
        .with("I", SqlType::Integer, &[int(1)])
        .with("X", SqlType::Bytes, &[Value::Bytes(vec![1])]);
    for op in OPS {
        for name in ["B", "T", "X"] {
            let error = build::arithmetic(op, t.col(name), t.col("I")).unwrap_err().to_string();
            assert!(error.contains(op.symbol()), "{error}");
        }
        assert!(build::arithmetic(op, Expr::Null, t.col("I")).is_err());
        assert_eq!(t.eval(&build::arithmetic(op, t.col("I"), t.col("I")).unwrap()).failed.len(), 0);
    }
    assert!(build::negate(t.col("S")).is_err());
}

#[test]
fn only_selected_rows_are_computed() {
    let rows = 3_000;
    let numbers: Vec<Value> = (0..rows).map(|i| if i % 3 == 0 { int(0) } else { int(i) }).collect();
    let t = Table::new().with("N", SqlType::Integer, &numbers);
    let expr = build::arithmetic(Divide, lit(int(6_000)), t.col("N")).unwrap();
    let all = t.eval(&expr);
    assert_eq!(all.failed.len(), 1_000);
    assert_eq!(all.failures.messages().len(), flumen_expr::KEPT_MESSAGES);
    assert_eq!(all.values[2_999], int(2));
    let chosen = Selection::Rows((0..rows as u32).filter(|i| i % 3 != 0 && i % 2 == 0).collect());
    let some = t.eval_rows(&expr, &chosen);
    assert!(some.failed.is_empty());
    assert_eq!(some.values.iter().filter(|v| !v.is_null()).count(), 1_000);
    assert_eq!(some.values[2], int(3_000));
    assert_eq!(some.values[1], Value::Null);
}

#[test]
fn negation() {
    let t = numbers();
    let out = t.eval(&build::negate(t.col("I")).unwrap());
    assert_eq!(out.values, [int(-7), int(7), Value::Null, int(-i32::MAX)]);
    assert_eq!(out.failed, [2]);
    assert_eq!(t.eval(&build::negate(t.col("P")).unwrap()).values[0], dec("-10.10"));
    assert_eq!(t.eval(&build::negate(t.col("D")).unwrap()).values[0], double(-0.5));
}

#[test]
fn constants_fold_and_failing_ones_fail_every_row() {
    let t = Table::new().with("I", SqlType::Integer, &[int(1), int(2)]);
    let three = build::arithmetic(Add, lit(int(1)), lit(int(2))).unwrap();
    assert_eq!(t.eval(&three).values, [int(3), int(3)]);
    let zero = build::arithmetic(Divide, lit(int(1)), lit(int(0))).unwrap();
    assert_eq!(t.eval(&zero).failed, [0, 1]);
}
