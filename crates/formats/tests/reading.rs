//! How bytes from elsewhere are read: leniently where the formats say so, and never leaving a trace of a bad record.

use flumen_formats::{DecodeError, Decoder, Format, FormatSpec, Presence};
use flumen_types::{Field, SqlType, Value, value_at};
use proptest::prelude::*;

fn columns(types: &[(&str, SqlType)]) -> Vec<Field> {
    types.iter().map(|(name, ty)| Field::new(*name, ty.clone())).collect()
}

fn read(spec: &FormatSpec, columns: &[Field], bytes: &[u8]) -> Result<Vec<Value>, DecodeError> {
    let mut decoder = Decoder::new(spec, columns, &vec![true; columns.len()]).unwrap();
    decoder.append(Some(bytes))?;
    let arrays = decoder.finish();
    Ok(columns.iter().zip(&arrays).map(|(c, a)| value_at(a, &c.ty, 0)).collect())
}

fn json(ty: SqlType, value: &str) -> Result<Value, DecodeError> {
    let text = format!("{{\"A\": {value}}}");
    read(&FormatSpec::plain(Format::Json), &columns(&[("A", ty)]), text.as_bytes()).map(|v| v[0].clone())
}

fn delimited(types: &[SqlType], line: &str) -> Result<Vec<Value>, DecodeError> {
    let columns: Vec<Field> = types.iter().map(|t| Field::new("C", t.clone())).collect();
    read(&FormatSpec::plain(Format::Delimited), &columns, line.as_bytes())
}

#[test]
fn json_numbers_may_be_text() {
    assert_eq!(json(SqlType::Integer, "\"12\"").unwrap(), Value::Integer(12));
    assert_eq!(json(SqlType::Bigint, "\"-12\"").unwrap(), Value::Bigint(-12));
    assert_eq!(json(SqlType::Double, "\"1.5\"").unwrap(), Value::Double(1.5));
    assert_eq!(json(SqlType::Double, "3").unwrap(), Value::Double(3.0));
    assert_eq!(json(SqlType::Integer, "1.9").unwrap(), Value::Integer(1));
    assert_eq!(json(SqlType::Timestamp, "1000").unwrap(), Value::Timestamp(1000));
    assert_eq!(json(SqlType::Double, "0.1000000000000000055511151231257827").unwrap(), Value::Double(0.1));
}

#[test]
fn json_decimals_keep_every_digit() {
    let ty = SqlType::decimal(30, 20).unwrap();
    for text in ["1234567890.12345678901234567890", "\"1234567890.12345678901234567890\""] {
        let Value::Decimal(d) = json(ty.clone(), text).unwrap() else { panic!("not a decimal") };
        assert_eq!(d.to_string(), "1234567890.12345678901234567890");
    }
    assert!(json(SqlType::decimal(3, 1).unwrap(), "1.25").unwrap_err().reason.contains("more than 1 digits"));
    assert!(json(SqlType::decimal(3, 1).unwrap(), "100").unwrap_err().reason.contains("DECIMAL(3, 1)"));
    assert!(json(SqlType::decimal(3, 1).unwrap(), "true").is_err());
}

#[test]
fn json_strings_take_any_value() {
    for (given, text) in [
        ("\"a\\u0042\"", "aB"),
        ("12.50", "12.50"),
        ("true", "true"),
        ("[1, {\"b\" : null}]", "[1,{\"b\":null}]"),
        ("{ \"x y\": \"\\u0041\" }", "{\"x y\":\"A\"}"),
    ] {
        assert_eq!(json(SqlType::String, given).unwrap(), Value::from(text));
    }
    assert_eq!(json(SqlType::String, "null").unwrap(), Value::Null);
}

