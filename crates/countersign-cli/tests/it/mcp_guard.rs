//! `countersign mcp` as a client starts it: in front of real servers of both eras, and of a hostile one.

use crate::agents_world::{installed, python, variables};
use crate::serve_world::{bare, folder};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A guard, as a client has it.
pub(crate) struct Guarded {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Guarded {
    /// Starts a guard; nothing is said yet.
    pub(crate) fn start(args: &[&str], env: &[(&str, &str)]) -> Self {
        let mut command = bare(args, &[variables(), env.to_vec()].concat());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, next: 0 }
    }

    /// The same, greeted as clients of 2025 do.
    pub(crate) fn greeted(args: &[&str], env: &[(&str, &str)]) -> Self {
        let mut guarded = Self::start(args, env);
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let greeted = guarded.ask("initialize", params);
        assert!(greeted["result"]["capabilities"]["tools"].is_object(), "{greeted}");
        guarded.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        guarded
    }

    pub(crate) fn tell(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    /// Asks something; gives the answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.tell(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "{method}: the guard has ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == json!(id) && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Calls a tool; gives what it says, and whether that is an error.
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> (String, bool) {
        let answer = self.ask("tools/call", json!({"name": name, "arguments": arguments}));
        let blocks = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("{answer}"));
        let text = blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n");
        (text, answer["result"]["isError"].as_bool().unwrap_or(false))
    }

