//! Makes queries and statements.

use flumen_parser::Span;
use flumen_parser::ast::*;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::expressions::{data_type, expr, literal, name, text};

fn interval() -> BoxedStrategy<Interval> {
    let unit = prop::sample::select(vec![TimeUnit::Millisecond, TimeUnit::Second, TimeUnit::Minute, TimeUnit::Hour, TimeUnit::Day]);
    (any::<u64>(), unit).prop_map(|(value, unit)| Interval { value, unit, span: Span::default() }).boxed()
}

fn select_item() -> BoxedStrategy<SelectItem> {
    prop_oneof![
        6 => (expr(), option::of(name())).prop_map(|(expr, alias)| SelectItemKind::Expr { expr, alias }),
        1 => option::of(name()).prop_map(|source| SelectItemKind::All { source }),
        1 => expr().prop_map(|base| SelectItemKind::StructAll { base }),
    ]
    .prop_map(|kind| SelectItem { kind, span: Span::default() })
    .boxed()
}

fn source_ref() -> BoxedStrategy<SourceRef> {
    (name(), option::of(name())).prop_map(|(name, alias)| SourceRef { name, alias, span: Span::default() }).boxed()
}

fn relation() -> BoxedStrategy<Relation> {
    let within = (interval(), option::of(interval()), option::of(interval())).prop_map(|(before, after, grace)| Within {
        before,
        after: after.unwrap_or(before),
        grace,
        span: Span::default(),
    });
    let kind = prop::sample::select(vec![JoinKind::Inner, JoinKind::Left, JoinKind::Right, JoinKind::Full]);
    let join = (kind, source_ref(), option::of(within), expr()).prop_map(|(kind, right, within, on)| Join {
        kind,
        right,
        within,
        on,
        span: Span::default(),
    });
    (source_ref(), vec(join, 0..3)).prop_map(|(source, joins)| Relation { source, joins }).boxed()
}

fn window() -> BoxedStrategy<Window> {
    let kind = prop_oneof![
        interval().prop_map(|size| WindowKind::Tumbling { size }),
        (interval(), interval()).prop_map(|(size, advance)| WindowKind::Hopping { size, advance }),
        interval().prop_map(|gap| WindowKind::Session { gap }),
    ];
    (option::of(name()), kind, option::of(interval()), option::of(interval()))
        .prop_map(|(name, kind, retention, grace)| Window { name, kind, retention, grace, span: Span::default() })
        .boxed()
}

fn query() -> BoxedStrategy<Box<Query>> {
    let emit = prop::sample::select(vec![Emit::Changes, Emit::Final]);
    let by = || vec(expr(), 0..3);
    let head = (vec(select_item(), 1..4), relation(), option::of(window()), option::of(expr()));
    (head, by(), by(), option::of(expr()), option::of(emit), option::of(any::<u64>()))
        .prop_map(|((select, from, window, filter), group_by, partition_by, having, emit, limit)| {
            Box::new(Query { select, from, window, filter, group_by, partition_by, having, emit, limit, span: Span::default() })
        })
        .boxed()
}

fn properties() -> BoxedStrategy<Vec<Property>> {
    vec((name(), literal()).prop_map(|(name, value)| Property { name, value, value_span: Span::default() }), 0..3).boxed()
}

pub fn column() -> BoxedStrategy<ColumnDef> {
    let constraint = prop_oneof![
        Just(ColumnConstraint::Key),
        Just(ColumnConstraint::PrimaryKey),
        Just(ColumnConstraint::Headers),
        text().prop_map(ColumnConstraint::Header)
    ];
    (name(), data_type(), option::of(constraint))
        .prop_map(|(name, data_type, constraint)| ColumnDef { name, data_type, constraint, span: Span::default() })
        .boxed()
}

fn source_kind() -> BoxedStrategy<SourceKind> {
    prop::sample::select(vec![SourceKind::Stream, SourceKind::Table]).boxed()
}

fn connector_kind() -> BoxedStrategy<ConnectorKind> {
    prop::sample::select(vec![ConnectorKind::Source, ConnectorKind::Sink]).boxed()
}

fn with_query() -> BoxedStrategy<Statement> {
    let flags = (source_kind(), any::<bool>(), any::<bool>());
    prop_oneof![
        query().prop_map(Statement::Select),
        (flags, name(), properties(), query()).prop_map(|((kind, or_replace, if_not_exists), name, properties, query)| {
            Statement::CreateAs(CreateAs { kind, or_replace, if_not_exists, name, properties, query })
        }),
        (name(), properties(), query()).prop_map(|(target, properties, query)| Statement::InsertSelect(InsertSelect {
            target,
            properties,
            query
        })),
    ]
    .boxed()
}

