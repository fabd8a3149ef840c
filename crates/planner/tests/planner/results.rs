//! Schemas, formats and topics of what statements create.

use flumen_catalog::{Change, Ddl, SourceDef};
use flumen_types::Format;

use crate::world::World;

fn created(w: &World, statement: &str) -> SourceDef {
    match w.plan(statement).unwrap_or_else(|e| panic!("{}", e.rendered(statement))).ddl {
        Some(Ddl::CreateSource { source, .. }) => *source,
        other => panic!("{statement} gives {other:?}"),
    }
}

fn schema(statement: &str) -> String {
    created(&World::shop(), statement).schema.to_string()
}

#[test]
fn columns_without_alias_get_names() {
    assert_eq!(
        schema("CREATE STREAM s AS SELECT id, amount + 1, LEN(tags[1]), amount FROM orders;"),
        "`ID` INTEGER KEY, `KSQL_COL_0` DOUBLE, `KSQL_COL_1` INTEGER, `AMOUNT` DOUBLE"
    );
    assert_eq!(
        schema("CREATE STREAM s AS SELECT o.id, u.id AS other, o.amount, u.name FROM orders o JOIN users u ON o.id = u.id;"),
        "`O_ID` INTEGER KEY, `OTHER` INTEGER, `AMOUNT` DOUBLE, `NAME` STRING"
    );
}

#[test]
fn either_side_of_an_inner_join_can_name_the_key() {
    assert_eq!(
        schema("CREATE STREAM s AS SELECT u.id AS who, o.amount FROM orders o JOIN users u ON o.user_id = u.id;"),
        "`WHO` INTEGER KEY, `AMOUNT` DOUBLE"
    );
    assert_eq!(
        schema("CREATE STREAM s AS SELECT u.id, o.amount FROM orders o LEFT JOIN users u ON o.user_id + 1 = u.id;"),
        "`U_ID` INTEGER KEY, `AMOUNT` DOUBLE"
    );
}

#[test]
fn keys_keep_the_order_of_the_grouping() {
    let mut w = World::shop();
    let statement = "CREATE TABLE t WITH (KEY_FORMAT='JSON') AS SELECT COUNT(*) AS n, amount, id FROM orders GROUP BY id, amount;";
    assert_eq!(created(&w, statement).schema.to_string(), "`ID` INTEGER KEY, `AMOUNT` DOUBLE KEY, `N` BIGINT");
    w.context.overrides.insert("ksql.persistence.default.format.key".to_string(), "JSON".to_string());
    let keyless = "CREATE TABLE t AS SELECT COUNT(*) AS n, page, moment FROM clicks GROUP BY page, moment;";
    assert_eq!(created(&w, keyless).key_format.format, Format::Json);
}

#[test]
fn sinks_inherit_formats_partitions_and_names() {
    let w = World::shop();
    let planned =
        w.plan("CREATE STREAM s WITH (VALUE_FORMAT='DELIMITED', VALUE_DELIMITER='TAB') AS SELECT id, amount FROM orders;").unwrap();
    let [topic] = planned.topics_to_create.as_slice() else { panic!("one topic is created") };
    assert_eq!((topic.name.as_str(), topic.partitions, topic.replicas), ("S", 4, 1));
    assert_eq!(topic.configs, [("cleanup.policy".to_string(), "delete".to_string())]);
    let source = created(&w, "CREATE STREAM s WITH (VALUE_FORMAT='DELIMITED', VALUE_DELIMITER='TAB') AS SELECT id, amount FROM orders;");
    assert_eq!((source.value_format.format, source.value_format.delimiter), (Format::Delimited, Some('\t')));
    assert_eq!(source.key_format.format, Format::Kafka);
}

#[test]
fn windows_go_into_the_sinks_key_and_its_topics_retention() {
    let w = World::shop();
    let statement = "CREATE TABLE t AS SELECT id, COUNT(*) AS n FROM orders WINDOW HOPPING (SIZE 2 DAYS, ADVANCE BY 1 DAY, GRACE PERIOD 1 DAY) GROUP BY id;";
    let planned = w.plan(statement).unwrap();
    let configs = &planned.topics_to_create.first().unwrap().configs;
    assert!(configs.contains(&("cleanup.policy".to_string(), "compact,delete".to_string())));
    assert!(configs.contains(&("retention.ms".to_string(), (3 * 86_400_000i64).to_string())));
    assert_eq!(created(&w, statement).window.and_then(|w| w.size), Some(2 * 86_400_000));
}

