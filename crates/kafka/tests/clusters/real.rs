//! Every scenario on Apache Kafka.

use flumen_kafka::ClientSettings;
use flumen_testing::Kafka;

use crate::SCENARIOS;

#[test]
fn every_scenario_on_apache_kafka() {
    let Some(kafka) = Kafka::start() else { return };
    let settings = ClientSettings::new(kafka.address());
    for (name, scenario) in SCENARIOS {
        println!("on Apache Kafka: {name}");
        scenario(&settings);
    }
}
