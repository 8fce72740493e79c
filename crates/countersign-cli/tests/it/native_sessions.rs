//! Sessions: made, listed, looked at, removed, taken out; and whose they are.

use crate::native_upstream::{Step, piece, text};
use crate::native_world::{Reader, World, session_as, weather, words};
use crate::serve_world::{Answer, Server, bare, folder, within};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

// SERVE-4: sessions are made with defaults, shown, and what cannot be used is refused with its field.
#[test]
fn sessions_are_made_and_shown() {
    let world = World::shared();
    let session = world.session(json!({"agent": "react", "user": "ann", "tools": [weather()]}));
    let shown = world.server.get(&format!("/v1/sessions/{session}")).json();
    assert_eq!((&shown["agent"], &shown["user"], &shown["events"]), (&json!("react"), &json!("ann"), &json!(0)));
    assert_eq!((&shown["running"], &shown["stopped"]), (&json!(false), &json!(false)));
    assert_eq!(shown["tools"], json!([weather()]));
    let plain = world.session(json!({}));
    assert_eq!(world.server.get(&format!("/v1/sessions/{plain}")).json()["agent"], "concierge");
    for (body, param) in [
        (json!({"agent": "butler"}), json!("agent")),
        (json!({"tools": [{"type": "function", "function": {}}]}), json!("tools")),
        (json!({"user": 7}), json!("user")),
        (json!({"context": "x"}), json!("context")),
        (json!({"tools": "x"}), json!(null)),
        (json!([]), json!(null)),
    ] {
        let refused = world.server.post("/v1/sessions", &body.to_string());
        assert_eq!((refused.status, &refused.json()["error"]["param"]), (400, &param), "{body}");
        refused.error();
    }
    for (path, body) in
        [("messages", json!({"content": "  "})), ("messages", json!({})), ("relay", json!({"from": "a"}))]
    {
        assert_eq!(
            world.server.post(&format!("/v1/sessions/{session}/{path}"), &body.to_string()).status,
            400,
            "{body}"
        );
    }
}

// SERVE-4: lists go page by page, and a user's sessions are found behind others'.
#[test]
fn sessions_are_listed_page_by_page() {
    let world = World::own("native-list", &[], &[]);
    let mut made = vec![world.session(json!({"user": "ann"}))];
    made.extend((0..5).map(|_| world.session(json!({"user": "bob"}))));
    let list = |query: &str| -> Vec<String> {
        let listed = world.server.get(&format!("/v1/sessions{query}")).json();
        let sessions = listed["sessions"].as_array().unwrap().iter();
        sessions.map(|session| session["session_id"].as_str().unwrap().to_owned()).collect()
    };
    let all = list("");
    let mut paged = list("?limit=2");
    while let Some(last) = paged.last() {
        let page = list(&format!("?limit=2&after={last}"));
        if page.is_empty() {
            break;
        }
        paged.extend(page);
    }
    assert_eq!((paged.len(), &paged), (6, &all));
    assert_eq!(list("?user=ann&limit=2"), made[..1], "a filter does not lose what stands behind a page");
    assert_eq!(list("?user=nobody"), Vec::<String>::new());
    assert_eq!(world.server.get("/v1/sessions?limit=x").status, 400);
    assert_eq!(world.server.get("/v1/sessions?after=ses_nobody").status, 404);
}

