//! Whether a running query may be replaced by another plan with its state and positions kept.
//!
//! Filters and projections may change. Sources, keys, aggregates and the sink must stay; windows, joins, table functions
//! and aggregates of tables cannot be replaced at all.

use flumen_plan::{Node, Operator, QueryPlan};

use crate::CatalogError;

/// Checks that `new` may take the place of `old`.
pub(crate) fn check(old: &QueryPlan, new: &QueryPlan) -> Result<(), CatalogError> {
    let (old_steps, new_steps) = (enforced(old)?, enforced(new)?);
    if old_steps.len() != new_steps.len() {
        return Err(refuse("it has other steps than the running query"));
    }
    old_steps.iter().zip(&new_steps).try_for_each(|(a, b)| check_step(a, b))
}

fn refuse(why: &str) -> CatalogError {
    CatalogError::refused(format!("Query is not upgradeable: {why}. Drop the source and create it anew."))
}

/// The steps that must stay as they are: all but filters, projections and the stores that serve them.
fn enforced(plan: &QueryPlan) -> Result<Vec<&Node>, CatalogError> {
    let mut steps = Vec::new();
    for (_, node) in plan.nodes() {
        let unsupported = |what: &str| Err(refuse(&format!("Upgrades not yet supported for {what}")));
        match &node.op {
            Operator::Filter { .. } | Operator::Select { .. } | Operator::Materialize { .. } => continue,
            Operator::StreamTableJoin { .. } => return unsupported("joins"),
            Operator::FlatMap { .. } => return unsupported("table functions"),
            Operator::Aggregate { window: Some(_), .. } => return unsupported("windowed aggregates"),
            Operator::Source(source) if source.window.is_some() => return unsupported("windowed sources"),
            Operator::Rekey { .. } | Operator::Aggregate { .. } if is_of_table(plan, node) => {
                return unsupported("aggregates of tables");
            }
            _ => steps.push(node),
        }
    }
    Ok(steps)
}

fn is_of_table(plan: &QueryPlan, node: &Node) -> bool {
    node.inputs.iter().any(|i| plan.node(*i).is_some_and(|n| n.table))
}

fn check_step(old: &Node, new: &Node) -> Result<(), CatalogError> {
    let same = match (&old.op, &new.op) {
        (Operator::Source(a), Operator::Source(b)) => {
            a.topic == b.topic
                && a.kind == b.kind
                && (&a.key_format, &a.value_format, &a.timestamp) == (&b.key_format, &b.value_format, &b.timestamp)
        }
        (Operator::Rekey { keys: a, .. }, Operator::Rekey { keys: b, .. }) => a == b,
        (Operator::RepartitionSource { topic: a }, Operator::RepartitionSource { topic: b }) => a == b && old.schema == new.schema,
        (Operator::Aggregate { calls: a, store: s, .. }, Operator::Aggregate { calls: b, store: t, .. }) => a == b && s == t,
        (Operator::Repartition { .. }, Operator::Repartition { .. }) => old.op == new.op && old.schema == new.schema,
        (Operator::Sink(a), Operator::Sink(b)) => a == b && old.schema.keys == new.schema.keys,
        _ => false,
    };
    if same { Ok(()) } else { Err(refuse(&format!("step {} is not the same", new.id.0))) }
}
