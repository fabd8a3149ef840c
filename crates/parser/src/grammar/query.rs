//! Queries: SELECT and its clauses in their fixed order.

use super::expr::{expr, expr_after, primary};
use crate::ast::{
    Emit, Expr, Interval, Join, JoinKind, Query, Relation, SelectItem, SelectItemKind, SourceRef, TimeUnit, Window, WindowKind, Within,
};
use crate::cursor::{Cursor, Result};
use crate::lexer::Kind;

/// A query. The cursor stands on SELECT.
pub(super) fn query(c: &mut Cursor) -> Result<Query> {
    let start = c.start();
    c.expect_word("SELECT")?;
    let mut select = vec![select_item(c)?];
    while c.eat(Kind::Comma) {
        select.push(select_item(c)?);
    }
    c.expect_word("FROM")?;
    let from = relation(c)?;
    let window = if c.eat_word("WINDOW") { Some(window(c)?) } else { None };
    let filter = if c.eat_word("WHERE") { Some(expr(c)?) } else { None };
    let group_by = if c.eat_words(&["GROUP", "BY"]) { expr_list(c)? } else { Vec::new() };
    let partition_by = if c.eat_words(&["PARTITION", "BY"]) { expr_list(c)? } else { Vec::new() };
    let having = if c.eat_word("HAVING") { Some(expr(c)?) } else { None };
    let emit = if c.eat_word("EMIT") { Some(emit(c)?) } else { None };
    let limit = if c.eat_word("LIMIT") { Some(c.unsigned("a number of rows")?) } else { None };
    Ok(Query { select, from, window, filter, group_by, partition_by, having, emit, limit, span: c.span_from(start) })
}

fn emit(c: &mut Cursor) -> Result<Emit> {
    if c.eat_word("CHANGES") {
        return Ok(Emit::Changes);
    }
    c.expect_word("FINAL")?;
    Ok(Emit::Final)
}

fn select_item(c: &mut Cursor) -> Result<SelectItem> {
    let start = c.start();
    c.height = 0;
    if c.eat(Kind::Star) {
        return Ok(SelectItem { kind: SelectItemKind::All { source: None }, span: c.span_from(start) });
    }
    if c.name_at(0) && c.kind_at(1) == Kind::Dot && c.kind_at(2) == Kind::Star {
        let source = c.name("a source name")?;
        c.advance();
        c.advance();
        return Ok(SelectItem { kind: SelectItemKind::All { source: Some(source) }, span: c.span_from(start) });
    }
    let expr = if matches!(c.kind(), Kind::Plus | Kind::Minus) || c.keyword_at(0, "NOT") {
        expr(c)?
    } else {
        let base = primary(c)?;
        if c.kind() == Kind::Arrow && c.kind_at(1) == Kind::Star {
            c.advance();
            c.advance();
            return Ok(SelectItem { kind: SelectItemKind::StructAll { base }, span: c.span_from(start) });
        }
        expr_after(c, base, start)?
    };
    let alias = if c.eat_word("AS") || c.name_at(0) { Some(c.name("an alias name")?) } else { None };
    Ok(SelectItem { kind: SelectItemKind::Expr { expr, alias }, span: c.span_from(start) })
}

/// `e, …` or `(e, …)`
fn expr_list(c: &mut Cursor) -> Result<Vec<Expr>> {
    // `(a, b)` is a list; `(a) + 1` and `(a + b), c` are expressions that begin with a parenthesis.
    if c.kind() == Kind::LeftParen && list_in_parens(c) {
        c.advance();
        let items = bare_list(c)?;
        c.expect(Kind::RightParen)?;
        return Ok(items);
    }
    bare_list(c)
}

fn bare_list(c: &mut Cursor) -> Result<Vec<Expr>> {
    let mut items = vec![expr(c)?];
    while c.eat(Kind::Comma) {
        items.push(expr(c)?);
    }
    Ok(items)
}

/// Whether the parenthesis the cursor stands on holds a comma of its own.
fn list_in_parens(c: &Cursor) -> bool {
    let mut depth = 0usize;
    for ahead in 0.. {
        match c.kind_at(ahead) {
            Kind::LeftParen | Kind::LeftBracket => depth += 1,
            Kind::RightParen | Kind::RightBracket => depth = depth.saturating_sub(1),
            Kind::Comma if depth == 1 => return true,
            Kind::End | Kind::Semicolon => return false,
            _ => {}
        }
        if depth == 0 {
            return false;
        }
    }
    false
}

fn relation(c: &mut Cursor) -> Result<Relation> {
    let source = source_ref(c)?;
    let mut joins = Vec::new();
    loop {
        let start = c.start();
        let Some(kind) = join_kind(c)? else { return Ok(Relation { source, joins }) };
        let right = source_ref(c)?;
        let within = if c.keyword_at(0, "WITHIN") { Some(within(c)?) } else { None };
        c.expect_word("ON")?;
        let on = expr(c)?;
        joins.push(Join { kind, right, within, on, span: c.span_from(start) });
    }
}

fn source_ref(c: &mut Cursor) -> Result<SourceRef> {
    let start = c.start();
    if c.kind() == Kind::LeftParen {
        return Err(c.error(c.peek().span, "subqueries are not in the language: make the inner query a stream or table of its own"));
    }
    let name = c.name("a source name")?;
    let alias = if c.eat_word("AS") || (c.name_at(0) && !begins_clause(c)) { Some(c.name("an alias name")?) } else { None };
    Ok(SourceRef { name, alias, span: c.span_from(start) })
}

