//! A deed that an answer claims although the turn only looked things up. (RESULT-7, MEANING-6)
//!
//! Where no tool that acts was called, "I've moved it" is false whatever the tools are, and "it is cancelled" is where a tool
//! for that stood ready and what was looked up says nothing of it.

use super::outcome::{deeds_of, looks_up};
use super::telling::{claimed_deeds, claims, clauses, deeds_in};
use super::trace::Trace;
use super::voice::unquoted;
use crate::contract::codes::answer::NOT_DONE;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::text::lexicon::{DeedEffect, Deeds};

/// The first claim of a deed in an answer to which only look-ups were made.
pub(crate) fn find_uncalled(response: &str, trace: &Trace<'_>, language: Language) -> Option<Finding> {
    let only_looked = !trace.calls.is_empty() && trace.calls.iter().all(|call| looks_up(call.name));
    if !only_looked || response.len() > MAX_ANSWER {
        return None;
    }
    let plain = unquoted(response);
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

/// The deeds that the results speak of.
fn told_in_results(trace: &Trace<'_>) -> Deeds {
    let texts = trace.calls.iter().map(|call| call.content.to_string().replace('_', " "));
    texts.filter(|text| text.len() < MAX_RESULT).fold(Deeds::default(), |all, text| all.join(&deeds_in(&text)))
}

/// Whether the one who answers says that it did something itself.
fn speaks_of_itself(clause: &str) -> bool {
    let lower = clause.trim_start().to_lowercase().replace('’', "'");
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
