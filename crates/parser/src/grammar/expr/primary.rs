//! Operands: constants, columns, calls, constructors, CASE, CAST, parentheses, and the `[…]` and `->` behind them.

use super::{expr, grow, literal};
use crate::ast::{Expr, ExprKind, FunctionCall, Ident, TimeUnit, WhenClause};
use crate::cursor::{Cursor, Result};
use crate::grammar::query::plural_time_unit;
use crate::grammar::types::data_type;
use crate::lexer::Kind;

/// An operand with its subscripts and field accesses. A `->*` behind it is left for the caller.
pub(crate) fn primary(c: &mut Cursor) -> Result<Expr> {
    let start = c.start();
    let mut base = simple(c)?;
    loop {
        let kind = if c.eat(Kind::LeftBracket) {
            let index = Box::new(expr(c)?);
            c.expect(Kind::RightBracket)?;
            ExprKind::Subscript { base: Box::new(base), index }
        } else if c.kind() == Kind::Arrow && c.kind_at(1) != Kind::Star {
            c.advance();
            ExprKind::StructDeref { base: Box::new(base), field: c.name("a field name")? }
        } else {
            return Ok(base);
        };
        grow(c)?;
        base = Expr { kind, span: c.span_from(start) };
    }
}

/// Each form has a function of its own, so that a deep nesting of one does not pay for the locals of the others.
fn simple(c: &mut Cursor) -> Result<Expr> {
    match c.kind() {
        Kind::LeftParen => parens(c),
        Kind::Word if c.keyword_at(0, "CASE") => built(c, case),
        Kind::Word if c.keyword_at(0, "CAST") => built(c, cast),
        Kind::Word if c.keyword_at(0, "ARRAY") && c.kind_at(1) == Kind::LeftBracket => built(c, array),
        Kind::Word if c.keyword_at(0, "MAP") && c.kind_at(1) == Kind::LeftParen => built(c, map),
        Kind::Word if c.keyword_at(0, "STRUCT") && c.kind_at(1) == Kind::LeftParen => built(c, structure),
        _ if c.name_at(0) && c.kind_at(1) == Kind::LeftParen => built(c, call),
        _ => leaf(c),
    }
}

fn built(c: &mut Cursor, rule: fn(&mut Cursor) -> Result<ExprKind>) -> Result<Expr> {
    let start = c.start();
    let kind = rule(c)?;
    grow(c)?;
    Ok(Expr { kind, span: c.span_from(start) })
}

fn parens(c: &mut Cursor) -> Result<Expr> {
    c.expect(Kind::LeftParen)?;
    if c.keyword_at(0, "SELECT") {
        return Err(c.error(c.peek().span, "subqueries are not in the language: make the inner query a stream or table of its own"));
    }
    let inner = expr(c)?;
    c.expect(Kind::RightParen)?;
    Ok(inner)
}

/// `ARRAY[e, …]`
fn array(c: &mut Cursor) -> Result<ExprKind> {
    c.expect_word("ARRAY")?;
    c.expect(Kind::LeftBracket)?;
    Ok(ExprKind::Array(entries(c, Kind::RightBracket, expr)?))
}

/// `MAP(k := v, …)`
fn map(c: &mut Cursor) -> Result<ExprKind> {
    c.expect_word("MAP")?;
    c.expect(Kind::LeftParen)?;
    Ok(ExprKind::Map(entries(c, Kind::RightParen, map_entry)?))
}

fn map_entry(c: &mut Cursor) -> Result<(Expr, Expr)> {
    let key = expr(c)?;
    c.expect(Kind::Assign)?;
    Ok((key, expr(c)?))
}

/// `STRUCT(name := v, …)`
fn structure(c: &mut Cursor) -> Result<ExprKind> {
    c.expect_word("STRUCT")?;
    c.expect(Kind::LeftParen)?;
    Ok(ExprKind::Struct(entries(c, Kind::RightParen, struct_entry)?))
}

fn struct_entry(c: &mut Cursor) -> Result<(Ident, Expr)> {
    let name = c.name("a field name")?;
    c.expect(Kind::Assign)?;
    Ok((name, expr(c)?))
}

