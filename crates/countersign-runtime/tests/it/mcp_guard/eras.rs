//! Clients and servers of two eras, message by message.

use super::{settings, shop};
use countersign_runtime::mcp_guard::{Discovery, McpGuardSettings, Outgoing, Passage, Relay, Verdicts, Waiting};
use serde_json::{Value, json};

fn passage(discovery: Discovery) -> Passage {
    Passage::new(Relay::new(McpGuardSettings { discovery, ..settings("") }))
}

/// A request of the newer era.
fn newer(id: u64, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "own": 1,
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn older(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// What goes to the server, and what goes to the client.
fn sides(out: Vec<Outgoing>) -> (Vec<Value>, Vec<Value>) {
    let (mut to_server, mut to_client) = (Vec::new(), Vec::new());
    for line in out {
        match line {
            Outgoing::ToServer(line) => to_server.push(serde_json::from_str(&line).unwrap()),
            Outgoing::ToClient(line) => to_client.push(serde_json::from_str(&line).unwrap()),
        }
    }
    (to_server, to_client)
}

fn say(passage: &mut Passage, message: &Value) -> (Vec<Value>, Vec<Value>) {
    sides(passage.from_client(message.to_string().as_bytes()))
}

fn hear(passage: &mut Passage, message: &Value) -> (Vec<Value>, Vec<Value>) {
    sides(passage.from_server(message.to_string().as_bytes()))
}

fn unknown(id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}})
}

fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

const CHANGED: &str = "notifications/tools/list_changed";

/// A client of the newer era before a server that has been greeted for it.
fn greeted() -> Passage {
    let mut passage = passage(Discovery::Answer);
    let (asked, _) = say(&mut passage, &newer(1, "server/discover", json!({})));
    let (greeting, told) = hear(&mut passage, &unknown(&asked[0]["id"]));
    assert!(told.is_empty());
    assert_eq!(
        (&greeting[0]["method"], &greeting[0]["params"]["capabilities"]),
        (&json!("initialize"), &json!({"elicitation": {"form": {}}}))
    );
    let said = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "tasks": {}}, "serverInfo": {"name": "shop", "version": "2"}});
    let (done, told) = hear(&mut passage, &result(&greeting[0]["id"], said));
    assert_eq!(done[0]["method"], "notifications/initialized");
    assert_eq!((&told[0]["id"], &told[0]["result"]["supportedVersions"]), (&json!(1), &json!(["2026-07-28"])));
    assert_eq!(told[0]["result"]["capabilities"], json!({"tools": {}}));
    assert_eq!(told[0]["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "shop");
    passage
}

// MCP-2: a client of 2026-07-28 before a server with sessions: lists, calls, questions of the server.
#[test]
fn a_newer_client_before_an_older_server() {
    let mut passage = greeted();
    let (asked, _) = say(&mut passage, &newer(2, "tools/list", json!({})));
    assert_eq!(asked[0]["params"]["_meta"], json!({"own": 1}), "only what the older era does not know goes");
    let (_, told) = hear(&mut passage, &result(&json!(2), json!({"tools": shop()})));
    assert_eq!(
        (&told[0]["result"]["resultType"], &told[0]["result"]["cacheScope"]),
        (&json!("complete"), &json!("private"))
    );
    let (sent, told) = say(
        &mut passage,
        &newer(3, "tools/call", json!({"name": "getWeather", "arguments": {"city": "Oslo", "days": "3"}})),
    );
    assert_eq!(
        (&sent[0]["params"]["name"], &sent[0]["params"]["arguments"]["days"], told.len()),
        (&json!("get_weather"), &json!(3), 0)
    );
    // The server asks while it works; the call ends with the question, and goes on with the answer.
    let question =
        json!({"jsonrpc": "2.0", "id": 70, "method": "elicitation/create", "params": {"message": "Which Oslo?"}});
    let (_, told) = hear(&mut passage, &question);
    assert_eq!((&told[0]["id"], &told[0]["result"]["resultType"]), (&json!(3), &json!("input_required")));
    assert_eq!(told[0]["result"]["inputRequests"]["asked"]["params"]["message"], "Which Oslo?");
    let state = &told[0]["result"]["requestState"];
    let again = json!({"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}, "requestState": state,
        "inputResponses": {"asked": {"action": "accept", "content": {"country": "NO"}}}});
    let (sent, told) = say(&mut passage, &newer(4, "tools/call", again.clone()));
    assert_eq!(
        (sent.len(), &sent[0]["id"], &sent[0]["result"]["content"]["country"], told.len()),
        (1, &json!(70), &json!("NO"), 0)
    );
    let (_, told) = hear(&mut passage, &result(&json!(3), json!({"content": [{"type": "text", "text": "4 degrees"}]})));
    assert_eq!((&told[0]["id"], &told[0]["result"]["resultType"]), (&json!(4), &json!("complete")));
    let (sent, told) = say(&mut passage, &newer(5, "tools/call", again));
    assert_eq!((sent.len(), &told[0]["error"]["code"]), (0, &json!(-32602)), "an answer is used once");
    // Nobody can be asked outside of a request; a ping is answered.
    assert!(hear(&mut passage, &question).0[0]["error"].is_object());
    assert_eq!(
        hear(&mut passage, &json!({"jsonrpc": "2.0", "id": 71, "method": "ping"})).0,
        [result(&json!(71), json!({}))]
    );
}

// MCP-2: what a server of the older era tells unasked belongs to the subscription.
#[test]
fn a_newer_client_listens_to_an_older_server() {
    let mut passage = greeted();
    let wanted = json!({"notifications": {"toolsListChanged": true, "resourceSubscriptions": ["file:///a"]}});
    let (sent, told) = say(&mut passage, &newer(9, "subscriptions/listen", wanted));
    assert_eq!((&sent[0]["method"], &sent[0]["params"]["uri"]), (&json!("resources/subscribe"), &json!("file:///a")));
    assert_eq!(told[0]["method"], "notifications/subscriptions/acknowledged");
    let (_, told) = hear(&mut passage, &json!({"jsonrpc": "2.0", "method": CHANGED}));
    assert_eq!(told[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
    assert!(hear(&mut passage, &result(&sent[0]["id"], json!({}))).1.is_empty(), "our own request");
    let gone = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}});
    assert_eq!(say(&mut passage, &gone).0[0]["method"], "resources/unsubscribe");
}

