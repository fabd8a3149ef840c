//! Rows of typed columns as compact bytes, for stores, changelogs and repartition topics.
//!
//! A bitmap of the NULL columns (bit set = NULL, one byte for 8 columns), then each present column: BOOLEAN 1 byte;
//! INTEGER, TIME, DATE 4, BIGINT, TIMESTAMP, DOUBLE 8 bytes little-endian; DECIMAL 16 bytes up to 38 digits, else 32; STRING
//! and BYTES a varint length and the bytes; ARRAY a varint count, MAP a varint count of key and value pairs, STRUCT its
//! fields, each nested value behind a byte 0 (NULL) or 1. The form is persisted behind the version byte of the stored
//! value or record that holds it.

mod builder;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Decimal256Type, Float64Type, Int32Type, Int64Type, Time32MillisecondType,
    TimestampMillisecondType, i256,
};
use flumen_types::{ColumnBuilder, Decimal, SqlType, Value};

use crate::StateError;

pub use builder::RowBuilder;

/// Encodes and decodes rows of one list of columns.
#[derive(Debug, Clone)]
pub struct RowCodec {
    types: Vec<SqlType>,
}

impl RowCodec {
    /// A codec for columns of these types.
    pub fn new(types: Vec<SqlType>) -> Self {
        RowCodec { types }
    }

    /// The column types.
    pub fn types(&self) -> &[SqlType] {
        &self.types
    }

    /// Appends a row of arrays made for the types.
    pub fn encode(&self, columns: &[ArrayRef], row: usize, out: &mut Vec<u8>) {
        let bitmap = out.len();
        out.resize(bitmap + self.types.len().div_ceil(8), 0);
        for (i, (column, ty)) in columns.iter().zip(&self.types).enumerate() {
            if row >= column.len() || column.is_null(row) {
                out[bitmap + i / 8] |= 1 << (i % 8);
            } else {
                push_cell(out, column.as_ref(), ty, row);
            }
        }
    }

    /// Reads one row into builders made for the types, and returns what follows it; [`RowBuilder`] is faster for many.
    pub fn decode_into<'a>(&self, bytes: &'a [u8], builders: &mut [ColumnBuilder]) -> Result<&'a [u8], StateError> {
        let (values, rest) = self.decode(bytes)?;
        for (value, builder) in values.iter().zip(builders) {
            builder.append(value).map_err(|e| damaged(&e.to_string()))?;
        }
        Ok(rest)
    }

    /// Reads one row as values, and returns what follows it.
    pub fn decode<'a>(&self, bytes: &'a [u8]) -> Result<(Vec<Value>, &'a [u8]), StateError> {
        let (bitmap, rest) = bytes.split_at_checked(self.types.len().div_ceil(8)).ok_or_else(|| damaged("it is too short"))?;
        let mut reader = Reader { rest };
        let mut values = Vec::with_capacity(self.types.len());
        for (i, ty) in self.types.iter().enumerate() {
            let null = bitmap[i / 8] >> (i % 8) & 1 == 1;
            values.push(if null { Value::Null } else { reader.cell(ty)? });
        }
        Ok((values, reader.rest))
    }
}

fn damaged(why: &str) -> StateError {
    StateError::Damaged { what: "row", why: why.to_string() }
}

