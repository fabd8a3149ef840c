//! What can be wrong with the bytes of a record batch.

/// A record batch that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    /// Fewer bytes than the batch says it has; more may follow (a fetch cuts its last batch anywhere).
    #[error("record batch is cut off: {have} bytes of {need}")]
    Truncated {
        /// Bytes that are there.
        have: usize,
        /// Bytes needed.
        need: usize,
    },
    /// The message format is not version 2, the only one in use since Kafka 0.11.
    #[error("record batch has format version {0}, only version 2 can be read")]
    Magic(i8),
    /// The checksum does not match the content.
    #[error("record batch is damaged: its CRC is {stored:#010x}, the content has {computed:#010x}")]
    Crc {
        /// As written in the header.
        stored: u32,
        /// CRC-32C of the content.
        computed: u32,
    },
    /// A field contradicts the rest.
    #[error("record batch is malformed: {0}")]
    Malformed(&'static str),
    /// A codec number that the format does not define.
    #[error("record batch uses the unknown compression codec {0}")]
    Codec(i16),
    /// The codec refused the bytes.
    #[error("record batch cannot be decompressed ({codec}): {reason}")]
    Decompress {
        /// Name of the codec.
        codec: &'static str,
        /// Its own message.
        reason: String,
    },
    /// The content is larger than the reader allows.
    #[error("record batch decompresses to more than {limit} bytes")]
    TooLarge {
        /// The reader's limit in bytes.
        limit: usize,
    },
    /// The records do not fit into one batch.
    #[error("record batch would be larger than 2 GiB")]
    Full,
}
