//! Queries over small plans, in a change notation with a manual clock.

mod aggregates;
mod division;
mod functions;
mod joins;
mod notation;
mod plans;
mod stateless;
mod tables;
mod tasks;
