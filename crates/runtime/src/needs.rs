//! What a plan's nodes ask of those before them: columns, old rows and where rows came from. What nobody reads is not made.

use std::collections::{HashMap, HashSet};

use flumen_expr::Expr;
use flumen_plan::{Node, NodeId, Operator, QueryPlan, RowSchema, SubTopology};
use flumen_types::PseudoColumn;

/// The findings over a whole plan.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    columns: HashMap<NodeId, Vec<bool>>,
    old: HashSet<NodeId>,
    origin_topics: HashSet<String>,
}

impl Needs {
    /// Walks the plan from its sinks to its sources.
    pub fn of(plan: &QueryPlan) -> Needs {
        let mut needs = Needs::default();
        for sub in plan.sub_topologies.iter().rev() {
            for node in sub.nodes.iter().rev() {
                needs.visit(sub, node);
            }
        }
        needs
    }

    /// Which of a node's key and value columns are read, in this order.
    pub fn columns(&self, node: &Node) -> Vec<bool> {
        let mut read = self.columns.get(&node.id).cloned().unwrap_or_default();
        read.resize(node.schema.width(), false);
        read
    }

    /// True when ROWPARTITION or ROWOFFSET of a node's rows is read.
    pub fn origin(&self, node: &Node) -> bool {
        let read = |p| self.columns.get(&node.id).and_then(|c| c.get(node.schema.pseudo_index(p) as usize)).copied();
        [PseudoColumn::RowPartition, PseudoColumn::RowOffset].into_iter().any(|p| read(p) == Some(true))
    }

    /// True when ROWPARTITION or ROWOFFSET of a repartition topic's rows is read.
    pub fn origin_of_topic(&self, topic: &str) -> bool {
        self.origin_topics.contains(topic)
    }

    /// True when the old rows of a node's changes are read.
    pub fn old(&self, node: NodeId) -> bool {
        self.old.contains(&node)
    }

    fn visit(&mut self, sub: &SubTopology, node: &Node) {
        let out = self.columns.get(&node.id).cloned().unwrap_or_default();
        if let Operator::RepartitionSource { topic } = &node.op
            && self.origin(node)
        {
            self.origin_topics.insert(topic.clone());
        }
        for (side, id) in node.inputs.iter().enumerate() {
            let Some(input) = sub.nodes.iter().find(|n| n.id == *id) else { continue };
            let mut read = Reads::new(&input.schema);
            self.reads(node, input, side, &out, &mut read);
            let merged = self.columns.entry(*id).or_default();
            merged.resize(read.0.len().max(merged.len()), false);
            merged.iter_mut().zip(&read.0).for_each(|(m, r)| *m |= r);
            if input.table && self.reads_old(sub, node, input) {
                self.old.insert(*id);
            }
        }
    }

    fn reads(&self, node: &Node, input: &Node, side: usize, out: &[bool], read: &mut Reads) {
        let schema = &input.schema;
        match &node.op {
            Operator::Source(_) | Operator::RepartitionSource { .. } => {}
            Operator::Filter { predicate } => {
                read.same(out, schema.width());
                read.expr(predicate);
            }
            Operator::Select { values, .. } => {
                read.same(out, schema.keys.len());
                values.iter().for_each(|v| read.expr(&v.expr));
            }
            Operator::FlatMap { functions } => {
                read.same(out, schema.width());
                functions.iter().for_each(|f| read.expr(&f.expr));
            }
            Operator::Rekey { keys, values, .. } => keys.iter().chain(values).for_each(|c| read.expr(&c.expr)),
            Operator::Aggregate { calls, .. } => {
                read.all(schema.keys.len());
                calls.iter().flat_map(|c| &c.args).for_each(|a| read.expr(a));
            }
            Operator::StreamTableJoin { .. } if side == 0 => {
                read.all(schema.keys.len());
                read.same(out, schema.width());
            }
            Operator::Repartition { .. } | Operator::StreamTableJoin { .. } | Operator::Materialize { .. } | Operator::Sink(_) => {
                read.all(schema.width())
            }
        }
        let topic_origin = match &node.op {
            Operator::Repartition { topic, .. } => self.origin_of_topic(topic),
            _ => false,
        };
        for (at, pseudo) in PseudoColumn::ALL.iter().enumerate() {
            let is_origin = matches!(pseudo, PseudoColumn::RowPartition | PseudoColumn::RowOffset);
            let passed = side == 0 && out.get(node.schema.width() + at).copied().unwrap_or(false);
            if passed || (is_origin && topic_origin) {
                read.set(schema.pseudo_index(*pseudo) as usize);
            }
        }
    }

    fn reads_old(&self, sub: &SubTopology, node: &Node, input: &Node) -> bool {
        match &node.op {
            Operator::Filter { .. } => gives_old(sub, input),
            Operator::Select { .. } | Operator::FlatMap { .. } => self.old(node.id),
            Operator::Rekey { .. } | Operator::Repartition { .. } | Operator::Aggregate { .. } => true,
            _ => false,
        }
    }
}

/// True when a table node can tell the old rows without a store of its own.
fn gives_old(sub: &SubTopology, node: &Node) -> bool {
    match &node.op {
        Operator::Aggregate { .. } | Operator::Materialize { .. } | Operator::RepartitionSource { .. } => true,
        Operator::Filter { .. } | Operator::Select { .. } => {
            node.inputs.iter().filter_map(|id| sub.nodes.iter().find(|n| n.id == *id)).all(|n| gives_old(sub, n))
        }
        _ => false,
    }
}

/// Flags over the flat column list of one row schema.
struct Reads(Vec<bool>);

impl Reads {
    fn new(schema: &RowSchema) -> Self {
        Reads(vec![false; schema.width() + PseudoColumn::ALL.len()])
    }

    fn set(&mut self, at: usize) {
        if let Some(flag) = self.0.get_mut(at) {
            *flag = true;
        }
    }

    fn all(&mut self, count: usize) {
        (0..count).for_each(|i| self.set(i));
    }

    /// The first `count` columns pass through.
    fn same(&mut self, out: &[bool], count: usize) {
        out.iter().take(count).enumerate().filter(|(_, read)| **read).for_each(|(i, _)| self.set(i));
    }

    fn expr(&mut self, expr: &Expr) {
        expr.columns_used().into_iter().for_each(|i| self.set(i as usize));
    }
}
