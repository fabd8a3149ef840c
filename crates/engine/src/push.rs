//! Rows of a push query on their way to its client: a bounded queue between a worker thread and an async task.

use flumen_runtime::Chunk;
use flumen_worker::{Offer, PushEnd, PushSink};
use tokio::sync::mpsc;

/// What comes to the client.
#[derive(Debug)]
pub enum PushEvent {
    /// Rows in order.
    Rows(Chunk),
    /// No more rows.
    End(PushEnd),
}

/// The client's end; dropping it stops the query.
#[derive(Debug)]
pub struct PushRows {
    receiver: mpsc::Receiver<PushEvent>,
}

/// The query's end.
#[derive(Debug)]
pub struct PushSender {
    sender: mpsc::Sender<PushEvent>,
    end: Option<PushEnd>,
}

/// A queue of at most `chunks` chunks.
pub fn push_channel(chunks: usize) -> (PushSender, PushRows) {
    // One place more than for rows, so that the end always finds room.
    let (sender, receiver) = mpsc::channel(chunks.max(1) + 1);
    (PushSender { sender, end: None }, PushRows { receiver })
}

impl PushRows {
    /// The next event; `None` when the query is gone without a word.
    pub async fn next(&mut self) -> Option<PushEvent> {
        self.receiver.recv().await
    }
}

impl PushSink for PushSender {
    fn offer(&mut self, rows: Chunk) -> Offer {
        if self.sender.is_closed() {
            return Offer::Closed;
        }
        if self.sender.capacity() <= 1 {
            return Offer::Full(rows);
        }
        match self.sender.try_send(PushEvent::Rows(rows)) {
            Ok(()) => Offer::Taken,
            Err(mpsc::error::TrySendError::Full(PushEvent::Rows(rows))) => Offer::Full(rows),
            Err(_) => Offer::Closed,
        }
    }

    fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    fn end(&mut self, end: PushEnd) {
        if self.end.is_none() {
            // A full queue means that the client has gone or is being cut; it sees the queue end either way.
            let _ = self.sender.try_send(PushEvent::End(end.clone()));
            self.end = Some(end);
        }
    }
}
