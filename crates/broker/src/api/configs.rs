//! DescribeConfigs, AlterConfigs and IncrementalAlterConfigs.

use super::{once, text};
use crate::{
    node::{NODE_ID, Node},
    topics::{BROKER_CONFIGS, ConfigKind, Definition, TOPIC_CONFIGS, TopicConfig, check_value, definition},
};
use kafka_protocol::{
    ResponseError,
    messages::{
        AlterConfigsRequest, AlterConfigsResponse, DescribeConfigsRequest, DescribeConfigsResponse, IncrementalAlterConfigsRequest,
        IncrementalAlterConfigsResponse, alter_configs_response,
        describe_configs_request::DescribeConfigsResource,
        describe_configs_response::{DescribeConfigsResourceResult, DescribeConfigsResult, DescribeConfigsSynonym},
        incremental_alter_configs_request::AlterableConfig,
        incremental_alter_configs_response,
    },
};
use std::collections::BTreeMap;

const TOPIC: i8 = 2;
const BROKER: i8 = 4;

/// Where a value comes from, as responses say it.
mod source {
    pub const TOPIC: i8 = 1;
    pub const STATIC_BROKER: i8 = 4;
    pub const DEFAULT: i8 = 5;
}

type Failure = (ResponseError, String);

/// A config with its value.
pub struct Effective {
    /// What it is.
    pub definition: &'static Definition,
    /// Its value.
    pub value: String,
    /// Where that comes from.
    pub source: i8,
}

/// All configs of a topic, set or not.
pub fn effective(config: &TopicConfig) -> impl Iterator<Item = Effective> {
    TOPIC_CONFIGS.iter().map(|definition| match config.own().get(definition.name) {
        Some(value) => Effective { definition, value: value.clone(), source: source::TOPIC },
        None => Effective { definition, value: definition.default.to_string(), source: source::DEFAULT },
    })
}

/// Lists configs with values and sources.
pub fn describe_configs(node: &Node, request: DescribeConfigsRequest) -> DescribeConfigsResponse {
    let results = once(&request.resources, |resource| (resource.resource_type, resource.resource_name.clone()))
        .map(|resource| {
            let result = DescribeConfigsResult::default()
                .with_resource_type(resource.resource_type)
                .with_resource_name(resource.resource_name.clone());
            match describe(node, resource, request.include_synonyms) {
                Ok(configs) => result.with_configs(configs).with_error_message(None),
                Err((error, message)) => result.with_error_code(error.code()).with_error_message(Some(text(message))),
            }
        })
        .collect();
    DescribeConfigsResponse::default().with_results(results)
}

fn describe(node: &Node, resource: &DescribeConfigsResource, synonyms: bool) -> Result<Vec<DescribeConfigsResourceResult>, Failure> {
    let all: Vec<Effective> = match resource.resource_type {
        TOPIC => {
            let config = topic(node, &resource.resource_name)?;
            effective(&config).collect()
        }
        BROKER => {
            check_broker(&resource.resource_name)?;
            BROKER_CONFIGS
                .iter()
                .map(|d| Effective { definition: d, value: d.default.to_string(), source: source::DEFAULT })
                .chain(own_broker_configs(node))
                .collect()
        }
        other => return Err(no_such_resource(other)),
    };
    let wanted = |name: &str| resource.configuration_keys.as_ref().is_none_or(|keys| keys.iter().any(|k| k.as_str() == name));
    let read_only = resource.resource_type == BROKER;
    Ok(all.into_iter().filter(|c| wanted(c.definition.name)).map(|c| entry(c, read_only, synonyms)).collect())
}

/// The broker's configs that depend on how it was started.
fn own_broker_configs(node: &Node) -> impl Iterator<Item = Effective> {
    const AUTO_CREATE: Definition = Definition { name: "auto.create.topics.enable", kind: ConfigKind::Bool, default: "true" };
    const PARTITIONS: Definition = Definition { name: "num.partitions", kind: ConfigKind::Int(1), default: "1" };
    [
        Effective { definition: &AUTO_CREATE, value: node.config.auto_create_topics.to_string(), source: source::STATIC_BROKER },
        Effective { definition: &PARTITIONS, value: node.config.default_partitions.to_string(), source: source::STATIC_BROKER },
    ]
    .into_iter()
}

fn entry(config: Effective, read_only: bool, synonyms: bool) -> DescribeConfigsResourceResult {
    let Effective { definition, value, source } = config;
    let synonym = |value: &str, source| {
        DescribeConfigsSynonym::default().with_name(text(definition.name)).with_value(Some(text(value))).with_source(source)
    };
    let mut known_as = Vec::new();
    if synonyms {
        if source != source::DEFAULT {
            known_as.push(synonym(&value, source));
        }
        known_as.push(synonym(definition.default, source::DEFAULT));
    }
    DescribeConfigsResourceResult::default()
        .with_name(text(definition.name))
        .with_value(Some(text(value)))
        .with_read_only(read_only)
        .with_config_source(source)
        .with_config_type(definition.kind.code())
        .with_synonyms(known_as)
}

