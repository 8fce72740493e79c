//! An MCP server over streamable HTTP: the real one, killed and started again.

use super::{call, find, installed, until};
use countersign_runtime::tools::{Knowledge, McpOptions, McpServer, McpTransport, ToolSource};
use serde_json::json;
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
    let url = format!("http://127.0.0.1:{port}/mcp");
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
    assert!(away.state().await.last_error.is_some());
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
