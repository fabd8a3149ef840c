//! SQL types as Arrow types, and single values in and out of Arrow arrays.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BinaryBuilder, BooleanBuilder, Date32Builder, Decimal128Builder, Decimal256Builder, Float64Builder,
    Int32Builder, Int64Builder, ListArray, MapArray, NullBufferBuilder, StringBuilder, StructArray, Time32MillisecondBuilder,
    TimestampMillisecondBuilder, new_empty_array, new_null_array,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{
    DataType, Date32Type, Decimal128Type, Decimal256Type, Field as ArrowField, Fields, Float64Type, Int32Type, Int64Type,
    Time32MillisecondType, TimeUnit, TimestampMillisecondType, i256,
};

use crate::{Decimal, SqlType, TypeError, Value};

/// The Arrow type that carries a SQL type: DECIMAL is Decimal128 up to 38 digits and Decimal256 beyond; all fields nullable
/// (map keys apart); list items are named `item`, map entries `entries` of `keys` and `values`.
pub fn arrow_type(ty: &SqlType) -> DataType {
    match ty {
        SqlType::Boolean => DataType::Boolean,
        SqlType::Integer => DataType::Int32,
        SqlType::Bigint => DataType::Int64,
        SqlType::Double => DataType::Float64,
        SqlType::Decimal { precision, scale } if *precision <= 38 => DataType::Decimal128(*precision, *scale as i8),
        SqlType::Decimal { precision, scale } => DataType::Decimal256(*precision, *scale as i8),
        SqlType::String => DataType::Utf8,
        SqlType::Bytes => DataType::Binary,
        SqlType::Time => DataType::Time32(TimeUnit::Millisecond),
        SqlType::Date => DataType::Date32,
        SqlType::Timestamp => DataType::Timestamp(TimeUnit::Millisecond, None),
        SqlType::Array(e) => DataType::List(item_field(e)),
        SqlType::Map(k, v) => DataType::Map(entries_field(k, v), false),
        SqlType::Struct(fields) => DataType::Struct(struct_fields(fields)),
    }
}

fn item_field(element: &SqlType) -> Arc<ArrowField> {
    Arc::new(ArrowField::new("item", arrow_type(element), true))
}

fn map_fields(key: &SqlType, value: &SqlType) -> Fields {
    Fields::from(vec![ArrowField::new("keys", arrow_type(key), false), ArrowField::new("values", arrow_type(value), true)])
}

fn entries_field(key: &SqlType, value: &SqlType) -> Arc<ArrowField> {
    Arc::new(ArrowField::new("entries", DataType::Struct(map_fields(key, value)), false))
}

fn struct_fields(fields: &[crate::Field]) -> Fields {
    fields.iter().map(|f| ArrowField::new(&f.name, arrow_type(&f.ty), true)).collect()
}

/// An array of `len` NULLs of a type.
pub fn null_column(ty: &SqlType, len: usize) -> ArrayRef {
    new_null_array(&arrow_type(ty), len)
}

/// An array of a type without rows.
pub fn empty_column(ty: &SqlType) -> ArrayRef {
    new_empty_array(&arrow_type(ty))
}

/// An array of a type from single values; a value of another type is an error.
pub fn column_of<'a>(ty: &SqlType, values: impl IntoIterator<Item = &'a Value>) -> Result<ArrayRef, TypeError> {
    let mut builder = ColumnBuilder::new(ty);
    for value in values {
        builder.append(value)?;
    }
    Ok(builder.finish())
}

