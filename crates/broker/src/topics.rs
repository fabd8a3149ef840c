//! The topics: what they are called, how they are configured, and their partitions.

mod configs;
mod names;
mod partition;

pub use configs::{BROKER_CONFIGS, ConfigKind, Definition, TOPIC_CONFIGS, TopicConfig, check_value, definition};
pub use names::check_name;
pub use partition::{Partition, Waiter};

use crate::{
    codec::{Damaged, Input, Stored},
    config::LogSettings,
    datadir::DataDir,
    durable_map::DurableMap,
    error::BrokerError,
};
use kafka_protocol::ResponseError;
use parking_lot::{Mutex, RwLock};
use std::{
    collections::{BTreeMap, HashSet},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use uuid::Uuid;

/// Most partitions of a topic.
pub const MAX_PARTITIONS: i32 = 10_000;
const VERSION: u8 = 1;

/// What is stored of a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TopicRecord {
    id: Uuid,
    partitions: u32,
    configs: BTreeMap<String, String>,
}

impl Stored for TopicRecord {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        self.id.write(out);
        self.partitions.write(out);
        self.configs.iter().map(|(k, v)| (k.clone(), v.clone())).collect::<Vec<_>>().write(out);
    }
    fn read(input: &mut Input<'_>) -> Result<Self, Damaged> {
        input.version(VERSION)?;
        let (id, partitions) = (Uuid::read(input)?, u32::read(input)?);
        Ok(Self { id, partitions, configs: Vec::<(String, String)>::read(input)?.into_iter().collect() })
    }
}

/// A topic in use.
#[derive(Debug)]
pub struct Topic {
    name: String,
    id: Uuid,
    config: RwLock<Arc<TopicConfig>>,
    partitions: RwLock<Vec<Arc<Partition>>>,
}

impl Topic {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its id, which a topic of the same name made later does not share.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Its configs.
    pub fn config(&self) -> Arc<TopicConfig> {
        self.config.read().clone()
    }

    /// Its partitions in order.
    pub fn partitions(&self) -> Vec<Arc<Partition>> {
        self.partitions.read().clone()
    }

    /// How many partitions it has.
    pub fn partition_count(&self) -> usize {
        self.partitions.read().len()
    }

    /// One of them.
    pub fn partition(&self, index: i32) -> Option<Arc<Partition>> {
        self.partitions.read().get(usize::try_from(index).ok()?).cloned()
    }
}

/// All topics.
#[derive(Debug)]
pub struct Topics {
    folder: PathBuf,
    settings: LogSettings,
    /// Changes go one at a time, first to disk, then to `by_name`.
    records: Mutex<DurableMap<String, TopicRecord>>,
    by_name: RwLock<BTreeMap<String, Arc<Topic>>>,
}

impl Topics {
    /// Opens the topics of a data directory, recovers their logs and removes what deleted topics left.
    pub fn open(dir: &DataDir, settings: LogSettings) -> Result<Self, BrokerError> {
        let records = DurableMap::<String, TopicRecord>::open(dir.map("topics"), dir.fsync())?;
        let topics = Self { folder: dir.logs(), settings, records: Mutex::new(records), by_name: RwLock::default() };
        let known: Vec<_> = topics.records.lock().live().iter().map(|(n, r)| (n.clone(), r.clone())).collect();
        topics.remove_orphans(&known.iter().map(|(_, r)| r.id.to_string()).collect());
        for (name, record) in known {
            let opened = topics.open_topic(&name, &record).map_err(BrokerError::io("recover the topic", &name))?;
            topics.by_name.write().insert(name, opened);
        }
        Ok(topics)
    }

    /// The folder of all logs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The topic of this name.
    pub fn get(&self, name: &str) -> Option<Arc<Topic>> {
        self.by_name.read().get(name).cloned()
    }

    /// The topic with this id.
    pub fn get_by_id(&self, id: Uuid) -> Option<Arc<Topic>> {
        self.by_name.read().values().find(|t| t.id == id).cloned()
    }

    /// One partition of a topic.
    pub fn partition(&self, name: &str, index: i32) -> Option<Arc<Partition>> {
        self.by_name.read().get(name)?.partition(index)
    }

    /// All topics by name.
    pub fn all(&self) -> Vec<Arc<Topic>> {
        self.by_name.read().values().cloned().collect()
    }

    /// Makes a topic. Name, count and configs have been checked.
    pub fn create(&self, name: &str, partitions: i32, configs: BTreeMap<String, String>) -> Result<Arc<Topic>, ResponseError> {
        let partitions = u32::try_from(partitions).map_err(|_| ResponseError::InvalidPartitions)?;
        let mut records = self.records.lock();
        if records.get(&name.to_string()).is_some() {
            return Err(ResponseError::TopicAlreadyExists);
        }
        let record = TopicRecord { id: Uuid::new_v4(), partitions, configs };
        let topic = self.open_topic(name, &record).map_err(storage)?;
        records.commit(vec![(name.to_string(), Some(record))]).map_err(storage)?;
        self.by_name.write().insert(name.to_string(), topic.clone());
        Ok(topic)
    }

