//! Calls on their way to a server.

use super::{call, knowing, relay, sent, settings, shop, told};
use countersign_runtime::mcp_guard::{Outgoing, Queue, Relay};
use serde_json::{Value, json};

// MCP-2: whatever is no call passes as the bytes it came in, in both directions.
#[test]
fn everything_else_is_carried() {
    let mut relay = relay();
    for line in [
        r#"{"jsonrpc":"2.0", "id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"x":{}},"new":1.10}}"#,
        r#"{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77,"reason":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{"roots":[{"uri":"file:///x"}]}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"some/thing","params":{"big":123456789012345678901234567890}}"#,
        r#"{"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"t"}}"#,
    ] {
        assert_eq!(relay.from_client(line.as_bytes()), [Outgoing::ToServer(line.to_owned())]);
    }
    for line in [
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"odd":[1.0]}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"?"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#,
    ] {
        assert_eq!(relay.from_server(line.as_bytes()), [Outgoing::ToClient(line.to_owned())]);
    }
}

// MCP-3: a right call passes byte for byte, a call with one reading is mended where it must be and nowhere else.
#[test]
fn calls_pass_or_are_mended() {
    let mut relay = knowing(relay(), shop());
    let right = r#"{ "jsonrpc":"2.0","id":1, "method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Oslo","days":3},"_meta":{"progressToken":7,"own":1.10}} }"#;
    assert_eq!(sent(relay.from_client(right.as_bytes())), right);
    let mended = r#"{ "jsonrpc":"2.0","id":2, "method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Oslo","days":"3"},"_meta":{"own":1.10}} }"#;
    assert_eq!(sent(relay.from_client(mended.as_bytes())), mended.replace("\"3\"", "3"));
    let renamed = sent(relay.from_client(call(json!(3), "getWeather", json!({"city": "Oslo"})).as_bytes()));
    assert_eq!(renamed, call(json!(3), "get_weather", json!({"city": "Oslo"})));
    let text = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call",
        "params": {"name": "get_weather", "arguments": "{\"city\": \"Oslo\"}"}});
    let sent: Value = serde_json::from_str(&sent(relay.from_client(text.to_string().as_bytes()))).unwrap();
    assert_eq!(sent["params"]["arguments"], json!({"city": "Oslo"}));
}

// MCP-3: what cannot be mended is answered as a result that a model reads, under the id of the call.
#[test]
fn wrong_calls_are_answered_with_what_is_wrong() {
    let mut relay = knowing(relay(), shop());
    for (id, name, arguments, words) in [
        (json!(1), "refund_order", json!({"amount": 30}), "order_id"),
        (json!("two"), "refund_order", json!({"order_id": "A-1", "amount": -4}), "amount"),
        (json!(3), "refund_ordr_now", json!({"order_id": "A-1", "amount": 1}), "refund_order"),
        (json!(4), "read_file", json!({"path": "../../../etc/shadow"}), "path"),
    ] {
        let answer = told(relay.from_client(call(id.clone(), name, arguments).as_bytes()));
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&id, &json!(true)), "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(words) && answer["result"].get("resultType").is_none(), "{text}");
    }
    let newer = json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "refund_order",
        "arguments": {}, "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}});
    assert_eq!(told(relay.from_client(newer.to_string().as_bytes()))["result"]["resultType"], json!("complete"));
}

// MCP-3: the policy speaks here as it does in `countersign check`.
#[test]
fn the_policy_is_the_same() {
    let policy = "[[rules]]\nname = \"no refunds\"\nwhen = 'tool.name == \"refund_order\"'\neffect = \"deny\"\nreason = \"refunds are made by people\"\n";
    let mut relay = knowing(Relay::new(settings(policy)), shop());
    let answer =
        told(relay.from_client(call(json!(1), "refund_order", json!({"order_id": "A-1", "amount": 3})).as_bytes()));
    assert!(answer.to_string().contains("refunds are made by people"), "{answer}");
    assert!(answer["result"]["isError"].as_bool().unwrap());
}

/// A relay whose policy wants a person for every call.
fn asking() -> Relay {
    let policy = "[[rules]]\nname = \"ask\"\ntools = [\"*\"]\nwhen = 'true'\neffect = \"review\"\nreason = \"the operator wants to see it\"\n";
    knowing(Relay::new(settings(policy)), shop())
}

/// A call of the newer era, whose client can ask its user.
fn newer(id: u64, name: &str, arguments: Value, more: Value) -> String {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}});
    let mut params = json!({"name": name, "arguments": arguments, "_meta": meta});
    params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

// MCP-4: a client of the newer era asks its user, and comes back with what they said; once, and for the very same call.
#[test]
fn a_person_is_asked_in_the_client() {
    let mut relay = asking();
    let oslo = json!({"city": "Oslo"});
    let asked = told(relay.from_client(newer(1, "get_weather", oslo.clone(), json!({})).as_bytes()));
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let question = &asked["result"]["inputRequests"]["approve"];
    assert_eq!(question["method"], "elicitation/create");
    assert!(question["params"]["message"].as_str().unwrap().contains("Oslo"), "{question}");
    let yes = json!({"requestState": asked["result"]["requestState"],
        "inputResponses": {"approve": {"action": "accept", "content": {"approve": true}}}});
    let other = told(relay.from_client(newer(2, "get_weather", json!({"city": "Rome"}), yes.clone()).as_bytes()));
    assert_eq!(other["result"]["resultType"], "input_required", "an approval is no approval of another call");
    let again = told(relay.from_client(newer(3, "get_weather", oslo.clone(), yes).as_bytes()));
    assert_eq!(again["result"]["resultType"], "input_required", "and it is used up");
    let state = &again["result"]["requestState"];
    let yes = json!({"requestState": state, "inputResponses": {"approve": {"action": "accept", "content": {"approve": true}}}});
    let passed: Value =
        serde_json::from_str(&sent(relay.from_client(newer(4, "get_weather", oslo.clone(), yes).as_bytes()))).unwrap();
    assert_eq!((&passed["id"], &passed["params"]["arguments"]), (&json!(4), &oslo));
    assert!(passed["params"].get("requestState").is_none() && passed["params"].get("inputResponses").is_none());
    let asked = told(relay.from_client(newer(5, "get_weather", oslo.clone(), json!({})).as_bytes()));
    let no =
        json!({"requestState": asked["result"]["requestState"], "inputResponses": {"approve": {"action": "cancel"}}});
    let refused = told(relay.from_client(newer(6, "get_weather", oslo, no).as_bytes()));
    assert!(
        refused["result"]["isError"].as_bool().unwrap() && refused.to_string().contains("did not approve"),
        "{refused}"
    );
}

