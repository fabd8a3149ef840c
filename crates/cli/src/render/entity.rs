//! The answer to each kind of statement as tables.

use super::table::{list, table};
use flumen_api::{
    ConsumerOffset, EntityBody, FieldInfo, FieldKind, FunctionInfo, FunctionName, Property, QueryDescription, RunningQuery, SchemaInfo,
    SourceDescription, SourceInfo,
};

/// The text of an answer.
pub fn text(body: &EntityBody) -> String {
    match body {
        EntityBody::CurrentStatus { command_status, .. } => message(&command_status.message),
        EntityBody::Streams { streams } => sources("Stream Name", streams),
        EntityBody::Tables { tables } => sources("Table Name", tables),
        EntityBody::Queries { queries } => running(queries),
        EntityBody::QueryDescription { query_description } => query(query_description),
        EntityBody::QueryDescriptions { query_descriptions } => query_descriptions.iter().map(query).collect(),
        EntityBody::SourceDescription { source_description } => source(source_description),
        EntityBody::SourceDescriptions { source_descriptions } => source_descriptions.iter().map(source).collect(),
        EntityBody::KafkaTopics { topics } => {
            let rows = topics.iter().map(|t| vec![t.name.clone(), t.replica_info.len().to_string(), replicas(&t.replica_info)]);
            table(&["Kafka Topic", "Partitions", "Partition Replicas"], rows.collect())
        }
        EntityBody::KafkaTopicsExtended { topics } => {
            let rows = topics.iter().map(|t| {
                let (consumers, groups) = (t.consumer_count.to_string(), t.consumer_group_count.to_string());
                vec![t.name.clone(), t.replica_info.len().to_string(), replicas(&t.replica_info), consumers, groups]
            });
            table(&["Kafka Topic", "Partitions", "Partition Replicas", "Consumers", "Consumer Groups"], rows.collect())
        }
        EntityBody::Properties { properties: all, overwritten_properties, default_properties } => {
            properties(all, overwritten_properties, default_properties)
        }
        EntityBody::FunctionNames { functions } => function_names(functions),
        EntityBody::DescribeFunction { name, description, author, version, path, functions, r#type } => {
            let kind = format!("{type:?}").to_uppercase();
            let about =
                [("Name", name), ("Author", author), ("Version", version), ("Overview", description), ("Type", &kind), ("Jar", path)];
            let about = list(&about.map(|(label, text)| (label, text.as_str())));
            format!("{about}Variations :\n{}", functions.iter().map(|f| variation(name, f)).collect::<String>())
        }
        EntityBody::TypeList { types } => {
            table(&["Type Name", "Schema"], types.iter().map(|(name, schema)| vec![name.clone(), sql_type(schema)]).collect())
        }
        EntityBody::Variables { variables } => {
            table(&["Variable Name", "Value"], variables.iter().map(|v| vec![v.name.clone(), v.value.clone()]).collect())
        }
        EntityBody::TerminateQuery { query_id, was_terminated: true } => message(&format!("Query {query_id} terminated.")),
        EntityBody::TerminateQuery { query_id, was_terminated: false } => message(&format!("Query {query_id} was not running.")),
        EntityBody::WarningEntity { message: text } => message(text),
        EntityBody::AssertTopic { topic_name, exists } => message(&format!("Topic {topic_name} {}.", existence(*exists))),
        EntityBody::AssertSchema { subject, id, exists } => {
            let subject = subject.iter().map(|s| format!(" subject {s}"));
            let which: String = subject.chain(id.iter().map(|id| format!(" id {id}"))).collect();
            message(&format!("Schema with{which} {}.", existence(*exists)))
        }
    }
}

fn existence(exists: bool) -> &'static str {
    if exists { "exists" } else { "does not exist" }
}

/// A message may have several lines; those after the first are kept as they are.
fn message(text: &str) -> String {
    format!("{text}\n")
}

fn replicas(per_partition: &[i32]) -> String {
    match per_partition {
        [first, rest @ ..] if rest.iter().all(|r| r == first) => first.to_string(),
        all => all.iter().map(i32::to_string).collect::<Vec<_>>().join(","),
    }
}

