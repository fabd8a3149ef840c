//! Rows through an internal topic: written under the partition of their key, and read back.
//!
//! Record key: the key in its declared format, which decides the partition. Record value: version 1, a byte of flags, then
//! what the flags name (partition i32 and offset i64 of origin, window start and end i64, little-endian), the key columns,
//! the new and the old row as compact rows.

use std::sync::Arc;

use arrow::array::{BinaryBuilder, Int32Array, Int64Array};
use arrow::buffer::BooleanBuffer;
use flumen_formats::{Encoder, Presence};
use flumen_plan::RowSchema;
use flumen_state::{RowBuilder, RowCodec};
use flumen_types::{FormatSpec, SqlType};
use flumen_wire::{RecordChunk, partition_for};

use super::sink::{Batches, fields};
use super::{Builder, Context, Inputs, Operator};
use crate::chunk::{OldRows, Origin, Windows, mask};
use crate::outbox::Record;
use crate::{Chunk, RuntimeError};

const VERSION: u8 = 1;
const NULL_KEY: u8 = 1;
const NEW: u8 = 2;
const OLD: u8 = 4;
const ORIGIN: u8 = 8;
const WINDOW: u8 = 16;

fn codec(columns: &[(String, SqlType)]) -> RowCodec {
    RowCodec::new(columns.iter().map(|(_, ty)| ty.clone()).collect())
}

pub(super) struct Repartition {
    topic: Arc<str>,
    partitions: i32,
    own_partition: i32,
    key: Option<Encoder>,
    keys: RowCodec,
    values: RowCodec,
}

impl Repartition {
    pub fn new(builder: &Builder<'_>, topic: &str, key_format: &FormatSpec) -> Result<Self, RuntimeError> {
        let (name, partitions) = builder.repartition(topic)?;
        let schema = &builder.input(0)?.schema;
        Ok(Repartition {
            topic: name,
            partitions,
            own_partition: builder.settings.partition,
            key: match schema.keys.is_empty() {
                true => None,
                false => Some(Encoder::new(key_format, &fields(&schema.keys))?),
            },
            keys: codec(&schema.keys),
            values: codec(&schema.values),
        })
    }

    fn write_value(&self, chunk: &Chunk, row: usize, out: &mut Vec<u8>) {
        let old = chunk.old.as_ref().filter(|o| o.present.value(row));
        let mut flags = 0;
        let mut flag = |on: bool, bit: u8| flags |= if on { bit } else { 0 };
        flag(chunk.has_null_key(row), NULL_KEY);
        flag(!chunk.is_deleted(row), NEW);
        flag(old.is_some(), OLD);
        flag(chunk.origin.is_some(), ORIGIN);
        flag(chunk.windows.is_some(), WINDOW);
        out.extend([VERSION, flags]);
        if let Some(origin) = &chunk.origin {
            out.extend(origin.partitions.value(row).to_le_bytes());
            out.extend(origin.offsets.value(row).to_le_bytes());
        }
        if let Some(windows) = &chunk.windows {
            out.extend(windows.starts.value(row).to_le_bytes());
            out.extend(windows.ends.value(row).to_le_bytes());
        }
        self.keys.encode(&chunk.keys, row, out);
        if !chunk.is_deleted(row) {
            self.values.encode(&chunk.values, row, out);
        }
        if let Some(old) = old {
            self.values.encode(&old.values, row, out);
        }
    }
}

impl Operator for Repartition {
    fn process(&mut self, inputs: Inputs, ctx: &mut Context<'_>) -> Result<Option<Chunk>, RuntimeError> {
        let Some(chunk) = inputs.left else { return Ok(None) };
        let mut keys = self.key.as_ref().map(|k| k.bind(&chunk.keys)).transpose()?;
        let mut batches = Batches::new(&self.topic, true);
        let (mut key, mut value) = (Vec::new(), Vec::new());
        for (row, rank) in chunk.ord.iter().enumerate() {
            key.clear();
            let has_key = match &mut keys {
                Some(encoder) if !chunk.has_null_key(row) => encoder.encode(row, &mut key)? == Presence::Value,
                _ => false,
            };
            let partition = match has_key {
                true => partition_for(&key, self.partitions),
                false => self.own_partition % self.partitions.max(1),
            };
            value.clear();
            self.write_value(&chunk, row, &mut value);
            let record = Record {
                key: has_key.then_some(key.as_slice()),
                value: Some(&value),
                timestamp: chunk.timestamps.value(row),
                headers: chunk.raw_headers(row),
            };
            let batch = batches.of(partition, ctx);
            ctx.out.push(batch, &record, *rank)?;
        }
        Ok(None)
    }
}

/// Reads the rows of an internal topic.
pub(crate) struct RepartitionReader {
    keys: RowCodec,
    values: RowCodec,
    table: bool,
}

impl RepartitionReader {
    pub fn new(schema: &RowSchema, table: bool) -> Self {
        RepartitionReader { keys: codec(&schema.keys), values: codec(&schema.values), table }
    }

    /// The rows of these records, one each; their ranks are left empty.
    pub fn read(&self, records: &RecordChunk) -> Result<Chunk, RuntimeError> {
        let mut rows = Rows::new(self);
        for row in 0..records.len() {
            rows.read(records, row).map_err(|reason| RuntimeError::Damaged {
                topic: records.topic().to_string(),
                reason: format!("{reason} (partition {}, offset {})", records.partition(), records.offset(row)),
            })?;
        }
        Ok(rows.finish(records))
    }
}

