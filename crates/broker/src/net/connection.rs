//! One connection: requests are read, answered and the answers sent, one after the other.

use super::frame::{self, API_LEN, FrameError};
use crate::{
    api::{self, Reply},
    node::{Connected, Node, Share},
};
use bytes::Bytes;
use kafka_protocol::messages::ApiKey;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpStream, tcp::OwnedWriteHalf},
    sync::watch,
};

/// Memory taken by a decoded request for each of its bytes, at worst, about.
const DECODED: usize = 32;

/// Serves a client until it goes, misbehaves, or the broker stops.
pub async fn serve(node: Arc<Node>, stream: TcpStream, peer: SocketAddr, mut stop: watch::Receiver<bool>) {
    let Ok(local) = stream.local_addr() else { return };
    let _counted = node.counters.connected();
    let _ = stream.set_nodelay(true);
    let connected = Connected { local, peer };
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::with_capacity(32 << 10, read);
    loop {
        // Waiting for a request, for memory or for data may be cut short at any time; nothing is half done then.
        let reply = tokio::select! {
            biased;
            reply = next_reply(&node, &connected, &mut read) => reply,
            _ = stop.wait_for(|stopped| *stopped) => return,
        };
        match reply {
            Ok(Some(reply)) => {
                let size = reply.bytes.len();
                if send(&mut write, reply, node.config.limits.stalled).await.is_err() {
                    return;
                }
                node.counters.response_bytes.add(size as u64);
            }
            Ok(None) => {}
            Err(Ended::Gone) => return,
            Err(Ended::Refused(reason)) => {
                tracing::warn!(%peer, reason, "closing a connection");
                return;
            }
        }
    }
}

/// Why a connection ends.
#[derive(Debug)]
enum Ended {
    /// The client went.
    Gone,
    /// The client sent something that cannot be answered.
    Refused(String),
}

impl From<io::Error> for Ended {
    fn from(_: io::Error) -> Self {
        Self::Gone
    }
}

impl From<FrameError> for Ended {
    fn from(error: FrameError) -> Self {
        Self::Refused(error.to_string())
    }
}

async fn next_reply(node: &Node, connected: &Connected, read: &mut (impl AsyncRead + Unpin)) -> Result<Option<Reply>, Ended> {
    let limits = &node.config.limits;
    let Ok(size) = tokio::time::timeout(limits.idle, read.read_i32()).await else { return Err(Ended::Gone) };
    let size = size?;
    let Ok(received) = tokio::time::timeout(limits.stalled, receive(node, size, read)).await else {
        return Err(Ended::Refused("a request came too slowly".into()));
    };
    let (bytes, share) = received?;
    node.counters.request_bytes.add(bytes.len() as u64 + 4);
    let request = frame::parse(bytes, api::is_supported)?;
    let name = format!("{:?} version {}", request.key, request.version);
    tracing::trace!(peer = %connected.peer, client = request.client_id, name, "request");
    let reply = api::answer(node, connected, request).await.map_err(|error| Ended::Refused(format!("{name}: {error}")))?;
    drop(share);
    Ok(reply)
}

async fn receive(node: &Node, size: i32, read: &mut (impl AsyncRead + Unpin)) -> Result<(Bytes, Share), Ended> {
    let limits = &node.config.limits;
    let size = frame::check_size(size, limits.request_bytes)?;
    let mut start = [0; API_LEN];
    read.read_exact(&mut start).await?;
    let (key, _) = frame::api(start)?;
    if key != ApiKey::Produce {
        frame::check_size(i32::try_from(size).unwrap_or(i32::MAX), limits.control_request_bytes)?;
    }
    // Decoded, a request of many small elements takes far more room than its bytes.
    let (memory, room) = match key {
        ApiKey::Produce => (&node.request_memory, size),
        _ => (&node.control_memory, size.saturating_mul(DECODED)),
    };
    let share = memory.take(room).await.ok_or(Ended::Gone)?;
    let mut bytes = Vec::with_capacity(size.min(1 << 20));
    bytes.extend_from_slice(&start);
    // Memory grows with what really comes, not with what was announced.
    let rest = (size - API_LEN) as u64;
    if read.take(rest).read_to_end(&mut bytes).await? as u64 != rest {
        return Err(Ended::Gone);
    }
    Ok((bytes.into(), share))
}

async fn send(write: &mut OwnedWriteHalf, reply: Reply, stalled: Duration) -> io::Result<()> {
    match tokio::time::timeout(stalled, write.write_all(&reply.bytes)).await {
        Ok(sent) => sent,
        Err(_) => Err(io::ErrorKind::TimedOut.into()),
    }
}

#[cfg(test)]
mod fuzz;
