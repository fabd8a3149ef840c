//! Cuts a text into its statements, before any grammar: at each `;` outside quotes and comments.

use crate::error::ParseError;
use crate::lexer::{Kind, Lexed, Limits, Token, lex};
use crate::span::Span;

/// A comment of the form `--@name: value`, which means something to the test runner only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// The part before the colon, without blanks around it.
    pub name: String,
    /// The part after the colon, without blanks around it; empty if there is no colon.
    pub value: String,
    /// Where it was written.
    pub span: Span,
}

impl Directive {
    /// Reads a whole line comment; `None` if it is an ordinary one.
    pub(crate) fn read(comment: &str, span: Span) -> Option<Directive> {
        let body = comment.strip_prefix("--@")?;
        let (name, value) = body.split_once(':').unwrap_or((body, ""));
        Some(Directive { name: name.trim().to_string(), value: value.trim().to_string(), span })
    }
}

/// The text of one statement, not yet parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementText {
    /// The statement from its first word to its `;`, inclusive. Comments before it are left out.
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// The directives between the statement before and this one's end.
    pub directives: Vec<Directive>,
}

/// Cuts `text` at each `;`. Variables need not be replaced yet.
///
/// # Errors
/// A quote or comment that is not closed, a last statement without `;`, or a text that is too long.
pub fn split(text: &str) -> Result<Vec<StatementText>, ParseError> {
    let Lexed { tokens, directives } = lex(text, &Limits::default())?;
    let mut directives = directives.into_iter().peekable();
    let mut statements = Vec::new();
    for part in cut(&tokens) {
        let Some(span) = covered(part) else { continue };
        if let Some(end) = part.last().filter(|t| t.kind != Kind::Semicolon) {
            let error = ParseError::new(text, end.span, "the statement is not complete: it must end in \";\"");
            return Err(error.expecting(vec!["\";\"".to_string()]));
        }
        let own = std::iter::from_fn(|| directives.next_if(|d| d.span.start < span.end)).collect();
        statements.push(StatementText { text: span.slice(text).to_string(), span, directives: own });
    }
    Ok(statements)
}

/// Whether a text typed so far can be parsed as it is: no quote or comment is open, and it ends in `;` or has no
/// statement at all. Text that can never become a statement counts as complete, so that parsing it tells why.
pub fn is_complete(text: &str) -> bool {
    match lex(text, &Limits::default()) {
        Ok(lexed) => cut(&lexed.tokens).last().and_then(|part| part.last()).is_none_or(|t| t.kind == Kind::Semicolon),
        Err(error) => error.expected.is_empty(),
    }
}

/// The tokens of each statement, `;` inclusive; only the last may lack it, and has the end of the text instead.
/// Empty statements are left out.
pub(crate) fn cut(tokens: &[Token]) -> impl Iterator<Item = &[Token]> {
    let empty = |part: &[Token]| part.len() == 1 && part.iter().all(|t| matches!(t.kind, Kind::Semicolon | Kind::End));
    tokens.split_inclusive(|t| t.kind == Kind::Semicolon).filter(move |part| !empty(part))
}

pub(crate) fn covered(tokens: &[Token]) -> Option<Span> {
    Some(tokens.first()?.span.to(tokens.last()?.span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_at_semicolons_only_outside_quotes_and_comments() {
        let text = "-- first; one\nDEFINE a = 'x;y';; /* ; */ SELECT `;` FROM ${t};\n";
        let texts: Vec<String> = split(text).unwrap().into_iter().map(|s| s.text).collect();
        assert_eq!(texts, ["DEFINE a = 'x;y';", "SELECT `;` FROM ${t};"]);
    }

    #[test]
    fn keeps_directives_with_their_statement() {
        let text = "--@test: one\n--@expected.error: bad: thing\nLIST TYPES;\n--@test: two\nLIST TOPICS;";
        let all = split(text).unwrap();
        let seen: Vec<Vec<(&str, &str)>> =
            all.iter().map(|s| s.directives.iter().map(|d| (d.name.as_str(), d.value.as_str())).collect()).collect();
        assert_eq!(seen, [vec![("test", "one"), ("expected.error", "bad: thing")], vec![("test", "two")]]);
    }

    #[test]
    fn knows_when_a_text_is_complete() {
        for text in ["", "-- x", "LIST TYPES;", "LIST TYPES; -- x", "; ;", "a ._b"] {
            assert!(is_complete(text), "{text}");
        }
        for text in ["LIST", "LIST TYPES; LIST", "SELECT ';", "SELECT `;", "/* ;", "LIST -- ;"] {
            assert!(!is_complete(text), "{text}");
        }
    }

    #[test]
    fn asks_for_the_missing_semicolon() {
        let error = split("LIST TYPES; LIST TOPICS").unwrap_err();
        assert_eq!((error.line, error.column), (1, 24));
        assert_eq!(error.expected, ["\";\""]);
    }
}
