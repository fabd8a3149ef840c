//! Records to rows: the keys, values, headers, timestamps and windows of a topic that users see.

mod headers;

use arrow::array::{ArrayRef, Int32Array, Int64Array};
use arrow::buffer::BooleanBuffer;
use flumen_formats::{Decoder, Presence, split_session_key, split_time_key};
use flumen_plan::{Node, NodeId, OnError, QueryPlan, SourceKind, SourceSpec};
use flumen_types::{Field, SqlType, Window, WindowKind, null_column};
use flumen_wire::RecordChunk;

use crate::chunk::{Origin, Windows, mask};
use crate::log::{RecordAt, Target};
use crate::needs::Needs;
use crate::operator::record_headers;
use crate::time_column::TimeColumn;
use crate::{Chunk, LogEntry, LogKind, RuntimeError};
use headers::HeaderColumns;

/// The property that makes records without a good timestamp stop a query instead of being left out.
const FAIL_ON_TIME: &str = "ksql.timestamp.throw.on.invalid";

/// Reads the records of one source. Columns that no operator reads are NULL and never built.
pub(crate) struct SourceReader {
    node: NodeId,
    spec: SourceSpec,
    keys: Side,
    values: Side,
    headers: HeaderColumns,
    time: Option<(bool, TimeColumn)>,
    /// A record without a good timestamp stops the query.
    fail_on_time: bool,
    origin: bool,
}

/// The key or the value of the records.
struct Side {
    decoder: Decoder,
    types: Vec<SqlType>,
    wanted: Vec<bool>,
}

impl Side {
    fn new(format: &flumen_types::FormatSpec, columns: &[(String, SqlType)], wanted: Vec<bool>) -> Result<Self, RuntimeError> {
        let fields: Vec<Field> = columns.iter().map(|(n, ty)| Field::new(n.clone(), ty.clone())).collect();
        let decoder = Decoder::new(format, &fields, &wanted)?;
        Ok(Side { decoder, types: columns.iter().map(|(_, ty)| ty.clone()).collect(), wanted })
    }

    /// All columns, NULL where not wanted.
    fn finish(&mut self) -> Vec<ArrayRef> {
        let rows = self.decoder.rows();
        let mut built = self.decoder.finish().into_iter();
        let column = |(ty, wanted): (&SqlType, &bool)| {
            let made = if *wanted { built.next() } else { None };
            made.unwrap_or_else(|| null_column(ty, rows))
        };
        self.types.iter().zip(&self.wanted).map(column).collect()
    }
}

/// Rows read, and which records they are.
pub(crate) struct Read {
    pub chunk: Chunk,
    /// The record each row was read from, ascending; `None` when every record gave a row.
    pub records: Option<Vec<u32>>,
}

impl SourceReader {
    pub fn new(node: &Node, spec: &SourceSpec, needs: &Needs, plan: &QueryPlan) -> Result<Self, RuntimeError> {
        let mut wanted = needs.columns(node);
        wanted.resize(spec.keys.len() + spec.values.len() + spec.headers.len(), false);
        let time = match &spec.timestamp {
            Some(column) => {
                let in_key = spec.keys.iter().any(|(name, _)| *name == column.column);
                let columns = if in_key { &spec.keys } else { &spec.values };
                Some((in_key, TimeColumn::new(column, columns)?))
            }
            None => None,
        };
        if let Some((in_key, time)) = &time {
            let at = if *in_key { time.index } else { spec.keys.len() + time.index };
            wanted[at] = true;
        }
        let header_wanted = wanted.split_off(spec.keys.len() + spec.values.len());
        let value_wanted = wanted.split_off(spec.keys.len());
        Ok(SourceReader {
            node: node.id,
            keys: Side::new(&spec.key_format, &spec.keys, wanted)?,
            values: Side::new(&spec.value_format, &spec.values, value_wanted)?,
            headers: HeaderColumns::new(&spec.headers, header_wanted),
            time,
            fail_on_time: plan.properties.get(FAIL_ON_TIME).is_some_and(|v| v.eq_ignore_ascii_case("true")),
            origin: needs.origin(node),
            spec: spec.clone(),
        })
    }

    /// A column gives the time of its records.
    pub fn has_time_column(&self) -> bool {
        self.time.is_some()
    }

    /// The times of these records as the column gives them; a record that gives no row keeps its own.
    ///
    /// # Errors
    /// As [`SourceReader::read`].
    pub fn times(&mut self, records: &RecordChunk) -> Result<Vec<i64>, RuntimeError> {
        let read = self.read(records, &mut Vec::new())?;
        let mut times = records.timestamps().to_vec();
        for (row, time) in read.chunk.timestamps.values().iter().enumerate() {
            let record = read.records.as_ref().map_or(Some(row), |r| r.get(row).map(|at| *at as usize));
            if let Some(slot) = record.and_then(|at| times.get_mut(at)) {
                *slot = *time;
            }
        }
        Ok(times)
    }

