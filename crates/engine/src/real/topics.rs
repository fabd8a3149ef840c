//! Topics of a Kafka cluster.

use std::sync::Arc;
use std::time::{Duration, Instant};

use flumen_kafka::{Admin, ClientSettings, ConsumerOptions, DataConsumer, ErrorKind as KafkaKind, Fetched, NewTopic, OffsetSpec, Start};
use flumen_wire::BatchBuilder;

use super::CALL;
use super::producers::Producers;
use crate::{EngineError, NewRecord, RawRecord, TopicFacts, TopicReader, TopicToMake, Topics};

/// Topics, and producers for single records.
pub(super) struct KafkaTopics {
    admin: Arc<Admin>,
    settings: ClientSettings,
    producers: Producers,
}

impl KafkaTopics {
    pub(super) fn new(admin: Arc<Admin>, settings: ClientSettings) -> Self {
        let producers = Producers::new(&settings);
        KafkaTopics { admin, settings, producers }
    }
}

fn facts(info: flumen_kafka::TopicInfo, retention_ms: Option<i64>) -> TopicFacts {
    TopicFacts { name: info.name, partitions: info.partitions, replicas: info.replication, retention_ms }
}

impl Topics for KafkaTopics {
    fn describe(&self, topic: &str) -> Result<Option<TopicFacts>, EngineError> {
        let Some(info) = self.admin.describe_topic(topic, CALL)? else { return Ok(None) };
        let configs = self.admin.topic_configs(topic, CALL)?;
        let retention = configs.get("retention.ms").and_then(|v| v.parse().ok()).filter(|ms| *ms >= 0);
        Ok(Some(facts(info, retention)))
    }

    fn list(&self) -> Result<Vec<TopicFacts>, EngineError> {
        Ok(self.admin.list_topics(CALL)?.into_iter().map(|t| facts(t, None)).collect())
    }

    fn create(&self, topic: &TopicToMake) -> Result<(), EngineError> {
        let new = NewTopic {
            name: topic.name.clone(),
            partitions: topic.partitions,
            replication: topic.replicas,
            configs: topic.configs.clone().into_iter().collect(),
        };
        self.admin.create_topic(&new, CALL)?;
        Ok(())
    }

    fn delete(&self, topic: &str) -> Result<(), EngineError> {
        for (_, outcome) in self.admin.delete_topics(&[topic], CALL)? {
            match outcome {
                Err(error) if error.kind == KafkaKind::NotFound => {}
                other => other?,
            }
        }
        Ok(())
    }

    fn produce(&self, topic: &str, partition: i32, record: &NewRecord<'_>) -> Result<(), EngineError> {
        let mut batch = BatchBuilder::new(topic.into(), partition);
        batch
            .push(record.key, record.value, record.timestamp, &[])
            .map_err(|e| EngineError::statement(format!("The row is too large: {e}")))?;
        self.producers.with(|producer| {
            producer.produce(&batch)?;
            Ok(producer.await_deliveries(Instant::now() + CALL)?)
        })
    }

    fn ends(&self, topic: &str) -> Result<Vec<(i64, i64)>, EngineError> {
        let Some(info) = self.admin.describe_topic(topic, CALL)? else { return Ok(Vec::new()) };
        let all = |spec: fn() -> OffsetSpec| (0..info.partitions).map(|p| (topic, p, spec())).collect::<Vec<_>>();
        let starts = self.admin.offsets(&all(|| OffsetSpec::Earliest), CALL)?;
        let ends = self.admin.offsets(&all(|| OffsetSpec::Latest), CALL)?;
        Ok(starts.into_iter().zip(ends).collect())
    }

    fn read(&self, topic: &str, from_beginning: bool) -> Result<Box<dyn TopicReader>, EngineError> {
        let info = self.admin.describe_topic(topic, CALL)?;
        let partitions = info.map_or(0, |i| i.partitions);
        let count = usize::try_from(partitions).unwrap_or(0);
        let mut consumer = DataConsumer::new(&self.settings, &ConsumerOptions::for_budget(8 << 20, count))?;
        let start = if from_beginning { Start::Earliest } else { Start::Latest };
        let wanted: Vec<_> = (0..partitions).map(|p| (topic, p, start)).collect();
        consumer.add(&wanted)?;
        Ok(Box::new(KafkaReader(consumer)))
    }

    fn check(&self) -> Result<(), EngineError> {
        Ok(self.admin.check(Duration::from_secs(3))?)
    }

    fn cluster_id(&self) -> Result<String, EngineError> {
        Ok(self.admin.cluster_id(CALL)?)
    }
}

struct KafkaReader(DataConsumer);

impl TopicReader for KafkaReader {
    fn read(&mut self) -> Result<Vec<RawRecord>, EngineError> {
        let mut records = Vec::new();
        for fetched in self.0.fetch(500, Duration::from_millis(200))? {
            match fetched {
                Fetched::Chunk(chunk) => records.extend((0..chunk.len()).map(|row| RawRecord {
                    partition: chunk.partition(),
                    offset: chunk.offset(row),
                    timestamp: chunk.timestamp(row),
                    key: chunk.key(row).map(<[u8]>::to_vec),
                    value: chunk.value(row).map(<[u8]>::to_vec),
                })),
                Fetched::Eof { .. } => {}
                Fetched::Error { error, .. } => return Err(error.into()),
            }
        }
        Ok(records)
    }
}