/// The value at a row of an array made for this type; NULL also where the array is not of that type or too short.
pub fn value_at(array: &dyn Array, ty: &SqlType, row: usize) -> Value {
    if row >= array.len() || array.is_null(row) {
        return Value::Null;
    }
    let found = match ty {
        SqlType::Boolean => array.as_boolean_opt().map(|a| Value::Boolean(a.value(row))),
        SqlType::Integer => array.as_primitive_opt::<Int32Type>().map(|a| Value::Integer(a.value(row))),
        SqlType::Bigint => array.as_primitive_opt::<Int64Type>().map(|a| Value::Bigint(a.value(row))),
        SqlType::Double => array.as_primitive_opt::<Float64Type>().map(|a| Value::Double(a.value(row))),
        SqlType::Decimal { scale, .. } => match array.data_type() {
            DataType::Decimal128(..) => {
                array.as_primitive_opt::<Decimal128Type>().map(|a| Value::Decimal(Decimal::new(i256::from_i128(a.value(row)), *scale)))
            }
            _ => array.as_primitive_opt::<Decimal256Type>().map(|a| Value::Decimal(Decimal::new(a.value(row), *scale))),
        },
        SqlType::String => array.as_string_opt::<i32>().map(|a| Value::String(a.value(row).to_string())),
        SqlType::Bytes => array.as_binary_opt::<i32>().map(|a| Value::Bytes(a.value(row).to_vec())),
        SqlType::Time => array.as_primitive_opt::<Time32MillisecondType>().map(|a| Value::Time(a.value(row))),
        SqlType::Date => array.as_primitive_opt::<Date32Type>().map(|a| Value::Date(a.value(row))),
        SqlType::Timestamp => array.as_primitive_opt::<TimestampMillisecondType>().map(|a| Value::Timestamp(a.value(row))),
        SqlType::Array(element) => array.as_list_opt::<i32>().map(|a| {
            let items = a.value(row);
            Value::Array((0..items.len()).map(|i| value_at(&items, element, i)).collect())
        }),
        SqlType::Map(key, value) => array.as_map_opt().map(|a| {
            let entries = a.value(row);
            let pair = |i| (value_at(entries.column(0), key, i), value_at(entries.column(1), value, i));
            Value::Map((0..entries.len()).map(pair).collect())
        }),
        SqlType::Struct(fields) => {
            array.as_struct_opt().map(|a| Value::Struct(fields.iter().zip(a.columns()).map(|(f, c)| value_at(c, &f.ty, row)).collect()))
        }
    };
    found.unwrap_or(Value::Null)
}

/// Builds an array of any SQL type from single values.
pub struct ColumnBuilder {
    ty: SqlType,
    kind: Kind,
}

enum Kind {
    Boolean(BooleanBuilder),
    Int(Int32Builder),
    Long(Int64Builder),
    Double(Float64Builder),
    Decimal128(Decimal128Builder),
    Decimal256(Decimal256Builder),
    String(StringBuilder),
    Bytes(BinaryBuilder),
    Time(Time32MillisecondBuilder),
    Date(Date32Builder),
    Timestamp(TimestampMillisecondBuilder),
    List { ends: Vec<i32>, nulls: NullBufferBuilder, items: Box<ColumnBuilder> },
    Map { ends: Vec<i32>, nulls: NullBufferBuilder, keys: Box<ColumnBuilder>, values: Box<ColumnBuilder> },
    Struct { nulls: NullBufferBuilder, fields: Vec<ColumnBuilder>, len: usize },
}

impl ColumnBuilder {
    /// An empty builder for a type.
    pub fn new(ty: &SqlType) -> Self {
        let kind = match ty {
            SqlType::Boolean => Kind::Boolean(BooleanBuilder::new()),
            SqlType::Integer => Kind::Int(Int32Builder::new()),
            SqlType::Bigint => Kind::Long(Int64Builder::new()),
            SqlType::Double => Kind::Double(Float64Builder::new()),
            SqlType::Decimal { precision, .. } if *precision <= 38 => {
                Kind::Decimal128(Decimal128Builder::new().with_data_type(arrow_type(ty)))
            }
            SqlType::Decimal { .. } => Kind::Decimal256(Decimal256Builder::new().with_data_type(arrow_type(ty))),
            SqlType::String => Kind::String(StringBuilder::new()),
            SqlType::Bytes => Kind::Bytes(BinaryBuilder::new()),
            SqlType::Time => Kind::Time(Time32MillisecondBuilder::new()),
            SqlType::Date => Kind::Date(Date32Builder::new()),
            SqlType::Timestamp => Kind::Timestamp(TimestampMillisecondBuilder::new()),
            SqlType::Array(e) => Kind::List { ends: vec![0], nulls: NullBufferBuilder::new(0), items: Box::new(ColumnBuilder::new(e)) },
            SqlType::Map(k, v) => Kind::Map {
                ends: vec![0],
                nulls: NullBufferBuilder::new(0),
                keys: Box::new(ColumnBuilder::new(k)),
                values: Box::new(ColumnBuilder::new(v)),
            },
            SqlType::Struct(fields) => Kind::Struct {
                nulls: NullBufferBuilder::new(0),
                fields: fields.iter().map(|f| ColumnBuilder::new(&f.ty)).collect(),
                len: 0,
            },
        };
        ColumnBuilder { ty: ty.clone(), kind }
    }

    /// The type being built.
    pub fn sql_type(&self) -> &SqlType {
        &self.ty
    }

