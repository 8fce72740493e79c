//! `docs/seeds.md` lists every statement of the founding documents. What it names as shown must exist.

use crate::conformance::{folder, known_failures};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A row of the page: one statement, or several that are one.
struct Row {
    ids: Vec<String>,
    state: String,
    last: String,
}

const STATES: &[&str] = &["works", "differs", "left out"];
/// Somebody counted them; fewer means that some were lost.
const FEWEST: usize = 340;

#[test]
fn every_statement_has_a_state_and_what_shows_it_exists() {
    let rows = rows(&page());
    let known = known_failures();
    let tests = tests();
    let cases = cases();
    let mut wrong = Vec::new();
    for row in &rows {
        let id = row.ids.join(", ");
        if !STATES.contains(&row.state.as_str()) {
            wrong.push(format!("{id}: `{}` is no state", row.state));
        }
        let (shown, why) = parts(&row.last);
        if row.state != "works" && why.trim().is_empty() {
            wrong.push(format!("{id}: no reason is given"));
        }
        if shown.is_empty() && STATES.iter().take(2).any(|state| *state == row.state) {
            wrong.push(format!("{id}: nothing shows it"));
        }
        for name in shown {
            match name.split_once(": ") {
                None => wrong.push(format!("{id}: `{name}` is neither a case nor a test")),
                Some((file, case)) if file.ends_with(".jsonl") => {
                    if !cases.get(file).is_some_and(|cases| cases.contains(case)) {
                        wrong.push(format!("{id}: there is no case {case} in {file}"));
                    }
                    if known.contains_key(case) {
                        wrong.push(format!("{id}: {case} is known to fail"));
                    }
                }
                Some((file, test)) => {
                    if !tests.get(file).is_some_and(|texts| texts.iter().any(|text| has_test(file, text, test))) {
                        wrong.push(format!("{id}: there is no test {test} in a file {file}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "docs/seeds.md:\n{}", wrong.join("\n"));
}

#[test]
fn every_statement_is_listed_once() {
    let rows = rows(&page());
    let mut seen = BTreeSet::new();
    for id in rows.iter().flat_map(|row| &row.ids) {
        assert!(seen.insert(id.clone()), "{id} stands twice in docs/seeds.md");
    }
    assert!(seen.len() >= FEWEST, "only {} statements are listed", seen.len());
    for case in &cases()["seed-statements.jsonl"] {
        let id = case.trim_end_matches(|letter: char| letter.is_ascii_lowercase());
        assert!(seen.contains(id), "{case} shows a statement that docs/seeds.md does not list");
    }
}

#[test]
fn a_page_that_is_wrong_is_seen() {
    let text = "| 000-1-01, 000-1-02 | a \\| b | works | Why. `seed.jsonl: T1` |\n| id | x | y | z |\n";
    let rows = rows(text);
    assert_eq!((rows.len(), rows[0].ids.len(), rows[0].state.as_str()), (1, 2, "works"));
    assert_eq!(parts(&rows[0].last), (vec!["seed.jsonl: T1".to_owned()], "Why. ".to_owned()));
    assert!(has_test("a.rs", "#[test]\nfn it_holds() {", "it_holds"));
    assert!(!has_test("a.rs", "#[test]\nfn it_holds_not() {", "it_holds"));
    assert!(has_test("a.test.mjs", "test(\"a button\", async", "a button"));
    assert!(!has_test("a.rs", "// fn it_holds", "it_holds"));
}

fn root() -> PathBuf {
    folder().join("..")
}

fn page() -> String {
    fs::read_to_string(root().join("docs/seeds.md")).unwrap()
}

/// The rows of all tables: those whose first cell holds ids.
fn rows(text: &str) -> Vec<Row> {
    let id = Regex::new(r"^00[0-3]-[0-9.]+-[0-9]+$").unwrap();
    let cells = |line: &str| -> Vec<String> {
        let line = line.replace("\\|", "\u{1}");
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
    };
    let lines = text.lines().filter(|line| line.starts_with('|')).map(cells);
    let row = |cells: Vec<String>| {
        let [ids, _, state, last] = cells.try_into().ok()?;
        let ids: Vec<String> = ids.split(", ").map(str::to_owned).collect();
        ids.iter().all(|own| id.is_match(own)).then_some(Row { ids, state, last })
    };
    lines.filter_map(row).collect()
}

/// What a last cell names in backticks as `file: name`, and the words around it.
fn parts(cell: &str) -> (Vec<String>, String) {
    let named = Regex::new(r"`([^`]+\.(?:jsonl|rs|mjs|py): [^`]+)`").unwrap();
    let shown = named.captures_iter(cell).map(|found| found[1].to_owned()).collect();
    (shown, named.replace_all(cell, "").replace("; ", ""))
}

/// Whether a file has this test: a function by name, or words of the title where tests have titles.
fn has_test(file: &str, text: &str, test: &str) -> bool {
    match file.rsplit_once('.') {
        Some((_, "mjs")) => text.contains(test),
        Some((_, "py")) => text.lines().any(|line| line.trim_start().starts_with(&format!("def {test}("))),
        _ => {
            let function = format!("fn {test}(");
            text.lines().map(str::trim_start).any(|line| !line.starts_with("//") && line.contains(&function))
        }
    }
}

/// The ids of the cases of each file.
fn cases() -> BTreeMap<String, BTreeSet<String>> {
    let files = files(&folder().join("cases"));
    files.into_iter().map(|(name, text)| (name, text.lines().filter_map(id_of).collect())).collect()
}

fn id_of(line: &str) -> Option<String> {
    let case: serde_json::Value = serde_json::from_str(line).ok()?;
    Some(case["id"].as_str()?.to_owned())
}

/// The texts of the files that hold tests, by their names.
fn tests() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for place in ["crates", "console/tests", "tests"] {
        for (name, text) in files(&root().join(place)) {
            found.entry(name).or_default().push(text);
        }
    }
    found
}

/// The files of a folder and of those in it, by name, with their text.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "node_modules" && name != "target" {
                open.push(path);
            } else if [".rs", ".mjs", ".py", ".jsonl"].iter().any(|end| name.ends_with(end)) {
                found.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    found
}
