//! The tour: what a newcomer sees of the gateway, in one command.

use crate::run::{command, run};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use unicode_width::UnicodeWidthStr;

// SERVE-7, CALL-10, CALL-11: every scene ends as it should, the same way in every run, and none needs the network.
#[test]
fn the_tour_is_played() {
    let began = Instant::now();
    let ran = run(&["demo", "--format", "human"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert!(!ran.out.contains('\x1b'), "no colours into a pipe");
    for line in ran.out.lines() {
        assert!(line.width() <= 80, "{line}");
    }
    insta::assert_snapshot!("demo", ran.out);
    assert_eq!(run(&["demo", "--format", "human"]).out, ran.out);
}

// SERVE-7
#[test]
fn programs_get_a_line_for_each_scene() {
    let ran = run(&["demo"]);
    let scenes = ran.lines();
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ends: Vec<(&str, u64, Vec<&str>)> = scenes.iter().map(end).collect();
    assert_eq!(
        ends,
        [
            ("clean", 1, vec!["approved"]),
            ("name", 1, vec!["caution"]),
            ("types", 1, vec!["caution"]),
            ("json", 1, vec!["caution"]),
            ("text", 1, vec!["approved"]),
            ("missing", 2, vec!["validation_failed", "approved"]),
            ("stubborn", 2, vec!["validation_failed", "validation_failed"]),
            ("parallel", 1, vec!["approved", "rejected"]),
            ("cut", 1, vec![]),
            ("claims", 1, vec![]),
            ("history", 1, vec!["approved"]),
        ]
    );
    let right = json!([{"name": "get_weather", "arguments": "{\"city\":\"Oslo\",\"days\":3}"}]);
    for scene in &scenes {
        let refused = ["stubborn", "cut", "claims"].contains(&scene["scene"].as_str().unwrap());
        let expected = if refused { json!([]) } else { right.clone() };
        assert_eq!(scene["client"]["calls"], expected, "{scene}");
    }
    let array: Value = serde_json::from_str(&run(&["demo", "--format", "json"]).out).unwrap();
    assert_eq!(array, json!(scenes));
}

fn end(scene: &Value) -> (&str, u64, Vec<&str>) {
    let statuses = scene["verdicts"].as_array().unwrap().iter().map(|verdict| verdict["status"].as_str().unwrap());
    (scene["scene"].as_str().unwrap(), scene["upstream_requests"].as_u64().unwrap(), statuses.collect())
}

// What the caller's variables say is for the caller's server.
#[test]
fn one_scene_can_be_played_whatever_the_environment_says() {
    let mut command = command(&["demo", "--scene", "missing"]);
    command.env("COUNTERSIGN_CONFIG", "/nowhere.toml").env("COUNTERSIGN_API_KEYS", "secret");
    command.env("COUNTERSIGN_LISTEN", "127.0.0.1:1").env("HTTP_PROXY", "http://127.0.0.1:9");
    let out = command.output().unwrap();
    assert!(out.status.success(), "{out:?}");
    let scene: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(scene["scene"], "missing");
    let ran = run(&["demo", "--scene", "mising"]);
    assert!(ran.code == 2 && ran.err.contains("missing"), "{}", ran.err);
}
