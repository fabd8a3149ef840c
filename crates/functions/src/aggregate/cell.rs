//! Values of one SQL type inside aggregate states: read from columns, kept, compared, saved, written to columns.
//!
//! Saved forms: a fixed-width number is its little-endian bytes, a BOOLEAN one byte; STRING, BYTES and nested values are
//! a little-endian u32 length and as many bytes (nested ones in the key encoding).

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, AsArray, BinaryArray, BinaryBuilder, BooleanArray, BooleanBuilder,
    PrimitiveArray, PrimitiveBuilder, StringArray, StringBuilder,
};
use arrow::datatypes::{DataType, i256};
use flumen_expr::{ExprError, values_equal};
use flumen_types::{ColumnBuilder, SqlType, Value, arrow_type, decode_key, encode_key, value_at};

/// How values of a type are handled.
pub(super) trait Cell: Clone + Send + 'static {
    /// A value that is not NULL.
    type Owned: Clone + Send;
    /// A column of such values.
    type Column<'a>;
    /// Builds a column.
    type Builder: Send;

    fn bind<'a>(&self, array: &'a ArrayRef) -> Result<Self::Column<'a>, ExprError>;
    fn is_null(&self, column: &Self::Column<'_>, row: usize) -> bool;
    /// The value at a row that is not NULL.
    fn get(&self, column: &Self::Column<'_>, row: usize) -> Self::Owned;
    /// Puts the value at a row that is not NULL into a place, using its memory again.
    fn replace(&self, place: &mut Self::Owned, column: &Self::Column<'_>, row: usize) {
        *place = self.get(column, row);
    }
    /// The order of a kept value and that at a row that is not NULL.
    fn order(&self, kept: &Self::Owned, column: &Self::Column<'_>, row: usize) -> Ordering {
        self.compare(kept, &self.get(column, row))
    }
    fn compare(&self, a: &Self::Owned, b: &Self::Owned) -> Ordering;
    fn same(&self, a: &Self::Owned, b: &Self::Owned) -> bool {
        self.compare(a, b).is_eq()
    }
    fn builder(&self) -> Self::Builder;
    fn append(&self, builder: &mut Self::Builder, value: Option<&Self::Owned>);
    fn finish(&self, builder: Self::Builder) -> ArrayRef;
    fn save(&self, value: &Self::Owned, out: &mut Vec<u8>);
    fn load(&self, bytes: &mut &[u8]) -> Option<Self::Owned>;

    /// The value at a row, `None` for NULL.
    fn option(&self, column: &Self::Column<'_>, row: usize) -> Option<Self::Owned> {
        (!self.is_null(column, row)).then(|| self.get(column, row))
    }

    /// Saves a value that may be NULL: a marker byte before it.
    fn save_option(&self, value: Option<&Self::Owned>, out: &mut Vec<u8>) {
        out.push(u8::from(value.is_some()));
        if let Some(value) = value {
            self.save(value, out);
        }
    }

    /// Loads what `save_option` wrote.
    fn load_option(&self, bytes: &mut &[u8]) -> Option<Option<Self::Owned>> {
        match take::<1>(bytes)? {
            [0] => Some(None),
            [1] => Some(Some(self.load(bytes)?)),
            _ => None,
        }
    }

    /// Equality of values that may be NULL.
    fn same_option(&self, a: Option<&Self::Owned>, b: Option<&Self::Owned>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => self.same(a, b),
            (None, None) => true,
            _ => false,
        }
    }
}

fn wrong(array: &ArrayRef) -> ExprError {
    ExprError::user(format!("an aggregate got a column of type {} it is not made for", array.data_type()))
}

/// The next `N` bytes.
pub(super) fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (head, rest) = bytes.split_first_chunk::<N>()?;
    *bytes = rest;
    Some(*head)
}

pub(super) fn save_bytes(value: &[u8], out: &mut Vec<u8>) {
    out.extend((value.len() as u32).to_le_bytes());
    out.extend(value);
}

pub(super) fn load_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = u32::from_le_bytes(take(bytes)?) as usize;
    let (head, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(head)
}

pub(super) fn save_count(count: usize, out: &mut Vec<u8>) {
    out.extend((count as u32).to_le_bytes());
}

pub(super) fn load_count(bytes: &mut &[u8]) -> Option<usize> {
    Some(u32::from_le_bytes(take(bytes)?) as usize)
}

