//! How a call ended, as its own result tells it: failed, without effect, in part, or not finished yet.
//!
//! Fields are read first (flags, states, codes, errors, counts, the items of a batch), then the tool's own message. A
//! result that tells nothing of the kind has no such ending: silence is success. What a tool only looks up may hold any
//! state; of such a result only its own failure and its emptiness count.

use super::fields::{Entry, Object, Parts};
use super::format::brief;
use super::shortfall;
use super::telling::{Telling, Tellings, claimed_deeds, claims, clauses, deeds_in};
use super::trace::Done;
use crate::check_call::effects::{by_name, lexicon::RECORDS};
use crate::contract::language::is_han;
use crate::policy::Effect;
use crate::text::lexicon::{DeedEffect, Deeds, Form, find_chinese, find_english, is_past};
use crate::text::lists::word_list;
use crate::text::sentences::sentences;
use crate::text::words::{identifier_words, words};
use serde_json::Value;

/// How a call ended otherwise than well.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    /// How.
    pub ending: Ending,
    /// Where the result says so, and in which words.
    pub told: String,
    /// Everything that the result says of it.
    pub reason: String,
    /// What was not done, by name.
    pub left: Vec<String>,
    /// How many were done.
    pub done: Option<f64>,
    /// Whether a flag or a time to come says so, whatever the rest sounds like.
    pub certain: bool,
}

/// How a call can end otherwise than well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It failed.
    Failed,
    /// It changed or found nothing.
    Nothing,
    /// It did a part.
    Part,
    /// It was taken on and is not finished.
    Waiting,
}

/// How a call ended, where its result tells of anything but success.
pub(crate) fn read(call: &Done<'_>) -> Option<Outcome> {
    let parts = Parts::of(call.content, None);
    let tool = Tool::of(call.name);
    let outer = || parts.objects.iter().filter(|object| object.listed == 0 && object.depth <= MAX_DEPTH);
    let counted = tool.acts.then(|| tally(&tool, &parts).or_else(|| outer().find_map(|object| tool.count(object))));
    // Where the numbers make up the whole, a part was done, whatever word tells the rest.
    let short = || {
        let found = outer().find_map(|object| Some((object, shortfall::find(object, call)?)));
        found
            .map(|(object, short)| Outcome { done: Some(short.done), ..Outcome::at(Ending::Part, object, short.entry) })
    };
    let short = tool.acts.then(short).flatten();
    let found = counted.flatten().filter(|found| found.ending == Ending::Part || short.is_none()).or(short);
    let found = found.or_else(|| outer().find_map(|object| tool.state(object)));
    let found = found.or_else(|| tool.acts.then(|| missing_items(call, &parts)).flatten());
    let found = found.or_else(|| tool.acts.then(|| by_item(call, &tool)).flatten());
    let found = found.or_else(|| in_prose(&tool, call.content, &parts));
    let found = found.or_else(|| (!tool.acts).then(|| empty(call.content, &parts)).flatten());
    found.or_else(|| call.is_error.then(|| Outcome::new(Ending::Failed, brief(call.content), "")))
}

/// Whether a call failed, by its mark or by its own words.
pub(crate) fn has_failed(call: &Done<'_>) -> bool {
    call.is_error || read(call).is_some_and(|outcome| outcome.ending == Ending::Failed)
}

impl Outcome {
    fn new(ending: Ending, told: String, reason: &str) -> Self {
        Self { ending, told, reason: reason.to_owned(), left: Vec::new(), done: None, certain: false }
    }

    fn at(ending: Ending, object: &Object, entry: &Entry) -> Self {
        Self::new(ending, format!("`{}`: {}", entry.key, brief(entry.value)), &reason_in(object))
    }
}

/// What the name of a tool tells of it.
struct Tool {
    acts: bool,
    deeds: Deeds,
    words: Vec<String>,
}

