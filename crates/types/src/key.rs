//! The memcomparable key encoding of state keys: bytes that compare as the values do.
//!
//! Per column a marker byte (0 NULL, 1 value), then: BOOLEAN 1 byte; INTEGER, TIME, DATE 4 and BIGINT, TIMESTAMP 8 bytes
//! big-endian with the sign bit flipped; DOUBLE its bits, all flipped when negative, else the sign bit; DECIMAL 32 bytes
//! of the unscaled 256-bit integer, sign flipped; STRING and BYTES with 0x00 written as 0x00 0xFF, ended by 0x00 0x00;
//! ARRAY each element after a 2, ended by 1; STRUCT its fields one after another. NULL sorts first.
//! The encoding is persisted: it never changes for a type.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Decimal256Type, Float64Type, Int32Type, Int64Type, Time32MillisecondType,
    TimestampMillisecondType, i256,
};

use crate::{Decimal, SqlType, TypeError, Value};

const NULL: u8 = 0;
const PRESENT: u8 = 1;
const ARRAY_END: u8 = 1;
const ARRAY_ITEM: u8 = 2;

/// The encoded keys of many rows in one buffer.
#[derive(Debug, Default, Clone)]
pub struct KeyRows {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl KeyRows {
    /// Number of keys.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True without keys.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The key of a row; empty beyond the last.
    pub fn key(&self, row: usize) -> &[u8] {
        let start = if row == 0 { 0 } else { self.ends.get(row - 1).copied().unwrap_or(0) as usize };
        let end = self.ends.get(row).copied().unwrap_or(start as u32) as usize;
        self.bytes.get(start..end).unwrap_or(&[])
    }
}

/// Encodes the key columns of `rows` rows. Columns must be arrays made for their types ([`crate::arrow_type`]).
pub fn encode_rows(columns: &[(&ArrayRef, &SqlType)], rows: usize) -> KeyRows {
    let mut out = KeyRows { bytes: Vec::with_capacity(rows * 16), ends: Vec::with_capacity(rows) };
    if let [(array, SqlType::String)] = columns
        && let Some(strings) = array.as_string_opt::<i32>()
    {
        for row in 0..rows {
            if strings.is_null(row) {
                out.bytes.push(NULL);
            } else {
                out.bytes.push(PRESENT);
                push_text(&mut out.bytes, strings.value(row).as_bytes());
            }
            out.ends.push(out.bytes.len() as u32);
        }
        return out;
    }
    for row in 0..rows {
        for (array, ty) in columns {
            push_cell(&mut out.bytes, array.as_ref(), ty, row);
        }
        out.ends.push(out.bytes.len() as u32);
    }
    out
}

fn push_cell(out: &mut Vec<u8>, array: &dyn Array, ty: &SqlType, row: usize) {
    if row >= array.len() || array.is_null(row) {
        out.push(NULL);
        return;
    }
    out.push(PRESENT);
    let int = |n: i32| ((n as u32) ^ (1 << 31)).to_be_bytes();
    let long = |n: i64| ((n as u64) ^ (1 << 63)).to_be_bytes();
    match ty {
        SqlType::Boolean => out.push(array.as_boolean().value(row) as u8),
        SqlType::Integer => out.extend(int(array.as_primitive::<Int32Type>().value(row))),
        SqlType::Time => out.extend(int(array.as_primitive::<Time32MillisecondType>().value(row))),
        SqlType::Date => out.extend(int(array.as_primitive::<Date32Type>().value(row))),
        SqlType::Bigint => out.extend(long(array.as_primitive::<Int64Type>().value(row))),
        SqlType::Timestamp => out.extend(long(array.as_primitive::<TimestampMillisecondType>().value(row))),
        SqlType::Double => push_double(out, array.as_primitive::<Float64Type>().value(row)),
        SqlType::Decimal { .. } => match array.data_type() {
            DataType::Decimal128(..) => push_decimal(out, i256::from_i128(array.as_primitive::<Decimal128Type>().value(row))),
            _ => push_decimal(out, array.as_primitive::<Decimal256Type>().value(row)),
        },
        SqlType::String => push_text(out, array.as_string::<i32>().value(row).as_bytes()),
        SqlType::Bytes => push_text(out, array.as_binary::<i32>().value(row)),
        SqlType::Array(element) => {
            let items = array.as_list::<i32>().value(row);
            for i in 0..items.len() {
                out.push(ARRAY_ITEM);
                push_cell(out, items.as_ref(), element, i);
            }
            out.push(ARRAY_END);
        }
        SqlType::Struct(fields) => {
            for (column, field) in array.as_struct().columns().iter().zip(fields) {
                push_cell(out, column.as_ref(), &field.ty, row);
            }
        }
        // A MAP is never part of a key; its entries are written in order so that equal maps give equal bytes.
        SqlType::Map(key, value) => {
            let entries = array.as_map().value(row);
            for i in 0..entries.len() {
                out.push(ARRAY_ITEM);
                push_cell(out, entries.column(0).as_ref(), key, i);
                push_cell(out, entries.column(1).as_ref(), value, i);
            }
            out.push(ARRAY_END);
        }
    }
}

fn push_double(out: &mut Vec<u8>, value: f64) {
    let bits = value.to_bits();
    let ordered = if bits >> 63 == 1 { !bits } else { bits ^ (1 << 63) };
    out.extend(ordered.to_be_bytes());
}

fn push_decimal(out: &mut Vec<u8>, unscaled: i256) {
    let mut bytes = unscaled.to_be_bytes();
    bytes[0] ^= 0x80;
    out.extend(bytes);
}

fn push_text(out: &mut Vec<u8>, text: &[u8]) {
    if text.contains(&0) {
        for b in text {
            out.push(*b);
            if *b == 0 {
                out.push(0xFF);
            }
        }
    } else {
        out.extend_from_slice(text);
    }
    out.extend([0, 0]);
}

/// Encodes one key of single values, for look-ups; a value of another type than its column's is an error.
pub fn encode_key(values: &[Value], types: &[&SqlType]) -> Result<Vec<u8>, TypeError> {
    let mut out = Vec::new();
    for (value, ty) in values.iter().zip(types) {
        let array = crate::column_of(ty, [value])?;
        push_cell(&mut out, array.as_ref(), ty, 0);
    }
    Ok(out)
}

/// Decodes a whole key written by [`encode_rows`] or [`encode_key`] with the same types.
pub fn decode_key(bytes: &[u8], types: &[&SqlType]) -> Result<Vec<Value>, TypeError> {
    let mut reader = Reader { bytes, at: 0 };
    let values = types.iter().map(|ty| reader.cell(ty)).collect::<Result<Vec<_>, _>>()?;
    if reader.at != bytes.len() {
        return Err(reader.damaged("bytes are left over"));
    }
    Ok(values)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn damaged(&self, why: &str) -> TypeError {
        TypeError::DamagedKey { at: self.at, why: why.to_string() }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], TypeError> {
        let end = self.at.saturating_add(N);
        let slice = self.bytes.get(self.at..end).ok_or_else(|| self.damaged("it ends too early"))?;
        let array = slice.try_into().map_err(|_| self.damaged("it ends too early"))?;
        self.at = end;
        Ok(array)
    }

    fn byte(&mut self) -> Result<u8, TypeError> {
        Ok(self.take::<1>()?[0])
    }

    fn int(&mut self) -> Result<i32, TypeError> {
        Ok((u32::from_be_bytes(self.take()?) ^ (1 << 31)) as i32)
    }

    fn long(&mut self) -> Result<i64, TypeError> {
        Ok((u64::from_be_bytes(self.take()?) ^ (1 << 63)) as i64)
    }

    fn text(&mut self) -> Result<Vec<u8>, TypeError> {
        let mut out = Vec::new();
        loop {
            match self.byte()? {
                0 => match self.byte()? {
                    0 => return Ok(out),
                    0xFF => out.push(0),
                    _ => return Err(self.damaged("a zero byte is not escaped")),
                },
                b => out.push(b),
            }
        }
    }

    fn cell(&mut self, ty: &SqlType) -> Result<Value, TypeError> {
        match self.byte()? {
            NULL => return Ok(Value::Null),
            PRESENT => {}
            _ => return Err(self.damaged("unknown marker")),
        }
        Ok(match ty {
            SqlType::Boolean => Value::Boolean(self.byte()? != 0),
            SqlType::Integer => Value::Integer(self.int()?),
            SqlType::Time => Value::Time(self.int()?),
            SqlType::Date => Value::Date(self.int()?),
            SqlType::Bigint => Value::Bigint(self.long()?),
            SqlType::Timestamp => Value::Timestamp(self.long()?),
            SqlType::Double => {
                let ordered = u64::from_be_bytes(self.take()?);
                let bits = if ordered >> 63 == 1 { ordered ^ (1 << 63) } else { !ordered };
                Value::Double(f64::from_bits(bits))
            }
            SqlType::Decimal { scale, .. } => {
                let mut bytes: [u8; 32] = self.take()?;
                bytes[0] ^= 0x80;
                Value::Decimal(Decimal::new(i256::from_be_bytes(bytes), *scale))
            }
            SqlType::String => Value::String(String::from_utf8(self.text()?).map_err(|_| self.damaged("text is not UTF-8"))?),
            SqlType::Bytes => Value::Bytes(self.text()?),
            SqlType::Array(element) => {
                let mut items = Vec::new();
                while self.byte()? == ARRAY_ITEM {
                    items.push(self.cell(element)?);
                }
                Value::Array(items)
            }
            SqlType::Struct(fields) => Value::Struct(fields.iter().map(|f| self.cell(&f.ty)).collect::<Result<_, _>>()?),
            SqlType::Map(key, value) => {
                let mut entries = Vec::new();
                while self.byte()? == ARRAY_ITEM {
                    entries.push((self.cell(key)?, self.cell(value)?));
                }
                Value::Map(entries)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(value: Value, ty: &SqlType) -> Vec<u8> {
        encode_key(&[value], &[ty]).unwrap()
    }

    proptest! {
        #[test]
        fn longs_order_and_round_trip(a: i64, b: i64) {
            let (ka, kb) = (key(a.into(), &SqlType::Bigint), key(b.into(), &SqlType::Bigint));
            prop_assert_eq!(a.cmp(&b), ka.cmp(&kb));
            prop_assert_eq!(decode_key(&ka, &[&SqlType::Bigint]).unwrap(), vec![Value::Bigint(a)]);
        }

        #[test]
        fn text_orders_and_round_trips(a in any::<Vec<u8>>(), b in any::<Vec<u8>>()) {
            let (ka, kb) = (key(Value::Bytes(a.clone()), &SqlType::Bytes), key(Value::Bytes(b.clone()), &SqlType::Bytes));
            prop_assert_eq!(a.cmp(&b), ka.cmp(&kb));
            prop_assert_eq!(decode_key(&ka, &[&SqlType::Bytes]).unwrap(), vec![Value::Bytes(a)]);
        }

        #[test]
        fn damaged_keys_are_errors_not_panics(bytes in any::<Vec<u8>>()) {
            let ty = SqlType::Struct(vec![
                crate::Field::new("A", SqlType::array(SqlType::String)),
                crate::Field::new("B", SqlType::Double),
            ]);
            let _ = decode_key(&bytes, &[&ty, &SqlType::Date]);
        }
    }

    #[test]
    fn the_encoding_is_frozen() {
        let ty = SqlType::decimal(5, 2).unwrap();
        assert_eq!(key(Value::Integer(1), &SqlType::Integer), [1, 0x80, 0, 0, 1]);
        assert_eq!(key(Value::Bigint(-1), &SqlType::Bigint), [1, 0x7F, 255, 255, 255, 255, 255, 255, 255]);
        assert_eq!(key("a\0b".into(), &SqlType::String), [1, b'a', 0, 0xFF, b'b', 0, 0]);
        assert_eq!(key(Value::Null, &SqlType::String), [0]);
        assert_eq!(key(Value::Boolean(true), &SqlType::Boolean), [1, 1]);
        assert_eq!(key(Value::Double(1.0), &SqlType::Double), [1, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0]);
        let decimal = key(Value::Decimal("1.00".parse().unwrap()), &ty);
        assert_eq!((decimal.len(), decimal[1], decimal[32]), (33, 0x80, 100));
        let array = SqlType::array(SqlType::Integer);
        assert_eq!(key(Value::Array(vec![Value::Null]), &array), [1, 2, 0, 1]);
    }
}
