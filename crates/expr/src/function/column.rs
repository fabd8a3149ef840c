//! Rust types as columns: what typed function adapters read from and write to.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryBuilder, BooleanArray, BooleanBuilder, PrimitiveArray, PrimitiveBuilder, StringArray,
    StringBuilder,
};
use arrow::datatypes::{Date32Type, Float64Type, Int32Type, Int64Type, Time32MillisecondType, TimestampMillisecondType};

/// A type whose values can be read from a column: `bool i32 i64 f64 str [u8] Date Time Timestamp`.
pub trait Column: 'static {
    /// A value as it is read.
    type Value<'a>: Copy;
    /// The Arrow array of such values.
    type Array: Array + Clone;

    /// The array as its own type; `None` when it holds something else.
    fn array(array: &ArrayRef) -> Option<&Self::Array>;

    /// The value at a row that is not NULL.
    fn get(array: &Self::Array, row: usize) -> Self::Value<'_>;
}

/// A type whose values can be written to a column.
pub trait Output: Sized + 'static {
    /// Builds the column.
    type Builder: Default;

    /// Appends a value or NULL.
    fn append(builder: &mut Self::Builder, value: Option<Self>);

    /// The column.
    fn finish(builder: Self::Builder) -> ArrayRef;
}

/// DATE: days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date(pub i32);

/// TIME: milliseconds of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub i32);

/// TIMESTAMP: epoch milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(pub i64);

macro_rules! primitive {
    ($rust:ty, $arrow:ty, $wrap:expr, $unwrap:expr) => {
        impl Column for $rust {
            type Value<'a> = $rust;
            type Array = PrimitiveArray<$arrow>;

            fn array(array: &ArrayRef) -> Option<&Self::Array> {
                array.as_primitive_opt::<$arrow>()
            }

            fn get(array: &Self::Array, row: usize) -> $rust {
                $wrap(array.value(row))
            }
        }

        impl Output for $rust {
            type Builder = PrimitiveBuilder<$arrow>;

            fn append(builder: &mut Self::Builder, value: Option<$rust>) {
                builder.append_option(value.map($unwrap));
            }

            fn finish(mut builder: Self::Builder) -> ArrayRef {
                Arc::new(builder.finish())
            }
        }
    };
}

primitive!(i32, Int32Type, std::convert::identity, |v| v);
primitive!(i64, Int64Type, std::convert::identity, |v| v);
primitive!(f64, Float64Type, std::convert::identity, |v| v);
primitive!(Date, Date32Type, Date, |v: Date| v.0);
primitive!(Time, Time32MillisecondType, Time, |v: Time| v.0);
primitive!(Timestamp, TimestampMillisecondType, Timestamp, |v: Timestamp| v.0);

impl Column for bool {
    type Value<'a> = bool;
    type Array = BooleanArray;

    fn array(array: &ArrayRef) -> Option<&BooleanArray> {
        array.as_boolean_opt()
    }

    fn get(array: &BooleanArray, row: usize) -> bool {
        array.value(row)
    }
}

impl Column for str {
    type Value<'a> = &'a str;
    type Array = StringArray;

    fn array(array: &ArrayRef) -> Option<&StringArray> {
        array.as_string_opt::<i32>()
    }

    fn get(array: &StringArray, row: usize) -> &str {
        array.value(row)
    }
}

impl Column for [u8] {
    type Value<'a> = &'a [u8];
    type Array = BinaryArray;

    fn array(array: &ArrayRef) -> Option<&BinaryArray> {
        array.as_binary_opt::<i32>()
    }

    fn get(array: &BinaryArray, row: usize) -> &[u8] {
        array.value(row)
    }
}

macro_rules! built {
    ($rust:ty, $builder:ty) => {
        impl Output for $rust {
            type Builder = $builder;

            fn append(builder: &mut Self::Builder, value: Option<$rust>) {
                builder.append_option(value);
            }

            fn finish(mut builder: Self::Builder) -> ArrayRef {
                Arc::new(builder.finish())
            }
        }
    };
}

built!(bool, BooleanBuilder);
built!(String, StringBuilder);
built!(Vec<u8>, BinaryBuilder);