// MCP-2: a client of both eras is not kept from its own way back; one that does not ask is bridged.
#[test]
fn a_refusal_is_passed_on_and_what_is_asked_anyway_is_bridged() {
    let mut one = passage(Discovery::Pass);
    say(&mut one, &newer(1, "server/discover", json!({})));
    assert_eq!(hear(&mut one, &unknown(&json!(1))).1, [unknown(&json!(1))]);
    let greeting =
        older(2, "initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}));
    assert_eq!(say(&mut one, &greeting).0, [greeting]);
    let answer = result(&json!(2), json!({"protocolVersion": "2025-11-25", "capabilities": {}}));
    assert_eq!(hear(&mut one, &answer).1, [answer]);
    let question = json!({"jsonrpc": "2.0", "id": 70, "method": "roots/list"});
    assert_eq!(hear(&mut one, &question).1, [question]);

    let mut other = passage(Discovery::Pass);
    let (probe, _) = say(&mut other, &newer(1, "tools/list", json!({})));
    assert_eq!((&probe[0]["method"], other.waiting()), (&json!("server/discover"), Some(Waiting::Era)));
    // A server that does not answer before it is greeted.
    let (greeting, _) = sides(other.give_up());
    assert_eq!(greeting[0]["method"], "initialize");
    let (sent, _) = hear(&mut other, &result(&greeting[0]["id"], json!({"capabilities": {"tools": {}}})));
    assert_eq!((&sent[1]["method"], &sent[1]["id"], other.waiting()), (&json!("tools/list"), &json!(1), None));

    let mut same = passage(Discovery::Pass);
    let first = newer(1, "tools/list", json!({}));
    let (probe, _) = say(&mut same, &first);
    let (sent, told) = hear(&mut same, &result(&probe[0]["id"], json!({"supportedVersions": ["2026-07-28"]})));
    assert_eq!((sent, told.len()), (vec![first], 0), "of one era: as it came");
}

// MCP-2, MCP-3: a client with a session before a server of 2026-07-28.
#[test]
fn an_older_client_before_a_newer_server() {
    let mut passage = passage(Discovery::Pass);
    let greeting =
        json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t"}});
    say(&mut passage, &older(1, "initialize", greeting));
    let (probe, told) = hear(&mut passage, &unknown(&json!(1)));
    assert_eq!((&probe[0]["method"], told.len()), (&json!("server/discover"), 0));
    let discovered = json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": true}}, "instructions": "Be brief.",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "shop", "version": "3"}}});
    let (_, told) = hear(&mut passage, &result(&probe[0]["id"], discovered));
    let greeted = &told[0]["result"];
    assert_eq!(
        (&told[0]["id"], &greeted["protocolVersion"], &greeted["serverInfo"]["version"]),
        (&json!(1), &json!("2025-06-18"), &json!("3"))
    );
    assert_eq!(greeted["instructions"], "Be brief.");
    let (sent, _) = say(&mut passage, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!(
        (&sent[0]["method"], &sent[0]["params"]["notifications"]),
        (&json!("subscriptions/listen"), &json!({"toolsListChanged": true}))
    );
    assert_eq!(say(&mut passage, &older(2, "ping", json!({}))).1, [result(&json!(2), json!({}))]);
    let (sent, _) = say(&mut passage, &older(3, "tools/list", json!({})));
    let meta = &sent[0]["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    assert_eq!(
        meta["io.modelcontextprotocol/clientCapabilities"],
        json!({"elicitation": {}}),
        "what the client said, no more"
    );
    hear(&mut passage, &result(&json!(3), json!({"tools": shop(), "resultType": "complete"})));
    assert!(
        say(&mut passage, &older(4, "tools/call", json!({"name": "refund_order", "arguments": {}}))).1[0]["result"]["isError"]
            == json!(true)
    );
    let call = json!({"name": "get_weather", "arguments": {"city": "Oslo"}});
    assert_eq!(say(&mut passage, &older(5, "tools/call", call)).0[0]["id"], 5);
    // The server asks; the client is asked, and the call is made again with what it said.
    let asking = json!({"resultType": "input_required", "requestState": "s1", "inputRequests": {"which": {"method": "elicitation/create", "params": {"message": "Which Oslo?"}}}});
    let (_, told) = hear(&mut passage, &result(&json!(5), asking));
    assert_eq!(
        (&told[0]["method"], &told[0]["params"]["message"]),
        (&json!("elicitation/create"), &json!("Which Oslo?"))
    );
    let (sent, _) = say(&mut passage, &result(&told[0]["id"], json!({"action": "decline"})));
    let params = &sent[0]["params"];
    assert_eq!(
        (&params["requestState"], &params["inputResponses"]["which"]["action"], &params["name"]),
        (&json!("s1"), &json!("decline"), &json!("get_weather"))
    );
    let (_, told) = hear(
        &mut passage,
        &result(&sent[0]["id"], json!({"resultType": "complete", "content": [{"type": "text", "text": "4 degrees"}]})),
    );
    assert_eq!((&told[0]["id"], &told[0]["result"]["content"][0]["text"]), (&json!(5), &json!("4 degrees")));
}

// MCP-2, MCP-3: a client that does not wait for the answer to its greeting: its calls are judged all the same.
#[test]
fn a_hasty_client_is_guarded() {
    let mut passage = passage(Discovery::Pass);
    say(&mut passage, &older(1, "initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}})));
    let wrong = older(2, "tools/call", json!({"name": "refund_order", "arguments": {}}));
    assert_eq!(say(&mut passage, &wrong), (Vec::new(), Vec::new()));
    assert_eq!(passage.waiting(), Some(Waiting::Greeting));
    let (probe, _) = hear(&mut passage, &unknown(&json!(1)));
    let (sent, _) =
        hear(&mut passage, &result(&probe[0]["id"], json!({"supportedVersions": ["2026-07-28"], "capabilities": {}})));
    assert_eq!(
        (sent.len(), &sent[0]["method"]),
        (1, &json!("tools/list")),
        "the tools are asked for, in the server's era"
    );
    assert_eq!(sent[0]["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
    let (sent, told) = hear(&mut passage, &result(&sent[0]["id"], json!({"tools": shop()})));
    assert_eq!((sent.len(), &told[0]["id"], &told[0]["result"]["isError"]), (0, &json!(2), &json!(true)));
}

// MCP-2: a server that refuses a greeting for another reason is heard.
#[test]
fn a_server_that_has_neither_era_is_heard() {
    let mut passage = passage(Discovery::Pass);
    say(&mut passage, &older(1, "initialize", json!({"protocolVersion": "2025-11-25"})));
    let refusal = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no database"}});
    let (probe, _) = hear(&mut passage, &refusal);
    assert_eq!(hear(&mut passage, &unknown(&probe[0]["id"])), (Vec::new(), vec![refusal]));
}

// MCP-3: verdicts are kept where somebody takes them, with what became of the call.
#[test]
fn verdicts_are_kept_for_the_audit() {
    let kept =
        McpGuardSettings { verdicts: Verdicts::Kept("shop".to_owned()), caller: "ada".to_owned(), ..settings("") };
    let mut relay = super::knowing(Relay::new(kept), shop());
    relay.from_client(super::call(json!(1), "get_weather", json!({"city": "Oslo", "days": "3"})).as_bytes());
    relay.from_client(super::call(json!(2), "refund_order", json!({"amount": 3})).as_bytes());
    let verdicts = relay.take_verdicts();
    let told: Vec<_> = verdicts
        .iter()
        .map(|entry| (entry.body["tool"].as_str().unwrap(), entry.body["released"].as_bool().unwrap()))
        .collect();
    assert_eq!(told, [("get_weather", true), ("refund_order", false)]);
    assert_eq!(
        (verdicts[1].status, &verdicts[1].body["server"], &verdicts[1].body["caller"]),
        ("validation_failed", &json!("shop"), &json!("ada"))
    );
    assert!(relay.take_verdicts().is_empty());
}
