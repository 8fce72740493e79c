//! An MCP server over streamable HTTP: the real one, killed and started again.

use super::service::{Asked, Service, answer};
use super::{call, find, installed, until};
use countersign_runtime::tools::{Knowledge, McpOptions, McpServer, McpTransport, ToolSource};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

struct Everything(Child);

impl Everything {
    fn start(port: u16) -> Self {
        let script = installed("node/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
        let mut starting = Command::new("node");
        starting.arg(script).arg("streamableHttp").env("PORT", port.to_string());
        Self(starting.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Everything {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn server(port: u16) -> Arc<McpServer> {
    let url = format!("http://127.0.0.1:{port}/mcp?key=secret");
    let headers = BTreeMap::from([("x-key".to_owned(), "secret".to_owned())]);
    let mut options = McpOptions::new("web", McpTransport::Http { url, headers });
    options.limits.timeout = Duration::from_secs(10);
    McpServer::new(options)
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_server_over_http_goes_and_comes_back() {
    let port = free_port();
    let away = server(port);
    assert!(away.tools().await.is_empty());
    let why = away.state().await.last_error.unwrap();
    assert!(!why.contains("secret"), "{why}");
    let running = Everything::start(port);
    until("it is connected once it is there", async || away.state().await.connected.then_some(())).await;
    let echo = find(&*away, "web__echo").await;
    let said = call(&*away, "web__echo", json!({"message": "over HTTP"})).await;
    assert_eq!(said.content, json!("Echo: over HTTP"));
    let one = |message: &'static str| call(&*away, "web__echo", json!({"message": message}));
    let (a, b, c) = tokio::join!(one("a"), one("b"), one("c"));
    assert_eq!([a.content, b.content, c.content], [json!("Echo: a"), json!("Echo: b"), json!("Echo: c")]);

    let long = json!({"duration": 30, "steps": 3});
    let (outcome, ()) = tokio::join!(call(&*away, "web__trigger-long-running-operation", long), async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        drop(running);
    });
    assert_eq!(outcome.knowledge, Knowledge::Unknown, "{outcome:?}");
    let order = super::order("web__echo", &json!({"message": "x"}));
    let gone = countersign_runtime::tools::run(&echo, order, super::place("s")).await;
    assert!(gone.is_error && gone.knowledge == Knowledge::Known, "nobody was there to take it: {gone:?}");
    assert!(!away.tools().await.is_empty(), "what it offered is still offered");

    let _running = Everything::start(port);
    until("it answers again", async || {
        let said = call(&*away, "web__echo", json!({"message": "again"})).await;
        (said.content == json!("Echo: again")).then_some(())
    })
    .await;
}

/// A service that speaks the protocol in plain JSON, and badly.
fn bad(asked: &Asked) -> Vec<u8> {
    let request: Value = serde_json::from_str(&asked.body).unwrap_or_default();
    let at = |place: &str| request.pointer(place).and_then(Value::as_str).unwrap_or_default();
    let good = |result: Value| {
        let answered = json!({"jsonrpc": "2.0", "id": request.get("id"), "result": result});
        answer(200, "application/json", &answered.to_string())
    };
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    match (at("/method"), at("/params/name")) {
        ("initialize", _) => good(
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "bad", "version": "1"}}),
        ),
        ("tools/list", _) => {
            let tools = ["echo", "flood", "broken", "busy", "closed", "html", "lost"].map(tool);
            good(json!({"tools": tools}))
        }
        ("tools/call", "echo") => good(json!({"content": [{"type": "text", "text": "here"}]})),
        ("tools/call", "flood") => good(json!({"content": [{"type": "text", "text": "x".repeat(20 << 20)}]})),
        ("tools/call", "broken") => answer(500, "text/plain", "oh"),
        ("tools/call", "busy") => answer(429, "text/plain", "later"),
        ("tools/call", "closed") => b"HTTP/1.1 401 X\r\nwww-authenticate: Bearer\r\ncontent-length: 0\r\n\r\n".to_vec(),
        ("tools/call", "html") => answer(200, "text/html", "<html>"),
        ("tools/call", _) => Vec::new(),
        ("notifications/initialized" | "notifications/cancelled", _) => answer(202, "", ""),
        ("", _) => answer(405, "", ""),
        _ => answer(400, "text/plain", "what?"),
    }
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_bad_service_is_told_as_it_is() {
    let service = Service::start(bad).await;
    let port = service.base.rsplit(':').next().unwrap().parse().unwrap();
    let server = server(port);
    let state = server.state().await;
    assert!(state.connected && state.protocol.as_deref() == Some("2025-11-25"), "{state:?}");
    let asked = service.asked();
    assert!(asked.iter().all(|asked| asked.head.contains("x-key: secret")), "{asked:?}");
    for (tool, knowledge, words) in [
        ("web__flood", Knowledge::Known, "left out"),
        ("web__broken", Knowledge::Unknown, "500"),
        ("web__busy", Knowledge::Known, "429"),
        ("web__closed", Knowledge::Known, "sign in"),
        ("web__html", Knowledge::Unknown, "text/html"),
        ("web__lost", Knowledge::Unknown, "its address"),
    ] {
        let outcome = call(&*server, tool, json!({})).await;
        let said = outcome.content.as_str().unwrap().to_owned();
        assert_eq!((outcome.is_error, outcome.knowledge), (true, knowledge), "{tool}: {outcome:?}");
        assert!(said.contains(words) && !said.contains("secret"), "{tool}: {said}");
        assert_eq!(call(&*server, "web__echo", json!({})).await.content, json!("here"), "after {tool}");
    }
}
