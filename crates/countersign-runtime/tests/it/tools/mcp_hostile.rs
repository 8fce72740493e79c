//! MCP servers that die, hang, flood, lie and change: the one who asked always gets an honest outcome, and goes on.

use super::{call, find, order, place, until};
use crate::world::Folder;
use countersign_runtime::tools::{
    Knowledge, Limits, McpOptions, McpServer, McpTransport, Reach, ToolSource, ToolTrouble, run,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn options(env: &[(&str, &str)]) -> McpOptions {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tools/hostile.py");
    let env: BTreeMap<String, String> = env.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let (command, args) = ("python3".to_owned(), vec![script.to_owned()]);
    let mut options = McpOptions::new("bad", McpTransport::Child { command, args, env, cwd: None });
    options.limits = Limits { timeout: Duration::from_secs(20), output: 64 * 1024 };
    options
}

fn hostile() -> Arc<McpServer> {
    McpServer::new(options(&[]))
}

async fn text(server: &McpServer, tool: &str, arguments: Value) -> String {
    let outcome = call(server, tool, arguments).await;
    assert!(!outcome.is_error, "{outcome:?}");
    outcome.content.as_str().unwrap().to_owned()
}

/// The server's process once it answers again.
async fn pid(server: &McpServer) -> String {
    until("the server answers", async || {
        let outcome = call(server, "bad__pid", json!({})).await;
        (!outcome.is_error).then(|| outcome.content.as_str().unwrap().to_owned())
    })
    .await
}

fn runs(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_in_a_call_leaves_its_outcome_unknown_and_comes_back() {
    let server = hostile();
    let before = pid(&server).await;
    let outcome = call(&*server, "bad__die", json!({})).await;
    assert_eq!(outcome.knowledge, Knowledge::Unknown, "{outcome:?}");
    let codes: Vec<_> = outcome.remarks.iter().map(|remark| remark.code).collect();
    assert_eq!(codes, ["tool_failed", "outcome_unknown"]);
    assert!(server.tools().await.len() > 10, "what it offered is still offered");
    assert_ne!(pid(&server).await, before);
    assert!(server.state().await.connected);
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stays_away_is_not_called_and_still_offered() {
    let folder = Folder::new();
    let once = folder.path().join("once");
    let server = McpServer::new(options(&[("HOSTILE_ONCE", once.to_str().unwrap())]));
    let offered = server.tools().await.len();
    call(&*server, "bad__die", json!({})).await;
    until("the server is known to be unavailable", async || (!server.state().await.connected).then_some(())).await;
    let trouble = find(&*server, "bad__echo").await.runner.run(&order("bad__echo", &json!({})), &place("s")).await;
    assert!(matches!(&trouble, Err(ToolTrouble::NotRun(why)) if why.contains("\"bad\"")), "{trouble:?}");
    assert_eq!(server.tools().await.len(), offered);
    let state = server.state().await;
    assert!(state.last_error.is_some() && state.tools == offered, "{state:?}");
    std::fs::remove_file(once).unwrap();
    pid(&server).await;
    assert_eq!(server.state().await.last_error, None);
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_given_up_is_cancelled_at_the_server() {
    let mut options = options(&[]);
    options.limits.timeout = Duration::from_secs(2);
    let server = McpServer::new(options);
    let outcome = call(&*server, "bad__hang", json!({})).await;
    assert_eq!((outcome.knowledge, outcome.remarks[0].code), (Knowledge::Unknown, "tool_timeout"));
    let seen = until("the server is told", async || {
        let seen = text(&server, "bad__cancelled", json!({})).await;
        (seen != "[]").then_some(seen)
    });
    assert_eq!(serde_json::from_str::<Vec<u64>>(&seen.await).unwrap().len(), 1);
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_flood_is_an_error_of_its_own_call_only() {
    let server = hostile();
    let before = pid(&server).await;
    let beside = call(&*server, "bad__slow", json!({"seconds": 1}));
    let (flood, beside) = tokio::join!(call(&*server, "bad__flood", json!({})), beside);
    assert!(flood.is_error && flood.content.as_str().unwrap().contains("left out"), "{:?}", flood.remarks);
    assert_eq!(flood.knowledge, Knowledge::Known, "it has answered, only too much");
    assert!(!beside.is_error, "{beside:?}");
    // What fits through the door is still cut to what is kept.
    let big = call(&*server, "bad__big", json!({"bytes": 1_000_000})).await;
    assert_eq!(big.remarks[0].code, "tool_output_cut");
    assert!(big.content.as_str().unwrap().len() < 70_000);
    assert_eq!(pid(&server).await, before, "the server was not lost");
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_line_without_an_end_costs_the_connection_and_no_more() {
    let server = hostile();
    let before = pid(&server).await;
    let outcome = call(&*server, "bad__endless", json!({})).await;
    assert_eq!(outcome.knowledge, Knowledge::Unknown, "{outcome:?}");
    assert_ne!(pid(&server).await, before);
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn garbage_is_passed_over() {
    let server = McpServer::new(options(&[("HOSTILE_START", "garbage")]));
    assert_eq!(text(&server, "bad__garbage", json!({})).await, "after the garbage");
    assert_eq!(text(&server, "bad__noise", json!({})).await, "said");
    assert_eq!(text(&server, "bad__echo", json!({"a": 1})).await, r#"{"a": 1}"#);
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_result_for_another_call_is_not_taken() {
    let server = hostile();
    let lied = call(&*server, "bad__liar", json!({})).await;
    assert_eq!((lied.is_error, lied.remarks[0].code), (true, "wrong_call_id"));
    assert_eq!(text(&server, "bad__honest", json!({})).await, "for you");
    let meta: Value = serde_json::from_str(&text(&server, "bad__meta", json!({})).await).unwrap();
    let sent = order("bad__meta", &json!({}));
    assert_eq!(
        (&meta["countersign/call-id"], &meta["countersign/idempotency-key"]),
        (&json!("call_1"), &json!(sent.key()))
    );
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn tools_that_change_are_listed_again_page_by_page() {
    let server = hostile();
    let before: Vec<String> = server.tools().await.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(before.len(), 20, "every page, and each tool once: {before:?}");
    text(&server, "bad__change", json!({})).await;
    until("the new tool is offered", async || {
        server.tools().await.iter().any(|tool| tool.name == "bad__extra").then_some(())
    })
    .await;
    assert_eq!(text(&server, "bad__extra", json!({})).await, "{}");
    let echo = find(&*server, "bad__echo").await;
    text(&server, "bad__forget", json!({"tool": "echo"})).await;
    let trouble = echo.runner.run(&order("bad__echo", &json!({})), &place("s")).await;
    assert!(matches!(&trouble, Err(ToolTrouble::Failed(why)) if why.contains("-32602")), "{trouble:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_says_of_itself_lowers_no_risk() {
    let mut chosen = options(&[]);
    chosen.tools = vec!["e*".to_owned(), "p*".to_owned()];
    chosen.reads = vec!["pid".to_owned()];
    chosen.prefix = String::new();
    let server = McpServer::new(chosen);
    let offered: Vec<(String, Reach)> =
        server.tools().await.iter().map(|tool| (tool.name.clone(), tool.reach)).collect();
    let named = |name: &str, reach| (name.to_owned(), reach);
    let (acts, reads) = (Reach::Acts, Reach::Reads);
    assert_eq!(offered, [named("echo", acts), named("endless", acts), named("env", acts), named("pid", reads)]);
    let tool = find(&*server, "echo").await;
    assert_eq!(tool.spec["annotations"]["readOnlyHint"], json!(true), "kept beside, for whoever judges");
    assert_eq!((&*tool.source, &tool.spec["function"]["parameters"]), ("mcp:bad", &json!({"type": "object"})));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_gets_little_of_our_environment() {
    let server = McpServer::new(options(&[("GIVEN", "value")]));
    let names: Vec<String> = serde_json::from_str(&text(&server, "bad__env", json!({})).await).unwrap();
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "cargo gives the test its own variables");
    assert!(names.iter().any(|name| name == "GIVEN") && names.iter().any(|name| name == "PATH"), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("CARGO")), "{names:?}");
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_server_ends_with_its_source_and_so_does_what_it_has_started() {
    let server = hostile();
    let (parent, child) = (pid(&server).await, text(&server, "bad__spawn", json!({})).await);
    let echo = find(&*server, "bad__echo").await;
    assert!(runs(&parent) && runs(&child));
    drop(server);
    until("both are gone", async || (!runs(&parent) && !runs(&child)).then_some(())).await;
    let outcome = run(&echo, order("bad__echo", &json!({})), place("s")).await;
    assert!(outcome.is_error && outcome.knowledge == Knowledge::Known, "{outcome:?}");
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn calls_run_beside_each_other_up_to_the_limit() {
    for (parallel, least, most) in [(4, 0.0, 1.9), (1, 2.0, 8.0)] {
        let mut options = options(&[]);
        options.parallel = parallel;
        let server = McpServer::new(options);
        server.tools().await;
        let began = Instant::now();
        let one = || call(&*server, "bad__slow", json!({"seconds": 0.5}));
        let (a, b, c, d) = tokio::join!(one(), one(), one(), one());
        assert!([&a, &b, &c, &d].iter().all(|outcome| !outcome.is_error), "{a:?}");
        let took = began.elapsed().as_secs_f64();
        assert!(took >= least && took < most, "{parallel} at once took {took} s");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_may_ask_for_nothing() {
    let answers: Value = serde_json::from_str(&text(&hostile(), "bad__ask", json!({})).await).unwrap();
    assert_eq!(answers["roots"], json!({"roots": []}));
    assert_eq!(answers["model"]["code"], json!(-32601));
    assert!(answers["user"]["code"] == json!(-32601) || answers["user"]["action"] == json!("decline"), "{answers}");
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_answers_nothing_is_started_anew() {
    let mut options = options(&[]);
    options.limits.timeout = Duration::from_secs(2);
    options.parallel = 16;
    let server = McpServer::new(options);
    let before = pid(&server).await;
    text(&server, "bad__deaf", json!({})).await;
    let gone = futures_util::future::join_all((0..8).map(|_| call(&*server, "bad__echo", json!({})))).await;
    assert!(gone.iter().all(|outcome| outcome.is_error));
    assert_ne!(pid(&server).await, before);
}

// STREAM-6
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_cannot_be_started_is_told_in_time() {
    let began = Instant::now();
    let dead = McpServer::new(options(&[("HOSTILE_START", "die")]));
    assert!(dead.tools().await.is_empty());
    let state = dead.state().await;
    assert!(!state.connected && state.last_error.is_some(), "{state:?}");
    let transport = McpTransport::Child {
        command: "/no/such/program".to_owned(),
        args: Vec::new(),
        env: BTreeMap::new(),
        cwd: None,
    };
    let none = McpServer::new(McpOptions::new("none", transport));
    assert!(none.state().await.last_error.unwrap().contains("/no/such/program"));
    assert!(began.elapsed() < Duration::from_secs(15));
    let hung = McpServer::new(options(&[("HOSTILE_START", "hang")]));
    assert!(hung.tools().await.is_empty());
    assert!(began.elapsed() < Duration::from_secs(40), "a server that never answers the greeting is waited for 20 s");
}
