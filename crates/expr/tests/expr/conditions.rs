//! AND, OR, NOT, CASE and WHERE: laziness and the NULL rules.

use flumen_expr::ArithmeticOp::Divide;
use flumen_expr::CompareOp::{Eq, Gt};
use flumen_expr::LogicalOp::{And, Or};
use flumen_expr::{Expr, Selection, build};
use flumen_types::{SqlType, Value};

use crate::table::*;

fn truth_table() -> Table {
    let values = [yes(), no(), Value::Null];
    let left: Vec<Value> = values.iter().flat_map(|v| vec![v.clone(); 3]).collect();
    let right: Vec<Value> = (0..3).flat_map(|_| values.clone()).collect();
    Table::new().with("A", SqlType::Boolean, &left).with("B", SqlType::Boolean, &right)
}

#[test]
fn null_operands_fail_only_where_they_are_evaluated() {
    let t = truth_table();
    let null = Value::Null;
    let and = t.eval(&build::logical(And, t.col("A"), t.col("B")).unwrap());
    assert_eq!(and.values, [yes(), no(), null.clone(), no(), no(), no(), null.clone(), null.clone(), null.clone()]);
    assert_eq!(and.failed, [2, 6, 7, 8]);
    let or = t.eval(&build::logical(Or, t.col("A"), t.col("B")).unwrap());
    assert_eq!(or.values, [yes(), yes(), yes(), yes(), no(), null.clone(), null.clone(), null.clone(), null]);
    assert_eq!(or.failed, [5, 6, 7, 8]);
    let not = t.eval(&build::not(t.col("A")).unwrap());
    assert_eq!(not.failed, [6, 7, 8]);
    assert_eq!(not.values[..6], [no(), no(), no(), yes(), yes(), yes()]);
}

#[test]
fn a_comparison_with_null_is_false_and_its_negation_true() {
    let t = Table::new().with("I", SqlType::Integer, &[int(1), Value::Null]);
    let equal = build::compare(Eq, t.col("I"), lit(int(1))).unwrap();
    let out = t.eval(&build::not(equal.clone()).unwrap());
    assert_eq!((out.values, out.failed), (vec![no(), yes()], vec![]));
    let both = build::logical(And, equal.clone(), build::is_null(t.col("I"), true)).unwrap();
    assert_eq!(t.eval(&both).values, [yes(), no()]);
    let either = build::logical(Or, equal, build::is_null(t.col("I"), false)).unwrap();
    assert_eq!(t.eval(&either).values, [yes(), yes()]);
}

fn guarded(rows: i32) -> (Table, Expr, Expr) {
    let numbers: Vec<Value> = (0..rows).map(|i| int(i % 4)).collect();
    let t = Table::new().with("N", SqlType::Integer, &numbers);
    let guard = build::compare(Gt, t.col("N"), lit(int(0))).unwrap();
    let quotient = build::arithmetic(Divide, lit(int(12)), t.col("N")).unwrap();
    (t, guard, quotient)
}

#[test]
fn the_right_side_is_evaluated_only_where_it_decides() {
    let (t, guard, quotient) = guarded(4_000);
    let deep = build::compare(Gt, quotient, lit(int(5))).unwrap();
    let out = t.eval(&build::logical(And, guard.clone(), deep.clone()).unwrap());
    assert!(out.failed.is_empty());
    assert_eq!(out.values[..4], [no(), yes(), yes(), no()]);
    let not_guard = build::not(guard).unwrap();
    let out = t.eval(&build::logical(Or, not_guard, deep.clone()).unwrap());
    assert!(out.failed.is_empty());
    assert_eq!(out.values[..4], [yes(), yes(), yes(), no()]);
    assert_eq!(t.eval(&deep).failed.len(), 1_000);
}

