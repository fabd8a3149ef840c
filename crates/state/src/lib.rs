//! State stores: overlay, changelog codec, memory and RocksDB adapters.
