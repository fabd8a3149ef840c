//! A task from its plan.

use std::sync::Arc;

use flumen_expr::{Random, Registry};
use flumen_plan::{Operator as Op, Positions, QueryPlan, StoreKind, SubTopologyId, TaskId, names};
use flumen_state::{Backend, Layout, Store};
use flumen_types::WindowKind;

use crate::RuntimeError;
use crate::needs::Needs;
use crate::operator::{Builder, RepartitionReader};
use crate::source::SourceReader;

use super::commit::StoreState;
use super::{Input, InputState, NodeState, Reader, Task, TaskSettings};

/// Least width of a windowed store's buckets, in milliseconds.
const LEAST_BUCKET_MS: i64 = 60_000;

pub(super) fn task(
    plan: &QueryPlan,
    id: SubTopologyId,
    settings: &TaskSettings,
    backend: Arc<dyn Backend>,
    registry: &Registry,
) -> Result<Task, RuntimeError> {
    let sub = plan.sub_topologies.iter().find(|s| s.id == id);
    let sub = sub.ok_or_else(|| RuntimeError::Plan(format!("there is no sub-topology {}", id.0)))?;
    let partition = u16::try_from(settings.partition)
        .map_err(|_| RuntimeError::Unsupported(format!("state of partition {}: at most 65,536", settings.partition)))?;
    let needs = Needs::of(plan);
    let (mut inputs, mut nodes, mut stores) = (Vec::new(), Vec::<NodeState>::new(), Vec::new());
    for (at, node) in sub.nodes.iter().enumerate() {
        let builder = Builder { plan, sub, node, needs: &needs, settings, registry };
        let reader = match &node.op {
            Op::Source(spec) => {
                let input = Input { topic: spec.topic.as_str().into(), node: node.id, internal: false };
                Some((input, Reader::Source(Box::new(SourceReader::new(node, spec, &needs, plan)?))))
            }
            Op::RepartitionSource { topic } => {
                let input = Input { topic: builder.repartition(topic)?.0, node: node.id, internal: true };
                Some((input, Reader::Repartition(RepartitionReader::new(&node.schema, node.table))))
            }
            _ => None,
        };
        if let Some((input, reader)) = reader {
            inputs.push(InputState { input, node: at, reader });
        }
        let mut own = None;
        if let Some(spec) = sub.stores.iter().find(|s| s.node == node.id) {
            let (layout, retention) = match &spec.kind {
                StoreKind::KeyValue => (Layout::KeyValue, None),
                StoreKind::Windowed(w) => {
                    let layout = Layout::Windowed { bucket_ms: (w.retention / 2).max(LEAST_BUCKET_MS) };
                    // A session may go on long after its start: its operator removes it.
                    (layout, (w.kind != WindowKind::Session).then_some(w.retention))
                }
            };
            let store = backend.open_store(&names::store_name(&settings.query, &spec.id), partition, layout)?;
            let changelog = names::changelog_topic(&settings.service_id, &settings.query, &spec.id).into();
            stores.push(StoreState { node: at, store, changelog, retention, expired: i64::MIN });
            own = Some(Store::new(backend.clone(), store, settings.overlay_bytes));
        }
        let mut sources = Vec::new();
        for input in &node.inputs {
            let found = nodes.iter().position(|n: &NodeState| n.id == *input);
            let found = found.ok_or_else(|| RuntimeError::Plan(format!("node {} reads a node behind it", node.id.0)))?;
            if let Some(from) = nodes.get_mut(found) {
                from.last_reader = Some(at);
            }
            sources.push(found);
        }
        let operator = builder.build(own)?;
        nodes.push(NodeState { id: node.id, operator, inputs: sources, last_reader: None });
    }
    let id = TaskId { query: settings.query.clone(), sub_topology: id, partition: settings.partition };
    Ok(Task {
        id,
        inputs,
        nodes,
        stores,
        backend,
        random: Random::seeded(settings.seed),
        positions: Positions::default(),
        applied: Positions::default(),
    })
}
