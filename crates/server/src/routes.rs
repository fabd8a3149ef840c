//! Which path leads where, and what happens around every request.

mod about;
mod command;
mod inserts;
mod property;
mod query;
mod socket;
mod statement;

use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use axum::http::{Method, Uri};
use axum::middleware::{self, Next};
use axum::response::{Redirect, Response};
use axum::routing::{get, post};
use flumen_api::ErrorCode;
use flumen_config::ServerConfig;
use tower_http::cors::{AllowOrigin, Any, CorsLayer};

use crate::ServerError;
use crate::app::App;
use crate::failure::Failure;

/// All routes.
pub fn router(app: Arc<App>) -> Result<Router, ServerError> {
    let cors = cors(&app.config)?;
    let mut router = Router::new()
        .route("/ksql", post(statement::ksql))
        .route("/ksql/terminate", post(statement::terminate))
        .route("/query", post(query::query))
        .route("/query-stream", post(query::query_stream))
        .route("/close-query", post(query::close))
        .route("/ws/query", get(socket::query))
        .route("/inserts-stream", post(inserts::inserts_stream))
        .route("/", get(async || Redirect::temporary("/info")))
        .route("/info", get(about::info))
        .route("/healthcheck", get(about::health))
        .route("/v1/metadata", get(about::metadata))
        .route("/v1/metadata/id", get(about::metadata_id))
        .route("/chc/ready", get(about::is_ready))
        .route("/chc/live", get(about::is_live))
        .route("/metrics", get(about::metrics))
        .route("/status", get(command::statuses))
        .route("/status/{kind}/{entity}/{action}", get(command::status))
        .route("/is_valid_property/{name}", get(property::is_valid))
        .fallback(unknown)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(app.clone(), observe));
    if let Some(cors) = cors {
        router = router.layer(cors);
    }
    Ok(router.with_state(app))
}

/// Counts and logs a request. The time is that to the head of the answer.
async fn observe(State(app): State<Arc<App>>, path: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let response = next.run(request).await;
    let status = response.status().as_u16();
    // Only known paths become labels, or anyone could fill the registry.
    app.metrics.request(path.as_ref().map_or("unknown", MatchedPath::as_str), status);
    tracing::debug!(%method, path = uri.path(), status, taken = ?start.elapsed(), "request");
    response
}

async fn unknown(uri: Uri) -> Failure {
    Failure::new(ErrorCode::NOT_FOUND, format!("There is nothing at {}", uri.path()))
}

async fn wrong_method(method: Method, uri: Uri) -> Failure {
    Failure::new(ErrorCode(40500), format!("{} does not take {method}", uri.path()))
}

/// What browsers may do from other sites; nothing unless an origin is configured.
fn cors(config: &ServerConfig) -> Result<Option<CorsLayer>, ServerError> {
    let Some(cors) = &config.cors else { return Ok(None) };
    let wrong = |property, value: &str| ServerError::Cors { property, value: value.to_owned() };
    let origin = match cors.origin.as_str() {
        "*" => AllowOrigin::from(Any),
        origin => AllowOrigin::exact(HeaderValue::from_str(origin).map_err(|_| wrong("origin", origin))?),
    };
    let mut methods = vec![Method::GET, Method::POST, Method::HEAD];
    if !cors.methods.is_empty() {
        let method = |text: &String| Method::from_bytes(text.as_bytes()).map_err(|_| wrong("methods", text));
        methods = cors.methods.iter().map(method).collect::<Result<_, _>>()?;
    }
    let mut headers = vec![ACCEPT, AUTHORIZATION, CONTENT_TYPE];
    if !cors.headers.is_empty() {
        let header = |text: &String| HeaderName::from_bytes(text.as_bytes()).map_err(|_| wrong("headers", text));
        headers = cors.headers.iter().map(header).collect::<Result<_, _>>()?;
    }
    Ok(Some(CorsLayer::new().allow_origin(origin).allow_methods(methods).allow_headers(headers)))
}
