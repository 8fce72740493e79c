//! What people see: help texts and human output, as snapshots.

use crate::run::{feed, run};

#[test]
fn help_is_written_for_newcomers() {
    let mut text = String::new();
    for args in [
        vec!["--help"],
        vec!["check", "--help"],
        vec!["verify", "--help"],
        vec!["score", "--help"],
        vec!["step", "--help"],
        vec!["calibrate", "--help"],
        vec!["kb", "--help"],
        vec!["kb", "search", "--help"],
        vec!["demo", "--help"],
        vec!["chat", "--help"],
        vec!["tools", "--help"],
        vec!["explain", "--help"],
        vec!["policy", "--help"],
    ] {
        let ran = run(&args);
        assert_eq!(ran.code, 0);
        text.push_str(&format!("$ countersign {}\n{}\n", args.join(" "), ran.out));
    }
    insta::assert_snapshot!("help", text);
}

// The cases use checks that are settled: name, schema, permission, no schema.
#[test]
fn verdicts_are_drawn() {
    let tools = r#"[{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}}]"#;
    let said = r#""messages": [{"role": "user", "content": "Oslo, 3 days"}]"#;
    let lines = [
        format!(
            r#"{{"id": "clean", "tools": {tools}, {said}, "call": {{"name": "get_weather", "arguments": {{"city": "Oslo"}}}}}}"#
        ),
        format!(
            r#"{{"id": 2, "tools": {tools}, {said}, "call": {{"name": "get_weather", "arguments": {{"city": "Oslo", "days": "3"}}}}}}"#
        ),
        format!(r#"{{"tools": {tools}, {said}, "call": {{"name": "get_weather", "arguments": {{"days": 3}}}}}}"#),
        format!(
            r#"{{"id": "viewer", "tools": {tools}, {said}, "call": {{"name": "getWeather", "arguments": {{"city": "Oslo"}}}}}}"#
        ),
        "oops".to_owned(),
    ];
    let input = lines.join("\n");
    insta::assert_snapshot!("verdicts", feed(&["check", "--format", "human"], input.as_bytes()).out);
    insta::assert_snapshot!(
        "verdicts_zh",
        feed(&["check", "--format", "human", "--language", "zh"], input.as_bytes()).out
    );
}

#[test]
fn colours_come_only_when_asked() {
    let line = br#"{"call": {"name": "f", "arguments": {"a": "\u001b[31mred"}}}"#;
    let plain = feed(&["check", "--format", "human"], line);
    assert!(!plain.out.contains('\x1b'), "{}", plain.out);
    let coloured = feed(&["check", "--format", "human", "--color", "always"], line);
    assert!(coloured.out.contains("\x1b[33m") && !coloured.out.contains("\x1b[31mred"));
}