/// Rows being read.
struct Rows {
    keys: RowBuilder,
    values: RowBuilder,
    /// Tables only.
    old: Option<RowBuilder>,
    flags: Vec<u8>,
    origin: (Vec<i32>, Vec<i64>),
    windows: (Vec<i64>, Vec<i64>),
}

impl Rows {
    fn new(reader: &RepartitionReader) -> Self {
        Rows {
            keys: RowBuilder::new(&reader.keys),
            values: RowBuilder::new(&reader.values),
            old: reader.table.then(|| RowBuilder::new(&reader.values)),
            flags: Vec::new(),
            origin: Default::default(),
            windows: Default::default(),
        }
    }

    fn read(&mut self, records: &RecordChunk, row: usize) -> Result<(), String> {
        let value = records.value(row).ok_or("it has no value")?;
        let (&[version, flags], mut rest) = value.split_first_chunk::<2>().ok_or("it is too short")?;
        if version != VERSION {
            return Err(format!("its version is {version}, not {VERSION}"));
        }
        if flags & ORIGIN != 0 {
            self.origin.0.push(i32::from_le_bytes(take(&mut rest)?));
            self.origin.1.push(i64::from_le_bytes(take(&mut rest)?));
        }
        if flags & WINDOW != 0 {
            self.windows.0.push(i64::from_le_bytes(take(&mut rest)?));
            self.windows.1.push(i64::from_le_bytes(take(&mut rest)?));
        }
        let damaged = |e: flumen_state::StateError| e.to_string();
        rest = self.keys.append(rest).map_err(damaged)?;
        match flags & NEW != 0 {
            true => rest = self.values.append(rest).map_err(damaged)?,
            false => self.values.append_null(),
        }
        match &mut self.old {
            Some(old) if flags & OLD != 0 => rest = old.append(rest).map_err(damaged)?,
            Some(old) => old.append_null(),
            None if flags & OLD != 0 => return Err("a stream's row has an old row".to_string()),
            None => {}
        }
        if !rest.is_empty() {
            return Err("bytes are left over".to_string());
        }
        self.flags.push(flags);
        Ok(())
    }

    fn finish(mut self, records: &RecordChunk) -> Chunk {
        let rows = self.flags.len();
        let bits = |bit: u8| BooleanBuffer::collect_bool(rows, |i| self.flags[i] & bit != 0);
        let (null_keys, new, present) = (bits(NULL_KEY), bits(NEW), bits(OLD));
        let origin = (self.origin.0.len() == rows && rows > 0).then(|| Origin {
            partitions: Int32Array::from(std::mem::take(&mut self.origin.0)),
            offsets: Int64Array::from(std::mem::take(&mut self.origin.1)),
        });
        let windows = (self.windows.0.len() == rows && rows > 0).then(|| Windows {
            starts: Int64Array::from(std::mem::take(&mut self.windows.0)),
            ends: Int64Array::from(std::mem::take(&mut self.windows.1)),
        });
        Chunk {
            keys: self.keys.finish(),
            values: self.values.finish(),
            null_keys: mask(null_keys),
            deleted: mask(!&new),
            old: self.old.map(|mut old| OldRows { values: old.finish(), present }),
            timestamps: Int64Array::from(records.timestamps().to_vec()),
            windows,
            origin,
            headers: headers(records),
            ord: Vec::new(),
        }
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], String> {
    let (head, tail) = rest.split_first_chunk::<N>().ok_or("it is too short")?;
    *rest = tail;
    Ok(*head)
}

/// The raw headers of records; `None` when none has any.
pub(crate) fn headers(records: &RecordChunk) -> Option<arrow::array::BinaryArray> {
    let columns = records.columns();
    let any = (0..records.len()).any(|row| columns.headers(row).next().is_some());
    any.then(|| {
        let mut out = BinaryBuilder::new();
        (0..records.len()).for_each(|row| out.append_value(columns.raw_headers(row)));
        out.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::Array;
    use flumen_plan::RowSchema;

    fn reader(table: bool) -> RepartitionReader {
        let column = |name: &str, ty| (name.to_string(), ty);
        let (keys, values) = (vec![column("K", SqlType::String)], vec![column("V", SqlType::Bigint)]);
        RepartitionReader::new(&RowSchema { keys, values, window: None }, table)
    }

    fn read(table: bool, value: &[u8]) -> Result<Chunk, RuntimeError> {
        let mut records = RecordChunk::new("t".into(), 3);
        records.push(7, None, Some(value), 5, &[]).unwrap();
        reader(table).read(&records)
    }

    #[test]
    fn the_bytes_are_frozen() {
        let change = [1, 6, 0, 1, b'a', 0, 2, 0, 0, 0, 0, 0, 0, 0, 1];
        let chunk = read(true, &change).unwrap();
        let old = chunk.old.unwrap();
        assert!(old.present.value(0) && old.values[0].is_null(0) && chunk.deleted.is_none());
        let located = [1, 27, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1, 1];
        let chunk = read(false, &located).unwrap();
        let (origin, windows) = (chunk.origin.as_ref().unwrap(), chunk.windows.as_ref().unwrap());
        assert_eq!((origin.partitions.value(0), origin.offsets.value(0)), (1, 2));
        assert_eq!((windows.starts.value(0), windows.ends.value(0)), (3, 4));
        assert!(chunk.has_null_key(0) && !chunk.is_deleted(0));
    }

    #[test]
    fn foreign_bytes_are_errors() {
        for bytes in [&[][..], &[1], &[2, 2, 0, 0], &[1, 2, 0, 1], &[1, 4, 1, 1], &[1, 0, 1, 9]] {
            let error = read(false, bytes).unwrap_err().to_string();
            assert!(error.contains("offset 7") && error.contains("topic t"), "{error}");
        }
    }
}
