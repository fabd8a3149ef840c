//! Pull queries over the state stores.
