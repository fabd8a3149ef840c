//! The arrays of one chunk, downcast once, so that writing a cell is a match and not a search.

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Decimal256Array, Float64Array, Int32Array,
    Int64Array, ListArray, MapArray, StringArray, StructArray, Time32MillisecondArray, TimestampMillisecondArray,
};
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Decimal256Type, Float64Type, Int32Type, Int64Type, Time32MillisecondType,
    TimestampMillisecondType,
};
use flumen_types::SqlType;

/// An array by its type. Children of nested arrays are whole child arrays, addressed by offsets.
pub(crate) enum Bound<'a> {
    Boolean(&'a BooleanArray),
    Int(&'a Int32Array),
    Long(&'a Int64Array),
    Double(&'a Float64Array),
    Decimal128(&'a Decimal128Array, u8),
    Decimal256(&'a Decimal256Array, u8),
    String(&'a StringArray),
    Bytes(&'a BinaryArray),
    Time(&'a Time32MillisecondArray),
    Date(&'a Date32Array),
    Timestamp(&'a TimestampMillisecondArray),
    List(&'a ListArray, Box<Bound<'a>>),
    Map(&'a MapArray, Box<Bound<'a>>, Box<Bound<'a>>),
    Struct(&'a StructArray, Vec<Bound<'a>>),
}

impl<'a> Bound<'a> {
    /// The array as one of this type; `None` when it is of another.
    pub fn new(array: &'a ArrayRef, ty: &SqlType) -> Option<Bound<'a>> {
        Some(match ty {
            SqlType::Boolean => Bound::Boolean(array.as_boolean_opt()?),
            SqlType::Integer => Bound::Int(array.as_primitive_opt::<Int32Type>()?),
            SqlType::Bigint => Bound::Long(array.as_primitive_opt::<Int64Type>()?),
            SqlType::Double => Bound::Double(array.as_primitive_opt::<Float64Type>()?),
            SqlType::Decimal { .. } => match array.data_type() {
                DataType::Decimal128(_, scale) => {
                    Bound::Decimal128(array.as_primitive_opt::<Decimal128Type>()?, u8::try_from(*scale).ok()?)
                }
                DataType::Decimal256(_, scale) => {
                    Bound::Decimal256(array.as_primitive_opt::<Decimal256Type>()?, u8::try_from(*scale).ok()?)
                }
                _ => return None,
            },
            SqlType::String => Bound::String(array.as_string_opt::<i32>()?),
            SqlType::Bytes => Bound::Bytes(array.as_binary_opt::<i32>()?),
            SqlType::Time => Bound::Time(array.as_primitive_opt::<Time32MillisecondType>()?),
            SqlType::Date => Bound::Date(array.as_primitive_opt::<Date32Type>()?),
            SqlType::Timestamp => Bound::Timestamp(array.as_primitive_opt::<TimestampMillisecondType>()?),
            SqlType::Array(element) => {
                let list = array.as_list_opt::<i32>()?;
                Bound::List(list, Box::new(Bound::new(list.values(), element)?))
            }
            SqlType::Map(key, value) => {
                let map = array.as_map_opt()?;
                Bound::Map(map, Box::new(Bound::new(map.keys(), key)?), Box::new(Bound::new(map.values(), value)?))
            }
            SqlType::Struct(fields) => {
                let record = array.as_struct_opt()?;
                if record.num_columns() != fields.len() {
                    return None;
                }
                let columns = record.columns().iter().zip(fields).map(|(c, f)| Bound::new(c, &f.ty));
                Bound::Struct(record, columns.collect::<Option<_>>()?)
            }
        })
    }

    /// True when the cell is NULL.
    pub fn is_null(&self, row: usize) -> bool {
        match self {
            Bound::Boolean(a) => a.is_null(row),
            Bound::Int(a) => a.is_null(row),
            Bound::Long(a) => a.is_null(row),
            Bound::Double(a) => a.is_null(row),
            Bound::Decimal128(a, _) => a.is_null(row),
            Bound::Decimal256(a, _) => a.is_null(row),
            Bound::String(a) => a.is_null(row),
            Bound::Bytes(a) => a.is_null(row),
            Bound::Time(a) => a.is_null(row),
            Bound::Date(a) => a.is_null(row),
            Bound::Timestamp(a) => a.is_null(row),
            Bound::List(a, _) => a.is_null(row),
            Bound::Map(a, ..) => a.is_null(row),
            Bound::Struct(a, _) => a.is_null(row),
        }
    }
}

/// The elements of a list or map cell, as a range of the child array.
pub(crate) fn span(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    match (offsets.get(row), offsets.get(row + 1)) {
        (Some(start), Some(end)) => *start as usize..*end as usize,
        _ => 0..0,
    }
}
