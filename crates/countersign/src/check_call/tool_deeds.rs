//! What a tool does, by its name or else by the first words of its description.

use crate::check_call::effects::hands_over;
use crate::contract::ToolSpec;
use crate::contract::language::is_han;
use crate::text::fold::fold;
use crate::text::lexicon::{DeedEffect, Deeds, Form, Found, find_chinese, find_english};
use crate::text::lists::word_list;
use crate::text::sentences::sentences;
use crate::text::words::{identifier_words, words};

/// The deeds of a tool.
#[derive(Debug)]
pub(crate) struct ToolDeeds {
    /// What it does; empty where that is not plain.
    pub deeds: Deeds,
    /// Whether its name is that of a record: `order_status`.
    pub is_record: bool,
    /// Whether its name says so in more than one word, as `check_in` and `mark_read` do.
    pub spelled_out: bool,
    /// Whether it does it to everything.
    pub wide: bool,
    /// The other words of its name: what it does it to.
    pub things: Vec<String>,
    /// Whether it changes anything.
    changes: bool,
    /// What its description calls it, in Chinese, the whole of it before a part of it: 确认出库, 出库.
    pub labels: Vec<String>,
}

impl ToolDeeds {
    /// Reads a tool.
    pub(crate) fn of(spec: &ToolSpec) -> Self {
        let words = identifier_words(&spec.name);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let wide = words.iter().any(|word| WIDE.contains(word))
            || spec.name.contains("全部")
            || spec.name.contains("所有")
            || spec.name.contains("清空");
        let is_record = is_record(&words) && !takes_own_id(spec, &words);
        let (deeds, used) = if is_record { Default::default() } else { read_name(&spec.name, &words) };
        let thing = |(at, word): (usize, &&str)| {
            (!used.contains(&at) && word.len() > 2 && !WIDE.contains(word)).then(|| (*word).to_owned())
        };
        let things: Vec<String> = words.iter().enumerate().filter_map(thing).collect();
        let deeds = if hands_over(spec) {
            Deeds::default()
        } else if deeds.is_empty() && !is_record && !words.iter().any(|word| PERSONS.contains(word)) {
            read_description(&spec.description)
        } else {
            deeds
        };
        let wide = wide || (deeds.meet(&Deeds::named(&["clear"])) && words.iter().any(|word| CLEARS.contains(word)));
        let spelled_out = used.len() > 1 && !words.iter().any(|word| ["and", "or"].contains(word));
        let labels = read_labels(&spec.description);
        let changes = deeds.effect() >= DeedEffect::Write && !deeds.meet(&Deeds::named(&["look"]));
        Self { deeds, is_record, spelled_out, wide, things, changes, labels }
    }

    /// Whether it changes anything.
    pub(crate) fn acts(&self) -> bool {
        self.changes
    }
}

/// Whether a tool speaks of doing the opposite too: `lock_doors(unlock: true)`.
pub(crate) fn does_both(spec: &ToolSpec, deeds: Deeds) -> bool {
    let opposites = deeds.opposites();
    let mut text = fold(&spec.description.chars().take(MAX_SCHEMA).collect::<String>());
    text.push(' ');
    let schema = spec.input.as_ref().map(|schema| schema.0.get()).unwrap_or_default();
    text.extend(schema.chars().take(MAX_SCHEMA).map(|c| if c == '_' { ' ' } else { c.to_ascii_lowercase() }));
    let words = words(&text);
    let words: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
    let verb = |form: Form| !matches!(form, Form::Noun | Form::Past);
    // 取消群消息静音 undoes what it names.
    let undone = |start: usize| {
        text.get(..start).is_some_and(|before| before.chars().rev().take(8).collect::<String>().contains(['消', '除']))
    };
    find_english(&words).iter().any(|found| verb(found.form) && found.deeds.meet(&opposites))
        || find_chinese(&text).iter().any(|found| found.deeds.meet(&opposites) && !undone(found.range.start))
}

/// Whether a parameter's name says that it is a time.
pub(crate) fn takes_time(key: &str) -> bool {
    identifier_words(key)
        .iter()
        .any(|word| matches!(word.as_str(), "at" | "when" | "date" | "time" | "start" | "day" | "on"))
}

