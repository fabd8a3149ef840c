//! Functions that take lambdas.

use flumen_expr::build;
use flumen_expr::function::PartialArg;
use flumen_expr::{ArithmeticOp, CompareOp, Compiled, Expr, Input, LambdaParam, Random, Selection};
use flumen_functions::builtins;
use flumen_types::{SqlType, Value, column_of, value_at};

use crate::support::{Arg, column, evaluate, int_array, int_map, ints, null};

/// Calls a function of a collection, further arguments and lambdas; each lambda's body is made from its parameters.
fn call(name: &str, args: &[Arg], lambdas: &[(usize, fn(&[Expr]) -> Expr)]) -> Result<Value, String> {
    let registry = builtins();
    let typed: Vec<Expr> = args.iter().enumerate().map(|(i, a)| column(i, a)).collect();
    let mut partial: Vec<PartialArg<'_>> = typed.iter().map(PartialArg::Typed).collect();
    partial.extend(lambdas.iter().map(|(count, _)| PartialArg::Lambda(*count)));
    let types = registry.lambda_params(name, &partial).map_err(|e| e.to_string())?;
    let mut all = typed.clone();
    for ((_, body), types) in lambdas.iter().zip(types) {
        let params: Vec<LambdaParam> =
            types.into_iter().enumerate().map(|(i, ty)| LambdaParam { id: i as u32, name: format!("P{i}"), ty }).collect();
        let variables: Vec<Expr> = params.iter().map(|p| Expr::Variable { id: p.id, name: p.name.clone(), ty: p.ty.clone() }).collect();
        all.push(build::lambda(params, body(&variables)));
    }
    let expr = registry.call(name, all).map_err(|e| e.to_string())?;
    evaluate(&expr, &registry, args)
}

fn int(n: i32) -> Expr {
    Expr::literal(Value::Integer(n), SqlType::Integer)
}

fn plus(a: &Expr, b: &Expr) -> Expr {
    build::arithmetic(ArithmeticOp::Add, a.clone(), b.clone()).unwrap()
}

#[test]
fn filter_keeps_what_passes() {
    let above: fn(&[Expr]) -> Expr = |p| build::compare(CompareOp::Gt, p[0].clone(), int(1)).unwrap();
    let kept = call("FILTER", &[ints(&[Some(1), None, Some(2), Some(3)])], &[(1, above)]);
    assert_eq!(kept, Ok(int_array(&[Some(2), Some(3)])));
    assert_eq!(call("FILTER", &[null(SqlType::array(SqlType::Integer))], &[(1, above)]), Ok(Value::Null));
    let map = int_map(&[("a", Some(1)), ("b", Some(2))]);
    let kept = call("FILTER", &[map], &[(2, |p| build::compare(CompareOp::Gt, p[1].clone(), int(1)).unwrap())]);
    assert_eq!(kept, Ok(Value::Map(vec![("b".into(), 2.into())])));
    let bools = Arg::Value(Value::Array(vec![Value::Null]), SqlType::array(SqlType::Boolean));
    assert!(call("FILTER", &[bools], &[(1, |p| p[0].clone())]).unwrap_err().contains("NULL"));
}

#[test]
fn transform_maps_elements_and_entries() {
    let next: fn(&[Expr]) -> Expr = |p| plus(&p[0], &int(1));
    assert_eq!(call("TRANSFORM", &[ints(&[Some(1), Some(2)])], &[(1, next)]), Ok(int_array(&[Some(2), Some(3)])));
    assert_eq!(call("TRANSFORM", &[ints(&[])], &[(1, next)]), Ok(int_array(&[])));
    assert!(call("TRANSFORM", &[ints(&[Some(1), None])], &[(1, next)]).is_err());
    let map = || int_map(&[("a", Some(1)), ("b", Some(2))]);
    let swapped = call("TRANSFORM", &[map()], &[(2, |p| p[1].clone()), (2, |p| p[0].clone())]);
    assert_eq!(swapped, Ok(Value::Map(vec![(1.into(), "a".into()), (2.into(), "b".into())])));
    let twice = call("TRANSFORM", &[map()], &[(2, |_| int(7)), (2, |p| p[0].clone())]);
    assert!(twice.unwrap_err().contains("twice"));
    let nulls = call("TRANSFORM", &[int_map(&[("a", None)])], &[(2, |p| p[0].clone()), (2, |p| p[1].clone())]);
    assert!(nulls.unwrap_err().contains("NULL"));
}

