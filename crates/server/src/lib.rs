//! The HTTP face of the engine.
//!
//! A [`Server`] listens before its engine is there: until then, and while it stops, all but the probes answer 503. It
//! translates and no more: requests into calls of the engine (which block, and so run on threads of their own), answers into
//! the forms that clients ask for, errors into codes.

mod accept;
mod answer;
mod app;
mod connect;
mod error;
mod failure;
mod insert;
mod listen;
mod pulled;
mod request;
mod routes;
mod server;
mod watch;

pub use error::ServerError;
pub use server::Server;