/// Whether a tool only looks something up, as its name tells.
pub(crate) fn looks_up(name: &str) -> bool {
    match by_name(name) {
        Some(effect) => effect == Effect::Read,
        None => identifier_words(name).last().is_some_and(|word| RECORDS.contains(&word.as_str())),
    }
}

impl Tool {
    fn of(name: &str) -> Self {
        Self { acts: !looks_up(name), deeds: deeds_of(name), words: identifier_words(name) }
    }

    /// Whether a key tells of what this tool does: `deleted` of `clear_reminders`, `rows_affected` of any.
    fn names_effect(&self, entry: &Entry) -> bool {
        let deeds = done_deeds(entry);
        let own =
            !deeds.is_empty() && (self.deeds.is_empty() || deeds.meet(&self.deeds) || deeds.meet(&plain_changes()));
        // `synced` of `sync_locales`.
        let stem = entry.words.first().and_then(|word| word.strip_suffix("ed")).filter(|_| entry.words.len() == 1);
        let same = stem.is_some_and(|stem| self.words.iter().any(|word| word.trim_end_matches('e') == stem));
        own || same
            || entry.has_any(EFFECTS)
            || entry.is("row_count")
            || matches!(entry.key, "count" | "ok" | "success")
            || entry.key.contains("成功")
            || self.is_its_noun(entry)
    }

    /// `replacements` of `replace_text`, `deletions` of `delete_rows`: a number called by the noun of the deed.
    fn is_its_noun(&self, entry: &Entry) -> bool {
        let [noun] = entry.words.as_slice() else { return false };
        let stem = ["ments", "ions", "als"].iter().find_map(|end| noun.strip_suffix(end));
        let verb = self.words.first().map(|verb| verb.trim_end_matches('e'));
        entry.value.is_number() && stem.is_some_and(|stem| Some(stem.trim_end_matches('e')) == verb)
    }

    /// Counts of what was done and of what was not.
    fn count(&self, object: &Object) -> Option<Outcome> {
        let (failures, others): (Vec<&Entry>, Vec<&Entry>) =
            object.entries.iter().partition(|entry| is_failure_key(entry));
        let own = others.into_iter().filter(|entry| self.names_effect(entry));
        let done: Vec<_> = own.filter_map(|entry| Some((entry, done_amount(entry)?))).collect();
        let failed = failures.iter().find(|entry| failed_amount(entry).is_some_and(|amount| amount > 0));
        let sum: usize = done.iter().map(|(_, amount)| amount).sum();
        let (entry, ending) = match (failed, done.first()) {
            (Some(entry), Some(_)) if sum > 0 => (*entry, Ending::Part),
            (Some(entry), _) => (*entry, Ending::Failed),
            (None, Some((entry, _))) if sum == 0 => (*entry, Ending::Nothing),
            _ => return None,
        };
        let left = failures.iter().flat_map(|entry| names(entry.value));
        Some(Outcome { left: left.collect(), done: Some(sum as f64), ..Outcome::at(ending, object, entry) })
    }

    /// Flags, states, codes and errors.
    fn state(&self, object: &Object) -> Option<Outcome> {
        let find =
            |wanted: &dyn Fn(&Entry) -> bool| object.entries.iter().take(MAX_ENTRIES).find(|entry| wanted(entry));
        let failed = find(&|entry| self.is_failure(entry) && !is_log(object));
        let failed = failed.or_else(|| refused(object).filter(|_| self.acts));
        // Taken on, and now at something else: `accepted: true` beside `state: "charging"`.
        let taken_on = !self.deeds.meet(&Deeds::named(&["accept"]))
            && object.find(&["accepted"]).is_some_and(|entry| entry.value.as_bool() == Some(true));
        let goes_on = |entry: &Entry| taken_on && is_state(entry) && entry.value.as_str().is_some_and(is_going_on);
        let open = |entry: &Entry| is_state(entry) && self.is_begun(object, entry);
        let waiting = || find(&|entry| self.acts && (is_waiting(entry, &self.deeds) || goes_on(entry) || open(entry)));
        failed.map(|entry| Outcome::at(Ending::Failed, object, entry)).or_else(|| {
            let entry = waiting()?;
            let certain = entry.value == &Value::Bool(true) || open(entry);
            Some(Outcome { certain, ..Outcome::at(Ending::Waiting, object, entry) })
        })
    }

