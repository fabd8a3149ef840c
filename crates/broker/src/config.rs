//! What can be set about a broker.

use std::{net::SocketAddr, path::PathBuf, time::Duration};

/// Settings of a broker.
#[derive(Clone, Debug)]
pub struct BrokerConfig {
    /// Where everything is kept; made if it is not there.
    pub data_dir: PathBuf,
    /// Address to listen on; port 0 takes any free one. There is no authentication: anything but loopback is open to the network.
    pub listen: SocketAddr,
    /// Host and port told to clients, if they differ from the address listened on.
    pub advertised: Option<(String, u16)>,
    /// Whether asking for an unknown topic makes it, if the client allows that too.
    pub auto_create_topics: bool,
    /// Partitions of a topic made without saying how many.
    pub default_partitions: i32,
    /// The logs.
    pub log: LogSettings,
    /// Consumer groups.
    pub groups: GroupSettings,
    /// Transactions.
    pub transactions: TransactionSettings,
    /// Bounds on what clients may ask for.
    pub limits: Limits,
}

impl BrokerConfig {
    /// Kafka's defaults, listening on any free port of the loopback address.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            advertised: None,
            auto_create_topics: true,
            default_partitions: 1,
            log: LogSettings::default(),
            groups: GroupSettings::default(),
            transactions: TransactionSettings::default(),
            limits: Limits::default(),
        }
    }
}

/// How logs are kept. Settings of single topics are topic configs.
#[derive(Clone, Copy, Debug)]
pub struct LogSettings {
    /// Bytes of log between two entries of the sparse index.
    pub index_interval_bytes: u64,
    /// Bytes appended to a partition between two snapshots of its producers: what a start after a crash reads again at most.
    pub snapshot_interval_bytes: u64,
    /// How long a partition remembers an idempotent producer that writes nothing.
    pub producer_expiration: Duration,
    /// How often compacted topics are looked at.
    pub compaction_interval: Duration,
    /// Bytes a second that compaction reads and writes at most; 0 for no bound.
    pub compaction_bytes_per_second: u64,
    /// When what was written is on the disk.
    pub fsync: Fsync,
    /// Whether the machine went down under the last run: nothing that was not forced to the disk is believed. Found out at the start.
    pub(crate) power_lost: bool,
}

/// When what was written is on the disk, and so survives a loss of power. A crash of the process loses nothing either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fsync {
    /// When the operating system writes it, or a topic's `flush.messages` or `flush.ms` say so. Kafka's default.
    #[default]
    System,
    /// Before anything is acknowledged.
    Always,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            index_interval_bytes: 4096,
            snapshot_interval_bytes: 64 << 20,
            producer_expiration: Duration::from_secs(24 * 3600),
            compaction_interval: Duration::from_secs(10),
            compaction_bytes_per_second: 64 << 20,
            fsync: Fsync::System,
            power_lost: false,
        }
    }
}

/// How consumer groups behave.
#[derive(Clone, Copy, Debug)]
pub struct GroupSettings {
    /// How long the first member of an empty group waits for others.
    pub initial_rebalance_delay: Duration,
    /// Shortest session time-out a member may ask for.
    pub min_session_timeout: Duration,
    /// Longest session time-out a member may ask for.
    pub max_session_timeout: Duration,
    /// Most bytes of metadata with a committed offset.
    pub max_offset_metadata: usize,
    /// How long the offsets of a group without members are kept.
    pub offsets_retention: Duration,
}

impl Default for GroupSettings {
    fn default() -> Self {
        Self {
            initial_rebalance_delay: Duration::from_millis(100),
            min_session_timeout: Duration::from_millis(500),
            max_session_timeout: Duration::from_secs(1800),
            max_offset_metadata: 4096,
            offsets_retention: Duration::from_secs(7 * 24 * 3600),
        }
    }
}

/// How transactions behave.
#[derive(Clone, Copy, Debug)]
pub struct TransactionSettings {
    /// Longest `transaction.timeout.ms` a producer may ask for.
    pub max_timeout: Duration,
    /// How long a transactional id is remembered without use.
    pub id_expiration: Duration,
}

impl Default for TransactionSettings {
    fn default() -> Self {
        Self { max_timeout: Duration::from_secs(900), id_expiration: Duration::from_secs(7 * 24 * 3600) }
    }
}

/// Bounds that keep memory bounded whatever clients send.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at a time; more are closed at once.
    pub connections: usize,
    /// Bytes of one produce request.
    pub request_bytes: usize,
    /// Bytes of one request of any other kind.
    pub control_request_bytes: usize,
    /// Bytes of all produce requests being read or handled; more wait.
    pub inflight_request_bytes: usize,
    /// Bytes that all other requests being read or handled may take in memory; more wait. Apart, so that members of groups and consumers are
    /// served while producers that send much, or stop within a request, hold all of the other.
    pub inflight_control_bytes: usize,
    /// Bytes of records in one fetch response, the first batch apart.
    pub fetch_bytes: usize,
    /// Bytes of records in all fetch responses being made or sent; more wait.
    pub inflight_fetch_bytes: usize,
    /// How long a client may take to send a request it began, or to take an answer.
    pub stalled: Duration,
    /// How long a client may ask nothing: who is gone without a word keeps no connection.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 4096,
            request_bytes: 100 << 20,
            control_request_bytes: 8 << 20,
            inflight_request_bytes: 256 << 20,
            inflight_control_bytes: 64 << 20,
            fetch_bytes: 55 << 20,
            inflight_fetch_bytes: 256 << 20,
            stalled: Duration::from_secs(120),
            idle: Duration::from_secs(600),
        }
    }
}
