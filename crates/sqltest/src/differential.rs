//! Random rows through representative queries: one by one, as one chunk of more than a thousand rows, and with a crash
//! after each, every topic must come out the same.
//!
//! The rows come from a fixed seed. They are hostile: keys and values are missing, tables get tombstones, times jump back
//! beyond every grace, some values do not read and some expressions fail.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::Mode;
use crate::case::{Body, Case};
use crate::run::run;

/// Rows of a case that runs in steps and as a chunk.
const MANY: usize = 2_400;
/// Rows of a case that crashes after each.
const FEW: usize = 150;

const SOURCES: [&str; 3] = [
    "CREATE STREAM s (k STRING KEY, id INT, v INT, d DOUBLE, t STRING, l ARRAY<INT>) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='JSON');",
    "CREATE TABLE u (k STRING PRIMARY KEY, city STRING, n INT) WITH (KAFKA_TOPIC='u', VALUE_FORMAT='JSON');",
    "CREATE TABLE i (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='i', VALUE_FORMAT='JSON');",
];

/// SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// True once in `times`.
    fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    fn or_null(&mut self, times: u64, value: Value) -> Value {
        if self.once_in(times) { Value::Null } else { value }
    }

    /// A time that mostly advances and sometimes is late, by a little or by much.
    fn time(&mut self, row: usize) -> u64 {
        let now = 100_000 + row as u64 * 400;
        match self.below(20) {
            0 => now - self.below(60_000),
            1..=4 => now - self.below(5_000),
            _ => now,
        }
    }

    fn stream_row(&mut self, row: usize) -> Value {
        let key = self.pick(&["a", "b", "c", "d", "e", "f"]);
        let list: Vec<u64> = (0..self.below(4)).map(|_| self.below(9)).collect();
        let value = json!({
            "id": self.below(12),
            "v": self.below(7) as i64 - 3,
            "d": self.below(1_000) as f64 / 8.0,
            "t": self.pick(&["x", "y", "z", "longer text"]),
            "l": list,
        });
        let mut value = self.or_null(25, value);
        if let Some(fields) = value.as_object_mut() {
            let name = self.pick(&["id", "v", "d", "t", "l", "none"]);
            if self.once_in(6) {
                fields.insert(name.to_string(), Value::Null);
            } else if self.once_in(30) {
                fields.insert("v".to_string(), json!("no number"));
            }
        }
        let key = self.or_null(20, json!(key));
        json!({ "topic": "s", "key": key, "value": value, "timestamp": self.time(row) })
    }

    fn table_row(&mut self, row: usize) -> Value {
        let timestamp = self.time(row);
        if self.once_in(2) {
            let value = json!({ "name": self.pick(&["one", "two", "three"]) });
            return json!({ "topic": "i", "key": self.below(12), "value": self.or_null(5, value), "timestamp": timestamp });
        }
        let city = json!(self.pick(&["p", "q", "r"]));
        let value = json!({ "city": self.or_null(10, city), "n": self.below(50) });
        let key = json!(self.pick(&["a", "b", "c", "d", "e", "f"]));
        json!({ "topic": "u", "key": self.or_null(20, key), "value": self.or_null(5, value), "timestamp": timestamp })
    }
}

/// A case of so many rows over all three sources.
fn case(name: &str, statements: &[&str], rows: usize) -> Case {
    let seed = name.bytes().fold(7, |seed: u64, b| seed.wrapping_mul(31).wrapping_add(u64::from(b)));
    let mut numbers = Numbers(seed);
    let inputs: Vec<Value> =
        (0..rows).map(|row| if numbers.once_in(2) { numbers.table_row(row) } else { numbers.stream_row(row) }).collect();
    let all: Vec<&str> = SOURCES.iter().chain(statements).copied().collect();
    let body = json!({ "name": name, "statements": all, "inputs": inputs });
    let body: Body = serde_json::from_str(&body.to_string()).unwrap();
    Case { file: "differential".to_string(), variant: None, body }
}

/// Each topic's records in order, as text.
fn topics(case: &Case, mode: Mode) -> BTreeMap<String, Vec<String>> {
    let actual = run(case, mode);
    assert!(actual.error.is_none(), "{} in mode {mode}: {:?}", case.body.name, actual.error);
    let mut topics: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for record in &actual.outputs {
        topics.entry(record.topic.clone()).or_default().push(serde_json::to_string(record).unwrap());
    }
    topics
}

fn same(case: &Case, modes: [Mode; 2]) {
    let [left, right] = modes.map(|mode| topics(case, mode));
    let name = &case.body.name;
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>(), "{name}: the topics in modes {modes:?}");
    assert!(left.contains_key("R"), "{name} writes nothing: {:?}", left.keys());
    for (topic, records) in &left {
        let others = &right[topic];
        let first = records.iter().zip(others).position(|(a, b)| a != b);
        if let Some(at) = first {
            panic!("{name}: record {at} of {topic}\n{}: {}\n{}: {}", modes[0], records[at], modes[1], others[at]);
        }
        assert_eq!(records.len(), others.len(), "{name}: the number of records of {topic} in modes {modes:?}");
    }
}

fn check(name: &str, statements: &[&str]) {
    let many = case(name, statements, MANY);
    assert!(many.body.inputs.iter().filter(|r| r.topic == "s").count() > 1_000);
    same(&many, [Mode::Straight, Mode::Chunk]);
    same(&case(name, statements, FEW), [Mode::Straight, Mode::Crash]);
}

