//! Growing columns that can be cut back to an earlier row, so that a record that turns out bad leaves no trace.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, BooleanBufferBuilder, Date32Array, Decimal128Array, Decimal256Array, Float64Array, Int32Array,
    Int64Array, ListArray, MapArray, NullBufferBuilder, StringArray, StructArray, Time32MillisecondArray, TimestampMillisecondArray,
};
use arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow::datatypes::{DataType, FieldRef, Fields as ArrowFields, i256};
use flumen_types::{Field, SqlType, arrow_type};

use crate::json::Lookup;

/// One column being built. `valid` has a bit for every finished cell; `cells` may be ahead of it while a nested value
/// is being read, and [`Builder::truncate`] brings both back.
pub(crate) struct Builder {
    pub valid: NullBufferBuilder,
    pub cells: Cells,
}

/// The cells of a column by type.
pub(crate) enum Cells {
    Boolean(BooleanBufferBuilder),
    Int(Vec<i32>),
    Long(Vec<i64>),
    Double(Vec<f64>),
    Decimal128 { values: Vec<i128>, precision: u8, scale: u8 },
    Decimal256 { values: Vec<i256>, precision: u8, scale: u8 },
    String(Spans),
    Bytes(Spans),
    Time(Vec<i32>),
    Date(Vec<i32>),
    Timestamp(Vec<i64>),
    List { ends: Vec<i32>, items: Box<Builder>, item: FieldRef },
    Map { ends: Vec<i32>, keys: Box<Builder>, values: Box<Builder>, entry: FieldRef },
    Struct { record: RecordBuilder, fields: ArrowFields },
}

/// Text or bytes of many cells, one after the other.
pub(crate) struct Spans {
    pub bytes: Vec<u8>,
    pub ends: Vec<i32>,
}

/// More bytes or elements in one column of one chunk than 32-bit offsets can address.
#[derive(Debug)]
pub(crate) struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the column holds more than 2 GiB in one chunk")
    }
}

impl Spans {
    fn new() -> Self {
        Spans { bytes: Vec::new(), ends: vec![0] }
    }

    /// Ends a cell at the present end of `bytes`.
    pub fn end_cell(&mut self) -> Result<(), TooLarge> {
        self.ends.push(i32::try_from(self.bytes.len()).map_err(|_| TooLarge)?);
        Ok(())
    }

    fn truncate(&mut self, len: usize) {
        self.ends.truncate(len + 1);
        self.bytes.truncate(last_end(&self.ends));
    }

    fn take(&mut self) -> (OffsetBuffer<i32>, Buffer) {
        let (cells, bytes) = (self.ends.len(), self.bytes.len());
        let taken = std::mem::replace(self, Spans { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(cells) });
        self.ends.push(0);
        (offsets(taken.ends), Buffer::from_vec(taken.bytes))
    }
}

fn last_end(ends: &[i32]) -> usize {
    ends.last().map_or(0, |e| *e as usize)
}

fn offsets(ends: Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(ends))
}

/// Takes the values out, leaving room for as many.
fn take<T>(values: &mut Vec<T>) -> Vec<T> {
    let len = values.len();
    std::mem::replace(values, Vec::with_capacity(len))
}

fn take_ends(ends: &mut Vec<i32>) -> OffsetBuffer<i32> {
    let taken = take(ends);
    ends.push(0);
    offsets(taken)
}

