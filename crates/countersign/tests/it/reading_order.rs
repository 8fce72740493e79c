//! The house is in reading order: a module uses only those that its parent declares above it.

use regex::Regex;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Calls that still look down, each with the reason. One that is mended must be taken off.
const KNOWN: &[(&str, &str)] = &[];

const CRATES: [(&str, &str); 3] =
    [("countersign", "lib.rs"), ("countersign-runtime", "lib.rs"), ("countersign-cli", "main.rs")];

#[test]
fn modules_use_only_what_stands_above_them() {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut wrong = Vec::new();
    for (name, file) in CRATES {
        let root = crates.join(name).join("src");
        visit(&root.join(file), &root, &[], &root, &mut wrong);
    }
    assert!(wrong.is_empty(), "out of order:\n{}", wrong.join("\n"));
}

// An `impl` may be in another file than its type. Whoever calls such a method uses the file that declares it.
#[test]
fn methods_are_called_only_from_below_their_impl() {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for (name, _) in CRATES {
        let root = crates.join(name).join("src");
        let files = sources(&root.join("lib.rs"), &root).into_iter().filter(|file| file.exists());
        let read = |file: PathBuf| (module_of(&file, &root), production(&fs::read_to_string(&file).unwrap()));
        found.extend(calls_from_above(&files.map(read).collect()));
    }
    let new: Vec<&String> = found.iter().filter(|call| !KNOWN.iter().any(|(known, _)| known == call)).collect();
    assert!(new.is_empty(), "a method is called by a module above the one that declares it:\n{new:#?}");
    for (known, reason) in KNOWN {
        assert!(found.iter().any(|call| call == known), "in order now, take it off the list: {known} ({reason})");
    }
}

#[test]
fn the_test_sees_a_method_that_is_called_from_above() {
    let file = |module: &str, text: &str| (module.split("::").map(str::to_owned).collect::<Vec<_>>(), text.to_owned());
    let tree = |first: &str, second: &str| {
        HashMap::from([
            (Vec::new(), "mod part;\n".to_owned()),
            file("part", &format!("mod kind;\nmod {first};\npub(in crate::part) mod {second};\n")),
            file("part::kind", "pub struct Kind<'a>(&'a str);\n"),
            file("part::caller", "fn f(kind: &Kind<'_>) {\n    kind.work();\n}\n"),
            file("part::worker", "impl Kind<'_> {\n    pub(super) fn work(&self) {\n    }\n}\n"),
        ])
    };
    assert_eq!(calls_from_above(&tree("caller", "worker")), ["part::caller calls Kind::work of part::worker"]);
    assert!(calls_from_above(&tree("worker", "caller")).is_empty());
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

#[test]
fn the_architecture_page_names_the_modules_in_order() {
    let crates = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(crates.join("../ARCHITECTURE.md")).unwrap();
    for (title, file) in [
        ("## The engine, top to bottom", "countersign/src/lib.rs"),
        ("## The runtime, top to bottom", "countersign-runtime/src/lib.rs"),
        ("## The gateway, top to bottom", "countersign-runtime/src/gateway/mod.rs"),
    ] {
        let section = page.split(title).nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap_or_default();
        let order = declared(&fs::read_to_string(crates.join(file)).unwrap());
        let named = introduced(section);
        assert_eq!(named, order, "{title}: ARCHITECTURE.md on the left, {file} on the right");
    }
}

/// The modules that a list of a page introduces, in order: "`one` — …; `two`, `three` — …".
fn introduced(section: &str) -> Vec<String> {
    let heads = Regex::new(r"((?:`\w+`(?:, | and )?)+) —").unwrap();
    let name = Regex::new(r"`(\w+)`").unwrap();
    let heads = heads.captures_iter(section).map(|head| head.get(1).unwrap().as_str());
    heads.flat_map(|head| name.captures_iter(head)).map(|name| name[1].to_owned()).collect()
}

/// The path of a file's module.
fn module_of(file: &Path, root: &Path) -> Vec<String> {
    let path = file.strip_prefix(root).unwrap().with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    parts.filter(|part| !matches!(part.as_str(), "mod" | "lib" | "main")).collect()
}

/// Calls of methods that a module further down declares for a type of another module. Only names that are given once in
/// the crate can be told from others without a compiler.
fn calls_from_above(files: &HashMap<Vec<String>, String>) -> Vec<String> {
    let (function, kind) =
        (Regex::new(r"\bfn (\w+)").unwrap(), Regex::new(r"(?m)^(?:pub\S* )?(?:struct|enum) (\w+)").unwrap());
    let implemented = Regex::new(r"(?ms)^impl(?:<[^\n]*?>)? (\w+)(?:<[^\n{]*>)? \{\n(.*?)^\}").unwrap();
    let method = Regex::new(r"(?m)^    (?:pub(?:\([^)]*\))? )?(?:const )?(?:async )?fn (\w+)").unwrap();
    let mut given: HashMap<&str, usize> = HashMap::new();
    files.values().flat_map(|text| function.captures_iter(text)).for_each(|named| {
        *given.entry(named.get(1).unwrap().as_str()).or_default() += 1;
    });
    let mut found = Vec::new();
    for (module, text) in files {
        let own: Vec<&str> = kind.captures_iter(text).map(|named| named.get(1).unwrap().as_str()).collect();
        for block in implemented.captures_iter(text).filter(|block| !own.contains(&&block[1])) {
            for name in method.captures_iter(&block[2]).filter(|name| given.get(&name[1]) == Some(&1)) {
                let call = Regex::new(&format!(r"\.{0}\(|\b{1}::{0}\b", &name[1], &block[1])).unwrap();
                let callers =
                    files.iter().filter(|(other, text)| is_above(other, module, files) && call.is_match(text));
                let told = |(caller, _): (&Vec<String>, &String)| {
                    format!("{} calls {}::{} of {}", caller.join("::"), &block[1], &name[1], module.join("::"))
                };
                found.extend(callers.map(told));
            }
        }
    }
    found.sort();
    found
}

/// Whether one module comes before the other, where their paths part.
fn is_above(one: &[String], other: &[String], files: &HashMap<Vec<String>, String>) -> bool {
    let shared = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (Some(first), Some(second)) = (one.get(shared), other.get(shared)) else { return false };
    let order = files.get(&one[..shared]).map(|text| declared(text)).unwrap_or_default();
    let place = |name: &String| order.iter().position(|module| module == name);
    place(first).zip(place(second)).is_some_and(|(first, second)| first < second)
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
