//! The pages under `docs/rules/` are what the binary writes: a code cannot change without its page.

use crate::run::{root, run};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn pages(folder: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files
        .map(|path| (path.file_name().unwrap().display().to_string(), std::fs::read_to_string(path).unwrap()))
        .collect()
}

#[test]
fn committed_pages_are_up_to_date() {
    let fresh = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("rules");
    let _ = std::fs::remove_dir_all(&fresh);
    assert_eq!(run(&["explain", "--write", &fresh.display().to_string()]).code, 0);
    let (committed, fresh) = (pages(&root().join("docs/rules")), pages(&fresh));
    let names = |pages: &BTreeMap<String, String>| pages.keys().cloned().collect::<Vec<_>>();
    let advice = "run `cargo run -p countersign-cli -- explain --write docs/rules`";
    assert_eq!(names(&committed), names(&fresh), "{advice}");
    for (name, page) in fresh {
        assert_eq!(committed[&name], page, "{name}: {advice}");
    }
}
