//! Laws that hold for every call, shown on random ones.

use countersign::check_call::Guard;
use countersign::contract::{Answers, Level, PatchOp, Status, Verdict};
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::{CheckRequest, read_check};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    // SCORE-7
    #[test]
    fn the_same_call_gets_the_same_verdict(bodies in prop::collection::vec(body(), 2..6)) {
        let requests: Vec<CheckRequest> = bodies.iter().map(|body| read_check(body).unwrap()).collect();
        let guard = Guard::new(Some(tools()), Policy::standard());
        let forward: Vec<String> = requests.iter().map(|request| text(&guard, request)).collect();
        let backward: Vec<String> = requests.iter().rev().map(|request| text(&guard, request)).collect();
        prop_assert!(forward.iter().eq(backward.iter().rev()));
        let parallel: Vec<String> = std::thread::scope(|scope| {
            let judges: Vec<_> = requests.iter().map(|request| scope.spawn(|| text(&guard, request))).collect();
            judges.into_iter().map(|judge| judge.join().unwrap()).collect()
        });
        prop_assert_eq!(forward, parallel);
    }

    // CALL-9
    #[test]
    fn a_softer_level_never_refuses_more(body in body()) {
        let refused = |level| judge(&body, level).status.is_refused();
        let (lenient, moderate, strict) = (refused(Level::Lenient), refused(Level::Moderate), refused(Level::Strict));
        prop_assert!(!lenient || moderate, "LENIENT refused what MODERATE accepts: {}", body);
        prop_assert!(!moderate || strict, "MODERATE refused what STRICT accepts: {}", body);
    }

    // CALL-5, CALL-9
    #[test]
    fn a_denied_call_is_denied_at_every_level(body in body()) {
        let statuses = [Level::Lenient, Level::Moderate, Level::Strict].map(|level| judge(&body, level).status);
        let denied = statuses.contains(&Status::Rejected);
        prop_assert!(!denied || statuses.iter().all(|status| status.is_refused()), "{:?} {}", statuses, body);
        // STRICT stops at a name that only a rename would resolve; every other denied call is denied in so many words.
        let named = tools().iter().any(|tool| body["call"]["name"] == tool.name.as_str());
        prop_assert!(!denied || !named || statuses.iter().all(|status| *status == Status::Rejected), "{:?} {}", statuses, body);
    }

    // CALL-3
    #[test]
    fn a_patch_mends_what_it_claims_to_mend(body in body()) {
        let before = judge(&body, Level::Strict);
        for finding in &before.findings {
            let Some(correction) = finding.correction.as_ref().filter(|correction| correction.certain) else { continue };
            let mut call = json!({"name": body["call"]["name"], "arguments": body["call"]["arguments"]});
            if !correction.patch.iter().all(|op: &PatchOp| op.apply(&mut call)) {
                continue;
            }
            let mut mended = body.clone();
            mended["call"] = call;
            let after = judge(&mended, Level::Strict);
            let again = after.findings.iter().any(|f| f.code.id == finding.code.id && f.pointer == finding.pointer);
            prop_assert!(!again, "{} at {} is still there after its patch: {}", finding.code.id, finding.pointer, body);
        }
    }

    // CALL-6
    #[test]
    fn no_sentence_of_a_verdict_shows_a_secret(body in body(), place in 0usize..5) {
        let secret = "ghp_Zx81kQ72mLp04vTyRw93sNc65hBd28FgJ0aE";
        let mut body = body;
        let key = ["city", "unit", "path", "zzz", "days"][place];
        body["call"]["arguments"] = json!({key: secret});
        for level in [Level::Lenient, Level::Strict] {
            let mut verdict = serde_json::to_value(judge(&body, level)).unwrap();
            verdict.as_object_mut().unwrap().remove("call");
            for finding in verdict["findings"].as_array_mut().unwrap() {
                finding.as_object_mut().unwrap().get_mut("correction").and_then(Value::as_object_mut).map(|c| c.remove("patch"));
            }
            prop_assert!(!verdict.to_string().contains(&secret[8..]), "{}", verdict);
        }
    }
}

fn judge(body: &Value, level: Level) -> Verdict {
    let mut request = read_check(body).unwrap();
    request.level = Some(level);
    static GUARD: LazyLock<Guard> = LazyLock::new(|| Guard::new(Some(tools()), Policy::standard()));
    inspect::check(&GUARD, &request, &Answers::default())
}

fn text(guard: &Guard, request: &CheckRequest) -> String {
    serde_json::to_string(&inspect::check(guard, request, &Answers::default())).unwrap()
}

fn tools() -> Vec<countersign::contract::ToolSpec> {
    let tools = json!([
        {"name": "get_weather", "input_schema": {"type": "object", "properties": {
            "city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "days": {"type": "integer", "minimum": 1, "maximum": 14}, "tags": {"type": "array", "items": {"type": "string"}}}, "required": ["city"]}},
        {"name": "delete_file", "input_schema": {"type": "object", "properties": {"path": {"type": "string"}, "force": {"type": "boolean"}}, "required": ["path"]}},
        {"name": "search", "input_schema": {"type": "object", "properties": {
            "query": {"type": "string"}, "limit": {"type": "integer"},
            "filter": {"type": "object", "properties": {"from": {"type": "string", "format": "date"}, "score": {"type": "number"}}}}, "required": ["query"]}}
    ]);
    countersign::wire::tools::read_tools(&tools.to_string()).unwrap()
}

fn body() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "get_weather",
        "getWeather",
        "delete_file",
        "deleteFile",
        "search",
        "serch",
        "nothing_like_it",
        "search<|end|>",
    ]);
    let key = prop::sample::select(vec![
        "city", "City", "unit", "days", "tags", "path", "force", "query", "limit", "filter", "citty", "zzz", "",
    ]);
    let said = prop::sample::select(vec![
        "weather in Oslo for 3 days",
        "delete notes.txt",
        "search cats, dogs and birds",
        "",
        "请搜索",
    ]);
    let role = prop::sample::select(vec!["viewer", "admin", ""]);
    (name, prop::collection::vec((key, value()), 0..5), said, role).prop_map(|(name, arguments, said, role)| {
        let arguments: serde_json::Map<String, Value> = arguments.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        json!({"id": 1, "messages": [{"role": "user", "content": said}], "call": {"name": name, "arguments": arguments}, "context": {"user_role": role}})
    })
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5i64..6000).prop_map(Value::from),
        (-2.0f64..2000.0).prop_map(Value::from),
        prop::sample::select(vec![
            "Oslo",
            "celsius",
            "Celcius",
            "10",
            "true",
            "2026-02-30",
            "notes.txt",
            "/etc/shadow",
            "../../etc/passwd",
            "[\"a\"]",
            "{\"from\": 1}",
            "",
            "cats",
            "dogs",
            "C-1234"
        ])
        .prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let key = prop::sample::select(vec!["from", "score", "value", "x"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..3).prop_map(|pairs| pairs
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect::<serde_json::Map<_, _>>()
                .into())
        ]
    })
}

/// Shared between threads, as every server does.
#[test]
fn a_guard_is_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&Arc::new(Guard::new(None, Policy::standard())));
}
