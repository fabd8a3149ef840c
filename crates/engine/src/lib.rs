//! One statement's life, from text to running tasks.
