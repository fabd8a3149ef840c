//! The broker as clients see it, over its socket.

mod client;
mod crash;
mod data;
mod disk;
mod groups;
mod network;
mod statistics;
mod topics;
mod transactions;
mod versions;
