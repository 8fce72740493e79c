//! What a result says in one place and denies in another: a flag that its own message gives the other way round, a verdict
//! and its explanation, "always" and "never" of one thing.

use super::statement::{Statement, TRUTH, VALIDITY, shorten};
use crate::check_result::fields::{Entry, Object};
use crate::check_result::voice::{speaks, unquoted};
use crate::contract::language::is_han;
use crate::text::lists::word_list;
use crate::text::sentences::sentences;
use crate::text::words::words;
use serde_json::Value;

/// A flag of a record against the words beside it, each as it is shown.
pub(crate) fn in_fields(object: &Object) -> Option<(String, String)> {
    let texts = || object.entries.iter().filter(|entry| explains(entry));
    let flags = object.entries.iter().filter_map(|entry| Some((entry, truth(entry.value)?)));
    for (flag, value) in flags {
        let denied = |text: &&Entry| {
            let spoken = unquoted(text.value.as_str().unwrap_or_default());
            restated(&flag.words, &spoken) == Some(!value) || concluded(flag, &spoken) == Some(!value)
        };
        if let Some(text) = texts().find(denied) {
            let shown: String = text.value.as_str().unwrap_or_default().chars().take(MAX_SHOWN).collect();
            return Some((format!("`{}` {value}", flag.key), format!("`{}` “{shown}”", text.key)));
        }
    }
    None
}

/// Whether a field holds the tool's own words on its result.
fn explains(entry: &Entry) -> bool {
    let text = entry.value.as_str().is_some_and(|text| text.len() < MAX_TEXT);
    text && (speaks(entry.key) || is_named(entry, EXPLANATIONS))
}

/// Whether a field is called so, as a whole or by its last word.
fn is_named(entry: &Entry, names: &[&str]) -> bool {
    names.contains(&entry.key) || entry.words.last().is_some_and(|word| names.contains(&word.as_str()))
}

/// A truth value, as such or spelt out.
fn truth(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| match value.as_str()?.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    })
}

/// What a text says of a flag by its name: "success: false", "is_valid is false".
fn restated(flag: &[String], text: &str) -> Option<bool> {
    let found: Vec<_> = words(text).into_iter().flat_map(|word| split(&word.folded, word.range.end)).collect();
    let names = |at: usize| flag.iter().enumerate().all(|(n, word)| found.get(at + n).is_some_and(|(w, _)| w == word));
    let value = |at: usize| {
        let behind = at + flag.len();
        let copula = found.get(behind).is_some_and(|(word, _)| word == "is" || word == "was");
        let (word, end) = found.get(behind + usize::from(copula))?;
        let ends = !text.get(*end..)?.trim_start().starts_with(char::is_alphanumeric);
        ends.then(|| truth(&Value::String(word.clone())))?
    };
    (0..found.len()).filter(|at| !flag.is_empty() && names(*at)).find_map(value)
}

/// The words of an identifier written in a text, each with the end of the whole.
fn split(word: &str, end: usize) -> Vec<(String, usize)> {
    word.split('_').filter(|part| !part.is_empty()).map(|part| (part.to_owned(), end)).collect()
}

/// What an explanation concludes: "the statement is false". Only a clause that speaks of the statement itself counts.
fn concluded(flag: &Entry, text: &str) -> Option<bool> {
    let pole = match () {
        () if is_named(flag, VERDICTS) => TRUTH,
        () if is_named(flag, &["valid", "有效"]) => VALIDITY,
        () => return None,
    };
    let clauses = sentences(text).into_iter().take(3).filter_map(|range| text.get(range)).map(first_clause);
    clauses.into_iter().find_map(|clause| {
        let statement = Statement::of(clause);
        let about = !statement.asks
            && statement.content.iter().all(|word| SUBJECTS.iter().any(|subject| shorten(subject) == *word));
        let said = statement.poles.iter().find(|(at, _)| *at == pole)?.1;
        (about && clause.len() < 200).then_some(said != statement.negated)
    })
}

/// A sentence up to its reason.
fn first_clause(sentence: &str) -> &str {
    let cut = [" because", " since ", " as ", ",", ";", ":", "，", "；", "：", "因为"];
    let end = cut.iter().filter_map(|mark| sentence.find(mark)).min().unwrap_or(sentence.len());
    sentence.get(..end).unwrap_or(sentence)
}

