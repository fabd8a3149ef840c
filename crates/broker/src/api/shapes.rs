//! The shapes of all served requests, field by field, as the protocol's message definitions have them.

use kafka_protocol::messages::ApiKey;

/// What a field is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A number, boolean or UUID of so many bytes.
    Fixed(usize),
    /// A string.
    Text,
    /// Bytes.
    Bytes,
    /// An array of plain values.
    Values(&'static Kind),
    /// An array of structures.
    Structures(&'static [Field]),
}

/// A field, and the versions that have it.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// What it is.
    pub kind: Kind,
    /// First version.
    pub since: i16,
    /// Last version.
    pub until: i16,
}

use Kind::{Bytes, Structures, Text};

const I8: Kind = Kind::Fixed(1);
const I16: Kind = Kind::Fixed(2);
const I32: Kind = Kind::Fixed(4);
const I64: Kind = Kind::Fixed(8);
const UUID: Kind = Kind::Fixed(16);
const NUMBERS: Kind = Kind::Values(&I32);
const TEXTS: Kind = Kind::Values(&Text);

const fn always(kind: Kind) -> Field {
    between(kind, 0, i16::MAX)
}

const fn since(kind: Kind, since: i16) -> Field {
    between(kind, since, i16::MAX)
}

const fn until(kind: Kind, until: i16) -> Field {
    between(kind, 0, until)
}

const fn between(kind: Kind, since: i16, until: i16) -> Field {
    Field { kind, since, until }
}

const TOPIC_AND_NUMBERS: &[Field] = &[always(Text), always(NUMBERS)];
const NAME_AND_VALUE: &[Field] = &[always(Text), always(Text)];
const NAME_AND_BYTES: &[Field] = &[always(Text), always(Bytes)];

const PRODUCE: &[Field] =
    &[since(Text, 3), always(I16), always(I32), always(Structures(&[always(Text), always(Structures(&[always(I32), always(Bytes)]))]))];

const FETCH: &[Field] = &[
    always(I32),
    always(I32),
    always(I32),
    since(I32, 3),
    since(I8, 4),
    since(I32, 7),
    since(I32, 7),
    always(Structures(&[
        always(Text),
        always(Structures(&[always(I32), since(I32, 9), always(I64), since(I32, 12), since(I64, 5), always(I32)])),
    ])),
    since(Structures(TOPIC_AND_NUMBERS), 7),
    since(Text, 11),
];

const LIST_OFFSETS: &[Field] =
    &[always(I32), since(I8, 2), always(Structures(&[always(Text), always(Structures(&[always(I32), since(I32, 4), always(I64)]))]))];

const METADATA: &[Field] = &[always(Structures(&[since(UUID, 10), always(Text)])), since(I8, 4), between(I8, 8, 10), since(I8, 8)];

const OFFSET_COMMIT: &[Field] = &[
    always(Text),
    since(I32, 1),
    since(Text, 1),
    since(Text, 7),
    between(I64, 2, 4),
    always(Structures(&[always(Text), always(Structures(&[always(I32), always(I64), since(I32, 6), always(Text)]))])),
];

const OFFSET_FETCH: &[Field] = &[
    until(Text, 7),
    until(Structures(TOPIC_AND_NUMBERS), 7),
    since(Structures(&[always(Text), since(Text, 9), since(I32, 9), always(Structures(TOPIC_AND_NUMBERS))]), 8),
    since(I8, 7),
];

const FIND_COORDINATOR: &[Field] = &[until(Text, 3), since(I8, 1), since(TEXTS, 4)];

const JOIN_GROUP: &[Field] = &[
    always(Text),
    always(I32),
    since(I32, 1),
    always(Text),
    since(Text, 5),
    always(Text),
    always(Structures(NAME_AND_BYTES)),
    since(Text, 8),
];

const SYNC_GROUP: &[Field] =
    &[always(Text), always(I32), always(Text), since(Text, 3), since(Text, 5), since(Text, 5), always(Structures(NAME_AND_BYTES))];

const HEARTBEAT: &[Field] = &[always(Text), always(I32), always(Text), since(Text, 3)];

const LEAVE_GROUP: &[Field] = &[always(Text), until(Text, 2), since(Structures(&[always(Text), always(Text), since(Text, 5)]), 3)];

