//! A server whose engine does not come, as when Kafka is down.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use flumen_config::ServerConfig;
use flumen_engine::{EngineError, ErrorKind};
use flumen_server::{Server, ServerError};
use flumen_telemetry::Metrics;
use tokio::sync::oneshot;

fn config(listeners: &str) -> ServerConfig {
    ServerConfig::from_pairs([("listeners".to_owned(), listeners.to_owned())]).expect("a configuration")
}

async fn get(url: &str, path: &str) -> (u16, String) {
    let answer = reqwest::get(format!("{url}{path}")).await.expect("an answer");
    (answer.status().as_u16(), answer.text().await.expect("text"))
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_probes_answer_until_the_engine_is_there() {
    let server = Server::bind(config("http://127.0.0.1:0,http://127.0.0.1:0"), Metrics::new()).await.expect("a server");
    let urls = server.urls();
    let attempts = Arc::new(AtomicUsize::new(0));
    let counted = attempts.clone();
    let start = move || {
        counted.fetch_add(1, Ordering::SeqCst);
        Err(EngineError::new(ErrorKind::Unavailable, "no broker"))
    };
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(server.run(start, || panic!("it is not ready"), async {
        let _ = stopped.await;
    }));
    for url in &urls {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let (status, text) = get(url, "/info").await;
            assert_eq!(status, 503, "{text}");
            assert!(text.contains("50302"), "{text}");
            // The reason is there after the first attempt, and a second one follows.
            if text.contains("no broker") && attempts.load(Ordering::SeqCst) > 1 {
                break;
            }
            assert!(Instant::now() < deadline, "{text}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let (status, health) = get(url, "/healthcheck").await;
        assert_eq!(status, 200);
        assert!(health.contains("\"isHealthy\":false") && health.contains("INITIALIZING"), "{health}");
        assert_eq!(get(url, "/chc/live").await, (200, "{}".to_owned()));
        assert_eq!(get(url, "/chc/ready").await.0, 503);
        assert_eq!(get(url, "/metrics").await.0, 200);
        // A plain request is no WebSocket.
        assert_eq!(get(url, "/ws/query").await.0, 400);
    }
    stop.send(()).expect("the server runs");
    running.await.expect("an end").expect("a clean end");
    assert!(reqwest::get(format!("{}/chc/live", urls[0])).await.is_err());
}

#[tokio::test]
async fn what_cannot_be_listened_on_is_refused() {
    let bind = async |listeners: &str| Server::bind(config(listeners), Metrics::new()).await.err();
    assert!(matches!(bind("").await, Some(ServerError::Listener { .. })));
    assert!(matches!(bind("https://127.0.0.1:0").await, Some(ServerError::Listener { .. })));
    let server = Server::bind(config("http://127.0.0.1:0"), Metrics::new()).await.expect("a server");
    assert!(matches!(bind(&server.urls()[0]).await, Some(ServerError::Bind { .. })));
}