    /// Taken on and still to come: `submitted` with a note that somebody must approve it, `scheduled` with the `send_at` of a
    /// tool that sends.
    fn is_begun(&self, object: &Object, state: &Entry) -> bool {
        let stated = state.value.as_str().filter(|text| text.len() < MAX_STATE).map(spaced).unwrap_or_default();
        let begun = Tellings::of(&stated).has(&[Telling::Begun]);
        let waits = |entry: &Entry| {
            let text = entry.value.as_str().filter(|text| text.len() < MAX_STATE && entry.key != state.key);
            text.is_some_and(|text| Tellings::besides(text, &self.deeds).has(&[Telling::Waiting]))
        };
        let to_come = |entry: &Entry| match entry.words.as_slice() {
            [verb, at] => at == "at" && Some(verb) == self.words.first() && !is_past(verb) && entry.value.is_string(),
            _ => false,
        };
        begun && object.entries.iter().take(MAX_ENTRIES).any(|entry| waits(entry) || to_come(entry))
    }

    fn is_failure(&self, entry: &Entry) -> bool {
        let named = |names: &[&str]| names.iter().any(|name| entry.is(name));
        match entry.value {
            Value::Bool(false) => {
                named(WELL) || (self.acts && (done_deeds(entry).meet(&self.deeds) || entry.has_any(EFFECTS)))
            }
            Value::Bool(true) => named(&["error", "failed", "is_error", "has_error"]),
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or_default();
                (named(CODES) && (400.0..600.0).contains(&number)) || (named(EXITS) && number != 0.0)
            }
            Value::String(text) if named(STATES) => {
                let text = spaced(text);
                let told = Tellings::besides(&text, &self.deeds);
                let wrong = told.has(&[Telling::Failed]) || (self.acts && told.has(&[Telling::Denied]));
                wrong && text.len() < MAX_STATE && (self.acts || told.has(&[Telling::Failed]) && is_technical(&text))
            }
            value => named(ERRORS) && !is_blank(value),
        }
    }
}

/// A code of a service's own beside its message and no data: `{"code": 40012, "msg": …, "data": null}`.
fn refused<'a>(object: &'a Object<'a>) -> Option<&'a Entry<'a>> {
    let code = object.find(&["code", "errcode", "ret", "retcode"])?;
    let number = code.number().filter(|code| *code != 0.0 && *code != 1.0 && !(200.0..300.0).contains(code))?;
    let message = object.find(&["message", "msg", "errmsg"])?.value.as_str()?;
    let well = ["success", "ok", "成功"].iter().any(|word| message.to_lowercase().contains(word));
    let empty = object.find(&["data", "result"]).is_none_or(|entry| is_blank(entry.value));
    let others = object.entries.iter().filter(|entry| !is_blank(entry.value)).count();
    let round = number % 10_000.0 == 0.0;
    (empty && !well && !round && others <= 5 && !message.trim().is_empty()).then_some(code)
}

/// The items of a batch, each with its own ending.
fn tally(tool: &Tool, parts: &Parts) -> Option<Outcome> {
    let items: Vec<&Object> = parts.objects.iter().filter(|object| object.listed == 1 && object.depth <= 3).collect();
    let told = |object: &&&Object| object.entries.iter().any(|entry| tool.is_failure(entry));
    let failed: Vec<&&Object> = items.iter().filter(told).collect();
    let stated =
        |object: &&&Object| object.entries.iter().any(|entry| STATES.iter().chain(WELL).any(|name| entry.is(name)));
    let first = *failed.first()?;
    // A list of errors beside other things is counted, not read as a batch.
    if is_failure_word(first.key) || items.iter().filter(stated).count() < items.len() {
        return None;
    }
    let entry = first.entries.iter().find(|entry| tool.is_failure(entry))?;
    let ending = if failed.len() < items.len() { Ending::Part } else { Ending::Failed };
    let reason: Vec<String> = failed.iter().map(|object| reason_in(object)).collect();
    let left = failed.iter().filter_map(|object| object.entries.first()).flat_map(|entry| names(entry.value)).collect();
    let outcome = Outcome::at(ending, first, entry);
    Some(Outcome { left, done: Some((items.len() - failed.len()) as f64), reason: reason.join(" "), ..outcome })
}

