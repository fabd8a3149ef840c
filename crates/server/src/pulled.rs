//! Rows of a pull query on their way from the thread that reads the state to the connection that sends them.
//!
//! The thread is a few batches ahead and no more, whatever the size of the table and however slowly the client reads.

use std::time::Duration;

use flumen_api::{ErrorBody, ErrorCode};
use flumen_engine::{PullRows, Rows};
use flumen_types::Schema;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::timeout;

use crate::answer::stalled;
use crate::app::App;
use crate::failure::Failure;

/// Batches that are read before the client takes the first of them.
const AHEAD: usize = 2;

/// The rows of a pull query whose first batch, or end, is there.
pub struct Pulled {
    /// The query's id.
    pub id: String,
    /// The columns.
    pub schema: Schema,
    first: Option<PulledNext>,
    rest: Receiver<PulledNext>,
}

/// What comes next.
pub enum PulledNext {
    Rows(PullRows),
    Failed(ErrorBody),
    End,
}

impl Pulled {
    /// Starts to read. What fails before the first row is the whole answer's failure.
    pub async fn begin(app: &App, rows: Rows) -> Result<Pulled, Failure> {
        let permit = app.pull_thread().await?;
        let (id, schema) = (rows.id().to_owned(), rows.schema().clone());
        let (sender, mut rest) = channel(AHEAD);
        let patience = app.config.push_stall_timeout;
        let runtime = Handle::current();
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            read(rows, sender, patience, &runtime);
        });
        match next(&mut rest).await {
            PulledNext::Failed(error) => Err(Failure(error)),
            first => Ok(Pulled { id, schema, first: Some(first), rest }),
        }
    }

    /// The next batch; after the end or a failure there is nothing more to ask for.
    pub async fn next(&mut self) -> PulledNext {
        match self.first.take() {
            Some(first) => first,
            None => next(&mut self.rest).await,
        }
    }
}

async fn next(rows: &mut Receiver<PulledNext>) -> PulledNext {
    rows.recv().await.unwrap_or_else(|| {
        // The thread says how it ends, unless it cannot.
        let text = "The server has failed at this query; its log says more";
        PulledNext::Failed(ErrorBody::generic(ErrorCode::SERVER_ERROR, text))
    })
}

/// Reads all rows, waiting at most `patience` for each batch to be taken.
fn read(rows: Rows, sender: Sender<PulledNext>, patience: Duration, runtime: &Handle) {
    let mut late = false;
    let outcome = rows.read(&mut |batch| match runtime.block_on(timeout(patience, sender.send(PulledNext::Rows(batch)))) {
        Ok(sent) => sent.is_ok(),
        Err(_) => {
            late = true;
            false
        }
    });
    let last = match outcome {
        Err(error) => PulledNext::Failed(Failure::from(error).0),
        Ok(()) if late => PulledNext::Failed(stalled()),
        Ok(()) => PulledNext::End,
    };
    // Waits until the client reads or goes, but not on this thread.
    runtime.spawn(async move { sender.send(last).await });
}
