//! The house is in reading order: a module uses only those that its parent declares above it.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn modules_use_only_what_stands_above_them() {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    for (name, file) in [("countersign", "lib.rs"), ("countersign-runtime", "lib.rs"), ("countersign-cli", "main.rs")] {
        let root = crates.join(name).join("src");
        visit(&root.join(file), &root, &[], &root, &mut wrong);
    }
    assert!(wrong.is_empty(), "out of order:\n{}", wrong.join("\n"));
}

#[test]
fn the_test_sees_a_module_that_looks_down() {
    let order = ["a".to_owned(), "b".to_owned()];
    assert!(looks_down("use crate::b::X;", "crate::", "a", &order).is_some());
    assert!(looks_down("use crate::a::X;", "crate::", "b", &order).is_none());
    assert!(looks_down("let x = crate::inner::b::f();", "crate::inner::", "a", &order).is_some());
    assert!(looks_down("use super::b::X;", "super::", "a", &order).is_some());
    assert!(looks_down("use super::{c, b};", "super::", "a", &order).is_some());
    assert!(looks_down("use super::super::b::X;", "super::", "a", &order).is_none());
    assert!(looks_down("use super::super::b::X;", "super::super::", "a", &order).is_some());
    assert!(looks_down("use super::bb::X;", "super::", "a", &order).is_none());
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
        let absolute = path.iter().fold(String::from("crate::"), |prefix, part| format!("{prefix}{part}::"));
        for source in sources(&child, &below) {
            let body = production(&fs::read_to_string(&source).unwrap());
            let local = source.strip_prefix(root).unwrap().display().to_string();
            // How far inside the module the file lies: its own file reaches the siblings by one `super`.
            let deep = |rest: &Path| rest.components().count() - usize::from(rest.ends_with("mod.rs"));
            let inside = source.strip_prefix(&below).map_or(0, deep);
            for prefix in [&absolute, &"super::".repeat(inside + 1)] {
                let used = looks_down(&body, prefix, name, &order);
                wrong.extend(used.map(|used| format!("{local} uses {used}, which stands below")));
            }
            assert!(!body.contains("super::*"), "{local} imports super::*");
        }
        let deeper: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
        visit(&child, &below, &deeper, root, wrong);
    }
}

/// The modules that a file declares, in order.
fn declared(text: &str) -> Vec<String> {
    let line = |line: &str| {
        let line = line.trim();
        let public = line.strip_prefix("pub").map(|rest| match rest.strip_prefix('(') {
            Some(scope) => scope.split_once(')').map_or("", |(_, rest)| rest),
            None => rest,
        });
        public.unwrap_or(line).trim_start().strip_prefix("mod ")?.strip_suffix(';').map(str::to_owned)
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

/// The first sibling below `name` that the code names after a prefix, alone or in a list.
fn looks_down(body: &str, prefix: &str, name: &str, order: &[String]) -> Option<String> {
    let own = order.iter().position(|module| module == name)?;
    let mut named = Vec::new();
    for (at, _) in body.match_indices(prefix) {
        if body[..at].ends_with("::") {
            continue;
        }
        let rest = &body[at + prefix.len()..];
        let listed = rest.strip_prefix('{').map(|list| list.split('}').next().unwrap_or_default());
        named.extend(
            listed.unwrap_or(rest).split(',').take(if listed.is_some() { usize::MAX } else { 1 }).map(first_word),
        );
    }
    order.iter().skip(own + 1).find(|sibling| named.contains(&sibling.as_str())).map(|used| format!("{prefix}{used}"))
}

/// The module that a path begins with.
fn first_word(path: &str) -> &str {
    let path = path.trim_start();
    path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}
