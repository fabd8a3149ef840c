//! The scalar functions, called as the planner calls them: resolved by name and types, run over a column and as literals.

#[path = "scalar/arrays.rs"]
mod arrays;
#[path = "scalar/json.rs"]
mod json;
#[path = "scalar/lambdas.rs"]
mod lambdas;
#[path = "scalar/numbers.rs"]
mod numbers;
#[path = "scalar/registry.rs"]
mod registry;
#[path = "scalar/support.rs"]
mod support;
#[path = "scalar/tables.rs"]
mod tables;
#[path = "scalar/texts.rs"]
mod texts;
#[path = "scalar/times.rs"]
mod times;
#[path = "scalar/urls.rs"]
mod urls;
