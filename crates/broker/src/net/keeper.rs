//! What is done by the clock: time-outs and retention.

use crate::node::Node;
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::MissedTickBehavior};

/// How exact time-outs are.
const TICK: Duration = Duration::from_millis(50);
/// Ticks of a second.
const SECOND: u32 = 20;
/// Ticks between two rounds of slow work.
const SLOW: u32 = 60 * SECOND;

/// Works until told to stop.
pub async fn keep(node: Arc<Node>, mut stop: watch::Receiver<bool>) {
    let mut ticks = tokio::time::interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut count = 0u32;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            _ = stop.wait_for(|stopped| *stopped) => return,
        }
        node.tick();
        count = count.wrapping_add(1);
        if count.is_multiple_of(SECOND) {
            let node = node.clone();
            let work = move || {
                node.flush();
                if count.is_multiple_of(SLOW) {
                    node.tidy();
                }
            };
            if tokio::task::spawn_blocking(work).await.is_err() {
                tracing::error!("tidying the logs failed");
            }
        }
    }
}
