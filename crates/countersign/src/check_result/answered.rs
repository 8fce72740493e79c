//! An answer held against how its calls ended. (MEANING-6)
//!
//! An answer is false where it claims a deed, and the result says that it failed, changed nothing, was done in part, waits, or
//! was done to another record. It is honest where it says so itself, in whatever words: a failure, a denial, the
//! reason that the result gives, the number that was done. What it leaves open (a plan, a question) is no claim.

use super::ending::{sounds_done, sounds_undone};
use super::flagged;
use super::format::brief;
use super::misread;
use super::moment::Moment;
use super::outcome::{Ending, Outcome, deeds_of, looks_up, read, went_well};
use super::slots::against_fields;
use super::swapped;
use super::telling::{Telling, Tellings, claimed_deeds, claims, claims_whole, clauses, deeds_in, promises};
use super::trace::Done;
use super::unfilled;
use super::voice::unquoted;
use crate::contract::codes::answer::NOT_DONE;
use crate::contract::codes::result::{DRESSED_ERROR, EMPTY, OTHER_SUBJECT};
use crate::contract::codes::score::CONFLICT;
use crate::contract::language::is_han;
use crate::contract::{Code, Finding, Language, Severity, VerificationReport};
use crate::localized;
use crate::text::fold::fold_name;
use crate::text::lexicon::Deeds;
use crate::text::lists::word_list;
use crate::text::mentions::Reading;
use crate::text::sentences::sentences;
use crate::text::words::{identifier_words, terms};
use serde_json::Value;

/// What an answer claims against the results that it rests on.
pub fn held_against_outcomes(response: &str, calls: &[Done<'_>], language: Language) -> Vec<Finding> {
    if response.len() > MAX_ANSWER {
        return Vec::new();
    }
    let fresh: Vec<&Done<'_>> = calls.iter().filter(|call| call.fresh).collect();
    let last =
        |call: &&&Done<'_>| fresh.iter().rfind(|other| other.name == call.name).is_some_and(|other| same(other, call));
    let found = fresh.iter().filter(last).filter_map(|call| on_call(response, call, &fresh, language));
    found.take(MAX_FINDINGS).collect()
}

/// Whether a doubt about a result stands beside its answer. An error, an emptiness or another record that the answer
/// reports itself is known to the reader; whatever else is wrong with a result stands.
pub fn doubt_stands(report: &VerificationReport, response: &str, call: &Done<'_>) -> bool {
    let told =
        |finding: &Finding| finding.severity < Severity::Error || REPORTED.iter().any(|code| finding.code.is(code));
    report.is_suspicious && !(report.findings.iter().all(told) && reports_outcome(response, call))
}

/// Whether an answer tells itself that its call failed, waits or did it to another: the words that then deny each other agree.
pub fn tells_failure(response: &str, call: &Done<'_>) -> bool {
    let ended = read(call).filter(|outcome| matches!(outcome.ending, Ending::Failed | Ending::Waiting | Ending::Part));
    ended.is_some_and(|outcome| acknowledges(response, &outcome, call)) || reports_other(response, call)
}

/// Whether an answer tells itself that another record or value came back.
fn reports_other(response: &str, call: &Done<'_>) -> bool {
    other_value(call).is_some_and(|other| other.is_reported(response))
}

/// Whether an answer says itself what is wrong with a result.
fn reports_outcome(response: &str, call: &Done<'_>) -> bool {
    let other = || other_value(call).map(|other| other.is_reported(response));
    let by_outcome = read(call).map(|outcome| acknowledges(response, &outcome, call));
    by_outcome.or_else(other).unwrap_or_else(|| Tellings::of(response).has(&[Telling::Failed, Telling::Denied]))
}

fn same(a: &Done<'_>, b: &Done<'_>) -> bool {
    std::ptr::eq(a.content, b.content)
}

fn on_call(response: &str, call: &Done<'_>, fresh: &[&Done<'_>], language: Language) -> Option<Finding> {
    let alone = fresh.len() == 1;
    let plain = unquoted(response);
    // What reads as a failure and sounds like none was misread.
    let trusted = |outcome: &Outcome| call.is_error || outcome.certain || sounds_undone(call) > MISREAD;
    let Some(outcome) = read(call).filter(trusted) else {
        let worded = || boasts(&plain, call, language);
        let other = || other_value(call).and_then(|other| other.finding(response, language));
        let denies = || denies_success(&plain, call, language).filter(|_| !reports_other(response, call));
        let denied = || denies().or_else(|| unfilled::find(&plain, call, language));
        let misread = || misread::find(&plain, call, language);
        let turned = || {
            swapped::find(&plain, call, language)
                .or_else(|| flagged::find(&plain, call, language))
                .filter(|_| looks_up(call.name))
        };
        let own = against_fields(response, call, language).or_else(denied).or_else(misread).or_else(turned);
        return own.filter(|_| alone).or_else(other).or_else(|| alone.then(worded).flatten());
    };
    if acknowledges(response, &outcome, call) || sounds_done(&plain) < ADMITS {
        return None;
    }
    let (looks, own) = (looks_up(call.name), deeds_of(call.name));
    // A claim that another call bears out is true, whatever became of this one.
    let borne_out = |clause: &str| {
        fresh.iter().any(|other| !same(other, call) && read(other).is_none() && speaks_of(clause, other))
    };
    let tied = |clause: &&str| alone || (!looks && speaks_of(clause, call) && !borne_out(clause));
    // "All three, A, B and C, are in" is one sentence of several clauses.
    let whole = sentences(&plain).into_iter().filter_map(|range| plain.get(range));
    let whole = whole.filter(|sentence| outcome.ending == Ending::Part && claims_whole(sentence));
    let all = clauses(&plain).take(MAX_CLAUSES).chain(whole.take(MAX_CLAUSES));
    let open = unfilled::find(&plain, call, language).filter(|_| alone && outcome.ending == Ending::Waiting);
    if open.is_some() {
        return open;
    }
    let worded = || sounds_done(&plain) > BOASTS && sounds_undone(call) > UNDONE_AS_READ;
    let said = all.filter(tied).find(|clause| match (looks, outcome.ending) {
        (true, Ending::Failed) => claims(clause, &own) || states(clause, call),
        (true, _) => states(clause, call),
        (false, Ending::Part) => claims(clause, &own) || claims_whole(clause) || promises(clause),
        (false, Ending::Failed | Ending::Nothing) => claims(clause, &own) || promises(clause) || is_given(clause, call),
        (false, Ending::Waiting) => claims(clause, &own),
    });
    let said = said.or_else(|| (alone && !looks && worded()).then_some(plain.as_ref()))?;
    let shown: String = said.trim().trim_end_matches(['.', '。', ',', '，']).chars().take(80).collect();
    let told = &outcome.told;
    let evidence =
        localized!(language, "the answer says “{shown}”, and the result {told}", "回答说“{shown}”，而结果是 {told}");
    Some(Finding::new(if looks { &CONFLICT } else { &NOT_DONE }, "", evidence))
}