/// A list of the call of which only a part comes back as done.
fn missing_items(call: &Done<'_>, parts: &Parts) -> Option<Outcome> {
    let asked = call.arguments.as_object()?.values().filter_map(Value::as_array).find(|list| list.len() >= 2)?;
    let asked: Vec<String> = asked.iter().flat_map(names).collect();
    let list = parts.lists.iter().find(|list| list.depth <= 2 && !list.key.is_empty() && !list.items.is_empty())?;
    let back: Vec<String> = list.items.iter().flat_map(names).collect();
    let own = back.len() == list.items.len() && back.iter().all(|item| asked.contains(item));
    let left: Vec<String> = asked.iter().filter(|item| !back.contains(item)).cloned().collect();
    (own && !left.is_empty()).then(|| Outcome {
        ending: Ending::Part,
        told: format!("`{}`: {}", list.key, back.join(", ")),
        reason: String::new(),
        done: Some(back.len() as f64),
        left,
        certain: false,
    })
}

/// The ends of the things that were asked for, each under its own name: `{"api": "rotated", "mailer": "permission denied"}`, or
/// as lines of a text.
fn by_item(call: &Done<'_>, tool: &Tool) -> Option<Outcome> {
    let asked = call.arguments.as_object()?.values().filter_map(Value::as_array).find(|list| list.len() >= 2)?;
    let asked: Vec<String> = asked.iter().flat_map(names).collect();
    let line = |line: &str| {
        line.split_once([':', '：']).map(|(name, state)| (name.trim().to_lowercase(), state.trim().to_owned()))
    };
    let pairs: Vec<(String, String)> = match call.content {
        Value::Object(map) => {
            map.iter().map(|(name, state)| (name.to_lowercase(), spaced(state.as_str().unwrap_or_default()))).collect()
        }
        Value::String(text) => {
            text.lines().take(MAX_ENTRIES).filter(|text| !text.trim().is_empty()).map_while(line).collect()
        }
        _ => return None,
    };
    let own = pairs.len() >= 2 && pairs.iter().all(|(name, state)| asked.contains(name) && !state.is_empty());
    let fails = |state: &str| Tellings::besides(state, &tool.deeds).has(&[Telling::Failed, Telling::Denied]);
    let left: Vec<&(String, String)> = pairs.iter().filter(|(_, state)| fails(state)).collect();
    let (name, state) = left.first().filter(|_| own)?;
    let ending = if left.len() < pairs.len() { Ending::Part } else { Ending::Failed };
    let names = left.iter().map(|(name, _)| name.clone()).collect();
    let done = Some((pairs.len() - left.len()) as f64);
    Some(Outcome { left: names, done, ..Outcome::new(ending, format!("`{name}`: {state}"), state) })
}

/// What the tool says in words: the whole of a short text, or its message.
fn in_prose(tool: &Tool, content: &Value, parts: &Parts) -> Option<Outcome> {
    let outer = parts.objects.iter().filter(|object| object.listed == 0 && object.depth <= 1);
    let messages = outer.flat_map(|object| &object.entries).filter(|entry| MESSAGES.iter().any(|name| entry.is(name)));
    let mut texts = content.as_str().into_iter().chain(messages.filter_map(|entry| entry.value.as_str()));
    texts.find_map(|text| told_in(tool, text))
}

