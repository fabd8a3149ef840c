//! Kafka record batches, read and written in place.

pub mod batch;
pub mod builder;
pub mod chunk;
pub mod columns;
pub mod compression;
pub mod error;
pub mod headers;
pub mod murmur2;
pub mod varint;

pub use batch::{Batch, BatchHeader, BatchWriter, Batches};
pub use builder::BatchBuilder;
pub use chunk::RecordChunk;
pub use columns::{ChunkFull, RecordColumns};
pub use compression::Compression;
pub use error::BatchError;
pub use headers::{HeaderIter, encode_headers};
pub use murmur2::{murmur2, partition_for};
