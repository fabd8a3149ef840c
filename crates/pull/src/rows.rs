//! Stored rows as columns: keys, values, then the pseudo columns.

use arrow::array::ArrayRef;
use flumen_expr::AggregateCall;
use flumen_plan::{Operator, PullPlan, WindowedKey};
use flumen_state::{RowCodec, split_stored};
use flumen_types::{ColumnBuilder, PseudoColumn, SqlType, Value, WindowKind, decode_key};

use crate::source::Stored;
use crate::{PullError, Tables};

/// Rows as expressions see them: keys, values, then the pseudo columns in the order of [`PseudoColumn::ALL`].
pub(crate) struct Rows {
    pub(crate) keys: Vec<ArrayRef>,
    pub(crate) values: Vec<ArrayRef>,
    pub(crate) pseudo: Vec<ArrayRef>,
    pub(crate) len: usize,
}

/// Decodes stored rows.
pub(crate) fn decode(pull: &PullPlan, tables: &Tables<'_>, stored: &[Stored]) -> Result<Rows, PullError> {
    let key_types: Vec<&SqlType> = pull.stored.keys.iter().map(|(_, ty)| ty).collect();
    let mut keys: Vec<ColumnBuilder> = key_types.iter().map(|ty| ColumnBuilder::new(ty)).collect();
    let mut pseudo: Vec<ColumnBuilder> = PseudoColumn::ALL.iter().map(|p| ColumnBuilder::new(&p.ty())).collect();
    let owner = tables.plan.store(&pull.store).and_then(|(_, spec)| tables.plan.node(spec.node));
    let owner = owner.ok_or_else(|| PullError::Plan(format!("store {} is not in the plan of {}", pull.store.0, pull.query)))?;
    let (session, size) = match &owner.op {
        Operator::Aggregate { window: Some(w), .. } => (w.kind == WindowKind::Session, w.size),
        _ => (false, window_size(pull, tables).unwrap_or(0)),
    };
    let mut bodies = Vec::with_capacity(stored.len());
    for row in stored {
        for (builder, value) in keys.iter_mut().zip(decode_key(&row.key, &key_types)?) {
            builder.append(&value)?;
        }
        let (time, body) = split_stored(&row.value)?;
        bodies.push(body);
        let end = |start: i64| if session { time } else { start.saturating_add(size) };
        let bounds = row.start.map(|s| (s, end(s)));
        let cells = [
            Value::Bigint(time),
            Value::Null,
            Value::Null,
            bounds.map_or(Value::Null, |(start, _)| Value::Bigint(start)),
            bounds.map_or(Value::Null, |(_, end)| Value::Bigint(end)),
        ];
        for (builder, value) in pseudo.iter_mut().zip(&cells) {
            builder.append(value)?;
        }
    }
    let values = match &owner.op {
        Operator::Aggregate { calls, .. } => results(calls, tables, &bodies)?,
        _ => plain(pull, &bodies)?,
    };
    let finish = |builders: Vec<ColumnBuilder>| builders.into_iter().map(|mut b| b.finish()).collect();
    Ok(Rows { keys: finish(keys), values, pseudo: finish(pseudo), len: stored.len() })
}

/// Size of the windows in the keys of the source whose rows are kept.
fn window_size(pull: &PullPlan, tables: &Tables<'_>) -> Option<i64> {
    pull.stored.window?;
    tables.plan.nodes().find_map(|(_, n)| match &n.op {
        Operator::Source(s) => s.window.and_then(|w: WindowedKey| w.size),
        _ => None,
    })
}

fn plain(pull: &PullPlan, bodies: &[&[u8]]) -> Result<Vec<ArrayRef>, PullError> {
    let types: Vec<SqlType> = pull.stored.values.iter().map(|(_, ty)| ty.clone()).collect();
    let mut builders: Vec<ColumnBuilder> = types.iter().map(ColumnBuilder::new).collect();
    let codec = RowCodec::new(types);
    for body in bodies {
        codec.decode_into(body, &mut builders)?;
    }
    Ok(builders.into_iter().map(|mut b| b.finish()).collect())
}

/// The aggregates' results from their stored states.
fn results(calls: &[flumen_plan::AggregateCall], tables: &Tables<'_>, bodies: &[&[u8]]) -> Result<Vec<ArrayRef>, PullError> {
    let mut states = Vec::with_capacity(calls.len());
    for call in calls {
        let call = AggregateCall {
            function: call.function.clone(),
            args: call.args.clone(),
            init: call.init.clone(),
            ty: call.ty.clone(),
            undo: false,
        };
        let mut accumulators = tables.registry.accumulators(&call, &tables.plan.properties)?;
        accumulators.reset(bodies.len());
        states.push(accumulators);
    }
    for (slot, body) in bodies.iter().enumerate() {
        let mut rest = *body;
        for accumulators in &mut states {
            accumulators.load(slot, &mut rest)?;
        }
    }
    let slots: Vec<u32> = (0..bodies.len() as u32).collect();
    Ok(states.iter().map(|accumulators| accumulators.results(&slots)).collect())
}