fn told_in(tool: &Tool, text: &str) -> Option<Outcome> {
    use Telling::{Denied, Failed, Nothing, Waiting};
    if text.len() > MAX_MESSAGE {
        return None;
    }
    for sentence in sentences(text).into_iter().take(MAX_CLAUSES).filter_map(|range| text.get(range)) {
        if let Some(done) = shortfall::in_words(sentence).filter(|_| tool.acts) {
            let told = format!("“{}”", sentence.trim_end_matches(['.', '。']));
            return Some(Outcome { done: Some(done), ..Outcome::new(Ending::Part, told, text) });
        }
        let told = Tellings::besides(sentence, &tool.deeds);
        let ending = match () {
            () if !tool.acts && !told.has(&[Failed]) => None,
            () if told.has(&[Failed, Denied]) => Some(Ending::Failed),
            () if told.has(&[Nothing]) => Some(Ending::Nothing),
            () if told.has(&[Waiting]) => Some(Ending::Waiting),
            () => None,
        };
        match ending {
            Some(ending) => {
                return Some(Outcome::new(ending, format!("“{}”", sentence.trim_end_matches(['.', '。'])), text));
            }
            // What went well first is not undone by a remark behind it; a look-up that begins otherwise holds no error.
            None if !tool.acts => return None,
            // "Accepted." tells that it was taken on, and what follows how it stands.
            None if told.has(&[Telling::Begun]) && !claimed_deeds(sentence).meet(&tool.deeds) => {}
            None if clauses(sentence).any(|clause| claims(clause, &tool.deeds)) || is_done_zh(sentence) => {
                return undone(text, sentence);
            }
            None => {}
        }
    }
    None
}

/// A deed that is told as done of one thing, and denied in the same words of another behind it: "A: scheduled. B: not scheduled."
fn undone(text: &str, done: &str) -> Option<Outcome> {
    let stated: Vec<String> = words(done).into_iter().map(|word| word.folded).filter(|word| is_past(word)).collect();
    let rest = text.split_once(done).map_or("", |(_, rest)| rest);
    let chinese = done.contains(is_han).then(|| find_chinese(done)).into_iter().flatten();
    let stated_zh: Vec<&str> = chinese.filter_map(|found| done.get(found.range)).collect();
    let denied = clauses(rest).take(MAX_CLAUSES).find(|clause| {
        let fails = |deed: &&str| {
            ["未", "没有", "没", "未能", "无法"].iter().any(|not| clause.contains(&format!("{not}{deed}")))
        };
        if stated_zh.iter().any(fails) || stated_zh.iter().any(|deed| clause.contains(&format!("{deed}失败"))) {
            return true;
        }
        let found: Vec<String> = words(clause).into_iter().map(|word| word.folded).collect();
        found.windows(2).any(|pair| {
            pair.first().is_some_and(|word| word == "not") && pair.last().is_some_and(|word| stated.contains(word))
        })
    })?;
    Some(Outcome::new(Ending::Part, format!("“{}”", denied.trim_end_matches(['.', '。'])), text))
}

/// 上传成功: what a tool says of one of several things.
fn is_done_zh(sentence: &str) -> bool {
    sentence.contains("成功") && sentence.contains(is_han) && !sentence.contains(['未', '没'])
}

/// Whether a result says in a field of its own that the call went well.
pub(crate) fn went_well(call: &Done<'_>) -> bool {
    let parts = Parts::of(call.content, None);
    let outer = parts.objects.iter().filter(|object| object.listed == 0 && object.depth <= MAX_DEPTH);
    let well = |entry: &Entry| match entry.value {
        Value::Bool(true) => WELL.iter().any(|name| entry.is(name)),
        Value::String(text) => {
            (is_state(entry) || entry.words.last().is_some_and(|word| word == "state" || word == "status"))
                && STATED_WELL.contains(&text.trim().to_lowercase().as_str())
        }
        _ => false,
    };
    !looks_up(call.name) && !call.is_error && read(call).is_none() && outer.flat_map(|object| &object.entries).any(well)
}

