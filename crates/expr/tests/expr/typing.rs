//! Storage and display of expressions, column handling, assignments.

use flumen_expr::CompareOp::Gt;
use flumen_expr::LogicalOp::And;
use flumen_expr::{Expr, build};
use flumen_types::{SqlType, Value};

use crate::table::*;

fn sample() -> (Table, Expr) {
    let t = Table::new().with("PRICE", SqlType::Double, &[double(60.0)]).with("item", SqlType::String, &["pen".into()]);
    let dear = build::compare(Gt, t.col("PRICE"), lit(int(50))).unwrap();
    let pens = build::like(t.col("item"), true, text("it's%"), Some('!')).unwrap();
    let all = build::logical(And, dear, pens).unwrap();
    (t, all)
}

#[test]
fn expressions_show_as_sql() {
    let (_, expr) = sample();
    let shown = "((PRICE > CAST(50 AS DOUBLE)) AND (`item` NOT LIKE 'it''s%' ESCAPE '!'))";
    assert_eq!(expr.to_string(), shown);
}

#[test]
fn the_stored_form_is_frozen() {
    let (t, expr) = sample();
    let text = serde_json::to_string(&expr).unwrap();
    let frozen = concat!(
        r#"{"logical":{"op":"and","left":{"compare":{"op":"gt","left":{"column":{"index":0,"name":"PRICE","ty":"Double"}},"#,
        r#""right":{"cast":{"operand":{"literal":{"value":{"Integer":50},"ty":"Integer"}},"ty":"Double"}}}},"#,
        r#""right":{"like":{"operand":{"column":{"index":1,"name":"item","ty":"String"}},"negated":true,"#,
        r#""pattern":{"literal":{"value":{"String":"it's%"},"ty":"String"}},"escape":"!"}}}}"#
    );
    assert_eq!(text, frozen);
    let back: Expr = serde_json::from_str(frozen).unwrap();
    assert_eq!(back, expr);
    assert_eq!(t.eval(&back).values, [yes()]);
}

#[test]
fn columns_are_found_and_moved() {
    let (_, expr) = sample();
    assert_eq!(expr.columns_used().into_iter().collect::<Vec<_>>(), [0, 1]);
    let moved = expr.clone().remap_columns(&mut |i| Some(i + 3)).unwrap();
    assert_eq!(moved.columns_used().into_iter().collect::<Vec<_>>(), [3, 4]);
    let missing = expr.remap_columns(&mut |i| (i == 0).then_some(0)).unwrap_err();
    assert_eq!(missing, "item");
}

#[test]
fn columns_that_do_not_fit_are_an_error() {
    let (mut t, expr) = sample();
    t.columns.pop();
    let random = flumen_expr::Random::default();
    let input = flumen_expr::Input { columns: &t.columns, rows: 1, now_ms: 0, random: &random };
    let compiled = flumen_expr::Compiled::new(&expr, &t.registry).unwrap();
    assert!(compiled.eval(&input, &flumen_expr::Selection::All).is_err());
}

#[test]
fn decimal_literals_have_a_digit_before_the_point() {
    let ty = |text: &str| build::decimal_literal(text).unwrap().ty().clone();
    assert_eq!(ty("0.5"), dec_type(2, 1));
    assert_eq!(ty("1.50"), dec_type(3, 2));
    assert_eq!(ty("0.05"), dec_type(3, 2));
    assert_eq!(ty("123"), dec_type(3, 0));
    assert!(build::decimal_literal("x").is_err());
}

#[test]
fn inserted_literals_are_read_as_the_column() {
    let assign = |value: Expr, ty: SqlType| build::assign(value, &ty).map(|e| Table::new().eval(&e).values[0].clone());
    assert_eq!(assign(text("12"), SqlType::Integer), Ok(int(12)));
    assert_eq!(assign(text("1970-01-02"), SqlType::Date), Ok(Value::Date(1)));
    assert_eq!(assign(lit(int(1)), dec_type(3, 1)), Ok(dec("1.0")));
    assert_eq!(assign(lit(int(1)), SqlType::Double), Ok(double(1.0)));
    assert_eq!(assign(Expr::Null, SqlType::Bytes), Ok(Value::Null));
    assert!(assign(lit(double(1.5)), SqlType::Integer).is_err());
    assert!(assign(lit(yes()), SqlType::String).is_err());
}

#[test]
fn random_numbers_repeat_for_a_seed() {
    let (a, b) = (flumen_expr::Random::seeded(1), flumen_expr::Random::seeded(1));
    for _ in 0..1_000 {
        let n = a.next_f64();
        assert_eq!(n, b.next_f64());
        assert!((0.0..1.0).contains(&n));
    }
}
