//! The stream over the processing log, made at the start where the server is told to.

use std::collections::BTreeMap;

use flumen_types::back_tick;

use crate::{Engine, EngineError, Session};

impl Engine {
    /// Makes the stream unless it is there. A failure is noted and no more: the queries do not need it.
    pub(crate) fn make_processing_log_stream(&self) {
        if let Err(error) = self.try_processing_log_stream() {
            tracing::warn!(%error, "the stream over the processing log is not made");
        }
    }

    fn try_processing_log_stream(&self) -> Result<(), EngineError> {
        let log = &self.config().processing_log;
        if !log.create_stream || self.catalog().source(&log.stream).is_some() {
            return Ok(());
        }
        let (name, topic) = (back_tick(&log.stream), log.topic.replace('\'', "''"));
        let text = format!(
            "CREATE STREAM {name} (LOGGER VARCHAR, LEVEL VARCHAR, TIME BIGINT, MESSAGE STRUCT<\
             `TYPE` INT, \
             DESERIALIZATIONERROR STRUCT<TARGET VARCHAR, ERRORMESSAGE VARCHAR, RECORDB64 VARCHAR, CAUSE ARRAY<VARCHAR>, `TOPIC` VARCHAR, \
             `PARTITION` INT, `OFFSET` BIGINT>, \
             RECORDPROCESSINGERROR STRUCT<ERRORMESSAGE VARCHAR, RECORD VARCHAR, CAUSE ARRAY<VARCHAR>, `TOPIC` VARCHAR, \
             `PARTITION` INT, `OFFSET` BIGINT>, \
             PRODUCTIONERROR STRUCT<ERRORMESSAGE VARCHAR>, \
             SERIALIZATIONERROR STRUCT<TARGET VARCHAR, ERRORMESSAGE VARCHAR, RECORD VARCHAR, CAUSE ARRAY<VARCHAR>, `TOPIC` VARCHAR>, \
             KAFKASTREAMSTHREADERROR STRUCT<ERRORMESSAGE VARCHAR, THREADNAME VARCHAR, CAUSE ARRAY<VARCHAR>>>) \
             WITH (KAFKA_TOPIC = '{topic}', KEY_FORMAT = 'KAFKA', VALUE_FORMAT = 'JSON', PARTITIONS = {}, REPLICAS = {});",
            log.partitions, log.replicas
        );
        let session = Session::new(self.config(), &BTreeMap::new(), &BTreeMap::new())?;
        match self.execute(&text, &session).error {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}