/// What a text says and denies: "always" and "never" of one thing, "Yes" and "No" of one thing.
pub(crate) fn in_text(text: &str) -> Option<(String, String)> {
    both_answers(text).or_else(|| all_times_and_none(text))
}

/// "Yes, it is open. No, it is not open.": both answers to one question, next to each other.
fn both_answers(text: &str) -> Option<(String, String)> {
    let ranges = sentences(text);
    let all: Vec<&str> = ranges.iter().take(MAX_CLAUSES).filter_map(|range| text.get(range.clone())).collect();
    all.windows(2).find_map(|pair| {
        let [first, second] = pair else { return None };
        let (said, denied) = (answer(first)?, answer(second)?);
        let (one, other) = (Statement::of(said.1), Statement::of(denied.1));
        let asks = one.asks || other.asks || (one.content.is_empty() && one.poles.is_empty());
        let same = one.content == other.content && one.poles == other.poles;
        let denies = said.0 != denied.0 && same && one.negated != other.negated;
        (denies && !asks).then(|| (format!("“{}”", first.trim()), format!("“{}”", second.trim())))
    })
}

/// Whether a sentence begins with yes or no, and what follows.
fn answer(sentence: &str) -> Option<(bool, &str)> {
    let trimmed = sentence.trim_start();
    ANSWERS.iter().find_map(|(word, yes)| {
        let head = trimmed.get(..word.len())?;
        let rest = trimmed.get(word.len()..)?;
        let pauses = rest.starts_with([',', '，', ' ', ':', '：']);
        (head.eq_ignore_ascii_case(word) && pauses).then_some((*yes, rest))
    })
}

/// "The shop is always open. It is never open.": the same said of all times and of none.
fn all_times_and_none(text: &str) -> Option<(String, String)> {
    let all: Vec<Absolute> = clauses(text).take(MAX_CLAUSES).filter_map(Absolute::of).collect();
    let opposed = |first: &Absolute| {
        all.iter().find(|second| first.opposes(second)).map(|second| (first.shown(), second.shown()))
    };
    all.iter().filter(|one| one.always).find_map(opposed)
}

fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let cut = |c: char| matches!(c, '.' | '!' | ';' | ',' | '\n' | '。' | '！' | '；' | '，' | '…');
    text.split(cut)
        .flat_map(|part| part.split(" but "))
        .flat_map(|part| part.split(" and "))
        .filter(|part| part.len() < 200)
}

/// A clause that says something of all times, or of none.
struct Absolute<'a> {
    clause: &'a str,
    always: bool,
    /// Who or what; empty where a pronoun or nothing says it.
    subject: Vec<String>,
    /// What is said of it.
    predicate: Vec<String>,
}

impl<'a> Absolute<'a> {
    fn of(clause: &'a str) -> Option<Self> {
        let lower = clause.to_lowercase();
        if lower.contains(['?', '？', '(', '（']) {
            return None;
        }
        let stands = |(word, always): &(&str, bool)| {
            let at = lower.find(word)?;
            let range = at..at + word.len();
            let free = word.starts_with(is_han) || crate::text::phrases::stands_free(&lower, &range);
            free.then_some((range, *always))
        };
        let mut found = ABSOLUTES.iter().filter_map(stands);
        let (range, always) = found.next()?;
        let said = |part: Option<&str>| -> Vec<String> {
            let found = words(part.unwrap_or_default()).into_iter().map(|word| word.folded);
            found.filter(|word| !SILENT.contains(&word.as_str())).collect()
        };
        let (subject, predicate) = (said(lower.get(..range.start)), said(lower.get(range.end..)));
        (!predicate.is_empty()).then_some(Self { clause: clause.trim(), always, subject, predicate })
    }

    fn opposes(&self, other: &Self) -> bool {
        let same = self.subject == other.subject || other.subject.is_empty() || self.subject.is_empty();
        self.always != other.always && same && self.predicate == other.predicate
    }

    fn shown(&self) -> String {
        format!("“{}”", self.clause)
    }
}

/// Fields that hold the reason for a verdict, beside those in which a tool speaks anyway.
const EXPLANATIONS: &[&str] =
    &["reason", "reasoning", "rationale", "justification", "comment", "说明", "解释", "理由", "原因"];
