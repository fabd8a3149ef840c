//! Statements: `/ksql`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use flumen_api::{ErrorCode, KsqlRequest, TerminateCluster, media};

use crate::accept;
use crate::app::{App, Ready};
use crate::failure::Failure;
use crate::request::{Json, blocking, session};

/// `POST /ksql`: the answers of the statements, in order.
pub async fn ksql(
    State(app): State<Arc<App>>,
    ready: Ready,
    headers: HeaderMap,
    Json(request): Json<KsqlRequest>,
) -> Result<Response, Failure> {
    let media = accept::choose(&headers, &[media::KSQL_V1, media::JSON])?;
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

/// `POST /ksql/terminate`.
pub async fn terminate(_: Ready, _: Json<TerminateCluster>) -> Failure {
    let text = "Terminating the cluster is not supported yet; drop its streams and tables, then stop its servers";
    Failure::new(ErrorCode::BAD_STATEMENT, text)
}
