//! Queries as written: what SELECT can say.

use super::expr::{Expr, TimeUnit};
use super::name::Ident;
use crate::span::Span;

/// `SELECT … FROM …` with all its clauses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Query {
    /// The projection; at least one item.
    pub select: Vec<SelectItem>,
    /// What is read.
    pub from: Relation,
    /// `WINDOW …`
    pub window: Option<Window>,
    /// `WHERE …`
    pub filter: Option<Expr>,
    /// `GROUP BY …`; empty if absent. `GROUP BY (a, b)` is the same as `GROUP BY a, b`.
    pub group_by: Vec<Expr>,
    /// `PARTITION BY …`; empty if absent.
    pub partition_by: Vec<Expr>,
    /// `HAVING …`
    pub having: Option<Expr>,
    /// `EMIT …`; without it a SELECT of its own is a pull query.
    pub emit: Option<Emit>,
    /// `LIMIT n`
    pub limit: Option<u64>,
    /// Where it was written.
    pub span: Span,
}

/// One item of the projection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SelectItem {
    /// What is selected.
    pub kind: SelectItemKind,
    /// Where it was written, alias included.
    pub span: Span,
}

/// The forms of a projection item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SelectItemKind {
    /// `expr [[AS] alias]`
    Expr {
        /// The expression.
        expr: Expr,
        /// The alias, if given.
        alias: Option<Ident>,
    },
    /// `*` or `source.*`
    All {
        /// The source's name or alias, if given.
        source: Option<Ident>,
    },
    /// `base->*`: every field of a struct
    StructAll {
        /// The struct.
        base: Expr,
    },
}

/// What a query reads: a source, and those joined to it from left to right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Relation {
    /// The left-most source.
    pub source: SourceRef,
    /// The joins in order: each joins its source to the result of all before it.
    pub joins: Vec<Join>,
}

/// `name [[AS] alias]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceRef {
    /// The stream's or table's name.
    pub name: Ident,
    /// The alias, if given.
    pub alias: Option<Ident>,
    /// Where it was written, alias included.
    pub span: Span,
}

impl SourceRef {
    /// The name columns are qualified with: the alias, else the source's own.
    pub fn alias_or_name(&self) -> &Ident {
        self.alias.as_ref().unwrap_or(&self.name)
    }
}

/// One JOIN.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Join {
    /// Inner or outer.
    pub kind: JoinKind,
    /// What is joined.
    pub right: SourceRef,
    /// `WITHIN …`, of stream-stream joins.
    pub within: Option<Within>,
    /// `ON …`
    pub on: Expr,
    /// Where it was written.
    pub span: Span,
}

/// Inner or outer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JoinKind {
    /// `[INNER] JOIN`
    Inner,
    /// `LEFT [OUTER] JOIN`
    Left,
    /// `RIGHT [OUTER] JOIN`
    Right,
    /// `FULL [OUTER] JOIN`
    Full,
}

/// `WITHIN n u [GRACE PERIOD n u]` or `WITHIN (n u, n u) …`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Within {
    /// How far a right row may lie before the left one.
    pub before: Interval,
    /// How far a right row may lie after the left one; the same as `before` in the short form.
    pub after: Interval,
    /// `GRACE PERIOD n u`
    pub grace: Option<Interval>,
    /// Where it was written.
    pub span: Span,
}

/// `WINDOW [name] …`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The window's name, which nothing refers to.
    pub name: Option<Ident>,
    /// Its shape.
    pub kind: WindowKind,
    /// `RETENTION n u`
    pub retention: Option<Interval>,
    /// `GRACE PERIOD n u`
    pub grace: Option<Interval>,
    /// Where it was written.
    pub span: Span,
}

/// The shapes of a window.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum WindowKind {
    /// `TUMBLING (SIZE n u …)`
    Tumbling {
        /// The length.
        size: Interval,
    },
    /// `HOPPING (SIZE n u, ADVANCE BY n u …)`
    Hopping {
        /// The length.
        size: Interval,
        /// From one window's start to the next one's.
        advance: Interval,
    },
    /// `SESSION (n u …)`
    Session {
        /// The longest pause within a session.
        gap: Interval,
    },
}

/// A length of time as written: `10 SECONDS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// How many units.
    pub value: u64,
    /// The unit.
    pub unit: TimeUnit,
    /// Where it was written.
    pub span: Span,
}

impl Interval {
    /// The length in milliseconds; `None` for months and years, and when it does not fit 63 bits.
    pub fn millis(&self) -> Option<i64> {
        i64::try_from(self.value.checked_mul(self.unit.millis()?)?).ok()
    }
}

/// When a push query, or a persistent one, emits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Emit {
    /// `EMIT CHANGES`: every change
    Changes,
    /// `EMIT FINAL`: each window once, when it is closed
    Final,
}