/// Numbers of fixed width in states.
pub(super) trait Fixed: Copy {
    fn put(self, out: &mut Vec<u8>);
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

macro_rules! fixed {
    ($($ty:ty),*) => {$(
        impl Fixed for $ty {
            fn put(self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn take(bytes: &mut &[u8]) -> Option<Self> {
                Some(<$ty>::from_le_bytes(take(bytes)?))
            }
        }
    )*};
}

fixed!(i32, i64, f64, i128, i256);

/// Numbers, times and decimals.
pub(super) struct Number<T> {
    data_type: DataType,
    arrow: PhantomData<fn() -> T>,
}

impl<T> Clone for Number<T> {
    fn clone(&self) -> Self {
        Number { data_type: self.data_type.clone(), arrow: PhantomData }
    }
}

impl<T: ArrowPrimitiveType> Number<T> {
    pub fn new(ty: &SqlType) -> Self {
        Number { data_type: arrow_type(ty), arrow: PhantomData }
    }
}

impl<T: ArrowPrimitiveType> Cell for Number<T>
where
    T::Native: Fixed + ArrowNativeTypeOp,
{
    type Owned = T::Native;
    type Column<'a> = &'a PrimitiveArray<T>;
    type Builder = PrimitiveBuilder<T>;

    fn bind<'a>(&self, array: &'a ArrayRef) -> Result<&'a PrimitiveArray<T>, ExprError> {
        array.as_primitive_opt::<T>().ok_or_else(|| wrong(array))
    }

    fn is_null(&self, column: &&PrimitiveArray<T>, row: usize) -> bool {
        column.is_null(row)
    }

    fn get(&self, column: &&PrimitiveArray<T>, row: usize) -> T::Native {
        column.value(row)
    }

    fn compare(&self, a: &T::Native, b: &T::Native) -> Ordering {
        ArrowNativeTypeOp::compare(*a, *b)
    }

    fn builder(&self) -> Self::Builder {
        PrimitiveBuilder::new().with_data_type(self.data_type.clone())
    }

    fn append(&self, builder: &mut Self::Builder, value: Option<&T::Native>) {
        builder.append_option(value.copied());
    }

    fn finish(&self, mut builder: Self::Builder) -> ArrayRef {
        Arc::new(builder.finish())
    }

    fn save(&self, value: &T::Native, out: &mut Vec<u8>) {
        value.put(out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<T::Native> {
        T::Native::take(bytes)
    }
}

/// BOOLEAN.
#[derive(Clone)]
pub(super) struct Flag;

impl Cell for Flag {
    type Owned = bool;
    type Column<'a> = &'a BooleanArray;
    type Builder = BooleanBuilder;

    fn bind<'a>(&self, array: &'a ArrayRef) -> Result<&'a BooleanArray, ExprError> {
        array.as_boolean_opt().ok_or_else(|| wrong(array))
    }

    fn is_null(&self, column: &&BooleanArray, row: usize) -> bool {
        column.is_null(row)
    }

    fn get(&self, column: &&BooleanArray, row: usize) -> bool {
        column.value(row)
    }

    fn compare(&self, a: &bool, b: &bool) -> Ordering {
        a.cmp(b)
    }

    fn builder(&self) -> BooleanBuilder {
        BooleanBuilder::new()
    }

    fn append(&self, builder: &mut BooleanBuilder, value: Option<&bool>) {
        builder.append_option(value.copied());
    }

    fn finish(&self, mut builder: BooleanBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }

    fn save(&self, value: &bool, out: &mut Vec<u8>) {
        out.push(u8::from(*value));
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<bool> {
        Some(take::<1>(bytes)? == [1])
    }
}

/// STRING.
#[derive(Clone)]
pub(super) struct Text;

impl Cell for Text {
    type Owned = String;
    type Column<'a> = &'a StringArray;
    type Builder = StringBuilder;

