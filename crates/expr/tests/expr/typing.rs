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
        r#"[{"column":{"index":0,"name":"PRICE","ty":"Double"}},{"literal":{"value":{"Integer":50},"ty":"Integer"}},"#,
        r#"{"cast":{"ty":"Double"}},{"compare":{"op":"gt"}},{"column":{"index":1,"name":"item","ty":"String"}},"#,
        r#"{"literal":{"value":{"String":"it's%"},"ty":"String"}},{"like":{"negated":true,"escape":"!"}},"#,
        r#"{"logical":{"op":"and"}}]"#
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

#[test]
fn every_node_survives_storage() {
    let int_ty = SqlType::Integer;
    let t = Table::new().with("I", int_ty.clone(), &[int(1)]).with("S", SqlType::String, &["s".into()]);
    let i = || t.col("I");
    let nine = || lit(int(9));
    let compare = || build::compare(Gt, i(), nine()).unwrap();
    let map = build::map(vec![(text("a"), i()), (text("b"), nine())]).unwrap();
    let structure = build::struct_(vec![("F".into(), i()), ("G".into(), t.col("S"))]).unwrap();
    let x = flumen_expr::LambdaParam { id: 0, name: "X".into(), ty: int_ty.clone() };
    let variable = Expr::Variable { id: 0, name: "X".into(), ty: int_ty.clone() };
    let unit = Expr::Unit { unit: flumen_expr::IntervalUnit::Hours };
    let call = Expr::Call { function: "F".into(), args: vec![unit, build::lambda(vec![x], variable), Expr::Null], ty: int_ty };
    for expr in [
        build::negate(build::arithmetic(flumen_expr::ArithmeticOp::Subtract, i(), nine()).unwrap()).unwrap(),
        build::not(compare()).unwrap(),
        build::is_null(i(), true),
        build::between(i(), true, lit(int(1)), nine()).unwrap(),
        build::in_list(i(), false, vec![lit(int(1)), nine(), Expr::Null]).unwrap(),
        build::like(t.col("S"), false, text("%"), None).unwrap(),
        build::case(vec![(compare(), i()), (compare(), nine())], None).unwrap(),
        build::case(vec![(compare(), i())], Some(nine())).unwrap(),
        build::subscript(build::array(vec![i(), nine()]).unwrap(), i()).unwrap(),
        build::subscript(map, text("a")).unwrap(),
        build::field(structure, "G").unwrap(),
        call,
    ] {
        let stored = serde_json::to_string(&expr).unwrap();
        assert_eq!(serde_json::from_str::<Expr>(&stored).unwrap(), expr);
    }
    for damaged in ["[]", r#"["null","null"]"#, r#"["negate"]"#, r#"[{"array":{"count":4000000000,"ty":"Integer"}}]"#] {
        assert!(serde_json::from_str::<Expr>(damaged).is_err(), "{damaged}");
    }
}

#[test]
fn deep_expressions_are_stored_read_and_evaluated() {
    let t = Table::new().with("I", SqlType::Integer, &[int(1), int(2)]).with("S", SqlType::String, &["a".into(), "b".into()]);
    let mut sum = t.col("I");
    let mut all = build::compare(Gt, t.col("I"), lit(int(0))).unwrap();
    let mut case = t.col("I");
    for n in 0..500 {
        sum = build::arithmetic(flumen_expr::ArithmeticOp::Add, sum, t.col("I")).unwrap();
        let quotient = build::arithmetic(flumen_expr::ArithmeticOp::Divide, lit(int(n)), t.col("I")).unwrap();
        all = build::logical(And, all, build::compare(Gt, quotient, lit(int(-1))).unwrap()).unwrap();
        let never = build::compare(Gt, lit(int(0)), t.col("I")).unwrap();
        case = build::case(vec![(never, lit(int(0)))], Some(case)).unwrap();
    }
    for (expr, expected) in [(sum, [int(501), int(1_002)]), (all, [yes(), yes()]), (case, [int(1), int(2)])] {
        let back: Expr = serde_json::from_str(&serde_json::to_string(&expr).unwrap()).unwrap();
        assert_eq!(t.eval(&back).values, expected);
        assert!(back.to_string().len() > 1_000);
    }
}

#[test]
fn compiled_expressions_may_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<flumen_expr::Compiled>();
    shared::<flumen_expr::Registry>();
}
