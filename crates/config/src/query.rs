//! What one query runs with: the server's values under the overrides of its session.

use crate::names::meaning;
use crate::reader::Reader;
use crate::{ConfigError, Effect, Scope, ServerConfig, table};
use std::collections::BTreeMap;
use std::time::Duration;

/// Where a query without a position starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetReset {
    /// At the oldest record.
    Earliest,
    /// At the first record after now.
    Latest,
}

/// What a failure may do to results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guarantee {
    /// A record may count twice.
    AtLeastOnce,
    /// Every record counts once.
    ExactlyOnce,
}

/// The settings of a query.
#[derive(Clone, Debug)]
pub struct QueryConfig {
    /// Where it starts.
    pub auto_offset_reset: OffsetReset,
    /// What a failure may do.
    pub guarantee: Guarantee,
    /// Time between commits.
    pub commit_interval: Duration,
    /// 0: every change is emitted; else the last per key and commit.
    pub cache_max_bytes: u64,
    /// How long a task waits for empty inputs; `None` never waits.
    pub max_task_idle: Option<Duration>,
    /// A record that cannot be read stops the query.
    pub fail_on_deserialization_error: bool,
    /// A bad timestamp column stops the query.
    pub fail_on_invalid_timestamp: bool,
    /// An error in an expression makes the whole column NULL.
    pub nested_error_set_null: bool,
    /// CAST of NULL to VARCHAR is NULL.
    pub cast_strings_preserve_nulls: bool,
    /// Wait before the first retry.
    pub retry_backoff_initial: Duration,
    /// Longest wait between retries.
    pub retry_backoff_max: Duration,
    /// Most elements of COLLECT_LIST; `None` is unlimited.
    pub collect_list_limit: Option<usize>,
    /// Most elements of COLLECT_SET; `None` is unlimited.
    pub collect_set_limit: Option<usize>,
    /// Key format where a statement names none.
    pub default_key_format: String,
    /// Value format where a statement names none.
    pub default_value_format: Option<String>,
    /// Whether a single value column is wrapped; `None` leaves it to the format.
    pub wrap_single_values: Option<bool>,
    /// Pull queries may read a whole table.
    pub pull_table_scan_enabled: bool,
    /// INSERT … VALUES is allowed.
    pub insert_values_enabled: bool,
    /// Variables are put into statements.
    pub variable_substitution_enabled: bool,
    overrides: BTreeMap<String, String>,
    frozen: BTreeMap<String, String>,
}

impl QueryConfig {
    /// Puts overrides, named with or without prefix, over the server's values.
    ///
    /// # Errors
    /// When a name is unknown or may not be overridden, or a value is not of its property's type.
    pub fn resolve(server: &ServerConfig, overrides: &BTreeMap<String, String>) -> Result<Self, ConfigError> {
        let mut checked = BTreeMap::new();
        for (name, value) in overrides {
            let (name, value) = server.check_override(name, value)?;
            checked.insert(name, value);
        }
        Self::read(&Reader::new(vec![&checked, server.values()]), checked.clone())
    }

    /// Reads back what [`frozen`](Self::frozen) gave when the query was made. What has been added since takes the server's
    /// value; names that are known no longer are left out.
    ///
    /// # Errors
    /// When a value is not of its property's type.
    pub fn thaw(server: &ServerConfig, frozen: &BTreeMap<String, String>) -> Result<Self, ConfigError> {
        let mut checked = BTreeMap::new();
        for (name, value) in frozen {
            if let Ok(meaning) = meaning(name) {
                checked.insert(meaning.name().to_owned(), meaning.check(value)?);
            }
        }
        Self::read(&Reader::new(vec![&checked, server.values()]), checked.clone())
    }

    pub(crate) fn read(values: &Reader<'_>, overrides: BTreeMap<String, String>) -> Result<Self, ConfigError> {
        let idle: i64 = values.number("ksql.streams.max.task.idle.ms")?;
        let cache = match values.text("ksql.streams.statestore.cache.max.bytes") {
            Some(_) => values.number("ksql.streams.statestore.cache.max.bytes")?,
            None => values.number("ksql.streams.cache.max.bytes.buffering")?,
        };
        Ok(Self {
            auto_offset_reset: match values.text("ksql.streams.auto.offset.reset") {
                Some("earliest") => OffsetReset::Earliest,
                _ => OffsetReset::Latest,
            },
            guarantee: match values.text("ksql.streams.processing.guarantee") {
                Some("at_least_once") | None => Guarantee::AtLeastOnce,
                Some(_) => Guarantee::ExactlyOnce,
            },
            commit_interval: values.millis("ksql.streams.commit.interval.ms")?,
            cache_max_bytes: cache,
            max_task_idle: u64::try_from(idle).ok().map(Duration::from_millis),
            fail_on_deserialization_error: values.flag("ksql.fail.on.deserialization.error"),
            fail_on_invalid_timestamp: values.flag("ksql.timestamp.throw.on.invalid"),
            nested_error_set_null: values.flag("ksql.nested.error.set.null"),
            cast_strings_preserve_nulls: values.flag("ksql.cast.strings.preserve.nulls"),
            retry_backoff_initial: values.millis("ksql.query.retry.backoff.initial.ms")?,
            retry_backoff_max: values.millis("ksql.query.retry.backoff.max.ms")?,
            collect_list_limit: limit(values.number("ksql.functions.collect_list.limit")?),
            collect_set_limit: limit(values.number("ksql.functions.collect_set.limit")?),
            default_key_format: values.string("ksql.persistence.default.format.key"),
            default_value_format: values.text("ksql.persistence.default.format.value").map(str::to_owned),
            wrap_single_values: values.text("ksql.persistence.wrap.single.values").map(|v| v == "true"),
            pull_table_scan_enabled: values.flag("ksql.query.pull.table.scan.enabled"),
            insert_values_enabled: values.flag("ksql.insert.into.values.enabled"),
            variable_substitution_enabled: values.flag("ksql.variable.substitution.enable"),
            frozen: query_properties().filter_map(|name| Some((name.to_owned(), values.text(name)?.to_owned()))).collect(),
            overrides,
        })
    }

    /// The overrides alone, by full name: what `EXPLAIN` shows as overridden.
    pub fn overrides(&self) -> &BTreeMap<String, String> {
        &self.overrides
    }

    /// Every setting that shapes a query, by full name, to be kept with its plan: a later change of the server's file does
    /// not change a running query.
    pub fn frozen(&self) -> &BTreeMap<String, String> {
        &self.frozen
    }
}

fn query_properties() -> impl Iterator<Item = &'static str> {
    table::all().filter(|p| p.scope == Scope::Query && p.effect == Effect::Used).map(|p| p.name)
}

/// Negative and the largest 32-bit number both mean that there is no limit.
fn limit(number: i64) -> Option<usize> {
    usize::try_from(number).ok().filter(|n| *n < i32::MAX as usize)
}
