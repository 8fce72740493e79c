//! Real requests and answers against `/openapi.json`, by its own schemas: no field that it does not know, none missing.

use crate::native_upstream::{calls, text};
use crate::native_world::{World, delete, weather};
use crate::serve_world::Answer;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// A server and its own description. Shapes are taken strictly: a reader may skip what it does not know, but a document
/// that does not know it is out of date.
struct Described<'w> {
    world: &'w World,
    document: Value,
    seen: RefCell<BTreeSet<String>>,
}

impl<'w> Described<'w> {
    fn of(world: &'w World) -> Self {
        let mut document = world.server.get("/openapi.json").json();
        for (name, shape) in document["components"]["schemas"].as_object_mut().unwrap() {
            if shape["type"] == "object" && !OPEN.contains(&name.as_str()) {
                shape["additionalProperties"] = json!(false);
            }
        }
        Self { world, document, seen: RefCell::default() }
    }

    /// Asks, and holds what goes and comes against the operation.
    fn ask(&self, method: &str, path: &str, real: &str, body: Option<&Value>) -> Answer {
        let operation = &self.document["paths"][path][method];
        assert!(operation.is_object(), "{method} {path} is not described");
        if let Some(body) = body {
            self.hold(&operation["requestBody"]["content"]["application/json"]["schema"], body, path);
        }
        let text = body.map(Value::to_string).unwrap_or_default();
        let headers: &[(&str, &str)] = if body.is_some() { &[("content-type", "application/json")] } else { &[] };
        let answer = self.world.server.ask(&method.to_uppercase(), real, headers, &text);
        let told = &operation["responses"][answer.status.to_string()];
        let told = if told.is_null() { &operation["responses"]["default"] } else { told };
        assert!(told.is_object(), "{method} {path} answers {} and nobody says so", answer.status);
        if let Some(schema) = told.pointer("/content/application~1json/schema") {
            self.hold(schema, &answer.json(), path);
        }
        self.seen.borrow_mut().insert(format!("{method} {path}"));
        answer
    }

    fn get(&self, path: &str, real: &str) -> Value {
        let answer = self.ask("get", path, real, None);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("post", path, path, Some(body)).json()
    }

    fn wrong(&self, schema: &Value, value: &Value) -> Vec<String> {
        let whole = json!({"allOf": [schema], "components": self.document["components"]});
        let whole = jsonschema::draft202012::options().build(&whole).unwrap();
        whole.iter_errors(value).map(|error| format!("{error} at {}", error.instance_path())).collect()
    }

    fn hold(&self, schema: &Value, value: &Value, place: &str) {
        let wrong = self.wrong(schema, value);
        assert!(wrong.is_empty(), "{place}: {wrong:#?} in {value}");
    }

    /// The fields that a route cannot do without.
    fn needs(&self, path: &str) -> Vec<String> {
        let schema = &self.document["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"];
        let named = schema["anyOf"][0]["$ref"].as_str().or(schema["$ref"].as_str()).unwrap();
        let shape = self.document.pointer(named.trim_start_matches('#')).unwrap();
        let needs = shape["required"].as_array().cloned().unwrap_or_default();
        needs.iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    }
}

/// Shapes that say: and whatever else there is.
const OPEN: &[&str] = &["ReviewContext", "HealthLayer", "ApiError", "ToolDefinition", "Message"];

