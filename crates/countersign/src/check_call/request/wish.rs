//! Wishes of earlier turns still hold: a budget, "I'm vegan".

use super::argument::Argument;
use super::asked::{Asked, clause_around, find_whole, stands_in};
use super::demands::broken_by;
use super::qualifiers::equals_of;
use super::record::Said;
use super::records::Record;
use super::slip::{Says, Slip, Strength, show};
use super::trace::{Measure, is_near};
use crate::check_call::action::legend::name_of;
use crate::check_call::params::Param;
use crate::check_call::subject::Node;
use crate::contract::codes::meaning::AGAINST_WISH;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lexicon::{Deeds, find_chinese, find_english};
use crate::text::lists::word_list;
use crate::text::mentions::role::{Bound, is_excluded};
use crate::text::mentions::{Quantity, Reading};
use crate::text::stems::stem;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds calls against what the user said before and never took back.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        slips.extend(find_budget(asked, argument));
        slips.extend(find_forbidden(asked, argument));
    }
    slips.extend(find_switch(asked));
    slips.extend(find_unwanted(asked));
    let choice = |argument| find_choice(asked, argument).or_else(|| find_refused(asked, argument));
    slips.extend(asked.arguments.iter().filter_map(choice));
}

/// The choice that the user refused once and for all, by any form of its word: "you never publish" and `status: published`.
fn find_refused(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<Slip> {
    let (text, param) = (argument.text()?, argument.node.param.filter(|param| param.allowed.len() >= 2)?);
    let word = text.strip_prefix("is_").unwrap_or(text);
    let open = |value: &Value| value.as_str().is_some_and(|other| !other.eq_ignore_ascii_case(text));
    let least = if word.is_ascii() { MIN_REFUSED } else { 2 };
    let name = name_of(&param.description, text);
    if word.chars().count() < least || !param.allowed.iter().any(open) {
        return None;
    }
    let stances = |reading: &Reading| {
        let place = |clause: &str| {
            place_of_form(clause, word).or_else(|| name.as_ref().and_then(|name| clause.find(name.as_str())))
        };
        let about = clauses(&reading.lower).filter_map(|clause| Some((clause, place(clause)?)));
        about.map(|(clause, at)| is_refusal(nearest(clause.get(..at).unwrap_or_default()))).collect::<Vec<bool>>()
    };
    // The newest word on it counts, and in the last message it may well be wanted.
    let reading = asked.earlier.iter().find(|reading| !stances(reading).is_empty());
    let reading = reading.filter(|_| stances(asked.last).is_empty())?;
    let for_good = ["standing", "refuses-for-good"].iter().any(|cue| Cue::named(cue).stands_in(&reading.lower));
    let refused = stances(reading).iter().all(|refused| *refused);
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user does not want `{text}` at all, and `{key}` is `{text}`",
        "用户说过一律不要 `{text}`，而 `{key}` 正是 `{text}`"
    );
    let hint = localized!(
        asked.subject.language,
        "keep to the user's standing wish, or ask",
        "请遵守用户之前的要求，或先询问用户"
    );
    (for_good && refused).then(|| Slip::on(asked, argument, &AGAINST_WISH, Strength::Strong, Says { evidence, hint }))
}

/// The last words of a text, where a word that refuses what follows stands.
fn nearest(before: &str) -> &str {
    let signs = if before.is_ascii() { NEAR } else { NEAR_ZH };
    let start = before.char_indices().rev().nth(signs).map_or(0, |(at, _)| at);
    before.get(start..).unwrap_or_default()
}

/// Where a word stands in a clause, in any form of it.
fn place_of_form(clause: &str, word: &str) -> Option<usize> {
    if !word.is_ascii() {
        return clause.find(word);
    }
    let wanted = stem(word);
    let mut at = 0;
    clause.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).find_map(|piece| {
        let start = at;
        at += piece.len();
        (stem(piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric())) == wanted).then_some(start)
    })
}

/// The id of a record that breaks what the user demanded, where another one beside it does not.
fn find_forbidden(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<Slip> {
    let text = argument.text().filter(|text| !text.contains(char::is_whitespace))?;
    if asked.user().any(|reading| stands_in(&reading.lower, text)) {
        return None;
    }
    let own = asked.records().iter().find(|record| record.has(text))?;
    let list: Vec<&Record<'_>> = asked.records().iter().filter(|record| record.list == own.list).collect();
    let (said, value) = broken_by(asked, own)?;
    let open = list.iter().any(|record| !record.has(text) && broken_by(asked, record).is_none());
    let named = !Said::of(asked, asked.last).names(own, &list).is_empty();
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", and `{key}` is `{text}`, which has \"{value}\"",
        "用户说过“{said}”，而 `{key}` 是 `{text}`，它的内容是“{value}”"
    );
    let hint = localized!(
        asked.subject.language,
        "take one that fits what the user said, or ask",
        "请选择符合用户要求的，或先询问用户"
    );
    (open && !named).then(|| Slip::on(asked, argument, &AGAINST_WISH, Strength::Strong, Says { evidence, hint }))
}

