//! Queries.

use std::fmt::{self, Display, Formatter};

use super::list;
use crate::ast::{Emit, Interval, Join, JoinKind, Query, Relation, SelectItem, SelectItemKind, SourceRef, Window, WindowKind, Within};
use crate::print::expr::as_struct;

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "SELECT {} FROM {}", list(&self.select), self.from)?;
        if let Some(window) = &self.window {
            write!(f, " WINDOW {window}")?;
        }
        if let Some(filter) = &self.filter {
            write!(f, " WHERE {filter}")?;
        }
        if !self.group_by.is_empty() {
            write!(f, " GROUP BY {}", list(&self.group_by))?;
        }
        if !self.partition_by.is_empty() {
            write!(f, " PARTITION BY {}", list(&self.partition_by))?;
        }
        if let Some(having) = &self.having {
            write!(f, " HAVING {having}")?;
        }
        match self.emit {
            Some(Emit::Changes) => f.write_str(" EMIT CHANGES")?,
            Some(Emit::Final) => f.write_str(" EMIT FINAL")?,
            None => {}
        }
        match self.limit {
            Some(limit) => write!(f, " LIMIT {limit}"),
            None => Ok(()),
        }
    }
}

impl Display for SelectItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            SelectItemKind::Expr { expr, alias: Some(alias) } => write!(f, "{expr} AS {alias}"),
            SelectItemKind::Expr { expr, alias: None } => expr.fmt(f),
            SelectItemKind::All { source: Some(source) } => write!(f, "{source}.*"),
            SelectItemKind::All { source: None } => f.write_str("*"),
            SelectItemKind::StructAll { base } => write!(f, "{}->*", as_struct(base)),
        }
    }
}

impl Display for Relation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)?;
        self.joins.iter().try_for_each(|join| write!(f, " {join}"))
    }
}

impl Display for SourceRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.alias {
            Some(alias) => write!(f, "{} AS {alias}", self.name),
            None => self.name.fmt(f),
        }
    }
}

impl Display for Join {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            JoinKind::Inner => "JOIN",
            JoinKind::Left => "LEFT JOIN",
            JoinKind::Right => "RIGHT JOIN",
            JoinKind::Full => "FULL JOIN",
        };
        write!(f, "{kind} {}", self.right)?;
        if let Some(within) = &self.within {
            write!(f, " {within}")?;
        }
        write!(f, " ON {}", self.on)
    }
}

impl Display for Within {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.before == self.after {
            write!(f, "WITHIN {}", self.before)?;
        } else {
            write!(f, "WITHIN ({}, {})", self.before, self.after)?;
        }
        match &self.grace {
            Some(grace) => write!(f, " GRACE PERIOD {grace}"),
            None => Ok(()),
        }
    }
}

impl Display for Window {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name} ")?;
        }
        match &self.kind {
            WindowKind::Tumbling { size } => write!(f, "TUMBLING (SIZE {size}")?,
            WindowKind::Hopping { size, advance } => write!(f, "HOPPING (SIZE {size}, ADVANCE BY {advance}")?,
            WindowKind::Session { gap } => write!(f, "SESSION ({gap}")?,
        }
        if let Some(retention) = &self.retention {
            write!(f, ", RETENTION {retention}")?;
        }
        if let Some(grace) = &self.grace {
            write!(f, ", GRACE PERIOD {grace}")?;
        }
        f.write_str(")")
    }
}

impl Display for Interval {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.value, self.unit)
    }
}
