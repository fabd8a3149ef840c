//! Resolving, calling and describing functions; lambdas.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray};
use flumen_expr::function::*;
use flumen_expr::{Compiled, Expr, LambdaParam, build};
use flumen_types::{SqlType, Value};

use crate::table::*;

fn registry() -> Registry {
    let mut registry = Registry::new();
    registry.add_scalar(
        ScalarFunction::new("SIZE", "STRING", "Length in bytes.")
            .overload(Signature::new([STRING], INTEGER), map1::<str, i32>(|s| Ok(Some(s.len() as i32))))
            .overload(Signature::new([BYTES], INTEGER), map1::<[u8], i32>(|s| Ok(Some(s.len() as i32)))),
    );
    registry.add_scalar(ScalarFunction::new("REPEAT", "STRING", "The text n times.").overload(
        Signature::new([STRING, INTEGER], STRING).required(&[1]),
        map2::<str, i32, String>(|s, n| match n {
            n if n < 0 => Err(format!("cannot repeat {n} times")),
            0 => Ok(None),
            n => Ok(Some(s.repeat(n as usize))),
        }),
    ));
    registry.add_scalar(ScalarFunction::new("FIRST_OF", "CONDITIONAL", "The first that is not NULL.").nullable_overload(
        Signature::new([T, T], T).variadic(),
        rowwise(|values, _| Ok(values.iter().find(|v| !v.is_null()).cloned().unwrap_or(Value::Null))),
    ));
    let pick = |a: f64, b: f64| Ok(Some(a.max(b)));
    registry.add_scalar(
        ScalarFunction::new("LARGER", "MATH", "The larger of two.")
            .overload(Signature::new([BIGINT, BIGINT], BIGINT), map2::<i64, i64, i64>(|a, b| Ok(Some(a.max(b)))))
            .overload(Signature::new([DOUBLE, DOUBLE], DOUBLE), map2::<f64, f64, f64>(pick)),
    );
    registry.add_scalar(ScalarFunction::new("SHIFT", "DATE / TIME", "Adds units.").overload(
        Signature::new([UNIT, INTEGER, TIMESTAMP], TIMESTAMP),
        whole(|call, failures| {
            let unit = match call.constants.first() {
                Some(Some(Value::String(name))) if name == "DAYS" => 86_400_000,
                _ => 1,
            };
            let add = map2::<i32, Timestamp, Timestamp>(move |n, t| Ok(Some(Timestamp(t.0 + n as i64 * unit))));
            let rest = CallArgs { args: &call.args[1..], ..*call };
            add(&rest, failures)
        }),
    ));
    registry.add_scalar(ScalarFunction::new("EACH", "LAMBDA", "Applies a lambda to every element.").overload(
        Signature::new([array(T), lambda([T], U)], array(U)),
        whole(|call, failures| {
            let list = call.args[0].as_list::<i32>();
            let offsets = list.value_offsets();
            let mut origin = Vec::new();
            for row in 0..call.rows {
                origin.extend(std::iter::repeat_n(row as u32, (offsets[row + 1] - offsets[row]) as usize));
            }
            let values = call.lambdas[0].apply(&[list.values().clone()], &origin, failures)?;
            let field = Arc::new(arrow::datatypes::Field::new("item", values.data_type().clone(), true));
            let out = ListArray::new(field, list.offsets().clone(), values, list.nulls().cloned());
            Ok(Arc::new(out) as ArrayRef)
        }),
    ));
    registry.add_scalar(ScalarFunction::new("HAS", "ARRAY", "True when the array has the value.").overload(
        Signature::new([array(T), T], BOOLEAN),
        rowwise(|v, _| match v {
            [Value::Array(items), wanted] => Ok(Value::Boolean(items.contains(wanted))),
            _ => Err("not an array".into()),
        }),
    ));
    registry.add_table(
        ScalarFunction::new("ROWS_OF", "TABLE", "One row an element.")
            .overload(Signature::new([array(T)], array(T)), whole(|call, _| Ok(call.args[0].clone()))),
    );
    registry
}

fn texts() -> Table {
    let mut t = Table::new()
        .with("S", SqlType::String, &["ab".into(), Value::Null, "".into(), "x".into()])
        .with("N", SqlType::Integer, &[int(2), int(1), int(0), int(-1)])
        .with("M", SqlType::Integer, &[int(2), int(1), Value::Null, int(1)])
        .with("X", SqlType::Bytes, &[Value::Bytes(vec![1, 2, 3]), Value::Null, Value::Null, Value::Null]);
    t.registry = registry();
    t
}

#[test]
fn overloads_are_chosen_by_type() {
    let t = texts();
    let size = |name: &str| t.eval(&t.registry.call("size", vec![t.col(name)]).unwrap()).values;
    assert_eq!(size("S"), [int(2), Value::Null, int(0), int(1)]);
    assert_eq!(size("X"), [int(3), Value::Null, Value::Null, Value::Null]);
    let larger = |a: Expr, b: Expr| t.registry.call("LARGER", vec![a, b]).unwrap();
    assert_eq!(*larger(t.col("N"), lit(int(1))).ty(), SqlType::Bigint);
    assert_eq!(*larger(t.col("N"), lit(dec("1.5"))).ty(), SqlType::Double);
    assert_eq!(t.eval(&larger(t.col("N"), lit(int(1)))).values, [long(2), long(1), long(1), long(1)]);
}