    /// Leaves; gives the exit code and what was said on standard error.
    pub(crate) fn leave(mut self) -> (Option<i32>, String) {
        self.input = None;
        let output = self.child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

fn hostile(pins: &Path, more: &[&str], env: &[(&str, &str)]) -> Guarded {
    let (python, script) = (python(), concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mcp_guard_server.py"));
    let (pins, python) = (pins.to_str().unwrap(), python.to_str().unwrap());
    let args = [&["mcp", "--name", "hostile", "--pins", pins][..], more, &["--", python, script]].concat();
    Guarded::greeted(&args, env)
}

// MCP-1, MCP-3: npm server-everything, the era with `initialize`.
#[test]
fn server_everything_is_guarded() {
    let script = installed("node/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let mut guarded = Guarded::greeted(&["mcp", "--no-pins", "--", "node", script.to_str().unwrap(), "stdio"], &[]);
    assert_eq!(guarded.call("echo", json!({"message": "Grüße 你好"})), ("Echo: Grüße 你好".to_owned(), false));
    assert!(guarded.call("get-sum", json!({"a": "2", "b": 40})).0.contains("42"), "mended");
    assert!(guarded.call("getSum", json!({"a": 2, "b": 40})).0.contains("42"), "renamed");
    let (refused, is_error) = guarded.call("get-sum", json!({"a": 2}));
    assert!(is_error && refused.contains("`b`") && refused.contains("missing"), "{refused}");
    let (unknown, is_error) = guarded.call("get_summary_of_all", json!({}));
    assert!(is_error && unknown.contains("get_summary_of_all"), "{unknown}");
    assert!(guarded.ask("resources/list", json!({}))["result"]["resources"].is_array());
    assert!(guarded.ask("nonesuch/method", json!({}))["error"]["code"].is_number());
    assert_eq!(guarded.leave().0, Some(0));
}

// MCP-1, MCP-3: npm server-filesystem.
#[test]
fn server_filesystem_is_guarded() {
    let home = folder("mcp-guard-fs").canonicalize().unwrap();
    let script = installed("node/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    let args = ["mcp", "--no-pins", "--", "node", script.to_str().unwrap(), home.to_str().unwrap()];
    let mut guarded = Guarded::greeted(&args, &[]);
    let file = home.join("note.txt");
    let (wrote, is_error) = guarded.call("write_file", json!({"path": file, "content": "kept"}));
    assert!(!is_error, "{wrote}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    assert!(guarded.call("read_text_file", json!({"path": file})).0.contains("kept"));
    let (refused, is_error) = guarded.call("write_file", json!({"path": file}));
    assert!(is_error && refused.contains("content"), "{refused}");
    assert_eq!(guarded.leave().0, Some(0));
}

// MCP-2, MCP-3: PyPI mcp-server-time, the era without `initialize`.
#[test]
fn server_time_is_guarded_in_the_newer_era() {
    let python = python();
    let args = ["mcp", "--no-pins", "--", python.to_str().unwrap(), "-m", "mcp_server_time", "--local-timezone", "UTC"];
    let mut guarded = Guarded::start(&args, &[]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": {}});
    let found = guarded.ask("server/discover", json!({"_meta": meta}));
    assert!(found["result"]["supportedVersions"].to_string().contains("2026-07-28"), "{found}");
    let call = |arguments: Value| json!({"name": "get_current_time", "arguments": arguments, "_meta": meta});
    let now = guarded.ask("tools/call", call(json!({"timezone": "Asia/Shanghai"})));
    assert!(now["result"]["content"][0]["text"].as_str().unwrap().contains("+08:00"), "{now}");
    let refused = guarded.ask("tools/call", call(json!({})));
    assert_eq!((&refused["result"]["isError"], &refused["result"]["resultType"]), (&json!(true), &json!("complete")));
    assert_eq!(guarded.leave().0, Some(0));
}

// MCP-3: what a hostile server says arrives marked, cleaned and bounded.
#[test]
fn a_hostile_server_is_held_in_check() {
    let pins = folder("mcp-guard-hostile").join("pins");
    let mut guarded = hostile(&pins, &["--max-result", "5000"], &[]);
    assert_eq!(guarded.call("say", json!({"kind": "plain"})).0, "The shop opens at nine.");
    let order = guarded.call("say", json!({"kind": "order"})).0;
    assert!(order.starts_with("[countersign: ") && order.contains("evil@example.com"), "{order}");
    assert!(!guarded.call("say", json!({"kind": "secret"})).0.contains("Q3EGRZ7T5UJ2K4LM"));
    assert_eq!(guarded.call("say", json!({"kind": "ansi"})).0, "red and hidden");
    let long = guarded.call("say", json!({"kind": "long"})).0;
    assert!(long.len() < 6_000 && long.contains("were cut"), "{}", long.len());
    let (code, words) = guarded.leave();
    assert!(code == Some(0) && words.contains("no message"), "{words}");
}

// MCP-1: the end of the server is told, with its exit code and its own last words; one that does not end is ended.
#[test]
fn ends_are_told() {
    let pins = folder("mcp-guard-ends").join("pins");
    let mut dying = hostile(&pins, &[], &[]);
    dying.tell(&json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "die", "arguments": {}}}));
    let output = dying.child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{words}");
    assert!(words.contains("dying as asked") && words.contains("ended by itself"), "{words}");
    let stubborn = hostile(&pins, &[], &[("STUBBORN", "1")]);
    assert_eq!(stubborn.leave().0, Some(0));
    let missing = bare(&["mcp", "--no-pins", "--", "nonesuch-program"], &variables()).output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("nonesuch-program"));
}

// MCP-5, TRUST-6: a tool that changes is held, shown and approved.
#[test]
fn a_changed_tool_is_held_until_it_is_approved() {
    let pins = folder("mcp-guard-pins").join("pins");
    let place = pins.to_str().unwrap();
    let mut first = hostile(&pins, &[], &[]);
    assert!(!first.call("add", json!({"a": 1, "b": 2})).1);
    first.leave();
    let mut changed = hostile(&pins, &[], &[("ADD", "Adds two numbers, and more.")]);
    let listed = changed.ask("tools/list", json!({}));
    let names: Vec<_> = listed["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["say", "die"], "a held tool is not shown to the model");
    let (refused, is_error) = changed.call("add", json!({"a": 1, "b": 2}));
    assert!(is_error && refused.contains("tool.changed") && refused.contains("pins approve"), "{refused}");
    assert!(!changed.call("say", json!({"kind": "plain"})).1, "its siblings run");
    let run = |args: &[&str]| {
        let output = bare(&[&["mcp", "pins"], args].concat(), &[("COUNTERSIGN_PINS", place)]).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, shown) = run(&["diff", "hostile"]);
    assert!(
        code == Some(1) && shown.contains("- Adds two numbers.\n") && shown.contains("+ Adds two numbers, and more."),
        "{shown}"
    );
    assert_eq!(run(&["verify"]).0, Some(1));
    assert!(run(&["list"]).1.contains("held"));
    assert_eq!(run(&["approve", "hostile", "add"]).0, Some(0));
    assert_eq!(run(&["verify"]).0, Some(0));
    assert!(!changed.call("add", json!({"a": 1, "b": 2})).1, "the guard that runs sees it");
    changed.leave();
}

// MCP-1: a guard goes into the files of clients and out again.
#[test]
fn clients_are_set_up() {
    let home = folder("mcp-guard-install");
    let (claude, codex) = (home.join(".claude.json"), home.join(".codex/config.toml"));
    std::fs::create_dir_all(home.join(".codex")).unwrap();
    let json = "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\"files\": {\"command\": \"npx\", \"args\": [\"server\"]}, \"web\": {\"type\": \"http\", \"url\": \"https://x\"}}\n}\n";
    let toml = "# mine\n[mcp_servers.time]\ncommand = \"uvx\"\nargs = [\"mcp-server-time\"]\n";
    std::fs::write(&claude, json).unwrap();
    std::fs::write(&codex, toml).unwrap();
    let place = home.to_str().unwrap().to_owned();
    let run = |command: &str, more: &[&str]| {
        let args = [&["mcp", command, "--home", &place, "--project", &place][..], more].concat();
        let output = bare(&args, &variables()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(run("status", &[]).contains("files: not guarded"));
    assert!(run("install", &["--dry-run"]).contains("now guarded"));
    assert_eq!(std::fs::read_to_string(&claude).unwrap(), json);
    run("install", &[]);
    assert!(run("status", &[]).contains("time: guarded"));
    assert!(std::fs::read_to_string(&claude).unwrap().contains("\"numStartups\": 7"));
    assert_eq!(std::fs::read_to_string(home.join(".claude.json.before-countersign")).unwrap(), json);
    run("uninstall", &["--client", "codex"]);
    assert_eq!(std::fs::read_to_string(&codex).unwrap(), toml);
    assert!(run("status", &[]).contains("files: guarded"));
    run("uninstall", &[]);
    assert!(run("status", &[]).contains("files: not guarded"));
}
