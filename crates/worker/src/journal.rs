//! The processing log: one JSON record for every record or row that was skipped or lost a value.

use flumen_plan::QueryId;
use flumen_runtime::{LogEntry, LogKind, Target};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    level: &'static str,
    logger: String,
    time: i64,
    message: Message<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    #[serde(rename = "type")]
    kind: i32,
    deserialization_error: Option<Deserialization<'a>>,
    record_processing_error: Option<Processing<'a>>,
    production_error: Option<Production<'a>>,
    serialization_error: Option<Serialization<'a>>,
    kafka_streams_thread_error: Option<Thread<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Deserialization<'a> {
    target: &'static str,
    error_message: &'a str,
    record_b64: Option<String>,
    cause: [&'a str; 0],
    topic: Option<&'a str>,
    partition: Option<i32>,
    offset: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Processing<'a> {
    error_message: &'a str,
    record: Option<String>,
    cause: [&'a str; 0],
    topic: Option<&'a str>,
    partition: Option<i32>,
    offset: Option<i64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Production<'a> {
    error_message: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Serialization<'a> {
    target: &'static str,
    error_message: &'a str,
    record: Option<String>,
    cause: [&'a str; 0],
    topic: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Thread<'a> {
    error_message: &'a str,
    thread_name: Option<&'a str>,
    cause: [&'a str; 0],
}

/// The record of an entry. `rows`: the record or row itself may be shown.
pub(crate) fn record(query: &QueryId, entry: &LogEntry, rows: bool, now: i64) -> Vec<u8> {
    let target = match entry.target {
        Some(Target::Key) => "key",
        _ => "value",
    };
    let error_message = entry.reason.as_str();
    let at = entry.record.as_ref();
    let topic = at.map(|r| r.topic.as_str());
    let (partition, offset) = (at.map(|r| r.partition), at.map(|r| r.offset));
    let bytes = at.and_then(|r| if entry.target == Some(Target::Key) { r.key.as_deref() } else { r.value.as_deref() });
    let bytes = bytes.filter(|_| rows);
    let text = || bytes.map(|b| String::from_utf8_lossy(b).into_owned());
    let mut message = Message {
        kind: entry.kind.number(),
        deserialization_error: None,
        record_processing_error: None,
        production_error: None,
        serialization_error: None,
        kafka_streams_thread_error: None,
    };
    match entry.kind {
        LogKind::Deserialization => {
            let record_b64 = bytes.map(base64);
            message.deserialization_error =
                Some(Deserialization { target, error_message, record_b64, cause: [], topic, partition, offset });
        }
        LogKind::Processing => {
            message.record_processing_error = Some(Processing { error_message, record: text(), cause: [], topic, partition, offset });
        }
        LogKind::Production => message.production_error = Some(Production { error_message }),
        LogKind::Serialization => {
            message.serialization_error = Some(Serialization { target, error_message, record: text(), cause: [], topic });
        }
        LogKind::Thread => message.kafka_streams_thread_error = Some(Thread { error_message, thread_name: None, cause: [] }),
    }
    let logger = format!("processing.{query}.node-{}", entry.node.0);
    // Strings, numbers and options always have a JSON form.
    serde_json::to_vec(&Entry { level: "ERROR", logger, time: now, message }).unwrap_or_default()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let number = group.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - group.len()));
        for digit in 0..4 {
            let at = (number >> (18 - 6 * digit) & 63) as usize;
            out.push(if digit <= group.len() { char::from(DIGITS[at]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_plan::NodeId;
    use flumen_runtime::RecordAt;

    #[test]
    fn a_malformed_record_is_told_with_its_place() {
        let at = RecordAt { topic: "t".into(), partition: 3, offset: 9, key: None, value: Some(b"{oops".to_vec()) };
        let entry = LogEntry {
            node: NodeId(0),
            kind: LogKind::Deserialization,
            target: Some(Target::Value),
            reason: "not JSON".into(),
            record: Some(at),
        };
        let query = QueryId("CSAS_A_1".into());
        let text = String::from_utf8(record(&query, &entry, true, 5)).unwrap();
        for part in [
            r#""logger":"processing.CSAS_A_1.node-0""#,
            r#""type":0,"deserializationError":{"target":"value","errorMessage":"not JSON","recordB64":"e29vcHM=","cause":[],"topic":"t","partition":3,"offset":9}"#,
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(!String::from_utf8(record(&query, &entry, false, 5)).unwrap().contains("e29v"));
    }

    #[test]
    fn base64_of_every_remainder() {
        assert_eq!((base64(b""), base64(b"f"), base64(b"fo"), base64(b"foo")), ("".into(), "Zg==".into(), "Zm8=".into(), "Zm9v".into()));
    }
}
