//! The fence of a commit: proof of membership that the broker checks when offsets are committed in a transaction.

use rdkafka::bindings as sys;
use std::{fmt, ptr::NonNull};

use crate::native::text;

/// Gives proof that this process still holds its leases.
pub trait Fence: Send + Sync {
    /// The membership as it is now, to be sent with the offsets of one transaction. Take it while the slots are known to be held, and
    /// send this very snapshot.
    ///
    /// # Errors
    /// If there is no membership. A commit must then not be tried: offsets sent without a membership are accepted by the broker unfenced.
    fn snapshot(&self) -> Result<GroupSnapshot, FenceLost>;
}

/// Why there is no proof of membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FenceLost {
    /// Not yet, or no longer, a member of the group: it will join again by itself.
    #[error("this node is not a member of the lease group now")]
    NotMember,
    /// The group gave up on this member; its slots may belong to others by now.
    #[error("this node's leases were lost: it did not answer the group in time")]
    AssignmentLost,
    /// Another process runs under the same instance id.
    #[error("another process took over this node's instance id in the lease group")]
    Fenced,
}

/// The group metadata of one moment: what was checked is what is sent.
pub struct GroupSnapshot {
    metadata: NonNull<sys::rd_kafka_consumer_group_metadata_t>,
    member_id: String,
    generation: i32,
}

// SAFETY: the metadata is a plain value, owned by the snapshot and only read.
unsafe impl Send for GroupSnapshot {}
// SAFETY: as above.
unsafe impl Sync for GroupSnapshot {}

impl GroupSnapshot {
    /// Takes ownership of `metadata` and checks it.
    ///
    /// # Safety
    /// `metadata` is null or owned by the caller, who does not use it again.
    pub(crate) unsafe fn checked(metadata: *mut sys::rd_kafka_consumer_group_metadata_t) -> Result<Self, FenceLost> {
        let metadata = NonNull::new(metadata).ok_or(FenceLost::NotMember)?;
        // SAFETY: live metadata, by the caller's promise; the member id is copied.
        let (member_id, generation) = unsafe {
            let member_id = text(sys::rd_kafka_consumer_group_metadata_member_id(metadata.as_ptr()));
            (member_id, sys::rd_kafka_consumer_group_metadata_generation_id(metadata.as_ptr()))
        };
        let snapshot = Self { metadata, member_id, generation };
        if snapshot.generation < 0 || snapshot.member_id.is_empty() { Err(FenceLost::NotMember) } else { Ok(snapshot) }
    }

    /// The id the group coordinator gave this member; never empty.
    pub fn member_id(&self) -> &str {
        &self.member_id
    }

    /// The generation of the group; never negative.
    pub fn generation(&self) -> i32 {
        self.generation
    }

    /// The metadata, valid while `self` lives.
    pub(crate) fn ptr(&self) -> *const sys::rd_kafka_consumer_group_metadata_t {
        self.metadata.as_ptr()
    }
}

impl fmt::Debug for GroupSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupSnapshot").field("member_id", &self.member_id).field("generation", &self.generation).finish()
    }
}

impl Drop for GroupSnapshot {
    fn drop(&mut self) {
        // SAFETY: the only owner.
        unsafe { sys::rd_kafka_consumer_group_metadata_destroy(self.metadata.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Metadata without a membership is what the client has before it joins; the broker would take it unfenced.
    #[test]
    fn metadata_without_a_membership_is_no_fence() {
        // SAFETY: makes metadata with generation -1 and no member, owned by the snapshot.
        let snapshot = unsafe { GroupSnapshot::checked(sys::rd_kafka_consumer_group_metadata_new(c"g".as_ptr())) };
        assert_eq!(snapshot.map(|s| s.generation()), Err(FenceLost::NotMember));
        // SAFETY: null is allowed.
        assert!(unsafe { GroupSnapshot::checked(std::ptr::null_mut()) }.is_err());
    }

    #[test]
    fn a_membership_is_kept_as_it_was() {
        // SAFETY: makes metadata owned by the snapshot; the strings are copied.
        let snapshot = unsafe {
            GroupSnapshot::checked(sys::rd_kafka_consumer_group_metadata_new_with_genid(
                c"g".as_ptr(),
                7,
                c"member".as_ptr(),
                c"i".as_ptr(),
            ))
        };
        let snapshot = snapshot.unwrap();
        assert_eq!((snapshot.generation(), snapshot.member_id()), (7, "member"));
    }
}
