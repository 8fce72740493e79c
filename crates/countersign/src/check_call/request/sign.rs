//! The sign of a number: what a number below zero means by the description of the tool, and which of the two the user speaks of.

use super::argument::Argument;
use super::asked::{Asked, clause_around, stands_in};
use super::records::is_label;
use super::slip::{Says, Slip, Strength, show};
use super::trace::{Measure, is_near};
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lists::word_list;
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::words::identifier_words;

/// A change in the other direction: "take two credits off" and `delta: 2`.
pub(crate) fn find(asked: &Asked<'_>, argument: &Argument<'_>, number: f64, measure: Measure) -> Option<Slip> {
    let unsigned = number == 0.0
        || argument.is_named(&["temperature", "celsius", "by"])
        || is_label(argument.node.key)
        || is_designation(asked, argument, number);
    if unsigned || !is_signed(asked, argument) {
        return None;
    }
    let (word, positive) = find_named_side(asked, argument, number, measure)
        .or_else(|| find_side(asked, argument, number, measure).map(|(word, positive)| (word.to_owned(), positive)))
        .or_else(|| find_change(asked, argument, number).map(|(word, positive)| (word.to_owned(), positive)))
        .or_else(|| find_difference(asked, number))
        .or_else(|| find_loss(asked, argument, number))?;
    let (key, shown) = (argument.node.key, show(number));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{word}\", `{key}` is {shown}",
        "用户说的是“{word}”，而 `{key}` 是 {shown}"
    );
    let hint = localized!(asked.subject.language, "turn the sign of `{key}`", "请改变 `{key}` 的正负号");
    let wrong = (number > 0.0) != positive;
    wrong.then(|| Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// Whether a number only tells which one is meant: "channel 7" and `channel: 7`.
fn is_designation(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> bool {
    let said = |reading: &&Reading, (mention, quantity): (&Mention, &Quantity)| {
        let before = reading.lower.get(..mention.range.start).unwrap_or_default().trim_end();
        let last = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
        let behind = reading.lower.get(mention.range.end..).unwrap_or_default();
        let named = before.ends_with(last) && argument.words.iter().any(|word| word == last);
        quantity.value == number && (named || before.ends_with('第') || behind.starts_with(['号', '排', '路']))
    };
    number > 0.0 && asked.user().any(|reading| reading.numbers().any(|found| said(&reading, found)))
}

/// Whether a number below zero is what its parameter is for: a change, a temperature.
pub(crate) fn is_signed(asked: &Asked<'_>, argument: &Argument<'_>) -> bool {
    is_change(asked, argument) || Legend::of(asked, argument).is_some()
}

/// Whether the name of the parameter or of the tool, or its own description, tells that the number may be negative.
fn is_change(asked: &Asked<'_>, argument: &Argument<'_>) -> bool {
    let description = argument.node.param.map(|param| param.description.to_ascii_lowercase()).unwrap_or_default();
    let changes = identifier_words(&asked.subject.tool.spec.name)
        .iter()
        .any(|word| matches!(word.as_str(), "adjust" | "adjustment" | "offset" | "shift"));
    ["negative", "minus", "signed", "负"].iter().any(|word| description.contains(word))
        || changes
        || argument.is_named(&[
            "delta",
            "adjustment",
            "change",
            "offset",
            "diff",
            "shift",
            "temperature",
            "by",
            "celsius",
            "adjust",
        ])
}

/// What a description says of numbers above and below zero: "positive charges the battery, negative discharges it".
struct Legend {
    above: String,
    below: String,
}

impl Legend {
    /// The legend of a parameter: in its own description, else in that of the tool.
    fn of(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<Self> {
        let own = argument.node.param.map(|param| param.description.as_str()).unwrap_or_default();
        Self::read(own).or_else(|| Self::read(&asked.subject.tool.spec.description))
    }

    fn read(description: &str) -> Option<Self> {
        let lower = description.to_lowercase();
        let (mut above, mut below) = (String::new(), String::new());
        for part in
            lower.split([',', ';', '，', '；', '。', '、', '/', '\n', '(', '（']).flat_map(|part| part.split(". "))
        {
            let led = |sign: char| part.trim().starts_with(sign);
            match (
                Cue::named("above-zero").stands_in(part) || led('+'),
                Cue::named("below-zero").stands_in(part) || led('-'),
            ) {
                (true, false) => above.push_str(part),
                (false, true) => below.push_str(part),
                _ => {}
            }
        }
        (!above.is_empty() && !below.is_empty()).then_some(Self { above, below })
    }

    /// Whether the first of two lists, which exclude each other, is told of numbers above zero.
    fn is_above(&self, first: &Cue, second: &Cue) -> Option<bool> {
        let only = |cue: &Cue, part: &str, other: &str| cue.stands_in(part) && !cue.stands_in(other);
        let above = only(first, &self.above, &self.below) && only(second, &self.below, &self.above);
        let below = only(first, &self.below, &self.above) && only(second, &self.above, &self.below);
        (above != below).then_some(above)
    }
}

/// The sign of the side that the legend names as the user does, in the clause of the number: "negative faces east" and
/// "30 degrees east".
fn find_named_side(
    asked: &Asked<'_>,
    argument: &Argument<'_>,
    number: f64,
    measure: Measure,
) -> Option<(String, bool)> {
    let legend = Legend::of(asked, argument)?;
    let (above, below) = (told_of(&legend.above, "above-zero"), told_of(&legend.below, "below-zero"));
    let own = |told: &[String], other: &[String]| -> Vec<String> {
        told.iter().filter(|word| !other.contains(word)).cloned().collect()
    };
    let (above, below) = (own(&above, &below), own(&below, &above));
    let same = |value: f64| is_near(value.abs(), number.abs());
    let clauses = asked.wished().flat_map(|reading| {
        let mentions = reading.numbers().filter(|(_, quantity)| {
            measure.value_of(quantity, quantity.value).is_some_and(same) || same(quantity.value)
        });
        mentions.map(|(mention, _)| clause_around(&reading.lower, mention.range.start))
    });
    let says = |clause: &str, words: &[String]| words.iter().find(|word| names(clause, word)).cloned();
    clauses.into_iter().find_map(|clause| match (says(clause, &above), says(clause, &below)) {
        (Some(word), None) => Some((word, true)),
        (None, Some(word)) => Some((word, false)),
        _ => None,
    })
}

/// The telling words behind the sign in a part of a legend, or before it: "negative faces east", "east is negative", 负值向东.
fn told_of(part: &str, sign: &str) -> Vec<String> {
    let Some((word, at)) = Cue::named(sign).find_in(part) else { return Vec::new() };
    let behind = part.get(at + word.len()..).unwrap_or_default();
    let before = part.get(..at).unwrap_or_default();
    let telling = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphabetic());
        let english = words.filter(|word| word.is_ascii() && (word.len() >= 4 || matches!(*word, "up" | "out" | "in")));
        let english = english.filter(|word| !IDLE.contains(word)).map(str::to_owned);
        let signs: Vec<char> = text.chars().collect();
        let pairs = signs.windows(2).filter(|pair| pair.iter().copied().all(is_han)).map(|pair| pair.iter().collect());
        english.chain(pairs).collect()
    };
    let told = telling(behind);
    if told.is_empty() { telling(before.rsplit(':').next().unwrap_or(before)) } else { told }
}

/// Whether a clause has a word of a legend; of two Chinese signs of which one only points (向东), the other is enough.
fn names(clause: &str, word: &str) -> bool {
    if word.is_ascii() {
        return stands_in(clause, word);
    }
    let pointed = word.strip_prefix(['向', '朝', '往', '为', '偏']).filter(|side| DIRECTIONS.contains(side));
    clause.contains(word) || pointed.is_some_and(|side| clause.contains(side))
}

/// The sign that the legend gives to what the user says of the number: "3 kW out of the battery", 收到5000.
fn find_side(
    asked: &Asked<'_>,
    argument: &Argument<'_>,
    number: f64,
    measure: Measure,
) -> Option<(&'static str, bool)> {
    let legend = Legend::of(asked, argument)?;
    let same = |value: f64| is_near(value, number.abs());
    // The words in the clause of the number itself count first, whoever said them.
    let clauses = asked.in_force().flat_map(|reading| {
        let mentions = reading.numbers().filter(|(_, quantity)| {
            measure.value_of(quantity, quantity.value).is_some_and(same) || same(quantity.value)
        });
        mentions.map(|(mention, _)| clause_around(&reading.lower, mention.range.start))
    });
    let places: Vec<&str> = clauses.chain([asked.last.lower.as_str()]).collect();
    SIDES.iter().find_map(|(legend_out, legend_in, out, into)| {
        let above = legend.is_above(Cue::named(legend_in), Cue::named(legend_out))?;
        places.iter().find_map(|text| {
            let says = |list: &str| Cue::named(list).find_in(text).map(|found| found.0);
            match (says(out), says(into)) {
                (Some(word), None) => Some((word, !above)),
                (None, Some(word)) => Some((word, above)),
                _ => None,
            }
        })
    })
}

/// The direction of a change that the user's last words tell, or a rule of the operator.
fn find_change(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<(&'static str, bool)> {
    if !is_change(asked, argument) {
        return None;
    }
    // The clause in which the number is told to be changed counts first: "he got 200 too many, take the 200 off again".
    let mut clauses: Vec<&str> = asked
        .last
        .numbers()
        .filter(|(_, quantity)| quantity.value == number.abs())
        .map(|(mention, _)| clause_around(&asked.last.lower, mention.range.start))
        .collect();
    clauses.reverse();
    let told = clauses.into_iter().find_map(|clause| match (find_word("less", clause), find_word("more", clause)) {
        (Some(word), None) => Some((word, false)),
        (None, Some(word)) => Some((word, true)),
        _ => None,
    });
    if told.is_some() {
        return told;
    }
    let says = |list: &str| find_word(list, &asked.last.lower);
    match (says("less"), says("more")) {
        (Some(word), None) => Some((word, false)),
        (None, Some(word)) => Some((word, true)),
        (None, None) => find_rule(asked, number),
        _ => None,
    }
}

fn find_word(list: &str, text: &str) -> Option<&'static str> {
    Cue::named(list).find_in(text).map(|found| found.0)
}

/// A choice of the call itself that says that something is gone: `reason: damage`, 报损.
fn find_loss(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<(String, bool)> {
    let reason = asked.arguments.iter().find(|other| {
        let listed = other.node.param.is_some_and(|param| !param.allowed.is_empty());
        listed && other.text().is_some_and(|text| Cue::named("is-lost").stands_in(&text.replace(['_', '-'], " ")))
    })?;
    (number > 0.0 && is_change(asked, argument)).then(|| (reason.text().unwrap_or_default().to_owned(), false))
}

/// The sign of the way from what a record has to what the user says there is: 214 in stock, "only 202 are there".
fn find_difference(asked: &Asked<'_>, number: f64) -> Option<(String, bool)> {
    let said = asked.last.numbers().any(|(_, quantity)| quantity.value.abs() == number.abs());
    let held = asked.records().iter().flat_map(|record| &record.fields).filter(|(key, _)| !is_label(key));
    let held: Vec<f64> = held.filter_map(|(_, value)| value.as_f64()).collect();
    let ways = asked.last.numbers().flat_map(|(mention, quantity)| {
        let way = |held: &f64| {
            (is_near((quantity.value - held).abs(), number.abs())).then_some((mention, quantity.value > *held))
        };
        held.iter().filter_map(way).collect::<Vec<_>>()
    });
    let ways: Vec<_> = ways.collect();
    let (mention, positive) = *ways.first()?;
    let agreed = !said && ways.iter().all(|(_, other)| *other == positive);
    agreed.then(|| (asked.last.text(mention).to_owned(), positive))
}

/// The direction that a rule of the operator gives to the number: 缺席一次扣5分 and `delta: 5`.
fn find_rule(asked: &Asked<'_>, number: f64) -> Option<(&'static str, bool)> {
    let told = asked.others.iter().find_map(|reading| {
        let (mention, _) = reading.numbers().find(|(_, quantity)| quantity.value == number.abs())?;
        let before = reading.lower.get(..mention.range.start)?;
        let side = |list: &str| {
            let cue = Cue::named(list);
            cue.english.iter().chain(&cue.chinese).find(|word| before.trim_end().ends_with(**word))
        };
        match (side("less"), side("more")) {
            (Some(word), None) => Some((*word, false)),
            (None, Some(word)) => Some((*word, true)),
            _ => None,
        }
    });
    told.filter(|_| asked.last.numbers().all(|(_, quantity)| quantity.value != number.abs()))
}

/// Words of a legend that tell nothing of its side.
const IDLE: &[&str] = word_list!("check_call", "request/sign/idle");
/// Sides that one Chinese sign names.
const DIRECTIONS: &[&str] = &["东", "西", "南", "北", "上", "下", "左", "右", "前", "后"];
/// What a legend calls the two sides, outward and inward, and what people say of them.
const SIDES: &[(&str, &str, &str, &str)] = &[
    ("outgoing", "incoming", "spent", "received"),
    ("stock-out", "stock-in", "went-out", "came-in"),
    ("drawn", "charged", "drawn-out", "charged-up"),
    ("deducted", "paid-out", "to-deduct", "to-pay-out"),
];
