//! `flumen server` as its users meet it: the process itself, over HTTP, with its embedded broker.

mod http;
mod node;
mod process;
mod pull;