/// Another choice than the one that the user always wants: "always limit" and `order_type: market`.
fn find_choice(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<Slip> {
    let (text, param) = (argument.text()?, argument.node.param?);
    let choices: Vec<String> = param.allowed.iter().filter_map(Value::as_str).map(str::to_ascii_lowercase).collect();
    let said = |reading: &Reading, choice: &str| {
        let names = names_of(param, choice, text);
        clauses(&reading.lower)
            .filter(|clause| has_choice(clause, choice) || names.iter().any(|name| clause.contains(name.as_str())))
            .map(|clause| !is_refusal(clause))
            .collect::<Vec<bool>>()
    };
    if choices.len() < 2 || asked.last.lower.is_empty() || !said(asked.last, text).is_empty() {
        return None;
    }
    let (reading, wanted) =
        asked.earlier.iter().filter(|reading| Cue::named("standing").stands_in(&reading.lower)).find_map(
            |reading| {
                let wanted = choices.iter().find(|choice| *choice != text && said(reading, choice).contains(&true))?;
                (!said(reading, text).contains(&true)).then_some((reading, wanted))
            },
        )?;
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

/// The Chinese names of a choice: the one that the description has for it, and 公司 for `company` where the other choice is a
/// word of that kind as well (`personal`); `business` beside `first` is a class.
fn names_of(param: &Param, choice: &str, chosen: &str) -> Vec<String> {
    let han =
        |word: &str| equals_of(word).into_iter().filter(|name| !name.is_ascii()).map(str::to_owned).collect::<Vec<_>>();
    let others = param.allowed.iter().filter_map(Value::as_str).filter(|other| !other.eq_ignore_ascii_case(choice));
    let paired =
        !han(chosen).is_empty() && others.into_iter().all(|other| !han(&other.to_ascii_lowercase()).is_empty());
    let mut names: Vec<String> = name_of(&param.description, choice).into_iter().collect();
    names.extend(han(choice).into_iter().filter(|_| paired));
    names
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
    let said = |word: &&str| stands_in(clause, word) || stands_in(clause, &format!("{word}s"));
    !words.is_empty() && words.iter().all(said)
}

fn is_refusal(clause: &str) -> bool {
    ["never", "not", "no", "don't", "without", "avoid"].iter().any(|word| stands_in(clause, word))
        || ["不", "别", "没"].iter().any(|word| clause.contains(word))
}

/// A number beyond the most or the least that the user set: a budget, a temperature that must not be passed.
fn find_budget(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<Slip> {
    let number = argument.number()?;
    let measure = Measure::of(argument, None);
    let fits = |quantity: &Quantity| match measure {
        Measure::Money(_) => quantity.unit.is_none() && !quantity.counts,
        Measure::Unit(_) => quantity.unit.is_some() && measure.is_like(quantity),
        _ => false,
    };
    let bound = |reading: &Reading, at: usize, bound: Bound| {
        let budget = before(reading, at).contains("budget") || before(reading, at).contains("预算");
        if budget { Bound::Most } else { bound }
    };
    // What the last message says of a measure is compared with it by the rule of numbers.
    let last = usize::from(matches!(measure, Measure::Unit(_)));
    let (reading, mention, cap, bound) = asked.user().skip(last).find_map(|reading| {
        reading.numbers().filter(|(_, quantity)| fits(quantity)).find_map(|(mention, quantity)| {
            let bound = bound(reading, mention.range.start, quantity.bound);
            let cap = measure.value_of(quantity, quantity.value).filter(|_| bound != Bound::Exact)?;
            Some((reading, mention, cap, bound))
        })
    })?;
    let spoken = asked.last.numbers().any(|(_, quantity)| measure.value_of(quantity, quantity.value) == Some(number));
    let beyond = match bound {
        Bound::Most => number > cap * 1.0001 && !argument.is_named(&["min", "minimum"]),
        _ => number < cap * 0.9999 && argument.is_named(&["min", "minimum", "lower"]),
    };
    // "No more than 80 each", and so many of them.
    let clause = clause_around(&reading.lower, mention.range.start);
    let each = ["each", "per", "apiece"].iter().any(|word| stands_in(clause, word)) || clause.contains(['均', '每']);
    let count = |other: &Argument<'_>| other.number().is_some_and(|count| count > 1.0 && is_near(cap * count, number));
    if !beyond || spoken || cap <= 0.0 || each && asked.arguments.iter().any(count) {
        return None;
    }
    let (key, said, shown) = (argument.node.key, reading.text(mention), show(number));
    let evidence = match bound {
        Bound::Most => localized!(
            asked.subject.language,
            "the user wants no more than {said}, `{key}` is {shown}",
            "用户要求不超过 {said}，而 `{key}` 是 {shown}"
        ),
        _ => localized!(
            asked.subject.language,
            "the user wants no less than {said}, `{key}` is {shown}",
            "用户要求不低于 {said}，而 `{key}` 是 {shown}"
        ),
    };
    let hint = localized!(
        asked.subject.language,
        "stay within what the user set, or ask",
        "请不要超出用户设定的范围，或先询问用户"
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

/// A switch that is on although the user does not want its thing: `driver_included: true` after "I never want the driver".
fn find_unwanted(asked: &Asked<'_>) -> Option<Slip> {
    asked.subject.values.leaves().find_map(|node| {
        let Value::Bool(true) = node.value else { return None };
        let words = identifier_words(node.key);
        let word = words.iter().find(|word| word.len() >= 4 && !IDLE.contains(&word.as_str()))?;
        let refuses = |clause: &str| {
            let word = find_whole(clause, word).or_else(|| find_whole(clause, &format!("{word}s")));
            word.is_some_and(|at| clause.get(..at).is_some_and(|before| Cue::named("unwanted").stands_in(before)))
        };
        let stances = |reading: &Reading| {
            let about = clauses(&reading.lower)
                .filter(|clause| stands_in(clause, word) || stands_in(clause, &format!("{word}s")));
            about.map(refuses).collect::<Vec<bool>>()
        };
        let deeds = quality_of(&words);
        if let Some(said) = find_contrary(asked, deeds) {
            return Some(say_unwanted(asked, node, &said));
        }
        // The newest word on it counts.
        let newest =
            asked.earlier.iter().map(|reading| (stances(reading), reading)).find(|(stances, _)| !stances.is_empty());
        let (found, reading) = newest.filter(|_| stances(asked.last).is_empty())?;
        let plain = Cue::named("refuses-for-good").stands_in(&reading.lower)
            || Cue::named("standing").stands_in(&reading.lower);
        (plain && found.iter().all(|refused| *refused)).then(|| say_unwanted(asked, node, word))
    })
}

fn say_unwanted(asked: &Asked<'_>, node: &Node<'_>, word: &str) -> Slip {
    let (key, pointer) = (node.key, asked.subject.values.pointer(node));
    let evidence = localized!(
        asked.subject.language,
        "the user said otherwise before (\"{word}\"), `{key}` is true",
        "用户之前的要求与此相反（“{word}”），而 `{key}` 为 true"
    );
    let hint = localized!(asked.subject.language, "set `{key}` as the user said", "请按用户所说设置 `{key}`");
    Slip { pointer, code: &AGAINST_WISH, strength: Strength::Strong, evidence, hint }
}

/// The qualities that a name has as a whole.
fn quality_of(words: &[String]) -> Deeds {
    let list: Vec<&str> = words.iter().map(String::as_str).collect();
    let found = find_english(&list);
    found
        .iter()
        .filter(|found| found.range.len() == list.len())
        .fold(Deeds::default(), |all, found| all.join(&found.deeds.qualities()))
}

/// A standing wish for the contrary of a quality, which no later word of the user takes up.
fn find_contrary(asked: &Asked<'_>, quality: Deeds) -> Option<String> {
    let contraries = quality.opposites();
    let said = |reading: &Reading, deeds: Deeds| {
        let words = reading
            .lower
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>();
        let english = find_english(&words)
            .into_iter()
            .find(|found| found.deeds.meet(&deeds))
            .and_then(|found| words.get(found.range).map(|words| words.join(" ")));
        english.or_else(|| {
            find_chinese(&reading.lower)
                .into_iter()
                .find(|found| found.deeds.meet(&deeds))
                .and_then(|found| reading.lower.get(found.range).map(str::to_owned))
        })
    };
    if contraries.is_empty() || said(asked.last, quality).is_some() {
        return None;
    }
    let newest =
        asked.earlier.iter().find(|reading| said(reading, quality).is_some() || said(reading, contraries).is_some())?;
    said(newest, contraries)
        .filter(|_| said(newest, quality).is_none() && Cue::named("standing").stands_in(&newest.lower))
}

const NEAR: usize = 24;
const NEAR_ZH: usize = 4;
/// A shorter word of a choice has no forms that tell it.
const MIN_REFUSED: usize = 5;
/// Words of switches that tell nothing.
const IDLE: &[&str] = word_list!("check_call", "request/wish/idle");
