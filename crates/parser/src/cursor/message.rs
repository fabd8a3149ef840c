//! The wording of "this does not fit here".

use crate::lexer::Kind;
use crate::words::{is_reserved, quote_always};

/// What is said of a token that fits none of what was expected.
pub(super) fn unexpected(kind: Kind, source: &str, expected: &[String]) -> String {
    if let Some(hint) = hint(source).filter(|_| kind == Kind::Word) {
        return format!("unexpected {}: {hint}", source.to_ascii_uppercase());
    }
    let wants_name = expected.iter().any(|e| e.ends_with("name") || e == "an expression" || e == "a type");
    let mut message = match kind {
        Kind::End => "the text ends here".to_string(),
        Kind::Semicolon => "the statement ends here".to_string(),
        Kind::Dollar => "this variable has no value: DEFINE it first".to_string(),
        Kind::PrefixedString => "strings with a letter before the quote are not in the language".to_string(),
        Kind::Unknown => format!("unexpected {}: this character means nothing here", shown(source)),
        Kind::Word if wants_name && is_reserved(source) => {
            let upper = source.to_ascii_uppercase();
            format!("unexpected {upper}: it is a reserved word, so as a name it must be quoted, {}", quote_always(&upper))
        }
        Kind::QuotedName if source.starts_with('"') => {
            format!("unexpected {}: in double quotes it is a name, a string stands in single quotes", shown(source))
        }
        _ => format!("unexpected {}", shown(source)),
    };
    if let Some(word) = nearest(source, expected).filter(|_| kind == Kind::Word) {
        message.push_str(&format!("; did you mean {word}?"));
    } else if !expected.is_empty() {
        message.push_str("; expected ");
        message.push_str(&listed(expected));
    }
    message
}

/// The expected keyword that `word` may be a slip of.
fn nearest<'e>(word: &str, expected: &'e [String]) -> Option<&'e str> {
    const LONGEST: usize = 20;
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_ascii_uppercase();
    // Of several words each can be the one meant: take the first.
    let keywords = expected.iter().filter_map(|e| e.split(' ').next()).filter(|k| k.bytes().all(|b| b.is_ascii_uppercase()));
    let near = keywords.map(|k| (distance(&word, k), k)).filter(|(d, k)| *d > 0 && *d <= k.len() / 3);
    near.min_by_key(|(d, _)| *d).map(|(_, k)| k)
}

/// How many letters must be put in, taken out or changed to make one word the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, y) in row.iter_mut().skip(1).zip(b.bytes()) {
            let cost = diagonal + usize::from(x != y);
            diagonal = *cell;
            left = cost.min(*cell + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

/// The most alternatives that are spelled out in a message.
const MAX_LISTED: usize = 12;

fn listed(expected: &[String]) -> String {
    match expected {
        [all @ .., last] if !all.is_empty() && expected.len() <= MAX_LISTED => format!("{} or {last}", all.join(", ")),
        _ if expected.len() <= MAX_LISTED => expected.concat(),
        _ => format!("{} …", expected.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join(", ")),
    }
}

/// A token in a message: cut if long.
fn shown(source: &str) -> String {
    const LONGEST: usize = 40;
    let cut: String = source.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let more = if cut.len() < source.len() { "…" } else { "" };
    if source.starts_with(['\'', '"', '`']) { format!("{cut}{more}") } else { format!("\"{cut}{more}\"") }
}

/// What to say of common SQL that this language does not have.
fn hint(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_uppercase().as_str() {
        "ORDER" => "ORDER BY is not in the language",
        "OFFSET" => "OFFSET is not in the language",
        "UNION" | "INTERSECT" | "EXCEPT" => "set operations are not in the language: INSERT INTO a stream from several queries",
        "DISTINCT" => "SELECT DISTINCT is not in the language: use GROUP BY",
        "OVER" => "window functions are not in the language: use WINDOW and GROUP BY",
        "UPDATE" => "UPDATE is not in the language: INSERT a row with the same key",
        "CROSS" => "CROSS JOIN is not in the language",
        _ => return None,
    })
}

/// How a kind of token is named in a message.
pub(super) fn sign(kind: Kind) -> &'static str {
    match kind {
        Kind::LeftParen => "\"(\"",
        Kind::RightParen => "\")\"",
        Kind::LeftBracket => "\"[\"",
        Kind::RightBracket => "\"]\"",
        Kind::Comma => "\",\"",
        Kind::Semicolon => "\";\"",
        Kind::Dot => "\".\"",
        Kind::Star => "\"*\"",
        Kind::Plus => "\"+\"",
        Kind::Minus => "\"-\"",
        Kind::Slash => "\"/\"",
        Kind::Percent => "\"%\"",
        Kind::Concat => "\"||\"",
        Kind::Equal => "\"=\"",
        Kind::NotEqual => "\"<>\"",
        Kind::Less => "\"<\"",
        Kind::LessEqual => "\"<=\"",
        Kind::Greater => "\">\"",
        Kind::GreaterEqual => "\">=\"",
        Kind::Arrow => "\"->\"",
        Kind::FatArrow => "\"=>\"",
        Kind::Assign => "\":=\"",
        Kind::Word | Kind::QuotedName => "a name",
        Kind::String | Kind::PrefixedString => "a string",
        Kind::Integer | Kind::Decimal | Kind::Float => "a number",
        Kind::Dollar | Kind::Unknown => "a sign",
        Kind::End => "the end of the text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_slips() {
        assert_eq!(distance("STREEMS", "STREAMS"), 1);
        assert_eq!(distance("SELEC", "SELECT"), 1);
        assert_eq!(distance("", "ABC"), 3);
        assert_eq!(distance("ABC", ""), 3);
        assert_eq!(distance("KITTEN", "SITTING"), 3);
        let expected: Vec<String> = ["TOPICS", "STREAMS", "a name", "GROUP BY"].map(str::to_string).into();
        assert_eq!(nearest("streems", &expected), Some("STREAMS"));
        assert_eq!(nearest("gruop", &expected), None);
        assert_eq!(nearest("grup", &expected), Some("GROUP"));
        assert_eq!(nearest("x", &expected), None);
    }
}
