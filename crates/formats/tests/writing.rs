//! The exact bytes each format writes: other programs read them, so they are frozen.

use arrow::array::{ArrayRef, Int32Array};
use flumen_formats::{EncodeError, Encoder, Format, FormatSpec, Presence};
use flumen_types::{Field, SqlType, Value, column_of};
use std::sync::Arc;

fn write(spec: &FormatSpec, columns: &[(Field, Value)]) -> (Presence, String) {
    let fields: Vec<Field> = columns.iter().map(|(f, _)| f.clone()).collect();
    let arrays: Vec<ArrayRef> = columns.iter().map(|(f, v)| column_of(&f.ty, [v]).unwrap()).collect();
    let encoder = Encoder::new(spec, &fields).unwrap();
    let mut out = Vec::new();
    let presence = encoder.bind(&arrays).unwrap().encode(0, &mut out).unwrap();
    (presence, out.iter().map(|b| if b.is_ascii_graphic() || *b == b' ' { *b as char } else { '~' }).collect())
}

fn all() -> Vec<(Field, Value)> {
    vec![
        (Field::new("A", SqlType::Boolean), Value::Boolean(false)),
        (Field::new("B", SqlType::Integer), Value::Integer(-7)),
        (Field::new("C", SqlType::Bigint), Value::Null),
        (Field::new("D", SqlType::Double), Value::Double(1e10)),
        (Field::new("E", SqlType::decimal(6, 3).unwrap()), Value::Decimal("-0.050".parse().unwrap())),
        (Field::new("F", SqlType::String), Value::from("say \"hi\"")),
        (Field::new("G", SqlType::Bytes), Value::Bytes(b"Hello".to_vec())),
        (Field::new("H", SqlType::Time), Value::Time(1)),
        (Field::new("I", SqlType::Date), Value::Date(2)),
        (Field::new("J", SqlType::Timestamp), Value::Timestamp(3)),
    ]
}

#[test]
fn json_bytes_are_frozen() {
    let (_, text) = write(&FormatSpec::plain(Format::Json), &all());
    let expected = concat!(r#"{"A":false,"B":-7,"C":null,"D":1.0E10,"E":-0.050,"F":"say \"hi\"","#, r#""G":"SGVsbG8=","H":1,"I":2,"J":3}"#);
    assert_eq!(text, expected);
    let nested = Field::new(
        "N",
        SqlType::Struct(vec![
            Field::new("L", SqlType::array(SqlType::Double)),
            Field::new("m", SqlType::map(SqlType::String, SqlType::Boolean)),
        ]),
    );
    let value = Value::Struct(vec![
        Value::Array(vec![Value::Double(0.5), Value::Null, Value::Double(f64::NAN)]),
        Value::Map(vec![("k".into(), Value::Boolean(true)), ("l".into(), Value::Null)]),
    ]);
    let (_, text) = write(&FormatSpec::plain(Format::Json), &[(nested.clone(), value.clone())]);
    assert_eq!(text, r#"{"N":{"L":[0.5,null,"NaN"],"m":{"k":true,"l":null}}}"#);
    let (_, text) = write(&FormatSpec::key(Format::Json, None), &[(nested, value)]);
    assert_eq!(text, r#"{"L":[0.5,null,"NaN"],"m":{"k":true,"l":null}}"#);
}

#[test]
fn delimited_bytes_are_frozen() {
    let (_, text) = write(&FormatSpec::plain(Format::Delimited), &all());
    assert_eq!(text, r#"false,-7,,1.0E10,-0.050,"say ""hi""",SGVsbG8=,1,2,3"#);
    let line = |texts: &[&str]| {
        let columns: Vec<_> = texts.iter().map(|t| (Field::new("C", SqlType::String), Value::from(*t))).collect();
        write(&FormatSpec::plain(Format::Delimited), &columns).1
    };
    assert_eq!(line(&["a", "b c"]), "a,b c");
    assert_eq!(line(&["-5", "-5"]), "\"-5\",-5");
    assert_eq!(line(&["", ""]), "\"\",");
    assert_eq!(line(&["a,b", " x", "y ", "#"]), "\"a,b\",\" x\",\"y \",\"#\"");
}

#[test]
fn kafka_bytes_are_frozen() {
    let key = |ty: SqlType, value: Value| write(&FormatSpec::key(Format::Kafka, None), &[(Field::new("K", ty), value)]);
    assert_eq!(key(SqlType::Integer, Value::Integer(0x41424344)), (Presence::Value, "ABCD".to_string()));
    assert_eq!(key(SqlType::Bigint, Value::Bigint(0x4142434445464748)), (Presence::Value, "ABCDEFGH".to_string()));
    assert_eq!(key(SqlType::Double, Value::Double(f64::from_bits(0x4142434445464748))).1, "ABCDEFGH");
    assert_eq!(key(SqlType::String, Value::from("x")), (Presence::Value, "x".to_string()));
    assert_eq!(key(SqlType::Bytes, Value::Null), (Presence::Null, String::new()));
}

#[test]
fn only_bare_nulls_are_null_records() {
    let column = (Field::new("A", SqlType::Integer), Value::Null);
    let one = std::slice::from_ref(&column);
    assert_eq!(write(&FormatSpec::plain(Format::Json), one), (Presence::Value, r#"{"A":null}"#.to_string()));
    assert_eq!(write(&FormatSpec::key(Format::Json, None), one).0, Presence::Null);
    assert_eq!(write(&FormatSpec::key(Format::Delimited, None), one).0, Presence::Null);
    assert_eq!(write(&FormatSpec::key(Format::None, None), &[]).0, Presence::Null);
}

#[test]
fn arrays_of_other_types_are_refused() {
    let columns = [Field::new("A", SqlType::String)];
    let encoder = Encoder::new(&FormatSpec::plain(Format::Json), &columns).unwrap();
    let wrong: Vec<ArrayRef> = vec![Arc::new(Int32Array::from(vec![1]))];
    assert!(matches!(encoder.bind(&wrong), Err(EncodeError::WrongArray { .. })));
    assert!(matches!(encoder.bind(&[]), Err(EncodeError::WrongCount { actual: 0, wanted: 1 })));
}
