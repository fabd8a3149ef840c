//! Whether an answer tells of an error, in whatever part of it.

use kafka_protocol::messages::*;

/// An answer that can tell of errors.
pub trait Failed {
    /// Whether it does.
    fn failed(&self) -> bool;
}

/// Answers with one error code for all.
macro_rules! whole {
    ($($kind:ty),* $(,)?) => {$(
        impl Failed for $kind {
            fn failed(&self) -> bool {
                self.error_code != 0
            }
        }
    )*};
}

/// Answers with an error code in each element of a list, or of a list in each element of a list.
macro_rules! parts {
    ($($kind:ty => $list:ident $(/ $inner:ident)?),* $(,)?) => {$(
        impl Failed for $kind {
            fn failed(&self) -> bool {
                self.$list.iter().any(|part| parts!(@part part $($inner)?))
            }
        }
    )*};
    (@part $part:ident) => { $part.error_code != 0 };
    (@part $part:ident $inner:ident) => { $part.$inner.iter().any(|part| part.error_code != 0) };
}

whole!(
    ApiVersionsResponse,
    ConsumerGroupHeartbeatResponse,
    JoinGroupResponse,
    SyncGroupResponse,
    HeartbeatResponse,
    ListGroupsResponse,
    InitProducerIdResponse,
    AddOffsetsToTxnResponse,
    EndTxnResponse,
    DescribeClusterResponse,
);

parts!(
    ProduceResponse => responses / partition_responses,
    ListOffsetsResponse => topics / partitions,
    MetadataResponse => topics,
    CreateTopicsResponse => topics,
    DeleteTopicsResponse => responses,
    CreatePartitionsResponse => results,
    DeleteRecordsResponse => topics / partitions,
    DescribeConfigsResponse => results,
    AlterConfigsResponse => responses,
    IncrementalAlterConfigsResponse => responses,
    DescribeGroupsResponse => groups,
    DeleteGroupsResponse => results,
    OffsetCommitResponse => topics / partitions,
    TxnOffsetCommitResponse => topics / partitions,
    DescribeLogDirsResponse => results,
);

impl Failed for FetchResponse {
    fn failed(&self) -> bool {
        self.error_code != 0 || self.responses.iter().any(|topic| topic.partitions.iter().any(|p| p.error_code != 0))
    }
}

impl Failed for FindCoordinatorResponse {
    fn failed(&self) -> bool {
        self.error_code != 0 || self.coordinators.iter().any(|c| c.error_code != 0)
    }
}

impl Failed for LeaveGroupResponse {
    fn failed(&self) -> bool {
        self.error_code != 0 || self.members.iter().any(|m| m.error_code != 0)
    }
}

impl Failed for OffsetFetchResponse {
    fn failed(&self) -> bool {
        let of_groups =
            || self.groups.iter().any(|g| g.error_code != 0 || g.topics.iter().any(|t| t.partitions.iter().any(|p| p.error_code != 0)));
        self.error_code != 0 || self.topics.iter().any(|t| t.partitions.iter().any(|p| p.error_code != 0)) || of_groups()
    }
}

impl Failed for OffsetDeleteResponse {
    fn failed(&self) -> bool {
        self.error_code != 0 || self.topics.iter().any(|t| t.partitions.iter().any(|p| p.error_code != 0))
    }
}

impl Failed for AddPartitionsToTxnResponse {
    fn failed(&self) -> bool {
        self.results_by_topic_v3_and_below.iter().any(|t| t.results_by_partition.iter().any(|p| p.partition_error_code != 0))
    }
}