/// A look-up that found nothing.
fn empty(content: &Value, parts: &Parts) -> Option<Outcome> {
    let told = || Outcome::new(Ending::Nothing, brief(content), "");
    let root = parts.objects.first().filter(|object| object.depth == 0);
    // A list of errors that is empty says that all went well.
    let list = parts.lists.iter().filter(|list| list.depth <= 2 && !is_complaint(list.key));
    let listed = list.clone().count() > 0 && list.clone().all(|list| list.items.is_empty());
    let values = root.map_or(0, |object| object.entries.iter().filter(|entry| !is_blank(entry.value)).count());
    let none = matches!(content, Value::Array(items) if items.is_empty());
    let counted = root.filter(|_| values == 0).is_some_and(|object| object.number(COUNTS) == Some(0.0));
    let written = content.as_str().is_some_and(counts_none);
    (none || counted || written || (listed && values <= 2)).then(told)
}

/// `<hits total="0"/>`, `count: 0`: a short text whose only number says that there is nothing.
fn counts_none(text: &str) -> bool {
    let found = words(text.get(..text.floor_char_boundary(MAX_MESSAGE)).unwrap_or(text));
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let named = found.windows(2).any(|pair| {
        let [name, number] = pair else { return false };
        COUNTS.contains(&name.folded.as_str()) && number.folded == "0"
    });
    named && text.len() < MAX_MESSAGE && found.iter().all(|word| !is_number(&word.folded) || word.folded == "0")
}

/// The deeds that the name of a tool tells of.
pub(crate) fn deeds_of(name: &str) -> Deeds {
    deeds_in(&identifier_words(name).join(" "))
}

/// The deeds that a key tells of as done: `archived`, `rows_updated`, 更新.
fn done_deeds(entry: &Entry) -> Deeds {
    let words: Vec<&str> = entry.words.iter().map(String::as_str).collect();
    let done = find_english(&words).into_iter().filter(|found| found.form == Form::Past);
    let chinese = entry.key.contains(is_han).then(|| find_chinese(entry.key)).into_iter().flatten();
    let all = done.chain(chinese).fold(Deeds::default(), |all, found| all.join(&found.deeds)).acts();
    if all.effect() > DeedEffect::Read { all } else { Deeds::default() }
}

/// What any tool that changes something may count.
fn plain_changes() -> Deeds {
    Deeds::named(&["update", "delete", "add", "create"])
}

/// Whether a field holds the state of the whole.
pub(crate) fn is_state(entry: &Entry) -> bool {
    STATES.iter().any(|name| entry.is(name))
}

fn is_failure_key(entry: &Entry) -> bool {
    entry.has_any(FAILURES)
        || entry.key.contains("失败")
        || entry.is("not_found")
        || ERRORS.iter().any(|name| entry.is(name))
}

fn is_failure_word(key: &str) -> bool {
    identifier_words(key).iter().any(|word| FAILURES.contains(&word.as_str())) || key.contains("失败")
}

/// Whether a list of this name is better empty.
fn is_complaint(key: &str) -> bool {
    is_failure_word(key) || matches!(key, "warnings" | "警告" | "告警")
}

fn is_waiting(entry: &Entry, own: &Deeds) -> bool {
    let stated = STATES.iter().any(|name| entry.is(name));
    let text = entry.value.as_str().filter(|text| stated && text.len() < MAX_STATE).map(spaced);
    let flag = entry.value.as_bool() == Some(true) && entry.has_any(&["queued", "pending", "waitlisted"]);
    let accepted = CODES.iter().any(|name| entry.is(name)) && entry.value.as_i64() == Some(202);
    let begins = entry.value.as_str().filter(|text| text.len() < MAX_STATE).is_some_and(begins_to_wait);
    let share = entry.number().filter(|_| entry.is("progress") || entry.is("percent_complete"));
    let running = share.is_some_and(|share| (0.0..100.0).contains(&share) && share != 1.0);
    let stated = text.is_some_and(|text| Tellings::besides(&text, own).has(&[Telling::Waiting]));
    flag || accepted || begins || running || stated
}

