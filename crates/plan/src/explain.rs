//! A plan as text for EXPLAIN.

use std::fmt;

use crate::{Node, Operator, QueryPlan, SourceKind};

impl fmt::Display for QueryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for sub in &self.sub_topologies {
            writeln!(f, "Sub-topology {}", sub.id.0)?;
            for node in &sub.nodes {
                write!(f, "  {}", node)?;
            }
            for store in &sub.stores {
                writeln!(f, "  Store {} of node {}: {:?}", store.id.0, store.node.0, store.kind)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] ", self.id.0)?;
        match &self.op {
            Operator::Source(s) => {
                let kind = if s.kind == SourceKind::Table { "table" } else { "stream" };
                write!(f, "Source {kind} {} (topic {}, {}/{})", s.name, s.topic, s.key_format.format, s.value_format.format)?
            }
            Operator::RepartitionSource { topic } => write!(f, "Source {topic}")?,
            Operator::Filter { predicate } => write!(f, "Filter {predicate}")?,
            Operator::Select { values, .. } => {
                write!(f, "Select ")?;
                list(f, values.iter().map(|v| format!("{} AS {}", v.expr, v.name)))?
            }
            Operator::FlatMap { functions } => {
                write!(f, "FlatMap ")?;
                list(f, functions.iter().map(|v| format!("{} AS {}", v.expr, v.name)))?
            }
            Operator::Rekey { keys, values, drop_null_keys } => {
                write!(f, "Rekey{} by ", if *drop_null_keys { " (without NULL keys)" } else { "" })?;
                list(f, keys.iter().map(|v| format!("{} AS {}", v.expr, v.name)))?;
                write!(f, ", values ")?;
                list(f, values.iter().map(|v| format!("{} AS {}", v.expr, v.name)))?
            }
            Operator::Repartition { topic, .. } => write!(f, "Repartition {topic}")?,
            Operator::Aggregate { calls, store, window, emit } => {
                write!(f, "Aggregate ")?;
                let call = |c: &crate::AggregateCall| {
                    let args: Vec<String> = c.args.iter().map(ToString::to_string).collect();
                    format!("{}({}) AS {}", c.function, args.join(", "), c.name)
                };
                list(f, calls.iter().map(call))?;
                if let Some(w) = window {
                    write!(f, " window {} size {} ms advance {} ms grace {} ms", w.kind.name(), w.size, w.advance, w.grace)?;
                }
                write!(f, " emit {emit:?} store {}", store.0)?
            }
            Operator::StreamTableJoin { kind, store } => write!(f, "{kind:?} stream-table join, store {}", store.0)?,
            Operator::Materialize { store } => write!(f, "Materialize, store {}", store.0)?,
            Operator::Sink(s) => match &s.topic {
                Some(topic) => write!(f, "Sink topic {topic} ({}/{})", s.key_format.format, s.value_format.format)?,
                None => write!(f, "Sink to the client")?,
            },
        }
        if !self.inputs.is_empty() {
            write!(f, " <- ")?;
            list(f, self.inputs.iter().map(|i| i.0.to_string()))?;
        }
        writeln!(f)
    }
}

fn list(f: &mut fmt::Formatter<'_>, items: impl Iterator<Item = String>) -> fmt::Result {
    f.write_str(&items.collect::<Vec<_>>().join(", "))
}
