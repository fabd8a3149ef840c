//! Demo, test, CI, bench and tidy.

fn main() {}