/// `waiting for approval`: a value that begins so is a state, whatever its field is called.
fn begins_to_wait(text: &str) -> bool {
    let lower = spaced(text).to_lowercase();
    let first = lower.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let several = lower.trim().contains(' ');
    several && ["waiting", "awaiting", "pending", "queued"].contains(&first)
        || ["等待", "排队", "待审"].iter().any(|word| lower.starts_with(word))
}

/// The words of a state: `pendingTransfer`, `NOT_SENT`.
pub(super) fn spaced(state: &str) -> String {
    let one = !state.contains(char::is_whitespace) && state.is_ascii();
    if one { identifier_words(state).join(" ") } else { state.replace(['_', '-'], " ") }
}

/// `charging`, `warming_up`: a state in which something goes on.
fn is_going_on(state: &str) -> bool {
    let first = state.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    first.len() > 5 && first.ends_with("ing") && state.len() < MAX_STATE
}

/// Whether a word for a state is one of technique, and not what became of the thing that was looked up.
fn is_technical(state: &str) -> bool {
    ["error", "fail", "not found", "错误", "失败"].iter().any(|word| state.to_lowercase().contains(word))
}

/// A program that ran: its exit code tells, not what it printed.
fn is_log(object: &Object) -> bool {
    object.number(EXITS) == Some(0.0)
}

/// How many: a whole number, or the length of a list.
fn amount(value: &Value) -> Option<usize> {
    match value {
        Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
        Value::Array(items) => Some(items.len()),
        _ => None,
    }
}

/// How many were done; they may be given by name, each with its number.
fn done_amount(entry: &Entry) -> Option<usize> {
    match entry.value {
        Value::Object(map) if !map.is_empty() && map.values().all(Value::is_number) => Some(map.len()),
        value => amount(value),
    }
}

/// How many failed; failures may be given by name, each with its reason.
fn failed_amount(entry: &Entry) -> Option<usize> {
    match entry.value {
        Value::Object(map) if entry.words.iter().any(|word| word.ends_with('s') || word.ends_with("ed")) => {
            Some(map.len())
        }
        value => amount(value),
    }
}

/// The short values by which an item is known.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) if text.len() < MAX_STATE => vec![text.to_lowercase()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(items) => items.iter().take(MAX_ENTRIES).flat_map(names).collect(),
        Value::Object(map) => map.keys().take(1).cloned().chain(map.values().take(1).flat_map(names)).collect(),
        _ => Vec::new(),
    }
}

