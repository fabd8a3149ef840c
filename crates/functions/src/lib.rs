//! The built-in functions: one file for each, or for a family that shares its idea.

pub mod aggregate;
mod scalar;
mod table;

use flumen_expr::function::Registry;

/// A registry of all built-in functions.
pub fn builtins() -> Registry {
    let mut registry = Registry::new();
    aggregate::register(&mut registry);
    scalar::register(&mut registry);
    table::register(&mut registry);
    registry
}
