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
        let turned = asked.user().any(|reading| {
            ["not ", "no ", "non-", "without ", "isn't "]
                .iter()
                .any(|no| reading.lower.contains(&format!("{no}{word}")))
        });
        let said = asked.user().find_map(|reading| {
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

/// Words of switches that tell nothing.
const IDLE: &[&str] = &[
    "include", "enable", "enabled", "active", "force", "with", "allow", "send", "notify", "show", "email", "public",
    "private", "status", "open",
];
