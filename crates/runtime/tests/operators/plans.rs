//! Plans by hand: nodes in the order of their making, a new sub-topology behind each repartition.

use flumen_expr::{CompareOp, Expr, build};
use flumen_plan::*;
use flumen_types::{Format, FormatSpec, SqlType, Value, WindowKind, WindowSpec};

type Columns = [(&'static str, SqlType)];

pub struct Plan {
    plan: QueryPlan,
    next: u32,
}

impl Plan {
    pub fn new() -> Self {
        let plan = QueryPlan {
            kind: QueryKind::CreateStreamAs,
            sources: Vec::new(),
            sink: None,
            sub_topologies: Vec::new(),
            repartition_topics: Vec::new(),
            materialized: None,
            properties: Default::default(),
        };
        let mut made = Plan { plan, next: 0 };
        made.begin();
        made
    }

    fn begin(&mut self) {
        let id = SubTopologyId(self.plan.sub_topologies.len() as u32);
        self.plan.sub_topologies.push(SubTopology { id, nodes: Vec::new(), stores: Vec::new() });
    }

    fn sub(&mut self) -> &mut SubTopology {
        self.plan.sub_topologies.last_mut().unwrap()
    }

    pub fn schema(&self, node: NodeId) -> RowSchema {
        self.plan.node(node).unwrap().schema.clone()
    }

    /// A column of a node's rows, as expressions behind it see it.
    pub fn col(&self, node: NodeId, name: &str) -> Expr {
        let (index, ty) = self.schema(node).column_index(name).unwrap();
        Expr::column(index, name, ty)
    }

    fn add(&mut self, op: Operator, inputs: &[NodeId], schema: RowSchema, table: bool) -> NodeId {
        let id = NodeId(self.next);
        self.next += 1;
        self.sub().nodes.push(Node { id, op, inputs: inputs.to_vec(), schema, table });
        id
    }

    fn is_table(&self, node: NodeId) -> bool {
        self.plan.node(node).unwrap().table
    }

    /// A source of a STRING key `K` and DELIMITED values.
    pub fn source(&mut self, topic: &str, kind: SourceKind, values: &Columns, more: impl FnOnce(&mut SourceSpec)) -> NodeId {
        let columns = |c: &Columns| c.iter().map(|(n, t)| (n.to_string(), t.clone())).collect::<Vec<_>>();
        let table = kind == SourceKind::Table;
        let mut spec = SourceSpec {
            name: topic.to_uppercase(),
            topic: topic.to_string(),
            kind,
            key_format: FormatSpec::key(Format::Kafka, None),
            value_format: FormatSpec::plain(Format::Delimited),
            keys: columns(&[("K", SqlType::String)]),
            values: columns(values),
            headers: Vec::new(),
            timestamp: None,
            window: None,
            on_error: OnError::Log,
        };
        more(&mut spec);
        let mut schema = RowSchema { keys: spec.keys.clone(), values: spec.values.clone(), window: spec.window.map(|w| w.kind) };
        let header_type = |key: &Option<String>| if key.is_none() { SqlType::headers() } else { SqlType::Bytes };
        schema.values.extend(spec.headers.iter().map(|(name, key)| (name.clone(), header_type(key))));
        self.add(Operator::Source(Box::new(spec)), &[], schema, table)
    }

    pub fn stream(&mut self, topic: &str, values: &Columns) -> NodeId {
        self.source(topic, SourceKind::Stream, values, |_| {})
    }

    pub fn table(&mut self, topic: &str, values: &Columns) -> NodeId {
        self.source(topic, SourceKind::Table, values, |_| {})
    }

    pub fn filter(&mut self, input: NodeId, predicate: Expr) -> NodeId {
        let schema = self.schema(input);
        self.add(Operator::Filter { predicate }, &[input], schema, self.is_table(input))
    }

    fn named(columns: &[(&str, Expr)]) -> (Vec<NamedExpr>, Vec<(String, SqlType)>) {
        let exprs = columns.iter().map(|(n, e)| NamedExpr { name: n.to_string(), expr: e.clone() }).collect();
        (exprs, columns.iter().map(|(n, e)| (n.to_string(), e.ty().clone())).collect())
    }

    pub fn select(&mut self, input: NodeId, columns: &[(&str, Expr)]) -> NodeId {
        let (values, types) = Plan::named(columns);
        let schema = RowSchema { values: types, ..self.schema(input) };
        self.add(Operator::Select { keys: Vec::new(), values }, &[input], schema, self.is_table(input))
    }

    /// Adds the rows of a table function as column `name`.
    pub fn flat_map(&mut self, input: NodeId, functions: &[(&str, Expr)]) -> NodeId {
        let (functions, _) = Plan::named(functions);
        let mut schema = self.schema(input);
        schema.values.extend(functions.iter().map(|f| match f.expr.ty() {
            SqlType::Array(element) => (f.name.clone(), element.as_ref().clone()),
            other => panic!("{other}"),
        }));
        self.add(Operator::FlatMap { functions }, &[input], schema, false)
    }

    pub fn rekey(&mut self, input: NodeId, keys: &[(&str, Expr)], values: &[(&str, Expr)], drop_null_keys: bool) -> NodeId {
        let ((keys, key_types), (values, value_types)) = (Plan::named(keys), Plan::named(values));
        let schema = RowSchema { keys: key_types, values: value_types, window: None };
        self.add(Operator::Rekey { keys, values, drop_null_keys }, &[input], schema, self.is_table(input))
    }

    /// Through an internal topic; what follows is in a new sub-topology.
    pub fn repartition(&mut self, input: NodeId) -> NodeId {
        let (schema, table) = (self.schema(input), self.is_table(input));
        let topic = format!("repartition-{}", self.next);
        let name = topic.clone();
        let key_format = FormatSpec::key(if schema.keys.len() == 1 { Format::Kafka } else { Format::Json }, None);
        self.add(Operator::Repartition { topic: topic.clone(), key_format }, &[input], schema.clone(), table);
        self.plan.repartition_topics.push(InternalTopic { name, partitions: 1, schema: schema.clone(), table });
        self.begin();
        self.add(Operator::RepartitionSource { topic }, &[], schema, table)
    }

    fn store(&mut self, node: NodeId, kind: StoreKind, schema: RowSchema) {
        let id = StoreId(format!("store-{}", node.0));
        self.sub().stores.push(StoreSpec { id, node, kind, schema });
    }

    /// The last aggregate gives final results only.
    pub fn make_final(&mut self) {
        for node in self.sub().nodes.iter_mut() {
            if let Operator::Aggregate { emit, .. } = &mut node.op {
                *emit = Emit::Final;
            }
        }
    }

    /// COUNT or SUM calls, named as given.
    pub fn aggregate(&mut self, input: NodeId, calls: &[(&str, &str, Vec<Expr>)], window: Option<WindowSpec>) -> NodeId {
        let call = |(name, function, args): &(&str, &str, Vec<Expr>)| AggregateCall {
            name: name.to_string(),
            function: function.to_string(),
            args: args.clone(),
            init: Vec::new(),
            ty: SqlType::Bigint,
        };
        let calls: Vec<AggregateCall> = calls.iter().map(call).collect();
        let schema = RowSchema {
            keys: self.schema(input).keys,
            values: calls.iter().map(|c| (c.name.clone(), c.ty.clone())).collect(),
            window: window.map(|w| w.kind),
        };
        let store = StoreId(format!("store-{}", self.next));
        let op = Operator::Aggregate { calls, store, window, emit: Emit::Changes };
        let node = self.add(op, &[input], schema.clone(), true);
        self.store(node, window.map_or(StoreKind::KeyValue, StoreKind::Windowed), schema);
        node
    }

    pub fn join(&mut self, left: NodeId, right: NodeId, kind: JoinKind) -> NodeId {
        let (mut schema, right_schema) = (self.schema(left), self.schema(right));
        schema.values.extend(right_schema.values.iter().map(|(n, t)| (format!("R_{n}"), t.clone())));
        let store = StoreId(format!("store-{}", self.next));
        let node = self.add(Operator::StreamTableJoin { kind, store }, &[left, right], schema, false);
        self.store(node, StoreKind::KeyValue, right_schema);
        node
    }

    pub fn materialize(&mut self, input: NodeId) -> NodeId {
        let schema = self.schema(input);
        let store = StoreId(format!("store-{}", self.next));
        let node = self.add(Operator::Materialize { store }, &[input], schema.clone(), true);
        self.store(node, StoreKind::KeyValue, schema);
        node
    }

    /// Writes to the topic `out`, key in KAFKA or, with several columns, DELIMITED format.
    pub fn sink(mut self, input: NodeId) -> QueryPlan {
        let (schema, table) = (self.schema(input), self.is_table(input));
        let format = match schema.keys.len() {
            0 => Format::None,
            1 => Format::Kafka,
            _ => Format::Delimited,
        };
        let spec = SinkSpec {
            topic: Some("out".to_string()),
            key_format: FormatSpec::key(format, None),
            value_format: FormatSpec::plain(Format::Delimited),
            timestamp: None,
        };
        self.add(Operator::Sink(Box::new(spec)), &[input], schema, table);
        self.plan
    }
}

pub fn number(n: i64) -> Expr {
    Expr::literal(Value::Bigint(n), SqlType::Bigint)
}

pub fn compare(op: CompareOp, left: Expr, right: Expr) -> Expr {
    build::compare(op, left, right).unwrap()
}

pub fn windows(kind: WindowKind, size: i64, advance: i64, grace: i64) -> WindowSpec {
    WindowSpec { kind, size, advance, grace, retention: WindowSpec::default_retention(size, grace) }
}
