//! Bodies that nobody should send are refused in the dialect's form, and nothing falls over.

use super::{FAULTS, ROUTES, bytes, with, with_tools};
use countersign_runtime::models::DemoRoute;
use proptest::prelude::*;
use serde_json::{Value, json};

/// An error in the dialect's own form.
fn is_error(route: DemoRoute, text: &str) -> bool {
    let error: Value = serde_json::from_str(text).unwrap();
    let message = error["error"]["message"].as_str().is_some_and(|message| !message.is_empty());
    let own =
        if route == DemoRoute::Messages { error["type"] == "error" } else { error["error"].get("code").is_some() };
    message && own && error["error"]["type"].is_string()
}

// SERVE-7: a body that cannot be used is refused in the dialect's form.
#[test]
fn bad_bodies_are_refused() {
    let deep = "[".repeat(100_000);
    let nested = format!("{{\"model\":\"demo\",\"messages\":{}{}}}", "[".repeat(100), "]".repeat(100));
    let bodies = [
        "",
        "null",
        "[]",
        "{}",
        "{\"model\":3}",
        "{\"model\":\"demo\"}",
        "not json",
        "{\"model\":\"demo\"",
        &deep,
        &nested,
        r#"{"model":"demo","messages":[],"input":[],"max_tokens":1}"#,
        r#"{"model":"demo","messages":"x","input":3}"#,
        r#"{"model":"demo","messages":[1],"input":[1],"max_tokens":1}"#,
        r#"{"model":"demo","messages":[{"role":"user","content":"x"}],"input":"x","max_tokens":-1,"max_output_tokens":"a"}"#,
        r#"{"model":"demo","messages":[{"role":"user"}],"input":"x","max_tokens":9,"tools":{}}"#,
        r#"{"model":"demo","messages":[{"role":"user"}],"input":"x","max_tokens":9,"tools":[{"type":"function"}]}"#,
        r#"{"model":"demo","messages":[{"role":"user"}],"input":"x","max_tokens":9,"stream":"yes"}"#,
    ];
    for (route, body) in ROUTES.iter().flat_map(|route| bodies.iter().map(move |body| (*route, *body))) {
        let (status, text) = bytes(0, route, body.as_bytes());
        assert_eq!(status, 400, "{route:?} {body:.200}");
        assert!(is_error(route, &text), "{text}");
    }
}

fn foreign() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "user", "tool", "function", "object", "array", "integer", "required", "#/x", "(", "id"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 48, 6, |inner| {
        let key = prop::sample::select(vec![
            "role",
            "content",
            "type",
            "text",
            "name",
            "function",
            "parameters",
            "input_schema",
            "properties",
            "required",
            "enum",
            "anyOf",
            "$ref",
            "items",
            "minimum",
            "maximum",
            "minItems",
            "pattern",
            "format",
            "default",
            "examples",
            "tool_calls",
            "tool_call_id",
            "id",
            "minLength",
            "maxLength",
            "multipleOf",
            "include_usage",
            "schema",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Value>()),
        ]
    })
}

/// A request that is right but for some fields.
fn nearly_right() -> impl Strategy<Value = (DemoRoute, Value)> {
    let fields = vec![
        "messages",
        "input",
        "tools",
        "tool_choice",
        "stream",
        "stream_options",
        "max_tokens",
        "response_format",
        "text",
        "include",
        "top_logprobs",
        "logprobs",
        "n",
        "model",
        "parallel_tool_calls",
        "instructions",
        "schema",
    ];
    let model = prop::sample::select(FAULTS.to_vec()).prop_map(|fault| format!("demo-{fault}"));
    let changes = prop::collection::vec((prop::sample::select(fields), foreign()), 1..3);
    (prop::sample::select(ROUTES.to_vec()), model, "\\PC{0,30}", any::<bool>(), changes).prop_map(
        |(route, model, question, stream, changes)| {
            let mut body = with(with_tools(route, &model, &question), "stream", json!(stream));
            for (field, value) in changes {
                // A schema goes where schemas go, or it would rarely be read.
                match field {
                    "schema" => {
                        let tool = json!({"type": "function", "name": "t", "parameters": value.clone(),
                            "function": {"name": "t", "parameters": value}});
                        body["tools"] = json!([tool]);
                    }
                    field => body[field] = value,
                }
            }
            (route, body)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    // SERVE-7: whatever comes, there is an answer.
    #[test]
    fn any_bytes_are_answered(body in prop::collection::vec(any::<u8>(), 0..200)) {
        for route in ROUTES {
            prop_assert_eq!(bytes(0, route, &body).0, 400);
        }
    }

    // SERVE-7: fields of any kind are answered or refused, and what is answered is well-formed.
    #[test]
    fn any_fields_are_answered((route, body) in nearly_right()) {
        let (status, text) = bytes(0, route, body.to_string().as_bytes());
        match status {
            200 => prop_assert!(!text.is_empty()),
            400 | 404 => prop_assert!(is_error(route, &text)),
            _ => prop_assert!(false, "{status}"),
        }
    }
}
