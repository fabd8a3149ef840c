//! Statements to plans: pure, synchronous, without I/O.
