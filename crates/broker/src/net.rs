//! The network side: connections, frames, and the work done by the clock.

mod cleaner;
mod connection;
mod frame;
mod keeper;
mod listener;

pub use cleaner::clean;
pub use frame::Request;
pub use keeper::keep;
pub use listener::listen;