// STREAM-2: a session that is removed while its turn runs ends its streams, and nothing of it is left.
#[test]
fn a_removed_session_is_gone() {
    let world = World::shared();
    let session = world.session(json!({}));
    let note = world.server.post(&format!("/v1/sessions/{session}/notes"), r#"{"name": "n", "content": "c"}"#).json();
    let mark = world.upstream.on(vec![vec![piece("begun"), Step::Hang]]);
    let mut turn = world.say(&session, &mark);
    turn.until("text_delta");
    assert_eq!(world.delete(&format!("/v1/sessions/{session}")).status, 204);
    assert_eq!(turn.rest_within(Duration::from_secs(3)).last().unwrap().kind(), "stopped");
    within(2, "the upstream to be left", || world.upstream.asked(&mark)[0].left.is_some());
    let note = note["id"].as_str().unwrap();
    for path in ["", "/events", "/notes", &format!("/notes/{note}"), "/files", "/stop", "/export"] {
        assert_eq!(world.server.get(&format!("/v1/sessions/{session}{path}")).status, 404, "{path}");
    }
    assert_eq!(world.delete(&format!("/v1/sessions/{session}")).status, 404);
    let flags = world.server.get("/v1/stop").body;
    assert!(!flags.contains(&session), "{flags}");
}

// SERVE-4: a session is taken out in three forms.
#[test]
fn a_session_is_taken_out() {
    let world = World::shared();
    let session = world.session(json!({"user": "ann"}));
    let events = world.turn(&session, "Hello", vec![text(&["Sales rose 12%."])]);
    let export = |format: &str| world.server.get(&format!("/v1/sessions/{session}/export?format={format}"));
    let whole = export("json").json();
    assert_eq!(whole["events"].as_array().unwrap().len(), events.len());
    assert_eq!((&whole["session"]["user"], &whole["notes"]), (&json!("ann"), &json!([])));
    assert_eq!(export("jsonl").body.lines().count(), events.len());
    let page = export("markdown").body;
    assert!(page.contains("Sales rose 12%.") && page.contains("unverified"), "{page}");
    assert_eq!(export("pdf").status, 400);
}

/// Makes a key with scopes.
fn key(data: &Path, scopes: &str) -> String {
    let place = data.display().to_string();
    let out = bare(&["keys", "create", "--scope", scopes, "--data-dir", &place], &[]).output().unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

// SERVE-1: another key's session, notes, files and claims are not there, without a hint that they are.
#[test]
fn a_session_is_its_keys_alone() {
    let data = folder("native-keys");
    let [ann, bob, judge, boss] = ["sessions", "sessions", "review", "admin"].map(|scopes| key(&data, scopes));
    let server = Server::start(&data, &[], &[]);
    let ask = |key: &str, method: &str, path: &str, body: &str| -> Answer {
        server.ask(method, path, &[("x-api-key", key)], body)
    };
    let session = session_as(&server, &[("x-api-key", &ann)], json!({}));
    let at = format!("/v1/sessions/{session}");
    let note = ask(&ann, "POST", &format!("{at}/notes"), r#"{"name": "n", "content": "secret"}"#).json();
    let note = note["id"].as_str().unwrap();
    let routes = [
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/messages"),
        ("POST", "/tool_results"),
        ("GET", "/events"),
        ("POST", "/relay"),
        ("POST", "/factcheck"),
        ("GET", "/claims/x"),
        ("GET", "/notes"),
        ("POST", "/notes"),
        ("GET", &format!("/notes/{note}")),
        ("DELETE", &format!("/notes/{note}")),
        ("GET", "/materials"),
        ("POST", "/materials"),
        ("GET", "/files"),
        ("POST", "/files"),
        ("GET", "/files/x"),
        ("GET", "/stop"),
        ("POST", "/stop"),
        ("DELETE", "/stop"),
        ("GET", "/export"),
    ];
    let body = r#"{"content": "a", "from": "a", "to": "b", "call_id": "c"}"#;
    for (method, path) in routes {
        let (there, nowhere) = (format!("{at}{path}"), format!("/v1/sessions/ses_nobody{path}"));
        let refused = ask(&bob, method, &there, body);
        assert_eq!(refused.status, 404, "{method} {path}: {}", refused.body);
        let nobody = ask(&bob, method, &nowhere, body).body.replace("ses_nobody", &session);
        assert_eq!(
            refused.json()["error"]["message"],
            serde_json::from_str::<Value>(&nobody).unwrap()["error"]["message"]
        );
        let judged = ask(&judge, method, &there, body).status;
        assert_eq!(judged, 403, "{method} {path}");
    }
    let listed = |key: &str| ask(key, "GET", "/v1/sessions", "").json()["sessions"].as_array().unwrap().len();
    assert_eq!((listed(&ann), listed(&bob), listed(&boss)), (1, 0, 1));
    assert_eq!(ask(&boss, "GET", &format!("{at}/notes/{note}"), "").json()["content"], "secret");
}

// SERVE-1, STREAM-4: a key stops and sees its own sessions only; decisions are for those who review.
#[test]
fn a_key_stops_and_sees_its_own_only() {
    let data = folder("native-keys-stop");
    let [ann, bob, judge, boss] = ["sessions", "sessions", "review", "admin"].map(|scopes| key(&data, scopes));
    let server = Server::start(&data, &[], &[]);
    let ask = |key: &str, method: &str, path: &str, body: &str| -> Answer {
        server.ask(method, path, &[("x-api-key", key)], body)
    };
    let session = session_as(&server, &[("x-api-key", &ann)], json!({}));
    let one = json!({ "sessions": [session] }).to_string();
    assert_eq!(ask(&bob, "POST", "/v1/stop", &one).status, 404);
    assert_eq!(ask(&bob, "POST", "/v1/stop", r#"{"sessions": "all"}"#).status, 403);
    assert_eq!(ask(&ann, "POST", "/v1/stop", &one).status, 200);
    let mine = session_as(&server, &[("x-api-key", &bob)], json!({}));
    let flags = |answer: Answer| answer.json()["flags"].to_string();
    let seen = flags(ask(&bob, "POST", "/v1/stop", &json!({ "sessions": [mine] }).to_string()));
    assert!(seen.contains(&mine) && !seen.contains(&session), "{seen}");
    let seen = flags(ask(&bob, "GET", "/v1/stop", ""));
    assert!(seen.contains(&mine) && !seen.contains(&session), "{seen}");
    let seen = flags(ask(&bob, "DELETE", "/v1/stop", &json!({ "sessions": [mine] }).to_string()));
    assert_eq!(seen, "[]");
    assert!(flags(ask(&boss, "GET", "/v1/stop", "")).contains(&session));
    for (path, list) in [("/v1/reviews", "reviews"), ("/v1/verdicts", "verdicts")] {
        assert_eq!(ask(&ann, "GET", path, "").json()[list], json!([]), "{path}");
    }
    assert_eq!(ask(&ann, "POST", "/v1/reviews/x/decision", "{}").status, 403);
    assert_eq!(ask(&judge, "GET", "/v1/reviews", "").status, 200);
    let posted = Reader::open(
        &server,
        "POST",
        &format!("/v1/sessions/{session}/messages"),
        &[("x-api-key", &ann)],
        r#"{"content": "hi"}"#,
    )
    .rest();
    assert_eq!(posted.last().unwrap().kind(), "stopped");
    assert_eq!(words(&posted), "");
}
