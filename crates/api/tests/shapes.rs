//! The JSON of each kind of body, as clients expect it.

use flumen_api::*;
use serde_json::{Value, json};

fn to_value<T: serde::Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("JSON")
}

#[test]
fn a_request_needs_only_its_statement() {
    let request: KsqlRequest =
        serde_json::from_value(json!({"ksql": "SHOW STREAMS;", "streamsProperties": null, "other": 1})).expect("a request");
    assert_eq!(request, KsqlRequest { ksql: "SHOW STREAMS;".to_owned(), ..KsqlRequest::default() });
    assert_eq!(to_value(&request), json!({"ksql": "SHOW STREAMS;"}));
    let args: QueryStreamArgs =
        serde_json::from_value(json!({"sql": "SELECT 1;", "properties": {"a": 1, "b": true, "c": "x"}})).expect("a request");
    let text = values_as_text(&args.properties).expect("plain values");
    assert_eq!(text.into_iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>(), ["a=1", "b=true", "c=x"]);
    assert_eq!(values_as_text(&Values::from([("n".to_owned(), json!([]))])), Err("n".to_owned()));
}

#[test]
fn a_command_answer() {
    let body = EntityBody::CurrentStatus {
        command_id: "stream/`A`/create".to_owned(),
        command_status: CommandStatus { status: CommandState::Success, message: "Stream created".to_owned(), query_id: None },
        command_sequence_number: 4,
    };
    let entity = Entity::new("CREATE STREAM A;", body);
    let want = json!({
        "@type": "currentStatus", "statementText": "CREATE STREAM A;", "warnings": [],
        "commandId": "stream/`A`/create", "commandSequenceNumber": 4,
        "commandStatus": {"status": "SUCCESS", "message": "Stream created", "queryId": null}
    });
    assert_eq!(to_value(&entity), want);
    assert_eq!(serde_json::from_value::<Entity>(want).expect("an entity"), entity);
}

#[test]
fn type_tags_are_ksqldbs() {
    let tag = |body: EntityBody| to_value(&body)["@type"].as_str().unwrap_or_default().to_owned();
    assert_eq!(tag(EntityBody::KafkaTopics { topics: vec![] }), "kafka_topics");
    assert_eq!(tag(EntityBody::KafkaTopicsExtended { topics: vec![] }), "kafka_topics_extended");
    assert_eq!(tag(EntityBody::SourceDescriptions { source_descriptions: vec![] }), "source_descriptions");
    assert_eq!(tag(EntityBody::QueryDescriptions { query_descriptions: vec![] }), "query_descriptions");
    assert_eq!(tag(EntityBody::FunctionNames { functions: vec![] }), "function_names");
    assert_eq!(tag(EntityBody::TypeList { types: Default::default() }), "type_list");
    assert_eq!(tag(EntityBody::WarningEntity { message: String::new() }), "warning_entity");
    assert_eq!(tag(EntityBody::TerminateQuery { query_id: String::new(), was_terminated: true }), "terminate_query");
}

#[test]
fn lists_of_sources_and_queries() {
    let source = SourceInfo {
        r#type: SourceType::Table,
        name: "T".to_owned(),
        topic: "t".to_owned(),
        key_format: "KAFKA".to_owned(),
        value_format: "JSON".to_owned(),
        is_windowed: false,
    };
    let want = json!({"type": "TABLE", "name": "T", "topic": "t", "keyFormat": "KAFKA", "valueFormat": "JSON", "isWindowed": false});
    assert_eq!(to_value(&source), want);
    let counts = [("RUNNING".to_owned(), 1)].into_iter().collect();
    assert_eq!(RunningQuery::state_text(&counts), "RUNNING:1");
}

#[test]
fn columns_and_types() {
    let mut decimal = SchemaInfo::simple("DECIMAL");
    decimal.parameters = [("precision".to_owned(), 4), ("scale".to_owned(), 2)].into_iter().collect();
    assert_eq!(decimal.to_string(), "DECIMAL(4, 2)");
    let array = SchemaInfo { member_schema: Some(Box::new(decimal)), ..SchemaInfo::simple("ARRAY") };
    assert_eq!(array.to_string(), "ARRAY<DECIMAL(4, 2)>");
    let field = FieldInfo { name: "K".to_owned(), schema: SchemaInfo::simple("STRING"), kind: Some(FieldKind::Key), header_key: None };
    assert_eq!(to_value(&field), json!({"name": "K", "schema": {"type": "STRING", "fields": null, "memberSchema": null}, "type": "KEY"}));
}

#[test]
fn errors_carry_their_code() {
    let error = ErrorBody::generic(ErrorCode::BAD_REQUEST, "no");
    assert_eq!(to_value(&error), json!({"@type": "generic_error", "error_code": 40000, "message": "no"}));
    assert_eq!((error.code().status(), error.message()), (400, "no"));
    let error = ErrorBody::Statement {
        error_code: ErrorCode::BAD_STATEMENT,
        message: "no".to_owned(),
        statement_text: "X;".to_owned(),
        entities: vec![],
    };
    let want = json!({"@type": "statement_error", "error_code": 40001, "message": "no", "statementText": "X;", "entities": []});
    assert_eq!(to_value(&error), want);
    assert_eq!(serde_json::from_value::<ErrorBody>(want).expect("an error"), error);
}

#[test]
fn rows_of_both_forms() {
    let header = Header { query_id: Some("q".to_owned()), schema: "`A` INTEGER KEY".to_owned() };
    assert_eq!(to_value(&StreamedRow::head(header)), json!({"header": {"queryId": "q", "schema": "`A` INTEGER KEY"}}));
    assert_eq!(to_value(&StreamedRow::row(vec![cell(&1), cell("a")])), json!({"row": {"columns": [1, "a"]}}));
    assert_eq!(to_value(&StreamedRow::tombstone(vec![cell(&1), cell(&())])), json!({"row": {"columns": [1, null], "tombstone": true}}));
    assert_eq!(to_value(&StreamedRow::end(StreamedRow::LIMIT_REACHED)), json!({"finalMessage": "Limit Reached"}));
    let head = StreamHead { query_id: None, column_names: vec!["A".to_owned()], column_types: vec!["INTEGER".to_owned()] };
    assert_eq!(to_value(&head), json!({"queryId": null, "columnNames": ["A"], "columnTypes": ["INTEGER"]}));
}

#[test]
fn a_decimal_keeps_its_digits() {
    let row: StreamedRow = serde_json::from_str(r#"{"row":{"columns":[12345678901234567890.1230,"x"]}}"#).expect("a row");
    let cells = row.row.expect("a row").columns;
    assert_eq!(cells.first().map(|c| c.get()), Some("12345678901234567890.1230"));
}

#[test]
fn a_server_tells_about_itself() {
    let info: Info =
        serde_json::from_value(json!({"KsqlServerInfo": {"version": "7", "kafkaClusterId": "k", "ksqlServiceId": "default_"}}))
            .expect("an info");
    assert_eq!(info.server.ksql_service_id, "default_");
    let health = Health {
        is_healthy: true,
        details: [("kafka".to_owned(), HealthDetail { is_healthy: true })].into_iter().collect(),
        server_state: Some(ServerState::Ready),
    };
    assert_eq!(to_value(&health), json!({"isHealthy": true, "details": {"kafka": {"isHealthy": true}}, "serverState": "READY"}));
}