/// Replaces all configs of topics.
pub fn alter_configs(node: &Node, request: AlterConfigsRequest) -> AlterConfigsResponse {
    let responses = request
        .resources
        .into_iter()
        .map(|resource| {
            let replace = |own: &mut BTreeMap<String, String>| {
                own.clear();
                for config in &resource.configs {
                    let value = config.value.as_ref().ok_or_else(|| no_value(&config.name))?;
                    set(own, &config.name, value)?;
                }
                Ok(())
            };
            let done = alter(node, resource.resource_type, &resource.resource_name, request.validate_only, replace);
            let (code, message) = outcome(done);
            alter_configs_response::AlterConfigsResourceResponse::default()
                .with_resource_type(resource.resource_type)
                .with_resource_name(resource.resource_name.clone())
                .with_error_code(code)
                .with_error_message(message.map(text))
        })
        .collect();
    AlterConfigsResponse::default().with_responses(responses)
}

/// Changes single configs of topics.
pub fn incremental_alter_configs(node: &Node, request: IncrementalAlterConfigsRequest) -> IncrementalAlterConfigsResponse {
    let responses = request
        .resources
        .into_iter()
        .map(|resource| {
            let change = |own: &mut BTreeMap<String, String>| resource.configs.iter().try_for_each(|config| apply(own, config));
            let done = alter(node, resource.resource_type, &resource.resource_name, request.validate_only, change);
            let (code, message) = outcome(done);
            incremental_alter_configs_response::AlterConfigsResourceResponse::default()
                .with_resource_type(resource.resource_type)
                .with_resource_name(resource.resource_name.clone())
                .with_error_code(code)
                .with_error_message(message.map(text))
        })
        .collect();
    IncrementalAlterConfigsResponse::default().with_responses(responses)
}

fn outcome(done: Result<(), Failure>) -> (i16, Option<String>) {
    match done {
        Ok(()) => (0, None),
        Err((error, message)) => (error.code(), Some(message)),
    }
}

fn alter(
    node: &Node,
    resource_type: i8,
    name: &str,
    validate_only: bool,
    change: impl Fn(&mut BTreeMap<String, String>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    match resource_type {
        TOPIC => {}
        BROKER => {
            check_broker(name)?;
            return Err((ResponseError::InvalidRequest, "the broker's own configs are set where it is started".into()));
        }
        other => return Err(no_such_resource(other)),
    }
    let mut trial = topic(node, name)?.own().clone();
    change(&mut trial)?;
    if validate_only {
        return Ok(());
    }
    node.topics
        .configure(name, |own| change(own).map_err(|(error, _)| error))
        .map_err(|error| (error, "the configs could not be stored".into()))
}

fn apply(own: &mut BTreeMap<String, String>, config: &AlterableConfig) -> Result<(), Failure> {
    const SET: i8 = 0;
    const DELETE: i8 = 1;
    const APPEND: i8 = 2;
    const SUBTRACT: i8 = 3;
    let name = config.name.as_str();
    let definition = definition(name).ok_or_else(|| (ResponseError::InvalidConfig, format!("there is no topic config '{name}'")))?;
    if config.config_operation == DELETE {
        own.remove(name);
        return Ok(());
    }
    let value = config.value.as_ref().ok_or_else(|| no_value(name))?.as_str();
    if config.config_operation == SET {
        return set(own, name, value);
    }
    if !matches!(definition.kind, ConfigKind::List(_)) {
        return Err((ResponseError::InvalidConfig, format!("{name} is no list: nothing can be added or taken away")));
    }
    let current = own.get(name).map_or(definition.default, String::as_str);
    let split = |list: &str| list.split(',').map(|item| item.trim().to_string()).filter(|i| !i.is_empty()).collect::<Vec<_>>();
    let (mut items, changed) = (split(current), split(value));
    items.retain(|item| !changed.contains(item));
    match config.config_operation {
        APPEND => items.extend(changed),
        SUBTRACT => {}
        other => return Err((ResponseError::InvalidRequest, format!("there is no operation {other}"))),
    }
    set(own, name, &items.join(","))
}

fn set(own: &mut BTreeMap<String, String>, name: &str, value: &str) -> Result<(), Failure> {
    check_value(name, value).map_err(|message| (ResponseError::InvalidConfig, message))?;
    own.insert(name.to_string(), value.to_string());
    Ok(())
}

fn no_value(name: &str) -> Failure {
    (ResponseError::InvalidConfig, format!("{name} has no value"))
}

fn no_such_resource(kind: i8) -> Failure {
    (ResponseError::InvalidRequest, format!("there are no configs of resource type {kind}"))
}

fn check_broker(name: &str) -> Result<(), Failure> {
    if name.is_empty() || name.parse() == Ok(NODE_ID) {
        return Ok(());
    }
    Err((ResponseError::InvalidRequest, format!("there is no broker '{name}', the only one is {NODE_ID}")))
}

fn topic(node: &Node, name: &str) -> Result<std::sync::Arc<TopicConfig>, Failure> {
    match node.topics.get(name) {
        Some(topic) => Ok(topic.config()),
        None => Err((ResponseError::UnknownTopicOrPartition, format!("there is no topic '{name}'"))),
    }
}
