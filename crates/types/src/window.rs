//! Window arithmetic: which windows a record belongs to, and when they are closed.

use serde::{Deserialize, Serialize};

/// The kind of window a key carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WindowKind {
    /// Fixed, not overlapping.
    Tumbling,
    /// Fixed size, overlapping by the advance.
    Hopping,
    /// Bounded by inactivity; both ends inclusive.
    Session,
}

impl WindowKind {
    /// Upper-case name, as properties and the API give it.
    pub fn name(self) -> &'static str {
        match self {
            WindowKind::Tumbling => "TUMBLING",
            WindowKind::Hopping => "HOPPING",
            WindowKind::Session => "SESSION",
        }
    }
}

/// Bounds of one window in milliseconds: `[start, end)` for time windows, `[start, end]` for sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Window {
    /// First instant in the window.
    pub start: i64,
    /// End of the window.
    pub end: i64,
}

/// What a windowed aggregate was declared with; all in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WindowSpec {
    /// Tumbling, hopping or session.
    pub kind: WindowKind,
    /// Window size; for sessions the inactivity gap.
    pub size: i64,
    /// Step between window starts; equals `size` for tumbling, unused for sessions.
    pub advance: i64,
    /// How long after a window's end late records are still taken.
    pub grace: i64,
    /// How long a window is kept in the store, at least `size + grace`.
    pub retention: i64,
}

/// Milliseconds of a day: the default of grace plus size, and the least retention.
pub const DAY_MS: i64 = 86_400_000;

impl WindowSpec {
    /// The grace a window has when none is given: 24 hours less its size, at least 0.
    pub fn default_grace(size: i64) -> i64 {
        (DAY_MS - size).max(0)
    }

    /// The retention a store has when none is given: size + grace, at least one day.
    pub fn default_retention(size: i64, grace: i64) -> i64 {
        size.saturating_add(grace).max(DAY_MS)
    }
}

/// Starts of the windows `[s, s + size)` that hold `timestamp`, ascending; starts are multiples of `advance`, never negative.
pub fn hopping_starts(timestamp: i64, size: i64, advance: i64) -> impl Iterator<Item = i64> {
    let advance = advance.max(1);
    let first = (timestamp.saturating_sub(size).saturating_add(advance).max(0) / advance) * advance;
    std::iter::successors(Some(first), move |s| s.checked_add(advance)).take_while(move |s| *s <= timestamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tumbling_record_has_one_window() {
        assert_eq!(hopping_starts(25, 10, 10).collect::<Vec<_>>(), vec![20]);
        assert_eq!(hopping_starts(20, 10, 10).collect::<Vec<_>>(), vec![20]);
        assert_eq!(hopping_starts(0, 10, 10).collect::<Vec<_>>(), vec![0]);
    }

    #[test]
    fn a_hopping_record_has_size_over_advance_windows() {
        assert_eq!(hopping_starts(25, 10, 5).collect::<Vec<_>>(), vec![20, 25]);
        assert_eq!(hopping_starts(3, 10, 5).collect::<Vec<_>>(), vec![0]);
        assert_eq!(hopping_starts(12, 10, 4).collect::<Vec<_>>(), vec![4, 8, 12]);
    }

    #[test]
    fn default_grace_fills_the_day() {
        assert_eq!(WindowSpec::default_grace(1_000), DAY_MS - 1_000);
        assert_eq!(WindowSpec::default_grace(2 * DAY_MS), 0);
    }
}