impl Builder {
    pub fn new(ty: &SqlType) -> Self {
        let cells = match ty {
            SqlType::Boolean => Cells::Boolean(BooleanBufferBuilder::new(0)),
            SqlType::Integer => Cells::Int(Vec::new()),
            SqlType::Bigint => Cells::Long(Vec::new()),
            SqlType::Double => Cells::Double(Vec::new()),
            SqlType::Decimal { precision, scale } => {
                let (precision, scale) = (*precision, *scale);
                if precision <= 38 {
                    Cells::Decimal128 { values: Vec::new(), precision, scale }
                } else {
                    Cells::Decimal256 { values: Vec::new(), precision, scale }
                }
            }
            SqlType::String => Cells::String(Spans::new()),
            SqlType::Bytes => Cells::Bytes(Spans::new()),
            SqlType::Time => Cells::Time(Vec::new()),
            SqlType::Date => Cells::Date(Vec::new()),
            SqlType::Timestamp => Cells::Timestamp(Vec::new()),
            SqlType::Array(element) => Cells::List { ends: vec![0], items: Box::new(Builder::new(element)), item: inner_field(ty) },
            SqlType::Map(key, value) => Cells::Map {
                ends: vec![0],
                keys: Box::new(Builder::new(key)),
                values: Box::new(Builder::new(value)),
                entry: inner_field(ty),
            },
            SqlType::Struct(fields) => {
                let arrow_fields = match arrow_type(ty) {
                    DataType::Struct(fields) => fields,
                    _ => ArrowFields::empty(),
                };
                Cells::Struct { record: RecordBuilder::new(fields, |_| true), fields: arrow_fields }
            }
        };
        Builder { valid: NullBufferBuilder::new(0), cells }
    }

    /// Finished cells.
    pub fn len(&self) -> usize {
        self.valid.len()
    }

    pub fn push_null(&mut self) {
        match &mut self.cells {
            Cells::Boolean(b) => b.append(false),
            Cells::Int(v) | Cells::Time(v) | Cells::Date(v) => v.push(0),
            Cells::Long(v) | Cells::Timestamp(v) => v.push(0),
            Cells::Double(v) => v.push(0.0),
            Cells::Decimal128 { values, .. } => values.push(0),
            Cells::Decimal256 { values, .. } => values.push(i256::ZERO),
            Cells::String(s) | Cells::Bytes(s) => s.ends.push(last_end(&s.ends) as i32),
            Cells::List { ends, .. } | Cells::Map { ends, .. } => ends.push(last_end(ends) as i32),
            Cells::Struct { record, .. } => record.push_null(),
        }
        self.valid.append_null();
    }

    /// Drops all cells from `len` on, half-read nested parts included.
    pub fn truncate(&mut self, len: usize) {
        self.valid.truncate(len);
        match &mut self.cells {
            Cells::Boolean(b) => b.truncate(len),
            Cells::Int(v) | Cells::Time(v) | Cells::Date(v) => v.truncate(len),
            Cells::Long(v) | Cells::Timestamp(v) => v.truncate(len),
            Cells::Double(v) => v.truncate(len),
            Cells::Decimal128 { values, .. } => values.truncate(len),
            Cells::Decimal256 { values, .. } => values.truncate(len),
            Cells::String(s) | Cells::Bytes(s) => s.truncate(len),
            Cells::List { ends, items, .. } => {
                ends.truncate(len + 1);
                items.truncate(last_end(ends));
            }
            Cells::Map { ends, keys, values, .. } => {
                ends.truncate(len + 1);
                keys.truncate(last_end(ends));
                values.truncate(last_end(ends));
            }
            Cells::Struct { record, .. } => record.truncate(len),
        }
    }

