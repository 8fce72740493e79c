//! Real MCP servers of both eras, started as programs.

use super::{call, find, installed};
use crate::world::Folder;
use countersign::wire::tools::read_tool;
use countersign_runtime::tools::{McpOptions, McpServer, McpTransport, Reach, ToolSource};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A server of npm, started by node itself.
fn node(name: &str, package: &str, args: &[&str]) -> Arc<McpServer> {
    let script = installed(&format!("node/node_modules/@modelcontextprotocol/{package}/dist/index.js"));
    let args = std::iter::once(script.to_str().unwrap()).chain(args.iter().copied()).map(str::to_owned).collect();
    let transport = McpTransport::Child { command: "node".to_owned(), args, env: BTreeMap::new(), cwd: None };
    let mut options = McpOptions::new(name, transport);
    options.reads = vec!["read_*".to_owned(), "list_*".to_owned()];
    McpServer::new(options)
}

async fn readable(server: &McpServer) {
    for tool in server.tools().await {
        let read = read_tool(&tool.spec.to_string()).unwrap();
        assert_eq!(read.name, tool.name);
        assert!(read.input.is_some(), "{}", tool.name);
    }
}

// STREAM-6: npm server-everything, the era with `initialize`.
#[tokio::test(flavor = "multi_thread")]
async fn server_everything_answers() {
    let server = node("all", "server-everything", &["stdio"]);
    let state = server.state().await;
    assert_eq!((state.connected, state.protocol.as_deref()), (true, Some("2025-11-25")), "{state:?}");
    readable(&server).await;
    let echo = call(&*server, "all__echo", json!({"message": "Grüße 你好"})).await;
    assert_eq!((echo.is_error, echo.content), (false, json!("Echo: Grüße 你好")));
    let sum = call(&*server, "all__get-sum", json!({"a": 2, "b": 40})).await;
    assert!(sum.content.as_str().unwrap().contains("42"), "{sum:?}");
    let image = call(&*server, "all__get-tiny-image", json!({})).await;
    let words = image.content.as_str().unwrap();
    assert!(words.contains("[image/png, ") && words.len() < 500, "{words}");
    let weather = call(&*server, "all__get-structured-content", json!({"location": "New York"})).await;
    assert!(weather.content.is_object(), "{weather:?}");
    assert!(find(&*server, "all__get-structured-content").await.spec["outputSchema"].is_object());
    let wrong = call(&*server, "all__get-sum", json!({"a": "x"})).await;
    assert!(wrong.is_error, "{wrong:?}");
}

// STREAM-6: npm server-filesystem.
#[tokio::test(flavor = "multi_thread")]
async fn server_filesystem_writes_reads_and_refuses() {
    let folder = Folder::new();
    let root = folder.path().canonicalize().unwrap();
    let server = node("fs", "server-filesystem", &[root.to_str().unwrap()]);
    readable(&server).await;
    let file = root.join("note.txt");
    let wrote = call(&*server, "fs__write_file", json!({"path": file, "content": "kept"})).await;
    assert!(!wrote.is_error, "{wrote:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    let read = call(&*server, "fs__read_text_file", json!({"path": file})).await;
    assert!(read.content.to_string().contains("kept"), "{read:?}");
    let outside = call(&*server, "fs__read_text_file", json!({"path": "/etc/hostname"})).await;
    assert!(outside.is_error && outside.content.to_string().contains("denied"), "{outside:?}");
    let reach = |name: &'static str| {
        let server = Arc::clone(&server);
        async move { find(&*server, name).await.reach }
    };
    assert_eq!((reach("fs__read_text_file").await, reach("fs__write_file").await), (Reach::Reads, Reach::Acts));
}

// STREAM-6: PyPI mcp-server-time, the era without `initialize`.
#[tokio::test(flavor = "multi_thread")]
async fn server_time_answers_in_the_newer_era() {
    let python = installed("python/bin/python");
    let args = ["-m", "mcp_server_time", "--local-timezone", "UTC"].map(str::to_owned).to_vec();
    let command = python.to_str().unwrap().to_owned();
    let transport = McpTransport::Child { command, args, env: BTreeMap::new(), cwd: None };
    let server = McpServer::new(McpOptions::new("time", transport));
    let state = server.state().await;
    assert_eq!((state.connected, state.protocol.as_deref()), (true, Some("2026-07-28")), "{state:?}");
    readable(&server).await;
    let now = call(&*server, "time__get_current_time", json!({"timezone": "Asia/Shanghai"})).await;
    assert!(!now.is_error && now.content.to_string().contains("+08:00"), "{now:?}");
    let wrong = call(&*server, "time__get_current_time", json!({"timezone": "Mars/Olympus"})).await;
    assert!(wrong.is_error && wrong.content != Value::Null, "{wrong:?}");
}