// MCP-4: a client of the older era is asked by a request; who cannot ask, and what cannot be undone, is refused with a name.
#[test]
fn an_older_client_is_asked_too_and_some_calls_never() {
    let mut relay = asking();
    let weather = call(json!(1), "get_weather", json!({"city": "Oslo"}));
    let refused = told(relay.from_client(weather.as_bytes()));
    assert!(refused.to_string().contains("mcp_") && refused["result"]["isError"].as_bool().unwrap(), "{refused}");
    relay
        .from_client(br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}"#);
    let asked = told(relay.from_client(weather.as_bytes()));
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let answer =
        json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"approve": true}}});
    assert_eq!(sent(relay.from_client(answer.to_string().as_bytes())), weather);
    let refund = call(json!(2), "refund_order", json!({"order_id": "A-1", "amount": 3}));
    assert!(
        told(relay.from_client(refund.as_bytes())).to_string().contains("mcp_"),
        "a hook could answer for the person"
    );
    let (mut queued, known) = (relay.with_queue(Queue::Present), refund.as_bytes());
    assert!(queued.from_client(known).is_empty());
    let cases = queued.take_cases();
    let approved = queued.approve(&cases[0], cases[0].proposal.call());
    assert_eq!(approved, Outgoing::ToServer(refund.clone()));
}

// MCP-3: a call that comes before any list waits for one of ours, page by page; one that is taken back never goes.
#[test]
fn tools_are_asked_for_where_the_client_has_not() {
    let mut relay = relay();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "progressToken": 1});
    let first = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "refund_order", "arguments": {}, "_meta": meta}});
    let asked: Value = serde_json::from_str(&sent(relay.from_client(first.to_string().as_bytes()))).unwrap();
    assert_eq!(asked["method"], "tools/list");
    assert_eq!(asked["params"]["_meta"], json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"}));
    assert!(relay.is_listing());
    assert!(relay.from_client(call(json!(2), "get_weather", json!({"city": "Oslo"})).as_bytes()).is_empty());
    assert!(relay.from_client(call(json!(3), "get_weather", json!({"city": "Rome"})).as_bytes()).is_empty());
    let cancel = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}"#;
    assert!(relay.from_client(cancel).is_empty());
    let tools = shop();
    let page = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": [tools[0]], "nextCursor": "p2"}});
    let more: Value = serde_json::from_str(&sent(relay.from_server(page.to_string().as_bytes()))).unwrap();
    assert_eq!(more["params"]["cursor"], "p2");
    let last = json!({"jsonrpc": "2.0", "id": more["id"], "result": {"tools": [tools[1]]}});
    let out = relay.from_server(last.to_string().as_bytes());
    assert!(
        matches!(&out[..], [Outgoing::ToClient(refused), Outgoing::ToServer(call)]
        if refused.contains("order_id") && call.contains("Oslo")),
        "{out:?}"
    );
}

// MCP-3: after a change the next call waits for the new list.
#[test]
fn a_changed_list_is_learnt_again() {
    let mut relay = knowing(relay(), shop());
    relay.from_server(br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    let asked: Value =
        serde_json::from_str(&sent(relay.from_client(call(json!(1), "new_tool", json!({})).as_bytes()))).unwrap();
    let tools = json!([{"name": "new_tool", "inputSchema": {"type": "object"}}]);
    let out = relay.from_server(json!({"id": asked["id"], "result": {"tools": tools}}).to_string().as_bytes());
    assert!(sent(out).contains("new_tool"));
    // A server that cannot list is no reason to refuse everything: its calls are checked without schemas.
    relay.from_server(br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
    assert_eq!(relay.from_client(call(json!(2), "new_tool", json!({"a": 1})).as_bytes()).len(), 1);
    assert!(sent(relay.give_up_listing()).contains("new_tool"));
}

// MCP-1: no way around the guard.
#[test]
fn there_is_no_way_around() {
    let mut relay = knowing(relay(), shop());
    let batch = format!("[{}]", call(json!(1), "refund_order", json!({})));
    assert_eq!(told(relay.from_client(batch.as_bytes()))["error"]["code"], json!(-32600));
    assert_eq!(told(relay.from_client(b"{\"id\":1"))["error"]["code"], json!(-32700));
    let without_id = r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"refund_order","arguments":{}}}"#;
    assert!(relay.from_client(without_id.as_bytes()).is_empty());
    let twice = r#"{"jsonrpc":"2.0","id":5,"method":"ping","method":"tools/call","params":{"name":"get_weather","arguments":{"city":"Oslo","city":"Rome"}}}"#;
    let passed = sent(relay.from_client(twice.as_bytes()));
    assert!(!passed.contains("ping") && !passed.contains("Oslo") && passed.contains("Rome"), "{passed}");
    assert!(relay.from_server(b"Listening on stdio\n").is_empty());
}