fn sources(name: &str, all: &[SourceInfo]) -> String {
    let rows = all.iter().map(|s| {
        let windowed = if s.is_windowed { "true" } else { "false" };
        vec![s.name.clone(), s.topic.clone(), s.key_format.clone(), s.value_format.clone(), windowed.to_owned()]
    });
    table(&[name, "Kafka Topic", "Key Format", "Value Format", "Windowed"], rows.collect())
}

fn running(queries: &[RunningQuery]) -> String {
    let rows = queries.iter().map(|q| {
        let kind = format!("{:?}", q.query_type).to_uppercase();
        let state = if q.state.is_empty() { RunningQuery::state_text(&q.status_count) } else { q.state.clone() };
        let text = q.query_string.split_whitespace().collect::<Vec<_>>().join(" ");
        vec![q.id.clone(), kind, state, q.sinks.join(","), q.sink_kafka_topics.join(","), text]
    });
    table(&["Query ID", "Query Type", "Status", "Sink Name", "Sink Kafka Topic", "Query String"], rows.collect())
}

fn fields(all: &[FieldInfo], table_source: bool, windowed: Option<&str>) -> String {
    let rows = all.iter().map(|f| {
        let mark = match (&f.kind, table_source) {
            (Some(FieldKind::Key), true) => " (primary key)".to_owned(),
            (Some(FieldKind::Key), false) => " (key)".to_owned(),
            (Some(FieldKind::Header), _) => f.header_key.as_ref().map_or(" (headers)".to_owned(), |key| format!(" (header('{key}'))")),
            (None, _) => String::new(),
        };
        let window = windowed.filter(|_| f.kind == Some(FieldKind::Key)).map(|w| format!(" (Window type: {w})")).unwrap_or_default();
        vec![f.name.clone(), format!("{}{mark}{window}", sql_type(&f.schema))]
    });
    table(&["Field", "Type"], rows.collect())
}

fn sql_type(schema: &SchemaInfo) -> String {
    schema.to_string().replace("STRING", "VARCHAR(STRING)")
}

