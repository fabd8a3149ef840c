//! Which words are reserved, and when a name must be quoted.

use std::fmt;

/// Words that are never names unless quoted; sorted.
const RESERVED: &[&str] = &[
    "ADVANCE",
    "ALL",
    "AND",
    "AS",
    "AT",
    "BEGINNING",
    "BETWEEN",
    "BY",
    "CASE",
    "CAST",
    "CATALOG",
    "CONNECTOR",
    "CONNECTORS",
    "CREATE",
    "DAYS",
    "DECIMAL",
    "DELETE",
    "DESCRIBE",
    "DISTINCT",
    "DROP",
    "ELSE",
    "END",
    "EXISTS",
    "EXPORT",
    "EXTENDED",
    "FALSE",
    "FROM",
    "FULL",
    "GROUP",
    "HAVING",
    "HOPPING",
    "HOURS",
    "IN",
    "INNER",
    "INSERT",
    "INTO",
    "IS",
    "JOIN",
    "LEFT",
    "LIKE",
    "LIMIT",
    "LIST",
    "LOAD",
    "MATERIALIZED",
    "MILLISECOND",
    "MILLISECONDS",
    "MINUTES",
    "MONTHS",
    "NAMESPACE",
    "NOT",
    "NULL",
    "ON",
    "OR",
    "OUTER",
    "PAUSE",
    "PRINT",
    "PROPERTIES",
    "QUERIES",
    "QUERY",
    "RENAME",
    "RESUME",
    "RETENTION",
    "RIGHT",
    "RUN",
    "SAMPLE",
    "SCRIPT",
    "SECONDS",
    "SELECT",
    "SIZE",
    "STREAM",
    "STREAMS",
    "TABLE",
    "TERMINATE",
    "THEN",
    "TO",
    "TOPIC",
    "TOPICS",
    "TRUE",
    "TUMBLING",
    "UNSET",
    "VALUES",
    "VIEW",
    "WHEN",
    "WHERE",
    "WINDOW",
    "WITH",
    "WITHIN",
    "YEARS",
];

/// Words that are names, but would be read as something else in some place: printed in quotes; sorted.
const AMBIGUOUS: &[&str] = &["ARRAY", "COLUMN", "FUNCTION", "MAP", "STRUCT", "TABLES"];

/// Whether `word` (in any case) is reserved: it is a name only in quotes.
pub fn is_reserved(word: &str) -> bool {
    contains(RESERVED, word)
}

fn contains(sorted: &[&str], word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    sorted.binary_search(&upper.as_str()).is_ok()
}

/// `name` as it can be written in SQL: in back quotes only if it must be.
pub fn quote(name: &str) -> String {
    Name(name).to_string()
}

/// `name` in back quotes, whether it needs them or not.
pub fn quote_always(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// Prints a name so that it parses back to itself.
pub(crate) struct Name<'a>(pub &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0;
        let plain = name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_' || b == b'@');
        if plain && !is_reserved(name) && !contains(AMBIGUOUS, name) { f.write_str(name) } else { f.write_str(&quote_always(name)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(RESERVED.is_sorted() && AMBIGUOUS.is_sorted());
    }

    #[test]
    fn quotes_only_what_needs_it() {
        assert_eq!(quote("ORDERS"), "ORDERS");
        assert_eq!(quote("ID"), "ID");
        assert_eq!(quote("orders"), "`orders`");
        assert_eq!(quote("FROM"), "`FROM`");
        assert_eq!(quote("A`B"), "`A``B`");
        assert_eq!(quote("1A"), "`1A`");
        assert_eq!(quote(""), "``");
    }
}
