//! Which era an MCP server is of: whatever it makes of `server/discover`, one that knows `initialize` is connected.

use super::service::{Asked, Service, answer};
use super::{call, find};
use countersign_runtime::tools::{McpOptions, McpServer, McpTransport};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A server on standard input and output that makes of `server/discover` what its first argument says.
const SCRIPT: &str = r#"
import json, sys, time
how, asked = sys.argv[1], []
def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
late = None
for line in sys.stdin:
    request = json.loads(line)
    method, id = request.get("method"), request.get("id")
    asked.append(method)
    if method == "server/discover":
        if how == "die":
            sys.exit(3)
        elif how == "late":
            late = id
        elif how == "text":
            send({"id": str(id), "result": {}})
        elif how == "other":
            send({"id": 99, "result": {}})
            send({"id": id, "result": {}})
        elif how.startswith("{"):
            send({"id": id, **json.loads(how)})
    elif method == "initialize":
        if late is not None:
            send({"id": late, "result": {}})
        send({"id": id, "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}})
    elif method == "tools/list":
        send({"id": id, "result": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        send({"id": id, "result": {"content": [{"type": "text", "text": " ".join(str(a) for a in asked)}]}})
"#;

fn child(how: &str) -> Arc<McpServer> {
    let args = ["-c", SCRIPT, how].map(str::to_owned).to_vec();
    let (command, env) = ("python3".to_owned(), BTreeMap::new());
    McpServer::new(McpOptions::new("old", McpTransport::Child { command, args, env, cwd: None }))
}

/// Answers that are no version that we speak.
fn answers() -> Vec<Value> {
    vec![
        json!({"result": {}}),
        json!({"result": {"resultType": "complete"}}),
        json!({"result": {"supportedVersions": []}}),
        json!({"result": {"resultType": "complete", "supportedVersions": ["2025-11-25"], "capabilities": {}, "ttlMs": 0, "cacheScope": "private"}}),
        json!({"result": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "old", "version": "1"}}}),
        json!({"result": {"tools": []}}),
        json!({"error": {"code": -32601, "message": "Method not found"}}),
        json!({"error": {"code": -32602, "message": "Invalid params"}}),
        json!({"error": {"code": -32600, "message": "not initialized"}}),
        json!({"error": {"code": -32004, "message": "Unsupported protocol version", "data": {"supported": ["2025-11-25"]}}}),
        json!({"error": {"code": -32022, "message": "Unsupported protocol version", "data": {"supported": ["2025-11-25"]}}}),
    ]
}

async fn speaks_the_older_era(server: &McpServer, name: &str, what: &str) {
    let state = server.state().await;
    assert_eq!((state.connected, state.protocol.as_deref()), (true, Some("2025-11-25")), "{what}: {state:?}");
    assert!(find(server, name).await.name == name);
}

// STREAM-6: MCP, both eras, over standard input and output.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_of_the_older_era_is_greeted_whatever_it_answers() {
    for answer in answers() {
        let what = answer.to_string();
        let server = child(&what);
        speaks_the_older_era(&server, "old__echo", &what).await;
        let asked = call(&*server, "old__echo", json!({})).await;
        let asked = asked.content.as_str().unwrap().to_owned();
        assert!(
            asked.starts_with("server/discover initialize notifications/initialized tools/list"),
            "{what}: {asked}"
        );
    }
    for how in ["text", "other"] {
        speaks_the_older_era(&child(how), "old__echo", how).await;
    }
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_dies_of_the_question_is_started_again_and_greeted() {
    let server = child("die");
    speaks_the_older_era(&server, "old__echo", "die").await;
    let asked = call(&*server, "old__echo", json!({})).await;
    assert!(asked.content.as_str().unwrap().starts_with("initialize"), "{asked:?}");
}

// STREAM-6: nothing in time, and an answer that comes after the greeting has gone on.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_answers_late_or_never_is_greeted() {
    let (never, late) = (child("never"), child("late"));
    tokio::join!(speaks_the_older_era(&never, "old__echo", "never"), speaks_the_older_era(&late, "old__echo", "late"));
}

/// A service of the older era that makes of `server/discover` what it is told.
fn old(asked: &Asked, discover: impl Fn(&Value) -> Vec<u8>) -> Vec<u8> {
    let request: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    let id = request.get("id").cloned().unwrap_or_default();
    let good = |result: Value| {
        answer(200, "application/json", &json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
    };
    match request.get("method").and_then(Value::as_str).unwrap_or_default() {
        "server/discover" => discover(&id),
        "initialize" => good(
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}),
        ),
        "tools/list" => good(json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})),
        "tools/call" => good(json!({"content": [{"type": "text", "text": "here"}]})),
        "notifications/initialized" => answer(202, "", ""),
        _ => answer(405, "", ""),
    }
}

async fn web(discover: impl Fn(&Value) -> Vec<u8> + Send + Sync + 'static) -> (Service, Arc<McpServer>) {
    let service = Service::start(move |asked| old(asked, &discover)).await;
    let transport = McpTransport::Http { url: format!("{}/mcp", service.base), headers: BTreeMap::new() };
    let server = McpServer::new(McpOptions::new("web", transport));
    (service, server)
}

// STREAM-6: MCP, both eras, over HTTP.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_of_the_older_era_is_greeted_whatever_it_answers() {
    for given in answers() {
        let what = given.to_string();
        for (status, media) in [(200, "application/json"), (200, "text/event-stream"), (400, "application/json")] {
            let given = given.clone();
            let (_service, server) = web(move |id| {
                let mut whole = json!({"jsonrpc": "2.0", "id": id});
                whole.as_object_mut().unwrap().extend(given.as_object().unwrap().clone());
                let body = if media == "text/event-stream" { format!("data: {whole}\n\n") } else { whole.to_string() };
                answer(status, media, &body)
            })
            .await;
            speaks_the_older_era(&server, "web__echo", &format!("{what} as {status} {media}")).await;
        }
    }
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_does_not_answer_the_question_is_greeted() {
    for (what, bytes) in [
        ("nothing at all", Vec::new()),
        ("an empty body", answer(200, "application/json", "")),
        ("a page", answer(200, "text/html", "<html>")),
        ("accepted", answer(202, "", "")),
        ("not found", answer(404, "text/plain", "no")),
        ("a server error", answer(500, "text/plain", "oh")),
        ("a refusal of the method", answer(405, "", "")),
    ] {
        let (_service, server) = web(move |_| bytes.clone()).await;
        speaks_the_older_era(&server, "web__echo", what).await;
        assert_eq!(call(&*server, "web__echo", json!({})).await.content, json!("here"), "{what}");
    }
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_keeps_silent_is_greeted_in_time() {
    let began = Instant::now();
    let (_service, server) = web(|_| {
        tokio::task::block_in_place(|| std::thread::sleep(Duration::from_secs(15)));
        Vec::new()
    })
    .await;
    speaks_the_older_era(&server, "web__echo", "silent").await;
    assert!(began.elapsed() < Duration::from_secs(14), "{:?}", began.elapsed());
}

// STREAM-6: who may not ask is told so, and no other greeting is tried.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_wants_a_key_is_not_greeted_another_way() {
    let refused = b"HTTP/1.1 401 X\r\nwww-authenticate: Bearer\r\ncontent-length: 0\r\n\r\n".to_vec();
    let (service, server) = web(move |_| refused.clone()).await;
    let state = server.state().await;
    assert!(!state.connected && state.last_error.is_some(), "{state:?}");
    assert!(service.asked().iter().all(|asked| !asked.body.contains("\"initialize\"")));
}
