//! The results touch the query: a word of it, or one of the same meaning, stands in them.
//!
//! Speaks only where the results are in the query's language and not a single word of it, no part of a word, no
//! initials and no known synonym occurs. A Chinese query is compared by character pairs, and by the characters of
//! its last word, which names the thing.

use crate::check_result::subject::{Subject, ToolKind};
use crate::contract::codes::result as codes;
use crate::contract::language::is_han;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::text::lists::word_list;
use crate::text::rows::rows;
use crate::text::stems::{kin, stem};
use crate::text::words::{terms, words};
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// The results against the query.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    find_mismatch(subject).into_iter().collect()
}

fn find_mismatch(subject: &Subject) -> Option<Finding> {
    if !matches!(subject.kind, ToolKind::Searches) {
        return None;
    }
    let query = QUERIES.iter().find_map(|key| subject.arguments.get(*key)?.as_str())?;
    let listed: Vec<&str> = subject.parts.texts.iter().filter(|t| t.listed > 0).map(|text| text.text).collect();
    let own = || subject.result.content.as_str().filter(|text| text.chars().count() > 40);
    let text = if listed.is_empty() { own()?.to_owned() } else { listed.join("\n") };
    let is_document = |text: &crate::check_result::fields::Text| DOCUMENTS.contains(&text.key);
    if !listed.is_empty() && !subject.parts.texts.iter().any(is_document) {
        return None;
    }
    let prose = text.split_whitespace().filter(|word| !word.contains("://")).collect::<Vec<_>>().join(" ");
    let least = match Language::of(query) {
        Language::Chinese => 4,
        Language::English => 8,
    };
    if Language::of(query) != Language::of(&prose) || prose.chars().count() < least {
        return None;
    }
    let touches = match Language::of(query) {
        Language::Chinese => touches_chinese(query, &text),
        Language::English => touches_english(query, &text),
    };
    (!touches).then(|| {
        let evidence = localized!(
            subject.language,
            "no word of “{query}” occurs in the results",
            "结果中没有出现“{query}”的任何词"
        );
        Finding::new(&codes::OFF_TOPIC, "", evidence)
    })
}

fn touches_english(query: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    let folded: Vec<String> = words(query).into_iter().map(|word| word.folded).take(MAX_QUERY).collect();
    let content: Vec<&String> = folded
        .iter()
        .filter(|word| !STOP.contains(&word.as_str()) && !word.chars().all(|c| c.is_ascii_digit()))
        .collect();
    // Two words at least: one alone may have any synonym. Words of another alphabet cannot be compared.
    if content.len() < 2 || folded.iter().any(|word| !word.is_ascii()) {
        return true;
    }
    let found = words(&text);
    let initials: String = found.iter().filter_map(|word| word.folded.chars().next()).collect();
    let own_initials: String = content.iter().filter_map(|word| word.chars().next()).collect();
    let all: FxHashSet<&str> = found.iter().map(|word| word.folded.as_str()).collect();
    content.iter().any(|word| {
        text.contains(&kin(word))
            || (word.len() <= 5 && word.len() >= 2 && initials.contains(word.as_str()))
            || synonyms(word).any(|other| text.contains(other))
    }) || all.contains(own_initials.as_str())
}

fn touches_chinese(query: &str, text: &str) -> bool {
    let lower = text.to_lowercase();
    let pairs: Vec<String> = terms(query)
        .into_iter()
        .take(MAX_QUERY)
        .filter(|term| !STOP_ZH.iter().any(|stop| term.contains(stop)))
        .collect();
    if pairs.len() < 2 || pairs.iter().any(|pair| lower.contains(pair.as_str())) {
        return true;
    }
    let content: Vec<char> = query.chars().filter(|c| is_han(*c) && !STOP_ZH.iter().any(|s| s.contains(*c))).collect();
    // The last two characters name the thing; one of them in a result is a touch.
    let head = content.iter().rev().take(2).any(|c| lower.contains(*c));
    let shared = content.iter().filter(|c| lower.contains(**c)).count();
    head || shared * 3 > content.len()
        || pairs.iter().flat_map(|pair| synonyms(pair)).any(|other| lower.contains(other))
}

/// The other words of the groups that a word is in.
fn synonyms(word: &str) -> impl Iterator<Item = &'static str> {
    let groups = SYNONYMS.iter().filter(move |group| group.iter().any(|other| stem(other) == stem(word)));
    groups.flatten().copied()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&SYNONYMS);
}

static SYNONYMS: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    rows(include_str!("../data/synonyms.txt"))
        .map(|line| line.split(',').map(str::trim).filter(|word| !word.is_empty()).collect())
        .collect()
});

const MAX_QUERY: usize = 40;
const QUERIES: &[&str] = &["query", "q", "keyword", "keywords", "search", "search_query", "term", "topic", "question"];
const DOCUMENTS: &[&str] = word_list!("check_result", "consistency/topic/documents");
const STOP: &[&str] = word_list!("check_result", "consistency/topic/stop");
const STOP_ZH: &[&str] = word_list!("check_result", "consistency/topic/stop-zh");