#[test]
fn case_evaluates_only_the_parts_a_row_reaches() {
    let (t, guard, quotient) = guarded(4_000);
    let three = build::compare(Eq, t.col("N"), lit(int(3))).unwrap();
    let case = build::case(vec![(three, lit(int(-1))), (guard.clone(), quotient.clone())], None).unwrap();
    let out = t.eval(&case);
    assert!(out.failed.is_empty());
    assert_eq!(out.values[..4], [Value::Null, int(12), int(6), int(-1)]);
    let odd = Selection::Rows((0..4_000).filter(|i| i % 2 == 1).collect());
    let out = t.eval_rows(&case, &odd);
    assert_eq!(out.values[..4], [Value::Null, int(12), Value::Null, int(-1)]);
    let reversed = build::case(vec![(build::not(guard).unwrap(), Expr::Null)], Some(quotient)).unwrap();
    assert_eq!(t.eval(&reversed).values[..4], [Value::Null, int(12), int(6), int(4)]);
}

#[test]
fn an_error_anywhere_nulls_the_whole_expression() {
    let (t, _, quotient) = guarded(4);
    let sum = build::arithmetic(flumen_expr::ArithmeticOp::Add, quotient.clone(), lit(int(1))).unwrap();
    assert_eq!(t.eval(&sum).values, [Value::Null, int(13), int(7), int(5)]);
    let text = build::cast(sum, &SqlType::String).unwrap();
    assert_eq!(t.eval(&text).values[..2], [Value::Null, "13".into()]);
    // IS NULL of a failed operand fails too: it does not see a NULL.
    let out = t.eval(&build::is_null(quotient, false));
    assert_eq!((out.values, out.failed), (vec![Value::Null, no(), no(), no()], vec![0]));
}

#[test]
fn a_null_condition_of_case_fails_its_row() {
    let t = truth_table();
    let case = build::case(vec![(t.col("A"), lit(int(1)))], Some(lit(int(2)))).unwrap();
    let out = t.eval(&case);
    assert_eq!(out.failed, [6, 7, 8]);
    assert_eq!(out.values[..6], [int(1), int(1), int(1), int(2), int(2), int(2)]);
}

#[test]
fn case_results_must_agree() {
    let t = truth_table();
    assert!(build::case(vec![(t.col("A"), lit(int(1)))], Some(lit(long(2)))).is_err());
    assert!(build::case(vec![(t.col("A"), Expr::Null)], None).is_err());
    assert!(build::case(vec![(lit(int(1)), lit(int(1)))], None).is_err());
    assert!(build::case(vec![(Expr::Null, lit(int(1)))], None).is_err());
    let nulls = build::case(vec![(t.col("A"), Expr::Null)], Some(text("x"))).unwrap();
    assert_eq!(*nulls.ty(), SqlType::String);
    assert!(build::logical(And, t.col("A"), lit(int(1))).is_err());
    assert!(build::not(text("true")).is_err());
}

#[test]
fn where_keeps_true_rows_only() {
    let (t, guard, quotient) = guarded(4_000);
    assert_eq!(t.filter(&guard, &Selection::All).0.len(), 3_000);
    let deep = build::compare(Gt, quotient, lit(int(5))).unwrap();
    let (rows, failed) = t.filter(&deep, &Selection::All);
    assert_eq!((rows.len(), failed.len()), (2_000, 1_000));
    assert_eq!(rows[..3], [1, 2, 5]);
    let (rows, failed) = t.filter(&deep, &Selection::Rows(vec![0, 1, 3]));
    assert_eq!((rows, failed), (vec![1], vec![0]));
    let nulls = truth_table();
    assert_eq!(nulls.filter(&nulls.col("A"), &Selection::All), (vec![0, 1, 2], vec![]));
    assert_eq!(nulls.filter(&lit(yes()), &Selection::Rows(vec![4, 8])), (vec![4, 8], vec![]));
}

#[test]
fn is_null_sees_every_type() {
    for ty in [SqlType::Integer, SqlType::String, SqlType::array(SqlType::Bigint), SqlType::map(SqlType::String, SqlType::Date)] {
        let t = Table::new().with("A", ty, &[Value::Null]);
        assert_eq!(t.eval(&build::is_null(t.col("A"), false)).values, [yes()]);
        assert_eq!(t.eval(&build::is_null(t.col("A"), true)).values, [no()]);
    }
    assert_eq!(Table::new().eval(&build::is_null(Expr::Null, false)).values, [yes()]);
}
