//! Where the rows of a push query go.

use flumen_runtime::Chunk;

/// How far a push query reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// From where `auto.offset.reset` says, and on until it is ended.
    Endless,
    /// From the oldest records to those that are there when it starts.
    ToTheEnd,
}

/// Why a push query's rows end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushEnd {
    /// Closed by TERMINATE or by the server.
    Closed,
    /// All that it was to read is read.
    Completed,
    /// The client did not read for too long.
    Stalled,
    /// The query failed; the text says why.
    Failed(String),
}

/// What became of rows that were offered.
#[derive(Debug)]
pub enum Offer {
    /// They are in the queue.
    Taken,
    /// There is no room; offer them again later.
    Full(Chunk),
    /// The client is gone: the query is to be stopped.
    Closed,
}

/// A bounded queue towards one client. Never blocks.
pub trait PushSink: Send {
    /// Offers rows.
    fn offer(&mut self, rows: Chunk) -> Offer;
    /// True when the client is gone.
    fn is_closed(&self) -> bool;
    /// Tells the client that no more rows come.
    fn end(&mut self, end: PushEnd);
}
