//! What the gateway carried, as conversations: put together by their histories, with what was decided in them.

use crate::serve_world::{Server, folder};
use serde_json::{Value, json};

fn weather() -> Value {
    json!({"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}})
}

fn cancel() -> Value {
    json!({"type": "function", "function": {"name": "cancel_order", "description": "Cancel an order for good.",
        "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]}}})
}

fn chat(server: &Server, key: &str, model: &str, messages: &[Value], tools: &[Value]) -> Value {
    let mut body = json!({"model": model, "messages": messages});
    if !tools.is_empty() {
        body["tools"] = json!(tools);
    }
    let bearer = format!("Bearer {key}");
    let answer = server.ask("POST", "/v1/chat/completions", &[("authorization", &bearer)], &body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["choices"][0]["message"].clone()
}

fn get(server: &Server, key: &str, path: &str) -> Value {
    let bearer = format!("Bearer {key}");
    server.ask("GET", path, &[("authorization", &bearer)], "").json()
}

fn list(server: &Server, key: &str) -> Vec<Value> {
    get(server, key, "/v1/conversations")["conversations"].as_array().cloned().unwrap_or_default()
}

fn detail(server: &Server, key: &str, conversation: &Value) -> Vec<Value> {
    let id = conversation["conversation_id"].as_str().unwrap();
    get(server, key, &format!("/v1/conversations/{id}"))["list"].as_array().cloned().unwrap_or_default()
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

// SERVE-6, SERVE-7: requests that go on from each other are one conversation, with its calls, results and answers; only
// what is new stands in each; another beginning is another conversation.
#[test]
fn exchanges_are_put_together_by_their_history() {
    let server = Server::start(&folder("conversations"), &[], &[]);
    assert_eq!(get(&server, "", "/v1/conversations")["conversations"], json!([]));
    let mut said = vec![user("What is the weather in Oslo for 3 days?")];
    let call = chat(&server, "", "demo-types", &said, &[weather()]);
    said.push(call.clone());
    let result =
        json!({"role": "tool", "tool_call_id": call["tool_calls"][0]["id"], "content": "{\"temperature\": 3}"});
    said.push(result);
    said.push(chat(&server, "", "demo-types", &said, &[weather()]));
    said.push(user("Thank you."));
    chat(&server, "", "demo-clean", &said, &[]);
    chat(&server, "", "demo-claims", &[user("How did the market do?")], &[]);
    let all = list(&server, "");
    let titles: Vec<_> = all.iter().map(|one| one["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["How did the market do?", "What is the weather in Oslo for 3 days?"]);
    assert_eq!((&all[1]["exchanges"], &all[1]["calls"], &all[1]["repaired"]), (&json!(3), &json!(1), &json!(1)));
    let exchanges = detail(&server, "", &all[1]);
    let new: Vec<Vec<&str>> = exchanges
        .iter()
        .map(|exchange| exchange["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect())
        .collect();
    assert_eq!(new, [vec!["user"], vec!["tool"], vec!["user"]], "{exchanges:#?}");
    let of = |at: usize| -> Vec<&str> {
        exchanges[at]["verdicts"].as_array().unwrap().iter().map(|verdict| verdict["of"].as_str().unwrap()).collect()
    };
    assert_eq!((of(0), of(1)), (vec!["call"], vec!["result", "answer"]));
    let market = detail(&server, "", &all[0]);
    assert_eq!(market[0]["answer"]["claims"].as_array().unwrap().len(), 3, "{market:#?}");
    assert_eq!(server.get("/v1/conversations/con_nothing").status, 404);
}

// REVIEW-1, REVIEW-2: a call that waits is nowhere approved, the same call made again is one call, and once a person has
// decided nothing says that it waits.
#[test]
fn a_call_that_waits_is_not_approved() {
    let server = Server::start(&folder("conversations-waiting"), &[], &[]);
    let said = [user("Cancel my order A-2207, please.")];
    for _ in 0..3 {
        chat(&server, "", "demo-invented-id", &said, &[cancel()]);
    }
    let all = list(&server, "");
    assert_eq!(all.len(), 1, "the same request again is the same conversation: {all:#?}");
    assert_eq!((&all[0]["exchanges"], &all[0]["calls"], &all[0]["waiting"]), (&json!(3), &json!(1), &json!(1)));
    let verdicts = || server.get("/v1/verdicts").json()["verdicts"].as_array().unwrap().clone();
    for verdict in verdicts() {
        assert_eq!((&verdict["status"], &verdict["review_state"]), (&json!("requires_review"), &json!("pending")));
    }
    let stats = server.get("/v1/stats").json();
    assert_eq!((&stats["calls"], &stats["verdicts"]), (&json!(1), &json!({"requires_review": 1})), "{stats}");
    let review = server.get("/v1/reviews").json()["reviews"][0]["review_id"].as_str().unwrap().to_owned();
    let decided = server.post(&format!("/v1/reviews/{review}/decision"), r#"{"decision": "approve"}"#);
    assert_eq!(decided.status, 200, "{}", decided.body);
    for verdict in verdicts() {
        assert_eq!((&verdict["outcome"], &verdict["review_state"]), (&json!("decided_later"), &json!("approved")));
    }
    let message = chat(&server, "", "demo-invented-id", &said, &[cancel()]);
    assert_eq!(message["tool_calls"][0]["function"]["name"], "cancel_order");
    let all = list(&server, "");
    assert_eq!((&all[0]["calls"], &all[0]["waiting"]), (&json!(1), &json!(0)), "{all:#?}");
    assert_eq!(server.get("/v1/stats").json()["verdicts"], json!({"approved": 1}));
}

// SERVE-1: a key sees the conversations of its own requests, and `off` keeps none.
#[test]
fn a_key_sees_its_own_conversations() {
    let keys = "one-key-one-key-one,two-key-two-key-two,ops:admin=ops-key-ops-key-ops";
    let server = Server::start(&folder("conversations-keys"), &[], &[("COUNTERSIGN_API_KEYS", keys)]);
    for key in ["one-key-one-key-one", "two-key-two-key-two"] {
        chat(&server, key, "demo-clean", &[user("Hello there.")], &[]);
    }
    let (one, two) = (list(&server, "one-key-one-key-one"), list(&server, "two-key-two-key-two"));
    assert_eq!((one.len(), two.len()), (1, 1), "the same words of two keys are two conversations");
    assert_ne!(one[0]["conversation_id"], two[0]["conversation_id"]);
    assert_eq!(list(&server, "ops-key-ops-key-ops").len(), 2);
    assert!(detail(&server, "two-key-two-key-two", &one[0]).is_empty());
    assert_eq!(detail(&server, "ops-key-ops-key-ops", &one[0]).len(), 1);
    assert_eq!(server.get("/v1/conversations").status, 401);
    let silent = Server::start(&folder("conversations-off"), &[], &[("COUNTERSIGN_GATEWAY_CONVERSATIONS", "off")]);
    chat(&silent, "", "demo-clean", &[user("Hello there.")], &[]);
    let page = silent.get("/v1/conversations").json();
    assert_eq!((&page["conversations"], &page["kept"]), (&json!([]), &json!(false)));
}

// SERVE-7: what failed is shown as failed, with the reason.
#[test]
fn a_failed_exchange_says_why() {
    let arguments = ["--upstream-openai", "http://127.0.0.1:9/v1"];
    let server = Server::start(&folder("conversations-failed"), &arguments, &[]);
    let body = json!({"model": "m", "messages": [user("Hello?")]}).to_string();
    assert_eq!(server.post("/v1/chat/completions", &body).status, 502);
    let all = list(&server, "");
    assert_eq!(all[0]["state"], "failed", "{all:#?}");
    assert!(detail(&server, "", &all[0])[0]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
}

// SERVE-7: a trace file is judged as it would have been live, and nothing of it is stored.
#[test]
fn a_trace_file_is_judged_and_forgotten() {
    let server = Server::start(&folder("trace-file"), &[], &[]);
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/audit/support.jsonl");
    let audited = server.post("/v1/audit", &std::fs::read_to_string(file).unwrap()).json();
    assert_eq!((&audited["counts"]["calls"], &audited["counts"]["refused"]), (&json!(3), &json!(2)), "{audited}");
    let found: Vec<_> =
        audited["conversations"].as_array().unwrap().iter().flat_map(|one| one["items"].as_array().unwrap()).collect();
    let has = |code: &str| {
        found.iter().any(|item| item["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == code))
    };
    assert!(has("call.missing-field") && has("answer.not-done"), "{audited}");
    assert_eq!(server.get("/v1/verdicts?of=all").json()["verdicts"], json!([]));
    let wrong = server.post("/v1/audit", "this is no trace");
    assert!(wrong.status == 400 && wrong.body.contains("no trace was found"), "{}", wrong.body);
}