#[test]
fn errors_nulls_and_required_arguments() {
    let t = texts();
    let out = t.eval(&t.registry.call("REPEAT", vec![t.col("S"), t.col("N")]).unwrap());
    assert_eq!(out.values, ["abab".into(), Value::Null, Value::Null, Value::Null]);
    assert_eq!(out.failed, [3]);
    assert!(out.failures.messages()[0].1.contains("-1 times"));
    let out = t.eval(&t.registry.call("REPEAT", vec![t.col("S"), t.col("M")]).unwrap());
    assert_eq!((out.values[3].clone(), out.failed), ("x".into(), vec![2]));
    let out = t.eval(&t.registry.call("FIRST_OF", vec![Expr::Null, t.col("S"), text("-")]).unwrap());
    assert_eq!(out.values, ["ab".into(), "-".into(), "".into(), "x".into()]);
}

#[test]
fn generics_bind_to_one_type() {
    let t = texts();
    let first = |args: Vec<Expr>| t.registry.call("FIRST_OF", args);
    assert_eq!(*first(vec![t.col("N"), lit(long(1))]).unwrap().ty(), SqlType::Bigint);
    assert!(first(vec![t.col("N"), t.col("S")]).is_err());
    let array = build::array(vec![lit(long(1))]).unwrap();
    assert!(t.registry.call("HAS", vec![array.clone(), lit(int(1))]).is_ok());
    assert!(t.registry.call("HAS", vec![array, lit(double(1.0))]).is_err());
}

#[test]
fn what_does_not_resolve_is_explained() {
    let t = texts();
    let error = t.registry.call("REPAET", vec![]).unwrap_err().to_string();
    assert!(error.contains("REPAET") && error.contains("REPEAT"), "{error}");
    let error = t.registry.call("REPEAT", vec![t.col("N")]).unwrap_err().to_string();
    assert!(error.contains("(INTEGER)") && error.contains("REPEAT(STRING, INTEGER)"), "{error}");
    let error = t.registry.call("SIZE", vec![Expr::Null]).unwrap_err().to_string();
    assert!(error.contains("ambiguous"), "{error}");
    assert!(t.registry.call("ROWS_OF", vec![]).unwrap_err().to_string().contains("table function"));
    assert_eq!(t.registry.kind("rows_of"), Some(FunctionKind::Table));
    assert_eq!(t.registry.kind("nothing"), None);
}

#[test]
fn units_reach_the_function_as_constants() {
    let t = texts();
    let unit = Expr::Unit { unit: flumen_expr::IntervalUnit::from_name("day").unwrap() };
    let call = t.registry.call("SHIFT", vec![unit, lit(int(2)), text("1970-01-01")]).unwrap();
    assert_eq!(call.to_string(), "SHIFT(DAYS, 2, CAST('1970-01-01' AS TIMESTAMP))");
    assert_eq!(t.eval(&call).values[0], Value::Timestamp(2 * 86_400_000));
    assert!(t.registry.call("SHIFT", vec![text("DAYS"), lit(int(2)), text("1970-01-01")]).is_err());
}

#[test]
fn lambdas_see_outer_columns_and_fail_their_row() {
    let ints = SqlType::array(SqlType::Integer);
    let mut t = Table::new()
        .with("A", ints, &[Value::Array(vec![int(1), int(2)]), Value::Null, Value::Array(vec![]), Value::Array(vec![int(0)])])
        .with("F", SqlType::Integer, &[int(10), int(20), int(30), int(40)]);
    t.registry = registry();
    let types = t.registry.lambda_params("EACH", &[PartialArg::Typed(&t.col("A")), PartialArg::Lambda(1)]).unwrap();
    assert_eq!(types, [[SqlType::Integer]]);
    let x = LambdaParam { id: 0, name: "X".into(), ty: SqlType::Integer };
    let variable = Expr::Variable { id: 0, name: "X".into(), ty: SqlType::Integer };
    let body = build::arithmetic(flumen_expr::ArithmeticOp::Divide, t.col("F"), variable).unwrap();
    let call = t.registry.call("EACH", vec![t.col("A"), build::lambda(vec![x], body)]).unwrap();
    assert_eq!(call.to_string(), "EACH(A, X => (F / X))");
    let out = t.eval(&call);
    assert_eq!(out.values, [Value::Array(vec![int(10), int(5)]), Value::Null, Value::Array(vec![]), Value::Null]);
    assert_eq!(out.failed, [3]);
    assert!(t.registry.lambda_params("EACH", &[PartialArg::Typed(&t.col("F")), PartialArg::Lambda(1)]).is_err());
    assert!(t.registry.lambda_params("EACH", &[PartialArg::Typed(&t.col("A")), PartialArg::Lambda(2)]).is_err());
}

#[test]
fn table_functions_give_arrays_of_rows() {
    let t = texts();
    let call = t.registry.table_call("ROWS_OF", vec![build::array(vec![t.col("N")]).unwrap()]).unwrap();
    assert_eq!(*call.ty(), SqlType::array(SqlType::Integer));
    assert_eq!(t.eval(&call).values[0], Value::Array(vec![int(2)]));
}

#[test]
fn calls_survive_storage() {
    let t = texts();
    let call = t.registry.call("FIRST_OF", vec![Expr::Null, t.col("N"), lit(long(9))]).unwrap();
    let back: Expr = serde_json::from_str(&serde_json::to_string(&call).unwrap()).unwrap();
    assert_eq!(back, call);
    assert_eq!(t.eval(&back).values[3], long(-1));
    assert!(Compiled::new(&back, &Registry::new()).is_err());
}

#[test]
fn functions_are_described() {
    let registry = registry();
    let info = registry.describe("first_of").unwrap();
    assert_eq!(info.signatures[0].params, ["T", "T..."]);
    assert_eq!(info.signatures[0].returns, "T");
    assert_eq!(registry.describe("ROWS_OF").unwrap().signatures[0].returns, "T");
    let names: Vec<String> = registry.list().into_iter().map(|f| f.name).collect();
    assert!(names.is_sorted());
    assert!(registry.describe("SIZ").unwrap_err().to_string().contains("SIZE"));
}
