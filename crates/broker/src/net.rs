//! The network side: connections, frames, and the work done by the clock.

mod connection;
mod frame;
mod keeper;
mod listener;

pub use frame::Request;
pub use keeper::keep;
pub use listener::listen;
