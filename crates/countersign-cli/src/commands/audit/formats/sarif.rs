//! SARIF 2.1.0: each finding with its rule, its file and its line.

use super::super::summary::{Found, Summary};
use countersign::contract::{Severity, codes};
use serde_json::{Value, json};

pub(super) fn draw(summary: &Summary) -> String {
    let ids: Vec<&str> = summary.codes.keys().copied().collect();
    let rules: Vec<Value> = ids.iter().filter_map(|id| rule(id)).collect();
    let results: Vec<Value> = summary.worst().into_iter().map(|found| result(found, &ids)).collect();
    let notes: Vec<Value> = summary
        .problems
        .iter()
        .map(|problem| json!({"level": "warning", "message": {"text": problem.sentence()}}))
        .collect();
    let run = json!({
        "tool": {"driver": {
            "name": "countersign", "version": env!("CARGO_PKG_VERSION"),
            "informationUri": env!("CARGO_PKG_REPOSITORY"), "rules": rules,
        }},
        "columnKind": "utf16CodeUnits",
        "invocations": [{"executionSuccessful": true, "toolExecutionNotifications": notes}],
        "results": results,
    });
    let whole = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run],
    });
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

fn rule(id: &str) -> Option<Value> {
    let code = codes::find(id)?;
    Some(json!({
        "id": code.id,
        "shortDescription": {"text": code.title},
        "fullDescription": {"text": code.what},
        "help": {"text": code.mend, "markdown": format!("{}\n\n{}", code.what, code.mend)},
        "helpUri": format!("{}/blob/main/docs/rules/{}.md", env!("CARGO_PKG_REPOSITORY"), code.id),
        "defaultConfiguration": {"level": level(code.severity)},
    }))
}

fn result(found: &Found, ids: &[&str]) -> Value {
    let finding = &found.finding;
    json!({
        "ruleId": finding.code.id,
        "ruleIndex": ids.iter().position(|id| *id == finding.code.id),
        "level": level(finding.severity),
        "message": {"text": format!("{}. In the {}: {}", finding.evidence, found.kind, found.excerpt)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&found.file)},
            "region": {"startLine": found.line.max(1)},
        }}],
        "partialFingerprints": {"countersign/v1": found.fingerprint},
        "properties": {"tool": found.tool, "pointer": finding.pointer, "confidence": finding.confidence, "status": found.status},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// A path as a URI: what is no letter of one is written as a number.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => uri.push(char::from(byte)),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    if uri.starts_with('/') { format!("file://{uri}") } else { uri }
}
