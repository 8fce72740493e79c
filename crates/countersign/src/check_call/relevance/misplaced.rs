//! Values that were said, but stand where they do not belong.
//!
//! A model that calls a tool which does not fit has nothing to put into some of its parameters, and puts there
//! what it has: the same words twice, or a sentence where an id belongs.

use super::super::role::Role;
use super::super::subject::{Node, Said, Subject};
use crate::contract::Finding;
use crate::contract::codes::provenance::MISPLACED;
use crate::localized;
use crate::text::lists::word_list;
use crate::text::words::identifier_words;

/// Looks for one text in two places, and for sentences in place of ids.
pub(crate) fn find(subject: &Subject<'_>, said: &mut Said) {
    let texts: Vec<(&Node<'_>, &str)> =
        subject.values.leaves().filter_map(|node| Some((node, telling(node)?))).collect();
    for (at, (node, text)) in texts.iter().take(MAX_TEXTS).enumerate() {
        let earlier =
            texts.iter().take(at).find(|(other, same)| same.eq_ignore_ascii_case(text) && other.key != node.key);
        if let Some((other, _)) = earlier.filter(|(other, _)| !may_agree(other.key, node.key)) {
            let (a, b) = (other.key, node.key);
            let evidence = localized!(
                subject.language,
                "`{a}` and `{b}` are both `{text}`: one of them has nothing of its own",
                "`{a}` 和 `{b}` 都是 `{text}`：其中一个没有自己的值"
            );
            said.findings.push(Finding::new(&MISPLACED, subject.values.pointer(node), evidence));
            return;
        }
        if is_sentence_for_id(node, text) {
            let key = node.key;
            let evidence = localized!(
                subject.language,
                "`{key}` should hold an id, and holds a sentence",
                "`{key}` 应为标识符，却是一句话"
            );
            said.findings.push(Finding::new(&MISPLACED, subject.values.pointer(node), evidence));
            return;
        }
    }
}

/// A text that says something of its own: not a setting, a date or a value that the schema offers.
fn telling<'a>(node: &Node<'a>) -> Option<&'a str> {
    let text = node.value.as_str()?.trim();
    let offered = node.param.is_some_and(|param| {
        !param.allowed.is_empty() || param.default.as_ref() == Some(node.value) || param.examples.contains(node.value)
    });
    let settled = SETTLED.iter().any(|word| word.eq_ignore_ascii_case(text));
    let lettered = text.chars().filter(|c| c.is_alphabetic()).count() >= 2;
    (text.len() >= 3 && text.len() <= 200 && lettered && !offered && !settled && !is_time(text)).then_some(text)
}

/// `2023-05-09T10:00:00Z`: start and end may be the same moment.
fn is_time(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().filter(|c| c.is_ascii_digit()).count() * 2 > text.len()
}

/// Whether two parameters may well hold the same: two addresses, a name and its label, a password and its repetition.
fn may_agree(a: &str, b: &str) -> bool {
    let (a, b) = (identifier_words(a), identifier_words(b));
    let last = |words: &[String]| words.iter().rev().find(|word| !word.bytes().all(|b| b.is_ascii_digit())).cloned();
    let (Some(a_last), Some(b_last)) = (last(&a), last(&b)) else { return true };
    let both = |list: &[&str]| list.contains(&a_last.as_str()) && list.contains(&b_last.as_str());
    let again = |words: &[String]| words.iter().any(|word| AGAIN.contains(&word.as_str()));
    (a_last == b_last && ALIKE.contains(&a_last.as_str())) || both(LABELS) || both(PLACES) || again(&a) || again(&b)
}

fn is_sentence_for_id(node: &Node<'_>, text: &str) -> bool {
    let roles = node.param.map(|param| param.roles);
    let id = roles.is_some_and(|roles| roles.has(Role::Secret) || (roles.has(Role::Id) && !roles.has(Role::FreeText)));
    id && text.split_whitespace().count() >= 5
}

const MAX_TEXTS: usize = 64;
const SETTLED: &[&str] = word_list!("check_call", "relevance/misplaced/settled");
const AGAIN: &[&str] = word_list!("check_call", "relevance/misplaced/again");
const ALIKE: &[&str] = word_list!("check_call", "relevance/misplaced/alike");
const LABELS: &[&str] = word_list!("check_call", "relevance/misplaced/labels");
const PLACES: &[&str] = word_list!("check_call", "relevance/misplaced/places");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_parameters_may_agree() {
        // CALL-8
        assert!(may_agree("billing_address", "shipping_address") && may_agree("password", "confirm_password"));
        assert!(may_agree("name", "title") && may_agree("city", "location"));
        assert!(!may_agree("name", "currency") && !may_agree("cityA", "show_date"));
        assert!(is_time("2023-05-09T10:00:00Z") && !is_time("4th Avenue"));
    }
}
