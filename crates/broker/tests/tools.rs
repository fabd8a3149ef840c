//! Kafka's own command-line tools against the broker, where Java and the tools are present.

use flumen_broker::{Broker, BrokerConfig};
use flumen_testing::kafka_script;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

struct Tools<'a> {
    script: PathBuf,
    folder: &'a Path,
    address: String,
}

impl Tools<'_> {
    /// Runs a tool; gives what it printed and whether it was content.
    fn run(&self, class: &str, arguments: &[&str]) -> (String, bool) {
        let class = format!("org.apache.kafka.tools.{class}");
        let output = Command::new(&self.script).arg("tool").arg(self.folder).arg(&class).args(arguments).output().unwrap();
        let text = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned()).concat();
        (text, output.status.success())
    }

    /// As [`Tools::run`] with the broker's address; the tool must succeed.
    fn ask(&self, class: &str, arguments: &[&str]) -> String {
        let (text, good) = self.run(class, &[&["--bootstrap-server", &self.address], arguments].concat());
        assert!(good, "{class} {arguments:?}: {text}");
        text
    }
}

#[test]
fn the_tools_of_kafka_work() {
    let Some(script) = kafka_script() else { return };
    let dir = tempfile::tempdir().unwrap();
    let broker = Broker::start_in_thread(BrokerConfig::new(dir.path().join("broker"))).unwrap();
    let tools = Tools { script, folder: dir.path(), address: broker.address().to_string() };
    tools.ask("TopicCommand", &["--create", "--topic", "t", "--partitions", "2", "--config", "retention.ms=5000000"]);
    tools.ask("TopicCommand", &["--alter", "--topic", "t", "--partitions", "3"]);
    let described = tools.ask("TopicCommand", &["--describe", "--topic", "t"]);
    assert!(described.contains("PartitionCount: 3") && described.contains("retention.ms=5000000"), "{described}");

    let topic = ["--entity-type", "topics", "--entity-name", "t"];
    tools.ask("ConfigCommand", &[&["--alter", "--add-config", "max.message.bytes=2000000"][..], &topic].concat());
    let configs = tools.ask("ConfigCommand", &[&["--describe"][..], &topic].concat());
    assert!(configs.contains("max.message.bytes=2000000") && configs.contains("retention.ms=5000000"), "{configs}");
    let wrong = ["--bootstrap-server", &tools.address, "--alter", "--add-config", "retention.ms=soon"];
    let (refused, good) = tools.run("ConfigCommand", &[&wrong[..], &topic].concat());
    assert!(!good && refused.contains("retention.ms"), "{refused}");

    let to = format!("bootstrap.servers={}", tools.address);
    let load = ["--topic", "t", "--num-records", "5000", "--record-size", "100", "--throughput", "-1"];
    let (sent, good) = tools.run("ProducerPerformance", &[&load[..], &["--producer-props", &to, "compression.type=lz4"]].concat());
    assert!(good && sent.contains("5000 records sent"), "{sent}");
    let transactional = ["--transactional-id", "x", "--transaction-duration-ms", "50", "--producer-props", &to];
    let (sent, good) = tools.run("ProducerPerformance", &[&load[..], &transactional].concat());
    assert!(good && sent.contains("5000 records sent"), "{sent}");

    let ends = tools.ask("GetOffsetShell", &["--topic", "t"]);
    let total: i64 = ends.lines().filter_map(|l| l.strip_prefix("t:")?.split_once(':')?.1.parse::<i64>().ok()).sum();
    assert!(total > 10_000, "the records and the markers of the transactions: {ends}");
    let latest = tools.ask("GetOffsetShell", &["--topic", "t", "--time", "-3"]);
    assert!(latest.contains("t:0:") && latest.contains("t:2:"), "{latest}");
    let read = tools.ask("ConsumerPerformance", &["--topic", "t", "--messages", "10000", "--group", "g", "--timeout", "60000"]);
    assert!(!read.contains("Exiting before consuming"), "{read}");

    let groups = "consumer.group.ConsumerGroupCommand";
    let described = tools.ask(groups, &["--describe", "--group", "g"]);
    assert!(described.contains("has no active members") && described.matches(" t ").count() == 3, "{described}");
    tools.ask(groups, &["--reset-offsets", "--to-earliest", "--topic", "t", "--group", "g", "--execute"]);
    tools.ask(groups, &["--delete-offsets", "--group", "g", "--topic", "t:0"]);
    tools.ask(groups, &["--delete", "--group", "g"]);
    let sizes = tools.ask("LogDirsCommand", &["--describe", "--topic-list", "t"]);
    assert!(sizes.contains("\"partition\":\"t-2\""), "{sizes}");
    tools.ask("TopicCommand", &["--delete", "--topic", "t"]);
    assert!(!tools.ask("TopicCommand", &["--list"]).lines().any(|l| l == "t"));
    broker.stop().unwrap();
}
