//! Functions of arrays and maps.

use flumen_types::{Field, SqlType, Value};

use crate::support::{Arg, int_array, int_map, ints, null, resolve, text_array, texts};
use crate::{f, fails, gives, gives_null};

fn no_ints() -> Arg {
    null(SqlType::array(SqlType::Integer))
}

#[test]
fn lengths_and_members() {
    gives!(2, "ARRAY_LENGTH", ints(&[Some(1), None]));
    gives_null!("ARRAY_LENGTH", no_ints());
    gives!(true, "ARRAY_CONTAINS", ints(&[Some(1), None]), 1);
    gives!(true, "ARRAY_CONTAINS", ints(&[Some(1), None]), null(SqlType::Integer));
    gives!(false, "ARRAY_CONTAINS", no_ints(), 1);
}

#[test]
fn joining_and_removing() {
    gives!(int_array(&[Some(1), Some(1)]), "ARRAY_CONCAT", ints(&[Some(1)]), ints(&[Some(1)]));
    gives!(int_array(&[Some(1)]), "ARRAY_CONCAT", no_ints(), ints(&[Some(1)]));
    gives!(int_array(&[Some(1)]), "ARRAY_CONCAT", ints(&[Some(1)]), no_ints());
    gives_null!("ARRAY_CONCAT", no_ints(), no_ints());
    gives!(int_array(&[None]), "ARRAY_REMOVE", ints(&[Some(1), None, Some(1)]), 1);
    gives!(int_array(&[Some(1)]), "ARRAY_REMOVE", ints(&[Some(1), None]), null(SqlType::Integer));
    gives!("1,null", "ARRAY_JOIN", ints(&[Some(1), None]));
    gives!("a|b", "ARRAY_JOIN", texts(&["a", "b"]), "|");
    gives!("ab", "ARRAY_JOIN", texts(&["a", "b"]), null(SqlType::String));
    let nested = Arg::Value(Value::Array(vec![int_array(&[])]), SqlType::array(SqlType::array(SqlType::Integer)));
    fails!("ARRAY_JOIN takes", "ARRAY_JOIN", nested);
}

#[test]
fn sets_keep_the_order_of_appearance() {
    let a = || ints(&[Some(2), None, Some(1), Some(2), None]);
    let b = || ints(&[Some(1), Some(3), None]);
    gives!(int_array(&[Some(2), None, Some(1)]), "ARRAY_DISTINCT", a());
    gives!(int_array(&[Some(2), None, Some(1), Some(3)]), "ARRAY_UNION", a(), b());
    gives!(int_array(&[Some(2)]), "ARRAY_EXCEPT", a(), b());
    gives!(int_array(&[None, Some(1)]), "ARRAY_INTERSECT", a(), b());
    gives_null!("ARRAY_UNION", a(), no_ints());
}

#[test]
fn order_of_elements() {
    let a = || ints(&[Some(2), None, Some(3), Some(1)]);
    gives!(1, "ARRAY_MIN", a());
    gives!(3, "ARRAY_MAX", a());
    gives_null!("ARRAY_MAX", ints(&[None]));
    gives!(int_array(&[Some(1), Some(2), Some(3), None]), "ARRAY_SORT", a());
    gives!(int_array(&[Some(3), Some(2), Some(1), None]), "ARRAY_SORT", a(), "desc");
    gives_null!("ARRAY_SORT", a(), "sideways");
    let nested = Arg::Value(Value::Null, SqlType::array(SqlType::array(SqlType::Integer)));
    fails!("no order", "ARRAY_MAX", nested);
}

#[test]
fn slices_are_inclusive() {
    let a = || ints(&[Some(1), Some(2), Some(3)]);
    gives!(int_array(&[Some(2), Some(3)]), "SLICE", a(), 2, 3);
    gives!(int_array(&[Some(1), Some(2)]), "SLICE", a(), null(SqlType::Integer), 2);
    gives!(int_array(&[Some(3)]), "SLICE", a(), 3, null(SqlType::Integer));
    for (from, to) in [(0, 2), (1, 4), (3, 1), (-1, 2)] {
        gives_null!("SLICE", a(), from, to);
    }
}

#[test]
fn series_go_up_or_down() {
    gives!(int_array(&[Some(1), Some(2), Some(3)]), "GENERATE_SERIES", 1, 3);
    gives!(int_array(&[Some(3), Some(1)]), "GENERATE_SERIES", 3, 0, -2);
    gives!(Value::Array(vec![Value::Bigint(2), Value::Bigint(1)]), "GENERATE_SERIES", 2i64, 1i64);
    gives!(int_array(&[Some(1)]), "GENERATE_SERIES", 1, 1, -1);
    fails!("must not be 0", "GENERATE_SERIES", 1, 3, 0);
    fails!("does not lead", "GENERATE_SERIES", 1, 3, -1);
    fails!("more than", "GENERATE_SERIES", i64::MIN, i64::MAX);
    fails!("NULL", "GENERATE_SERIES", 1, null(SqlType::Integer));
}

#[test]
fn maps_come_apart_and_together() {
    let m = || int_map(&[("b", Some(2)), ("a", None)]);
    let entry = |k: &str, v: Value| Value::Struct(vec![k.into(), v]);
    gives!(Value::Array(vec![entry("a", Value::Null), entry("b", Value::Integer(2))]), "ENTRIES", m(), true);
    gives!(Value::Array(vec![entry("b", Value::Integer(2)), entry("a", Value::Null)]), "ENTRIES", m(), false);
    let fields = vec![Field::new("K", SqlType::String), Field::new("V", SqlType::Integer)];
    assert_eq!(resolve("ENTRIES", &[m(), true.into()]).unwrap().ty(), &SqlType::array(SqlType::Struct(fields)));
    gives!(text_array(&["b", "a"]), "MAP_KEYS", m());
    gives!(int_array(&[Some(2), None]), "MAP_VALUES", m());
    let union = Value::Map(vec![("b".into(), 5.into()), ("a".into(), Value::Null), ("c".into(), 6.into())]);
    gives!(union, "MAP_UNION", m(), int_map(&[("b", Some(5)), ("c", Some(6))]));
    let none = || null(SqlType::map(SqlType::String, SqlType::Integer));
    assert_eq!(f!("MAP_UNION", none(), m()), f!("MAP_UNION", m(), none()));
    gives_null!("MAP_UNION", none(), none());
    let zipped = Value::Map(vec![("a".into(), 1.into()), ("b".into(), Value::Null)]);
    gives!(zipped, "AS_MAP", texts(&["a", "b"]), ints(&[Some(1)]));
}