const CREATE_TOPICS: &[Field] = &[
    always(Structures(&[
        always(Text),
        always(I32),
        always(I16),
        always(Structures(&[always(I32), always(NUMBERS)])),
        always(Structures(NAME_AND_VALUE)),
    ])),
    always(I32),
    since(I8, 1),
];

const DELETE_TOPICS: &[Field] = &[since(Structures(&[always(Text), always(UUID)]), 6), until(TEXTS, 5), always(I32)];

const DELETE_RECORDS: &[Field] = &[always(Structures(&[always(Text), always(Structures(&[always(I32), always(I64)]))])), always(I32)];

const ADD_PARTITIONS: &[Field] = &[always(Text), always(I64), always(I16), always(Structures(TOPIC_AND_NUMBERS))];

const TXN_OFFSET_COMMIT: &[Field] = &[
    always(Text),
    always(Text),
    always(I64),
    always(I16),
    since(I32, 3),
    since(Text, 3),
    since(Text, 3),
    always(Structures(&[always(Text), always(Structures(&[always(I32), always(I64), since(I32, 2), always(Text)]))])),
];

const DESCRIBE_CONFIGS: &[Field] = &[always(Structures(&[always(I8), always(Text), always(TEXTS)])), since(I8, 1), since(I8, 3)];

const ALTER_CONFIGS: &[Field] = &[always(Structures(&[always(I8), always(Text), always(Structures(NAME_AND_VALUE))])), always(I8)];

const INCREMENTAL_ALTER_CONFIGS: &[Field] =
    &[always(Structures(&[always(I8), always(Text), always(Structures(&[always(Text), always(I8), always(Text)]))])), always(I8)];

const CREATE_PARTITIONS: &[Field] =
    &[always(Structures(&[always(Text), always(I32), always(Structures(&[always(NUMBERS)]))])), always(I32), always(I8)];

/// The shape of an API's requests; `None` for those that are not read at all.
pub fn shape(key: ApiKey) -> Option<&'static [Field]> {
    Some(match key {
        ApiKey::Produce => PRODUCE,
        ApiKey::Fetch => FETCH,
        ApiKey::ListOffsets => LIST_OFFSETS,
        ApiKey::Metadata => METADATA,
        ApiKey::OffsetCommit => OFFSET_COMMIT,
        ApiKey::OffsetFetch => OFFSET_FETCH,
        ApiKey::FindCoordinator => FIND_COORDINATOR,
        ApiKey::JoinGroup => JOIN_GROUP,
        ApiKey::SyncGroup => SYNC_GROUP,
        ApiKey::Heartbeat => HEARTBEAT,
        ApiKey::LeaveGroup => LEAVE_GROUP,
        ApiKey::DescribeGroups => const { &[always(TEXTS), since(I8, 3)] },
        ApiKey::ListGroups => const { &[since(TEXTS, 4), since(TEXTS, 5)] },
        ApiKey::DeleteGroups => const { &[always(TEXTS)] },
        ApiKey::OffsetDelete => const { &[always(Text), always(Structures(TOPIC_AND_NUMBERS))] },
        ApiKey::CreateTopics => CREATE_TOPICS,
        ApiKey::DeleteTopics => DELETE_TOPICS,
        ApiKey::CreatePartitions => CREATE_PARTITIONS,
        ApiKey::DeleteRecords => DELETE_RECORDS,
        ApiKey::InitProducerId => const { &[always(Text), always(I32), since(I64, 3), since(I16, 3)] },
        ApiKey::AddPartitionsToTxn => ADD_PARTITIONS,
        ApiKey::AddOffsetsToTxn => const { &[always(Text), always(I64), always(I16), always(Text)] },
        ApiKey::EndTxn => const { &[always(Text), always(I64), always(I16), always(I8)] },
        ApiKey::TxnOffsetCommit => TXN_OFFSET_COMMIT,
        ApiKey::DescribeConfigs => DESCRIBE_CONFIGS,
        ApiKey::AlterConfigs => ALTER_CONFIGS,
        ApiKey::IncrementalAlterConfigs => INCREMENTAL_ALTER_CONFIGS,
        ApiKey::DescribeLogDirs => const { &[always(Structures(TOPIC_AND_NUMBERS))] },
        ApiKey::DescribeCluster => const { &[always(I8), since(I8, 1)] },
        _ => return None,
    })
}
