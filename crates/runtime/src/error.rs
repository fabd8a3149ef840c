//! What can stop a task.

use flumen_expr::ExprError;
use flumen_formats::{EncodeError, FormatError};
use flumen_plan::PlanError;
use flumen_state::StateError;
use flumen_wire::columns::ChunkFull;
use thiserror::Error;

/// Why a task cannot be made or cannot go on. The texts are shown to users as they are.
#[derive(Debug, Clone, Error)]
pub enum RuntimeError {
    /// A correct plan that this version cannot execute; the text names the feature.
    #[error("unsupported: {0}")]
    Unsupported(String),
    /// A plan that contradicts itself.
    #[error("the query's plan cannot be executed: {0}")]
    Plan(String),
    /// An expression that cannot be evaluated at all.
    #[error(transparent)]
    Expression(ExprError),
    /// A format that cannot be used this way.
    #[error("{0}")]
    Format(String),
    /// A record that cannot be read, where the source's setting is to stop.
    #[error("record at offset {offset} of partition {partition} of topic {topic} cannot be read: {reason}")]
    Record {
        /// Topic of the record.
        topic: String,
        /// Its partition.
        partition: i32,
        /// Its offset.
        offset: i64,
        /// What is wrong with it.
        reason: String,
    },
    /// A row that cannot be written.
    #[error("a row cannot be written to {topic}: {reason}")]
    Write {
        /// The topic.
        topic: String,
        /// What is wrong.
        reason: String,
    },
    /// Bytes of an internal topic that this version does not read.
    #[error("damaged record in internal topic {topic}: {reason}")]
    Damaged {
        /// The topic.
        topic: String,
        /// What is wrong.
        reason: String,
    },
    /// A fault of the state stores.
    #[error(transparent)]
    State(#[from] StateError),
    /// Positions that cannot be written or read.
    #[error(transparent)]
    Positions(#[from] PlanError),
    /// More output than one step can hold.
    #[error("the output of one step is larger than 4 GiB: lower the number of records taken in one step")]
    TooLarge,
    /// A defect of an operator.
    #[error("internal error: {0}")]
    Internal(String),
}

impl From<ExprError> for RuntimeError {
    fn from(error: ExprError) -> Self {
        match error {
            ExprError::Unsupported(feature) => RuntimeError::Unsupported(feature),
            other => RuntimeError::Expression(other),
        }
    }
}

impl From<FormatError> for RuntimeError {
    fn from(error: FormatError) -> Self {
        match error {
            FormatError::Unsupported(_) => RuntimeError::Unsupported(error.to_string()),
            FormatError::Invalid(text) => RuntimeError::Format(text),
        }
    }
}

impl From<EncodeError> for RuntimeError {
    fn from(error: EncodeError) -> Self {
        RuntimeError::Internal(error.to_string())
    }
}

impl From<ChunkFull> for RuntimeError {
    fn from(_: ChunkFull) -> Self {
        RuntimeError::TooLarge
    }
}

impl From<arrow::error::ArrowError> for RuntimeError {
    fn from(error: arrow::error::ArrowError) -> Self {
        RuntimeError::Internal(error.to_string())
    }
}

impl RuntimeError {
    /// True for what a user asked for and this version lacks.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, RuntimeError::Unsupported(_))
    }
}
