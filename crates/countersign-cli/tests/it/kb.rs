//! The knowledge base from the command line (CLAIM-3).

use crate::run::{Ran, command, run};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// A folder for one test, with a report in it.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let report = "# Report\n\n## Revenue\n\nRevenue grew by 12.5% in 2024.\n\n## 员工\n\n公司共有员工5,600人。\n";
    fs::write(folder.join("report.md"), report).unwrap();
    fs::write(folder.join("photo.jpg"), "x").unwrap();
    folder
}

fn kb(args: &[&str], folder: &std::path::Path, rest: &[&str]) -> Ran {
    let folder = folder.display().to_string();
    run(&[&["kb"], args, &[folder.as_str()], rest].concat())
}

// CLAIM-3
#[test]
fn a_folder_is_built_searched_and_described() {
    let folder = folder("kb-commands");
    let built = kb(&["build"], &folder, &[]);
    assert_eq!(built.code, 0, "{}", built.err);
    let report = built.lines().remove(0);
    assert_eq!((&report["files"], &report["passages"], &report["added"]), (&json!(1), &json!(2), &json!(1)));
    assert_eq!(report["skipped"], json!([{"file": "photo.jpg", "reason": "unknown kind of file"}]));
    let found = kb(&["search"], &folder, &["revenue", "12.5", "percent", "--limit", "1"]);
    let hit = found.lines().remove(0);
    assert_eq!((found.code, found.lines().len()), (0, 1), "{}", found.err);
    assert_eq!(
        (&hit["file"], &hit["line"], &hit["headings"]),
        (&json!("report.md"), &json!(5), &json!(["Report", "Revenue"]))
    );
    assert_eq!((&hit["text"], &hit["start"]), (&json!("Revenue grew by 12.5% in 2024."), &json!(22)));
    assert!(hit["score"].as_f64().unwrap() > 0.0 && hit["end"] == json!(52));
    let none = kb(&["search"], &folder, &["zebra"]);
    assert_eq!((none.code, none.out.as_str()), (1, ""));
    let stats = kb(&["stats"], &folder, &[]).lines().remove(0);
    assert_eq!((&stats["files"], &stats["passages"], &stats["kinds"]), (&json!(1), &json!(2), &json!({"md": 1})));
}

#[test]
fn a_search_sees_todays_files() {
    let folder = folder("kb-today");
    assert_eq!(kb(&["search"], &folder, &["penguin"]).code, 1);
    fs::write(folder.join("new.txt"), "A penguin.").unwrap();
    assert_eq!(kb(&["search"], &folder, &["penguins"]).lines()[0]["file"], "new.txt");
}

#[test]
fn people_see_the_place_and_the_words() {
    let folder = folder("kb-people");
    let built = kb(&["build"], &folder, &["--format", "human"]);
    assert!(built.out.contains("✔ 2 passages from 1 file (1 new)") && built.out.contains("photo.jpg"), "{}", built.out);
    let found = kb(&["search"], &folder, &["--format", "human", "公司员工", "12.5%"]);
    for part in ["report.md:5", "Report › Revenue", "«12.5%»", "Report › 员工", "«公司»共有«员工»5,600人"]
    {
        assert!(found.out.contains(part), "{part}: {}", found.out);
    }
    let coloured = kb(&["search"], &folder, &["--format", "human", "--color", "always", "revenue"]);
    assert!(coloured.out.contains("\x1b[33mRevenue\x1b[0m") && !coloured.out.contains('«'), "{}", coloured.out);
}

#[test]
fn wrong_use_exits_with_2_and_says_what_to_do() {
    let folder = folder("kb-wrong");
    let nothing = kb(&["stats"], &folder, &[]);
    assert!(nothing.code == 2 && nothing.err.contains("kb build"), "{}", nothing.err);
    for args in [
        vec!["kb"],
        vec!["kb", "build", "no-such-folder"],
        vec!["kb", "search", "docs"],
        vec!["kb", "build", "README.md"],
    ] {
        let ran = run(&args);
        assert!(ran.code == 2 && ran.out.is_empty() && !ran.err.is_empty(), "{args:?}: {}", ran.err);
    }
    kb(&["build"], &folder, &[]);
    let manifest = folder.join(".countersign-kb/manifest");
    fs::write(&manifest, "half").unwrap();
    let damaged = kb(&["stats"], &folder, &[]);
    assert!(damaged.code == 2 && damaged.err.contains("damaged"), "{}", damaged.err);
    assert!(kb(&["build"], &folder, &[]).lines()[0]["rebuilt"].is_string());
}

// CLAIM-3: a build that is killed leaves the old index, or one that the next build rebuilds.
#[test]
fn a_killed_build_leaves_nothing_half() {
    let folder = folder("kb-killed");
    assert_eq!(kb(&["build"], &folder, &[]).code, 0);
    let index = folder.join(".countersign-kb");
    for round in 0..8_u64 {
        for file in 0..20 {
            let words = "Words that take a while to index, 公司营收增长。 ".repeat(150);
            fs::write(folder.join(format!("{file}.md")), format!("Round {round} of file {file}. {words}")).unwrap();
        }
        let path = folder.display().to_string();
        let mut child = command(&["kb", "build", &path]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        if round % 2 == 0 {
            std::thread::sleep(Duration::from_millis(round * 60));
        } else {
            // The worst moment: while the index is being written.
            let draft = index.join("data-new");
            while !draft.exists() && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever is there can be opened: the old one, or the new one.
        let stats = kb(&["stats"], &folder, &[]);
        assert_eq!(stats.code, 0, "round {round}: {}", stats.err);
        if round % 3 == 2 {
            let found = kb(&["search"], &folder, &["round", &round.to_string(), "--limit", "1"]);
            assert!(found.out.contains(&format!("Round {round} of")), "round {round}: {} {}", found.out, found.err);
            let left = fs::read_dir(&index).unwrap().count();
            assert_eq!(left, 3, "a build leaves the lock, the manifest and one file of data");
        }
    }
}