    /// The array of all cells; the builder is empty afterwards.
    pub fn finish(&mut self) -> ArrayRef {
        let nulls: Option<NullBuffer> = self.valid.finish();
        match &mut self.cells {
            Cells::Boolean(b) => Arc::new(BooleanArray::new(b.finish(), nulls)),
            Cells::Int(v) => Arc::new(Int32Array::new(take(v).into(), nulls)),
            Cells::Long(v) => Arc::new(Int64Array::new(take(v).into(), nulls)),
            Cells::Double(v) => Arc::new(Float64Array::new(take(v).into(), nulls)),
            Cells::Decimal128 { values, precision, scale } => {
                let ty = DataType::Decimal128(*precision, *scale as i8);
                Arc::new(Decimal128Array::new(take(values).into(), nulls).with_data_type(ty))
            }
            Cells::Decimal256 { values, precision, scale } => {
                let ty = DataType::Decimal256(*precision, *scale as i8);
                Arc::new(Decimal256Array::new(take(values).into(), nulls).with_data_type(ty))
            }
            Cells::String(s) => {
                let (offsets, bytes) = s.take();
                Arc::new(StringArray::new(offsets, bytes, nulls))
            }
            Cells::Bytes(s) => {
                let (offsets, bytes) = s.take();
                Arc::new(BinaryArray::new(offsets, bytes, nulls))
            }
            Cells::Time(v) => Arc::new(Time32MillisecondArray::new(take(v).into(), nulls)),
            Cells::Date(v) => Arc::new(Date32Array::new(take(v).into(), nulls)),
            Cells::Timestamp(v) => Arc::new(TimestampMillisecondArray::new(take(v).into(), nulls)),
            Cells::List { ends, items, item } => Arc::new(ListArray::new(item.clone(), take_ends(ends), items.finish(), nulls)),
            Cells::Map { ends, keys, values, entry } => {
                let fields = match entry.data_type() {
                    DataType::Struct(fields) => fields.clone(),
                    _ => ArrowFields::empty(),
                };
                let entries = StructArray::new(fields, vec![keys.finish(), values.finish()], None);
                Arc::new(MapArray::new(entry.clone(), take_ends(ends), entries, nulls, false))
            }
            Cells::Struct { record, fields } => {
                let rows = record.rows;
                let columns = record.finish();
                if columns.is_empty() {
                    return Arc::new(StructArray::new_empty_fields(rows, nulls));
                }
                Arc::new(StructArray::new(fields.clone(), columns, nulls))
            }
        }
    }
}

/// The field of a list's items or a map's entries.
fn inner_field(ty: &SqlType) -> FieldRef {
    match arrow_type(ty) {
        DataType::List(field) | DataType::Map(field, _) => field,
        other => Arc::new(arrow::datatypes::Field::new("item", other, true)),
    }
}

/// Named columns filled record by record: those of a struct, or of the whole record. Columns that nobody wants have no builder.
pub(crate) struct RecordBuilder {
    pub names: Vec<String>,
    pub columns: Vec<Option<Builder>>,
    /// How field names of the input are found, for formats that carry names.
    pub lookup: Lookup,
    /// The column at which the last failed record failed.
    pub failed: Option<usize>,
    /// Finished rows.
    pub rows: usize,
}

impl RecordBuilder {
    pub fn new(columns: &[Field], wanted: impl Fn(usize) -> bool) -> Self {
        let names: Vec<String> = columns.iter().map(|c| c.name.clone()).collect();
        RecordBuilder {
            lookup: Lookup::new(&names),
            columns: columns.iter().enumerate().map(|(i, c)| wanted(i).then(|| Builder::new(&c.ty))).collect(),
            names,
            failed: None,
            rows: 0,
        }
    }

    pub fn push_null(&mut self) {
        self.columns.iter_mut().flatten().for_each(Builder::push_null);
        self.rows += 1;
    }

    pub fn truncate(&mut self, rows: usize) {
        self.columns.iter_mut().flatten().for_each(|b| b.truncate(rows));
        self.rows = rows;
    }

    /// One array per wanted column.
    pub fn finish(&mut self) -> Vec<ArrayRef> {
        self.rows = 0;
        self.columns.iter_mut().flatten().map(Builder::finish).collect()
    }

    /// The path of the column where the last record failed, as `A->B`; forgets it.
    pub fn take_failed(&mut self) -> Option<String> {
        let at = self.failed.take()?;
        let mut path = self.names.get(at)?.clone();
        let mut column = self.columns.get_mut(at)?.as_mut();
        while let Some(builder) = column {
            column = match &mut builder.cells {
                Cells::List { items, .. } => Some(items),
                Cells::Map { values, .. } => Some(values),
                Cells::Struct { record, .. } => {
                    if let Some(inner) = record.take_failed() {
                        path.push_str("->");
                        path.push_str(&inner);
                    }
                    None
                }
                _ => None,
            };
        }
        Some(path)
    }
}