    /// Appends NULL.
    pub fn append_null(&mut self) {
        match &mut self.kind {
            Kind::Boolean(b) => b.append_null(),
            Kind::Int(b) => b.append_null(),
            Kind::Long(b) => b.append_null(),
            Kind::Double(b) => b.append_null(),
            Kind::Decimal128(b) => b.append_null(),
            Kind::Decimal256(b) => b.append_null(),
            Kind::String(b) => b.append_null(),
            Kind::Bytes(b) => b.append_null(),
            Kind::Time(b) => b.append_null(),
            Kind::Date(b) => b.append_null(),
            Kind::Timestamp(b) => b.append_null(),
            Kind::List { ends, nulls, .. } | Kind::Map { ends, nulls, .. } => {
                ends.push(ends.last().copied().unwrap_or(0));
                nulls.append_null();
            }
            Kind::Struct { nulls, fields, len } => {
                fields.iter_mut().for_each(ColumnBuilder::append_null);
                nulls.append_null();
                *len += 1;
            }
        }
    }

    /// Appends a value of this type or NULL. A decimal is brought to the column's scale and must fit its precision.
    /// Nothing is appended on error, nested parts of the refused value apart: drop the builder then.
    pub fn append(&mut self, value: &Value) -> Result<(), TypeError> {
        match (&mut self.kind, value) {
            (_, Value::Null) => self.append_null(),
            (Kind::Boolean(b), Value::Boolean(v)) => b.append_value(*v),
            (Kind::Int(b), Value::Integer(v)) => b.append_value(*v),
            (Kind::Long(b), Value::Bigint(v)) => b.append_value(*v),
            (Kind::Double(b), Value::Double(v)) => b.append_value(*v),
            (Kind::Decimal128(b), Value::Decimal(d)) => {
                let fitted = fit(d, &self.ty)?;
                b.append_value(fitted.unscaled.to_i128().unwrap_or_default());
            }
            (Kind::Decimal256(b), Value::Decimal(d)) => b.append_value(fit(d, &self.ty)?.unscaled),
            (Kind::String(b), Value::String(v)) => b.append_value(v),
            (Kind::Bytes(b), Value::Bytes(v)) => b.append_value(v),
            (Kind::Time(b), Value::Time(v)) => b.append_value(*v),
            (Kind::Date(b), Value::Date(v)) => b.append_value(*v),
            (Kind::Timestamp(b), Value::Timestamp(v)) => b.append_value(*v),
            (Kind::List { ends, nulls, items }, Value::Array(values)) => {
                for v in values {
                    items.append(v)?;
                }
                push_end(ends, values.len());
                nulls.append_non_null();
            }
            (Kind::Map { ends, nulls, keys, values }, Value::Map(entries)) => {
                for (k, v) in entries {
                    keys.append(k)?;
                    values.append(v)?;
                }
                push_end(ends, entries.len());
                nulls.append_non_null();
            }
            (Kind::Struct { nulls, fields, len }, Value::Struct(values)) if values.len() == fields.len() => {
                for (field, v) in fields.iter_mut().zip(values) {
                    field.append(v)?;
                }
                nulls.append_non_null();
                *len += 1;
            }
            (_, other) => {
                return Err(TypeError::Mismatch { actual: other.type_name().into(), wanted: self.ty.to_string() });
            }
        }
        Ok(())
    }

    /// The array of what was appended; the builder is empty afterwards.
    pub fn finish(&mut self) -> ArrayRef {
        match &mut self.kind {
            Kind::Boolean(b) => Arc::new(b.finish()),
            Kind::Int(b) => Arc::new(b.finish()),
            Kind::Long(b) => Arc::new(b.finish()),
            Kind::Double(b) => Arc::new(b.finish()),
            Kind::Decimal128(b) => Arc::new(b.finish()),
            Kind::Decimal256(b) => Arc::new(b.finish()),
            Kind::String(b) => Arc::new(b.finish()),
            Kind::Bytes(b) => Arc::new(b.finish()),
            Kind::Time(b) => Arc::new(b.finish()),
            Kind::Date(b) => Arc::new(b.finish()),
            Kind::Timestamp(b) => Arc::new(b.finish()),
            Kind::List { ends, nulls, items } => {
                let offsets = OffsetBuffer::new(std::mem::replace(ends, vec![0]).into());
                let values = items.finish();
                Arc::new(ListArray::new(item_field(items.sql_type()), offsets, values, nulls.finish()))
            }
            Kind::Map { ends, nulls, keys, values } => {
                let offsets = OffsetBuffer::new(std::mem::replace(ends, vec![0]).into());
                let (key_type, value_type) = (keys.sql_type().clone(), values.sql_type().clone());
                let columns = vec![keys.finish(), values.finish()];
                let entries = StructArray::new(map_fields(&key_type, &value_type), columns, None);
                Arc::new(MapArray::new(entries_field(&key_type, &value_type), offsets, entries, nulls.finish(), false))
            }
            Kind::Struct { nulls, fields, len } => {
                let arrow_fields = match &self.ty {
                    SqlType::Struct(declared) => struct_fields(declared),
                    _ => Fields::empty(),
                };
                let len = std::mem::take(len);
                if fields.is_empty() {
                    return Arc::new(StructArray::new_empty_fields(len, nulls.finish()));
                }
                let columns = fields.iter_mut().map(ColumnBuilder::finish).collect();
                Arc::new(StructArray::new(arrow_fields, columns, nulls.finish()))
            }
        }
    }
}