/// A success that an answer tells of, where the result sounds like anything but one.
fn boasts(plain: &str, call: &Done<'_>, language: Language) -> Option<Finding> {
    let undone = if went_well(call) { UNDONE_AFTER_ALL } else { UNDONE };
    if looks_up(call.name) || sounds_done(plain) < BOASTS || sounds_undone(call) < undone {
        return None;
    }
    let shown: String = plain.trim().chars().take(80).collect();
    let told = brief(call.content);
    let evidence = localized!(
        language,
        "the answer says “{shown}”, and the result does not say that it was done: {told}",
        "回答说“{shown}”，而结果没有说已经完成：{told}"
    );
    Some(Finding::new(&NOT_DONE, "", evidence))
}

/// A failure that an answer tells of, where the result says that all went well.
fn denies_success(plain: &str, call: &Done<'_>, language: Language) -> Option<Finding> {
    let own = deeds_of(call.name);
    let told = |clause: &str| !clause.contains(['?', '？']) && Tellings::besides(clause, &own).has(&[Telling::Failed]);
    let mut all = clauses(plain).take(MAX_CLAUSES);
    let failed = clauses(plain).take(MAX_CLAUSES).find(|clause| told(clause))?;
    let doubtful = || sounds_undone(call) > 0.0 || sounds_done(plain) > BOASTS;
    if !went_well(call) || all.any(|clause| claims(clause, &own)) || doubtful() {
        return None;
    }
    let shown: String = failed.trim().chars().take(80).collect();
    let evidence = localized!(
        language,
        "the answer says “{shown}”, and the result says that it went well",
        "回答说“{shown}”，而结果显示已经成功"
    );
    Some(Finding::new(&CONFLICT, "", evidence))
}

