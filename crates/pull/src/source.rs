//! Which rows to read: look-ups, ranges and scans of a store's partitions.

use std::ops::Bound;

use flumen_expr::Registry;
use flumen_plan::{KeyBounds, Operator, PullPlan, QueryPlan, names};
use flumen_state::{Backend, StateError, StoreRef, split_stored, split_window_key};
use flumen_types::{SqlType, Value, WindowKind, WindowSpec, encode_key};

use crate::PullError;

/// Where a pull query finds what it reads.
pub struct Tables<'a> {
    /// The plan of the query that keeps the table.
    pub plan: &'a QueryPlan,
    /// The committed state.
    pub backend: &'a dyn Backend,
    /// The partitions of the store: for each the stream time of the operator that owns it, as far as committed.
    pub partitions: Vec<Option<i64>>,
    /// The functions.
    pub registry: &'a Registry,
    /// The wall clock, in milliseconds.
    pub now_ms: i64,
    /// Seed of functions that are random.
    pub seed: u64,
}

/// A row as the store has it.
pub(crate) struct Stored {
    /// Memcomparable key.
    pub(crate) key: Vec<u8>,
    /// Start of its window, for a windowed store.
    pub(crate) start: Option<i64>,
    /// Stored value.
    pub(crate) value: Vec<u8>,
}

/// Takes rows; false when no more are wanted.
pub(crate) type Take<'t> = &'t mut dyn FnMut(&[Stored]) -> Result<bool, PullError>;

/// Gives the rows within the key and window bounds of all partitions, at most `batch` at a time. A key is in one partition
/// only.
pub(crate) fn read(pull: &PullPlan, tables: &Tables<'_>, batch: usize, take: Take<'_>) -> Result<(), PullError> {
    let name = names::store_name(&pull.query, &pull.store);
    let mut batches = Batches { rows: Vec::new(), batch, take, outcome: Ok(true) };
    let mut found = false;
    for (partition, stream_time) in tables.partitions.iter().enumerate() {
        let partition = u16::try_from(partition).map_err(|_| PullError::Plan(format!("partition {partition} is too large")))?;
        let Some(store) = tables.backend.find_store(&name, partition)? else { continue };
        found = true;
        if pull.limit == Some(0) {
            continue;
        }
        let expiry = stream_time.and_then(|time| Some(Expiry { spec: window_of(pull, tables)?, time }));
        read_partition(pull, tables.backend, store, &mut Partition { expiry, windowed: store.bucket_ms != 0, batches: &mut batches })?;
        if !batches.wanted() {
            break;
        }
    }
    batches.flush();
    match batches.outcome {
        Err(error) => Err(error),
        Ok(_) if !found => Err(PullError::NotHere(pull.source.clone())),
        Ok(_) => Ok(()),
    }
}

/// The window of the aggregation whose rows are kept.
fn window_of<'a>(pull: &PullPlan, tables: &Tables<'a>) -> Option<&'a WindowSpec> {
    let (_, spec) = tables.plan.store(&pull.store)?;
    match &tables.plan.node(spec.node)?.op {
        Operator::Aggregate { window, .. } => window.as_ref(),
        _ => None,
    }
}

/// Which windows are still kept: a store may have some beyond their retention, which nobody is to see.
struct Expiry<'a> {
    spec: &'a WindowSpec,
    /// Stream time.
    time: i64,
}

impl Expiry<'_> {
    fn keeps(&self, start: i64, value: &[u8]) -> Result<bool, StateError> {
        let WindowSpec { kind, size, advance, retention, .. } = *self.spec;
        let last_start = |step: i64| self.time.saturating_sub(self.time.rem_euclid(step.max(1)));
        // A session counts by its end, which is the time of its row; other windows by their start.
        let (at, newest) = match kind {
            WindowKind::Session => (split_stored(value)?.0, self.time),
            WindowKind::Tumbling => (start, last_start(size)),
            WindowKind::Hopping => (start, last_start(advance)),
        };
        Ok(at > newest.saturating_sub(retention))
    }
}

