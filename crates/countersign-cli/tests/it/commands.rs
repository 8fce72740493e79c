//! The commands that do not judge lines: explain, policy, completions, man, calibrate.

use crate::run::{feed, run, scratch};
use serde_json::{Value, json};

#[test]
fn explain_prints_the_page_and_names_the_nearest() {
    let ran = run(&["explain", "call.wrong-type"]);
    assert_eq!(ran.code, 0);
    for part in ["call.wrong-type", "Mend", "Example", "severity", "confidence", "decision", "source", "type"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
    for (asked, near) in [("call.wrong-tpye", "call.wrong-type"), ("wrong-type", "call.wrong-type")] {
        let ran = run(&["explain", asked]);
        assert!(ran.code == 2 && ran.err.contains(near), "{}", ran.err);
    }
    assert!(run(&["explain"]).out.lines().count() > 20);
}

#[test]
fn a_wrong_policy_is_shown_with_its_line_and_a_suggestion() {
    let file = scratch("wrong.toml", "level = \"strict\"\n\n[cheks]\nschema = \"enforce\"\n");
    let ran = run(&["policy", "check", &file]);
    assert_eq!(ran.code, 2);
    for part in ["cheks", "did you mean `checks`?", "wrong.toml:3"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    let ran = run(&["check", "--policy", &file]);
    assert!(ran.code == 2 && ran.err.contains("wrong.toml:3"), "{}", ran.err);
}

#[test]
fn the_schema_of_policies_is_a_schema() {
    let ran = run(&["policy", "schema"]);
    let schema: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(ran.code, 0);
    assert_eq!(schema["additionalProperties"], json!(false));
    for key in ["level", "checks", "rules", "tools", "score"] {
        assert!(schema["properties"].get(key).is_some(), "{key}");
    }
}

#[test]
fn completions_and_the_manual_are_printed() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = run(&["completions", shell]);
        assert!(ran.code == 0 && ran.out.contains("calibrate"), "{shell}");
    }
    let man = run(&["man"]);
    assert_eq!(man.code, 0);
    for part in [".TH countersign", "COMMAND CHECK", "COUNTERSIGN_POLICY"] {
        assert!(man.out.contains(part), "{part}");
    }
}

// SCORE-4: one command fits weights and curve, reports before and after, and writes what a policy can use.
#[test]
fn calibrate_reports_and_writes_a_policy_and_a_picture() {
    let (toml, svg) = (scratch("fitted.toml", ""), scratch("fitted.svg", ""));
    let ran = run(&["calibrate", "examples/calibrate.jsonl", "--out", &toml, "--svg", &svg]);
    let report = ran.lines().remove(0);
    assert_eq!((ran.code, &report["lines"], &report["malformed"]), (0, &json!(22), &json!(0)), "{}", ran.err);
    assert!(report["after"]["brier"].as_f64().unwrap() < report["before"]["brier"].as_f64().unwrap());
    assert!(report["before"]["expected_calibration_error"].is_number());
    assert_eq!(run(&["policy", "check", &toml]).code, 0);
    assert_eq!(run(&["score", "--policy", &toml, "examples/score.jsonl"]).code & 2, 0);
    assert!(std::fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    let ran = feed(&["calibrate"], b"{\"response\": \"x\"}\nnot json\n");
    assert!(ran.code == 1 && ran.err.contains("line 1") && ran.err.contains("line 2"), "{}", ran.err);
}