/// Fields that say whether what was looked at is true.
const VERDICTS: &[&str] = &["verdict", "true", "correct", "factual", "answer", "supported", "结论"];
const ANSWERS: &[(&str, bool)] =
    &[("yes", true), ("no", false), ("是的", true), ("不是", false), ("不", false), ("对", true)];
const ABSOLUTES: &[(&str, bool)] = &[
    ("always", true),
    ("never", false),
    ("总是", true),
    ("始终", true),
    ("永远", true),
    ("从来不", false),
    ("从不", false),
    ("永不", false),
];
/// Words that say nothing by themselves, in a clause of "always".
const SILENT: &[&str] = word_list!("check_result", "anomaly/denial/silent");
/// What an explanation calls that which was judged.
const SUBJECTS: &[&str] = word_list!("check_result", "anomaly/denial/subjects");
const MAX_TEXT: usize = 4000;
const MAX_SHOWN: usize = 80;
const MAX_CLAUSES: usize = 200;

#[cfg(test)]
mod tests {
    use crate::check_result::tests::request;
    use crate::check_result::verify;
    use crate::policy::Policy;
    use serde_json::{Value, json};

    fn contradicts(content: Value) -> bool {
        let report = verify(&request("get_status", json!({}), content), &Policy::standard());
        report.is_suspicious && report.findings.iter().any(|finding| finding.code.id == "result.contradiction")
    }

    // RESULT-5
    #[test]
    fn a_flag_and_its_own_words_agree() {
        for content in [
            json!({"success": true, "message": "success: false"}),
            json!({"ok": true, "message": "The job ended. ok = false."}),
            json!({"is_valid": false, "info": "is_valid is true"}),
            json!({"verdict": true, "explanation": "The statement is false."}),
            json!({"verdict": "true", "explanation": "This claim is not true, because the bridge was built in 1894."}),
            json!({"correct": false, "reason": "The answer is correct."}),
            json!({"is_correct": true, "explanation": "The answer is wrong."}),
            json!({"verdict": true, "explanation": "该说法是错误的。"}),
            json!({"verdict": true, "explanation": "该陈述是假的。"}),
            json!({"结论": true, "说明": "该说法不正确。"}),
            json!({"valid": true, "message": "The input is invalid."}),
        ] {
            assert!(contradicts(content.clone()), "{content}");
        }
        for content in [
            json!({"success": true, "message": "success: true"}),
            json!({"success": true, "message": "success: false positives were left out"}),
            json!({"verdict": true, "explanation": "It is false that the bridge is closed, so the statement holds."}),
            json!({"verdict": false, "explanation": "The statement is false."}),
            json!({"verdict": true, "explanation": "The claim that the bridge fell is false news spread in 1990."}),
            json!({"verdict": true, "explanation": "If the statement is false, the alarm rings."}),
            json!({"result": false, "message": "Result is correct: no matches"}),
            json!({"verdict": true, "explanation": "The claim is true. The opposite statement is false."}),
            json!({"verdict": true, "explanation": "It is not false."}),
            json!({"correct": false, "explanation": "The correct answer is B."}),
            json!({"enabled": true, "message": "enabled: true (was enabled: false before)"}),
            json!({"correct": true, "reason": "The second option is incorrect."}),
            json!({"valid": true, "message": "The old token is invalid now."}),
            json!({"success": true, "message": "Set \"success: false\" to test the failure."}),
        ] {
            assert!(!contradicts(content.clone()), "{content}");
        }
    }

    // RESULT-5
    #[test]
    fn always_and_never_of_one_thing() {
        for text in [
            "The shop is always open. It is never open.",
            "The shop is always open … the shop is never open",
            "The shop is always open, but never open.",
            "这家店总是营业。这家店从不营业。",
            "Yes, it is open. No, it is not open.",
            "是的，支持导出功能。不，不支持导出功能。",
        ] {
            assert!(contradicts(json!(text)), "{text}");
            assert!(contradicts(json!({"info": text})), "{text}");
        }
        for text in [
            "The shop is always open. It is never open on holidays.",
            "The front door is always open. The back door is never open.",
            "Always back up your data. Never share your password.",
            "He is always early, never late.",
            "Is it open? Yes. Is it closed? No.",
            "Yes, it is open. No, the kitchen is not open.",
            "Yes, it is open. No problem at all.",
            "这家店总是营业。旁边的店从不营业。",
        ] {
            assert!(!contradicts(json!(text)), "{text}");
        }
    }
}
