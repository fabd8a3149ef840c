//! Command log, leases and assignment.
