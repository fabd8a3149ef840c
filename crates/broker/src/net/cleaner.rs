//! Compacting topics in the background.

use crate::node::Node;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{sync::watch, time::MissedTickBehavior};

/// Shortest time between two rounds.
const SHORTEST: Duration = Duration::from_millis(10);

/// Works until told to stop.
pub async fn clean(node: Arc<Node>, mut stop: watch::Receiver<bool>) {
    let mut rounds = tokio::time::interval(node.config.log.compaction_interval.max(SHORTEST));
    rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = rounds.tick() => {}
            _ = stop.wait_for(|stopped| *stopped) => return,
        }
        let ended = Arc::new(AtomicBool::new(false));
        let mut round = tokio::task::spawn_blocking({
            let (node, ended) = (node.clone(), ended.clone());
            move || node.compact(&ended)
        });
        let early = tokio::select! {
            done = &mut round => Some(done),
            _ = stop.wait_for(|stopped| *stopped) => None,
        };
        let done = match early {
            Some(done) => done,
            None => {
                ended.store(true, Ordering::Relaxed);
                round.await
            }
        };
        if done.is_err() {
            tracing::error!("compacting the logs failed");
        }
    }
}
