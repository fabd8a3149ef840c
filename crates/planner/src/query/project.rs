//! The projection: `*` expanded, columns named, and for persistent queries the key told apart from the values.

use std::collections::BTreeSet;

use flumen_expr::Expr as Typed;
use flumen_parser::Span;
use flumen_parser::ast::{Expr, ExprKind, Ident};
use flumen_plan::{NamedExpr, Operator, RowSchema};
use flumen_types::{PseudoColumn, SqlType, back_tick};

use super::clauses::Item;
use super::flow::Flow;
use super::names::Names;
use super::scope::is_bound;
use super::{Planning, Rows, Use};
use crate::PlanError;

/// One result column.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) expr: Expr,
    pub(crate) typed: Typed,
    span: Span,
}

impl Planning<'_> {
    /// The result columns of a query in the order of its projection.
    pub(crate) fn projection(&self, rows: &Rows, used_as: Use) -> Result<Vec<Column>, PlanError> {
        let bindings = rows.flow.bindings();
        let mut names = Names::new(&self.scope);
        let mut columns: Vec<Column> = Vec::new();
        for item in &rows.clauses.select {
            for (expr, name, span) in self.expand(item, &rows.flow, &mut names, used_as)? {
                let typed = self.translator(&bindings).expr(&expr).map_err(|e| e.within("Invalid Select"))?;
                if matches!(typed, Typed::Null) {
                    return Err(PlanError::user_at(
                        span,
                        "Can't infer a type of null. Please explicitly cast it to a required type, e.g. CAST(null AS VARCHAR).",
                    ));
                }
                columns.push(Column { name, expr, typed, span });
            }
        }
        let mut seen = BTreeSet::new();
        match columns.iter().find(|c| !seen.insert(c.name.as_str())) {
            Some(twice) => Err(PlanError::user_at(
                twice.span,
                format!(
                    "The projection contains the column name {} more than once. Give one of them another alias.",
                    back_tick(&twice.name)
                ),
            )),
            None => Ok(columns),
        }
    }

    fn expand(&self, item: &Item, flow: &Flow, names: &mut Names, used_as: Use) -> Result<Vec<(Expr, String, Span)>, PlanError> {
        match item {
            Item::Expr { expr, alias: Some(alias) } => {
                check_alias(alias)?;
                Ok(vec![(expr.clone(), alias.value.clone(), expr.span)])
            }
            Item::Expr { expr, alias: None } => {
                let name = names.of(expr, &self.scope);
                if used_as == Use::Persistent && PseudoColumn::from_name(&name).is_some() {
                    return Err(PlanError::user_at(
                        expr.span,
                        format!("Reserved column name in select: {}. Please remove or alias the column.", back_tick(&name)),
                    ));
                }
                Ok(vec![(expr.clone(), name, expr.span)])
            }
            Item::All { source, span } => Ok(self.expand_all(source.as_deref(), *span, flow, used_as)),
            Item::StructAll { base } => {
                let bindings = flow.bindings();
                let typed = self.translator(&bindings).expr(base)?;
                let SqlType::Struct(fields) = typed.ty() else {
                    return Err(PlanError::user_at(
                        base.span,
                        format!("{base}->* is possible for STRUCTs only, but {base} is {}", typed.ty()),
                    ));
                };
                let field = |name: &str| Expr {
                    kind: ExprKind::StructDeref { base: Box::new(base.clone()), field: Ident::new(name) },
                    span: base.span,
                };
                Ok(fields.iter().map(|f| field(&f.name)).map(|e| (e.clone(), names.of(&e, &self.scope), base.span)).collect())
            }
        }
    }

    fn expand_all(&self, source: Option<&str>, span: Span, flow: &Flow, used_as: Use) -> Vec<(Expr, String, Span)> {
        let of_source = |e: &Expr| match (source, &e.kind) {
            (None, _) => true,
            (Some(alias), ExprKind::Column { source: Some(source), .. }) => source.value == alias,
            _ => false,
        };
        let keys = flow.schema.keys.len();
        let mut all: Vec<(Expr, String, Span)> = Vec::new();
        for (at, (column, (name, _))) in flow.typed().enumerate() {
            if at == keys && used_as == Use::Transient {
                all.extend(window_bounds(flow, span));
            }
            if column.starred && of_source(&column.holds) {
                all.push((column.holds.clone(), name.clone(), span));
            }
        }
        all
    }

    /// The last step before the sink of a persistent query: key columns named, the others as values.
    pub(crate) fn persistent(&mut self, rows: &mut Rows, sink: &str) -> Result<(), PlanError> {
        let columns = self.projection(rows, Use::Persistent)?;
        let (keys, values) = split_keys(&rows.flow, columns, sink)?;
        if values.is_empty() {
            return Err(PlanError::user("The projection contains no value columns."));
        }
        let key_types = rows.flow.schema.keys.iter().map(|(_, ty)| ty.clone());
        let schema = RowSchema {
            keys: keys.iter().map(|k| k.name.clone()).zip(key_types).collect(),
            values: values.iter().map(|v| (v.name.clone(), v.typed.ty().clone())).collect(),
            window: rows.flow.schema.window,
        };
        let names = keys.into_iter().map(|k| k.name).collect();
        self.select(&mut rows.flow, names, values, schema);
        Ok(())
    }

    /// Adds a projection unless the rows are like that already.
    pub(crate) fn select(&mut self, flow: &mut Flow, keys: Vec<String>, values: Vec<Column>, schema: RowSchema) {
        let first = flow.schema.keys.len() as u32;
        let in_place = |(at, v): (u32, &Column)| matches!(&v.typed, Typed::Column { index, .. } if *index == first + at);
        if schema == flow.schema && (0..).zip(&values).all(in_place) {
            return;
        }
        let keys = if keys.iter().eq(flow.schema.keys.iter().map(|(name, _)| name)) { Vec::new() } else { keys };
        let values = values.into_iter().map(|v| NamedExpr { name: v.name, expr: v.typed }).collect();
        self.builder.append(flow, Operator::Select { keys, values }, schema);
    }
}