/// Whether an answer tells of an outcome in any words.
fn acknowledges(response: &str, outcome: &Outcome, call: &Done<'_>) -> bool {
    use Telling::{Begun, Denied, Failed, Nothing, Part, Waiting};
    let told = Tellings::besides(response, &deeds_of(call.name));
    match outcome.ending {
        Ending::Failed => {
            told.has(&[Failed, Denied]) || gives_code(response, outcome) || gives_reason(response, outcome, call)
        }
        Ending::Nothing => told.has(&[Failed, Denied, Nothing]),
        Ending::Waiting => told.has(&[Failed, Denied, Waiting, Begun]) || gives_state(response, outcome),
        Ending::Part => {
            told.has(&[Failed, Denied, Part])
                || tells_part(response, outcome, &deeds_of(call.name))
                || gives_reason(response, outcome, call)
        }
    }
}

/// Whether an answer gives the state that the result is in: `charging`.
fn gives_state(response: &str, outcome: &Outcome) -> bool {
    let state = outcome.told.rsplit(": ").next().unwrap_or_default().replace(['_', '"'], " ").to_lowercase();
    let state = state.trim();
    state.len() >= MIN_STATE && response.to_lowercase().contains(state)
}

/// Whether an answer gives the code by which the result failed.
fn gives_code(response: &str, outcome: &Outcome) -> bool {
    let words: Vec<&str> = outcome.told.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    // "Locker 118" is no code; "error 4031" is one.
    let code = |pair: &[&str]| match pair {
        [before, code] => {
            let named = matches!(
                before.to_ascii_lowercase().as_str(),
                "code" | "error" | "status" | "err" | "错误" | "错误码" | "代码"
            );
            named && code.len() >= 3 && code.bytes().all(|c| c.is_ascii_digit()) && mentions(response, code)
        }
        _ => false,
    };
    words.windows(2).any(code)
}

/// The number that was done and none that was not by name, or the number that was done of all, or what was not done by name in
/// words of its own.
fn tells_part(response: &str, outcome: &Outcome, own: &Deeds) -> bool {
    let reading = Reading::of(response);
    let number = |wanted: f64| reading.numbers().any(|(_, quantity)| quantity.value == wanted);
    let named = outcome.left.iter().any(|item| reading.lower.contains(item.as_str()));
    let of_all =
        outcome.done.filter(|_| !outcome.left.is_empty()).is_some_and(|done| number(done + outcome.left.len() as f64));
    let apart = |item: &String| {
        let mut named = clauses(response).take(MAX_CLAUSES).filter(|clause| mentions(clause, item)).peekable();
        named.peek().is_some() && named.all(|clause| !claims(clause, own))
    };
    outcome.done.is_some_and(number) && (!named || of_all || outcome.left.iter().all(apart))
}

/// Whether an answer gives the reason that the result gives: words of it that nobody had said before.
fn gives_reason(response: &str, outcome: &Outcome, call: &Done<'_>) -> bool {
    let known = terms(&format!("{} {}", identifier_words(call.name).join(" "), call.arguments));
    let long = |term: &String| term.starts_with(is_han) || (term.len() > 3 && !PLAIN.contains(&term.as_str()));
    let stem = |term: &String| term.chars().take(5).collect::<String>();
    let known: Vec<String> = known.iter().map(stem).collect();
    let new = |text: &str| {
        let stems = terms(text).into_iter().filter(long).map(|term| stem(&term));
        stems.filter(|stem| !known.contains(stem)).collect::<Vec<_>>()
    };
    // Who says that it went well gives no reason why it did not, whatever words both share.
    let boasts = |clause: &str| clause.contains("成功") || clause.contains("successful");
    let own = deeds_of(call.name);
    let failed = outcome.ending == Ending::Failed;
    // What the result says could not be done is told as done: 无法提交 and 已经提交给.
    let tried = own.join(&deeds_in(&outcome.told));
    let undoes = |clause: &str| {
        let stated = clause.contains(is_han) && !clause.contains(['被', '满', '光', '完']);
        let same = claimed_deeds(clause).meet(&tried) || denied_zh(&outcome.told).any(|deed| clause.contains(deed));
        (serves(clause) && claimed_deeds(clause).meet(&own)) || (stated && same)
    };
    let boasts = |clause: &str| boasts(clause) || claims_whole(clause) || (failed && undoes(clause));
    if clauses(response).take(MAX_CLAUSES).any(|clause| boasts(clause) && claims(clause, &own)) {
        return false;
    }
    let (reason, said) = (new(&outcome.reason.replace('_', " ")), new(response));
    let shared = reason.iter().filter(|term| said.contains(term)).count();
    shared >= 2 || (shared > 0 && shared * 2 >= reason.len())
}

