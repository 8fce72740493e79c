//! Every fault of the demo model through every agent, on the real server without an upstream: the stream ends once, and no
//! mark of a protocol is shown.

use crate::agents_world::{configured, of};
use crate::native_world::{Event, Reader, check_turn, kinds, session_as, words};
use crate::serve_world::{Receiver, Server, folder};
use serde_json::{Value, json};

/// What belongs to a protocol and not to a reader, as the models write it.
const MARKS: &[&str] = &[
    "<web_search",
    "</web_search",
    "<create_note",
    "</create_note",
    "<save_material",
    "</save_material",
    "<call_orchestrator",
    "</call_orchestrator",
    "<confirm",
    "</confirm",
    "<tool_call",
    "</tool_call",
    "[TOOL_CALLS]",
    "＜web_search",
    "<web_serch",
    "<WEB_SEARCH",
];

/// So many turns run at once.
const AT_ONCE: usize = 20;
const AGENTS: [&str; 4] = ["concierge", "react", "rewoo", "orchestrator"];

fn models(server: &Server) -> Vec<String> {
    // The list comes in chunks; it is one line.
    let body = server.get("/v1/models").body;
    let listed = body.lines().find(|line| line.starts_with('{')).expect(&body);
    let listed: Value = serde_json::from_str(listed).unwrap();
    let ids = listed["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap().to_owned());
    ids.filter(|id| id.starts_with("demo")).collect()
}

fn weather() -> Value {
    json!({"type": "function", "function": {
        "name": "get_weather", "description": "Get the weather of a city.",
        "parameters": {"type": "object", "required": ["city", "days"], "properties": {
            "city": {"type": "string"}, "days": {"type": "integer"}, "unit": {"enum": ["celsius", "fahrenheit"]}}},
    }})
}

// STREAM-2, STREAM-5, STREAM-7, PARSE-1, PARSE-5, PARSE-6: whatever the model does.
#[test]
fn every_fault_of_the_demo_ends_once_in_every_agent() {
    let home = folder("agents-demo");
    let search = Receiver::start();
    let limits = AGENTS.map(|agent| format!("[agents.{agent}]\ntime = \"2s\"\nrounds = 6\n")).concat();
    let text = format!("{limits}[search]\nurl = \"http://{}/search\"\ntimeout = \"2s\"\n", search.address);
    let config = configured(&home, &text);
    let server = Server::start(&home.join("data"), &["--config", &config], &[]);
    let models = models(&server);
    assert!(models.len() > 30, "{models:?}");
    let pairs: Vec<(&str, &str)> =
        models.iter().flat_map(|model| AGENTS.map(|agent| (model.as_str(), agent))).collect();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        // Each has some of every model, so that the slow ones are not one after the other.
        let some = |first: usize| pairs.iter().skip(first).step_by(AT_ONCE);
        let all: Vec<_> = (0..AT_ONCE)
            .map(|first| {
                let (server, some) = (&server, some(first));
                scope.spawn(move || some.filter_map(|(model, agent)| fault(server, model, agent)).collect())
            })
            .collect();
        all.into_iter().flat_map(|done: std::thread::ScopedJoinHandle<'_, Vec<String>>| done.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(server.get("/readyz").status, 200);
}

/// What is wrong with a turn of an agent with a model.
fn fault(server: &Server, model: &str, agent: &str) -> Option<String> {
    let session = session_as(server, &[], json!({"agent": agent, "model": model, "tools": [weather()]}));
    let body = json!({"content": "Please search for the weather in Paris for 3 days and write a report."}).to_string();
    let mut reader = Reader::open(server, "POST", &format!("/v1/sessions/{session}/messages"), &[], &body);
    let mut events: Vec<Event> = Vec::new();
    // Reading asserts one [DONE], and nothing after it.
    while let Some(event) = reader.next() {
        if event.kind() == "tool_call" && event.word("run_by") == "client" {
            let result = json!({"call_id": event.word("call_id"), "content": "18 degrees and dry"}).to_string();
            let taken = server.post(&format!("/v1/sessions/{session}/tool_results"), &result);
            assert!(taken.status < 500, "{}", taken.body);
        }
        events.push(event);
    }
    check_turn(&session, &events);
    let shown = words(&events) + &of(&events, "message").skip(1).map(|said| said.word("content")).collect::<String>();
    let raw: Vec<_> = MARKS.iter().filter(|mark| shown.contains(**mark)).collect();
    let end = events.last().unwrap().kind().to_owned();
    let is_readable = of(&events, "message").skip(1).any(|said| !said.word("content").trim().is_empty());
    let is_right = raw.is_empty() && (end == "failed" || end == "completed" && is_readable);
    let told: String = shown.chars().take(300).collect();
    (!is_right).then(|| format!("{model} as {agent}: {end}, shows {raw:?}: {:?} {told:?}", kinds(&events)))
}
