//! `countersign review`: what waits for a person, and what the person says. It talks to a running server.

use super::{format, print};
use crate::args::{Format, ReviewArgs, ReviewCommand, SaidArgs, ServerArgs};
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::review;
use countersign_runtime::http;
use serde_json::{Value, json};
use std::time::Duration;

/// Runs one of the commands.
pub fn run(args: ReviewArgs) -> Result<u8, Failure> {
    match args.command {
        ReviewCommand::List { state, server } => {
            let listed = ask(&server, &format!("/v1/reviews?state={}", encoded(&state)), None)?;
            list(&server, &listed)
        }
        ReviewCommand::Show { id, server } => {
            let found = ask(&server, &format!("/v1/reviews/{}", encoded(&id)), None)?;
            show(&server, &found)
        }
        ReviewCommand::Approve { id, said, server } => decide(&server, &id, "approve", said, None),
        ReviewCommand::Reject { id, said, server } => decide(&server, &id, "reject", said, None),
        ReviewCommand::Edit { id, arguments, said, server } => {
            let arguments: Value = serde_json::from_str(&arguments)
                .map_err(|error| Failure::unusable(format!("--arguments must be a JSON object: {error}")))?;
            decide(&server, &id, "edit", said, Some(arguments))
        }
    }
}

fn decide(
    server: &ServerArgs,
    id: &str,
    decision: &str,
    said: SaidArgs,
    arguments: Option<Value>,
) -> Result<u8, Failure> {
    let mut body = json!({"decision": decision, "reason": said.reason, "reviewer": said.reviewer});
    if let (Some(fields), Some(arguments)) = (body.as_object_mut(), arguments) {
        fields.insert("arguments".to_owned(), arguments);
    }
    let decided = ask(server, &format!("/v1/reviews/{}/decision", encoded(id)), Some(&body))?;
    show(server, &decided)
}

fn list(server: &ServerArgs, listed: &Value) -> Result<u8, Failure> {
    let reviews = listed.get("reviews").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = match format(server.format) {
        Format::Human => {
            let mut canvas = Canvas::new(server.color, None);
            review::list(&mut canvas, &reviews);
            canvas.finish()
        }
        Format::Jsonl => reviews.iter().map(|review| format!("{review}\n")).collect(),
        Format::Json => format!("{}\n", Value::Array(reviews)),
    };
    print(&text).map(|()| 0)
}

fn show(server: &ServerArgs, found: &Value) -> Result<u8, Failure> {
    let text = match format(server.format) {
        Format::Human => {
            let mut canvas = Canvas::new(server.color, None);
            review::show(&mut canvas, found);
            canvas.finish()
        }
        _ => format!("{found}\n"),
    };
    print(&text).map(|()| 0)
}

/// Asks the server; what it refuses is a failure with its own words.
fn ask(server: &ServerArgs, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
    // The one crypto library of the process; a second call changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Internal(error.to_string()))?;
    runtime.block_on(async {
        let address = format!("{}{path}", server.server.trim_end_matches('/'));
        let client = http::client().timeout(DEADLINE).build();
        let client = client.map_err(|error| Failure::Internal(error.to_string()))?;
        let request = match body {
            Some(body) => client.post(&address).json(body),
            None => client.get(&address),
        };
        let request = match &server.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        };
        let answer = request.send().await.map_err(|_| unreachable(&server.server))?;
        let status = answer.status();
        let body: Value = answer.json().await.unwrap_or_default();
        if status.is_success() { Ok(body) } else { Err(refused(status.as_u16(), &body)) }
    })
}

fn unreachable(server: &str) -> Failure {
    let help = "start it with `countersign serve`, or name it with --server URL or COUNTERSIGN_SERVER";
    Failure::with_help(format!("no server answers at {server}"), help)
}

fn refused(status: u16, body: &Value) -> Failure {
    let message = body.pointer("/error/message").and_then(Value::as_str).unwrap_or("the server refused");
    match status {
        401 => Failure::with_help(message, "name a key with COUNTERSIGN_KEY; `countersign keys create` makes one"),
        _ => Failure::unusable(message),
    }
}

/// A part of a path or a query, so that no id can point elsewhere.
fn encoded(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.bytes().map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

const DEADLINE: Duration = Duration::from_secs(30);
