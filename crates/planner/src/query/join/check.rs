//! Which joins are possible.

use flumen_expr::Expr as Typed;
use flumen_parser::ast::JoinKind;
use flumen_types::{PseudoColumn, WindowKind};

use super::{Criterion, Pair};
use crate::PlanError;
use crate::query::flow::Flow;
use crate::query::partition::check_key_type;
use crate::query::{Planning, row_schema};

impl Planning<'_> {
    /// The kind of a join, when it is possible at all.
    pub(super) fn check_join(&self, left: &Flow, on: &Criterion) -> Result<Pair, PlanError> {
        let refuse = |text: String| Err(PlanError::user_at(on.span, text));
        let got = self.shown(on);
        let pair = match (left.table, on.source.def.is_table()) {
            (true, false) => {
                return refuse(format!("Invalid join order: table-stream joins are not supported; only stream-table joins. Got {got}."));
            }
            (false, true) => Pair::StreamTable,
            (false, false) => Pair::StreamStream,
            (true, true) => Pair::TableTable,
        };
        match (pair, &on.within) {
            (Pair::StreamStream, None) => {
                return refuse(format!("{got}: stream-stream joins must have a WITHIN clause specified. None was provided."));
            }
            (Pair::StreamTable | Pair::TableTable, Some(within)) => {
                return Err(PlanError::user_at(within.span, "A WITHIN clause is possible only between two streams."));
            }
            _ => {}
        }
        if pair == Pair::StreamTable && matches!(on.kind, JoinKind::Full | JoinKind::Right) {
            let kind = if on.kind == JoinKind::Full { "full-outer" } else { "right-outer" };
            return refuse(format!("Invalid join type: {kind} join not supported for stream-table join. Got {got}."));
        }
        self.check_windows(left, on)?;
        self.check_keys(left, on, pair)
    }

    fn check_keys(&self, left: &Flow, on: &Criterion, pair: Pair) -> Result<Pair, PlanError> {
        let right = &on.source;
        let refuse = |text: String| Err(PlanError::user_at(on.span, text));
        let mut keys = right.def.schema.keys().map(|c| right.column(&c.name));
        let on_key = keys.next().as_ref() == Some(&on.right) && keys.next().is_none();
        if pair == Pair::StreamTable && !on_key {
            return refuse(format!(
                "Invalid join condition: stream-table joins require to join on the table's primary key. Got {} = {}.",
                on.left, on.right
            ));
        }
        if pair == Pair::TableTable && !on_key {
            return refuse(format!(
                "Invalid join condition: table-table joins require to join on the primary key of the right input table. Got {}.",
                on.text
            ));
        }
        let bindings = left.bindings();
        let left_side = self.translator(&bindings).expr(&on.left)?;
        let right_side = self.right_side(on)?;
        if left_side.ty() != right_side.ty() {
            return refuse(format!(
                "Invalid join condition: types don't match. Got {}{{{}}} = {}{{{}}}.",
                on.left,
                left_side.ty(),
                on.right,
                right_side.ty()
            ));
        }
        check_key_type("join key", &left_side, &on.left)?;
        let keyed = matches!(left.key.viable.as_slice(), [viable] if viable.contains(&on.left));
        if pair != Pair::TableTable || keyed { Ok(pair) } else { self.check_foreign_key(left, on) }
    }

    fn check_foreign_key(&self, left: &Flow, on: &Criterion) -> Result<Pair, PlanError> {
        let refuse = |text: String| Err(PlanError::user_at(on.span, text));
        if left.pseudo_of.is_none() {
            return refuse(format!(
                "Invalid join condition: foreign-key table-table joins are not supported as part of n-way joins. Got {} = {}.",
                on.left, on.right
            ));
        }
        match on.kind {
            JoinKind::Full => refuse("Invalid join type: FULL OUTER JOIN on a foreign key is not supported".to_string()),
            JoinKind::Right => refuse("Invalid join type: RIGHT OUTER JOIN on a foreign key is not supported".to_string()),
            JoinKind::Inner | JoinKind::Left => Ok(Pair::ForeignKey),
        }
    }

    /// The right side over the rows of the source that is joined.
    fn right_side(&self, on: &Criterion) -> Result<Typed, PlanError> {
        let schema = row_schema(&on.source.def);
        let declared = schema.keys.iter().chain(&schema.values).map(|(name, _)| name.as_str());
        let names = declared.chain(PseudoColumn::ALL.iter().map(|p| p.name()));
        let bindings = names
            .filter_map(|name| {
                let (index, ty) = schema.column_index(name)?;
                Some((on.source.column(name), Typed::column(index, name, ty)))
            })
            .collect();
        self.translator(&bindings).expr(&on.right)
    }

    fn check_windows(&self, left: &Flow, on: &Criterion) -> Result<(), PlanError> {
        let refuse = |text: String| Err(PlanError::user_at(on.span, text));
        let shown = |name: &str, window: Option<WindowKind>| match window {
            Some(kind) => format!("`{name}` is {} windowed", kind.name()),
            None => format!("`{name}` is not windowed"),
        };
        let first = self.scope.sources.first().map_or("", |s| s.def.name.as_str());
        match (left.schema.window, on.source.def.window.map(|w| w.kind)) {
            (None, None) => Ok(()),
            (Some(a), Some(b)) if (a == WindowKind::Session) == (b == WindowKind::Session) => Ok(()),
            (Some(a), Some(b)) => refuse(format!(
                "Incompatible windowed sources.\nLeft source: {}\nRight source: {}\nSession windowed sources can only be joined to session windowed ones, and time windowed sources to time windowed ones.",
                a.name(),
                b.name()
            )),
            (l, r) => refuse(format!(
                "Can not join windowed source to non-windowed source.\n{}\n{}",
                shown(first, l),
                shown(&on.source.def.name, r)
            )),
        }
    }

    /// Rows that are not sent through a topic of our own must lie on partitions alike.
    pub(super) fn check_partitions(&self, left: &Flow, right: &Flow, on: &Criterion, pair: Pair) -> Result<(), PlanError> {
        if left.partitions == right.partitions || pair != Pair::StreamTable {
            return Ok(());
        }
        let (name, topic) = self.scope.sources.first().map_or(("", ""), |s| (s.def.name.as_str(), s.def.topic.as_str()));
        let (other, other_topic) = (&on.source.def.name, &on.source.def.topic);
        Err(PlanError::user_at(
            on.span,
            format!(
                "Can't join `{name}` with `{other}` since the number of partitions don't match. `{name}` partitions = {} (topic {topic}); `{other}` partitions = {} (topic {other_topic}). Please repartition either one so that the number of partitions match.",
                left.partitions, right.partitions
            ),
        ))
    }

    fn shown(&self, on: &Criterion) -> String {
        let kind = match on.kind {
            JoinKind::Inner => "[INNER]",
            JoinKind::Left => "LEFT [OUTER]",
            JoinKind::Right => "RIGHT [OUTER]",
            JoinKind::Full => "[FULL] OUTER",
        };
        let left = self.scope.sources.first().map_or("", |s| s.def.name.as_str());
        format!("{left} {kind} JOIN {}", on.source.def.name)
    }
}
