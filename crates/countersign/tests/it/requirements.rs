//! `docs/requirements.md` lists each requirement with the tests that show it. It is written from the tests.
//!
//! `UPDATE_DOCS=1 cargo test -p countersign --test it requirements` writes it again; without that, drift fails.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_requirement_is_listed_with_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut shown: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for folder in ["crates", "conformance", "tests/blackbox", "tests/clients", "console/tests"] {
        for file in files(&root.join(folder)) {
            let text = fs::read_to_string(&file).unwrap();
            let name = file.strip_prefix(&root).unwrap().display().to_string();
            for id in ids(&name, &text) {
                shown.entry(id).or_default().insert(name.clone());
            }
        }
    }
    for id in REQUIRED {
        assert!(shown.contains_key(*id), "{id} is shown by no test");
    }
    let page = page(&shown);
    let path = root.join("docs/requirements.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, page).unwrap();
    } else {
        let written = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == page,
            "docs/requirements.md is out of date: UPDATE_DOCS=1 cargo test -p countersign --test it requirements"
        );
    }
}

/// The ids that a file's tests name: comments in tests (`@check` of the black-box checks), the `requirement` field in data.
fn ids(name: &str, text: &str) -> BTreeSet<String> {
    let marks: &[&str] = if name.ends_with(".py") { &["#", "@check("] } else { &["//"] };
    let comment = |line: &&str| marks.iter().any(|mark| line.trim_start().starts_with(mark));
    let lines: Vec<&str> = match name {
        name if name.ends_with(".jsonl") => text.lines().collect(),
        name if name.starts_with("tests/") || name.contains("/tests/") => text.lines().filter(comment).collect(),
        _ => {
            let from = text.find("#[cfg(test)]").unwrap_or(text.len());
            text[from..].lines().filter(comment).collect()
        }
    };
    let mut found = BTreeSet::new();
    for line in lines {
        let line = if name.ends_with(".jsonl") {
            line.split("\"requirement\"").nth(1).unwrap_or_default().split(['}', ']']).next().unwrap_or_default()
        } else {
            line
        };
        for word in line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
            let (family, number) = word.split_once('-').unwrap_or_default();
            let known = FAMILIES.contains(&family);
            if known && !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) {
                found.insert(word.to_owned());
            }
        }
    }
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let named = |names: &[&str]| path.file_name().is_some_and(|own| names.iter().any(|name| own == *name));
            let known = path.extension().is_some_and(|own| EXTENSIONS.iter().any(|known| own == *known));
            if path.is_dir() && !named(SKIPPED) {
                open.push(path);
            } else if known && !path.ends_with("requirements.rs") {
                found.push(path);
            }
        }
    }
    found
}

fn page(shown: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut page = String::from(
        "# Requirements and the tests that show them\n\nWritten from the tests by `UPDATE_DOCS=1 cargo test -p countersign --test it requirements`; drift fails the build.\n\n| requirement | what | shown by |\n|---|---|---|\n",
    );
    let number = |id: &str| id.split_once('-').and_then(|(_, n)| n.parse::<u32>().ok()).unwrap_or(0);
    let mut ids: Vec<&String> = shown.keys().collect();
    ids.sort_by_key(|id| (id.split('-').next().unwrap_or_default().to_owned(), number(id)));
    for id in ids {
        let what = TITLES.iter().find(|(known, _)| known == id).map_or("", |(_, title)| title);
        let tests: Vec<String> =
            shown[id].iter().map(|file| format!("[{}](../{file})", file.rsplit('/').next().unwrap_or(file))).collect();
        page.push_str(&format!("| {id} | {what} | {} |\n", tests.join(", ")));
    }
    page
}

const FAMILIES: &[&str] = &[
    "CALL", "RESULT", "SCORE", "PARSE", "CLAIM", "REVIEW", "STREAM", "SERVE", "MEANING", "TRUST", "RESOLVE", "MCP",
    "AUDIT", "HOOK", "LANG",
];

/// What tests are written in.
const EXTENSIONS: &[&str] = &["rs", "jsonl", "py", "mjs"];