/// The first deed of a name and those after an "and", with the places of their words.
fn read_name(name: &str, words: &[&str]) -> (Deeds, Vec<usize>) {
    if name.chars().any(is_han) {
        let found = find_chinese(name);
        return (found.first().map(|found| found.deeds.acts()).unwrap_or_default(), Vec::new());
    }
    // Who is handed over to a person is helped, whatever the tool is called.
    if words.iter().any(|word| PERSONS.contains(word)) {
        return (Deeds::default(), Vec::new());
    }
    let found = find_english(words);
    // `quote_freeze` only tells what freezing would come to; a tweet that is quoted is sent.
    let sends = found.iter().any(|found| found.deeds.meet(&Deeds::named(&["publish", "send"])));
    if words.len() > 1 && words.first().is_some_and(|verb| ONLY_TELLING.contains(verb)) && !sends {
        return (Deeds::named(&["look"]), vec![0]);
    }
    // The leave of `ask_leave` is taken from work.
    let noun = |found: &Found| found.range.start > 0 && words.get(found.range.start) == Some(&"leave");
    let mut plain =
        found.iter().filter(|found| found.form == Form::Base && !found.deeds.acts().is_empty() && !noun(found));
    let Some(first) = plain.next() else { return (Deeds::default(), Vec::new()) };
    let mut deeds = first.deeds.acts();
    let mut used: Vec<usize> = first.range.clone().collect();
    for other in plain.filter(|other| {
        other.range.start.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| ["and", "or"].contains(word))
    }) {
        deeds = deeds.join(&other.deeds.acts());
        used.extend(other.range.clone());
    }
    // `open_close_door` does both; the booking of `cancel_booking` is a thing.
    let verb = |other: &&Found| other.form == Form::Base && !other.deeds.meet(&deeds);
    let both = found.iter().filter(verb).any(|other| other.deeds.meet(&deeds.opposites()));
    if both { (Deeds::default(), used) } else { (deeds, used) }
}

/// A name that ends in a record only looks, or could: `return_policy`, `refund_status`.
fn is_record(words: &[&str]) -> bool {
    let first = words.first().copied().unwrap_or_default();
    words.len() > 1 && words.last().is_some_and(|last| RECORDS.contains(last)) && !CHANGES.contains(&first)
}

/// Whether a tool takes the id of what its name ends in: `cancel_policy(policy_id)` acts on a policy.
fn takes_own_id(spec: &ToolSpec, words: &[&str]) -> bool {
    let schema = spec.input.as_ref().map(|schema| schema.0.get()).unwrap_or_default();
    words
        .last()
        .is_some_and(|last| schema.contains(&format!("\"{last}_id\"")) || schema.contains(&format!("\"{last}Id\"")))
}

/// The first words of a Chinese description, where they are short enough to be what people call it.
fn read_labels(description: &str) -> Vec<String> {
    let head = description.split(|c: char| !is_han(c)).next().unwrap_or_default();
    let bare = FORMAL.iter().find_map(|word| head.strip_prefix(word));
    let short = |text: &&str| (2..=MAX_LABEL).contains(&text.chars().count());
    [Some(head), bare].into_iter().flatten().filter(short).map(str::to_owned).collect()
}

fn read_description(description: &str) -> Deeds {
    let start: String = description.chars().take(MAX_DESCRIPTION).collect();
    let folded = fold(&start);
    let first = sentences(&folded).into_iter().next().and_then(|range| folded.get(range)).unwrap_or_default();
    if first.chars().any(is_han) {
        let near = |start: usize| first.get(..start).is_some_and(|before| before.chars().count() <= 2);
        let found = find_chinese(first).into_iter().next().filter(|found| near(found.range.start));
        return found.map(|found| found.deeds.acts()).unwrap_or_default();
    }
    let words = words(first);
    let words: Vec<&str> = words.iter().take(8).map(|word| word.folded.as_str()).collect();
    let plain = |form: Form| matches!(form, Form::Base | Form::Third);
    let found = find_english(&words).into_iter().next().filter(|found| found.range.start == 0 && plain(found.form));
    // "Returns the weather" gives an answer.
    if words.first().is_some_and(|first| first.starts_with("return")) {
        return Deeds::default();
    }
    found.map(|found| found.deeds.acts()).unwrap_or_default()
}

/// Words that only make a description formal: 确认出库 is 出库.
const FORMAL: &[&str] = &["确认", "提交", "办理", "进行", "执行", "发起", "申请"];
const MAX_LABEL: usize = 4;
const MAX_SCHEMA: usize = 4000;
const MAX_DESCRIPTION: usize = 400;
/// First words of a tool's name that only tell what the deed behind them would come to.
const ONLY_TELLING: &[&str] = &["quote", "estimate", "preview", "simulate", "calculate", "compute", "forecast"];
const WIDE: &[&str] = &["all", "every", "everything", "everyone", "everybody", "entire", "whole"];
const PERSONS: &[&str] = &["human", "agent", "agents", "representative", "operator", "escalate", "handoff"];
const CLEARS: &[&str] = &["clear", "empty", "wipe", "purge", "flush"];
const CHANGES: &[&str] = word_list!("check_call", "action/tool/changes");
const RECORDS: &[&str] = word_list!("check_call", "action/tool/records");
