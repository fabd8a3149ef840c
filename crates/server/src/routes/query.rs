//! Queries: `/query`, `/query-stream`, `/close-query`.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use flumen_api::{CloseQuery, ErrorCode, KsqlRequest, QueryStreamArgs, Values, media};
use flumen_engine::QueryAnswer;

use crate::accept;
use crate::answer::{Form, print, pull, push};
use crate::app::{App, Ready};
use crate::failure::Failure;
use crate::pulled::Pulled;
use crate::request::{Json, blocking, require, session};

/// The media type of PRINT where any will do.
const TEXT: &str = "text/plain; charset=utf-8";

/// One query as all endpoints ask for it.
pub struct Asked {
    pub text: String,
    pub properties: Values,
    pub variables: Values,
    /// The command that must have been applied before.
    pub after: Option<i64>,
}

/// How an answer is laid out.
struct Layout {
    media: &'static str,
    form: Form,
    /// How PRINT is answered, if it can be.
    print: Option<&'static str>,
}

/// `POST /query`: streamed rows unless lines are asked for.
pub async fn query(
    State(app): State<Arc<App>>,
    ready: Ready,
    headers: HeaderMap,
    Json(request): Json<KsqlRequest>,
) -> Result<Response, Failure> {
    let media = accept::choose(&headers, &[media::KSQL_V1, media::JSON, media::DELIMITED_V1])?;
    let form = if media == media::DELIMITED_V1 { Form::Lines } else { Form::Rows };
    let print = Some(if form == Form::Lines { media } else { TEXT });
    let KsqlRequest { ksql: text, streams_properties: properties, session_variables: variables, .. } = request;
    require("ksql", &text)?;
    let after = request.command_sequence_number;
    answer(app, ready, Asked { text, properties, variables, after }, Layout { media, form, print }).await
}

/// `POST /query-stream`: lines unless another form is asked for.
pub async fn query_stream(
    State(app): State<Arc<App>>,
    ready: Ready,
    headers: HeaderMap,
    Json(request): Json<QueryStreamArgs>,
) -> Result<Response, Failure> {
    let media = accept::choose(&headers, &[media::DELIMITED_V1, media::JSON, media::KSQL_V1])?;
    let form = match media {
        media::JSON => Form::Array,
        media::KSQL_V1 => Form::Rows,
        _ => Form::Lines,
    };
    let print = (form == Form::Lines).then_some(media);
    let QueryStreamArgs { sql: text, properties, session_variables: variables, .. } = request;
    require("sql", &text)?;
    answer(app, ready, Asked { text, properties, variables, after: None }, Layout { media, form, print }).await
}

/// Starts a query. An answer that nobody waits for any longer is dropped, which ends its query.
pub async fn start(app: &App, ready: Ready, asked: Asked) -> Result<QueryAnswer, Failure> {
    let Asked { text, properties, variables, after } = asked;
    let session = session(&app.config, &properties, &variables)?;
    let wait = app.config.command_response_timeout;
    blocking(move || {
        if let Some(command) = after {
            ready.engine.wait_for(command, wait)?;
        }
        Ok(ready.engine.query(&text, &session)?)
    })
    .await?
}

async fn answer(app: Arc<App>, ready: Ready, asked: Asked, layout: Layout) -> Result<Response, Failure> {
    let Layout { media, form, print: print_as } = layout;
    let answer = start(&app, ready, asked).await?;
    let patience = app.config.push_stall_timeout;
    match answer {
        QueryAnswer::Push(answer) => Ok(push(answer, form, media, patience)),
        QueryAnswer::Pull(rows) => Ok(pull(Pulled::begin(&app, rows).await?, form, media)),
        QueryAnswer::Print(printer) => {
            let media = print_as.ok_or_else(|| {
                let text = format!("PRINT is only available as {}", media::DELIMITED_V1);
                Failure::new(ErrorCode::NOT_ACCEPTABLE, text)
            })?;
            Ok(print(printer, app.print_thread()?, media, patience))
        }
    }
}

/// `POST /close-query`: ends a push query.
pub async fn close(ready: Ready, Json(CloseQuery { query_id }): Json<CloseQuery>) -> Result<StatusCode, Failure> {
    let id = query_id.clone();
    match blocking(move || ready.engine.close_query(&id)).await? {
        true => Ok(StatusCode::OK),
        false => Err(Failure::bad_request(format!("No query with id {query_id}"))),
    }
}