fn push_end(ends: &mut Vec<i32>, added: usize) {
    let last = ends.last().copied().unwrap_or(0);
    ends.push(last.saturating_add(added.min(i32::MAX as usize) as i32));
}

fn fit(decimal: &Decimal, ty: &SqlType) -> Result<Decimal, TypeError> {
    match ty {
        SqlType::Decimal { precision, scale } => decimal.fit(*precision, *scale),
        _ => Ok(*decimal),
    }
}

impl Value {
    /// The bare name of the value's type, for messages.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "NULL",
            Value::Boolean(_) => "BOOLEAN",
            Value::Integer(_) => "INTEGER",
            Value::Bigint(_) => "BIGINT",
            Value::Double(_) => "DOUBLE",
            Value::Decimal(_) => "DECIMAL",
            Value::String(_) => "STRING",
            Value::Bytes(_) => "BYTES",
            Value::Time(_) => "TIME",
            Value::Date(_) => "DATE",
            Value::Timestamp(_) => "TIMESTAMP",
            Value::Array(_) => "ARRAY",
            Value::Map(_) => "MAP",
            Value::Struct(_) => "STRUCT",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;

    fn round_trip(ty: SqlType, values: Vec<Value>) {
        let array = column_of(&ty, &values).unwrap();
        assert_eq!(array.data_type(), &arrow_type(&ty));
        let back: Vec<Value> = (0..array.len()).map(|i| value_at(&array, &ty, i)).collect();
        assert_eq!(back, values);
    }

    #[test]
    fn every_type_goes_in_and_out() {
        round_trip(SqlType::Boolean, vec![Value::Boolean(true), Value::Null]);
        round_trip(SqlType::Integer, vec![Value::Integer(-1), Value::Null]);
        round_trip(SqlType::Bigint, vec![Value::Bigint(i64::MIN)]);
        round_trip(SqlType::Double, vec![Value::Double(1.5)]);
        round_trip(SqlType::decimal(4, 2).unwrap(), vec![Value::Decimal("12.30".parse().unwrap()), Value::Null]);
        round_trip(SqlType::decimal(50, 2).unwrap(), vec![Value::Decimal("-12.30".parse().unwrap())]);
        round_trip(SqlType::String, vec!["a".into(), Value::Null, "".into()]);
        round_trip(SqlType::Bytes, vec![Value::Bytes(vec![0, 255])]);
        round_trip(SqlType::Time, vec![Value::Time(1)]);
        round_trip(SqlType::Date, vec![Value::Date(-1)]);
        round_trip(SqlType::Timestamp, vec![Value::Timestamp(1)]);
        let nested = SqlType::array(SqlType::map(SqlType::String, SqlType::Integer));
        let map = Value::Map(vec![("k".into(), Value::Integer(1)), ("l".into(), Value::Null)]);
        round_trip(nested, vec![Value::Array(vec![map, Value::Null]), Value::Null, Value::Array(vec![])]);
        let structure = SqlType::Struct(vec![Field::new("A", SqlType::Integer), Field::new("B", SqlType::String)]);
        round_trip(structure, vec![Value::Struct(vec![Value::Integer(1), Value::Null]), Value::Null]);
        round_trip(SqlType::Struct(vec![]), vec![Value::Struct(vec![]), Value::Null]);
    }

    #[test]
    fn a_value_of_another_type_is_refused() {
        assert!(column_of(&SqlType::Integer, [&Value::Bigint(1)]).is_err());
        assert!(column_of(&SqlType::decimal(2, 1).unwrap(), [&Value::Decimal("123".parse().unwrap())]).is_err());
    }
}