    fn bind<'a>(&self, array: &'a ArrayRef) -> Result<&'a StringArray, ExprError> {
        array.as_string_opt::<i32>().ok_or_else(|| wrong(array))
    }

    fn is_null(&self, column: &&StringArray, row: usize) -> bool {
        column.is_null(row)
    }

    fn get(&self, column: &&StringArray, row: usize) -> String {
        column.value(row).to_string()
    }

    fn replace(&self, place: &mut String, column: &&StringArray, row: usize) {
        place.clear();
        place.push_str(column.value(row));
    }

    fn order(&self, kept: &String, column: &&StringArray, row: usize) -> Ordering {
        kept.as_str().cmp(column.value(row))
    }

    fn compare(&self, a: &String, b: &String) -> Ordering {
        a.cmp(b)
    }

    fn builder(&self) -> StringBuilder {
        StringBuilder::new()
    }

    fn append(&self, builder: &mut StringBuilder, value: Option<&String>) {
        builder.append_option(value);
    }

    fn finish(&self, mut builder: StringBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }

    fn save(&self, value: &String, out: &mut Vec<u8>) {
        save_bytes(value.as_bytes(), out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<String> {
        String::from_utf8(load_bytes(bytes)?.to_vec()).ok()
    }
}

/// BYTES, in Java's order of signed bytes.
#[derive(Clone)]
pub(super) struct Blob;

fn signed(a: &[u8], b: &[u8]) -> Ordering {
    a.iter().map(|x| *x as i8).cmp(b.iter().map(|x| *x as i8))
}

impl Cell for Blob {
    type Owned = Vec<u8>;
    type Column<'a> = &'a BinaryArray;
    type Builder = BinaryBuilder;

    fn bind<'a>(&self, array: &'a ArrayRef) -> Result<&'a BinaryArray, ExprError> {
        array.as_binary_opt::<i32>().ok_or_else(|| wrong(array))
    }

    fn is_null(&self, column: &&BinaryArray, row: usize) -> bool {
        column.is_null(row)
    }

    fn get(&self, column: &&BinaryArray, row: usize) -> Vec<u8> {
        column.value(row).to_vec()
    }

    fn order(&self, kept: &Vec<u8>, column: &&BinaryArray, row: usize) -> Ordering {
        signed(kept, column.value(row))
    }

    fn compare(&self, a: &Vec<u8>, b: &Vec<u8>) -> Ordering {
        signed(a, b)
    }

    fn builder(&self) -> BinaryBuilder {
        BinaryBuilder::new()
    }

    fn append(&self, builder: &mut BinaryBuilder, value: Option<&Vec<u8>>) {
        builder.append_option(value);
    }

    fn finish(&self, mut builder: BinaryBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }

    fn save(&self, value: &Vec<u8>, out: &mut Vec<u8>) {
        save_bytes(value, out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Vec<u8>> {
        load_bytes(bytes).map(<[u8]>::to_vec)
    }
}

/// ARRAY, MAP and STRUCT, as single values.
#[derive(Clone)]
pub(super) struct Nested(pub SqlType);

impl Cell for Nested {
    type Owned = Value;
    type Column<'a> = &'a ArrayRef;
    type Builder = ColumnBuilder;

    fn bind<'a>(&self, array: &'a ArrayRef) -> Result<&'a ArrayRef, ExprError> {
        if *array.data_type() == arrow_type(&self.0) { Ok(array) } else { Err(wrong(array)) }
    }

    fn is_null(&self, column: &&ArrayRef, row: usize) -> bool {
        column.is_null(row)
    }

    fn get(&self, column: &&ArrayRef, row: usize) -> Value {
        value_at(column.as_ref(), &self.0, row)
    }

    /// Nested values have no order; those that differ are put in the order of their saved bytes.
    fn compare(&self, a: &Value, b: &Value) -> Ordering {
        if values_equal(a, b) {
            return Ordering::Equal;
        }
        let bytes = |v: &Value| encode_key(std::slice::from_ref(v), &[&self.0]).unwrap_or_default();
        bytes(a).cmp(&bytes(b))
    }

    fn same(&self, a: &Value, b: &Value) -> bool {
        values_equal(a, b)
    }

    fn builder(&self) -> ColumnBuilder {
        ColumnBuilder::new(&self.0)
    }

    fn append(&self, builder: &mut ColumnBuilder, value: Option<&Value>) {
        // Kept values come from columns of this very type.
        if builder.append(value.unwrap_or(&Value::Null)).is_err() {
            builder.append_null();
        }
    }

    fn finish(&self, mut builder: ColumnBuilder) -> ArrayRef {
        builder.finish()
    }

    fn save(&self, value: &Value, out: &mut Vec<u8>) {
        save_bytes(&encode_key(std::slice::from_ref(value), &[&self.0]).unwrap_or_default(), out);
    }

    fn load(&self, bytes: &mut &[u8]) -> Option<Value> {
        decode_key(load_bytes(bytes)?, &[&self.0]).ok()?.pop()
    }
}

/// Runs an expression with the cell of a type bound to a name.
macro_rules! with_cell {
    ($ty:expr, $cell:ident => $body:expr) => {{
        use arrow::datatypes as arrow_types;
        use flumen_types::SqlType;
        use $crate::aggregate::cell::{Blob, Flag, Nested, Number, Text};
        let ty: &SqlType = $ty;
        match ty {
            SqlType::Boolean => {
                let $cell = Flag;
                $body
            }
            SqlType::Integer => {
                let $cell = Number::<arrow_types::Int32Type>::new(ty);
                $body
            }
            SqlType::Bigint => {
                let $cell = Number::<arrow_types::Int64Type>::new(ty);
                $body
            }
            SqlType::Double => {
                let $cell = Number::<arrow_types::Float64Type>::new(ty);
                $body
            }
            SqlType::Decimal { precision, .. } if *precision <= 38 => {
                let $cell = Number::<arrow_types::Decimal128Type>::new(ty);
                $body
            }
            SqlType::Decimal { .. } => {
                let $cell = Number::<arrow_types::Decimal256Type>::new(ty);
                $body
            }
            SqlType::Date => {
                let $cell = Number::<arrow_types::Date32Type>::new(ty);
                $body
            }
            SqlType::Time => {
                let $cell = Number::<arrow_types::Time32MillisecondType>::new(ty);
                $body
            }
            SqlType::Timestamp => {
                let $cell = Number::<arrow_types::TimestampMillisecondType>::new(ty);
                $body
            }
            SqlType::String => {
                let $cell = Text;
                $body
            }
            SqlType::Bytes => {
                let $cell = Blob;
                $body
            }
            SqlType::Array(_) | SqlType::Map(..) | SqlType::Struct(_) => {
                let $cell = Nested(ty.clone());
                $body
            }
        }
    }};
}

pub(super) use with_cell;