/// What is made or installed, not written.
const SKIPPED: &[&str] = &["target", "snapshots", "node_modules", ".venv", "__pycache__"];

const REQUIRED: &[&str] = &[
    "CALL-1",
    "CALL-2",
    "CALL-3",
    "CALL-4",
    "CALL-5",
    "CALL-6",
    "CALL-7",
    "CALL-8",
    "CALL-9",
    "CALL-10",
    "CALL-11",
    "RESULT-1",
    "RESULT-2",
    "RESULT-3",
    "RESULT-4",
    "RESULT-5",
    "RESULT-6",
    "RESULT-7",
    "SCORE-1",
    "SCORE-2",
    "SCORE-3",
    "SCORE-4",
    "SCORE-5",
    "SCORE-6",
    "SCORE-7",
    "PARSE-1",
    "PARSE-2",
    "PARSE-3",
    "PARSE-4",
    "PARSE-5",
    "PARSE-6",
    "CLAIM-1",
    "CLAIM-2",
    "CLAIM-3",
    "CLAIM-4",
    "CLAIM-5",
    "REVIEW-1",
    "REVIEW-2",
    "STREAM-1",
    "STREAM-2",
    "STREAM-3",
    "STREAM-4",
    "STREAM-5",
    "STREAM-8",
    "HOOK-1",
    "HOOK-2",
    "HOOK-3",
    "HOOK-4",
    "HOOK-5",
    "AUDIT-1",
    "AUDIT-2",
    "AUDIT-3",
    "AUDIT-4",
    "SERVE-1",
    "SERVE-2",
    "SERVE-3",
    "SERVE-4",
    "SERVE-5",
    "SERVE-6",
    "SERVE-7",
    "TRUST-1",
    "TRUST-2",
    "TRUST-3",
    "TRUST-4",
    "TRUST-5",
    "TRUST-6",
    "RESOLVE-1",
    "RESOLVE-2",
    "RESOLVE-3",
    "RESOLVE-4",
    "MCP-1",
    "MCP-2",
    "MCP-3",
    "MCP-4",
    "MCP-5",
    "LANG-1",
    "LANG-2",
    "LANG-3",
    "LANG-4",
];

