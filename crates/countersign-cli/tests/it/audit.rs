//! `countersign audit`: every format is read, what is wrong is found where it is written, and what cannot be checked is said.

use crate::run::{Ran, command, feed, root};
use serde_json::Value;
use std::fs;

fn audit(args: &[&str]) -> Ran {
    feed(&[&["audit"], args].concat(), b"")
}

fn json(args: &[&str]) -> Value {
    let ran = audit(&[args, &["--format", "json"]].concat());
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{} {}", ran.out, ran.err))
}

fn codes(whole: &Value) -> Vec<String> {
    let findings = whole["findings"].as_array().unwrap().iter();
    let mut codes: Vec<String> =
        findings.map(|found| format!("{}:{}", found["code"].as_str().unwrap(), found["line"])).collect();
    codes.sort();
    codes
}

// AUDIT-1: each format is told by its content, whatever its name.
#[test]
fn every_format_is_told_by_its_content() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format, calls) in [
        ("claude-code.jsonl", "claude-code", 4),
        ("codex.jsonl", "codex", 1),
        ("gemini-cli.jsonl", "gemini-cli", 1),
        ("requests-chat.jsonl", "requests", 3),
        ("requests-anthropic.jsonl", "requests", 1),
        ("requests-responses.jsonl", "requests", 1),
        ("contract.jsonl", "requests", 1),
        ("otlp.jsonl", "otlp", 1),
        ("otlp-openinference.json", "otlp", 1),
        ("otlp-vercel.jsonl", "otlp", 1),
        ("langfuse.jsonl", "langfuse", 1),
        ("langsmith.jsonl", "langsmith", 1),
        ("openai-agents.jsonl", "openai-agents", 1),
        ("inspect.json", "inspect", 1),
        ("tau2.json", "tau2", 1),
        ("countersign-verdicts.jsonl", "countersign", 1),
        ("countersign-session.jsonl", "countersign", 1),
    ] {
        let path = folder.path().join("trace");
        fs::copy(root().join("conformance/traces").join(name), &path).unwrap();
        let whole = json(&[path.to_str().unwrap()]);
        assert!(whole["summary"]["formats"][format].is_u64(), "{name}: {whole}");
        assert_eq!(whole["summary"]["counts"]["calls"], calls, "{name}: {whole}");
        assert_eq!(whole["summary"]["unreadable"]["count"], 0, "{name}: {whole}");
    }
}

// AUDIT-2: one wrong call is the same finding in every format that has the tool list.
#[test]
fn one_wrong_call_is_found_in_every_format() {
    for name in [
        "requests-anthropic.jsonl",
        "requests-responses.jsonl",
        "contract.jsonl",
        "otlp.jsonl",
        "otlp-openinference.json",
        "otlp-vercel.jsonl",
        "langfuse.jsonl",
        "langsmith.jsonl",
        "openai-agents.jsonl",
        "inspect.json",
        "countersign-verdicts.jsonl",
    ] {
        let whole = json(&[&format!("conformance/traces/{name}")]);
        let found = codes(&whole);
        assert!(found.iter().any(|code| code.starts_with("call.wrong-type:")), "{name}: {found:?} {whole}");
    }
}

// AUDIT-2: whole conversations; requests that repeat their history are one conversation; what was said and not done.
#[test]
fn what_is_wrong_is_found_where_it_is_written() {
    let whole = json(&["examples/audit/support.jsonl"]);
    assert_eq!(whole["summary"]["conversations"], 4, "{whole}");
    let found = codes(&whole);
    assert!(found.contains(&"call.misspelt-tool:3".to_owned()), "{found:?}");
    assert!(found.iter().any(|code| code.ends_with(":4")), "{found:?}");
    assert!(found.contains(&"answer.not-done:5".to_owned()), "{found:?}");
    assert!(
        !found.iter().any(|code| code.ends_with(":1") || code.ends_with(":2")),
        "right ones are left alone: {found:?}"
    );
    let session = codes(&json(&["examples/audit/session.jsonl"]));
    for code in ["call.not-in-enum:7", "answer.not-done:11"] {
        assert!(session.contains(&code.to_owned()), "{code}: {session:?}");
    }
    assert!(session.iter().any(|code| code.starts_with("danger.") && code.ends_with(":9")), "{session:?}");
    assert!(!session.iter().any(|code| [":3", ":5"].iter().any(|line| code.ends_with(line))), "{session:?}");
}

