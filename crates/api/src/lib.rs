//! The JSON bodies of the HTTP API.