    /// The rows of these records; those that cannot be read or do not count are left out, the former with an entry.
    ///
    /// # Errors
    /// A record that cannot be read, where the source says to stop then.
    pub fn read(&mut self, records: &RecordChunk, log: &mut Vec<LogEntry>) -> Result<Read, RuntimeError> {
        let count = records.len();
        let mut marks = Marks::new(count);
        for row in 0..count {
            if let Err((target, reason)) = self.append(records, row, &mut marks) {
                self.refuse(records, row, Some(target), reason, log)?;
                marks.dropped[row] = true;
            }
        }
        let keys = self.keys.finish();
        let mut values = self.values.finish();
        values.extend(self.headers.columns(records, &marks.deleted)?);
        let mut timestamps = records.timestamps().to_vec();
        for row in (0..count).filter(|r| !marks.dropped[*r]).collect::<Vec<_>>() {
            if let (Some((in_key, time)), false) = (&self.time, marks.deleted[row]) {
                let columns = if *in_key { &keys } else { &values };
                match columns.get(time.index).map(|c| time.read(c, row)) {
                    Some(Ok(at)) => timestamps[row] = at,
                    failed => {
                        let reason = failed.and_then(Result::err).unwrap_or_default();
                        self.refuse(records, row, None, reason, log)?;
                        marks.dropped[row] = true;
                    }
                }
            } else if timestamps[row] < 0 {
                self.refuse(records, row, None, format!("the record's timestamp is negative: {}", timestamps[row]), log)?;
                marks.dropped[row] = true;
            }
        }
        let windows = self.spec.window.is_some().then(|| Windows {
            starts: marks.windows.iter().map(|w| w.start).collect::<Vec<i64>>().into(),
            ends: marks.windows.iter().map(|w| w.end).collect::<Vec<i64>>().into(),
        });
        let origin = self.origin.then(|| Origin {
            partitions: Int32Array::from_value(records.partition(), count),
            offsets: Int64Array::from(records.offsets().to_vec()),
        });
        let chunk = Chunk {
            keys,
            values,
            null_keys: mask(BooleanBuffer::from(marks.null_keys)),
            deleted: mask(BooleanBuffer::from(marks.deleted)),
            old: None,
            timestamps: Int64Array::from(timestamps),
            windows,
            origin,
            headers: record_headers(records),
            ord: vec![0; count],
        };
        if !marks.dropped.contains(&true) {
            return Ok(Read { chunk, records: None });
        }
        let kept: Vec<u32> = (0..count as u32).filter(|r| !marks.dropped[*r as usize]).collect();
        Ok(Read { chunk: chunk.keep_rows(Some(kept.clone()))?, records: Some(kept) })
    }

    /// Decodes one record; on error the row is there with NULLs, to be left out.
    fn append(&mut self, records: &RecordChunk, row: usize, marks: &mut Marks) -> Result<(), (Target, String)> {
        let table = self.spec.kind == SourceKind::Table;
        let mut key = records.key(row);
        let mut failed = None;
        if let (Some(window), Some(bytes)) = (&self.spec.window, key) {
            let split = match (window.kind, window.size) {
                (WindowKind::Session, _) => split_session_key(bytes),
                (_, size) => split_time_key(bytes, size.unwrap_or(i64::MAX)),
            };
            match split {
                Ok((inner, bounds)) => {
                    key = Some(inner);
                    marks.windows[row] = bounds;
                }
                Err(error) => {
                    failed = Some((Target::Key, error.to_string()));
                    key = None;
                }
            }
        }
        match self.keys.decoder.append(key) {
            Ok(Presence::Value) => {}
            Ok(Presence::Null) => {
                marks.null_keys[row] = !self.spec.keys.is_empty();
                marks.dropped[row] = table;
            }
            Err(error) => {
                self.keys.decoder.append_null();
                failed = failed.or(Some((Target::Key, error.to_string())));
            }
        }
        match self.values.decoder.append(records.value(row)) {
            Ok(presence) => marks.deleted[row] = presence == Presence::Null,
            Err(error) => {
                self.values.decoder.append_null();
                failed = failed.or(Some((Target::Value, error.to_string())));
            }
        }
        failed.map_or(Ok(()), Err)
    }

    fn refuse(
        &self,
        records: &RecordChunk,
        row: usize,
        target: Option<Target>,
        reason: String,
        log: &mut Vec<LogEntry>,
    ) -> Result<(), RuntimeError> {
        let (topic, partition, offset) = (records.topic().to_string(), records.partition(), records.offset(row));
        if self.spec.on_error == OnError::Fail || (target.is_none() && self.fail_on_time) {
            return Err(RuntimeError::Record { topic, partition, offset, reason });
        }
        let (key, value) = (records.key(row).map(<[u8]>::to_vec), records.value(row).map(<[u8]>::to_vec));
        let kind = if target.is_some() { LogKind::Deserialization } else { LogKind::Processing };
        let record = Some(RecordAt { topic, partition, offset, key, value });
        log.push(LogEntry { node: self.node, kind, target, reason, record });
        Ok(())
    }
}

/// What is found out about each record.
struct Marks {
    dropped: Vec<bool>,
    null_keys: Vec<bool>,
    deleted: Vec<bool>,
    windows: Vec<Window>,
}

impl Marks {
    fn new(rows: usize) -> Self {
        let none = || vec![false; rows];
        Marks { dropped: none(), null_keys: none(), deleted: none(), windows: vec![Window { start: 0, end: 0 }; rows] }
    }
}