// AUDIT-2: ordinary conversations have no findings.
#[test]
fn ordinary_conversations_are_left_alone() {
    for name in ["tau2.json", "gemini-cli.jsonl", "countersign-session.jsonl"] {
        let ran = audit(&[&format!("conformance/traces/{name}"), "--fail-on", "warning"]);
        assert_eq!((ran.code, ran.out.contains("nothing wrong was found")), (0, true), "{name}: {}", ran.out);
    }
}

// AUDIT-2: a trace without a tool list says what could not be checked.
#[test]
fn what_cannot_be_checked_is_said() {
    let ran = audit(&["conformance/traces/tau2.json"]);
    assert!(
        ran.out.contains(
            "not checked: tool names and arguments against their schemas, because the trace has no tool list (1)"
        ),
        "{}",
        ran.out
    );
}

// AUDIT-1: broken lines are said and skipped; a file that is no trace is wrong use.
#[test]
fn broken_input_is_said_and_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut.jsonl");
    let text = fs::read_to_string(root().join("examples/audit/support.jsonl")).unwrap();
    let cut = format!("{text}not json\n{}", text.chars().take(200).collect::<String>());
    fs::write(&path, cut).unwrap();
    let whole = json(&[path.to_str().unwrap()]);
    assert_eq!(whole["summary"]["unreadable"]["count"], 2, "{whole}");
    assert_eq!(whole["summary"]["unreadable"]["first"][0]["line"], 6, "{whole}");
    assert_eq!(whole["summary"]["conversations"], 4);
    fs::write(&path, "hello\n").unwrap();
    assert_eq!(audit(&[path.to_str().unwrap()]).code, 2);
    assert_eq!(audit(&["no/such/file"]).code, 2);
    assert_eq!(audit(&["examples/audit", "--fail-on", "nonsense"]).code, 2);
}

// AUDIT-1: any cut of any trace is read without a panic.
#[test]
fn any_cut_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let mut at = 0;
    for entry in fs::read_dir(root().join("conformance/traces")).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        for part in 1..6 {
            at += 1;
            fs::write(folder.path().join(format!("{at}.json")), &bytes[..bytes.len() * part / 6]).unwrap();
        }
    }
    let ran = audit(&[folder.path().to_str().unwrap(), "--format", "jsonl"]);
    assert!(ran.code < 2, "{}", ran.err);
    assert!(!ran.err.contains("internal error"), "{}", ran.err);
}

// AUDIT-3: the exit code follows --fail-on, and a baseline leaves only what is new.
#[test]
fn fail_on_and_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let known = folder.path().join("known.json");
    let known = known.to_str().unwrap();
    let log = "examples/audit/support.jsonl";
    assert_eq!(audit(&[log]).code, 1);
    assert_eq!(audit(&[log, "--fail-on", "never"]).code, 0);
    assert_eq!(audit(&[log, "--fail-on", "danger.secret"]).code, 0);
    assert_eq!(audit(&[log, "--fail-on", "answer.not-done"]).code, 1);
    assert_eq!(audit(&[log, "--write-baseline", known, "--fail-on", "never"]).code, 0);
    let again = audit(&[log, "--baseline", known]);
    assert_eq!((again.code, again.out.contains("nothing wrong was found")), (0, true), "{}", again.out);
    assert_eq!(audit(&["examples/audit", "--baseline", known]).code, 1, "what is new is told");
}

