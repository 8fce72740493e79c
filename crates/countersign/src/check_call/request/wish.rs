//! Wishes of earlier turns still hold: a budget, "I'm vegan".

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength, show};
use super::trace::Measure;
use crate::contract::codes::meaning::AGAINST_WISH;
use crate::localized;
use crate::text::mentions::Reading;
use crate::text::mentions::role::{Bound, is_excluded};
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds calls against what the user said before and never took back.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        slips.extend(find_budget(asked, argument));
    }
    slips.extend(find_switch(asked));
    slips.extend(asked.arguments.iter().filter_map(|argument| find_choice(asked, argument)));
}

/// Another choice than the one that the user always wants: "always limit" and `order_type: market`.
fn find_choice(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<Slip> {
    let (text, param) = (argument.text()?, argument.node.param?);
    let choices: Vec<String> = param.allowed.iter().filter_map(Value::as_str).map(str::to_ascii_lowercase).collect();
    let said = |reading: &Reading, choice: &str| {
        clauses(&reading.lower)
            .filter(|clause| has_choice(clause, choice))
            .map(|clause| !is_refusal(clause))
            .collect::<Vec<bool>>()
    };
    if choices.len() < 2 || asked.last.lower.is_empty() || !said(asked.last, text).is_empty() {
        return None;
    }
    let (reading, wanted) = asked
        .earlier
        .iter()
        .filter(|reading| {
            STANDING.iter().any(|word| {
                if word.is_ascii() { stands_in(&reading.lower, word) } else { reading.lower.contains(word) }
            })
        })
        .find_map(|reading| {
            let wanted = choices.iter().find(|choice| *choice != text && said(reading, choice).contains(&true))?;
            (!said(reading, text).contains(&true)).then_some((reading, wanted))
        })?;
    // A later word of the user's own wins.
    let later = asked
        .earlier
        .iter()
        .take_while(|other| !std::ptr::eq(**other, *reading))
        .any(|other| !said(other, text).is_empty());
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user always wants `{wanted}`, `{key}` is `{text}`",
        "用户要求一律用 `{wanted}`，而 `{key}` 是 `{text}`"
    );
    let hint = localized!(
        asked.subject.language,
        "keep to the user's standing wish, or ask",
        "请遵守用户之前的要求，或先询问用户"
    );
    (!later).then(|| Slip::on(asked, argument, &AGAINST_WISH, Strength::Strong, Says { evidence, hint }))
}

fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', ',', ';', '!', '?', '\n', '。', '，', '；', '！', '？', ':', '：'])
}

/// Whether a clause has the words of a choice.
fn has_choice(clause: &str, choice: &str) -> bool {
    let words: Vec<&str> = choice.split(['_', '-', ' ']).filter(|word| word.len() >= 3).collect();
    if !choice.is_ascii() {
        return clause.contains(choice);
    }
    !words.is_empty() && words.iter().all(|word| stands_in(clause, word) || stands_in(clause, &format!("{word}s")))
}

fn is_refusal(clause: &str) -> bool {
    ["never", "not", "no", "don't", "without", "avoid"].iter().any(|word| stands_in(clause, word))
        || ["不", "别", "没"].iter().any(|word| clause.contains(word))
}

/// An amount above the most that the user wants to spend.
fn find_budget(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<Slip> {
    let number = argument.number()?;
    let Measure::Money(scale) = Measure::of(argument, None) else { return None };
    let is_cap = |reading: &Reading, at: usize, bound: Bound| {
        bound == Bound::Most || before(reading, at).contains("budget") || before(reading, at).contains("预算")
    };
    let (reading, mention, cap) = asked.user().find_map(|reading| {
        let found = reading.numbers().find(|(mention, quantity)| {
            quantity.unit.is_none() && !quantity.counts && is_cap(reading, mention.range.start, quantity.bound)
        });
        found.map(|(mention, quantity)| (reading, mention, quantity.value * scale))
    })?;
    let spoken = asked.last.numbers().any(|(_, quantity)| (quantity.value * scale - number).abs() < f64::EPSILON);
    if number <= cap * 1.0001 || spoken || cap <= 0.0 || argument.is_named(&["min", "minimum"]) {
        return None;
    }
    let (key, said, shown) = (argument.node.key, reading.text(mention), show(number));
    let evidence = localized!(
        asked.subject.language,
        "the user wants no more than {said}, `{key}` is {shown}",
        "用户要求不超过 {said}，而 `{key}` 是 {shown}"
    );
    let hint = localized!(
        asked.subject.language,
        "stay within what the user wants to spend, or ask",
        "请不要超出用户的预算，或先询问用户"
    );
    Some(Slip::on(asked, argument, &AGAINST_WISH, Strength::Strong, Says { evidence, hint }))
}

fn before(reading: &Reading, at: usize) -> &str {
    let mut from = at.saturating_sub(40);
    while !reading.lower.is_char_boundary(from) {
        from += 1;
    }
    reading.lower.get(from..at).unwrap_or_default()
}

/// A switch that is off although the user said its word: `vegan: false` after "I'm vegan".
fn find_switch(asked: &Asked<'_>) -> Option<Slip> {
    asked.subject.values.leaves().find_map(|node| {
        let Value::Bool(false) = node.value else { return None };
        let words = identifier_words(node.key);
        let word = words.iter().rev().find(|word| word.len() >= 4 && !IDLE.contains(&word.as_str()))?;
        // What the last message says of a switch is the duty of the check of deeds.
        let turned = asked.user().any(|reading| {
            ["not ", "no ", "non-", "without ", "isn't "]
                .iter()
                .any(|no| reading.lower.contains(&format!("{no}{word}")))
        });
        let said = asked.earlier.iter().copied().find_map(|reading| {
            let at = super::asked::find_whole(&reading.lower, word).filter(|_| !turned)?;
            (!is_excluded(&reading.lower, at)).then_some(reading)
        })?;
        let asserted = words.len() == 1 && stands_in(&said.lower, word);
        let (key, pointer) = (node.key, asked.subject.values.pointer(node));
        let evidence = localized!(
            asked.subject.language,
            "the user said \"{word}\", `{key}` is false",
            "用户说过“{word}”，而 `{key}` 为 false"
        );
        let hint = localized!(asked.subject.language, "set `{key}` as the user said", "请按用户所说设置 `{key}`");
        asserted.then_some(Slip { pointer, code: &AGAINST_WISH, strength: Strength::Weak, evidence, hint })
    })
}

/// Words that make a wish a standing one.
const STANDING: &[&str] = &[
    "always",
    "never",
    "only",
    "from now on",
    "every time",
    "has to be",
    "must",
    "whatever",
    "everything",
    "以后",
    "一律",
    "只要",
    "默认",
    "每次",
    "都要",
    "总是",
];
/// Words of switches that tell nothing.
const IDLE: &[&str] = &[
    "include", "enable", "enabled", "active", "force", "with", "allow", "send", "notify", "show", "email", "public",
    "private", "status", "open",
];