fn check_alias(alias: &Ident) -> Result<(), PlanError> {
    match PseudoColumn::from_name(&alias.value) {
        None => Ok(()),
        Some(_) => Err(PlanError::user_at(
            alias.span,
            format!("{} is a reserved column name. You cannot use it as an alias for a column.", back_tick(&alias.value)),
        )),
    }
}

/// WINDOWSTART and WINDOWEND of a windowed source.
fn window_bounds(flow: &Flow, span: Span) -> Vec<(Expr, String, Span)> {
    let Some(alias) = flow.pseudo_of.as_ref().filter(|_| flow.schema.window.is_some()) else { return Vec::new() };
    let bounds = PseudoColumn::ALL.into_iter().filter(|p| is_bound(p.name()));
    bounds.map(|p| (super::scope::column(alias, p.name(), span), p.name().to_string(), span)).collect()
}

/// The columns that name the key, in the key's order, and the others.
fn split_keys(flow: &Flow, mut columns: Vec<Column>, sink: &str) -> Result<(Vec<Column>, Vec<Column>), PlanError> {
    let mut keys = Vec::with_capacity(flow.key.viable.len());
    let mut missing: Vec<&[Expr]> = Vec::new();
    for viable in flow.key.viable.iter().take(flow.schema.keys.len()) {
        let best = viable.iter().find(|v| columns.iter().any(|c| c.expr == **v));
        let Some(best) = best else {
            missing.push(viable);
            continue;
        };
        let mut matching = columns.iter().filter(|c| c.expr == *best);
        if let (Some(one), Some(two)) = (matching.next(), matching.next()) {
            return Err(PlanError::user_at(
                two.span,
                format!(
                    "The projection contains a key column ({best}) more than once, aliased as: {} and {}.\nEach key column must only be in the projection once. If you intended to copy the key into the value, then consider using the AS_VALUE function to indicate which key reference should be copied.",
                    one.name, two.name
                ),
            ));
        }
        if let Some(at) = columns.iter().position(|c| c.expr == *best) {
            keys.push(columns.remove(at));
        }
    }
    if missing.is_empty() { Ok((keys, columns)) } else { Err(missing_error(flow, &missing, sink)) }
}

fn missing_error(flow: &Flow, missing: &[&[Expr]], sink: &str) -> PlanError {
    let called = flow.key.called;
    let first: Vec<String> = missing.iter().filter_map(|v| v.first()).map(|e| shown(e, called)).collect();
    let all: Vec<String> = match missing {
        [one] => {
            let columns: Vec<&Expr> = one.iter().filter(|e| matches!(e.kind, ExprKind::Column { .. })).collect();
            let named = if columns.is_empty() { one.iter().take(1).collect() } else { columns };
            named.into_iter().map(|e| shown(e, called)).collect()
        }
        _ => first.clone(),
    };
    let (word, plural) = (if missing.len() == 1 { "or" } else { "and" }, if all.len() > 1 { "s" } else { "" });
    let list = match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
        None => String::new(),
    };
    PlanError::user(format!(
        "Key missing from projection (ie, SELECT).\nThe query used to build {} must include the {called}{plural} {list} in its projection (eg, SELECT {}...).",
        back_tick(sink),
        first.join(", ")
    ))
}

/// A key column without the qualifier where there is one source only.
fn shown(expr: &Expr, called: &str) -> String {
    match &expr.kind {
        ExprKind::Column { name, .. } if called != "join expression" => flumen_types::quote_name(&name.value),
        _ => expr.to_string(),
    }
}