#[test]
fn filters_and_projections() {
    check("filter", &["CREATE STREAM r AS SELECT k, 6 / v AS q, v * d AS p, UCASE(t) AS t, l[1] AS f FROM s WHERE d > 20 OR v IS NULL;"]);
    check("explode", &["CREATE STREAM r AS SELECT k, EXPLODE(l) AS x, EXPLODE(ARRAY[v, id]) AS y, t FROM s;"]);
    check("table filter", &["CREATE TABLE r AS SELECT k, city, n * 2 AS n FROM u WHERE n > 20;"]);
}

#[test]
fn new_keys() {
    check("partition", &["CREATE STREAM r AS SELECT t, k, v FROM s PARTITION BY t;"]);
    check(
        "chain",
        &[
            "CREATE STREAM by_id AS SELECT id, v, t FROM s WHERE v <> 0 PARTITION BY id;",
            "CREATE TABLE sums AS SELECT id, SUM(v) AS total FROM by_id GROUP BY id;",
            "CREATE TABLE r AS SELECT id, total FROM sums WHERE total > 0;",
        ],
    );
    check("inserts", &["CREATE STREAM r AS SELECT k, v FROM s WHERE v > 0;", "INSERT INTO r SELECT k, v * 10 AS v FROM s WHERE v < 0;"]);
}

#[test]
fn aggregates_of_streams() {
    check(
        "by key",
        &["CREATE TABLE r AS SELECT k, COUNT(*) AS n, SUM(v) AS total, AVG(d) AS mean, MIN(v) AS low, MAX(t) AS high FROM s GROUP BY k;"],
    );
    check(
        "by another column",
        &[
            "CREATE TABLE r AS SELECT t, COUNT(v) AS n, COLLECT_LIST(v) AS vs, COLLECT_SET(id) AS ids, LATEST_BY_OFFSET(v) AS last, TOPK(d, 3) AS top FROM s GROUP BY t HAVING SUM(v) > -5;",
        ],
    );
    check("by an expression that fails", &["CREATE TABLE r AS SELECT 6 / v AS q, COUNT(*) AS n FROM s GROUP BY 6 / v;"]);
}

#[test]
fn aggregates_of_tables() {
    check(
        "table groups",
        &["CREATE TABLE r AS SELECT city, COUNT(*) AS n, SUM(n) AS total, AVG(n) AS mean, COLLECT_LIST(k) AS ks FROM u GROUP BY city;"],
    );
    check(
        "filtered table groups",
        &["CREATE TABLE r AS SELECT city, COUNT(*) AS n FROM u WHERE n > 10 GROUP BY city HAVING COUNT(*) > 1;"],
    );
    check(
        "tables of tables",
        &[
            "CREATE TABLE c AS SELECT k, city, n FROM u WHERE n < 40;",
            "CREATE TABLE r AS SELECT city, SUM(n) AS total FROM c GROUP BY city;",
        ],
    );
}

#[test]
fn windows() {
    let window = |kind: &str, rest: &str| {
        format!("CREATE TABLE r AS SELECT k, COUNT(*) AS n, SUM(v) AS total FROM s WINDOW {kind} GROUP BY k{rest};")
    };
    for (name, kind, rest) in [
        ("tumbling", "TUMBLING (SIZE 10 SECONDS, GRACE PERIOD 4 SECONDS)", ""),
        ("hopping", "HOPPING (SIZE 10 SECONDS, ADVANCE BY 3 SECONDS, GRACE PERIOD 0 SECONDS)", " HAVING SUM(v) > 0"),
        ("session", "SESSION (3 SECONDS, GRACE PERIOD 2 SECONDS)", ""),
        ("long session", "SESSION (20 SECONDS)", ""),
        ("final tumbling", "TUMBLING (SIZE 10 SECONDS, GRACE PERIOD 2 SECONDS)", " EMIT FINAL"),
        ("final session", "SESSION (2 SECONDS, GRACE PERIOD 1 SECOND)", " EMIT FINAL"),
    ] {
        check(name, &[window(kind, rest).as_str()]);
    }
    check(
        "windows of another key",
        &[
            "CREATE TABLE r AS SELECT id, COUNT(*) AS n, LATEST_BY_OFFSET(t) AS t FROM s WINDOW TUMBLING (SIZE 5 SECONDS, GRACE PERIOD 3 SECONDS) GROUP BY id;",
        ],
    );
}

#[test]
fn joins() {
    check("left join", &["CREATE STREAM r AS SELECT s.k AS k, v, city, n FROM s LEFT JOIN u ON s.k = u.k;"]);
    check("inner join", &["CREATE STREAM r AS SELECT s.k AS k, v + n AS sum, city FROM s JOIN u ON s.k = u.k WHERE n > 10;"]);
    check("join of another key", &["CREATE STREAM r AS SELECT s.id AS id, k, name FROM s LEFT JOIN i ON s.id = i.id;"]);
    check("two joins", &["CREATE STREAM r AS SELECT s.id AS id, city, name FROM s JOIN u ON s.k = u.k LEFT JOIN i ON s.id = i.id;"]);
    check("groups of a join", &["CREATE TABLE r AS SELECT city, SUM(v) AS total FROM s JOIN u ON s.k = u.k GROUP BY city;"]);
}
