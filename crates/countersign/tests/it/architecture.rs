//! ARCHITECTURE.md names the modules that there are, and no others.

use std::collections::BTreeSet;
use std::path::Path;

/// The words in backticks of a section, as far as they are module names.
fn named(page: &str, title: &str) -> BTreeSet<String> {
    let section = page.split(&format!("## {title}\n")).nth(1).expect(title).split("\n## ").next().unwrap();
    let words = section.split('`').skip(1).step_by(2);
    words.filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c == '_')).map(str::to_owned).collect()
}

/// The modules that a file declares.
fn declared(file: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.lines().filter_map(|line| line.split_once("mod ").filter(|(before, _)| is_visibility(before)));
    lines.filter_map(|(_, rest)| rest.strip_suffix(';')).map(str::to_owned).collect()
}

fn is_visibility(before: &str) -> bool {
    before.is_empty() || before.starts_with("pub") && before.ends_with(' ')
}

#[test]
fn the_page_names_every_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let crates = root.join("crates");
    for (title, file, small) in [
        ("The engine, top to bottom", crates.join("countersign/src/lib.rs"), &[][..]),
        ("The runtime, top to bottom", crates.join("countersign-runtime/src/lib.rs"), &[][..]),
        (
            "The gateway, top to bottom",
            crates.join("countersign-runtime/src/gateway/mod.rs"),
            &["top", "idle_timer"][..],
        ),
    ] {
        let (named, declared) = (named(&page, title), declared(&file));
        let missing: Vec<_> = declared.difference(&named).filter(|name| !small.contains(&name.as_str())).collect();
        assert!(missing.is_empty(), "{title}: {missing:?} are not on the page");
    }
    let mut all = BTreeSet::new();
    let mut folders = vec![crates];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            all.extend(path.file_stem().map(|name| name.to_string_lossy().into_owned()));
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            }
        }
    }
    for title in ["The engine, top to bottom", "The runtime, top to bottom", "The gateway, top to bottom"] {
        let gone: Vec<_> = named(&page, title).into_iter().filter(|name| !all.contains(name)).collect();
        assert!(gone.is_empty(), "{title}: {gone:?} do not exist");
    }
}
