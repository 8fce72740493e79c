//! The engine over HTTP: the same bodies as the command line's lines, and byte for byte the same answers.
//!
//! One object in, one out; an array in, an array out, in which a malformed element costs only its own place. Small
//! bodies are judged where they arrive; large ones, and those for which the policy asks the outside world, on threads
//! of their own.

use super::body::read_json;
use super::error::ApiError;
use super::policy_reload::Engines;
use super::state::App;
use crate::engine::claims::claims_line;
use crate::engine::score_line;
use crate::lines::BadLine;
use crate::lines::judge::error_line;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use countersign_runtime::metrics::Metrics;
use serde::Serialize;
use serde_json::value::RawValue;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

type RouteResult = Result<Response, ApiError>;

/// `POST /v1/check`: a tool call, before it runs.
pub(super) async fn check(State(app): State<Arc<App>>, request: Request) -> RouteResult {
    answer(app, Work::Check, request).await
}

/// `POST /v1/verify`: what a tool returned.
pub(super) async fn verify(State(app): State<Arc<App>>, request: Request) -> RouteResult {
    answer(app, Work::Verify, request).await
}

/// `POST /v1/score`: how far an answer can be trusted.
pub(super) async fn score(State(app): State<Arc<App>>, request: Request) -> RouteResult {
    answer(app, Work::Score, request).await
}

/// `POST /v1/claims`: what a message claims and nobody has verified.
pub(super) async fn claims(State(app): State<Arc<App>>, request: Request) -> RouteResult {
    answer(app, Work::Claims, request).await
}

/// `POST /v1/parse`: what a model really wrote.
pub(super) async fn parse(State(app): State<Arc<App>>, request: Request) -> RouteResult {
    answer(app, Work::Parse, request).await
}

/// `POST /v1/step`: a whole agent step.
pub(super) async fn step(State(app): State<Arc<App>>, request: Request) -> RouteResult {
    answer(app, Work::Step, request).await
}

/// What is asked of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    Check,
    Verify,
    Score,
    Claims,
    Parse,
    Step,
}

async fn answer(app: Arc<App>, work: Work, request: Request) -> RouteResult {
    let body = read_json(request, app.config.limits.body_size).await?;
    let engines = app.policy.current();
    let asks = matches!(work, Work::Check | Work::Step) && engines.engine.asks_outside();
    let json = if body.len() > SMALL || asks {
        let metrics = Arc::clone(&app.metrics);
        app.heavy.run(move || judge(&engines, work, &body, &metrics)).await??
    } else {
        judge(&engines, work, &body, &app.metrics)?
    };
    let mut response = Bytes::from(json).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok(response)
}

/// Judges a body: one object, or an array of them.
fn judge(engines: &Engines, work: Work, body: &[u8], metrics: &Metrics) -> Result<Vec<u8>, ApiError> {
    let text = std::str::from_utf8(body).map_err(|_| ApiError::bad_request("the body is not valid UTF-8", None))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut out = Vec::with_capacity(text.len().max(512));
    if !text.trim_ascii_start().starts_with('[') {
        return match judge_one(engines, work, text, metrics, &mut out) {
            Judged::Done => Ok(out),
            Judged::Malformed(reason) => Err(ApiError::bad_request(reason, None)),
            Judged::Panicked => Err(ApiError::internal("the engine panicked")),
        };
    }
    let items: Vec<&RawValue> = serde_json::from_str(text)
        .map_err(|error| ApiError::bad_request(format!("the body is not a JSON array: {error}"), None))?;
    out.push(b'[');
    let mut first_wrong = None;
    let mut right = 0usize;
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let line = item.get();
        let number = at as u64 + 1;
        match judge_one(engines, work, line, metrics, &mut out) {
            Judged::Done => right += 1,
            Judged::Malformed(reason) => {
                error_line(&mut out, &reason, line.as_bytes(), number);
                first_wrong.get_or_insert(reason);
            }
            Judged::Panicked => error_line(&mut out, BROKEN, line.as_bytes(), number),
        }
    }
    out.push(b']');
    match first_wrong {
        // Not one of them could be read: the body is what is wrong.
        Some(reason) if right == 0 => Err(ApiError::bad_request(reason, None)),
        _ => Ok(out),
    }
}

/// How judging one object went.
enum Judged {
    Done,
    Malformed(String),
    Panicked,
}

/// Judges one object; what was written of an answer that failed is taken back.
fn judge_one(engines: &Engines, work: Work, line: &str, metrics: &Metrics, out: &mut Vec<u8>) -> Judged {
    let before = out.len();
    let judged = catch_unwind(AssertUnwindSafe(|| write_answer(engines, work, line, metrics, out)));
    match judged {
        Ok(Ok(())) => Judged::Done,
        Ok(Err(BadLine(reason))) => {
            out.truncate(before);
            Judged::Malformed(reason)
        }
        Err(_) => {
            out.truncate(before);
            Judged::Panicked
        }
    }
}

fn write_answer(
    engines: &Engines,
    work: Work,
    line: &str,
    metrics: &Metrics,
    out: &mut Vec<u8>,
) -> Result<(), BadLine> {
    match work {
        Work::Check => {
            let began = Instant::now();
            let verdict = engines.engine.check(line)?;
            metrics.judging.observe(began.elapsed());
            metrics.verdicts.of([verdict.status.name()]).add_one();
            write(&verdict, out)
        }
        Work::Step => {
            let report = engines.engine.step(line)?;
            metrics.verdicts.of([report.status.name()]).add_one();
            write(&report, out)
        }
        Work::Verify => write(&engines.engine.verify(line)?, out),
        Work::Score => write(&score_line(line, engines.policy())?, out),
        Work::Claims => write(&claims_line(line, engines.policy())?, out),
        Work::Parse => write(&engines.parse.parse(line, engines.policy())?, out),
    }
}

fn write(answer: &impl Serialize, out: &mut Vec<u8>) -> Result<(), BadLine> {
    serde_json::to_writer(out, answer).map_err(|error| BadLine(error.to_string()))
}

/// Above so many bytes a body is judged on a thread of its own.
const SMALL: usize = 64 * 1024;
const BROKEN: &str = "internal error on this line; please report it";
