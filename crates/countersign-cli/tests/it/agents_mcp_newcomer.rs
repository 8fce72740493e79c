//! What a newcomer does with real MCP servers: all of their tools at once, a question in plain words, the demo model as it
//! comes. The right tool is called with what was said, and the answer has the result's values.

use crate::agents_world::{configured, installed, of, python, variables};
use crate::native_world::{Event, Reader, check_turn, kinds, session_as};
use crate::serve_world::{Server, folder};
use serde_json::{Value, json};
use std::path::Path;

/// A question, the calls that must come of it, and words that the answer must have one of.
struct Case {
    question: String,
    calls: Vec<(&'static str, Value)>,
    answer: &'static [&'static str],
}

fn case(question: impl Into<String>, tool: &'static str, arguments: Value, answer: &'static [&'static str]) -> Case {
    Case { question: question.into(), calls: vec![(tool, arguments)], answer }
}

fn cases(root: &Path) -> Vec<Case> {
    let note = root.join("note1.txt").display().to_string();
    let folder = root.display().to_string();
    vec![
        case(
            "What time is it in Oslo?",
            "time__get_current_time",
            json!({"timezone": "Europe/Oslo"}),
            &["+01:00", "+02:00"],
        ),
        case("北京现在几点？", "time__get_current_time", json!({"timezone": "Asia/Shanghai"}), &["+08:00"]),
        case(
            "Convert 14:30 from Oslo to Tokyo time",
            "time__convert_time",
            json!({"source_timezone": "Europe/Oslo", "time": "14:30", "target_timezone": "Asia/Tokyo"}),
            &["22:30", "21:30"],
        ),
        Case {
            question: "What time is it in Tokyo and London?".to_owned(),
            calls: vec![
                ("time__get_current_time", json!({"timezone": "Asia/Tokyo"})),
                ("time__get_current_time", json!({"timezone": "Europe/London"})),
            ],
            answer: &["+09:00"],
        },
        case(format!("Read the text file {note}"), "fs__read_text_file", json!({"path": note}), &["heliotrope"]),
        case(format!("List the directory {folder}"), "fs__list_directory", json!({"path": folder}), &["note1.txt"]),
        case(
            format!("Search for files matching *.txt in {folder}"),
            "fs__search_files",
            json!({"path": folder, "pattern": "*.txt"}),
            &["note1.txt"],
        ),
        case("What is the sum of 17 and 25?", "all__get-sum", json!({"a": 17, "b": 25}), &["42"]),
        case("Echo back \"heliotrope\"", "all__echo", json!({"message": "heliotrope"}), &["heliotrope"]),
        case("Read the whole knowledge graph", "memory__read_graph", json!({}), &["entities"]),
        case("Open the nodes Alice and Bob", "memory__open_nodes", json!({"names": ["Alice", "Bob"]}), &["entities"]),
    ]
}

// SERVE-7, STREAM-6: npm server-everything, server-filesystem and server-memory, PyPI mcp-server-time, each with all of its tools.
#[test]
fn a_newcomer_asks_real_mcp_servers() {
    let home = folder("agents-mcp-newcomer");
    let data = home.join("files");
    std::fs::create_dir_all(&data).unwrap();
    let root = data.canonicalize().unwrap();
    std::fs::write(root.join("note1.txt"), "the word of the day is heliotrope").unwrap();
    let config = configured(&home, &servers(&home, &root));
    let server = Server::start(&home.join("data"), &["--config", &config], &variables());
    for case in cases(&root) {
        let events = turn(&server, &case.question);
        assert_eq!(events.last().unwrap().kind(), "completed", "{}: {:?}", case.question, kinds(&events));
        let called: Vec<_> =
            of(&events, "tool_call").map(|call| (call.word("name"), call.payload("arguments").clone())).collect();
        let wanted: Vec<_> = case.calls.iter().map(|(name, given)| ((*name).to_owned(), given.clone())).collect();
        assert_eq!(called, wanted, "{}", case.question);
        let answer = of(&events, "message").last().unwrap().word("content");
        assert!(case.answer.iter().any(|word| answer.contains(word)), "{}: {answer}", case.question);
        assert!(!answer.contains("Demo Institute"), "{}: {answer}", case.question);
    }
}

fn servers(home: &Path, root: &Path) -> String {
    let node =
        |package: &str| json!(installed(&format!("node/node_modules/@modelcontextprotocol/{package}/dist/index.js")));
    format!(
        "[mcp.fs]\ncommand = \"node\"\nargs = [{}, {}]\nreads = [\"*\"]\n\
         [mcp.all]\ncommand = \"node\"\nargs = [{}, \"stdio\"]\nreads = [\"*\"]\n\
         [mcp.memory]\ncommand = \"node\"\nargs = [{}]\nreads = [\"*\"]\nenv = {{ MEMORY_FILE_PATH = {} }}\n\
         [mcp.time]\ncommand = {}\nargs = [\"-m\", \"mcp_server_time\", \"--local-timezone\", \"UTC\"]\nreads = [\"*\"]\n",
        node("server-filesystem"),
        json!(root),
        node("server-everything"),
        node("server-memory"),
        json!(home.join("memory.json")),
        json!(python()),
    )
}

fn turn(server: &Server, question: &str) -> Vec<Event> {
    let session = session_as(server, &[], json!({"agent": "react"}));
    let body = json!({"content": question}).to_string();
    let mut reader = Reader::open(server, "POST", &format!("/v1/sessions/{session}/messages"), &[], &body);
    let events = reader.rest();
    check_turn(&session, &events);
    events
}
