//! The states of a group.

/// Where a group stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// No members.
    #[default]
    Empty,
    /// Waiting for all members to join.
    Preparing,
    /// Waiting for the leader's assignment.
    Completing,
    /// Everyone has an assignment.
    Stable,
}

impl State {
    /// The state's name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::Preparing => "PreparingRebalance",
            Self::Completing => "CompletingRebalance",
            Self::Stable => "Stable",
        }
    }
}
