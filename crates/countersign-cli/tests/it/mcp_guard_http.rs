//! MCP servers over HTTP, guarded: for a client on pipes, and behind one address of the server.

use crate::agents_world::{configured, installed, variables};
use crate::mcp_guard::Guarded;
use crate::serve_world::{Server, folder, within};
use serde_json::{Value, json};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

/// npm server-everything over streamable HTTP.
struct Everything(Child, u16);

impl Everything {
    fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let script = installed("node/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
        let child = Command::new("node")
            .args([script.to_str().unwrap(), "streamableHttp"])
            .env("PORT", port.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        within(60, "server-everything listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Self(child, port)
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.1)
    }
}

impl Drop for Everything {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

// MCP-1, MCP-3: the client on pipes, the server over HTTP.
#[test]
fn a_service_is_guarded_for_a_client_on_pipes() {
    let everything = Everything::start();
    let mut guarded = Guarded::greeted(&["mcp", "--no-pins", "--url", &everything.url()], &[]);
    assert_eq!(guarded.call("echo", json!({"message": "hi"})), ("Echo: hi".to_owned(), false));
    assert!(guarded.call("get-sum", json!({"a": "2", "b": 40})).0.contains("42"), "mended");
    assert!(guarded.call("get-sum", json!({"a": 2})).1, "refused");
    drop(everything);
    let gone = guarded.ask("tools/list", json!({}));
    assert!(gone["error"]["message"].as_str().unwrap().contains("cannot be reached"), "{gone}");
    assert_eq!(guarded.leave().0, Some(0));
}

/// The message in an answer, which may be an event stream.
fn message(body: &str) -> Value {
    let data = body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap_or(body);
    serde_json::from_str(data).unwrap_or_else(|_| panic!("{body}"))
}

// MCP-1, MCP-2, MCP-3: several servers behind one address.
#[test]
fn servers_are_guarded_behind_one_address() {
    let everything = Everything::start();
    let home = folder("mcp-guard-serve");
    let text = format!(
        "[mcp.all]\nurl = {:?}\nguard = true\n[mcp.away]\nurl = \"http://127.0.0.1:9/mcp\"\nguard = true\n",
        everything.url()
    );
    let server = Server::start(&home.join("data"), &["--config", &configured(&home, &text)], &variables());
    let accept = ("accept", "application/json, text/event-stream");
    let json_body = ("content-type", "application/json");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let greeted = server.ask("POST", "/mcp/all", &[accept, json_body], &hello.to_string());
    assert_eq!(greeted.status, 200, "{}", greeted.body);
    let session = greeted.header("mcp-session-id").to_owned();
    assert!(!session.is_empty() && message(&greeted.body)["result"]["capabilities"].is_object());
    let headers = [accept, json_body, ("mcp-session-id", session.as_str()), ("mcp-protocol-version", "2025-11-25")];
    let started = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert_eq!(server.ask("POST", "/mcp/all", &headers, &started).status, 202);
    let call = |id: u64, name: &str, arguments: Value| {
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
        message(&server.ask("POST", "/mcp/all", &headers, &body.to_string()).body)
    };
    assert_eq!(call(2, "echo", json!({"message": "hi"}))["result"]["content"][0]["text"], "Echo: hi");
    assert!(call(3, "getSum", json!({"a": "2", "b": 40})).to_string().contains("42"));
    assert_eq!(call(4, "get-sum", json!({"a": 2}))["result"]["isError"], json!(true));
    assert_eq!(server.ask("DELETE", "/mcp/all", &headers, "").status, 200);
    let away = server.ask("POST", "/mcp/away", &[accept, json_body], &hello.to_string());
    assert!(away.status == 502 && away.body.contains("cannot be reached"), "{}", away.body);
    let nowhere = server.ask("POST", "/mcp/nowhere", &[accept, json_body], &hello.to_string());
    assert!(nowhere.status == 404 && nowhere.body.contains("all, away"), "{}", nowhere.body);
}

// MCP-1: what cannot be guarded there is said at the start.
#[test]
fn a_program_is_not_guarded_behind_an_address() {
    let home = folder("mcp-guard-program");
    let config = configured(&home, "[mcp.x]\ncommand = \"x\"\nguard = true\n");
    let output = crate::serve_world::bare(&["config", "check", "--config", &config], &[]).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(2) && words.contains("countersign mcp --"), "{words}");
}
