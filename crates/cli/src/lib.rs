//! The interactive shell; speaks HTTP only.
