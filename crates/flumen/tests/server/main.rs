//! `flumen server` as its users meet it: the process itself, over HTTP, with its embedded broker.

mod bad_input;
mod http;
mod kill;
mod lost;
mod metrics;
mod node;
mod process;
mod pull;
mod push;
mod quickstart;
mod readme;
mod second;
mod shell;
mod socket;
