//! The house is in reading order: a module uses only those that its parent declares above it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn modules_use_only_what_stands_above_them() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    visit(&root.join("lib.rs"), &root, &[], &root, &mut wrong);
    assert!(wrong.is_empty(), "out of order:\n{}", wrong.join("\n"));
}

#[test]
fn the_test_sees_a_module_that_looks_down() {
    let order = ["a".to_owned(), "b".to_owned()];
    assert!(looks_down("use crate::b::X;", &[], "a", &order).is_some());
    assert!(looks_down("use crate::a::X;", &[], "b", &order).is_none());
    assert!(looks_down("let x = crate::inner::b::f();", &["inner".to_owned()], "a", &order).is_some());
}

/// Checks the children of one module file, then their own children.
fn visit(file: &Path, folder: &Path, path: &[String], root: &Path, wrong: &mut Vec<String>) {
    let text = fs::read_to_string(file).unwrap();
    let order = declared(&text);
    for name in &order {
        let (child, below) = match folder.join(format!("{name}.rs")) {
            single if single.exists() => (single, folder.join(name)),
            _ => (folder.join(name).join("mod.rs"), folder.join(name)),
        };
        for source in sources(&child, &below) {
            let body = production(&fs::read_to_string(&source).unwrap());
            let local = source.strip_prefix(root).unwrap().display().to_string();
            wrong.extend(
                looks_down(&body, path, name, &order).map(|used| format!("{local} uses {used}, which stands below")),
            );
            assert!(!body.contains("super::*"), "{local} imports super::*");
        }
        let deeper: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
        visit(&child, &below, &deeper, root, wrong);
    }
}

/// The modules that a file declares, in order.
fn declared(text: &str) -> Vec<String> {
    let line = |line: &str| {
        line.trim().strip_prefix("pub mod ").or(line.trim().strip_prefix("mod "))?.strip_suffix(';').map(str::to_owned)
    };
    production(text).lines().filter_map(line).collect()
}

/// A file and everything in the folder of the same module.
fn sources(file: &Path, folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![file.to_owned()];
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") && path != file {
                found.push(path);
            }
        }
    }
    found
}

/// The code without its tests and comments.
fn production(text: &str) -> String {
    let tests = ["#[cfg(test)]\nmod ", "#[cfg(test)]\npub(crate) mod "];
    let end = tests.iter().filter_map(|mark| text.find(mark)).min().unwrap_or(text.len());
    let code = &text[..end];
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The first sibling below `name` that the code names, by absolute path or by `super::`.
fn looks_down(body: &str, path: &[String], name: &str, order: &[String]) -> Option<String> {
    let place: HashMap<&str, usize> = order.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let own = place.get(name)?;
    let mut prefix = String::from("crate::");
    path.iter().for_each(|part| prefix.push_str(&format!("{part}::")));
    let below = order.iter().skip(own + 1);
    below.map(|sibling| format!("{prefix}{sibling}")).find(|used| {
        body.match_indices(used.as_str())
            .any(|(at, _)| !body[at + used.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}