/// The words of an object.
fn reason_in(object: &Object) -> String {
    let texts = object.entries.iter().filter(|entry| !entry.value.is_number()).map(|entry| brief(entry.value));
    texts.collect::<Vec<_>>().join(" ")
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => matches!(text.trim().to_lowercase().as_str(), "" | "none" | "null" | "ok" | "无" | "-"),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

const MAX_DEPTH: usize = 2;
const MAX_ENTRIES: usize = 200;
const MAX_STATE: usize = 60;
const MAX_MESSAGE: usize = 1000;
const MAX_CLAUSES: usize = 20;
const STATES: &[&str] = &["status", "state", "result", "outcome", "code", "phase", "状态", "结果"];
const STATED_WELL: &[&str] = word_list!("check_result", "outcome/stated-well");
const WELL: &[&str] = &["success", "ok", "succeeded", "is_success", "successful", "成功"];
const CODES: &[&str] = &["code", "status", "status_code", "http_status", "http_code"];
const COUNTS: &[&str] =
    &["total", "count", "found", "hits", "matches", "results", "num_found", "total_count", "总数", "数量"];
const EXITS: &[&str] = &["exit_code", "returncode", "return_code", "exit_status"];
const ERRORS: &[&str] = word_list!("check_result", "outcome/errors");
const FAILURES: &[&str] = word_list!("check_result", "outcome/failures");
const EFFECTS: &[&str] =
    &["affected", "changed", "modified", "succeeded", "processed", "executed", "applied", "performed", "saved"];
const MESSAGES: &[&str] = word_list!("check_result", "outcome/messages");

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn ending(name: &str, arguments: Value, content: Value) -> Option<Ending> {
        read(&Done { name, arguments: &arguments, content: &content, is_error: false, fresh: true })
            .map(|found| found.ending)
    }

    // MEANING-6
    #[test]
    fn how_a_call_ended_is_read_from_fields_and_prose() {
        use Ending::{Failed, Nothing, Part, Waiting};
        for (name, content, expected) in [
            ("send_email", json!({"status": "error", "error": "550"}), Failed),
            ("refund_order", json!("Refund could not be processed: timeout"), Failed),
            ("buy_tickets", json!({"status": 200, "body": {"error": "SOLD_OUT"}}), Failed),
            ("door_close", json!({"code": 200, "data": {"result": "fail"}}), Failed),
            ("create_repair", json!("提交失败，今日名额已满。"), Failed),
            ("merge_branch", json!({"merged": false}), Failed),
            ("execute_sql", json!({"rows_affected": 0}), Nothing),
            ("clear_reminders", json!({"deleted_count": 0}), Nothing),
            ("tag_photos", json!({"更新": 0}), Nothing),
            ("search_events", json!({"events": [], "count": 0}), Nothing),
            ("search_cars", json!([]), Nothing),
            ("search_cars", json!({"list": null, "total": 0}), Nothing),
            ("search_cars", json!("<cars total=\"0\"></cars>"), Nothing),
            ("move_domain", json!({"state": "pendingTransfer"}), Waiting),
            ("file_claim", json!({"workflow": "waiting for a signature"}), Waiting),
            ("render_video", json!({"phase": "RUNNING", "progress": 12}), Waiting),
            ("register_tubes", json!("Registered 11 of 12 barcodes."), Part),
            (
                "set_flag",
                json!([{"env": "a", "state": "on"}, {"env": "b", "state": "off", "problem": "no leave"}]),
                Part,
            ),
            ("archive", json!({"archived": ["m1"], "failed": ["m2"]}), Part),
            ("batch_invite", json!({"ok": 1, "fail": 1}), Part),
            ("send_all", json!({"results": [{"id": 1, "status": "ok"}, {"id": 2, "status": "failed"}]}), Part),
            ("refund", json!({"status": "processing"}), Waiting),
            ("send_parcel", json!({"status": "awaiting pickup"}), Waiting),
        ] {
            assert_eq!(ending(name, json!({}), content.clone()), Some(expected), "{name} {content}");
        }
        assert_eq!(ending("archive", json!({"ids": ["a", "b"]}), json!({"archived": ["a"]})), Some(Part));
    }

    // MEANING-6
    #[test]
    fn what_went_well_has_no_such_ending() {
        for (name, content) in [
            ("send_email", json!({"id": "m1", "errors": [], "status": "sent"})),
            ("import_file", json!({"imported": 120, "failed": 0})),
            ("run_tests", json!("214 passed, 0 failed, 0 errors in 12.4s")),
            ("run_backup", json!("10:00 start\n10:04 copied 1204 files, 0 errors, 0 warnings\n10:05 done")),
            ("search_cars", json!("<cars total=\"2\"><car wheels=\"0\"/></cars>")),
            ("render_video", json!({"phase": "DONE", "progress": 100})),
            ("cancel_order", json!({"ok": true, "charged": 0})),
            ("cancel_order", json!("Order cancelled. You will not be charged.")),
            ("clear_cache", json!(null)),
            ("create_task", json!({"id": 5, "title": "No error left behind", "done": false})),
            ("get_payment", json!({"status": "declined", "amount": 30})),
            ("get_order", json!({"order_id": "A", "items": [], "total": 30, "status": "open"})),
            ("mark_read", json!({"unread_count": 0})),
        ] {
            assert_eq!(ending(name, json!({}), content.clone()), None, "{name} {content}");
        }
    }
}