#[test]
fn times_compare_with_texts() {
    let w = World::shop();
    let plan = w.explain("CREATE STREAM late AS SELECT * FROM orders WHERE ROWTIME >= '1970-01-01T00:00:01';");
    assert!(plan.contains("Filter (ROWTIME >= 1000)"), "{plan}");
}

#[test]
fn a_source_table_brings_its_query() {
    let mut w = World::shop();
    let changes = w.run("CREATE SOURCE TABLE people (id INT PRIMARY KEY, name STRING) WITH (KAFKA_TOPIC='users', VALUE_FORMAT='JSON');");
    let [Change::SourceAdded(source), Change::QueryStarted(query)] = changes.as_slice() else { panic!("{changes:?}") };
    assert!(source.read_only && source.created_by.is_none());
    assert_eq!(query.id.0, "CST_PEOPLE_5");
    assert!(query.plan.materialized.is_some() && query.plan.sink_node().is_none());
}

#[test]
fn dropping_ends_the_own_query_only() {
    let mut w = World::shop();
    w.run("CREATE STREAM a AS SELECT * FROM orders;");
    w.run("CREATE STREAM b AS SELECT * FROM a;");
    let drop = w.plan("DROP STREAM a;").unwrap().command("DROP STREAM a;").unwrap();
    assert!(w.catalog.apply(99, &drop).unwrap_err().to_string().contains("[B]"));
    let changes = w.run("DROP STREAM b DELETE TOPIC;");
    assert!(
        matches!(changes.as_slice(), [Change::QueryStopped(q), Change::SourceDropped { delete_topic: true, .. }] if q.id.0 == "CSAS_B_6")
    );
    w.run("INSERT INTO a SELECT * FROM orders;");
    assert!(w.catalog.apply(99, &drop).unwrap_err().to_string().contains("INSERTQUERY_8"));
    w.run("TERMINATE insertquery_8;");
    assert_eq!(w.run("DROP STREAM a;").len(), 2);
}

#[test]
fn replacing_keeps_the_query_and_refuses_what_would_lose_state() {
    let mut w = World::shop();
    w.run("CREATE STREAM a AS SELECT id, amount FROM orders;");
    let changes = w.run("CREATE OR REPLACE STREAM a AS SELECT id, amount, user_id FROM orders WHERE amount > 3;");
    assert!(matches!(changes.as_slice(), [Change::SourceChanged(_), Change::QueryReplaced(q)] if q.id.0 == "CSAS_A_5"));
    for wrong in [
        "CREATE OR REPLACE STREAM a AS SELECT id, user_id, amount FROM orders;",
        "CREATE OR REPLACE STREAM a AS SELECT user_id, amount FROM orders PARTITION BY user_id;",
    ] {
        let command = w.plan(wrong).unwrap().command(wrong).unwrap();
        assert!(w.catalog.apply(99, &command).is_err(), "{wrong}");
    }
}

#[test]
fn insert_select_converts_where_nothing_is_lost() {
    let mut w = World::new(
        &[("a", 1), ("b", 1)],
        &[
            "CREATE STREAM a (k INT KEY, v INT) WITH (KAFKA_TOPIC='a', FORMAT='JSON');",
            "CREATE STREAM b (k BIGINT KEY, v DOUBLE) WITH (KAFKA_TOPIC='b', FORMAT='JSON');",
        ],
    );
    let changes = w.run("INSERT INTO b WITH (QUERY_ID='fill_b') SELECT * FROM a;");
    assert!(matches!(changes.as_slice(), [Change::QueryStarted(q)] if q.id.0 == "FILL_B"));
    let plan = w.explain("INSERT INTO b SELECT k, v FROM a;");
    assert!(plan.contains("Rekey by CAST(K AS BIGINT) AS K, values CAST(V AS DOUBLE) AS V"), "{plan}");
    assert!(w.refusal("INSERT INTO a SELECT * FROM b;").contains("Incompatible schema between results and sink"));
    assert!(w.refusal("INSERT INTO a SELECT k, v AS w FROM a;").contains("`W` INTEGER"));
}

#[test]
fn custom_types_are_resolved_when_used() {
    let mut w = World::shop();
    w.run("CREATE TYPE address AS STRUCT<street STRING, town STRING>;");
    w.run("CREATE TYPE home AS STRUCT<at ARRAY<address>>;".replace("at ", "places ").as_str());
    let source = created(&w, "CREATE STREAM s (a HOME) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');");
    assert_eq!(source.schema.to_string(), "`A` STRUCT<`PLACES` ARRAY<STRUCT<`STREET` STRING, `TOWN` STRING>>>");
}
