//! Functions of JSON text.

use flumen_types::{Field, SqlType, Value};

use crate::support::{Arg, decimal, int_map, null, text_array, time};
use crate::{fails, gives, gives_null};

#[test]
fn paths_lead_to_values() {
    let json = r#"{"a": {"b": [10, {"c d": "x\ty"}, 1.50]}, "n": null, "t": "plain"}"#;
    gives!("10", "EXTRACTJSONFIELD", json, "$.a.b[0]");
    gives!("x\ty", "EXTRACTJSONFIELD", json, "$.a.b[1]['c d']");
    gives!("1.50", "EXTRACTJSONFIELD", json, "$['a'].b[2]");
    gives!(r#"{"c d":"x\ty"}"#, "EXTRACTJSONFIELD", json, "$.a.b[1]");
    gives!("plain", "EXTRACTJSONFIELD", json, "$.t");
    gives_null!("EXTRACTJSONFIELD", json, "$.a.b[9]");
    gives_null!("EXTRACTJSONFIELD", json, "$.x.y");
    gives_null!("EXTRACTJSONFIELD", null(SqlType::String), "$.x");
    fails!("not JSON", "EXTRACTJSONFIELD", "{", "$.x");
    for path in ["a", "$.", "$[x]", "$['x", "$x", "$.*"] {
        fails!("bad JSON path", "EXTRACTJSONFIELD", json, path);
    }
}

#[test]
fn well_formed_json_is_recognised() {
    for (text, expected) in [("1", true), ("\"a\"", true), ("{}", true), ("", false), ("{", false), ("1 2", false)] {
        gives!(expected, "IS_JSON_STRING", text);
    }
    gives!(false, "IS_JSON_STRING", null(SqlType::String));
}

#[test]
fn arrays_in_json() {
    gives!(3, "JSON_ARRAY_LENGTH", "[1, [2, 3], {}]");
    gives_null!("JSON_ARRAY_LENGTH", "{}");
    fails!("not JSON", "JSON_ARRAY_LENGTH", "[1");
    gives!(true, "JSON_ARRAY_CONTAINS", "[1, 2]", 2);
    gives!(false, "JSON_ARRAY_CONTAINS", "[1.0, \"1\"]", 1);
    gives!(true, "JSON_ARRAY_CONTAINS", "[1.0]", 1.0);
    gives!(true, "JSON_ARRAY_CONTAINS", "[\"\\u0061\"]", "a");
    gives!(true, "JSON_ARRAY_CONTAINS", "[true]", true);
    gives!(true, "JSON_ARRAY_CONTAINS", "[null]", null(SqlType::String));
    gives!(false, "JSON_ARRAY_CONTAINS", "[", "a");
    gives!(false, "JSON_ARRAY_CONTAINS", "{\"a\": 1}", "a");
    gives!(text_array(&["1", "\"a\"", "{\"b\":[]}"]), "JSON_ITEMS", "[1, \"a\", {\"b\": []}]");
    fails!("not a JSON array", "JSON_ITEMS", "{}");
}

#[test]
fn objects_in_json() {
    gives!(text_array(&["b", "a"]), "JSON_KEYS", r#"{"b": 1, "a": 2, "b": 3}"#);
    gives_null!("JSON_KEYS", "[]");
    gives!(Value::Map(vec![("a".into(), "x".into()), ("b".into(), "[1]".into())]), "JSON_RECORDS", r#"{"a": "x", "b": [ 1 ]}"#);
    gives_null!("JSON_RECORDS", "1");
    gives!(r#"{"a":3,"b":2}"#, "JSON_CONCAT", r#"{"a": 1}"#, r#"{"b": 2, "a": 3}"#);
    gives!(r#"[1,2,{"a":1},null]"#, "JSON_CONCAT", "[1, 2]", r#"{"a": 1}"#, "null");
    gives_null!("JSON_CONCAT", "[1]", "");
    gives_null!("JSON_CONCAT", "[1]", null(SqlType::String));
    fails!("not JSON", "JSON_CONCAT", "[1]", "{");
}

#[test]
fn any_value_becomes_json() {
    gives!("null", "TO_JSON_STRING", null(SqlType::Integer));
    gives!("1.0E10", "TO_JSON_STRING", 1e10);
    gives!("1.50", "TO_JSON_STRING", decimal("1.50", 3, 2));
    gives!("\"a\\\"b\"", "TO_JSON_STRING", "a\"b");
    gives!("\"AQI=\"", "TO_JSON_STRING", &[1u8, 2][..]);
    gives!("\"16:43:40\"", "TO_JSON_STRING", time(60_220_000));
    gives!(r#"{"a":null,"b":2}"#, "TO_JSON_STRING", int_map(&[("b", Some(2)), ("a", None)]));
    let fields = vec![Field::new("Z", SqlType::Boolean), Field::new("A", SqlType::array(SqlType::Date))];
    let value = Value::Struct(vec![true.into(), Value::Array(vec![Value::Date(0)])]);
    gives!(r#"{"A":["1970-01-01"],"Z":true}"#, "TO_JSON_STRING", Arg::Value(value, SqlType::Struct(fields)));
}