fn engine_requests() -> [(&'static str, Vec<Value>); 6] {
    let tools = json!([weather(), delete(), {"type": "function", "function": {"name": "ping", "parameters": {"type": "object"}}}]);
    let call = json!({"id": "c", "name": "get_weather", "arguments": {"city": "Paris", "days": "3"}});
    let asked = json!([{"role": "user", "content": "The weather in Paris for 3 days?"}]);
    let check = |call: Value| json!({"id": 7, "tools": tools, "messages": asked, "call": call, "context": {"user": {"role": "editor"}}, "level": "strict", "language": "zh", "now": "2026-03-14T09:30:00+01:00", "timezone": "Europe/Paris"});
    let named = |name: &str| check(json!({"name": name, "arguments": "{}"}));
    [
        (
            "/v1/check",
            vec![check(call.clone()), named("nothing_like_it"), named("delete_record"), json!({"call": call})],
        ),
        (
            "/v1/verify",
            vec![
                json!({"id": "v", "tool": weather(), "call": call, "result": {"call_id": "c", "content": "Error 500", "is_error": true}, "level": "high"}),
                json!({"call": call, "result": {"content": {"temperature": 21}}}),
            ],
        ),
        (
            "/v1/score",
            vec![
                json!({"response": "Paris is the capital of France.", "context": "Paris is the capital of France.", "logprobs": [-0.1, -0.2], "samples": ["Paris."], "fact_check": {"verified_count": 2, "disputed_count": 1}}),
                json!({"response": "Yes."}),
            ],
        ),
        ("/v1/claims", vec![json!({"id": null, "text": "Sales rose 12% in 2025. 销售额增长了 12%。"})]),
        (
            "/v1/parse",
            vec![
                json!({"input": "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\",}}", "tools": tools}),
                json!({"chunks": ["[1] All is ", "well."], "protocol": "concierge", "finish_reason": "length", "role": "assistant"}),
                json!({"input": "{\"a\": 1", "protocol": "json", "schema": {"type": "object"}}),
            ],
        ),
        (
            "/v1/step",
            vec![
                json!({"tools": tools, "tool_name": "get_weather", "tool_input": {"city": "Paris"}, "tool_output": {"temperature": 21}, "model_response": "It is 21 degrees in Paris."}),
                json!({"tools": tools, "tool_name": "get_weather", "tool_input": {"days": "many"}, "verification_level": "low"}),
            ],
        ),
    ]
}

// LANG-4: what the engine takes and answers, one by one, in an array, and where something is missing.
#[test]
fn the_engine_keeps_to_the_document() {
    let world = World::shared();
    let described = Described::of(&world);
    for (path, requests) in engine_requests() {
        for request in &requests {
            let answer = described.ask("post", path, path, Some(request));
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        }
        assert_eq!(described.post(path, &json!(requests)).as_array().unwrap().len(), requests.len());
        // One that cannot be read costs only its own place; the request is then not one of the document.
        let mixed = world.server.post(path, &json!([requests[0], 5]).to_string());
        let schema =
            &described.document["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]["schema"];
        described.hold(schema, &mixed.json(), path);
        assert!(mixed.json()[1]["error"].is_string(), "{path}: {}", mixed.body);
        for name in described.needs(path) {
            let mut request = requests[0].clone();
            request.as_object_mut().unwrap().remove(&name);
            let refused = world.server.post(path, &request.to_string());
            assert_eq!(refused.status, 400, "{path} does without {name}");
            described.hold(&json!({"$ref": "#/components/schemas/ErrorBody"}), &refused.json(), path);
        }
    }
    let verdict = json!({"$ref": "#/components/schemas/Verdict"});
    let mut broken = described.post("/v1/check", &engine_requests()[0].1[0]);
    assert!(described.wrong(&verdict, &broken).is_empty());
    broken["status"] = json!("perhaps");
    broken["more"] = json!(1);
    assert_eq!(described.wrong(&verdict, &broken).len(), 2, "a schema that takes anything shows nothing");
}

// LANG-4: sessions, the brake, notes, files, the audit, people, what is counted.
#[test]
fn the_service_keeps_to_the_document() {
    let world = World::own("openapi-service", &[], &[]);
    let described = Described::of(&world);
    let made = described.post(
        "/v1/sessions",
        &json!({"agent": "react", "user": {"id": "ann"}, "tools": [weather(), delete()], "context": {}}),
    );
    let id = made["session_id"].as_str().unwrap().to_owned();
    let at = |rest: &str| format!("/v1/sessions/{id}{rest}");
    let say = |method: &str, rest: &str, body: Value| {
        described.ask(method, &format!("/v1/sessions/{{id}}{rest}"), &at(rest), Some(&body)).json()
    };
    let waits = calls(&[("c1", "delete_record", json!({"record_id": "rec_1"}))]);
    let mark = world.upstream.on(vec![waits, text(&["Sales rose 12% in 2025."])]);
    let mut turn = world.say(&id, &format!("Delete rec_1. {mark}"));
    turn.until("review_required");
    let listed = described.get("/v1/reviews", "/v1/reviews");
    described.get("/v1/reviews", "/v1/reviews?brief=true&order=newest");
    let review = listed["reviews"][0]["review_id"].as_str().unwrap();
    let item = |rest: &str| (format!("/v1/reviews/{{id}}{rest}"), format!("/v1/reviews/{review}{rest}"));
    described.get(&item("").0, &item("").1);
    let said = |method: &str, rest: &str, body: Value| described.ask(method, &item(rest).0, &item(rest).1, Some(&body));
    assert_eq!(said("post", "/reserve", json!({"reviewer": "ann"})).status, 200);
    assert_eq!(said("delete", "/reserve", json!({"reviewer": "ann"})).status, 200);
    assert_eq!(said("post", "/decision", json!({"decision": "approve", "reviewer": "ann"})).status, 200);
    turn.until("tool_call");
    say("post", "/tool_results", json!({"call_id": "c1", "content": "deleted", "is_error": false}));
    turn.rest();
    let relayed = say("post", "/relay", json!({"from": "a", "to": "b", "content": "Sales rose 12% in 2025."}));
    let claim = relayed["claims"][0]["id"].as_str().unwrap();
    described.get("/v1/sessions/{id}/claims/{claim}", &at(&format!("/claims/{claim}")));
    say("post", "/factcheck", json!({"evidence": [{"place": "report", "content": "Sales rose 12% in 2025."}]}));
    for kind in ["notes", "materials"] {
        let kept = say("post", &format!("/{kind}"), json!({"name": "n", "content": "words"}));
        described.get(&format!("/v1/sessions/{{id}}/{kind}"), &at(&format!("/{kind}")));
        let one = at(&format!("/{kind}/{}", kept["id"].as_str().unwrap()));
        let path = format!("/v1/sessions/{{id}}/{kind}/{{thing}}");
        described.get(&path, &one);
        assert_eq!(described.ask("delete", &path, &one, None).status, 204);
    }
    described.get("/v1/sessions/{id}/files", &at("/files"));
    for query in ["", "?detail=true"] {
        described.get("/v1/sessions", &format!("/v1/sessions{query}"));
    }
    described.get("/v1/sessions/{id}", &at(""));
    for method in ["post", "get", "delete"] {
        assert_eq!(described.ask(method, "/v1/sessions/{id}/stop", &at("/stop"), None).status, 200);
    }
    described.post("/v1/stop", &json!({"sessions": [id]}));
    described.get("/v1/stop", "/v1/stop");
    described.ask("delete", "/v1/stop", "/v1/stop", Some(&json!({"sessions": "all"})));
    audit_keeps_to_the_document(&described);
    for (path, real) in [("/v1/sessions/{id}", "/v1/sessions/ses_nobody"), ("/v1/sessions", "/v1/sessions?limit=x")] {
        assert!(described.ask("get", path, real, None).status >= 400);
    }
    assert_eq!(described.ask("delete", "/v1/sessions/{id}", &at(""), None).status, 204);
    assert!(described.seen.borrow().len() >= 35, "{:?}", described.seen.borrow());
}

fn audit_keeps_to_the_document(described: &Described<'_>) {
    let page = described.get("/v1/verdicts", "/v1/verdicts?of=all&limit=5");
    for stored in page["verdicts"].as_array().unwrap() {
        described.get("/v1/verdicts/{id}", &format!("/v1/verdicts/{}", stored["verdict_id"].as_str().unwrap()));
    }
    described.get("/v1/stats", "/v1/stats?buckets=3");
    described.get("/v1/policy", "/v1/policy");
    described.post("/v1/policy/replay", &json!({"policy": "[[rules]]\nname = \"never\"\nwhen = \"true\"\neffect = \"deny\"\nreason = \"no\"\n", "limit": 5}));
    described.post(
        "/v1/explain",
        &json!({"tools": [weather()], "call": {"name": "get_weather", "arguments": {"city": "Paris"}}}),
    );
    for path in ["/health", "/livez", "/readyz", "/console/session", "/openapi.json"] {
        described.get(path, path);
    }
}
