//! Tasks and operators as pure state machines.