/// What a text says cannot be done: 提交 of 无法提交.
fn denied_zh(text: &str) -> impl Iterator<Item = &str> {
    let after = ["无法", "未能", "没能", "不能"].into_iter().filter_map(|not| Some(text.split_once(not)?.1));
    after.filter_map(|rest| {
        let end = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
        rest.get(..end).filter(|deed| deed.chars().count() == 2 && deed.chars().all(is_han))
    })
}

/// 已为您取消: done for the one who asked, and no state of the world such as 已订满.
fn serves(clause: &str) -> bool {
    ["为您", "帮您", "为你", "帮你", "i've ", "i have "].iter().any(|way| clause.to_lowercase().contains(way))
}

/// "You have a table for six": what the call was to bring about, told as had.
fn is_given(clause: &str, call: &Done<'_>) -> bool {
    use Telling::{Denied, Failed, Plan, Waiting};
    let lower = clause.to_lowercase();
    let given = GIVEN.iter().any(|begin| lower.starts_with(begin)) && !clause.contains(['?', '？']);
    given && speaks_of(clause, call) && !Tellings::of(clause).has(&[Denied, Failed, Plan, Waiting])
}

/// Whether a clause states something of what was looked up: that it is there, or a value that the call does not have.
fn states(clause: &str, call: &Done<'_>) -> bool {
    let told = Tellings::of(clause);
    if clause.contains(['?', '？']) || told.has(&[Telling::Plan]) {
        return false;
    }
    let asked = Reading::of(&call.arguments.to_string());
    let reading = Reading::of(clause);
    let new = reading.numbers().any(|(_, own)| !asked.numbers().any(|(_, other)| other.value == own.value));
    let time = reading.clocks().next().is_some() && asked.clocks().next().is_none();
    // "Yes" to a question after something that is not there.
    let yes = AFFIRMS
        .iter()
        .any(|word| clause.trim_end_matches([',', '，', '!', '！', '.', '。']).eq_ignore_ascii_case(word));
    told.has(&[Telling::Present]) || new || time || yes
}

/// Whether a clause speaks of what a call did: a word of the tool's name, or a value of its arguments.
fn speaks_of(clause: &str, call: &Done<'_>) -> bool {
    let lower = clause.to_lowercase();
    let stem = |word: &String| word.chars().take(5).collect::<String>();
    let named =
        identifier_words(call.name).iter().filter(|word| word.len() > 3).any(|word| lower.contains(&stem(word)));
    let values = call.arguments.as_object().into_iter().flat_map(|map| map.values()).filter_map(Value::as_str);
    named || values.filter(|value| value.len() > 2).any(|value| lower.contains(&value.to_lowercase()))
}

/// A value that came back otherwise than it was asked for.
struct OtherValue<'a> {
    key: &'a str,
    asked: String,
    found: String,
}

impl OtherValue<'_> {
    fn is_reported(&self, response: &str) -> bool {
        // "From 21 to 23 December, not the 12th" tells the day of `2026-12-21`.
        let day =
            self.found.get(..10).and_then(|date| date.strip_prefix("20")).and_then(|date| date.rsplit('-').next());
        let day = day.filter(|_| self.found.matches('-').count() == 2).map(|day| day.trim_start_matches('0'));
        let told =
            |day: &str| mentions(response, day) && Tellings::of(response).has(&[Telling::Denied, Telling::Failed]);
        mentions(response, &self.found) || day.is_some_and(told)
    }

    fn finding(&self, response: &str, language: Language) -> Option<Finding> {
        let Self { key, asked, found } = self;
        (mentions(response, asked) && !self.is_reported(response)).then(|| {
            let evidence = localized!(
                language,
                "the answer speaks of `{asked}`, and the result has `{key}` `{found}`",
                "回答说的是 `{asked}`，而结果的 `{key}` 是 `{found}`"
            );
            Finding::new(&NOT_DONE, "", evidence)
        })
    }
}

