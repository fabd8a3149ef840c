//! A position in the tokens of one statement, with the small steps every rule of the grammar is made of.
//!
//! Each step that looks for something and does not find it notes what it looked for; when no rule fits, these notes
//! are the list of what was expected at that place.

mod message;

use crate::ast::Ident;
use crate::error::ParseError;
use crate::lexer::{Kind, Token};
use crate::span::Span;
use crate::words::is_reserved;

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
            self.note(message::sign(kind));
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
        let mut seen = std::collections::HashSet::new();
        let mut expected: Vec<String> = self.expected.drain(..).map(Expected::text).collect();
        expected.retain(|e| seen.insert(e.clone()));
        let message = message::unexpected(token.kind, self.source(token), &expected);
        self.error(token.span, message).expecting(expected)
    }
}

/// The characters between quotes, doubled quotes made single.
fn unquote(source: &str) -> String {
    let mut chars = source.chars();
    let Some(quote) = chars.next() else { return String::new() };
    chars.next_back();
    chars.as_str().replace(&format!("{quote}{quote}"), &quote.to_string())
}
