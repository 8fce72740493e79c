//! Real MCP servers in guarded turns: an agent on the demo model calls each of them, and the result arrives.

use crate::agents_world::{configured, installed, of, python, variables};
use crate::native_world::{Event, Reader, check_turn, kinds, session_as};
use crate::serve_world::{Server, folder};
use serde_json::json;

// STREAM-6, RESULT-1: npm server-everything and server-filesystem, PyPI mcp-server-time.
#[test]
fn an_agent_uses_real_mcp_servers() {
    let home = folder("agents-mcp");
    let data = home.join("files");
    std::fs::create_dir_all(&data).unwrap();
    let root = data.canonicalize().unwrap();
    std::fs::write(root.join("note1.txt"), "the word of the day is heliotrope").unwrap();
    let node = |package: &str| installed(&format!("node/node_modules/@modelcontextprotocol/{package}/dist/index.js"));
    let text = format!(
        "[mcp.all]\ncommand = \"node\"\nargs = [{}, \"stdio\"]\nreads = [\"echo\"]\n\
         [mcp.fs]\ncommand = \"node\"\nargs = [{}, {}]\nreads = [\"read_*\"]\n\
         [mcp.time]\ncommand = {}\nargs = [\"-m\", \"mcp_server_time\", \"--local-timezone\", \"UTC\"]\nreads = [\"*\"]\n\
         [agents.echoing]\nprotocol = \"react\"\ntools = [\"all__echo\"]\n\
         [agents.reading]\nprotocol = \"react\"\ntools = [\"fs__read_text_file\"]\n\
         [agents.clock]\nprotocol = \"react\"\ntools = [\"time__get_current_time\"]\n",
        json!(node("server-everything")),
        json!(node("server-filesystem")),
        json!(root),
        json!(python()),
    );
    let config = configured(&home, &text);
    let server = Server::start(&home.join("data"), &["--config", &config], &variables());
    let file = root.join("note1.txt");
    for (agent, tool, question, result) in [
        ("echoing", "all__echo", "Echo back the message \"heliotrope\".".to_owned(), "Echo: "),
        (
            "reading",
            "fs__read_text_file",
            format!("Read the complete contents of the file \"{}\"", file.display()),
            "heliotrope",
        ),
        (
            "clock",
            "time__get_current_time",
            "Get the current time in the timezone \"Asia/Shanghai\".".to_owned(),
            "+08:00",
        ),
    ] {
        let events = turn(&server, agent, &question);
        assert_eq!(events.last().unwrap().kind(), "completed", "{agent}: {:?}", kinds(&events));
        let called: Vec<_> = of(&events, "tool_call").map(|call| (call.word("name"), call.word("run_by"))).collect();
        assert_eq!(called, [(tool.to_owned(), "countersign".to_owned())], "{agent}: {:?}", kinds(&events));
        assert_eq!(
            of(&events, "verdict").next().unwrap().word("call_id"),
            of(&events, "tool_call").next().unwrap().word("call_id")
        );
        let given = of(&events, "tool_result").next().unwrap();
        assert_eq!(given.payload("is_error"), &json!(false), "{agent}: {:?}", given.json);
        assert!(given.payload("content").to_string().contains(result), "{agent}: {:?}", given.json);
        assert!(!given.payload("seal").is_null() && !given.payload("verification").is_null());
        let answer = of(&events, "message").last().unwrap();
        assert_eq!(answer.word("from"), agent);
    }
}

fn turn(server: &Server, agent: &str, question: &str) -> Vec<Event> {
    let session = session_as(server, &[], json!({"agent": agent, "model": "demo-clean"}));
    let body = json!({"content": question}).to_string();
    let mut reader = Reader::open(server, "POST", &format!("/v1/sessions/{session}/messages"), &[], &body);
    let events = reader.rest();
    check_turn(&session, &events);
    events
}