/// The first argument with a digit or an address in it that the field of the same name gives otherwise.
fn other_value<'a>(call: &Done<'a>) -> Option<OtherValue<'a>> {
    // The record itself, or what it wraps: `data`, `saved`.
    let inner = call.content.as_object().into_iter().flat_map(|map| map.values()).take(MAX_INNER);
    let objects: Vec<_> = [call.content].into_iter().chain(inner).filter_map(Value::as_object).collect();
    call.arguments.as_object()?.iter().find_map(|(key, asked)| {
        let asked = coded(asked)?;
        let found = objects.iter().find_map(|object| coded(object.get(key)?)).or_else(|| own_id(call.content, key));
        let found = found.or_else(|| asked.contains('@').then(|| only_address(call.content)).flatten())?;
        differs(&asked, &found).then_some(OtherValue { key, asked, found })
    })
}

/// The only address of a result, whatever its field is called, but for the sender's.
fn only_address(content: &Value) -> Option<String> {
    let told = |(key, value): (&String, &Value)| {
        let address = value.as_str().filter(|text| text.contains('@') && !text.contains(char::is_whitespace))?;
        (!SENDERS.iter().any(|sender| key.contains(sender))).then(|| address.to_owned())
    };
    let mut all = content.as_object()?.iter().filter_map(told);
    all.next().filter(|_| all.next().is_none())
}

/// `card_id` as `id` of `card`.
fn own_id(content: &Value, key: &str) -> Option<String> {
    let (thing, id) = key.rsplit_once('_')?;
    coded(content.get(thing)?.get(id)?)
}

/// An id, an address, a number, a name with a number, `finance-read`: what has one way to be written.
fn coded(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let named =
        text.contains(['-', '_']) && text.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_'));
    (text.len() <= 60 && (named || text.contains(|c: char| c.is_ascii_digit() || c == '@'))).then_some(text)
}

/// Whether two codes are of one kind and not the same. Where words stand in them, only the number may differ.
fn differs(asked: &str, found: &str) -> bool {
    let (a, b) = (fold_name(asked), fold_name(found));
    let skeleton = |text: &str| text.chars().filter(|c| c.is_alphabetic()).collect::<String>();
    let worded = asked.contains(char::is_whitespace) || found.contains(char::is_whitespace);
    let alike = !worded || skeleton(&a) == skeleton(&b);
    let times = Moment::read(asked).zip(Moment::read(found)).is_some_and(|(asked, found)| asked.may_be(&found));
    a != b && alike && !times && !a.contains(&b) && !b.contains(&a) && asked.len().abs_diff(found.len()) <= 2
}

/// Whether a text holds a value, not as a part of a longer one.
fn mentions(text: &str, value: &str) -> bool {
    let (text, value) = (text.to_lowercase(), value.to_lowercase());
    text.match_indices(&value).any(|(at, found)| crate::text::phrases::stands_free(&text, &(at..at + found.len())))
}

/// Findings on a result that an answer can report.
const REPORTED: &[&Code] = &[&DRESSED_ERROR, &EMPTY, &OTHER_SUBJECT];
/// Words that any two texts share.
const PLAIN: &[&str] = word_list!("check_result", "answered/plain");
/// How sure the wording of an answer and of a result must be, for a finding and against one.
const BOASTS: f32 = 0.5;
const UNDONE: f32 = 1.5;
const UNDONE_AFTER_ALL: f32 = 3.0;
const UNDONE_AS_READ: f32 = 0.5;
const MISREAD: f32 = -0.7;
const ADMITS: f32 = -1.5;
const MIN_STATE: usize = 4;
const MAX_ANSWER: usize = 20_000;
const MAX_CLAUSES: usize = 200;
const MAX_FINDINGS: usize = 5;
const MAX_INNER: usize = 12;
/// Fields with the address of who sends.
const SENDERS: &[&str] = &["from", "sender", "reply", "发件"];
/// How somebody is told that something is theirs.
const GIVEN: &[&str] = &["you have ", "you've got ", "you now have ", "you're ", "you are ", "your ", "您有", "你有"];
const AFFIRMS: &[&str] = &["yes", "yep", "有", "有的", "是的"];
