//! Sources, types and queries, as a pure function of the command log.
