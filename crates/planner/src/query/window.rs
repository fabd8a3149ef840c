//! The WINDOW clause.

use flumen_parser::ast::{Interval, Window, WindowKind as Written};
use flumen_types::{WindowKind, WindowSpec};

use crate::PlanError;

/// The windows a clause describes, defaults filled in.
pub(crate) fn window_spec(window: &Window) -> Result<WindowSpec, PlanError> {
    let (kind, size, advance) = match &window.kind {
        Written::Tumbling { size } => (WindowKind::Tumbling, positive(size)?, positive(size)?),
        Written::Hopping { size, advance } => (WindowKind::Hopping, positive(size)?, positive(advance)?),
        Written::Session { gap } => (WindowKind::Session, positive(gap)?, positive(gap)?),
    };
    if advance > size {
        return Err(PlanError::user_at(
            window.span,
            "Hopping window advance interval should be greater than zero and at most the window's size.",
        ));
    }
    let grace = match &window.grace {
        Some(grace) => millis(grace)?,
        None => WindowSpec::default_grace(size),
    };
    let least = size.saturating_add(grace);
    let retention = match &window.retention {
        Some(retention) => {
            let asked = millis(retention)?;
            if asked < least {
                return Err(PlanError::user_at(
                    retention.span,
                    format!("The retention must be at least the window size plus the grace period, {least} ms. Got {asked} ms."),
                ));
            }
            asked
        }
        None => WindowSpec::default_retention(size, grace),
    };
    Ok(WindowSpec { kind, size, advance, grace, retention })
}

fn millis(interval: &Interval) -> Result<i64, PlanError> {
    interval.millis().ok_or_else(|| {
        PlanError::user_at(
            interval.span,
            "The length of a window must be given in MILLISECONDS, SECONDS, MINUTES, HOURS or DAYS and fit 64 bits of milliseconds.",
        )
    })
}

fn positive(interval: &Interval) -> Result<i64, PlanError> {
    match millis(interval)? {
        0 => Err(PlanError::user_at(interval.span, "Window size, advance and inactivity gap must be greater than zero.")),
        ms => Ok(ms),
    }
}
