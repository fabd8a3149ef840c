//! The tours that newcomers of ksqlDB take, over HTTP, on the embedded broker and on Apache Kafka.

use serde_json::{Value, json};

use crate::http::{LINES, ksql, post, query, until};
use crate::process::Server;
use flumen_testing::Kafka;

/// Riders and where they are: profile, latitude, longitude.
const RIDERS: [(&str, f64, f64); 6] = [
    ("c2309eec", 37.7877, -122.4205),
    ("18f4ea86", 37.3903, -122.0643),
    ("4ab5cbad", 37.3952, -122.0813),
    ("8b6eae59", 37.3944, -122.0813),
    ("4a7c7b41", 37.4049, -122.0822),
    ("4ddad000", 37.7857, -122.4011),
];

async fn fine(url: &str, statements: &str) -> Value {
    let (status, answer) = ksql(url, statements).await;
    assert_eq!(status, 200, "{statements}: {answer}");
    answer
}

/// Where riders are, who is near, and a push query that is there before its rows.
async fn riders(url: &str) {
    let made = fine(
        url,
        "CREATE STREAM riderLocations (profileId VARCHAR, latitude DOUBLE, longitude DOUBLE)
           WITH (kafka_topic='locations', value_format='json', partitions=1);
         CREATE TABLE currentLocation AS
           SELECT profileId, LATEST_BY_OFFSET(latitude) AS la, LATEST_BY_OFFSET(longitude) AS lo
           FROM riderLocations GROUP BY profileId EMIT CHANGES;
         CREATE TABLE ridersNearMountainView AS
           SELECT ROUND(GEO_DISTANCE(la, lo, 37.4133, -122.1162), -1) AS distanceInMiles,
                  COLLECT_LIST(profileId) AS riders, COUNT(*) AS count
           FROM currentLocation GROUP BY ROUND(GEO_DISTANCE(la, lo, 37.4133, -122.1162), -1);",
    )
    .await;
    assert_eq!(made.as_array().map(Vec::len), Some(3), "{made}");
    assert_eq!(made[2]["commandStatus"]["status"], "SUCCESS");

    let near = "SELECT * FROM riderLocations WHERE GEO_DISTANCE(latitude, longitude, 37.4133, -122.1162) <= 5 EMIT CHANGES LIMIT 3;";
    let body = json!({"sql": near, "properties": {"auto.offset.reset": "earliest"}});
    let mut pushed = post(url, "/query-stream", LINES, body).await;
    assert!(pushed.chunk().await.expect("a head").is_some());
    for (profile, latitude, longitude) in RIDERS {
        let values = format!("VALUES ('{profile}', {latitude}, {longitude})");
        fine(url, &format!("INSERT INTO riderLocations (profileId, latitude, longitude) {values};")).await;
    }
    let rows = pushed.text().await.expect("rows");
    let expected = [r#"["4ab5cbad",37.3952,-122.0813]"#, r#"["8b6eae59",37.3944,-122.0813]"#, r#"["4a7c7b41",37.4049,-122.0822]"#];
    assert_eq!(rows.lines().collect::<Vec<_>>(), expected);

    let pull = "SELECT * FROM ridersNearMountainView WHERE distanceInMiles <= 10;";
    until(url, pull, &[r#"[0.0,["4ab5cbad","8b6eae59","4a7c7b41"],3]"#, r#"[10.0,["18f4ea86"],1]"#]).await;
    // A rider who moves leaves the old group: the list is taken back, not only added to.
    fine(url, "INSERT INTO riderLocations (profileId, latitude, longitude) VALUES ('8b6eae59', 37.3903, -122.0643);").await;
    until(url, pull, &[r#"[0.0,["4ab5cbad","4a7c7b41"],2]"#, r#"[10.0,["18f4ea86","8b6eae59"],2]"#]).await;
}

/// Two views of the calls of customers.
async fn calls(url: &str) {
    fine(
        url,
        "CREATE STREAM calls (name VARCHAR, reason VARCHAR, duration_seconds INT)
           WITH (kafka_topic='call-center', value_format='JSON', partitions=1);
         CREATE TABLE support_view AS
           SELECT name, COUNT_DISTINCT(reason) AS distinct_reasons, LATEST_BY_OFFSET(reason) AS last_reason
           FROM calls GROUP BY name EMIT CHANGES;
         CREATE TABLE lifetime_view AS
           SELECT name, COUNT(reason) AS total_calls, (SUM(duration_seconds) / 60) AS minutes_engaged
           FROM calls GROUP BY name EMIT CHANGES;",
    )
    .await;
    let calls = [("derek", "purchase", 180), ("michael", "help", 25), ("derek", "help", 600), ("derek", "help", 65)];
    for (name, reason, seconds) in calls {
        fine(url, &format!("INSERT INTO calls (name, reason, duration_seconds) VALUES ('{name}', '{reason}', {seconds});")).await;
    }
    until(url, "SELECT name, distinct_reasons, last_reason FROM support_view WHERE name = 'derek';", &[r#"["derek",2,"help"]"#]).await;
    until(url, "SELECT * FROM lifetime_view;", &[r#"["derek",3,14]"#, r#"["michael",1,0]"#]).await;
    let (status, text) = query(url, LINES, "SELECT * FROM support_view WHERE name = 'nobody';").await;
    assert_eq!((status, text.lines().count()), (200, 1), "{text}");
}

#[tokio::test]
async fn the_tours_on_the_embedded_broker() {
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &[]);
    riders(&server.url).await;
    calls(&server.url).await;
    assert!(server.stop().success());
}

#[tokio::test]
async fn the_tours_on_apache_kafka() {
    let Some(kafka) = Kafka::start() else { return };
    let data = tempfile::tempdir().expect("a folder");
    let server = Server::start(data.path(), &[&format!("bootstrap.servers={}", kafka.address())]);
    riders(&server.url).await;
    calls(&server.url).await;
    assert!(server.stop().success());
}
