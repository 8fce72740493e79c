//! `countersign parse`: outputs of models in, what they hold out.

use crate::run::{feed, run, scratch};
use serde_json::{Value, json};

// PARSE-1 PARSE-2 PARSE-3
#[test]
fn the_examples_are_read() {
    let ran = run(&["parse", "examples/parse.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines = ran.lines();
    let oslo = json!([{"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}}]);
    assert_eq!((&lines[0]["calls"], &lines[1]["calls"]), (&oslo, &oslo));
    assert_eq!((&lines[2]["calls"], &lines[2]["complete"]), (&json!([]), &json!(false)));
    assert_eq!((&lines[3]["calls"], &lines[3]["repairs"]), (&json!([]), &json!([])));
    assert_eq!(lines[4]["value"]["note"], json!("she said \"hi\", then left"));
    assert_eq!(lines[5]["tags"].as_array().map(Vec::len), Some(2));
    assert_eq!(lines[6]["calls"].as_array().map(Vec::len), Some(2));
}

#[test]
fn people_see_each_repair_at_its_place() {
    let ran = run(&["parse", "--format", "human", "--color", "never", "examples/parse.jsonl"]);
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran.out);
}

// PARSE-4: chunks are read like the whole.
#[test]
fn chunks_and_input_give_the_same() {
    let line = |body: Value| feed(&["parse"], format!("{body}\n").as_bytes()).lines().remove(0);
    let text = "Hi.\n＜function=ping＞{\"a\": 1}</function> there";
    let whole = line(json!({"id": 1, "input": text, "tools": [{"name": "ping"}]}));
    let chunks: Vec<String> = text.chars().map(String::from).collect();
    assert_eq!(whole, line(json!({"id": 1, "chunks": chunks, "tools": [{"name": "ping"}]})));
    assert_eq!(whole["calls"], json!([{"name": "ping", "arguments": {"a": 1}}]));
}

#[test]
fn a_wrong_request_says_what_is_wrong() {
    for (body, part) in [
        (json!({"id": 1}), "`input`"),
        (json!({"id": 1, "input": 5}), "must be a string"),
        (json!({"id": 1, "input": "x", "chunks": []}), "not both"),
        (json!({"id": 1, "chunks": [1]}), "array of strings"),
        (json!({"id": 1, "input": "x", "protocol": "jsno"}), "concierge"),
        (json!({"id": 1, "input": "x", "finish_reason": "done"}), "stop, length or cancelled"),
        (json!({"id": 1, "input": "x", "role": "tool"}), "assistant or user"),
    ] {
        let ran = feed(&["parse"], format!("{body}\n{{\"id\": 2, \"input\": \"fine\"}}\n").as_bytes());
        let lines = ran.lines();
        assert_eq!(ran.code, 1, "{body}");
        assert!(lines[0]["error"].as_str().unwrap().contains(part), "{body}: {}", lines[0]);
        assert_eq!((&lines[0]["id"], &lines[1]["text"]), (&json!(1), &json!("fine")));
    }
    let ran = run(&["parse", "--protocol", "nonsense"]);
    assert!(ran.code == 2 && ran.err.contains("nonsense") && ran.err.contains("qwen-coder"), "{}", ran.err);
}

#[test]
fn defaults_of_the_command_line_are_used() {
    let ran = feed(&["parse", "--protocol", "json"], b"{\"input\": \"{a: 1,}\"}\n");
    assert_eq!(ran.lines()[0]["value"], json!({"a": 1}));
    let ran = feed(
        &["parse", "--tools", "examples/tools.json"],
        b"{\"input\": \"<function=get_weather><parameter=city>Oslo</parameter></function>\"}\n",
    );
    assert_eq!(ran.lines()[0]["calls"][0]["arguments"], json!({"city": "Oslo"}));
}

// PARSE-5: left open and irreversible: it waits, though the model stopped by itself.
#[test]
fn what_cannot_be_undone_is_not_run_half_open() {
    let ask = |name: &str| {
        let body = json!({"input": format!("<tool_call>\n<function={name}>\n<parameter=id>\n7\n</parameter>\n"),
            "finish_reason": "stop", "tools": [{"name": name, "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}}}]});
        feed(&["parse"], format!("{body}\n").as_bytes()).lines().remove(0)
    };
    assert_eq!(ask("get_order")["calls"][0]["arguments"], json!({"id": 7}));
    let held = ask("delete_order");
    assert_eq!((&held["calls"], &held["complete"]), (&json!([]), &json!(false)));
    assert_eq!(held["unfinished"][0]["name"], json!("delete_order"));
}

#[test]
fn a_repair_is_explained() {
    let ran = run(&["explain", "json.trailing-comma"]);
    assert!(ran.code == 0 && ran.out.contains("comma"), "{}", ran.out);
}

// PARSE-1: a protocol is data, also the user's own.
#[test]
fn tags_of_your_own_are_read() {
    let ran = run(&["parse", "--protocol", "examples/protocols/support.toml", "examples/protocols/support.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines = ran.lines();
    let ticket =
        json!([{"tag": "open_ticket", "fields": {"subject": "Broken zip", "body": "The zip broke after two days"}}]);
    assert_eq!(lines[0]["tags"], ticket);
    assert!(lines[0]["text"].as_str().unwrap().contains("Ticket opened: Broken zip"));
    assert_eq!(lines[1]["tags"], json!([{"tag": "escalate", "text": "客户要求退款"}]));
    assert_eq!(lines[2]["tags"], json!([]));
    // Left open, and it cannot be undone: it waits.
    let args = ["parse", "--protocol", "examples/protocols/support.toml"];
    let line = feed(&args, b"{\"input\": \"<escalate>call them\"}\n").lines().remove(0);
    assert_eq!((&line["tags"], &line["unfinished"][0]["tag"]), (&json!([]), &json!("escalate")));
    let broken = scratch("broken-tags.toml", "name = \"x\"\n[[tags]]\nnmae = \"y\"\n");
    let ran = run(&["parse", "--protocol", &broken]);
    assert!(ran.code == 2 && ran.err.contains("nmae"), "{}", ran.err);
}
