//! A yes or no of a result that an answer turns round: "contains no nuts" where `contains_nuts` is true, 仍然有效 where 有效 is
//! false. (MEANING-6)
//!
//! The answer must say the very words of the field, and nothing in its clause may put a condition on them.

use super::fields::{Object, Parts};
use super::telling::clauses;
use super::trace::Done;
use super::voice::unquoted;
use crate::contract::codes::score::CONFLICT;
use crate::contract::language::is_han;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::text::words::words;
use serde_json::Value;

/// A flag of the one record that was looked up, and the clause that denies it.
pub(crate) fn find(response: &str, call: &Done<'_>, language: Language) -> Option<Finding> {
    let parts = Parts::of(call.content, None);
    let object = parts.objects.first().filter(|object| object.depth == 0 && object.listed == 0)?;
    let plain = unquoted(response);
    let (clause, key, value) = turned(&plain, object)?;
    let shown: String = clause.trim().chars().take(80).collect();
    let evidence = localized!(
        language,
        "the answer says “{shown}”, and the result `{key}`: {value}",
        "回答说“{shown}”，而结果的 `{key}` 是 {value}"
    );
    Some(Finding::new(&CONFLICT, "", evidence))
}

fn turned<'a>(response: &'a str, object: &Object<'a>) -> Option<(&'a str, &'a str, bool)> {
    object.entries.iter().take(MAX_FLAGS).find_map(|entry| {
        let Value::Bool(flag) = entry.value else { return None };
        let says = |clause: &&str| {
            let open = || words(clause).iter().any(|word| OPEN.contains(&word.folded.as_str()));
            let said = if entry.key.chars().all(is_han) {
                said_in_chinese(clause, entry.key)
            } else {
                said(clause, &entry.words)
            };
            said == Some(!flag) && !open()
        };
        // A clause that says it rightly besides makes the other one a matter of something else.
        let right = |clause: &str| said(clause, &entry.words) == Some(*flag);
        let clause = clauses(response).take(MAX_CLAUSES).filter(|clause| !clause.contains(['?', '？'])).find(says)?;
        (!clauses(response).take(MAX_CLAUSES).any(right)).then_some((clause, entry.key, *flag))
    })
}

/// What a clause says of a field that is a verb with its object: "contains nuts" yes, "does not contain nuts" no.
fn said(clause: &str, field: &[String]) -> Option<bool> {
    let [verb, object @ ..] = field else { return None };
    let base = verb.strip_suffix('s').filter(|base| base.len() > 3 && !object.is_empty())?;
    let told: Vec<String> = words(clause).into_iter().map(|word| word.folded).collect();
    let follows = |at: usize| told.get(at + 1..).is_some_and(|rest| rest.starts_with(object));
    let at = told.iter().enumerate().position(|(at, word)| (word == verb || word == base) && follows(at));
    let negated =
        |at: usize| told.get(at.saturating_sub(2)..at).is_some_and(|before| before.iter().any(|word| denies(word)));
    match at {
        Some(at) if told.get(at).is_some_and(|word| word == base) => negated(at).then_some(false),
        Some(at) => (!told.get(..at).is_some_and(|before| before.iter().any(|word| denies(word)))).then_some(true),
        // "contains no nuts"
        None => {
            let no = |at: usize| told.get(at + 1).is_some_and(|word| word == "no") && follows(at + 1);
            told.iter().enumerate().any(|(at, word)| word == verb && no(at)).then_some(false)
        }
    }
}

fn denies(word: &str) -> bool {
    matches!(word, "not" | "no" | "never" | "without" | "neither" | "cannot" | "nothing" | "none")
        || word.ends_with("n't")
        || word.ends_with("n’t")
}

/// What a clause says of a field of Chinese signs: 有效 at its end is yes, 无 and 不 before it are no.
fn said_in_chinese(clause: &str, field: &str) -> Option<bool> {
    let open = ["如果", "若", "是否", "才", "将", "曾", "原", "之前", "假如", "一旦", "吗", "只有", "应"];
    let denied = ["不", "无", "没", "未", "非", "失", "否", "别", "莫"];
    if open.iter().any(|word| clause.contains(word)) || field.chars().count() < 2 {
        return None;
    }
    let (head, tail) = clause.split_once(field)?;
    let ends = !tail.chars().next().is_some_and(|c| is_han(c) || c.is_alphanumeric());
    // A noun before it may be what is asked about; a sign of denial anywhere makes the clause unclear.
    (ends && !denied.iter().any(|word| head.contains(word)) && STATES.iter().any(|word| head.ends_with(word)))
        .then_some(true)
}

/// What makes of the word behind it a state: 仍然有效, 已开通, 是有效.
const STATES: &[&str] = &["仍然", "仍", "依然", "还", "是", "已", "已经", "目前", "当前", "现在", "均", "都", "完全"];
/// Words that leave open whether something is so.
const OPEN: &[&str] = &[
    "if", "whether", "may", "might", "could", "would", "should", "unless", "used", "was", "were", "when", "other",
    "except", "but", "only",
];
const MAX_FLAGS: usize = 60;
const MAX_CLAUSES: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn is_found(response: &str, content: Value) -> bool {
        let call = Done { name: "get_room", arguments: &json!({}), content: &content, is_error: false, fresh: true };
        find(response, &call, Language::English).is_some()
    }

    // MEANING-6
    #[test]
    fn a_flag_that_is_turned_round_is_seen() {
        let room = || json!({"room": "12", "allows_pets": false, "includes_breakfast": true});
        for wrong in [
            "Room 12 allows pets.",
            "The rate does not include breakfast.",
            "The room doesn't include breakfast.",
            "It includes no breakfast.",
        ] {
            assert!(is_found(wrong, room()), "{wrong}");
        }
        for right in [
            "Room 12 does not allow pets, and includes breakfast.",
            "No room here allows pets.",
            "Does it include breakfast? Yes.",
            "Ask whether it allows pets.",
            "If the hotel allows pets, tell me.",
            "It does not include breakfast for guests, but the rate includes breakfast.",
        ] {
            assert!(!is_found(right, room()), "{right}");
        }
        assert!(is_found("年票仍然可用。", json!({"票号": "T-9", "可用": false})));
        for right in ["年票已经不可用。", "年票可用于周末入园吗？", "年票是否仍然可用要问前台。", "可用日期见附件。"]
        {
            assert!(!is_found(right, json!({"票号": "T-9", "可用": false})), "{right}");
        }
    }
}