fn push_varint(out: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

fn push_nested(out: &mut Vec<u8>, array: &dyn Array, ty: &SqlType, row: usize) {
    if array.is_null(row) {
        out.push(0);
    } else {
        out.push(1);
        push_cell(out, array, ty, row);
    }
}

fn push_cell(out: &mut Vec<u8>, array: &dyn Array, ty: &SqlType, row: usize) {
    match ty {
        SqlType::Boolean => out.push(array.as_boolean().value(row) as u8),
        SqlType::Integer => out.extend(array.as_primitive::<Int32Type>().value(row).to_le_bytes()),
        SqlType::Time => out.extend(array.as_primitive::<Time32MillisecondType>().value(row).to_le_bytes()),
        SqlType::Date => out.extend(array.as_primitive::<Date32Type>().value(row).to_le_bytes()),
        SqlType::Bigint => out.extend(array.as_primitive::<Int64Type>().value(row).to_le_bytes()),
        SqlType::Timestamp => out.extend(array.as_primitive::<TimestampMillisecondType>().value(row).to_le_bytes()),
        SqlType::Double => out.extend(array.as_primitive::<Float64Type>().value(row).to_le_bytes()),
        SqlType::Decimal { .. } => match array.data_type() {
            DataType::Decimal128(..) => out.extend(array.as_primitive::<Decimal128Type>().value(row).to_le_bytes()),
            _ => out.extend(array.as_primitive::<Decimal256Type>().value(row).to_le_bytes()),
        },
        SqlType::String => push_bytes(out, array.as_string::<i32>().value(row).as_bytes()),
        SqlType::Bytes => push_bytes(out, array.as_binary::<i32>().value(row)),
        SqlType::Array(element) => {
            let items = array.as_list::<i32>().value(row);
            push_varint(out, items.len());
            for i in 0..items.len() {
                push_nested(out, items.as_ref(), element, i);
            }
        }
        SqlType::Map(key, value) => {
            let entries = array.as_map().value(row);
            push_varint(out, entries.len());
            for i in 0..entries.len() {
                push_nested(out, entries.column(0).as_ref(), key, i);
                push_nested(out, entries.column(1).as_ref(), value, i);
            }
        }
        SqlType::Struct(fields) => {
            for (column, field) in array.as_struct().columns().iter().zip(fields) {
                push_nested(out, column.as_ref(), &field.ty, row);
            }
        }
    }
}

fn push_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    push_varint(out, bytes.len());
    out.extend_from_slice(bytes);
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], StateError> {
        let (head, rest) = self.rest.split_first_chunk::<N>().ok_or_else(|| damaged("it is too short"))?;
        self.rest = rest;
        Ok(*head)
    }

    fn varint(&mut self) -> Result<usize, StateError> {
        let mut n = 0u64;
        for shift in (0..=56).step_by(7) {
            let [b] = self.take()?;
            n |= ((b & 0x7F) as u64) << shift;
            if b < 0x80 {
                return usize::try_from(n).map_err(|_| damaged("a length is too large"));
            }
        }
        Err(damaged("a length is too large"))
    }

    fn bytes(&mut self) -> Result<&'a [u8], StateError> {
        let len = self.varint()?;
        let (head, rest) = self.rest.split_at_checked(len).ok_or_else(|| damaged("it is too short"))?;
        self.rest = rest;
        Ok(head)
    }

    fn nested(&mut self, ty: &SqlType) -> Result<Value, StateError> {
        if self.take::<1>()? == [0] { Ok(Value::Null) } else { self.cell(ty) }
    }

    fn cell(&mut self, ty: &SqlType) -> Result<Value, StateError> {
        Ok(match ty {
            SqlType::Boolean => Value::Boolean(self.take::<1>()? != [0]),
            SqlType::Integer => Value::Integer(i32::from_le_bytes(self.take()?)),
            SqlType::Time => Value::Time(i32::from_le_bytes(self.take()?)),
            SqlType::Date => Value::Date(i32::from_le_bytes(self.take()?)),
            SqlType::Bigint => Value::Bigint(i64::from_le_bytes(self.take()?)),
            SqlType::Timestamp => Value::Timestamp(i64::from_le_bytes(self.take()?)),
            SqlType::Double => Value::Double(f64::from_le_bytes(self.take()?)),
            SqlType::Decimal { precision, scale } => {
                let unscaled =
                    if *precision <= 38 { i256::from_i128(i128::from_le_bytes(self.take()?)) } else { i256::from_le_bytes(self.take()?) };
                Value::Decimal(Decimal::new(unscaled, *scale))
            }
            SqlType::String => {
                let text = std::str::from_utf8(self.bytes()?).map_err(|_| damaged("text is not UTF-8"))?;
                Value::String(text.to_string())
            }
            SqlType::Bytes => Value::Bytes(self.bytes()?.to_vec()),
            SqlType::Array(element) => {
                let count = self.varint()?;
                let mut items = Vec::new();
                for _ in 0..count {
                    items.push(self.nested(element)?);
                }
                Value::Array(items)
            }
            SqlType::Map(key, value) => {
                let count = self.varint()?;
                let mut entries = Vec::new();
                for _ in 0..count {
                    entries.push((self.nested(key)?, self.nested(value)?));
                }
                Value::Map(entries)
            }
            SqlType::Struct(fields) => Value::Struct(fields.iter().map(|f| self.nested(&f.ty)).collect::<Result<_, _>>()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_types::{Field, column_of, value_at};
    use proptest::prelude::*;

    fn all_types() -> Vec<SqlType> {
        vec![
            SqlType::Boolean,
            SqlType::Integer,
            SqlType::Bigint,
            SqlType::Double,
            SqlType::Decimal { precision: 5, scale: 2 },
            SqlType::Decimal { precision: 50, scale: 2 },
            SqlType::String,
            SqlType::Bytes,
            SqlType::Time,
            SqlType::Date,
            SqlType::Timestamp,
            SqlType::array(SqlType::Integer),
            SqlType::map(SqlType::String, SqlType::Bigint),
            SqlType::Struct(vec![Field::new("A", SqlType::String), Field::new("B", SqlType::Integer)]),
        ]
    }

    fn sample() -> Vec<Value> {
        vec![
            Value::Boolean(true),
            Value::Integer(-5),
            Value::Bigint(1 << 40),
            Value::Double(0.5),
            Value::Decimal("1.25".parse().unwrap()),
            Value::Decimal("-7.00".parse().unwrap()),
            "text".into(),
            Value::Bytes(vec![0, 1]),
            Value::Time(1),
            Value::Date(2),
            Value::Timestamp(3),
            Value::Array(vec![Value::Integer(1), Value::Null]),
            Value::Map(vec![("k".into(), Value::Null)]),
            Value::Struct(vec![Value::Null, Value::Integer(9)]),
        ]
    }

    #[test]
    fn rows_of_every_type_round_trip() {
        let codec = RowCodec::new(all_types());
        for values in [sample(), vec![Value::Null; all_types().len()]] {
            let columns: Vec<ArrayRef> = all_types().iter().zip(&values).map(|(t, v)| column_of(t, [v]).unwrap()).collect();
            let mut bytes = Vec::new();
            codec.encode(&columns, 0, &mut bytes);
            bytes.push(42);
            let (back, rest) = codec.decode(&bytes).unwrap();
            assert_eq!(back, values);
            assert_eq!(rest, [42]);
            let mut built = RowBuilder::new(&codec);
            built.append_null();
            assert_eq!(built.append(&bytes).unwrap(), [42]);
            for ((column, expected), ty) in built.finish().iter().zip(&values).zip(codec.types()) {
                assert_eq!(column.len(), 2);
                assert_eq!((value_at(column, ty, 0), &value_at(column, ty, 1)), (Value::Null, expected));
            }
        }
    }

    #[test]
    fn the_bytes_are_frozen() {
        let codec = RowCodec::new(vec![SqlType::Integer, SqlType::String, SqlType::Bigint]);
        let columns = vec![
            column_of(&SqlType::Integer, [&Value::Integer(258)]).unwrap(),
            column_of(&SqlType::String, [&"ab".into()]).unwrap(),
            column_of(&SqlType::Bigint, [&Value::Null]).unwrap(),
        ];
        let mut bytes = Vec::new();
        codec.encode(&columns, 0, &mut bytes);
        assert_eq!(bytes, [0b100, 2, 1, 0, 0, 2, b'a', b'b']);
    }

    proptest! {
        #[test]
        fn damaged_rows_are_errors_not_panics(bytes in any::<Vec<u8>>()) {
            let codec = RowCodec::new(all_types());
            let _ = codec.decode(&bytes);
            let _ = RowBuilder::new(&codec).append(&bytes);
        }
    }
}
