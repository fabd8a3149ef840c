//! Queries on an embedded broker, through crashes and failures.

mod journal;
mod place;
mod push;
mod recovery;
mod server;
mod stop;
