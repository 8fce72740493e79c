//! Health, logs, counters and traces: what the server says about itself.

use crate::serve_world::{Receiver, Server, folder, within};
use serde_json::{Value, json};

fn layer(server: &Server, name: &str) -> Value {
    let health = server.get("/health");
    assert_eq!(health.status, 200, "the endpoint itself never fails");
    health.json()["layers"][name]["status"].clone()
}

// SERVE-3, T39: one layer down, and the answer is 200 and `degraded`.
#[test]
fn an_upstream_that_is_away_degrades_and_ready_stays_ready() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let upstream = format!("http://{gone}/v1");
    let server = Server::start(&folder("health-upstream"), &["--upstream-openai", &upstream], &[]);
    within(10, "the upstream's absence", || layer(&server, "upstream") == "degraded");
    let health = server.get("/health");
    assert_eq!((health.status, &health.json()["status"]), (200, &json!("degraded")));
    assert!(health.header("x-process-time").parse::<f64>().is_ok());
    assert_eq!(server.get("/readyz").status, 200);
    for name in ["disk", "store", "queues", "config"] {
        assert_eq!(layer(&server, name), "healthy", "{name}");
    }
    let back = std::net::TcpListener::bind(gone).unwrap();
    within(10, "the upstream's return", || layer(&server, "upstream") == "healthy");
    drop(back);
}

// SERVE-2, SERVE-3, T39: a disk that cannot be written shows within 5 s, people are told, and it clears.
#[test]
fn a_disk_that_cannot_be_written_is_unhealthy_and_recovers() {
    let home = folder("health-disk");
    let data = home.join("data");
    let hook = Receiver::start();
    let url = format!("http://{}/hook", hook.address);
    let variables = [("COUNTERSIGN_ALERT_WEBHOOK", url.as_str()), ("COUNTERSIGN_ALERT_KIND", "feishu")];
    let server = Server::start(&data, &[], &variables);
    within(5, "a first look", || layer(&server, "disk") == "healthy");
    let aside = home.join("aside");
    std::fs::rename(&data, &aside).unwrap();
    within(5, "the loss", || layer(&server, "disk") == "unhealthy");
    assert_eq!(server.get("/livez").status, 200);
    assert_eq!(server.post("/v1/claims", "{\"text\": \"a\"}").status, 200);
    within(10, "the alert", || hook.texts().iter().any(|text| text.contains("layer_unhealthy disk")));
    let told = hook.texts().remove(0);
    assert!(told.contains(r#""msg_type":"text""#) && told.contains(r#""content":{"text":"#), "{told}");
    std::fs::rename(&aside, &data).unwrap();
    within(15, "the return", || layer(&server, "disk") == "healthy");
}

// SERVE-4
#[test]
fn requests_and_verdicts_are_counted() {
    let server = Server::start(&folder("health-metrics"), &[], &[]);
    server.post("/v1/check", "{\"call\": {\"name\": \"x\", \"arguments\": {}}}");
    server.get("/nowhere/at/all");
    let page = server.get("/metrics");
    assert!(page.header("content-type").starts_with("text/plain; version=0.0.4"));
    for line in [
        "countersign_requests_total{method=\"POST\",route=\"/v1/check\",status=\"200\"} 1",
        "countersign_requests_total{method=\"GET\",route=\"unmatched\",status=\"404\"} 1",
        "countersign_request_seconds_count{route=\"/v1/check\"} 1",
        "countersign_verdicts_total{status=\"caution\"} 1",
    ] {
        assert!(page.body.lines().any(|seen| seen == line), "{line}\n{}", page.body);
    }
}

// SERVE-4: the description names every method that a path takes, and no other.
#[test]
fn the_description_fits_the_routes() {
    let server = Server::start(&folder("health-openapi"), &[], &[]);
    let document = server.get("/openapi.json").json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    for (path, methods) in document["paths"].as_object().unwrap() {
        let real = path.replace(['{', '}'], "");
        let refused = server.ask("TRACE", &real, &[], "");
        assert_eq!(refused.status, 405, "{path}");
        let mut allowed: Vec<String> = refused.header("allow").split(',').map(|m| m.trim().to_lowercase()).collect();
        allowed.retain(|method| method != "head");
        allowed.sort();
        let mut described: Vec<String> = methods.as_object().unwrap().keys().cloned().collect();
        described.sort();
        assert_eq!(allowed, described, "{path}");
    }
}

// SERVE-4: traces go to a collector, as a child of the caller's; one that is unavailable costs nothing.
#[test]
fn requests_are_traced_to_a_collector() {
    let collector = Receiver::start();
    let endpoint = format!("http://{}", collector.address);
    let server = Server::start(&folder("health-traces"), &[], &[("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)]);
    let trace = "00-0123456789abcdef0123456789abcdef-00000000000000ff-01";
    let answer = server.ask("POST", "/v1/claims", &[("traceparent", trace)], "{\"text\": \"a\"}");
    assert_eq!(answer.status, 200);
    let id = answer.header("x-request-id").to_owned();
    assert_eq!(server.end().code(), Some(0), "the end sends what waits");
    let sent = collector.texts();
    let whole = sent.iter().find(|text| text.contains("POST /v1/claims")).unwrap_or_else(|| panic!("{sent:?}"));
    assert!(whole.starts_with("POST /v1/traces ") && whole.to_lowercase().contains("application/x-protobuf"));
    for part in ["countersign", "http.route", "http.response.status_code", &id] {
        assert!(whole.contains(part), "{part} in {whole:?}");
    }
}

#[test]
fn a_collector_that_is_away_costs_nothing() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint = format!("http://{gone}");
    let server = Server::start(&folder("health-untraced"), &[], &[("COUNTERSIGN_OTLP_ENDPOINT", &endpoint)]);
    for _ in 0..20 {
        assert_eq!(server.post("/v1/claims", "{\"text\": \"a\"}").status, 200);
    }
    let began = std::time::Instant::now();
    assert_eq!(server.end().code(), Some(0));
    assert!(began.elapsed() < std::time::Duration::from_secs(10));
}

// SERVE-4: log lines are JSON, carry the request's name, and hold no secret.
#[test]
fn log_lines_are_structured_and_hold_no_secret() {
    let variables = [("COUNTERSIGN_API_KEYS", "my-very-own-key"), ("OPENAI_API_KEY", "sk-abcdef123456")];
    let args = ["--log-level", "debug", "--log-format", "json"];
    let server = Server::start(&folder("health-log"), &args, &variables);
    let headers = [("x-api-key", "my-very-own-key")];
    let answer = server.ask("POST", "/v1/claims?token=abcdefgh", &headers, "{\"text\": \"a\"}");
    let id = answer.header("x-request-id").to_owned();
    within(5, "the line", || server.log().contains(&id));
    let log = server.log();
    for hidden in ["my-very-own-key", "abcdef123456", "abcdefgh"] {
        assert!(!log.contains(hidden), "{log}");
    }
    let line = log.lines().find(|line| line.contains(&id)).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!((&line["route"], &line["status"]), (&json!("/v1/claims"), &json!(200)));
}
