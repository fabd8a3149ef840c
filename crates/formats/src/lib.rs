//! Bytes to Arrow and back, for each format.
