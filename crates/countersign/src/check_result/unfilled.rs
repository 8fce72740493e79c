//! A field that says by its name what has not happened yet, and an answer that tells it as done: `approved: null` and "it has
//! been approved", `delivered_at: null` and "it was delivered". (MEANING-6)

use super::fields::{Entry, Parts};
use super::outcome::{deeds_of, looks_up};
use super::telling::{Telling, Tellings, clauses, deeds_in};
use super::trace::Done;
use crate::contract::codes::score::CONFLICT;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::text::lexicon::is_past;
use crate::text::words::words;
use serde_json::Value;

/// The finding on an answer.
pub(crate) fn find(response: &str, call: &Done<'_>, language: Language) -> Option<Finding> {
    let parts = Parts::of(call.content, None);
    let object = parts.objects.first().filter(|object| object.depth == 0)?;
    let open = object.entries.iter().filter_map(|entry| Some((entry, participle(entry, call)?)));
    let (entry, clause) = open.take(MAX_OPEN).find_map(|(entry, done)| {
        Some((entry, clauses(response).take(MAX_CLAUSES).find(|clause| tells(clause, done))?))
    })?;
    let (key, value) = (entry.key, entry.value);
    let shown: String = clause.trim().chars().take(80).collect();
    let evidence = localized!(
        language,
        "the answer says “{shown}”, and the result `{key}`: {value}",
        "回答说“{shown}”，而结果的 `{key}` 是 {value}"
    );
    Some(Finding::new(&CONFLICT, "", evidence))
}

/// What an empty field says is still open. A stamp of the deed that was just done may come later.
fn participle<'e>(entry: &'e Entry<'_>, call: &Done<'_>) -> Option<&'e str> {
    let stamp = |word: &str| matches!(word, "at" | "on" | "date" | "time");
    let done = match entry.words.as_slice() {
        [word] => word,
        [word, last] if stamp(last) => word,
        _ => return None,
    };
    let empty = entry.value.is_null() || (entry.value == &Value::Bool(false) && !looks_up(call.name));
    let own = entry.words.len() > 1 && deeds_in(done).meet(&deeds_of(call.name));
    (empty && !own && is_past(done)).then_some(done)
}

/// Whether a clause says that it has happened: "has been approved", "was delivered".
fn tells(clause: &str, done: &str) -> bool {
    use Telling::{Denied, Failed, Nothing, Plan};
    if clause.contains(['?', '？']) || Tellings::of(clause).has(&[Denied, Failed, Nothing, Plan]) {
        return false;
    }
    let found = words(clause);
    let listed: Vec<&str> = found.iter().map(|word| word.folded.as_str()).collect();
    let waits = listed.iter().any(|word| WAITS.contains(word));
    let told = |at: usize| {
        let before = listed.get(at.saturating_sub(REACH)..at).unwrap_or_default();
        listed.get(at) == Some(&done) && before.iter().any(|word| HELPS.contains(word))
    };
    !waits && (0..listed.len()).any(told)
}

const MAX_OPEN: usize = 8;
const MAX_CLAUSES: usize = 100;
const REACH: usize = 2;
const HELPS: &[&str] = &["been", "was", "were", "is", "are", "got", "it's"];
const WAITS: &[&str] = &["once", "when", "until", "after", "before", "as", "be", "being", "to"];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // MEANING-6
    #[test]
    fn an_empty_field_is_not_told_as_done() {
        let content = json!({"parcel": "P-4", "picked_up": true, "delivered_at": null, "signed": null});
        let arguments = json!({});
        let call = Done { name: "get_parcel", arguments: &arguments, content: &content, is_error: false, fresh: true };
        let is_found = |text: &str| find(text, &call, Language::English).is_some();
        assert!(is_found("P-4 was delivered this morning.") && is_found("It has been signed by the neighbour."));
        for text in [
            "P-4 has not been delivered yet.",
            "You get a message once it has been delivered.",
            "P-4 is picked up.",
            "Was it delivered to you?",
            "It will be delivered soon.",
        ] {
            assert!(!is_found(text), "{text}");
        }
    }
}