fn source(s: &SourceDescription) -> String {
    let is_table = s.r#type == "TABLE";
    let columns = fields(&s.fields, is_table, s.window_type.as_deref());
    if !s.extended {
        return format!("{}{columns}", list(&[("Name", &s.name)]));
    }
    let topic = format!("{} (partitions: {}, replication: {})", s.topic, s.partitions, s.replication);
    let about = list(&[
        ("Name", &s.name),
        ("Type", &s.r#type),
        ("Timestamp field", &s.timestamp),
        ("Key format", &s.key_format),
        ("Value format", &s.value_format),
        ("Kafka topic", &topic),
        ("Statement", &s.statement),
        ("Constraints", &s.source_constraints.join(", ")),
    ]);
    let mut text = format!("{about}\n{columns}");
    for (title, queries) in [("Queries that read from this", &s.read_queries), ("Queries that write into this", &s.write_queries)] {
        if !queries.is_empty() {
            text += &format!("\n{title}\n{}", running(queries));
        }
    }
    text += &list(&[("\nStatistics", &s.statistics), ("\nErrors", &s.error_stats)]);
    for group in &s.query_offset_summaries {
        for topic in &group.topic_summaries {
            text += &format!("\nConsumer group {}, topic {}\n{}", group.group_id, topic.kafka_topic, offsets(&topic.offsets));
        }
    }
    text
}

fn offsets(all: &[ConsumerOffset]) -> String {
    let rows = all.iter().map(|o| {
        let lag = o.log_end_offset.saturating_sub(o.consumer_offset);
        [i64::from(o.partition), o.log_start_offset, o.log_end_offset, o.consumer_offset, lag].iter().map(i64::to_string).collect()
    });
    table(&["Partition", "Start Offset", "End Offset", "Offset", "Lag"], rows.collect())
}

fn query(q: &QueryDescription) -> String {
    let kind = format!("{:?}", q.query_type).to_uppercase();
    let overridden = q.overridden_properties.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ");
    let about = list(&[
        ("ID", &q.id),
        ("Query Type", &kind),
        ("SQL", &q.statement_text),
        ("State", q.state.as_deref().unwrap_or_default()),
        ("Sources", &q.sources.join(", ")),
        ("Sinks", &q.sinks.join(", ")),
        ("Overridden properties", &overridden),
    ]);
    let columns = fields(&q.fields, false, q.window_type.as_deref());
    let mut text = format!("{about}\n{columns}");
    for (title, part) in [("Execution plan", &q.execution_plan), ("Topology", &q.topology)] {
        if !part.is_empty() {
            text += &format!("\n{title}\n{part}\n");
        }
    }
    if !q.query_errors.is_empty() {
        let rows = q.query_errors.iter().map(|e| vec![e.timestamp.to_string(), e.r#type.clone(), e.error_message.clone()]);
        text += &format!("\nErrors\n{}", table(&["Time (ms)", "Type", "Error"], rows.collect()));
    }
    text
}

fn properties(all: &[Property], overwritten: &[String], default: &[String]) -> String {
    let rows = all.iter().map(|p| {
        let from = match (overwritten.contains(&p.name), default.contains(&p.name)) {
            (true, _) => "SESSION",
            (false, true) => "",
            (false, false) => "SERVER",
        };
        vec![p.name.clone(), p.level.clone(), from.to_owned(), p.value.clone().unwrap_or_else(|| "NULL".to_owned())]
    });
    table(&["Property", "Level", "Set by", "Effective Value"], rows.collect())
}

fn function_names(all: &[FunctionName]) -> String {
    let rows = all.iter().map(|f| vec![f.name.clone(), format!("{:?}", f.r#type).to_uppercase(), f.category.clone()]);
    table(&["Function Name", "Type", "Category"], rows.collect())
}

fn variation(name: &str, form: &FunctionInfo) -> String {
    let arguments = form.arguments.iter().map(|a| {
        let dots = if a.is_variadic { "..." } else { "" };
        if a.name.is_empty() { format!("{}{dots}", a.r#type) } else { format!("{} {}{dots}", a.name, a.r#type) }
    });
    let call = format!("{name}({})", arguments.collect::<Vec<_>>().join(", "));
    let about = list(&[("  Returns", &form.return_type), ("  Description", &form.description)]);
    let named = form.arguments.iter().filter(|a| !a.description.is_empty());
    let described: String = named.map(|a| format!("  {} : {}\n", a.name, a.description)).collect();
    format!("\n  {call}\n{about}{described}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use flumen_api::{CommandState, CommandStatus, SourceType, TopicInfo};

    #[test]
    fn a_command_shows_its_message() {
        let command_status = CommandStatus { status: CommandState::Success, message: "Stream created".to_owned(), query_id: None };
        let body = EntityBody::CurrentStatus { command_id: String::new(), command_status, command_sequence_number: 0 };
        assert_eq!(text(&body), "Stream created\n");
    }

    #[test]
    fn lists_are_tables() {
        let stream = SourceInfo {
            r#type: SourceType::Stream,
            name: "ORDERS".to_owned(),
            topic: "orders".to_owned(),
            key_format: "KAFKA".to_owned(),
            value_format: "JSON".to_owned(),
            is_windowed: false,
        };
        let shown = text(&EntityBody::Streams { streams: vec![stream] });
        assert!(shown.contains("Stream Name") && shown.contains("ORDERS") && shown.contains("JSON"), "{shown}");
        let topic = TopicInfo { name: "t".to_owned(), replica_info: vec![3, 3] };
        let shown = text(&EntityBody::KafkaTopics { topics: vec![topic] });
        assert!(shown.contains("| t ") && shown.contains("| 2 ") && shown.contains("| 3 "), "{shown}");
    }

    #[test]
    fn columns_show_what_they_are() {
        let key = FieldInfo { name: "K".to_owned(), schema: SchemaInfo::simple("STRING"), kind: Some(FieldKind::Key), header_key: None };
        let shown = fields(&[key], true, Some("TUMBLING"));
        assert!(shown.contains("VARCHAR(STRING) (primary key) (Window type: TUMBLING)"), "{shown}");
    }
}