const TITLES: &[(&str, &str)] = &[
    ("CALL-1", "The name: registered, clearly meant, or invented"),
    ("CALL-2", "Full JSON Schema, closed, all findings at once"),
    ("CALL-3", "Certain repairs as JSON Patch, the others proposed"),
    ("CALL-4", "What values mean: formats, bounds, order, prose"),
    ("CALL-5", "Who asks and may they; repeats and loops"),
    ("CALL-6", "Danger: paths, injection, private addresses, secrets"),
    ("CALL-7", "Facts from the outside world"),
    ("CALL-8", "Where values come from"),
    ("CALL-9", "Levels and modes"),
    ("CALL-10", "Self-correction, bounded"),
    ("CALL-11", "Batches and histories"),
    ("PARSE-1", "Tags, as models write them"),
    ("PARSE-2", "JSON, as models write it, aligned to its schema"),
    ("PARSE-3", "Native streams and the formats of open models"),
    ("PARSE-4", "Streaming: any split, linear time, bounded memory"),
    ("PARSE-5", "Nothing lost; what is cut never runs"),
    ("PARSE-6", "Messages that say nothing"),
    ("CLAIM-1", "Claims found, typed, with one value"),
    ("CLAIM-2", "The mark follows the value"),
    ("CLAIM-3", "The FactCheck node and its knowledge base"),
    ("CLAIM-4", "Events: message and claims_updated"),
    ("CLAIM-5", "On the screen: the badge, and each claim where it stands"),
    ("REVIEW-1", "A durable queue; an approval holds for one call, once"),
    ("REVIEW-2", "Whoever waits goes on with the decision, also after a restart"),
    ("STREAM-1", "The event, with dense ids"),
    ("STREAM-2", "Every turn ends once, every stream with [DONE]"),
    ("STREAM-3", "Resume: what was missed, in order, once, for every reader"),
    ("STREAM-4", "Stop one, many or all, and it holds"),
    ("STREAM-5", "References of others are taken out"),
    ("STREAM-8", "Files"),
    ("HOOK-1", "Eight coding agents, told by their payloads"),
    ("HOOK-2", "Each agent's own answers, never an accidental approval"),
    ("HOOK-3", "Install, uninstall, status, doctor, report; observe"),
    ("HOOK-4", "Said and not done, from a ledger"),
    ("HOOK-5", "A hook costs milliseconds in a long session"),
    ("AUDIT-1", "Recorded traces of many programs, told by content"),
    ("AUDIT-2", "Findings over whole conversations; what could not be checked is said"),
    ("AUDIT-3", "Reports for people and programs, with file and line; baseline; fail-on"),
    ("AUDIT-4", "What another policy would have done on past traffic"),
    ("SERVE-1", "Keys fail closed; limits"),
    ("SERVE-2", "Alerts"),
    ("SERVE-3", "Health per layer"),
    ("SERVE-4", "One form of errors, logs, metrics, traces"),
    ("SERVE-5", "One contract for every store"),
    ("SERVE-6", "Drop-in: change the base URL; what is not touched passes byte for byte"),
    ("SERVE-7", "First run: one command, no network"),
    ("RESOLVE-1", "One machine from a model's output to released calls, results and answers"),
    ("RESOLVE-2", "Only a cleared call is released or run"),
    ("RESOLVE-3", "Answers and results are examined on every face"),
    ("RESOLVE-4", "Each call by itself; what cannot be read fails closed"),
    ("RESULT-1", "Results paired with their calls, and sealed"),
    ("RESULT-2", "The format of a result"),
    ("RESULT-3", "The logic of a result"),
    ("RESULT-4", "The result answers the call"),
    ("RESULT-5", "Anomalies"),
    ("RESULT-6", "The report"),
    ("RESULT-7", "Said and done"),
    ("SCORE-1", "Six signals"),
    ("SCORE-2", "Absent is not one half"),
    ("SCORE-3", "Grounding and samples"),
    ("SCORE-4", "Calibration"),
    ("SCORE-5", "The decision"),
    ("SCORE-6", "Every decision explained"),
    ("SCORE-7", "One verdict, everywhere"),
    ("MEANING-1", "Every weighty expression is read once into a mention"),
    ("MEANING-2", "Values are traced to mentions of their own kind, both ways"),
    ("MEANING-3", "What is done is what was asked, at the time it was asked"),
    ("MEANING-4", "What a tool does decides what a finding costs"),
    ("MEANING-5", "Repairs keep the meaning"),
    ("MEANING-6", "What an answer says was done is what results say"),
    ("TRUST-1", "Every value has its source: operator, user, assistant, or a field or text of a result"),
    ("TRUST-2", "Targets come from the user, the operator or a place that the request points to"),
    ("TRUST-3", "Instructions in results are told from text about the world, and nobody follows them"),
    ("TRUST-4", "After a marked result, what nobody asked for needs a person"),
    ("TRUST-5", "Private content does not leave to a target that the user did not name"),
    ("TRUST-6", "Tool definitions are pinned; changed, poisoned and shadowing tools are held"),
    ("RESOLVE-2", "Only what was cleared is released"),
    ("RESOLVE-4", "Each call is judged by itself; what cannot be read fails closed"),
    ("STREAM-6", "Tools in parallel, each apart from the others"),
    ("STREAM-7", "Agents"),
    ("MCP-1", "A guard in front of any MCP server, one line in a client's configuration"),
    ("MCP-2", "Both eras, everything else carried"),
    ("MCP-3", "Calls and results through the whole line"),
    ("MCP-4", "A person: in the client, in the queue, or a refusal with an id"),
    ("MCP-5", "Pins on the command line"),
    ("LANG-1", "The Python package, with the program"),
    ("LANG-2", "The npm package, from the same core"),
    ("LANG-3", "Framework adapters, one verdict in all"),
    ("LANG-4", "OpenAPI with real schemas, and a client made from it"),
];