    /// Removes a topic with its records.
    pub fn delete(&self, name: &str) -> Result<Arc<Topic>, ResponseError> {
        let mut records = self.records.lock();
        let topic = self.get(name).ok_or(ResponseError::UnknownTopicOrPartition)?;
        records.commit(vec![(name.to_string(), None)]).map_err(storage)?;
        self.by_name.write().remove(name);
        drop(records);
        for partition in topic.partitions() {
            partition.wake();
        }
        let folder = self.topic_folder(topic.id);
        if folder.exists()
            && let Err(error) = std::fs::remove_dir_all(&folder)
        {
            // The next start tries again.
            tracing::warn!(folder = %folder.display(), %error, "cannot remove a deleted topic's folder");
        }
        Ok(topic)
    }

    /// Gives a topic more partitions. The count has been checked.
    pub fn grow(&self, name: &str, partitions: i32) -> Result<(), ResponseError> {
        let partitions = u32::try_from(partitions).map_err(|_| ResponseError::InvalidPartitions)?;
        let mut records = self.records.lock();
        let topic = self.get(name).ok_or(ResponseError::UnknownTopicOrPartition)?;
        let mut record = records.get(&name.to_string()).ok_or(ResponseError::UnknownTopicOrPartition)?.clone();
        let added = (record.partitions..partitions).map(|i| self.open_partition(record.id, i)).collect::<io::Result<Vec<_>>>();
        let added = added.map_err(storage)?;
        record.partitions = partitions;
        records.commit(vec![(name.to_string(), Some(record))]).map_err(storage)?;
        topic.partitions.write().extend(added);
        Ok(())
    }

    /// Replaces a topic's own configs, which have been checked, by what `change` makes of them.
    pub fn configure(
        &self,
        name: &str,
        change: impl FnOnce(&mut BTreeMap<String, String>) -> Result<(), ResponseError>,
    ) -> Result<(), ResponseError> {
        let mut records = self.records.lock();
        let topic = self.get(name).ok_or(ResponseError::UnknownTopicOrPartition)?;
        let mut record = records.get(&name.to_string()).ok_or(ResponseError::UnknownTopicOrPartition)?.clone();
        change(&mut record.configs)?;
        let config = Arc::new(TopicConfig::new(record.configs.clone()));
        records.commit(vec![(name.to_string(), Some(record))]).map_err(storage)?;
        *topic.config.write() = config;
        Ok(())
    }

    /// Closes all logs for a quick start.
    pub fn close(&self) {
        for topic in self.all() {
            for partition in topic.partitions() {
                partition.log().close();
            }
        }
    }

    fn open_topic(&self, name: &str, record: &TopicRecord) -> io::Result<Arc<Topic>> {
        let partitions = (0..record.partitions).map(|i| self.open_partition(record.id, i)).collect::<io::Result<Vec<_>>>()?;
        Ok(Arc::new(Topic {
            name: name.to_string(),
            id: record.id,
            config: RwLock::new(Arc::new(TopicConfig::new(record.configs.clone()))),
            partitions: RwLock::new(partitions),
        }))
    }

    fn open_partition(&self, topic: Uuid, index: u32) -> io::Result<Arc<Partition>> {
        Partition::open(self.topic_folder(topic).join(index.to_string()), self.settings).map(Arc::new)
    }

    fn topic_folder(&self, id: Uuid) -> PathBuf {
        self.folder.join(id.to_string())
    }

    fn remove_orphans(&self, known: &HashSet<String>) {
        for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let orphan = entry.file_name().to_str().is_some_and(|name| !known.contains(name) && name.parse::<Uuid>().is_ok());
            if orphan && let Err(error) = std::fs::remove_dir_all(entry.path()) {
                tracing::warn!(folder = %entry.path().display(), %error, "cannot remove a deleted topic's folder");
            }
        }
    }
}

/// The error code of a coordinator whose disk refuses: all clients try again, as with Kafka's coordinators.
pub fn coordinator_storage(error: io::Error) -> ResponseError {
    tracing::error!(%error, "the disk refuses");
    ResponseError::CoordinatorNotAvailable
}

/// The error code for a disk that refuses.
pub fn storage(error: io::Error) -> ResponseError {
    tracing::error!(%error, "the disk refuses");
    ResponseError::KafkaStorageError
}

#[cfg(test)]
mod tests;
