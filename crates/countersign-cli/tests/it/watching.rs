//! What people watch a server with: the rules of Prometheus, the dashboard of Grafana, and what the models cost.

use crate::gateway_dialects::{Said, Wire};
use crate::gateway_world::{Ask, World};
use crate::serve_world::{Receiver, Server, folder, within};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

fn deploy(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(file)
}

/// Every metric of ours that a text names, as the base name of its family.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let ours = words.filter(|word| word.starts_with("countersign_"));
    ours.map(|word| word.trim_end_matches("_bucket").to_owned()).collect()
}

fn families(page: &str) -> BTreeSet<String> {
    page.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next()).map(str::to_owned).collect()
}

// SERVE-4: every metric that a rule or a panel names is one that the server gives, and every one is shown.
#[test]
fn rules_and_dashboard_name_metrics_that_exist() {
    let server = Server::start(&folder("watching-metrics"), &[], &[]);
    let given = families(&server.get("/metrics").body);
    let rules = std::fs::read_to_string(deploy("prometheus-rules.yml")).unwrap();
    let dashboard = std::fs::read_to_string(deploy("grafana-dashboard.json")).unwrap();
    let read: Value = serde_json::from_str(&dashboard).unwrap();
    let panels = read["panels"].as_array().unwrap();
    let ids: BTreeSet<_> = panels.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), panels.len());
    let mut shown = BTreeSet::new();
    for target in panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap()) {
        let used = named(target["expr"].as_str().unwrap());
        assert!(!used.is_empty(), "{target}");
        shown.extend(used);
    }
    assert_eq!(shown, given, "the dashboard shows all that there is");
    let used = named(&rules);
    assert!(!used.is_empty() && used.is_subset(&given), "{:?}", used.difference(&given).collect::<Vec<_>>());
}

// SERVE-4: Prometheus itself takes the rules, and every expression of the dashboard.
#[test]
fn prometheus_takes_the_rules() {
    let need = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tools/need");
    assert!(Command::new(need).arg("promtool=prometheus").status().unwrap().success());
    let rules = deploy("prometheus-rules.yml");
    let dashboard: Value =
        serde_json::from_str(&std::fs::read_to_string(deploy("grafana-dashboard.json")).unwrap()).unwrap();
    let targets = dashboard["panels"].as_array().unwrap().iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let expressions = targets.map(|target| {
        let filled = target["expr"].as_str().unwrap().replace("$__rate_interval", "5m").replace("$instance", ".*");
        format!("      - record: shown:expression\n        expr: '{filled}'\n")
    });
    let text = format!("groups:\n  - name: dashboard\n    rules:\n{}", expressions.collect::<String>());
    let file = folder("watching-promtool").join("dashboard.yml");
    std::fs::write(&file, text).unwrap();
    for file in [rules, file] {
        let out = Command::new("promtool").args(["check", "rules", "--lint=none"]).arg(&file).output().unwrap();
        assert!(
            out.status.success(),
            "{}{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        );
    }
}

// SERVE-4: what the models cost, by key, by model and by tool, in the metrics and in the figures.
#[test]
fn tokens_are_counted_by_key_model_and_tool() {
    let world = World::own("watching-tokens", &[], &[("COUNTERSIGN_API_KEYS", "ops:admin=watching-key-0123456789")]);
    let key = ("x-api-key", "watching-key-0123456789");
    for wire in [Wire::Chat, Wire::Responses, Wire::Messages] {
        for streamed in [false, true] {
            let ask = Ask::new(wire, streamed).header(key.0, key.1);
            let (heard, _) = world.play(&ask, [Said::text("ok")]);
            assert_eq!(heard.status, 200, "{}", heard.raw);
        }
    }
    let metrics = world.server.ask("GET", "/metrics", &[key], "").body;
    let line = metrics
        .lines()
        .find(|line| line.starts_with("countersign_tokens_total{key=\"key_") && line.contains("kind=\"output\""));
    assert!(line.is_some(), "{metrics}");
    let stats = world.server.ask("GET", "/v1/stats", &[key], "").json();
    let tokens = &stats["tokens"];
    assert!(tokens["input"].as_u64().unwrap() > 0 && tokens["output"].as_u64().unwrap() > 0, "{tokens}");
    assert_eq!(tokens["by_key"].as_object().unwrap().len(), 1, "{tokens}");
}

// SERVE-4: a collector gets the spans of OpenTelemetry's conventions for models, with the tokens.
#[test]
fn spans_follow_the_conventions_for_models() {
    let collector = Receiver::start();
    let endpoint = format!("telemetry.otlp_endpoint=http://{}", collector.address);
    let server = Server::start(&folder("watching-spans"), &["--set", &endpoint], &[]);
    let body = r#"{"model": "demo-types", "messages": [{"role": "user", "content": "What is the weather in Paris?"}]}"#;
    assert_eq!(server.post("/v1/chat/completions", body).status, 200);
    let session = server.post("/v1/sessions", r#"{"agent": "react"}"#).json();
    let id = session["session_id"].as_str().unwrap().to_owned();
    let asked = server.post(&format!("/v1/sessions/{id}/messages"), r#"{"content": "What is 17 times 23?"}"#);
    assert!(asked.status < 300, "{}", asked.body);
    within(30, "the spans", || {
        let all = collector.texts().concat();
        let names =
            ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "gen_ai.usage.input_tokens"];
        let spans = ["chat demo-types", "invoke_agent react", "gen_ai.usage.output_tokens", "gen_ai.agent.name"];
        names.into_iter().chain(spans).all(|word| all.contains(word))
    });
}
