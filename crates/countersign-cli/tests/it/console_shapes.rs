//! Real answers of the server against the tables of their shapes: no field that the tables do not know, none missing.

use crate::native_upstream::{calls, text};
use crate::native_world::{World, delete, weather};
use crate::serve_world::{Answer, bare};
use serde_json::{Value, json};

/// The shapes, strictly: readers may ignore what they do not know, but a table that does not know it is out of date.
struct Shapes(Value);

impl Shapes {
    fn read() -> Self {
        let output = bare(&["events", "schema"], &[]).output().unwrap();
        let mut schema: Value = serde_json::from_slice(&output.stdout).unwrap();
        for (name, shape) in schema["$defs"].as_object_mut().unwrap() {
            if shape["type"] == "object" && !OPEN.contains(&name.as_str()) {
                shape["additionalProperties"] = json!(false);
            }
        }
        Self(schema["$defs"].take())
    }

    fn wrong(&self, name: &str, value: &Value) -> Vec<String> {
        assert!(!self.0[name].is_null(), "there is no shape {name}");
        let schema = json!({"$ref": format!("#/$defs/{name}"), "$defs": self.0});
        let schema = jsonschema::draft202012::options().build(&schema).unwrap();
        schema.iter_errors(value).map(|error| format!("{error} at {}", error.instance_path())).collect()
    }

    fn hold(&self, name: &str, value: &Value) {
        let wrong = self.wrong(name, value);
        assert!(wrong.is_empty(), "{name}: {wrong:#?} in {value}");
    }

    fn hold_answer(&self, name: &str, answer: &Answer) -> Value {
        assert_eq!(answer.status, 200, "{}", answer.body);
        self.hold(name, &answer.json());
        answer.json()
    }
}

/// Shapes that say: and whatever else there is.
const OPEN: &[&str] = &["ReviewContext", "HealthLayer", "ApiError"];

// STREAM-1, SERVE-4: the engine's answers.
#[test]
fn answers_of_the_engine_have_their_shapes() {
    let (world, shapes) = (World::shared(), Shapes::read());
    let post = |path: &str, body: Value| world.server.post(path, &body.to_string());
    let tools = json!([weather(), delete()]);
    for call in [
        json!({"name": "get_wether", "arguments": {"city": "Paris", "days": "3"}}),
        json!({"id": "c1", "name": "get_weather", "arguments": "{\"city\": \"Paris\"}"}),
        json!({"name": "nothing_like_it", "arguments": {}}),
        json!({"name": "delete_record", "arguments": {"record_id": "x"}}),
        json!({"name": "get_weather", "arguments": {"city": "http://169.254.169.254/latest"}}),
    ] {
        let body = json!({"tools": tools, "call": call, "messages": [{"role": "user", "content": "The weather?"}]});
        shapes.hold_answer("Verdict", &post("/v1/check", body.clone()));
        shapes.hold_answer("Explained", &post("/v1/explain", body));
    }
    let call = json!({"id": "c", "name": "get_weather", "arguments": {"city": "Paris"}});
    for content in [json!("Error 500"), json!({"temperature": 21})] {
        let body = json!({"call": call, "result": {"call_id": "c", "content": content}});
        shapes.hold_answer("VerificationReport", &post("/v1/verify", body));
    }
    let score = json!({"response": "Paris is the capital of France.", "context": "Paris is the capital of France."});
    shapes.hold_answer("ScoreReport", &post("/v1/score", score));
    let claims = json!({"text": "Sales rose 12% in 2025. 销售额增长了 12%。"});
    shapes.hold_answer("ClaimsReport", &post("/v1/claims", claims));
    for input in [
        "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\",}}",
        "好的，收到您的指令",
        "{\"name\": \"get_",
    ] {
        shapes.hold_answer("ParseReport", &post("/v1/parse", json!({"input": input, "tools": tools})));
    }
}

