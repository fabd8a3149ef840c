//! The persisted, versioned, explainable plan of a query.