fn definitions() -> BoxedStrategy<Statement> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let add = (name(), data_type()).prop_map(|(name, data_type)| AddColumn { name, data_type });
    prop_oneof![
        (source_kind(), flags, name(), vec(column(), 0..4), properties()).prop_map(
            |(kind, (or_replace, read_only, if_not_exists), name, columns, properties)| {
                Statement::CreateSource(CreateSource { kind, or_replace, read_only, if_not_exists, name, columns, properties })
            }
        ),
        (source_kind(), any::<bool>(), name(), any::<bool>())
            .prop_map(|(kind, if_exists, name, delete_topic)| Statement::DropSource(DropSource { kind, if_exists, name, delete_topic })),
        (source_kind(), name(), vec(add, 1..3)).prop_map(|(kind, name, columns)| Statement::AlterSource(AlterSource {
            kind,
            name,
            columns
        })),
        (any::<bool>(), name(), data_type()).prop_map(|(if_not_exists, name, data_type)| Statement::CreateType(CreateType {
            if_not_exists,
            name,
            data_type
        })),
        (any::<bool>(), name()).prop_map(|(if_exists, name)| Statement::DropType(DropType { if_exists, name })),
        (connector_kind(), any::<bool>(), name(), properties()).prop_filter("a connector has properties", |c| !c.3.is_empty()).prop_map(
            |(kind, if_not_exists, name, properties)| Statement::CreateConnector(CreateConnector { kind, if_not_exists, name, properties })
        ),
        (any::<bool>(), name()).prop_map(|(if_exists, name)| Statement::DropConnector(DropConnector { if_exists, name })),
    ]
    .boxed()
}

fn looks() -> BoxedStrategy<Statement> {
    let list = |extended| {
        prop::sample::select(vec![
            List::Topics { all: true, extended },
            List::Topics { all: false, extended },
            List::Streams { extended },
            List::Tables { extended },
            List::Queries { extended },
            List::Functions,
            List::Properties,
            List::Types,
            List::Variables,
            List::Connectors(None),
            List::Connectors(Some(ConnectorKind::Sink)),
            List::ConnectorPlugins,
        ])
    };
    prop_oneof![
        any::<bool>().prop_flat_map(list).prop_map(Statement::List),
        (name(), any::<bool>()).prop_map(|(name, extended)| Statement::Describe(Describe::Source { name, extended })),
        any::<bool>().prop_map(|extended| Statement::Describe(Describe::Streams { extended })),
        any::<bool>().prop_map(|extended| Statement::Describe(Describe::Tables { extended })),
        name().prop_map(|name| Statement::Describe(Describe::Function(name))),
        name().prop_map(|name| Statement::Describe(Describe::Connector(name))),
        name().prop_map(|id| Statement::Explain(Explain::Query(id))),
        with_query().prop_map(|statement| Statement::Explain(Explain::Statement(Box::new(statement)))),
        (name(), any::<bool>(), option::of(any::<u64>()), option::of(any::<u64>()))
            .prop_map(|(topic, from_beginning, interval, limit)| Statement::Print(Print { topic, from_beginning, interval, limit })),
    ]
    .boxed()
}

fn session() -> BoxedStrategy<Statement> {
    let target = || prop_oneof![Just(QueryTarget::All), name().prop_map(QueryTarget::Id)];
    prop_oneof![
        target().prop_map(Statement::Terminate),
        target().prop_map(Statement::Pause),
        target().prop_map(Statement::Resume),
        (text(), text()).prop_map(|(name, value)| Statement::AlterSystem { name, value }),
        (text(), text()).prop_map(|(name, value)| Statement::Set { name, value }),
        text().prop_map(|name| Statement::Unset { name }),
        (name(), text()).prop_map(|(name, value)| Statement::Define { name, value }),
        name().prop_map(|name| Statement::Undefine { name }),
        text().prop_map(|path| Statement::RunScript { path }),
        (name(), vec(name(), 0..3), vec(expr(), 1..4)).prop_map(|(target, columns, values)| {
            Statement::InsertValues(InsertValues { target, columns, values, values_span: Span::default() })
        }),
    ]
    .boxed()
}

fn asserts() -> BoxedStrategy<Statement> {
    let values = || {
        (name(), vec(name(), 0..3), vec(expr(), 1..4)).prop_map(|(source, columns, values)| AssertValues {
            source,
            columns,
            values,
            values_span: Span::default(),
        })
    };
    prop_oneof![
        (any::<bool>(), name(), properties(), option::of(interval()))
            .prop_map(|(exists, topic, properties, timeout)| Statement::AssertTopic(AssertTopic { exists, topic, properties, timeout })),
        (any::<bool>(), option::of(name()), any::<u64>(), option::of(interval())).prop_map(|(exists, subject, id, timeout)| {
            let id = (subject.is_none() || id % 2 == 0).then_some(id);
            Statement::AssertSchema(AssertSchema { exists, subject, id, timeout })
        }),
        values().prop_map(Statement::AssertValues),
        values().prop_map(Statement::AssertNullValues),
        (source_kind(), name(), vec(column(), 0..3), properties())
            .prop_map(|(kind, name, columns, properties)| Statement::AssertSource(AssertSource { kind, name, columns, properties })),
    ]
    .boxed()
}

pub fn statement() -> BoxedStrategy<Statement> {
    prop_oneof![3 => with_query(), 3 => definitions(), 2 => looks(), 2 => session(), 2 => asserts()].boxed()
}
