//! Table functions.

use flumen_expr::FunctionKind;
use flumen_functions::builtins;
use flumen_types::{SqlType, Value};

use crate::support::{Arg, column, evaluate, int_array, ints};

fn rows(name: &str, arg: Arg) -> Result<Value, String> {
    let registry = builtins();
    assert_eq!(registry.kind(name), Some(FunctionKind::Table));
    let expr = registry.table_call(name, vec![column(0, &arg)]).map_err(|e| e.to_string())?;
    evaluate(&expr, &registry, &[arg])
}

#[test]
fn explode_gives_the_elements() {
    assert_eq!(rows("EXPLODE", ints(&[Some(1), None])), Ok(int_array(&[Some(1), None])));
    assert_eq!(rows("EXPLODE", crate::support::null(SqlType::array(SqlType::Integer))), Ok(Value::Null));
}

#[test]
fn cubes_count_up_in_binary() {
    let row = |a: Option<i32>, b: Option<i32>| int_array(&[a, b]);
    let all = Value::Array(vec![row(None, None), row(None, Some(2)), row(Some(1), None), row(Some(1), Some(2))]);
    assert_eq!(rows("CUBE_EXPLODE", ints(&[Some(1), Some(2)])), Ok(all));
    let fewer = Value::Array(vec![row(None, None), row(Some(1), None)]);
    assert_eq!(rows("CUBE_EXPLODE", ints(&[Some(1), None])), Ok(fewer));
    assert!(rows("CUBE_EXPLODE", ints(&[Some(1); 21])).unwrap_err().contains("at most 20"));
}
