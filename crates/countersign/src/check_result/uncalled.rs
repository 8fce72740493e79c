//! A deed that an answer claims although the turn only looked things up. (RESULT-7, MEANING-6)
//!
//! Where no tool that acts was called, "I've moved it" is false whatever the tools are, and "it is cancelled" is where a tool
//! for that stood ready and what was looked up says nothing of it.

use super::action::ANYTHING;
use super::outcome::{deeds_of, looks_up};
use super::telling::{claimed_deeds, claims, clauses, deeds_in};
use super::trace::Trace;
use super::voice::unquoted;
use crate::contract::codes::answer::NOT_DONE;
use crate::contract::language::is_han;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::text::lexicon::{DeedEffect, Deeds};
use crate::text::words::identifier_words;
use serde_json::Value;

/// The first claim of a deed in an answer to which only look-ups were made.
pub(crate) fn find_uncalled(response: &str, trace: &Trace<'_>, language: Language) -> Option<Finding> {
    let only_looked = !trace.calls.is_empty() && trace.calls.iter().all(|call| looks_up(call.name));
    if response.len() > MAX_ANSWER {
        return None;
    }
    let plain = unquoted(response);
    if !only_looked {
        return find_beside(&plain, trace, language);
    }
    let ready = trace.tools.unwrap_or_default().iter().filter(|tool| !looks_up(tool));
    let ready = ready.fold(Deeds::default(), |all, tool| all.join(&deeds_of(tool)));
    let told = told_in_results(trace);
    let claim = clauses(&plain).take(MAX_CLAUSES).find(|clause| {
        let deeds = claimed_deeds(clause);
        let acts = deeds.effect() > DeedEffect::Read && claims(clause, &deeds) && !deeds.meet(&told);
        acts && (deeds.meet(&ready) || (speaks_of_itself(clause) && !deeds.meet(&in_words())))
    })?;
    let shown: String = claim.trim().trim_end_matches(['.', '。', ',', '，']).chars().take(80).collect();
    let evidence = localized!(
        language,
        "the answer says “{shown}”, and nothing but look-ups was called",
        "回答说“{shown}”，但只调用过查询工具"
    );
    Some(Finding::new(&NOT_DONE, "", evidence))
}

/// A deed for which a tool stood ready that was not called, beside the one that was: a draft is saved, and "I've sent it".
fn find_beside(plain: &str, trace: &Trace<'_>, language: Language) -> Option<Finding> {
    let made = trace.calls.iter().fold(Deeds::default(), |all, call| {
        let short = call.arguments.as_object().into_iter().flat_map(|map| map.values()).filter_map(Value::as_str);
        let short = short.filter(|text| text.len() <= MAX_CHOICE);
        let given = short.fold(Deeds::default(), |all, text| all.join(&deeds_in(&text.replace('_', " "))));
        all.join(&deeds_of(call.name)).join(&given)
    });
    let anything = |name: &str| identifier_words(name).iter().any(|word| ANYTHING.contains(&word.as_str()));
    if trace.calls.is_empty() || trace.calls.iter().any(|call| anything(call.name) || deeds_of(call.name).is_empty()) {
        return None;
    }
    let made = made.join(&told_in_results(trace));
    let uncalled = trace
        .tools
        .unwrap_or_default()
        .iter()
        .filter(|tool| !looks_up(tool) && !trace.calls.iter().any(|call| call.name == **tool));
    let ready = uncalled.fold(Deeds::default(), |all, tool| all.join(&deeds_of(tool)));
    let ready = ready.meeting(&Deeds::named(OUTWARD));
    let mut itself = false;
    let claim = clauses(plain).take(MAX_CLAUSES).find(|clause| {
        let deeds = claimed_deeds(clause);
        // "I've opened it and posted a note": the second verb has the speaker of the first.
        itself = speaks_of_itself(clause) || (itself && clause.starts_with(|c: char| c.is_lowercase()));
        let own = itself || clause.contains(is_han) || clause.contains(" has been ");
        deeds.meet(&ready) && !deeds.meet(&made) && own && claims(clause, &deeds)
    })?;
    let shown: String = claim.trim().trim_end_matches(['.', '。', ',', '，']).chars().take(80).collect();
    let evidence = localized!(
        language,
        "the answer says “{shown}”, and the tool for that was not called",
        "回答说“{shown}”，但没有调用做这件事的工具"
    );
    Some(Finding::new(&NOT_DONE, "", evidence))
}

/// The deeds that the results speak of.
fn told_in_results(trace: &Trace<'_>) -> Deeds {
    let texts = trace.calls.iter().map(|call| call.content.to_string().replace('_', " "));
    texts.filter(|text| text.len() < MAX_RESULT).fold(Deeds::default(), |all, text| all.join(&deeds_in(&text)))
}

/// Whether the one who answers says that it did something itself.
fn speaks_of_itself(clause: &str) -> bool {
    let lower = clause.trim_start().to_lowercase().replace('’', "'");
    let lower = JOINS.iter().find_map(|joint| lower.strip_prefix(joint)).unwrap_or(&lower);
    ["i've ", "i have ", "we've ", "we have ", "i ", "已", "我已", "我们已", "我帮", "我给"]
        .iter()
        .any(|start| lower.starts_with(start))
}

/// What an answer can do by its own words: a list is made, shortened, added to.
fn in_words() -> Deeds {
    Deeds::named(&[
        "create", "add", "update", "draft", "remove", "merge", "split", "keep", "open", "start", "run", "join", "leave",
    ])
}

/// "…, and I've told her".
const JOINS: &[&str] = &["and ", "but ", "so ", "then ", "also ", "and also "];
/// What leaves the house or cannot be taken back: nobody means another deed by it.
const OUTWARD: &[&str] = &["send", "publish", "pay", "transfer", "refund", "share", "delete", "call", "submit"];
/// A choice is a word or two; what is longer is content.
const MAX_CHOICE: usize = 24;
const MAX_ANSWER: usize = 20_000;
const MAX_RESULT: usize = 20_000;
const MAX_CLAUSES: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_result::Done;
    use serde_json::{Value, json};

    fn is_found(response: &str, content: Value) -> bool {
        let arguments = json!({"order_id": "K-3"});
        let calls =
            [Done { name: "get_order", arguments: &arguments, content: &content, is_error: false, fresh: true }];
        let trace = Trace { calls: &calls, tools: Some(&["get_order", "cancel_order", "send_sms"]) };
        find_uncalled(response, &trace, Language::English).is_some()
    }

    // RESULT-7, MEANING-6
    #[test]
    fn a_deed_without_its_call_is_seen() {
        let open = || json!({"order_id": "K-3", "status": "processing"});
        for text in
            ["Order K-3 is cancelled.", "I've moved it to Thursday.", "已经给王磊发短信。", "The text was sent to Lee."]
        {
            assert!(is_found(text, open()), "{text}");
        }
        for text in [
            "Order K-3 is still being processed. Shall I cancel it?",
            "I've checked the order.",
            "I've added up the items for you.",
            "If it is cancelled, you get a refund.",
            "It has not been cancelled.",
            "短信还没有发。",
        ] {
            assert!(!is_found(text, open()), "{text}");
        }
        assert!(!is_found("Order K-3 is cancelled.", json!({"status": "cancelled"})));
    }
}
