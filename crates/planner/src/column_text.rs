//! Column names inside property values, which follow the rules of identifiers.

/// The column a property names: upper-case unless it is quoted with back-ticks or double quotes.
pub(crate) fn column_name(text: &str) -> String {
    let trimmed = text.trim();
    for quote in ['`', '"'] {
        if let Some(inner) = trimmed.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
            return inner.replace(&format!("{quote}{quote}"), &quote.to_string());
        }
    }
    trimmed.to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::column_name;

    #[test]
    fn names_fold_unless_quoted() {
        assert_eq!(column_name("ts"), "TS");
        assert_eq!(column_name("`ts`"), "ts");
        assert_eq!(column_name("\"a\"\"b\""), "a\"b");
    }
}