// STREAM-1, SERVE-4: sessions, the console, the brake, the policy, health and errors.
#[test]
fn answers_of_the_service_have_their_shapes() {
    let (world, shapes) = (World::own("shapes-service", &[], &[]), Shapes::read());
    let session = world.session(json!({"agent": "react", "user": "ann", "tools": [weather()]}));
    world.turn(&session, "Hello", vec![text(&["Sales rose 12% in 2025."])]);
    for query in ["", "?detail=true"] {
        let listed = world.server.get(&format!("/v1/sessions{query}")).json();
        listed["sessions"].as_array().unwrap().iter().for_each(|one| shapes.hold("SessionInfo", one));
    }
    let shown = shapes.hold_answer("SessionInfo", &world.server.get(&format!("/v1/sessions/{session}")));
    assert_eq!(shown["title"].as_str().unwrap().split(' ').next(), Some("Hello"));
    shapes.hold_answer("ConsoleSession", &world.server.get("/console/session"));
    shapes.hold_answer("PolicyText", &world.server.get("/v1/policy"));
    shapes.hold_answer("Health", &world.server.get("/health"));
    shapes.hold_answer("StopState", &world.server.get("/v1/stop"));
    world.server.post("/v1/stop", &json!({"sessions": [session]}).to_string());
    shapes.hold_answer("StopState", &world.server.get("/v1/stop"));
    for path in ["/nowhere", "/v1/sessions/ses_nobody", "/v1/sessions?limit=x"] {
        shapes.hold("ErrorBody", &world.server.get(path).json());
    }
    let broken = json!({"locked": true});
    assert!(!shapes.wrong("ConsoleSession", &broken).is_empty(), "a shape that takes anything shows nothing");
    let mut more = world.server.get("/console/session").json();
    more["secret"] = json!(1);
    assert!(!shapes.wrong("ConsoleSession", &more).is_empty(), "a field that no table knows is seen");
}

// STREAM-1, REVIEW-1: what waits for people, the audit and what is counted.
#[test]
fn answers_about_calls_have_their_shapes() {
    let (world, shapes) = (World::own("shapes-audit", &[], &[]), Shapes::read());
    let session = world.session(json!({"agent": "react", "tools": [weather(), delete()]}));
    let waits = calls(&[("c1", "delete_record", json!({"record_id": "rec_1"}))]);
    let mark = world.upstream.on(vec![waits, text(&["Done."])]);
    let mut turn = world.say(&session, &format!("Delete rec_1. {mark}"));
    turn.until("review_required");
    let listed = world.server.get("/v1/reviews").json();
    let review = &listed["reviews"][0];
    shapes.hold("Review", review);
    let path = format!("/v1/reviews/{}", review["review_id"].as_str().unwrap());
    shapes.hold_answer("ReviewDetail", &world.server.get(&path));
    let decided = world.server.post(&format!("{path}/decision"), r#"{"decision": "approve", "reviewer": "ann"}"#);
    shapes.hold_answer("Review", &decided);
    turn.until("tool_call");
    assert!(world.result(&session, "c1", json!("Error 500")).status < 300);
    turn.rest();
    for event in world.log(&session) {
        match event.kind() {
            "verdict" | "tool_call" => shapes.hold("Verdict", event.payload("verdict")),
            "tool_result" => shapes.hold("VerificationReport", event.payload("verification")),
            _ => {}
        }
    }
    let candidate =
        json!({"policy": "[[rules]]\nname = \"never\"\nwhen = \"true\"\neffect = \"deny\"\nreason = \"no\"\n"});
    let replay = shapes.hold_answer("Replay", &world.server.post("/v1/policy/replay", &candidate.to_string()));
    assert!(!replay["changed"].as_array().unwrap().is_empty(), "a changed call has a shape too: {replay}");
    let page = shapes.hold_answer("VerdictPage", &world.server.get("/v1/verdicts?of=all"));
    for stored in page["verdicts"].as_array().unwrap() {
        let id = stored["verdict_id"].as_str().unwrap();
        shapes.hold_answer("StoredVerdict", &world.server.get(&format!("/v1/verdicts/{id}")));
    }
    shapes.hold_answer("Stats", &world.server.get("/v1/stats?buckets=3"));
}
