//! Expressions: a Pratt parser. Each operator has a level; an operand takes all operators of its level and above.

mod literal;
mod primary;

use crate::ast::{ArithmeticOp, ComparisonOp, Expr, ExprKind, FunctionCall, Ident, LogicalOp, Sign};
use crate::cursor::{Cursor, MAX_HEIGHT, Result};
use crate::lexer::Kind;

pub(super) use literal::literal;
pub(super) use primary::primary;

/// Levels from loose to tight.
mod level {
    pub const OR: u8 = 1;
    pub const AND: u8 = 2;
    pub const NOT: u8 = 3;
    pub const COMPARISON: u8 = 4;
    pub const CONCAT: u8 = 5;
    pub const SUM: u8 = 6;
    pub const PRODUCT: u8 = 7;
    pub const SIGN: u8 = 8;
    pub const ZONE: u8 = 9;
}

/// An operator that stands between operands, or behind one.
enum Infix {
    Logical(LogicalOp),
    Comparison(ComparisonOp),
    /// IS, BETWEEN, IN, LIKE, and the NOT before the last three
    Predicate,
    Concat,
    Arithmetic(ArithmeticOp),
    Zone,
}

/// Any expression.
pub(super) fn expr(c: &mut Cursor) -> Result<Expr> {
    operand(c, level::OR)
}

/// An expression of operators at `min` and above.
fn operand(c: &mut Cursor, min: u8) -> Result<Expr> {
    c.enter()?;
    let (start, outer) = (c.start(), std::mem::take(&mut c.height));
    let left = prefix(c, min)?;
    let whole = operators(c, left, start, min)?;
    c.height = c.height.max(outer);
    c.leave();
    Ok(whole)
}

/// Goes on with an expression whose first operand, a primary that began at `start`, has been read.
pub(super) fn expr_after(c: &mut Cursor, left: Expr, start: usize) -> Result<Expr> {
    operators(c, left, start, level::OR)
}

fn prefix(c: &mut Cursor, min: u8) -> Result<Expr> {
    let start = c.start();
    if min <= level::NOT && c.eat_word("NOT") {
        let inner = operand(c, level::NOT)?;
        grow(c)?;
        return Ok(Expr { kind: ExprKind::Not(Box::new(inner)), span: c.span_from(start) });
    }
    let number_follows = matches!(c.kind_at(1), Kind::Integer | Kind::Decimal | Kind::Float);
    let sign = match c.kind() {
        Kind::Plus => Sign::Plus,
        Kind::Minus if !number_follows => Sign::Minus,
        _ => return primary(c),
    };
    c.advance();
    let inner = operand(c, level::SIGN)?;
    grow(c)?;
    Ok(Expr { kind: ExprKind::Unary { sign, operand: Box::new(inner) }, span: c.span_from(start) })
}

/// The operators behind `left`, each with its right operand.
fn operators(c: &mut Cursor, mut left: Expr, start: usize, min: u8) -> Result<Expr> {
    let mut compared = false;
    while let Some((level, infix)) = infix(c) {
        if level < min {
            break;
        }
        if level == level::COMPARISON && std::mem::replace(&mut compared, true) {
            let message = "comparisons cannot follow one another: put parentheses around one, or AND between them";
            return Err(c.error(c.peek().span, message));
        }
        compared &= level >= level::COMPARISON;
        left = apply(c, left, start, level, infix)?;
    }
    Ok(left)
}

/// One operator with its right side. The cursor stands on the operator.
fn apply(c: &mut Cursor, left: Expr, start: usize, level: u8, infix: Infix) -> Result<Expr> {
    let at = c.peek().span;
    let kind = match infix {
        Infix::Predicate => predicate(c, left)?,
        Infix::Zone => {
            c.expect_words(&["AT", "TIME", "ZONE"])?;
            ExprKind::AtTimeZone { operand: Box::new(left), zone: c.string("the zone's name as a string")? }
        }
        Infix::Comparison(op) => {
            c.advance();
            ExprKind::Comparison { op, left: Box::new(left), right: right(c, level)? }
        }
        Infix::Logical(op) => {
            c.advance();
            ExprKind::Logical { op, left: Box::new(left), right: right(c, level)? }
        }
        Infix::Arithmetic(op) => {
            c.advance();
            ExprKind::Arithmetic { op, left: Box::new(left), right: right(c, level)? }
        }
        Infix::Concat => {
            let mut args = vec![left];
            while c.eat(Kind::Concat) {
                args.push(operand(c, level + 1)?);
            }
            let name = Ident { value: "CONCAT".to_string(), quoted: false, span: at };
            ExprKind::Function(FunctionCall { name, args, star: false })
        }
    };
    grow(c)?;
    Ok(Expr { kind, span: c.span_from(start) })
}

