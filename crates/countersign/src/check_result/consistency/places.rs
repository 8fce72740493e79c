//! Places and their other names, in English and Chinese.
//!
//! The list knows large cities only. It serves two ends: that one city under two names never counts as two, and that
//! a sentence about another city than the asked one shows.

use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::phrases::Phrases;
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::sync::LazyLock;

/// A sentence that speaks of another place than the one asked for.
pub fn check(subject: &Subject) -> Vec<Finding> {
    find_mismatch(subject).into_iter().collect()
}

fn find_mismatch(subject: &Subject) -> Option<Finding> {
    let Value::String(text) = &subject.result.content else { return None };
    let keys = ["city", "location", "place", "town", "destination"];
    let asked = keys.iter().find_map(|key| subject.arguments.get(*key)?.as_str())?;
    let own = group(&fold(asked))?;
    if subject.kind.carries() || text.chars().count() > 300 || fold(text).contains(&fold(asked)) {
        return None;
    }
    let named: Vec<usize> = PLACES.phrases.find(text).filter_map(|found| group(&fold(found.phrase))).collect();
    let other = !named.is_empty() && named.iter().all(|group| *group != own);
    other.then(|| {
        let evidence = localized!(
            subject.language,
            "asked about {asked}, the text is about another place",
            "问的是{asked}，文字说的是另一个地方"
        );
        Finding::new(&codes::OTHER_SUBJECT, "", evidence)
    })
}

/// The group of names that a folded name belongs to.
pub fn group(folded: &str) -> Option<usize> {
    let first = folded.split([',', '，', '(']).next().unwrap_or(folded).trim();
    let bare = first.strip_suffix('市').unwrap_or(first);
    PLACES.groups.get(folded).or_else(|| PLACES.groups.get(bare)).copied()
}

/// A name, folded, without outer blanks; its parts are divided by blanks.
pub fn fold(name: &str) -> String {
    let folded = crate::text::fold::fold(name.trim());
    folded.replace(['.', '\'', '"', '#'], "").replace(['-', '_'], " ")
}

struct Places {
    groups: FxHashMap<String, usize>,
    phrases: Phrases,
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&PLACES);
}

static PLACES: LazyLock<Places> = LazyLock::new(|| {
    let lines = || include_str!("../data/places.txt").lines().filter(|line| !line.starts_with('#'));
    let names = |line: &'static str| line.split(',').map(str::trim).filter(|name| !name.is_empty());
    let groups = lines().enumerate().flat_map(|(at, line)| names(line).map(move |name| (fold(name), at))).collect();
    // Short codes such as LA or SF are words of other meanings inside a sentence.
    let long = |name: &&str| !name.is_ascii() || name.len() > 3;
    Places { groups, phrases: Phrases::new(lines().flat_map(names).filter(long)) }
});
