//! Every request is answered in every version, also when it asks for something impossible.

use super::*;
use crate::{api::walk::tests::samples, config::BrokerConfig};
use std::collections::BTreeMap;

#[tokio::test]
async fn every_version_of_every_request_gets_an_answer() {
    let dir = tempfile::tempdir().unwrap();
    let node = Node::open(BrokerConfig::new(dir.path())).unwrap();
    let anywhere = std::net::SocketAddr::from(([127, 0, 0, 1], 9092));
    let connected = Connected { local: anywhere, peer: anywhere };
    for exists in [false, true] {
        for (key, version, body) in samples() {
            if exists {
                let _ = node.topics.create("topic", 3, BTreeMap::new());
            }
            let request = Request { key, version, correlation_id: 7, client_id: "test".into(), body: body.freeze() };
            match answer(&node, &connected, request).await {
                Ok(Some(_)) => {}
                // The samples want no answer to what cannot be taken.
                Err(Unanswered::Unasked) if key == ApiKey::Produce => {}
                other => panic!("{key:?} version {version}: {other:?}"),
            }
        }
    }
}
