//! The crate against brokers: every scenario on the embedded broker, and all of them on Apache Kafka where it can be started.

mod admin;
mod data;
mod down;
mod lease;
mod real;
mod support;
mod tail;
mod transactions;

use flumen_broker::{Broker, BrokerConfig};
use flumen_kafka::ClientSettings;

/// A test on any broker.
type Scenario = fn(&ClientSettings);

/// Declares the list of scenarios, and each as a test on an embedded broker of its own.
macro_rules! scenarios {
    ($($module:ident :: $name:ident),* $(,)?) => {
        const SCENARIOS: &[(&str, Scenario)] = &[$((stringify!($name), $module::$name)),*];
        mod embedded {
            $(#[test]
            fn $name() {
                super::on_embedded(super::$module::$name);
            })*
        }
    };
}

scenarios![
    admin::topics_are_made_described_grown_and_deleted,
    admin::what_is_wrong_is_typed,
    admin::offsets_by_end_and_by_time,
    admin::deleted_records_move_the_start,
    admin::groups_are_listed_described_and_deleted,
    data::records_come_back_as_they_were_sent,
    data::partitions_come_and_go,
    data::a_seek_replays,
    data::an_offset_outside_the_log_is_an_error_of_its_partition,
    transactions::only_committed_records_are_read,
    transactions::offsets_are_fenced_by_the_membership,
    transactions::committed_waits_for_an_open_transaction,
    transactions::a_second_producer_of_the_id_fences_the_first,
    transactions::an_abort_with_records_still_queued_leaves_the_producer_usable,
    tail::a_tail_ends_at_its_end_and_goes_on,
    tail::a_tail_waits_for_a_transaction_that_was_open,
    lease::one_member_gets_every_slot_and_keeps_them_over_a_restart,
    lease::two_members_share_and_revoked_slots_wait_for_their_release,
    lease::another_process_of_the_same_name_fences,
];

fn on_embedded(scenario: Scenario) {
    let dir = tempfile::tempdir().unwrap();
    let broker = Broker::start_in_thread(BrokerConfig::new(dir.path())).unwrap();
    scenario(&ClientSettings::new(broker.address().to_string()));
}
