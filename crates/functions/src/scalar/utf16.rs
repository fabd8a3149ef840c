//! Text as UTF-16 code units, in which lengths and positions count; ASCII text is handled as bytes.

/// The number of code units.
pub(super) fn len(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// The code units.
pub(super) fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// Code units as text; half a surrogate pair becomes U+FFFD.
pub(super) fn text(units: &[u16]) -> String {
    String::from_utf16_lossy(units)
}

/// The part from `start` up to `end`, both within the text and in order.
pub(super) fn slice(given: &str, start: usize, end: usize) -> String {
    if given.is_ascii() {
        return given.get(start..end).unwrap_or_default().to_string();
    }
    text(units(given).get(start..end).unwrap_or_default())
}

/// Compares as Java's `String.compareTo`.
pub(super) fn compare(a: &str, b: &str) -> std::cmp::Ordering {
    if a.is_ascii() && b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}
