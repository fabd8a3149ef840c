//! Accepting connections, as many as allowed.

use super::connection;
use crate::node::Node;
use std::{sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::watch, task::JoinSet};

/// Accepts until told to stop, then waits for the connections to end, at most as long as `grace`.
pub async fn listen(node: Arc<Node>, socket: TcpListener, mut stop: watch::Receiver<bool>, grace: Duration) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = socket.accept() => accepted,
            _ = stop.wait_for(|stopped| *stopped) => break,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, peer)) if connections.len() >= node.config.limits.connections => {
                tracing::warn!(%peer, limit = node.config.limits.connections, "too many connections, closing this one");
                node.counters.refused_connections.add(1);
                drop(stream);
            }
            Ok((stream, peer)) => {
                connections.spawn(connection::serve(node.clone(), stream, peer, stop.clone()));
            }
            Err(error) => {
                // Out of file descriptors, most likely: trying again at once would only burn time.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop(socket);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(grace, all_ended).await.is_err() {
        connections.shutdown().await;
    }
}
