//! Statements: `/ksql`, and the end of them all: `/ksql/terminate`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use flumen_api::{CommandState, CommandStatus, Entity, EntityBody, KsqlRequest, TerminateCluster, media};
use regex::RegexSet;

use crate::accept;
use crate::app::{App, Ready};
use crate::failure::Failure;
use crate::request::{Json, blocking, require, session};

/// `POST /ksql`: the answers of the statements, in order.
pub async fn ksql(
    State(app): State<Arc<App>>,
    ready: Ready,
    headers: HeaderMap,
    Json(request): Json<KsqlRequest>,
) -> Result<Response, Failure> {
    let media = accept::choose(&headers, &[media::KSQL_V1, media::JSON])?;
    require("ksql", &request.ksql)?;
    let session = session(&app.config, &request.streams_properties, &request.session_variables)?;
    let patience = app.config.command_response_timeout;
    let executed = blocking(move || {
        if let Some(command) = request.command_sequence_number {
            ready.engine.wait_for(command, patience)?;
        }
        Ok::<_, Failure>(ready.engine.execute(&request.ksql, &session))
    })
    .await??;
    match executed.error {
        Some(error) => Err(Failure::after(executed.entities, error)),
        None => Ok(([(CONTENT_TYPE, media)], axum::Json(executed.entities)).into_response()),
    }
}

/// `POST /ksql/terminate`: ends the service for good. Topics that its queries made and that a pattern of the request matches
/// as a whole are deleted too.
pub async fn terminate(
    State(app): State<Arc<App>>,
    ready: Ready,
    headers: HeaderMap,
    Json(request): Json<TerminateCluster>,
) -> Result<Response, Failure> {
    let media = accept::choose(&headers, &[media::KSQL_V1, media::JSON])?;
    let patterns = patterns(&request.delete_topic_list)?;
    blocking(move || ready.engine.terminate(|topic| patterns.is_match(topic))).await??;
    app.set_terminated();
    let message = "Cluster terminated: all queries, streams and tables are gone".to_owned();
    let done = EntityBody::CurrentStatus {
        command_id: "cluster/TerminateCluster/terminate".to_owned(),
        command_status: CommandStatus { status: CommandState::Success, message, query_id: None },
        command_sequence_number: -1,
    };
    Ok(([(CONTENT_TYPE, media)], axum::Json(vec![Entity::new("TERMINATE CLUSTER;", done)])).into_response())
}

fn patterns(texts: &[String]) -> Result<RegexSet, Failure> {
    RegexSet::new(texts.iter().map(|text| format!("^(?:{text})$")))
        .map_err(|error| Failure::bad_request(format!("A pattern of deleteTopicList is no regular expression: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        let matches =
            |texts: &[&str], name| patterns(&texts.iter().map(|text| text.to_string()).collect::<Vec<_>>()).unwrap().is_match(name);
        assert!(matches(&["A|B", "c.*"], "B") && matches(&["A|B", "c.*"], "cd"));
        assert!(!matches(&["A|B"], "AB") && !matches(&["b"], "abc") && !matches(&[], "A"));
        assert!(patterns(&["(".to_owned()]).unwrap_err().0.message().contains("no regular expression"));
    }
}
