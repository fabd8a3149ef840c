//! What an encoder writes, a decoder of the same format reads back, for every type a format holds.

use arrow::array::ArrayRef;
use flumen_formats::{Decoder, Encoder, Format, FormatSpec, Presence, supports};
use flumen_types::{Decimal, Field, SqlType, Value, column_of, value_at};
use proptest::prelude::*;

fn decimal(text: &str) -> Value {
    Value::Decimal(text.parse().unwrap())
}

/// Writes rows of values and reads them back.
fn there_and_back(spec: &FormatSpec, columns: &[Field], rows: &[Vec<Value>]) -> Vec<Vec<Value>> {
    supports(spec, columns, false).unwrap();
    let arrays: Vec<ArrayRef> = columns.iter().enumerate().map(|(i, c)| column_of(&c.ty, rows.iter().map(|r| &r[i])).unwrap()).collect();
    let encoder = Encoder::new(spec, columns).unwrap();
    let mut bound = encoder.bind(&arrays).unwrap();
    let mut decoder = Decoder::new(spec, columns, &vec![true; columns.len()]).unwrap();
    let mut bytes = Vec::new();
    for row in 0..rows.len() {
        bytes.clear();
        let written = bound.encode(row, &mut bytes).unwrap();
        let read = match written {
            Presence::Null => decoder.append(None).unwrap(),
            Presence::Value => decoder.append(Some(&bytes)).unwrap(),
        };
        assert_eq!(read, written);
    }
    assert_eq!(decoder.rows(), rows.len());
    let read = decoder.finish();
    (0..rows.len()).map(|r| columns.iter().zip(&read).map(|(c, a)| value_at(a, &c.ty, r)).collect()).collect()
}

fn all_primitives() -> (Vec<Field>, Vec<Vec<Value>>) {
    let columns = vec![
        Field::new("BOOL", SqlType::Boolean),
        Field::new("INT", SqlType::Integer),
        Field::new("LONG", SqlType::Bigint),
        Field::new("DOUBLE", SqlType::Double),
        Field::new("DEC", SqlType::decimal(10, 3).unwrap()),
        Field::new("BIG", SqlType::decimal(60, 5).unwrap()),
        Field::new("TEXT", SqlType::String),
        Field::new("BYTES", SqlType::Bytes),
        Field::new("TIME", SqlType::Time),
        Field::new("DATE", SqlType::Date),
        Field::new("STAMP", SqlType::Timestamp),
    ];
    let full = vec![
        Value::Boolean(true),
        Value::Integer(i32::MIN),
        Value::Bigint(i64::MAX),
        Value::Double(-1.5e100),
        decimal("-1234567.890"),
        decimal("1234567890123456789012345678901234567890123456789012345.54321"),
        Value::from("a,\"b\"\nç"),
        Value::Bytes(vec![0, 255, 7]),
        Value::Time(86_399_999),
        Value::Date(-1),
        Value::Timestamp(-5),
    ];
    let nulls = vec![Value::Null; full.len()];
    (columns, vec![full.clone(), nulls, full])
}

#[test]
fn primitives_come_back_in_json_and_delimited() {
    let (columns, rows) = all_primitives();
    for format in [Format::Json, Format::Delimited] {
        assert_eq!(there_and_back(&FormatSpec::plain(format), &columns, &rows), rows, "{format}");
    }
    let piped = FormatSpec { delimiter: Some('|'), ..FormatSpec::plain(Format::Delimited) };
    assert_eq!(there_and_back(&piped, &columns, &rows), rows);
}

#[test]
fn single_columns_come_back_bare_and_wrapped() {
    let (columns, rows) = all_primitives();
    for (i, column) in columns.iter().enumerate() {
        let one: Vec<Vec<Value>> = rows.iter().map(|r| vec![r[i].clone()]).collect();
        for format in [Format::Json, Format::Delimited, Format::Kafka] {
            for wrap in [false, true] {
                let spec = FormatSpec { format, delimiter: None, wrap };
                if supports(&spec, std::slice::from_ref(column), false).is_ok() {
                    let read = there_and_back(&spec, std::slice::from_ref(column), &one);
                    assert_eq!(read, one, "{format} {wrap} {}", column.name);
                }
            }
        }
    }
}

#[test]
fn nested_types_come_back_in_json() {
    let point = SqlType::Struct(vec![
        Field::new("X", SqlType::Double),
        Field::new("TAGS", SqlType::map(SqlType::String, SqlType::decimal(5, 2).unwrap())),
        Field::new("lower", SqlType::array(SqlType::Struct(vec![Field::new("N", SqlType::Integer)]))),
    ]);
    let columns = vec![
        Field::new("P", point),
        Field::new("M", SqlType::map(SqlType::String, SqlType::array(SqlType::Bigint))),
        Field::new("A", SqlType::array(SqlType::array(SqlType::String))),
    ];
    let rows = vec![
        vec![
            Value::Struct(vec![
                Value::Double(2.0),
                Value::Map(vec![("k".into(), decimal("1.20")), ("n".into(), Value::Null)]),
                Value::Array(vec![Value::Struct(vec![Value::Integer(1)]), Value::Null, Value::Struct(vec![Value::Null])]),
            ]),
            Value::Map(vec![("".into(), Value::Array(vec![]))]),
            Value::Array(vec![Value::Array(vec!["x".into(), Value::Null]), Value::Null]),
        ],
        vec![Value::Null, Value::Null, Value::Null],
        vec![
            Value::Struct(vec![Value::Null, Value::Null, Value::Null]),
            Value::Map((0..20).map(|i| (Value::String(format!("k{i}")), Value::Null)).collect()),
            Value::Array(vec![]),
        ],
    ];
    assert_eq!(there_and_back(&FormatSpec::plain(Format::Json), &columns, &rows), rows);
}

#[test]
fn long_chunks_keep_their_rows() {
    let columns = vec![Field::new("K", SqlType::Bigint), Field::new("V", SqlType::String)];
    let rows: Vec<Vec<Value>> =
        (0..5_000i64).map(|i| vec![Value::Bigint(i), if i % 7 == 0 { Value::Null } else { Value::String(format!("value {i}")) }]).collect();
    for format in [Format::Json, Format::Delimited] {
        assert_eq!(there_and_back(&FormatSpec::plain(format), &columns, &rows), rows);
    }
}

proptest! {
    #[test]
    fn any_text_and_numbers_come_back(
        text in "[^\u{0}]{1,20}", n: i64, d: f64, unscaled: i64, raw in any::<Vec<u8>>()
    ) {
        prop_assume!(d.is_finite());
        let columns = vec![
            Field::new("T", SqlType::String),
            Field::new("N", SqlType::Bigint),
            Field::new("D", SqlType::Double),
            Field::new("C", SqlType::decimal(19, 4).unwrap()),
            Field::new("B", SqlType::Bytes),
        ];
        let dec = Value::Decimal(Decimal::new(arrow::datatypes::i256::from_i128(unscaled as i128), 4));
        let mut row = vec![Value::String(text), Value::Bigint(n), Value::Double(d), dec, Value::Bytes(raw.clone())];
        let json = there_and_back(&FormatSpec::plain(Format::Json), &columns, std::slice::from_ref(&row));
        prop_assert_eq!(&json[0], &row);
        if raw.is_empty() {
            row[4] = Value::Null; // an empty field is NULL in DELIMITED
        }
        let delimited = there_and_back(&FormatSpec::plain(Format::Delimited), &columns, std::slice::from_ref(&row));
        prop_assert_eq!(&delimited[0], &row);
    }
}
