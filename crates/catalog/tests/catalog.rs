//! Commands applied in order, and the form in which they are persisted.

use std::collections::BTreeMap;

use flumen_catalog::{Catalog, CatalogError, Change, Command, Ddl, QueryTarget, SourceDef};
use flumen_plan::{QueryKind, QueryPlan, SourceKind};
use flumen_types::{Column, Format, FormatSpec, Schema, SqlType};

fn source(name: &str, kind: SourceKind, built_from: &[&str]) -> SourceDef {
    SourceDef {
        name: name.to_string(),
        kind,
        schema: Schema::new(vec![Column::key("K", SqlType::Integer), Column::value("V", SqlType::String)]),
        topic: name.to_lowercase(),
        key_format: FormatSpec::key(Format::Kafka, None),
        value_format: FormatSpec::plain(Format::Json),
        timestamp: None,
        window: None,
        read_only: false,
        created_by: None,
        built_from: built_from.iter().map(|s| s.to_string()).collect(),
        statement: String::new(),
    }
}

fn plan(kind: QueryKind, from: &str, sink: Option<&str>) -> QueryPlan {
    QueryPlan {
        kind,
        sources: vec![from.to_string()],
        sink: sink.map(str::to_string),
        sub_topologies: Vec::new(),
        repartition_topics: Vec::new(),
        materialized: None,
        properties: BTreeMap::new(),
    }
}

fn ddl(ddl: Ddl) -> Command {
    Command { statement: "…;".to_string(), ddl: Some(ddl), query: None, query_id: None }
}

fn create(source: SourceDef, or_replace: bool) -> Ddl {
    Ddl::CreateSource { source: Box::new(source), or_replace }
}

fn drop(kind: SourceKind, name: &str) -> Ddl {
    Ddl::DropSource { kind, name: name.to_string(), if_exists: false, delete_topic: false }
}

fn apply(catalog: &Catalog, offset: i64, command: &Command) -> (Catalog, Vec<Change>) {
    catalog.apply(offset, command).unwrap_or_else(|e| panic!("{e}"))
}

/// Streams A and B, B filled from A by CSAS_B_2.
fn pipeline() -> Catalog {
    let (catalog, _) = apply(&Catalog::new(), 1, &ddl(create(source("A", SourceKind::Stream, &[]), false)));
    let fill = Command {
        query: Some(plan(QueryKind::CreateStreamAs, "A", Some("B"))),
        ..ddl(create(source("B", SourceKind::Stream, &["A"]), false))
    };
    apply(&catalog, 2, &fill).0
}

