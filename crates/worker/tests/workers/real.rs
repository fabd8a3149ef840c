//! The same on Apache Kafka.

use crate::place::Place;
use crate::{recovery, stop};

#[test]
fn crashes_restores_and_ends_on_apache_kafka() {
    for scenario in [recovery::exactly_once, recovery::at_least_once, recovery::rebuilt, stop::stopped] {
        // A cluster each, since they use the same names.
        let Some(place) = Place::kafka() else { return };
        scenario(&place);
    }
}
