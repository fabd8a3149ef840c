//! A position in the tokens of one statement, with the small steps every rule of the grammar is made of.
//!
//! Each step that looks for something and does not find it notes what it looked for; when no rule fits, these notes
//! are the list of what was expected at that place.

use crate::ast::Ident;
use crate::error::ParseError;
use crate::lexer::{Kind, Token};
use crate::span::Span;
use crate::words::{is_reserved, quote_always};

/// How many operands and types may be open at once. Keeps the parser's own recursion within a small stack.
const MAX_NESTING: usize = 200;

/// How high the tree of an expression may be: nesting, and operators in a row. Everything that walks the tree by
/// recursion, its destruction included, may rely on it.
pub const MAX_HEIGHT: usize = 500;

pub(crate) type Result<T> = std::result::Result<T, ParseError>;

/// Something that was looked for. Not yet a text, since most of these are never shown.
#[derive(Clone, Copy)]
enum Expected {
    Thing(&'static str),
    Words(&'static [&'static str]),
}

impl Expected {
    fn text(self) -> String {
        match self {
            Expected::Thing(what) => what.to_string(),
            Expected::Words(words) => words.join(" "),
        }
    }
}

pub(crate) struct Cursor<'a> {
    text: &'a str,
    tokens: &'a [Token],
    position: usize,
    nesting: usize,
    expected: Vec<Expected>,
    /// Height of the highest expression completed since the enclosing one was begun.
    pub height: usize,
}

