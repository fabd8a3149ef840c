//! Plans, results and refusals of statements written for these tests.

#[path = "planner/errors.rs"]
mod errors;
#[path = "planner/frozen.rs"]
mod frozen;
#[path = "planner/golden.rs"]
mod golden;
#[path = "planner/insert.rs"]
mod insert;
#[path = "planner/pull.rs"]
mod pull;
#[path = "planner/results.rs"]
mod results;
#[path = "planner/world.rs"]
mod world;
