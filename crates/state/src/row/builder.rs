//! Rows read back into columns: numbers and text go straight into Arrow builders.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, BooleanBuilder, Date32Builder, Float64Builder, Int32Builder, Int64Builder, StringBuilder,
    Time32MillisecondBuilder, TimestampMillisecondBuilder,
};
use flumen_types::{ColumnBuilder, SqlType};

use super::{Reader, RowCodec, damaged};
use crate::StateError;

/// Builds the columns of a [`RowCodec`] from rows it encoded.
pub struct RowBuilder {
    columns: Vec<(SqlType, Cells)>,
}

enum Cells {
    Boolean(BooleanBuilder),
    Int(Int32Builder),
    Time(Time32MillisecondBuilder),
    Date(Date32Builder),
    Long(Int64Builder),
    Timestamp(TimestampMillisecondBuilder),
    Double(Float64Builder),
    String(StringBuilder),
    Bytes(BinaryBuilder),
    /// DECIMAL and nested types.
    Other(ColumnBuilder),
}

impl RowBuilder {
    /// A builder without rows for the columns of a codec.
    pub fn new(codec: &RowCodec) -> Self {
        let cells = |ty: &SqlType| match ty {
            SqlType::Boolean => Cells::Boolean(BooleanBuilder::new()),
            SqlType::Integer => Cells::Int(Int32Builder::new()),
            SqlType::Time => Cells::Time(Time32MillisecondBuilder::new()),
            SqlType::Date => Cells::Date(Date32Builder::new()),
            SqlType::Bigint => Cells::Long(Int64Builder::new()),
            SqlType::Timestamp => Cells::Timestamp(TimestampMillisecondBuilder::new()),
            SqlType::Double => Cells::Double(Float64Builder::new()),
            SqlType::String => Cells::String(StringBuilder::new()),
            SqlType::Bytes => Cells::Bytes(BinaryBuilder::new()),
            other => Cells::Other(ColumnBuilder::new(other)),
        };
        RowBuilder { columns: codec.types().iter().map(|ty| (ty.clone(), cells(ty))).collect() }
    }

    /// Appends one row and returns the bytes behind it.
    ///
    /// # Errors
    /// Bytes that are not such a row; the columns are then of unequal length and the builder is of no use any more.
    pub fn append<'a>(&mut self, bytes: &'a [u8]) -> Result<&'a [u8], StateError> {
        let width = self.columns.len().div_ceil(8);
        let (nulls, rest) = bytes.split_at_checked(width).ok_or_else(|| damaged("it is too short"))?;
        let mut reader = Reader { rest };
        for (i, (ty, cells)) in self.columns.iter_mut().enumerate() {
            if nulls[i / 8] >> (i % 8) & 1 == 1 {
                cells.append_null();
            } else {
                cells.append(&mut reader, ty)?;
            }
        }
        Ok(reader.rest)
    }

    /// Appends a row of NULLs.
    pub fn append_null(&mut self) {
        self.columns.iter_mut().for_each(|(_, cells)| cells.append_null());
    }

    /// The columns; the builder is empty afterwards.
    pub fn finish(&mut self) -> Vec<ArrayRef> {
        self.columns.iter_mut().map(|(_, cells)| cells.finish()).collect()
    }
}

impl Cells {
    fn append(&mut self, reader: &mut Reader<'_>, ty: &SqlType) -> Result<(), StateError> {
        match self {
            Cells::Boolean(b) => b.append_value(reader.take::<1>()? != [0]),
            Cells::Int(b) => b.append_value(i32::from_le_bytes(reader.take()?)),
            Cells::Time(b) => b.append_value(i32::from_le_bytes(reader.take()?)),
            Cells::Date(b) => b.append_value(i32::from_le_bytes(reader.take()?)),
            Cells::Long(b) => b.append_value(i64::from_le_bytes(reader.take()?)),
            Cells::Timestamp(b) => b.append_value(i64::from_le_bytes(reader.take()?)),
            Cells::Double(b) => b.append_value(f64::from_le_bytes(reader.take()?)),
            Cells::String(b) => b.append_value(std::str::from_utf8(reader.bytes()?).map_err(|_| damaged("text is not UTF-8"))?),
            Cells::Bytes(b) => b.append_value(reader.bytes()?),
            Cells::Other(b) => b.append(&reader.cell(ty)?).map_err(|e| damaged(&e.to_string()))?,
        }
        Ok(())
    }

    fn append_null(&mut self) {
        match self {
            Cells::Boolean(b) => b.append_null(),
            Cells::Int(b) => b.append_null(),
            Cells::Time(b) => b.append_null(),
            Cells::Date(b) => b.append_null(),
            Cells::Long(b) => b.append_null(),
            Cells::Timestamp(b) => b.append_null(),
            Cells::Double(b) => b.append_null(),
            Cells::String(b) => b.append_null(),
            Cells::Bytes(b) => b.append_null(),
            Cells::Other(b) => b.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Cells::Boolean(b) => Arc::new(b.finish()),
            Cells::Int(b) => Arc::new(b.finish()),
            Cells::Time(b) => Arc::new(b.finish()),
            Cells::Date(b) => Arc::new(b.finish()),
            Cells::Long(b) => Arc::new(b.finish()),
            Cells::Timestamp(b) => Arc::new(b.finish()),
            Cells::Double(b) => Arc::new(b.finish()),
            Cells::String(b) => Arc::new(b.finish()),
            Cells::Bytes(b) => Arc::new(b.finish()),
            Cells::Other(b) => b.finish(),
        }
    }
}
