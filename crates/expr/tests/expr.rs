//! The evaluator, the typing rules and the function machinery, seen from outside.

#[path = "expr/arithmetic.rs"]
mod arithmetic;
#[path = "expr/calls.rs"]
mod calls;
#[path = "expr/casts.rs"]
mod casts;
#[path = "expr/comparisons.rs"]
mod comparisons;
#[path = "expr/conditions.rs"]
mod conditions;
#[path = "expr/nested.rs"]
mod nested;
#[path = "expr/table.rs"]
mod table;
#[path = "expr/typing.rs"]
mod typing;
