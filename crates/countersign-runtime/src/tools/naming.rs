//! Names for tools of others: what a model provider takes, and no two alike.

use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fmt::Write;

/// The names of one source.
#[derive(Default)]
pub(super) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// A name of ASCII letters, digits, `_` and `-`, at most 64 of them. Where two come to the same, or one is too long, a
    /// piece of its digest tells them apart; the same names in the same order always come to the same.
    pub(super) fn give(&mut self, prefix: &str, name: &str) -> String {
        let whole = format!("{prefix}{name}");
        let plain: String = whole.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        let mut given =
            if plain.len() <= LONGEST && !plain.is_empty() { plain.clone() } else { add_mark(&plain, &whole) };
        let mut salt = 0_u32;
        while !self.taken.insert(given.clone()) {
            given = add_mark(&plain, &format!("{whole}\n{salt}"));
            salt += 1;
        }
        given
    }
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// The beginning of a name, with a piece of a digest.
fn add_mark(plain: &str, whole: &str) -> String {
    let mut name: String = plain.chars().take(LONGEST - MARK - 1).collect();
    name.push('_');
    for byte in Sha256::digest(whole.as_bytes()).iter().take(MARK / 2) {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// What providers take.
const LONGEST: usize = 64;
/// So many characters of a digest.
const MARK: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_providers_take() {
        let mut names = Names::default();
        assert_eq!(names.give("fs__", "read_file"), "fs__read_file");
        assert_eq!(names.give("fs__", "read.file"), "fs__read_file_".to_owned() + &hash_of("fs__read.file\n0"));
        assert_eq!(names.give("", "读"), "_");
        let long = names.give("fs__", &"x".repeat(200));
        let other = names.give("fs__", &"x".repeat(201));
        assert!(long.len() <= LONGEST && other.len() <= LONGEST && long != other, "{long} {other}");
        assert!(!names.give("", "").is_empty());
        for _ in 0..50 {
            assert!(names.give("a", "b").chars().all(is_plain));
        }
    }

    fn hash_of(text: &str) -> String {
        add_mark("", text).trim_start_matches('_').to_owned()
    }
}
