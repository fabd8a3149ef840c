//! LIKE: `%` matches any run, `_` one character, the escape character makes the next one plain.

use std::sync::Arc;

use arrow::array::{Array, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;

use super::Selection;
use super::node::{Cx, Node};
use super::operand::{Operand, validity};
use crate::{ExprError, Failures};

pub(super) struct LikeNode {
    operand: Node,
    pattern: Node,
    escape: Option<char>,
    negated: bool,
    /// The pattern where it is a constant.
    known: Option<Pattern>,
}

impl LikeNode {
    pub fn new(operand: Node, pattern: Node, escape: Option<char>, negated: bool) -> Self {
        let known = match &pattern {
            Node::Constant(array) if array.is_valid(0) => array.as_string_opt::<i32>().map(|texts| Pattern::new(texts.value(0), escape)),
            _ => None,
        };
        LikeNode { operand, pattern, escape, negated, known }
    }
}

pub(super) fn like(node: &LikeNode, cx: &Cx<'_>, selection: &Selection, failures: &mut Failures) -> Result<Operand, ExprError> {
    let rows = cx.rows;
    let operand = node.operand.eval(cx, selection, failures)?;
    let pattern = node.pattern.eval(cx, selection, failures)?;
    let (Some(texts), Some(patterns)) = (operand.array().as_string_opt::<i32>(), pattern.array().as_string_opt::<i32>()) else {
        return Err(ExprError::user("LIKE compares STRINGs only"));
    };
    let mut matched = match &node.known {
        Some(known) => BooleanBuffer::collect_bool(rows, |i| known.matches(texts.value(operand.index(i)))),
        None => {
            let mut last: Option<(String, Pattern)> = None;
            BooleanBuffer::collect_bool(rows, |i| {
                let text = patterns.value(pattern.index(i));
                if last.as_ref().is_none_or(|(known, _)| known != text) {
                    last = Some((text.to_string(), Pattern::new(text, node.escape)));
                }
                last.as_ref().is_some_and(|(_, p)| p.matches(texts.value(operand.index(i))))
            })
        }
    };
    if let Some(valid) = validity(&[&operand, &pattern], rows) {
        matched = &matched & valid.inner();
    }
    let bits = if node.negated { !&matched } else { matched };
    Ok(Operand::Column(Arc::new(BooleanArray::new(bits, None))))
}

/// A parsed pattern: the plain forms apart, so that they are single searches.
#[derive(Debug)]
enum Pattern {
    Equal(String),
    Prefix(String),
    Suffix(String),
    Contains(String),
    General(Vec<Token>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Plain(char),
    One,
    Run,
}

impl Pattern {
    fn new(text: &str, escape: Option<char>) -> Pattern {
        let mut tokens = Vec::with_capacity(text.len());
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                c if Some(c) == escape => tokens.push(Token::Plain(chars.next().unwrap_or(c))),
                '%' if tokens.last() == Some(&Token::Run) => {}
                '%' => tokens.push(Token::Run),
                '_' => tokens.push(Token::One),
                c => tokens.push(Token::Plain(c)),
            }
        }
        let plain =
            |tokens: &[Token]| -> Option<String> { tokens.iter().map(|t| if let Token::Plain(c) = t { Some(*c) } else { None }).collect() };
        let simple = match tokens.as_slice() {
            [Token::Run, middle @ .., Token::Run] => plain(middle).map(Pattern::Contains),
            [Token::Run, rest @ ..] => plain(rest).map(Pattern::Suffix),
            [rest @ .., Token::Run] => plain(rest).map(Pattern::Prefix),
            all => plain(all).map(Pattern::Equal),
        };
        simple.unwrap_or(Pattern::General(tokens))
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Pattern::Equal(p) => text == p,
            Pattern::Prefix(p) => text.starts_with(p.as_str()),
            Pattern::Suffix(p) => text.ends_with(p.as_str()),
            Pattern::Contains(p) => text.contains(p.as_str()),
            Pattern::General(tokens) => general(tokens, text),
        }
    }
}

/// Greedy matching that goes back to the last run only: time is at most pattern length × text length.
fn general(tokens: &[Token], text: &str) -> bool {
    let (mut rest, mut at) = (text.chars(), 0);
    let mut retry: Option<(std::str::Chars<'_>, usize)> = None;
    loop {
        match tokens.get(at) {
            Some(Token::Run) => {
                at += 1;
                retry = Some((rest.clone(), at));
                continue;
            }
            Some(token) => {
                let mut ahead = rest.clone();
                if ahead.next().is_some_and(|c| *token == Token::One || *token == Token::Plain(c)) {
                    rest = ahead;
                    at += 1;
                    continue;
                }
            }
            None if rest.as_str().is_empty() => return true,
            None => {}
        }
        match &mut retry {
            Some((from, after)) => {
                if from.next().is_none() {
                    return false;
                }
                rest = from.clone();
                at = *after;
            }
            None => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, escape, text, expected) in [
            ("abc", None, "abc", true),
            ("abc", None, "abcd", false),
            ("a%", None, "abc", true),
            ("%c", None, "abc", true),
            ("%b%", None, "abc", true),
            ("%", None, "", true),
            ("_", None, "é", true),
            ("_", None, "", false),
            ("a_c", None, "abc", true),
            ("a%c_e", None, "abcdcde", true),
            ("%a%b%", None, "xxaxxb", true),
            ("%a%b%", None, "bbba", false),
            ("a!%", Some('!'), "a%", true),
            ("a!%", Some('!'), "ab", false),
            ("!_%", Some('!'), "_x", true),
            ("a\\%", None, "a\\bc", true),
            ("%aab", None, "aaaab", true),
            ("a%_b", None, "ab", false),
        ] {
            assert_eq!(Pattern::new(pattern, escape).matches(text), expected, "{pattern} on {text}");
        }
    }

    #[test]
    fn many_runs_stay_fast() {
        let text = "a".repeat(5_000);
        let pattern = format!("{}b_", "%a".repeat(50));
        assert!(!Pattern::new(&pattern, None).matches(&text));
    }
}