impl<'a> Cursor<'a> {
    /// `tokens` must not be empty; behind its last token that token is seen again and again.
    pub fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens, position: 0, nesting: 0, expected: Vec::new(), height: 0 }
    }

    /// The token `ahead` places on from the current one.
    pub fn peek_at(&self, ahead: usize) -> Token {
        const END: Token = Token { kind: Kind::End, span: Span { start: 0, end: 0 } };
        self.tokens.get(self.position + ahead).or(self.tokens.last()).copied().unwrap_or(END)
    }

    pub fn peek(&self) -> Token {
        self.peek_at(0)
    }

    pub fn kind(&self) -> Kind {
        self.peek().kind
    }

    pub fn kind_at(&self, ahead: usize) -> Kind {
        self.peek_at(ahead).kind
    }

    pub fn source(&self, token: Token) -> &'a str {
        token.span.slice(self.text)
    }

    pub fn advance(&mut self) -> Token {
        let token = self.peek();
        self.position += 1;
        self.expected.clear();
        token
    }

    /// The end of the token before the current one.
    fn last_end(&self) -> usize {
        self.position.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(0, |t| t.span.end)
    }

    /// From `start` to the end of what was read so far.
    pub fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.last_end().max(start))
    }

    /// Where the current token begins.
    pub fn start(&self) -> usize {
        self.peek().span.start
    }

    // ---- signs and keywords ----

    /// Takes a token of this kind if it is next.
    pub fn eat(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        } else {
            self.note(sign(kind));
        }
        found
    }

    pub fn expect(&mut self, kind: Kind) -> Result<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Whether the token `ahead` places on is this keyword (given in upper case).
    pub fn keyword_at(&self, ahead: usize, keyword: &str) -> bool {
        let token = self.peek_at(ahead);
        token.kind == Kind::Word && self.source(token).eq_ignore_ascii_case(keyword)
    }

    /// Takes the keyword if it is next.
    pub fn eat_word(&mut self, keyword: &'static str) -> bool {
        let found = self.keyword_at(0, keyword);
        if found {
            self.advance();
        } else {
            self.note(keyword);
        }
        found
    }

    /// Takes all of the keywords if they are next in this order, else none.
    pub fn eat_words(&mut self, keywords: &'static [&'static str]) -> bool {
        let found = keywords.iter().enumerate().all(|(i, k)| self.keyword_at(i, k));
        if found {
            for _ in keywords {
                self.advance();
            }
        } else {
            self.expected.push(Expected::Words(keywords));
        }
        found
    }

    pub fn expect_word(&mut self, keyword: &'static str) -> Result<()> {
        if self.eat_word(keyword) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub fn expect_words(&mut self, keywords: &'static [&'static str]) -> Result<()> {
        keywords.iter().try_for_each(|k| self.expect_word(k))
    }

    // ---- names ----

    /// Whether the token `ahead` places on can be a name.
    pub fn name_at(&self, ahead: usize) -> bool {
        let token = self.peek_at(ahead);
        match token.kind {
            Kind::QuotedName => true,
            Kind::Word => !is_reserved(self.source(token)),
            _ => false,
        }
    }

    /// A name, folded to upper case unless quoted. `what` says what it names.
    pub fn name(&mut self, what: &'static str) -> Result<Ident> {
        let mut name = self.raw_name(what)?;
        if !name.quoted {
            name.value.make_ascii_uppercase();
        }
        Ok(name)
    }

    /// A name whose case is kept.
    fn raw_name(&mut self, what: &'static str) -> Result<Ident> {
        if !self.name_at(0) {
            self.note(what);
            return Err(self.unexpected());
        }
        let token = self.advance();
        let source = self.source(token);
        let (value, quoted) = match token.kind {
            Kind::QuotedName => (unquote(source), true),
            _ => (source.to_string(), false),
        };
        Ok(Ident { value, quoted, span: token.span })
    }

    /// The name of something outside SQL: its case is kept, and it may be a string.
    pub fn outer_name(&mut self, what: &'static str) -> Result<Ident> {
        if self.kind() == Kind::String {
            let token = self.advance();
            return Ok(Ident { value: unquote(self.source(token)), quoted: true, span: token.span });
        }
        self.raw_name(what)
    }

    /// `(name, …)`
    pub fn name_list(&mut self, what: &'static str) -> Result<Vec<Ident>> {
        self.expect(Kind::LeftParen)?;
        let mut names = vec![self.name(what)?];
        while self.eat(Kind::Comma) {
            names.push(self.name(what)?);
        }
        self.expect(Kind::RightParen)?;
        Ok(names)
    }

    // ---- literals ----

    pub fn string(&mut self, what: &'static str) -> Result<String> {
        if self.kind() != Kind::String {
            self.note(what);
            return Err(self.unexpected());
        }
        let token = self.advance();
        Ok(unquote(self.source(token)))
    }

    /// A whole number without a sign.
    pub fn unsigned<N: std::str::FromStr>(&mut self, what: &'static str) -> Result<N> {
        if self.kind() != Kind::Integer {
            self.note(what);
            return Err(self.unexpected());
        }
        let token = self.advance();
        self.source(token).parse().map_err(|_| self.error(token.span, format!("the number is too large for {what}")))
    }

    // ---- depth ----

    /// One level deeper: each operand and each type is one. Not undone on the way out of an error.
    pub fn enter(&mut self) -> Result<()> {
        if self.nesting >= MAX_NESTING {
            let message = format!("nested too deep: at most {MAX_NESTING} levels of brackets and operators may be open; split it up");
            return Err(self.error(self.peek().span, message));
        }
        self.nesting += 1;
        Ok(())
    }

    pub fn leave(&mut self) {
        self.nesting = self.nesting.saturating_sub(1);
    }

    // ---- errors ----

    /// Notes something that could stand at the current place.
    pub fn note(&mut self, what: &'static str) {
        self.expected.push(Expected::Thing(what));
    }

    pub fn error(&self, span: Span, message: impl Into<String>) -> ParseError {
        ParseError::new(self.text, span, message)
    }

    /// The error that the current token does not fit, with what was looked for here.
    pub fn unexpected(&mut self) -> ParseError {
        let token = self.peek();
        let source = self.source(token);
        let mut expected: Vec<String> = self.expected.drain(..).map(Expected::text).collect();
        let mut seen = std::collections::HashSet::new();
        expected.retain(|e| seen.insert(e.clone()));

        let wants_name = expected.iter().any(|e| e.ends_with("name") || e == "an expression" || e == "a type");
        let found = match token.kind {
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
        let mut message = found;
        if let Some(hint) = hint(source).filter(|_| token.kind == Kind::Word) {
            message.push_str(": ");
            message.push_str(hint);
        } else if !expected.is_empty() {
            message.push_str("; expected ");
            message.push_str(&listed(&expected));
        }
        self.error(token.span, message).expecting(expected)
    }
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

/// The characters between quotes, doubled quotes made single.
fn unquote(source: &str) -> String {
    let mut chars = source.chars();
    let Some(quote) = chars.next() else { return String::new() };
    chars.next_back();
    chars.as_str().replace(&format!("{quote}{quote}"), &quote.to_string())
}

/// How a kind of token is named in a message.
fn sign(kind: Kind) -> &'static str {
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
