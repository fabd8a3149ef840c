//! Tokens: those of sqlparser's tokenizer, brought to the lexical rules of this language.
//!
//! What is done on top of it: line and column become byte ranges; `1ABC` and `0x10` are names, not a number and a
//! name; `>>` is two closing brackets; whitespace and comments are dropped, `--@` directives kept aside; prefixed
//! strings such as `X'..'`, which the language does not have, are set apart. Values are read from the source text,
//! so nothing depends on how the tokenizer unescapes.

use sqlparser::dialect::Dialect;
use sqlparser::tokenizer::{Location, Token as SqlToken, TokenWithSpan, Tokenizer, Whitespace};

use crate::error::ParseError;
use crate::span::Span;
use crate::split::Directive;

/// How much text is accepted at once.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Longest text in bytes.
    pub max_bytes: usize,
    /// Most tokens in a text.
    pub max_tokens: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_bytes: 1024 * 1024, max_tokens: 500_000 }
    }
}

/// One token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub kind: Kind,
    pub span: Span,
}

/// What a token is. Texts of words and literals are read from the source by the token's span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A keyword or a name without quotes.
    Word,
    /// A name in `"` or `` ` ``.
    QuotedName,
    String,
    Integer,
    /// Digits with a point.
    Decimal,
    /// A number with an exponent.
    Float,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    Comma,
    Semicolon,
    Dot,
    Star,
    Plus,
    Minus,
    Slash,
    Percent,
    Concat,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `->`
    Arrow,
    /// `=>`
    FatArrow,
    /// `:=`
    Assign,
    /// `X'..'`, `N'..'` and their like.
    PrefixedString,
    /// `$`, the start of a variable that was not replaced.
    Dollar,
    /// Anything else.
    Unknown,
    End,
}

/// The tokens of a text, closed by one of kind `End`, and its directives in order.
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    pub directives: Vec<Directive>,
}

/// Which characters make a name, and which quotes enclose one.
#[derive(Debug)]
struct FlumenDialect;

impl Dialect for FlumenDialect {
    fn is_identifier_start(&self, ch: char) -> bool {
        ch.is_ascii_alphabetic() || ch == '_'
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        is_name_part(ch)
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        ch == '"' || ch == '`'
    }

    /// Keeps `$` from opening a dollar-quoted string.
    fn supports_dollar_placeholder(&self) -> bool {
        true
    }
}

fn is_name_part(ch: char) -> bool {
    ch.is_ascii_alphanumeric() || ch == '_' || ch == '@'
}

/// Cuts `text` into tokens.
pub(crate) fn lex(text: &str, limits: &Limits) -> Result<Lexed, ParseError> {
    if text.len() > limits.max_bytes {
        let message = format!("the text has {} bytes; at most {} are accepted at once: send it in parts", text.len(), limits.max_bytes);
        return Err(ParseError::new(text, Span::default(), message));
    }
    let mut raw: Vec<TokenWithSpan> = Vec::new();
    let failed = Tokenizer::new(&FlumenDialect, text).tokenize_with_location_into_buf(&mut raw).is_err();

    let mut out = Lexed { tokens: Vec::with_capacity(raw.len() / 2 + 1), directives: Vec::new() };
    let mut place = Place::new(text);
    let mut glue = false;
    for TokenWithSpan { token, span } in raw {
        let start = place.offset;
        place.advance_to(span.end);
        let span = Span::new(start, place.offset);
        if let SqlToken::Whitespace(space) = &token {
            glue = false;
            if let Whitespace::SingleLineComment { .. } = space {
                out.directives.extend(Directive::read(span.slice(text), span));
            }
            continue;
        }
        let kind = classify(&token, span.slice(text));
        match out.tokens.last_mut() {
            // `1ABC` comes as `1` and `ABC`.
            Some(last) if glue && kind == Kind::Word && can_lead_name(last, text) => {
                last.kind = Kind::Word;
                last.span.end = span.end;
            }
            _ if token == SqlToken::ShiftRight => {
                let middle = span.start + 1;
                out.tokens.push(Token { kind: Kind::Greater, span: Span::new(span.start, middle) });
                out.tokens.push(Token { kind: Kind::Greater, span: Span::new(middle, span.end) });
            }
            _ => out.tokens.push(Token { kind, span }),
        }
        glue = true;
        if out.tokens.len() > limits.max_tokens {
            let message = format!("the text has more than {} words and signs: send it in parts", limits.max_tokens);
            return Err(ParseError::new(text, span, message));
        }
    }
    if failed {
        return Err(unfinished(text, place.offset));
    }
    out.tokens.push(Token { kind: Kind::End, span: Span::new(text.len(), text.len()) });
    Ok(out)
}

/// The error for a token that begins at `start` and could not be read.
fn unfinished(text: &str, start: usize) -> ParseError {
    let rest = text.get(start..).unwrap_or("");
    let first = rest.chars().next().unwrap_or(' ');
    let span = Span::new(start, start + first.len_utf8().min(rest.len()));
    let prefixed = rest.get(first.len_utf8()..).is_some_and(|r| r.starts_with('\''));
    let (what, close) = match first {
        '"' => ("quoted name", "\""),
        '`' => ("quoted name", "`"),
        '/' => ("comment", "*/"),
        _ if first == '\'' || prefixed => ("string", "'"),
        _ => return ParseError::new(text, span, format!("unexpected character '{first}'")),
    };
    ParseError::new(text, span, format!("this {what} is not closed: {close} is missing")).expecting(vec![close.to_string()])
}

/// Whether a name may go on right behind this token: it is made of name characters and is not a plain word already.
fn can_lead_name(token: &Token, text: &str) -> bool {
    matches!(token.kind, Kind::Integer | Kind::Float | Kind::Word) && token.span.slice(text).chars().all(is_name_part)
}

