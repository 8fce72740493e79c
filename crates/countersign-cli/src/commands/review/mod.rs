//! `countersign review`: what waits for a person, and what the person says. It talks to a running server.

/// A terminal that gives keys as they are pressed.
mod keyboard;
/// What waits, live.
mod watch;

use super::print;
use crate::args::{Format, ReviewArgs, ReviewCommand, SaidArgs, ServerArgs};
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::review;
use countersign_runtime::http;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::time::Duration;

/// Runs one of the commands.
pub(crate) fn run(args: ReviewArgs) -> Result<u8, Failure> {
    match args.command {
        ReviewCommand::Watch { reviewer, server } => watch::run(&server, reviewer),
        ReviewCommand::List { state, server } => {
            let listed = ask(&server, &format!("/v1/reviews?state={}", encode(&state)), None)?;
            list(&server, &listed)
        }
        ReviewCommand::Show { id, server } => {
            let id = whole(&server, &id)?;
            let found = ask(&server, &format!("/v1/reviews/{}", encode(&id)), None)?;
            write(&server, &found, review::show)
        }
        ReviewCommand::Approve { id, said, server } => decide(&server, &id, said, json!({"decision": "approve"})),
        ReviewCommand::Reject { id, said, server } => decide(&server, &id, said, json!({"decision": "reject"})),
        ReviewCommand::Edit { id, arguments, content, said, server } => {
            let edit = match (arguments, content) {
                (Some(arguments), _) => {
                    let arguments: Value = serde_json::from_str(&arguments)
                        .map_err(|error| Failure::unusable(format!("--arguments must be a JSON object: {error}")))?;
                    json!({"decision": "edit", "arguments": arguments})
                }
                (None, content) => json!({"decision": "edit", "content": content}),
            };
            decide(&server, &id, said, edit)
        }
    }
}

fn decide(server: &ServerArgs, id: &str, said: SaidArgs, mut body: Value) -> Result<u8, Failure> {
    if let Some(fields) = body.as_object_mut() {
        fields.insert("reason".to_owned(), json!(said.reason));
        fields.insert("reviewer".to_owned(), json!(said.reviewer));
    }
    let id = whole(server, id)?;
    let decided = ask(server, &format!("/v1/reviews/{}/decision", encode(&id)), Some(&body))?;
    write(server, &decided, review::show_decision)
}

/// The whole name of an item of which somebody typed the beginning, with `rev_` or without.
fn whole(server: &ServerArgs, typed: &str) -> Result<String, Failure> {
    let typed = typed.trim_end_matches(['…', '.']);
    let start = if typed.starts_with(PREFIX) { typed.to_owned() } else { format!("{PREFIX}{typed}") };
    if start.len() >= WHOLE {
        return Ok(start);
    }
    let listed = ask(server, "/v1/reviews?brief=true&order=newest&limit=1000", None)?;
    let items = listed.get("reviews").and_then(Value::as_array).into_iter().flatten();
    let names = items.filter_map(|review| review.get("review_id").and_then(Value::as_str));
    let found: Vec<&str> = names.filter(|name| name.starts_with(&start)).collect();
    match found.as_slice() {
        [one] => Ok((*one).to_owned()),
        [] => Err(Failure::with_help(
            format!("there is no review that begins with {start:?}"),
            "`countersign review list` lists what waits; --state approved, edited, rejected or expired the others",
        )),
        several => Err(Failure::with_help(
            format!("{} reviews begin with {start:?}: {}", several.len(), several.join(", ")),
            "type more of the name",
        )),
    }
}

fn list(server: &ServerArgs, listed: &Value) -> Result<u8, Failure> {
    let reviews = listed.get("reviews").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = match server.format {
        Format::Human => {
            let mut canvas = Canvas::new(server.color, None);
            review::list(&mut canvas, &reviews, Timestamp::now());
            canvas.finish()
        }
        Format::Jsonl => reviews.iter().map(|review| format!("{review}\n")).collect(),
        Format::Json => format!("{}\n", Value::Array(reviews)),
    };
    print(&text).map(|()| 0)
}

fn write(server: &ServerArgs, found: &Value, draw: fn(&mut Canvas, &Value)) -> Result<u8, Failure> {
    let text = match server.format {
        Format::Human => {
            let mut canvas = Canvas::new(server.color, None);
            draw(&mut canvas, found);
            canvas.finish()
        }
        _ => format!("{found}\n"),
    };
    print(&text).map(|()| 0)
}

/// Asks the server; what it refuses is a failure with its own words.
pub(super) fn ask(server: &ServerArgs, path: &str, body: Option<&Value>) -> Result<Value, Failure> {
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
        if status.is_success() { Ok(body) } else { Err(explain_refusal(status.as_u16(), &body)) }
    })
}

fn unreachable(server: &str) -> Failure {
    let help = "start it with `countersign serve`, or name it with --server URL or COUNTERSIGN_SERVER";
    Failure::with_help(format!("no server answers at {server}"), help)
}

fn explain_refusal(status: u16, body: &Value) -> Failure {
    let message = body.pointer("/error/message").and_then(Value::as_str).unwrap_or("the server refused");
    match status {
        401 => Failure::with_help(message, "name a key with COUNTERSIGN_KEY; `countersign keys create` makes one"),
        _ => Failure::unusable(message),
    }
}

/// A part of a path or a query, so that no id can point elsewhere.
pub(super) fn encode(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.bytes().map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// What the name of a review begins with.
const PREFIX: &str = "rev_";
/// How long a whole name is: `rev_` and 32 digits.
const WHOLE: usize = 36;
const DEADLINE: Duration = Duration::from_secs(30);
