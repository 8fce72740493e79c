//! The first request after a start is as fast as the second: tables are built before the server is ready.

use crate::serve_world::{Server, folder};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Requests whose tables are many.
fn requests() -> Vec<(&'static str, Value)> {
    vec![
        (
            "/v1/check",
            json!({"call": {"name": "get_weather", "arguments": {"city": "Oslo", "days": 3}},
                "messages": [{"role": "user", "content": "What is the weather in Oslo for 3 days?"}]}),
        ),
        (
            "/v1/verify",
            json!({"call": {"name": "get_weather", "arguments": {"city": "Oslo"}}, "result": {"content": "18 degrees and dry"}}),
        ),
        ("/v1/claims", json!({"text": "The market grew by 25% to $3.5 billion in 2024, according to the Institute."})),
    ]
}

// SERVE-7: medians over several starts; without the tables the first takes ten times as long and more.
#[test]
fn the_first_request_is_as_fast_as_the_second() {
    for (path, body) in requests() {
        let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let server = Server::start(&folder("first-request"), &[], &[("COUNTERSIGN_TABLES", "start")]);
            let timed = || {
                let begun = Instant::now();
                let answer = server.post(path, &body.to_string());
                assert_eq!(answer.status, 200, "{path}: {}", answer.body);
                begun.elapsed()
            };
            firsts.push(timed());
            seconds.push(timed());
        }
        let (first, second) = (median(firsts), median(seconds));
        assert!(first < second * 3 + SLACK, "{path}: first {first:?}, second {second:?}");
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

// SERVE-7: a table that no start would build is found in the sources.
#[test]
fn every_table_is_built_at_the_start() {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    for name in ["countersign", "countersign-runtime", "countersign-cli"] {
        look(&crates.join(name).join("src"), &mut wrong);
    }
    assert!(
        wrong.is_empty(),
        "not built at the start; see `build_tables` in the neighbouring files:\n{}",
        wrong.join("\n")
    );
}

/// Looks for tables that their file does not build, and for files whose tables their folder does not build.
fn look(folder: &Path, wrong: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            look(&path, wrong);
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let code = text.split("\n#[cfg(test)]\n").next().unwrap();
        let tables = code.lines().filter_map(|line| line.trim().split_once("static ")?.1.split_once(": LazyLock<"));
        for (table, _) in tables {
            if !code.contains(&format!("LazyLock::force(&{table});")) {
                wrong.push(format!("{}: {table}", path.display()));
            }
        }
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_root = path.parent().unwrap().ends_with("src");
        if code.contains("fn build_tables()") && name != "mod" && !is_root {
            calls(&path.with_file_name("mod.rs"), name, wrong);
        }
        if code.contains("fn build_tables()") && name == "mod" {
            let module = folder.file_name().unwrap().to_str().unwrap();
            calls(&parent(folder), module, wrong);
        }
    }
}

/// The file that declares a folder's module: its parent's, or the list of all tables.
fn parent(folder: &Path) -> PathBuf {
    let above = folder.parent().unwrap();
    let listed = above.join("tables.rs");
    if listed.exists() { listed } else { above.join("mod.rs") }
}

fn calls(file: &Path, module: &str, wrong: &mut Vec<String>) {
    let listed = file.with_file_name("tables.rs");
    let text = |file: &Path| std::fs::read_to_string(file).unwrap_or_default();
    if !(text(file) + &text(&listed)).contains(&format!("{module}::build_tables();")) {
        wrong.push(format!("{}: {module}::build_tables", file.display()));
    }
}

const STARTS: usize = 5;
/// What a busy machine may add to any request.
const SLACK: Duration = Duration::from_millis(25);