fn classify(token: &SqlToken, source: &str) -> Kind {
    match token {
        SqlToken::Word(word) if word.quote_style.is_some() => Kind::QuotedName,
        SqlToken::Word(_) => Kind::Word,
        SqlToken::Number(..) => classify_number(source),
        SqlToken::HexStringLiteral(_) if source.starts_with('0') => Kind::Word,
        SqlToken::HexStringLiteral(_) | SqlToken::NationalStringLiteral(_) => Kind::PrefixedString,
        SqlToken::SingleQuotedString(_) => Kind::String,
        SqlToken::LParen => Kind::LeftParen,
        SqlToken::RParen => Kind::RightParen,
        SqlToken::LBracket => Kind::LeftBracket,
        SqlToken::RBracket => Kind::RightBracket,
        SqlToken::Comma => Kind::Comma,
        SqlToken::SemiColon => Kind::Semicolon,
        SqlToken::Period => Kind::Dot,
        SqlToken::Mul => Kind::Star,
        SqlToken::Plus => Kind::Plus,
        SqlToken::Minus => Kind::Minus,
        SqlToken::Div => Kind::Slash,
        SqlToken::Mod => Kind::Percent,
        SqlToken::StringConcat => Kind::Concat,
        SqlToken::Eq => Kind::Equal,
        SqlToken::Neq => Kind::NotEqual,
        SqlToken::Lt => Kind::Less,
        SqlToken::LtEq => Kind::LessEqual,
        SqlToken::Gt => Kind::Greater,
        SqlToken::GtEq => Kind::GreaterEqual,
        SqlToken::Arrow => Kind::Arrow,
        SqlToken::RArrow => Kind::FatArrow,
        SqlToken::Assignment => Kind::Assign,
        SqlToken::Placeholder(_) if source.starts_with('$') => Kind::Dollar,
        _ => Kind::Unknown,
    }
}

fn classify_number(source: &str) -> Kind {
    if source.bytes().all(|b| b.is_ascii_digit()) {
        Kind::Integer
    } else if source.ends_with('L') {
        // The tokenizer takes a trailing L as a marker of length; here `12L` is a name, `1.2L` nothing.
        if source.contains('.') { Kind::Unknown } else { Kind::Word }
    } else if source.contains(['e', 'E']) {
        Kind::Float
    } else {
        Kind::Decimal
    }
}

/// Follows the tokenizer's line and column through the text, to know the byte offset.
struct Place<'a> {
    chars: std::str::Chars<'a>,
    line: u64,
    column: u64,
    offset: usize,
}

impl<'a> Place<'a> {
    fn new(text: &'a str) -> Self {
        Self { chars: text.chars(), line: 1, column: 1, offset: 0 }
    }

    fn advance_to(&mut self, to: Location) {
        while (self.line, self.column) < (to.line, to.column) {
            let Some(ch) = self.chars.next() else { return };
            self.offset += ch.len_utf8();
            if ch == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexed(text: &str) -> Vec<(Kind, &str)> {
        let lexed = lex(text, &Limits::default()).unwrap();
        lexed.tokens.iter().filter(|t| t.kind != Kind::End).map(|t| (t.kind, t.span.slice(text))).collect()
    }

    #[test]
    fn names_may_begin_with_digits() {
        assert_eq!(lexed("1R"), [(Kind::Word, "1R")]);
        assert_eq!(lexed("0x1Gz"), [(Kind::Word, "0x1Gz")]);
        assert_eq!(lexed("1e3x 12L 7La"), [(Kind::Word, "1e3x"), (Kind::Word, "12L"), (Kind::Word, "7La")]);
        assert_eq!(lexed("1 R"), [(Kind::Integer, "1"), (Kind::Word, "R")]);
        assert_eq!(
            lexed("1.5 .5 1e3 1.5E-2"),
            [(Kind::Decimal, "1.5"), (Kind::Decimal, ".5"), (Kind::Float, "1e3"), (Kind::Float, "1.5E-2")]
        );
    }

    #[test]
    fn spans_count_bytes_after_wide_characters_and_newlines() {
        let text = "'äöü€'\r\n  `ñ` -> x";
        assert_eq!(lexed(text), [(Kind::String, "'äöü€'"), (Kind::QuotedName, "`ñ`"), (Kind::Arrow, "->"), (Kind::Word, "x")]);
    }

    #[test]
    fn operators_of_the_language() {
        let kinds: Vec<Kind> = lexed("<a<b>> := => -> || <> != >=-1 <-1 a=-1").into_iter().map(|t| t.0).collect();
        use Kind::*;
        assert_eq!(
            kinds,
            [
                Less,
                Word,
                Less,
                Word,
                Greater,
                Greater,
                Assign,
                FatArrow,
                Arrow,
                Concat,
                NotEqual,
                NotEqual,
                GreaterEqual,
                Minus,
                Integer,
                Less,
                Minus,
                Integer,
                Word,
                Equal,
                Minus,
                Integer
            ]
        );
    }

    #[test]
    fn says_what_is_not_closed() {
        for (text, part) in [("a 'b", "string"), ("a `b", "name"), ("a /* b", "comment"), ("x'b", "string")] {
            let error = lex(text, &Limits::default()).err().unwrap();
            assert!(error.message.contains(part), "{error}");
        }
    }

    #[test]
    fn refuses_what_is_too_long() {
        let limits = Limits { max_bytes: 10, max_tokens: 3 };
        assert!(lex("aaaaaaaaaaaaaaa", &limits).err().unwrap().message.contains("15 bytes"));
        assert!(lex("a b c d", &limits).err().unwrap().message.contains("more than 3"));
    }
}