/// A constant or a column.
fn leaf(c: &mut Cursor) -> Result<Expr> {
    let start = c.start();
    if let Some(value) = literal(c)? {
        return Ok(Expr { kind: ExprKind::Literal(value), span: c.span_from(start) });
    }
    let first = c.name("an expression")?;
    if c.kind() == Kind::String && !first.quoted && ["DATE", "TIME", "TIMESTAMP"].contains(&first.value.as_str()) {
        let message = format!("only DECIMAL '…' is a typed constant: a plain string becomes a {} where one is needed", first.value);
        return Err(c.error(c.span_from(start).to(c.peek().span), message));
    }
    let kind = if c.eat(Kind::Dot) {
        ExprKind::Column { source: Some(first), name: c.name("a column name")? }
    } else {
        ExprKind::Column { source: None, name: first }
    };
    Ok(Expr { kind, span: c.span_from(start) })
}

/// `NAME(argument, …)` or `NAME(*)`
fn call(c: &mut Cursor) -> Result<ExprKind> {
    let name = c.name("a function name")?;
    c.expect(Kind::LeftParen)?;
    if c.eat(Kind::Star) {
        c.expect(Kind::RightParen)?;
        return Ok(ExprKind::Function(FunctionCall { name, args: Vec::new(), star: true }));
    }
    let args = entries(c, Kind::RightParen, argument)?;
    Ok(ExprKind::Function(FunctionCall { name, args, star: false }))
}

/// An argument: an expression, a time unit or a lambda.
fn argument(c: &mut Cursor) -> Result<Expr> {
    let start = c.start();
    if let Some(params) = lambda_params(c)? {
        let outer = std::mem::take(&mut c.height);
        let body = Box::new(expr(c)?);
        grow(c)?;
        c.height = c.height.max(outer);
        return Ok(Expr { kind: ExprKind::Lambda { params, body }, span: c.span_from(start) });
    }
    if let Some(unit) = time_unit(c) {
        return Ok(Expr { kind: ExprKind::TimeUnit(unit), span: c.span_from(start) });
    }
    expr(c)
}

/// A unit whose word is reserved. The others (`DAY`, …) are names and so may be columns.
fn time_unit(c: &mut Cursor) -> Option<TimeUnit> {
    let unit = (c.kind() == Kind::Word).then(|| plural_time_unit(c.source(c.peek())))??;
    c.advance();
    Some(unit)
}

/// `x =>` or `(x, …) =>`, if that is next.
fn lambda_params(c: &mut Cursor) -> Result<Option<Vec<Ident>>> {
    if c.name_at(0) && c.kind_at(1) == Kind::FatArrow {
        let param = c.name("a parameter name")?;
        c.expect(Kind::FatArrow)?;
        return Ok(Some(vec![param]));
    }
    let mut ahead = 1;
    if c.kind() != Kind::LeftParen || !c.name_at(ahead) {
        return Ok(None);
    }
    while c.kind_at(ahead + 1) == Kind::Comma && c.name_at(ahead + 2) {
        ahead += 2;
    }
    if c.kind_at(ahead + 1) != Kind::RightParen || c.kind_at(ahead + 2) != Kind::FatArrow {
        return Ok(None);
    }
    let params = c.name_list("a parameter name")?;
    c.expect(Kind::FatArrow)?;
    Ok(Some(params))
}

/// `entry, … <close>`, maybe none; takes the closing sign.
fn entries<T>(c: &mut Cursor, close: Kind, mut entry: impl FnMut(&mut Cursor) -> Result<T>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    if c.eat(close) {
        return Ok(all);
    }
    all.push(entry(c)?);
    while c.eat(Kind::Comma) {
        all.push(entry(c)?);
    }
    c.expect(close)?;
    Ok(all)
}

fn cast(c: &mut Cursor) -> Result<ExprKind> {
    c.expect_word("CAST")?;
    c.expect(Kind::LeftParen)?;
    let operand = Box::new(expr(c)?);
    c.expect_word("AS")?;
    let data_type = data_type(c)?;
    c.expect(Kind::RightParen)?;
    Ok(ExprKind::Cast { operand, data_type })
}

fn case(c: &mut Cursor) -> Result<ExprKind> {
    c.expect_word("CASE")?;
    let operand = if c.keyword_at(0, "WHEN") { None } else { Some(Box::new(expr(c)?)) };
    let mut branches = Vec::new();
    c.expect_word("WHEN")?;
    loop {
        let when = expr(c)?;
        c.expect_word("THEN")?;
        branches.push(WhenClause { when, then: expr(c)? });
        if !c.eat_word("WHEN") {
            break;
        }
    }
    let default = if c.eat_word("ELSE") { Some(Box::new(expr(c)?)) } else { None };
    c.expect_word("END")?;
    Ok(match operand {
        Some(operand) => ExprKind::SimpleCase { operand, branches, default },
        None => ExprKind::SearchedCase { branches, default },
    })
}
