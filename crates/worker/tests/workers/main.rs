//! Queries on an embedded broker, through crashes and failures.

mod journal;
mod place;
mod push;
mod real;
mod recovery;
mod server;
mod stop;