fn message<T: std::fmt::Debug>(result: Result<T, CatalogError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn applying_leaves_the_old_catalog_as_it_was() {
    let catalog = pipeline();
    let (after, changes) = apply(&catalog, 3, &ddl(drop(SourceKind::Stream, "B")));
    assert!(matches!(changes.as_slice(), [Change::QueryStopped(_), Change::SourceDropped { delete_topic: false, .. }]));
    assert!(after.source("B").is_none() && after.queries().next().is_none());
    assert!(catalog.source("B").is_some());
    assert_eq!(catalog.source("B").and_then(|b| b.created_by.clone()).map(|id| id.0), Some("CSAS_B_2".to_string()));
}

#[test]
fn a_source_stays_while_others_are_built_from_it() {
    let catalog = pipeline();
    assert!(message(catalog.apply(3, &ddl(drop(SourceKind::Stream, "A")))).contains("[B]"));
    // Also after the query that filled it has ended.
    let (catalog, _) = apply(&catalog, 3, &ddl(Ddl::Terminate { target: QueryTarget::Id("csas_b_2".to_string()) }));
    assert!(message(catalog.apply(4, &ddl(drop(SourceKind::Stream, "A")))).contains("[B]"));
}

#[test]
fn kinds_and_names_are_checked() {
    let catalog = pipeline();
    assert!(message(catalog.apply(3, &ddl(drop(SourceKind::Table, "A")))).contains("statement was DROP TABLE"));
    assert!(message(catalog.apply(3, &ddl(drop(SourceKind::Stream, "a")))).contains("Did you mean A?"));
    let again = ddl(create(source("A", SourceKind::Table, &[]), true));
    assert!(message(catalog.apply(3, &again)).contains("A stream with the same name already exists"));
    let frozen = SourceDef { read_only: true, ..source("C", SourceKind::Stream, &[]) };
    assert!(message(catalog.apply(3, &ddl(create(frozen, true)))).contains("not supported on source streams"));
}

#[test]
fn topics_of_other_sources_are_not_deleted() {
    let (catalog, _) =
        apply(&pipeline(), 3, &ddl(create(SourceDef { topic: "b".to_string(), ..source("C", SourceKind::Stream, &[]) }, false)));
    let delete = Ddl::DropSource { kind: SourceKind::Stream, name: "B".to_string(), if_exists: false, delete_topic: true };
    assert!(message(catalog.apply(4, &ddl(delete))).contains("Found other data sources (C) using topic b"));
}

#[test]
fn columns_are_added_to_declared_sources_only() {
    let add = |name: &str, column: &str| {
        ddl(Ddl::AlterSource { kind: SourceKind::Stream, name: name.to_string(), columns: vec![Column::value(column, SqlType::Integer)] })
    };
    let (catalog, changes) = apply(&pipeline(), 3, &add("A", "W"));
    assert!(matches!(changes.as_slice(), [Change::SourceChanged(a)] if a.schema.find("W").is_some()));
    assert!(message(catalog.apply(4, &add("A", "V"))).contains("already exists"));
    assert!(message(catalog.apply(4, &add("B", "W"))).contains("CREATE ... AS"));
}

#[test]
fn queries_are_paused_resumed_and_given_ids() {
    let insert = Command {
        query: Some(plan(QueryKind::Insert, "A", Some("B"))),
        ddl: None,
        query_id: Some("MINE".to_string()),
        statement: String::new(),
    };
    let (catalog, _) = apply(&pipeline(), 3, &insert);
    assert!(message(catalog.apply(4, &insert)).contains("'MINE' already exists"));
    let (catalog, changes) = apply(&catalog, 4, &ddl(Ddl::Pause { target: QueryTarget::All }));
    assert_eq!(changes.len(), 2);
    assert!(catalog.query("mine").is_some_and(|q| q.paused));
    assert!(catalog.materializing_query("B").is_none(), "two queries write it");
    let (catalog, changes) = apply(&catalog, 5, &ddl(Ddl::Resume { target: QueryTarget::Id("MINE".to_string()) }));
    assert!(matches!(changes.as_slice(), [Change::QueryResumed(id)] if id.0 == "MINE"));
    assert!(message(catalog.apply(6, &ddl(Ddl::Terminate { target: QueryTarget::Id("X".to_string()) }))).contains("Unknown queryId: X"));
    assert!(message(catalog.apply(6, &ddl(drop(SourceKind::Stream, "B")))).contains("queries write into this source: [MINE]"));
}

#[test]
fn types_are_registered_once() {
    let make = |if_not_exists| ddl(Ddl::CreateType { name: "T".to_string(), ty: SqlType::Integer, if_not_exists });
    let (catalog, changes) = apply(&Catalog::new(), 1, &make(false));
    assert_eq!(changes, [Change::TypeAdded("T".to_string())]);
    assert!(message(catalog.apply(2, &make(false))).contains("already registered"));
    assert!(apply(&catalog, 2, &make(true)).1.is_empty());
    let gone = |if_exists| ddl(Ddl::DropType { name: "T".to_string(), if_exists });
    let (catalog, _) = apply(&catalog, 3, &gone(false));
    assert!(message(catalog.apply(4, &gone(false))).contains("does not exist"));
    assert!(apply(&catalog, 4, &gone(true)).1.is_empty());
}

#[test]
fn the_persisted_form_is_frozen() {
    let command = Command {
        statement: "CREATE STREAM B AS SELECT * FROM A;".to_string(),
        query: Some(plan(QueryKind::CreateStreamAs, "A", Some("B"))),
        ..ddl(create(source("B", SourceKind::Stream, &["A"]), false))
    };
    let text = concat!(
        "\u{1}",
        r#"{"statement":"CREATE STREAM B AS SELECT * FROM A;","ddl":{"type":"createSource","source":{"name":"B","kind":"Stream","#,
        r#""schema":{"columns":[{"name":"K","ty":"Integer","namespace":"Key"},{"name":"V","ty":"String","namespace":"Value"}]},"#,
        r#""topic":"b","key_format":{"format":"KAFKA","wrap":false},"value_format":{"format":"JSON","wrap":true},"timestamp":null,"#,
        r#""window":null,"read_only":false,"created_by":null,"built_from":["A"],"statement":""},"or_replace":false},"#,
        r#""query":{"kind":"CreateStreamAs","sources":["A"],"sink":"B","sub_topologies":[],"repartition_topics":[],"#,
        r#""materialized":null,"properties":{}}}"#
    );
    assert_eq!(String::from_utf8(command.encode().unwrap()).unwrap(), text);
    assert_eq!(Command::decode(text.as_bytes()).unwrap(), command);
    assert!(message(Command::decode(b"\x07{}")).contains("upgrade the server"));
    assert!(message(Command::decode(b"")).contains("empty"));
}