#[test]
fn reduce_carries_a_state() {
    let sum: fn(&[Expr]) -> Expr = |p| plus(&p[0], &p[1]);
    let array = ints(&[Some(1), Some(2), Some(3)]);
    assert_eq!(call("REDUCE", &[array.clone(), Arg::from(10)], &[(2, sum)]), Ok(Value::Integer(16)));
    assert_eq!(call("REDUCE", &[array, null(SqlType::Integer)], &[(2, sum)]), Ok(Value::Null));
    let none = null(SqlType::array(SqlType::Integer));
    assert_eq!(call("REDUCE", &[none, Arg::from(10)], &[(2, sum)]), Ok(Value::Integer(10)));
    let map = int_map(&[("a", Some(1)), ("b", Some(2))]);
    assert_eq!(call("REDUCE", &[map, Arg::from(0)], &[(3, |p| plus(&p[0], &p[2]))]), Ok(Value::Integer(3)));
}

#[test]
fn many_rows_keep_apart() {
    let registry = builtins();
    let ty = SqlType::array(SqlType::Integer);
    let rows = [int_array(&[Some(1), Some(2)]), Value::Null, int_array(&[]), int_array(&[None]), int_array(&[Some(5)])];
    let columns = [column_of(&ty, &rows).unwrap(), column_of(&SqlType::Integer, &vec![Value::Integer(10); 5]).unwrap()];
    let random = Random::seeded(1);
    let input = Input { columns: &columns, rows: 5, now_ms: 0, random: &random };
    let list = Expr::column(0, "L", ty.clone());
    let variable = |id: u32| Expr::Variable { id, name: format!("P{id}"), ty: SqlType::Integer };
    let param = |id: u32| LambdaParam { id, name: format!("P{id}"), ty: SqlType::Integer };
    let outer = Expr::column(1, "O", SqlType::Integer);
    let run = |expr: Expr, selection: &Selection| {
        let done = Compiled::new(&expr, &registry).unwrap().eval(&input, selection).unwrap();
        let values: Vec<Value> = (0..5).map(|row| value_at(done.array.as_ref(), expr.ty(), row)).collect();
        (values, done.failures.rows().collect::<Vec<_>>())
    };
    let transform = || {
        let body = build::lambda(vec![param(0)], plus(&variable(0), &outer));
        registry.call("TRANSFORM", vec![list.clone(), body]).unwrap()
    };
    let (values, failed) = run(transform(), &Selection::All);
    assert_eq!(values, [int_array(&[Some(11), Some(12)]), Value::Null, int_array(&[]), Value::Null, int_array(&[Some(15)])]);
    assert_eq!(failed, [3]);
    let (values, failed) = run(transform(), &Selection::Rows(vec![2, 4]));
    assert_eq!(values, [Value::Null, Value::Null, int_array(&[]), Value::Null, int_array(&[Some(15)])]);
    assert!(failed.is_empty());
    let body = build::lambda(vec![param(0), param(1)], plus(&variable(0), &variable(1)));
    let reduce = registry.call("REDUCE", vec![list.clone(), outer.clone(), body]).unwrap();
    let (values, failed) = run(reduce, &Selection::All);
    assert_eq!(values, [13.into(), 10.into(), 10.into(), Value::Null, Value::Integer(15)]);
    assert_eq!(failed, [3]);
}