fn right(c: &mut Cursor, level: u8) -> Result<Box<Expr>> {
    Ok(Box::new(operand(c, level + 1)?))
}

/// The operator the cursor stands on, if it is one, and its level.
fn infix(c: &mut Cursor) -> Option<(u8, Infix)> {
    let arithmetic = |level, op| Some((level, Infix::Arithmetic(op)));
    let comparison = |op| Some((level::COMPARISON, Infix::Comparison(op)));
    match c.kind() {
        Kind::Star => arithmetic(level::PRODUCT, ArithmeticOp::Multiply),
        Kind::Slash => arithmetic(level::PRODUCT, ArithmeticOp::Divide),
        Kind::Percent => arithmetic(level::PRODUCT, ArithmeticOp::Modulo),
        Kind::Plus => arithmetic(level::SUM, ArithmeticOp::Add),
        Kind::Minus => arithmetic(level::SUM, ArithmeticOp::Subtract),
        Kind::Concat => Some((level::CONCAT, Infix::Concat)),
        Kind::Equal => comparison(ComparisonOp::Equal),
        Kind::NotEqual => comparison(ComparisonOp::NotEqual),
        Kind::Less => comparison(ComparisonOp::LessThan),
        Kind::LessEqual => comparison(ComparisonOp::LessThanOrEqual),
        Kind::Greater => comparison(ComparisonOp::GreaterThan),
        Kind::GreaterEqual => comparison(ComparisonOp::GreaterThanOrEqual),
        Kind::Word if c.keyword_at(0, "AND") => Some((level::AND, Infix::Logical(LogicalOp::And))),
        Kind::Word if c.keyword_at(0, "OR") => Some((level::OR, Infix::Logical(LogicalOp::Or))),
        Kind::Word if c.keyword_at(0, "AT") => Some((level::ZONE, Infix::Zone)),
        Kind::Word if ["IS", "BETWEEN", "IN", "LIKE"].iter().any(|w| c.keyword_at(0, w)) => Some((level::COMPARISON, Infix::Predicate)),
        Kind::Word if c.keyword_at(0, "NOT") && ["BETWEEN", "IN", "LIKE"].iter().any(|w| c.keyword_at(1, w)) => {
            Some((level::COMPARISON, Infix::Predicate))
        }
        _ => {
            c.note("an operator");
            None
        }
    }
}

fn predicate(c: &mut Cursor, left: Expr) -> Result<ExprKind> {
    let left = Box::new(left);
    if c.eat_word("IS") {
        let negated = c.eat_word("NOT");
        if c.eat_word("NULL") {
            return Ok(ExprKind::IsNull { operand: left, negated });
        }
        c.expect_word("DISTINCT")?;
        c.expect_word("FROM")?;
        let op = if negated { ComparisonOp::IsNotDistinctFrom } else { ComparisonOp::IsDistinctFrom };
        return Ok(ExprKind::Comparison { op, left, right: Box::new(operand(c, level::CONCAT)?) });
    }
    let negated = c.eat_word("NOT");
    if c.eat_word("BETWEEN") {
        let low = Box::new(operand(c, level::CONCAT)?);
        c.expect_word("AND")?;
        let high = Box::new(operand(c, level::CONCAT)?);
        return Ok(ExprKind::Between { operand: left, negated, low, high });
    }
    if c.eat_word("IN") {
        c.expect(Kind::LeftParen)?;
        let list = list(c, Kind::RightParen)?;
        return Ok(ExprKind::InList { operand: left, negated, list });
    }
    c.expect_word("LIKE")?;
    let pattern = Box::new(operand(c, level::CONCAT)?);
    let mut escape = None;
    if c.eat_word("ESCAPE") {
        let span = c.peek().span;
        let text = c.string("the escape character as a string")?;
        let mut chars = text.chars();
        escape = chars.next();
        if escape.is_none() || chars.next().is_some() {
            return Err(c.error(span, "ESCAPE takes a string of exactly one character"));
        }
    }
    Ok(ExprKind::Like { operand: left, negated, pattern, escape })
}

/// `e, … <close>` with at least one expression; takes the closing sign.
pub(super) fn list(c: &mut Cursor, close: Kind) -> Result<Vec<Expr>> {
    let mut items = vec![expr(c)?];
    while c.eat(Kind::Comma) {
        items.push(expr(c)?);
    }
    c.expect(close)?;
    Ok(items)
}

/// One level more above what was just read.
fn grow(c: &mut Cursor) -> Result<()> {
    c.height += 1;
    if c.height > MAX_HEIGHT {
        let message = format!("the expression is more than {MAX_HEIGHT} levels high: use IN (…), or split it up");
        return Err(c.error(c.peek().span, message));
    }
    Ok(())
}
