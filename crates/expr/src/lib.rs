//! Typed expressions, coercion, the function registry, and their evaluation over Arrow.