/// Whether the name the cursor stands on is no alias but opens a clause: one of the language, or one of common SQL
/// that is better told than taken for an alias.
fn begins_clause(c: &Cursor) -> bool {
    const PAIRS: &[(&str, &[&str])] = &[
        ("EMIT", &["CHANGES", "FINAL"]),
        ("PARTITION", &["BY"]),
        ("ORDER", &["BY"]),
        ("CROSS", &["JOIN"]),
        ("UNION", &["ALL", "SELECT", "DISTINCT"]),
        ("INTERSECT", &["SELECT"]),
        ("EXCEPT", &["SELECT"]),
    ];
    PAIRS.iter().any(|(first, second)| c.keyword_at(0, first) && second.iter().any(|w| c.keyword_at(1, w)))
}

/// The words up to JOIN, if there is a join.
fn join_kind(c: &mut Cursor) -> Result<Option<JoinKind>> {
    if c.eat_word("JOIN") {
        return Ok(Some(JoinKind::Inner));
    }
    if c.eat_word("INNER") {
        c.expect_word("JOIN")?;
        return Ok(Some(JoinKind::Inner));
    }
    for (word, kind) in [("LEFT", JoinKind::Left), ("RIGHT", JoinKind::Right), ("FULL", JoinKind::Full)] {
        if c.eat_word(word) {
            c.eat_word("OUTER");
            c.expect_word("JOIN")?;
            return Ok(Some(kind));
        }
    }
    Ok(None)
}

fn within(c: &mut Cursor) -> Result<Within> {
    let start = c.start();
    c.expect_word("WITHIN")?;
    let (before, after) = if c.eat(Kind::LeftParen) {
        let before = interval(c)?;
        c.expect(Kind::Comma)?;
        let after = interval(c)?;
        c.expect(Kind::RightParen)?;
        (before, after)
    } else {
        let both = interval(c)?;
        (both, both)
    };
    let grace = if c.eat_words(&["GRACE", "PERIOD"]) { Some(interval(c)?) } else { None };
    Ok(Within { before, after, grace, span: c.span_from(start) })
}

/// What follows WINDOW.
fn window(c: &mut Cursor) -> Result<Window> {
    let start = c.start();
    let is_kind = ["TUMBLING", "HOPPING", "SESSION"].iter().any(|w| c.keyword_at(0, w)) && c.kind_at(1) == Kind::LeftParen;
    let name = if !is_kind && c.name_at(0) { Some(c.name("a window name")?) } else { None };
    let kind = if c.eat_word("TUMBLING") {
        c.expect(Kind::LeftParen)?;
        c.expect_word("SIZE")?;
        WindowKind::Tumbling { size: interval(c)? }
    } else if c.eat_word("HOPPING") {
        c.expect(Kind::LeftParen)?;
        c.expect_word("SIZE")?;
        let size = interval(c)?;
        c.expect(Kind::Comma)?;
        c.expect_words(&["ADVANCE", "BY"])?;
        WindowKind::Hopping { size, advance: interval(c)? }
    } else {
        c.expect_word("SESSION")?;
        c.expect(Kind::LeftParen)?;
        WindowKind::Session { gap: interval(c)? }
    };
    let (mut retention, mut grace) = (None, None);
    while c.eat(Kind::Comma) {
        if retention.is_none() && grace.is_none() && c.eat_word("RETENTION") {
            retention = Some(interval(c)?);
        } else if grace.is_none() && c.eat_words(&["GRACE", "PERIOD"]) {
            grace = Some(interval(c)?);
        } else {
            return Err(c.unexpected());
        }
    }
    c.expect(Kind::RightParen)?;
    Ok(Window { name, kind, retention, grace, span: c.span_from(start) })
}

/// `n unit`
pub(super) fn interval(c: &mut Cursor) -> Result<Interval> {
    let start = c.start();
    let value = c.unsigned("a length of time")?;
    let token = c.peek();
    let word = c.source(token);
    let unit = (token.kind == Kind::Word).then(|| plural_time_unit(word).or_else(|| singular_time_unit(word))).flatten();
    let Some(unit) = unit else {
        c.note("a unit of time such as SECONDS");
        return Err(c.unexpected());
    };
    c.advance();
    Ok(Interval { value, unit, span: c.span_from(start) })
}

/// The units whose words are reserved: the plurals, and MILLISECOND.
pub(super) fn plural_time_unit(word: &str) -> Option<TimeUnit> {
    Some(match word.to_ascii_uppercase().as_str() {
        "MILLISECOND" | "MILLISECONDS" => TimeUnit::Millisecond,
        "SECONDS" => TimeUnit::Second,
        "MINUTES" => TimeUnit::Minute,
        "HOURS" => TimeUnit::Hour,
        "DAYS" => TimeUnit::Day,
        "MONTHS" => TimeUnit::Month,
        "YEARS" => TimeUnit::Year,
        _ => return None,
    })
}

fn singular_time_unit(word: &str) -> Option<TimeUnit> {
    Some(match word.to_ascii_uppercase().as_str() {
        "SECOND" => TimeUnit::Second,
        "MINUTE" => TimeUnit::Minute,
        "HOUR" => TimeUnit::Hour,
        "DAY" => TimeUnit::Day,
        "MONTH" => TimeUnit::Month,
        "YEAR" => TimeUnit::Year,
        _ => return None,
    })
}
