//! Runs SQL and JSON case files in memory.
