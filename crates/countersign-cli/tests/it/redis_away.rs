//! Redis goes away under a running server: the limiter and the brake go on.

use crate::serve_world::{Receiver, Server, folder, within};
use crate::servers::own_redis;
use serde_json::json;

// SERVE-1, SERVE-2, T37: requests go on under a limit of this node, and people are told.
#[test]
fn a_limiter_that_is_away_refuses_nobody_and_is_told() {
    let mut redis = own_redis();
    let hook = Receiver::start();
    let (hot, url) = (redis.url(), format!("http://{}/hook", hook.address));
    let variables = [
        ("COUNTERSIGN_REDIS_URL", hot.as_str()),
        ("COUNTERSIGN_RATE_LIMIT", "20"),
        ("COUNTERSIGN_ALERT_WEBHOOK", &url),
    ];
    let server = Server::start(&folder("limiter-away"), &[], &variables);
    let ask = || server.post("/v1/claims", "{\"text\": \"It grew by 25%.\"}").status;
    assert_eq!(ask(), 200);
    redis.kill();
    assert_eq!(ask(), 200, "nobody is refused because a store is away");
    within(10, "the alert", || hook.texts().iter().any(|text| text.contains("limiter_away")));
    let statuses: Vec<u16> = (0..80).map(|_| ask()).collect();
    assert!(statuses.contains(&429), "the node keeps a limit of its own: {statuses:?}");
}

// STREAM-4, SERVE-3, T38, T39: the brake answers and can be pulled and cleared on this node; one layer down is `degraded`.
#[test]
fn the_brake_answers_while_redis_is_away() {
    let mut redis = own_redis();
    let hot = redis.url();
    let server = Server::start(&folder("brake-away"), &[], &[("COUNTERSIGN_REDIS_URL", hot.as_str())]);
    let session = server.post("/v1/sessions", r#"{"agent": "concierge"}"#).json();
    let one = format!("/v1/sessions/{}/stop", session["session_id"].as_str().unwrap());
    let all = r#"{"sessions": "all"}"#;
    assert_eq!(server.get("/v1/stop").json()["mode"], "shared");
    redis.kill();
    within(10, "the loss to show", || server.get("/v1/stop").json()["mode"] == "memory_only");
    let state = |method: &str, path: &str, body: &str| {
        let answer = server.ask(method, path, &[], body);
        assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
        let state = answer.json();
        assert_eq!(
            (&state["redis_available"], &state["mode"]),
            (&json!(false), &json!("memory_only")),
            "{method} {path}"
        );
        state["flags"].as_array().unwrap().len()
    };
    assert_eq!((state("GET", "/v1/stop", ""), state("GET", &one, "")), (0, 0));
    assert_eq!(state("POST", "/v1/stop", all), 1);
    let turn = server.post(&one.replace("/stop", "/messages"), r#"{"content": "Hello"}"#).body;
    assert!(turn.contains("event: stopped") && turn.contains("data: [DONE]"), "{turn}");
    assert_eq!(state("DELETE", "/v1/stop", all), 0);
    within(10, "the layer to show", || {
        let health = server.get("/health");
        health.status == 200 && health.json()["status"] == "degraded"
    });
}