/// Rows on their way to who takes them.
struct Batches<'t> {
    rows: Vec<Stored>,
    batch: usize,
    take: Take<'t>,
    /// Whether more are wanted.
    outcome: Result<bool, PullError>,
}

impl Batches<'_> {
    fn wanted(&self) -> bool {
        matches!(self.outcome, Ok(true))
    }

    fn flush(&mut self) {
        if self.wanted() && !self.rows.is_empty() {
            self.outcome = (self.take)(&self.rows);
            self.rows.clear();
        }
    }

    /// Adds a row; true when more are wanted.
    fn add(&mut self, row: Stored) -> bool {
        self.rows.push(row);
        if self.rows.len() >= self.batch {
            self.flush();
        }
        self.wanted()
    }
}

/// One partition that is read.
struct Partition<'p, 't> {
    expiry: Option<Expiry<'p>>,
    windowed: bool,
    batches: &'p mut Batches<'t>,
}

impl Partition<'_, '_> {
    /// Takes a row as the store has it; true when more are wanted.
    fn visit(&mut self, key: &[u8], value: &[u8]) -> bool {
        match self.row(key, value) {
            Ok(Some(row)) => self.batches.add(row),
            Ok(None) => true,
            Err(error) => {
                self.batches.outcome = Err(error.into());
                false
            }
        }
    }

    fn row(&self, key: &[u8], value: &[u8]) -> Result<Option<Stored>, StateError> {
        let (key, start) = match self.windowed {
            true => split_window_key(key).map(|(key, start)| (key, Some(start)))?,
            false => (key, None),
        };
        if let (Some(expiry), Some(start)) = (&self.expiry, start)
            && !expiry.keeps(start, value)?
        {
            return Ok(None);
        }
        Ok(Some(Stored { key: key.to_vec(), start, value: value.to_vec() }))
    }
}

fn read_partition(pull: &PullPlan, backend: &dyn Backend, store: StoreRef, to: &mut Partition<'_, '_>) -> Result<(), PullError> {
    let types: Vec<&SqlType> = pull.stored.keys.iter().map(|(_, ty)| ty).collect();
    let (low, high) = match &pull.keys {
        KeyBounds::Lookup(keys) => {
            let (first, last) = (pull.windows.start_from.unwrap_or(i64::MIN), pull.windows.start_to.unwrap_or(i64::MAX));
            for key in keys {
                let key = encode_key(key, &types)?;
                if to.windowed {
                    backend.scan_windows(store, &key, first, last, &mut |k, value| to.visit(k, value))?;
                } else if let Some(value) = backend.get(store, &key)? {
                    to.visit(&key, &value);
                }
                if !to.batches.wanted() {
                    break;
                }
            }
            return Ok(());
        }
        KeyBounds::Range { low, high } => {
            // Longer than any window start behind the key: the filter decides about the edges themselves.
            let high = match edge(high, &types)? {
                Bound::Unbounded => Bound::Unbounded,
                Bound::Included(mut key) | Bound::Excluded(mut key) => {
                    key.extend([0xFF; 9]);
                    Bound::Included(key)
                }
            };
            (edge(low, &types)?, high)
        }
        KeyBounds::Scan => (Bound::Unbounded, Bound::Unbounded),
    };
    let bounds = (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice));
    Ok(backend.scan(store, bounds.0, bounds.1, &mut |k, value| to.visit(k, value))?)
}

/// An edge of a range as an inclusive bound of encoded keys.
fn edge(bound: &Bound<Value>, types: &[&SqlType]) -> Result<Bound<Vec<u8>>, PullError> {
    Ok(match bound {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(value) | Bound::Excluded(value) => Bound::Included(encode_key(std::slice::from_ref(value), types)?),
    })
}
