//! The word lists of the rooms are sound tables, and no list is kept that nobody reads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

// MEANING-1
#[test]
fn every_list_is_sound_and_used() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut code = String::new();
    read_code(&source, &mut code);
    let rooms = std::fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = rooms.map(|room| room.join("data/words.tsv")).filter(|file| file.exists()).collect();
    assert!(files.len() > 3);
    for file in files {
        let room = file.ancestors().nth(2).and_then(Path::file_name).unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let (header, rows) = text.split_once('\n').unwrap();
        assert_eq!(header, "list\twords", "{room}");
        let rows: Vec<(&str, &str)> = rows.lines().map(|line| line.split_once('\t').unwrap()).collect();
        assert!(rows.is_sorted_by(|one, next| one.0 < next.0), "{room}: lists are in order, each once");
        for (list, words) in rows {
            let unique: HashSet<&str> = words.split('|').collect();
            assert_eq!(unique.len(), words.split('|').count(), "{room} {list} has a word twice");
            assert!(unique.iter().all(|word| !word.is_empty() && word.trim() == *word), "{room} {list}");
            assert!(code.contains(&format!("word_list!(\"{room}\", \"{list}\")")), "nobody reads {room} {list}");
        }
    }
}

fn read_code(folder: &Path, code: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            read_code(&entry, code);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            code.push_str(&std::fs::read_to_string(&entry).unwrap());
        }
    }
}
