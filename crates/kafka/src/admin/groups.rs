//! Consumer groups: list, describe, delete.

use super::{Admin, request::array};
use crate::{
    error::KafkaError,
    native::{borrowed_error, c_text, text},
};
use rdkafka::bindings::{self as sys, rd_kafka_admin_op_t as op};
use std::time::Duration;

/// A group as its coordinator describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupInfo {
    /// The group's state by Kafka's name for it, such as `Stable` or `Empty`; `Dead` if there is no such group.
    pub state: String,
    /// Its members.
    pub members: Vec<GroupMember>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// The id the coordinator gave it.
    pub member_id: String,
    /// Its own lasting name, if it has one.
    pub instance_id: Option<String>,
    /// The client id it runs under.
    pub client_id: String,
    /// Where it connects from.
    pub host: String,
}

impl Admin {
    /// The names of all groups.
    ///
    /// # Errors
    /// `Unavailable` if no broker answers in time; the first broker's error.
    pub fn list_groups(&self, timeout: Duration) -> Result<Vec<String>, KafkaError> {
        let operation = "list consumer groups";
        let event = self.request(operation, op::RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS, timeout, |client, options, queue| {
            // SAFETY: live objects.
            unsafe { sys::rd_kafka_ListConsumerGroups(client, options, queue) };
        })?;
        let (mut valid, mut failed) = (0, 0);
        // SAFETY: the answer is of this kind of request; what it points to lives as long as it, and texts are copied.
        unsafe {
            let result = sys::rd_kafka_event_ListConsumerGroups_result(event.ptr());
            if let Some(error) = array(sys::rd_kafka_ListConsumerGroups_result_errors(result, &raw mut failed), failed).first() {
                return Err(borrowed_error(operation, *error));
            }
            let groups = array(sys::rd_kafka_ListConsumerGroups_result_valid(result, &raw mut valid), valid);
            let mut names: Vec<_> = groups.iter().map(|group| text(sys::rd_kafka_ConsumerGroupListing_group_id(*group))).collect();
            names.sort();
            Ok(names)
        }
    }

    /// State and members of a group.
    ///
    /// # Errors
    /// `NotFound` if there is none of that name (some brokers answer with the state `Dead` instead).
    pub fn describe_group(&self, group: &str, timeout: Duration) -> Result<GroupInfo, KafkaError> {
        let operation = format!("describe consumer group '{group}'");
        let name = c_text(&operation, group)?;
        let mut names = [name.as_ptr()];
        let event = self.request(&operation, op::RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, timeout, |client, options, queue| {
            // SAFETY: live objects; one name, which the request copies.
            unsafe { sys::rd_kafka_DescribeConsumerGroups(client, names.as_mut_ptr(), 1, options, queue) };
        })?;
        let mut count = 0;
        // SAFETY: the answer is of this kind of request; what it points to lives as long as it, and texts are copied.
        unsafe {
            let result = sys::rd_kafka_event_DescribeConsumerGroups_result(event.ptr());
            let groups = array(sys::rd_kafka_DescribeConsumerGroups_result_groups(result, &raw mut count), count);
            let Some(group) = groups.first() else { return Ok(GroupInfo { state: "Dead".into(), members: Vec::new() }) };
            let error = sys::rd_kafka_ConsumerGroupDescription_error(*group);
            if !error.is_null() && sys::rd_kafka_error_code(error) as i32 != 0 {
                return Err(borrowed_error(&operation, error));
            }
            let state = text(sys::rd_kafka_consumer_group_state_name(sys::rd_kafka_ConsumerGroupDescription_state(*group)));
            let members = (0..sys::rd_kafka_ConsumerGroupDescription_member_count(*group)).map(|i| {
                let member = sys::rd_kafka_ConsumerGroupDescription_member(*group, i);
                let instance_id = text(sys::rd_kafka_MemberDescription_group_instance_id(member));
                GroupMember {
                    member_id: text(sys::rd_kafka_MemberDescription_consumer_id(member)),
                    instance_id: (!instance_id.is_empty()).then_some(instance_id),
                    client_id: text(sys::rd_kafka_MemberDescription_client_id(member)),
                    host: text(sys::rd_kafka_MemberDescription_host(member)),
                }
            });
            Ok(GroupInfo { state, members: members.collect() })
        }
    }

    /// Deletes a group and its offsets.
    ///
    /// # Errors
    /// `Invalid` if it has members; `NotFound`.
    pub fn delete_group(&self, group: &str, timeout: Duration) -> Result<(), KafkaError> {
        let operation = format!("delete consumer group '{group}'");
        let name = c_text(&operation, group)?;
        // SAFETY: a zero-terminated name, which is copied; the object is freed below.
        let mut doomed = unsafe { sys::rd_kafka_DeleteGroup_new(name.as_ptr()) };
        let answer = self.request(&operation, op::RD_KAFKA_ADMIN_OP_DELETEGROUPS, timeout, |client, options, queue| {
            // SAFETY: live objects; one element; the request copies it.
            unsafe { sys::rd_kafka_DeleteGroups(client, &raw mut doomed, 1, options, queue) };
        });
        // SAFETY: made above, not used after.
        unsafe { sys::rd_kafka_DeleteGroup_destroy(doomed) };
        let event = answer?;
        let mut count = 0;
        // SAFETY: the answer is of this kind of request; what it points to lives as long as it, and texts are copied.
        unsafe {
            let result = sys::rd_kafka_event_DeleteGroups_result(event.ptr());
            for group in array(sys::rd_kafka_DeleteGroups_result_groups(result, &raw mut count), count) {
                let error = sys::rd_kafka_group_result_error(*group);
                if !error.is_null() {
                    return Err(borrowed_error(&operation, error));
                }
            }
        }
        Ok(())
    }
}