// AUDIT-3: SARIF has the required structure, and each result points at a file and a line.
#[test]
fn sarif_is_valid_and_points_at_lines() {
    let ran = audit(&["examples/audit", "--format", "sarif"]);
    let whole: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(whole["version"], "2.1.0");
    let run = &whole["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert_eq!(run["tool"]["driver"]["name"], "countersign");
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 4);
    for result in results {
        let at = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[at]["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["artifactLocation"]["uri"].as_str().unwrap().starts_with("examples/audit/"));
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
        assert_eq!(result["partialFingerprints"]["countersign/v1"].as_str().unwrap().len(), 24);
    }
}

// AUDIT-3: JUnit, annotations, lines and the page; what a trace says is escaped.
#[test]
fn every_format_of_the_report_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hostile.jsonl");
    let line = r#"{"tools":[],"messages":[{"role":"user","content":"<script>alert(1)</script> & ]]>"}],"call":{"name":"<b>x\"y</b>\n::error::","arguments":{}}}"#;
    fs::write(&path, line).unwrap();
    let path = path.to_str().unwrap();
    let junit = audit(&[path, "--format", "junit"]).out;
    assert!(junit.contains("<failure type=\"call.unknown-tool\"") && junit.contains("&lt;b&gt;x&quot;y"), "{junit}");
    assert!(junit.ends_with("</testsuites>\n") && junit.matches("<testsuite ").count() == 1);
    let page = audit(&[path, "--format", "html"]).out;
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script") && page.contains("<svg"), "{page}");
    assert!(!page.contains("http:") && !page.contains("https:"), "nothing from elsewhere");
    let github = audit(&[path, "--format", "github"]).out;
    assert!(github.lines().count() == 2 && github.starts_with("::error file="), "{github}");
    let lines = audit(&[path, "--format", "jsonl"]).lines();
    assert_eq!((lines.len(), lines[0]["items"][0]["line"].as_u64()), (2, Some(1)));
}

// AUDIT-4: what another policy would have done, by call and by finding.
#[test]
fn another_policy_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("p.toml");
    fs::write(
        &policy,
        "[[rules]]\nname = \"no-looks\"\ntools = [\"find_parcel\"]\neffect = \"deny\"\nreason = \"look elsewhere\"\n",
    )
    .unwrap();
    let whole = json(&["examples/audit/support.jsonl", "--policy", policy.to_str().unwrap()]);
    let difference = &whole["summary"]["difference"];
    assert_eq!(difference["calls"]["call: approved → rejected"], 1, "{whole}");
    assert_eq!(difference["examples"][0]["line"], 1);
    assert!(json(&["examples/audit/support.jsonl"])["summary"]["difference"].is_null());
}

// AUDIT-1: a sample is the same each time; the sessions on this machine are read only when somebody agrees.
#[test]
fn sample_and_sessions_of_this_machine() {
    let whole = json(&["conformance/traces", "--sample", "3"]);
    assert_eq!(whole["summary"]["conversations"], 3);
    assert_eq!(codes(&whole), codes(&json(&["conformance/traces", "--sample", "3"])));
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join(".claude/projects/shop");
    fs::create_dir_all(&project).unwrap();
    fs::copy(root().join("examples/audit/session.jsonl"), project.join("s.jsonl")).unwrap();
    let run = |args: &[&str]| {
        let mut command = command(&[&["audit"], args].concat());
        command.env("HOME", home.path()).env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
        command.stdin(std::process::Stdio::null()).output().unwrap()
    };
    assert_eq!(run(&[]).status.code(), Some(2), "nobody to ask");
    let told = run(&["--yes"]);
    assert_eq!(told.status.code(), Some(1), "{}", String::from_utf8_lossy(&told.stderr));
    assert!(String::from_utf8_lossy(&told.stdout).contains("1 claude-code"));
}

// AUDIT-3: the commands of the action and of the pre-commit hook are ones that this program takes.
#[test]
fn the_action_and_the_hook_run_commands_that_exist() {
    let action = fs::read_to_string(root().join("integrations/github-action/action.yml")).unwrap();
    assert!(
        action.contains("countersign audit") && action.contains("--format sarif") && action.contains("--format github")
    );
    let folder = tempfile::tempdir().unwrap();
    let sarif = folder.path().join("audit.sarif");
    let ran =
        audit(&["examples/audit", "--format", "sarif", "--output", sarif.to_str().unwrap(), "--fail-on", "never"]);
    assert!(ran.code == 0 && sarif.exists(), "{}", ran.err);
    assert_eq!(audit(&["examples/audit", "--format", "github", "--fail-on", "error"]).code, 1);
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let entry = hooks.lines().find_map(|line| line.trim().strip_prefix("entry: ")).unwrap();
    let words: Vec<&str> = entry.split(' ').skip(1).collect();
    assert_eq!(feed(&[&words[..], &["conformance/traces/tau2.json"]].concat(), b"").code, 0);
    assert_eq!(feed(&[&words[..], &["examples/audit/support.jsonl"]].concat(), b"").code, 1);
}