#[test]
fn json_refuses_what_does_not_fit_and_says_where() {
    for (ty, value) in [
        (SqlType::Integer, "2147483648"),
        (SqlType::Integer, "\"x\""),
        (SqlType::Bigint, "9223372036854775808"),
        (SqlType::Bigint, "1e30"),
        (SqlType::Boolean, "\"true\""),
        (SqlType::Boolean, "1"),
        (SqlType::Bytes, "\"*\""),
        (SqlType::array(SqlType::Integer), "{}"),
        (SqlType::map(SqlType::String, SqlType::Integer), "[]"),
        (SqlType::map(SqlType::String, SqlType::Integer), "{\"a\":1,\"a\":2}"),
        (SqlType::Struct(vec![Field::new("B", SqlType::Integer)]), "1"),
    ] {
        let error = json(ty.clone(), value).unwrap_err();
        assert_eq!(error.column.as_deref(), Some("A"), "{ty} {value}: {error}");
        assert!(error.reason.contains("line 1 column"), "{error}");
    }
    let nested = SqlType::array(SqlType::Struct(vec![Field::new("B", SqlType::Integer)]));
    let error = json(nested, "[{\"B\": 1}, {\"B\": \"secret\"}]").unwrap_err();
    assert_eq!(error.column.as_deref(), Some("A->B"));
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[test]
fn json_fields_are_found_by_name_then_upper_case() {
    let spec = FormatSpec::plain(Format::Json);
    let schema = columns(&[("AB", SqlType::Integer), ("cd", SqlType::Integer)]);
    let row = |text: &str| read(&spec, &schema, text.as_bytes()).unwrap();
    assert_eq!(row(r#"{"ab":1,"cd":2,"x":{"y":[1]}}"#), [Value::Integer(1), Value::Integer(2)]);
    assert_eq!(row(r#"{"ab":1,"AB":2,"Ab":3}"#), [Value::Integer(2), Value::Null]);
    assert_eq!(row(r#"{"AB":2,"ab":1,"CD":5}"#), [Value::Integer(2), Value::Null]);
    assert_eq!(row(r#"{"Ab":1,"aB":2}"#), [Value::Integer(1), Value::Null]);
    assert_eq!(row(r#"{"AB":1,"AB":2}"#), [Value::Integer(2), Value::Null]);
    assert_eq!(row("{}"), [Value::Null, Value::Null]);
}

#[test]
fn field_order_may_change_from_record_to_record() {
    let schema = columns(&[("A", SqlType::Integer), ("B", SqlType::String)]);
    let mut decoder = Decoder::new(&FormatSpec::plain(Format::Json), &schema, &[true, true]).unwrap();
    for text in [r#"{"A":1,"B":"x"}"#, r#"{"B":"y","A":2}"#, r#"{"Z":0,"A":3,"b":"z"}"#, r#"{"B":"w"}"#] {
        decoder.append(Some(text.as_bytes())).unwrap();
    }
    let arrays = decoder.finish();
    let got: Vec<Value> = (0..4).map(|i| value_at(&arrays[0], &SqlType::Integer, i)).collect();
    assert_eq!(got, [Value::Integer(1), Value::Integer(2), Value::Integer(3), Value::Null]);
    let got: Vec<Value> = (0..4).map(|i| value_at(&arrays[1], &SqlType::String, i)).collect();
    assert_eq!(got, ["x".into(), "y".into(), "z".into(), Value::from("w")]);
}

#[test]
fn a_bad_record_leaves_no_trace() {
    let inner = SqlType::Struct(vec![Field::new("N", SqlType::Integer), Field::new("S", SqlType::String)]);
    let schema = columns(&[("L", SqlType::array(inner.clone())), ("M", SqlType::map(SqlType::String, inner)), ("I", SqlType::Integer)]);
    let mut decoder = Decoder::new(&FormatSpec::plain(Format::Json), &schema, &[true; 3]).unwrap();
    let good = br#"{"L":[{"N":1,"S":"a"}],"M":{"k":{"N":2,"S":"b"}},"I":3}"#;
    decoder.append(Some(good)).unwrap();
    for bad in [
        &br#"{"L":[{"N":1,"S":"a"},{"N":"x"}],"M":null,"I":1}"#[..],
        br#"{"M":{"k":{"S":"b","N":2},"j":{"S":"c","N":[]}}}"#,
        br#"{"I":1,"L":[{"S":"a"#,
        br#"{"I":1} trailing"#,
        br#"{"I":1,"#,
        b"[1]",
        b"5",
        b"",
        b"\xFF",
    ] {
        assert!(decoder.append(Some(bad)).is_err());
        assert_eq!(decoder.rows(), 1);
    }
    decoder.append(Some(good)).unwrap();
    assert_eq!(decoder.append(Some(b"null")).unwrap(), Presence::Null);
    let arrays = decoder.finish();
    for (array, column) in arrays.iter().zip(&schema) {
        assert_eq!(array.len(), 3);
        assert_eq!(value_at(array, &column.ty, 0), value_at(array, &column.ty, 1));
        assert!(!value_at(array, &column.ty, 0).is_null() && value_at(array, &column.ty, 2).is_null());
    }
}

#[test]
fn unwanted_columns_are_not_built_but_the_record_is_checked() {
    let schema = columns(&[("A", SqlType::Integer), ("B", SqlType::Integer)]);
    let spec = FormatSpec::plain(Format::Json);
    let mut decoder = Decoder::new(&spec, &schema, &[false, true]).unwrap();
    decoder.append(Some(br#"{"A":"not a number","B":7}"#)).unwrap();
    let arrays = decoder.finish();
    assert_eq!(arrays.len(), 1);
    assert_eq!(value_at(&arrays[0], &SqlType::Integer, 0), Value::Integer(7));
    let mut decoder = Decoder::new(&spec, &schema, &[false, false]).unwrap();
    assert!(decoder.append(Some(b"{\"A\":")).is_err());
    decoder.append(Some(b"{}")).unwrap();
    assert_eq!((decoder.rows(), decoder.finish().len()), (1, 0));
}

#[test]
fn bare_json_null_is_a_null_record() {
    let spec = FormatSpec { wrap: false, ..FormatSpec::plain(Format::Json) };
    let schema = columns(&[("A", SqlType::array(SqlType::Integer))]);
    let mut decoder = Decoder::new(&spec, &schema, &[true]).unwrap();
    assert_eq!(decoder.append(Some(b"[1,null]")).unwrap(), Presence::Value);
    assert_eq!(decoder.append(Some(b"null")).unwrap(), Presence::Null);
    let error = decoder.append(Some(b"[true]")).unwrap_err();
    assert_eq!(error.column.as_deref(), Some("A"));
    assert_eq!(decoder.finish()[0].len(), 2);
}

#[test]
fn delimited_fields_are_quoted_empty_or_plain() {
    let text = [SqlType::String, SqlType::String];
    assert_eq!(delimited(&text, "a,b").unwrap(), ["a".into(), Value::from("b")]);
    assert_eq!(delimited(&text, "\"a,\"\"b\"\"\" ,\" c\n\"\r\nnext line").unwrap(), ["a,\"b\"".into(), Value::from(" c\n")]);
    assert_eq!(delimited(&text, ",\"\"").unwrap(), [Value::Null, Value::Null]);
    assert_eq!(delimited(&text, "a b,é").unwrap(), ["a b".into(), Value::from("é")]);
    let line = delimited(&[SqlType::Boolean, SqlType::Double, SqlType::Date], "TRUE,1e3,17\n").unwrap();
    assert_eq!(line, [Value::Boolean(true), Value::Double(1000.0), Value::Date(17)]);
    for bad in ["a", "a,b,c", "\"a,b", "\"a\"b,c", "", "\n"] {
        assert!(delimited(&text, bad).is_err(), "{bad:?}");
    }
    let error = delimited(&[SqlType::String, SqlType::Integer], "1,secret").unwrap_err();
    assert!(error.reason.contains("INTEGER in field 2") && !error.reason.contains("secret"));
}

#[test]
fn kafka_numbers_have_a_fixed_length() {
    let spec = FormatSpec::key(Format::Kafka, None);
    let one = |ty: SqlType, bytes: &[u8]| read(&spec, &columns(&[("K", ty)]), bytes);
    assert_eq!(one(SqlType::Integer, &[255, 255, 255, 254]).unwrap(), [Value::Integer(-2)]);
    assert_eq!(one(SqlType::String, b"\xFFa").unwrap(), [Value::from("\u{FFFD}a")]);
    assert_eq!(one(SqlType::String, b"").unwrap(), [Value::from("")]);
    let error = one(SqlType::Bigint, &[1, 2, 3]).unwrap_err();
    assert_eq!(error.to_string(), "column K: BIGINT takes 8 bytes, but there are 3");
}

fn everything() -> Vec<Field> {
    let inner = SqlType::Struct(vec![Field::new("A", SqlType::Integer), Field::new("B", SqlType::array(SqlType::String))]);
    columns(&[
        ("A", SqlType::Boolean),
        ("B", SqlType::decimal(5, 2).unwrap()),
        ("C", SqlType::String),
        ("D", SqlType::map(SqlType::String, inner)),
        ("E", SqlType::Double),
    ])
}

proptest! {
    #[test]
    fn any_bytes_read_or_fail_without_a_panic(bytes in any::<Vec<u8>>()) {
        let flat = columns(&[("A", SqlType::Integer), ("B", SqlType::String), ("C", SqlType::decimal(5, 2).unwrap())]);
        for (format, schema) in [(Format::Json, everything()), (Format::Delimited, flat), (Format::Kafka, columns(&[("A", SqlType::Double)]))] {
            let mut decoder = Decoder::new(&FormatSpec::key(format, None), &schema, &[true; 5]).unwrap();
            let rows = decoder.append(Some(&bytes)).is_ok() as usize;
            decoder.append_null();
            for array in decoder.finish() {
                prop_assert_eq!(array.len(), rows + 1);
            }
        }
    }

    #[test]
    fn cut_and_changed_json_never_panics(cut in 0usize..120, at in 0usize..120, byte: u8) {
        let mut text = br#"{"A":true,"B":1.25,"C":{"x":[1, "\u00e9"]},"D":{"k":{"A":1,"B":["x",null]},"l":null},"e":1e5}"#.to_vec();
        if let Some(b) = text.get_mut(at) {
            *b = byte;
        }
        text.truncate(cut);
        let mut decoder = Decoder::new(&FormatSpec::plain(Format::Json), &everything(), &[true; 5]).unwrap();
        let rows = decoder.append(Some(&text)).is_ok() as usize;
        for array in decoder.finish() {
            prop_assert_eq!(array.len(), rows);
        }
    }
}
