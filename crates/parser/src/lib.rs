//! Text to typed statements with spans, and back.
