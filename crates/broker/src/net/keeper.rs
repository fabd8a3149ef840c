//! What is done by the clock: time-outs and retention.

use crate::node::Node;
use std::{sync::Arc, time::Duration};
use tokio::{sync::watch, time::MissedTickBehavior};

/// How exact time-outs are.
const TICK: Duration = Duration::from_millis(50);
/// Ticks between two rounds of slow work.
const SLOW: u32 = 20 * 60;

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
        if count.is_multiple_of(SLOW) {
            let node = node.clone();
            if tokio::task::spawn_blocking(move || node.tidy()).await.is_err() {
                tracing::error!("tidying the logs failed");
            }
        }
    }
}
