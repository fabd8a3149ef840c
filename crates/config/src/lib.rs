//! Every property once: name, type, default, scope and text.
