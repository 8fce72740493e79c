//! Values that the user took back: "no, make it Tuesday", 改成七点.

use super::argument::{Argument, Held};
use super::asked::{Asked, stands_in};
use super::left_out::mask;
use super::slip::{Says, Slip, Strength, compare_hint};
use super::trace::{Measure, is_near};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::SUPERSEDED;
use crate::localized;
use crate::text::mentions::date::DateWords;
use crate::text::mentions::{Quantity, Reading};
use jiff::civil::Date;

/// Finds values that a later message replaced.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    if asked.earlier.is_empty() {
        return;
    }
    for argument in &asked.arguments {
        let replaced = match &argument.value {
            Held::Number(number) => find_number(asked, argument, *number),
            Held::Moment(moment) => {
                let time = moment.minutes.and_then(|minutes| find_time(asked, minutes));
                time.or_else(|| moment.date.and_then(|date| find_date(asked, date)))
            }
            Held::Text(text) => find_literal(asked, text).or_else(|| find_words(asked, argument, text)),
        };
        if let Some(said) = replaced {
            let key = argument.node.key;
            let evidence = localized!(
                asked.subject.language,
                "the user's last word is \"{said}\", `{key}` still has what was said before",
                "用户最后说的是“{said}”，而 `{key}` 仍是之前的值"
            );
            slips.push(Slip::on(
                asked,
                argument,
                &SUPERSEDED,
                Strength::Strong,
                Says { evidence, hint: compare_hint(key, asked.subject.language) },
            ));
        }
    }
}

/// A number that was said before, where the last message gives another of the same kind.
fn find_number(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<String> {
    let measure = Measure::of(argument, None);
    if argument.node.roles.has(Role::ResultSize) || argument.node.roles.has(Role::Id) {
        return None;
    }
    let says = |reading: &Reading| {
        reading.numbers().any(|(_, quantity)| {
            let values = [Some(quantity.value), quantity.upper].into_iter().flatten();
            values
                .into_iter()
                .any(|value| measure.value_of(quantity, value).is_some_and(|value| is_near(value, number)))
        })
    };
    if !asked.earlier.iter().any(|reading| says(reading)) || says(asked.last) {
        return None;
    }
    let plain = |quantity: &Quantity| quantity.unit.is_none() && quantity.currency.is_none();
    let mut like = asked
        .last
        .numbers()
        .filter(|(mention, quantity)| !mention.excluded && (measure.is_like(quantity) || plain(quantity)));
    let (mention, quantity) = like.next()?;
    if like.any(|(_, other)| other.value != quantity.value) {
        return None;
    }
    let used = asked.arguments.iter().any(|other| {
        other.number().is_some_and(|own| is_near(quantity.value, own))
            || other.text().is_some_and(|text| stands_in(text, &super::slip::show(quantity.value)))
    });
    // In a longer message, or beside words of its own, another number may be about something else.
    let rivals = asked
        .arguments
        .iter()
        .filter(|other| {
            other.number().is_some_and(|own| {
                asked.earlier.iter().any(|reading| reading.numbers().any(|(_, quantity)| quantity.value == own))
            })
        })
        .count();
    let noun = |reading: &Reading, quantity: &Quantity| {
        reading.lower.get(quantity.noun.clone()).unwrap_or_default().split(' ').next().unwrap_or_default().to_owned()
    };
    let own_noun = noun(asked.last, quantity);
    let same_noun = asked
        .earlier
        .iter()
        .any(|reading| reading.numbers().any(|(_, old)| is_near(old.value, number) && noun(reading, old) == own_noun));
    let sure = rivals == 1
        && (same_noun
            || quantity.currency.is_some()
            || !quantity.counts
            || quantity.unit.is_some()
            || has_cue(asked.last));
    let short = asked.last.lower.chars().count() <= SHORT;
    (!used && short && sure).then(|| asked.last.text(mention).to_owned())
}

/// An id or a number plate that was said before, where the last message corrects it.
fn find_literal(asked: &Asked<'_>, text: &str) -> Option<String> {
    let says = |reading: &Reading, wanted: &str| {
        reading
            .literals()
            .any(|mention| wanted.contains(reading.text(mention)) && reading.text(mention).len() * 2 > wanted.len())
    };
    let cued = has_cue(asked.last) || WRONG.iter().any(|word| asked.last.lower.contains(word));
    if !cued || says(asked.last, text) || !asked.earlier.iter().any(|reading| says(reading, text)) {
        return None;
    }
    let own = mask(text.trim_start_matches(|c: char| !c.is_ascii()));
    let new = asked.last.literals().find(|mention| {
        let said = asked.last.text(mention);
        !mention.excluded
            && mask(said) == own
            && !asked.arguments.iter().any(|argument| argument.text().is_some_and(|text| text.contains(said)))
    })?;
    Some(asked.last.text(new).to_owned())
}

/// A time of day that was said before, where the last message gives another.
fn find_time(asked: &Asked<'_>, minutes: u16) -> Option<String> {
    let says = |reading: &Reading| reading.clocks().any(|(_, clock)| clock.is(minutes));
    let before = asked.earlier.iter().any(|reading| says(reading));
    let mut new = asked.last.clocks().filter(|(mention, _)| !mention.excluded);
    let (mention, clock) = new.next().filter(|_| new.next().is_none())?;
    let used = asked.arguments.iter().filter_map(|argument| argument.moment()?.minutes).any(|own| clock.is(own));
    (before && !says(asked.last) && !used).then(|| asked.last.text(mention).to_owned())
}

/// A day that was said before, where the last message puts another in its place.
fn find_date(asked: &Asked<'_>, date: Date) -> Option<String> {
    let means = |words: DateWords| words.resolve(asked.today).iter().any(|days| days.first == date);
    let before = asked.earlier.iter().any(|reading| reading.dates().any(|(_, words)| means(words)));
    let at = CUES.iter().filter_map(|cue| asked.last.lower.find(cue).map(|at| at + cue.len())).min()?;
    let (mention, words) =
        asked.last.dates().find(|(mention, _)| mention.range.start + 8 >= at && !mention.excluded)?;
    let month = matches!(words, DateWords::DayOfMonth(day) if day == date.day());
    let carried = asked.arguments.iter().filter_map(|argument| argument.moment()?.date).any(|own| {
        words.resolve(asked.today).iter().any(|days| days.first <= own && own <= days.last)
            || matches!(words, DateWords::DayOfMonth(day) if day == own.day())
    });
    (before && !means(words) && !month && !carried).then(|| asked.last.text(mention).to_owned())
}

/// A name that was said before, where the last message puts another in its place.
fn find_words(asked: &Asked<'_>, argument: &Argument<'_>, text: &str) -> Option<String> {
    let roles = argument.node.roles;
    if roles.has(Role::FreeText)
        || text.len() > MAX_WORDS
        || argument.node.param.is_some_and(|param| !param.required && param.default.is_some())
    {
        return None;
    }
    let new = replacement(asked.last)?;
    let before = asked.earlier.iter().any(|reading| has_name(&reading.lower, text));
    let carried = asked
        .arguments
        .iter()
        .filter_map(Argument::text)
        .any(|own| own.contains(new.as_str()) || new.contains(own) && own.len() >= 2);
    // Only one argument can be what was replaced: the one that the last message does not name.
    let kept = has_name(&asked.last.lower, text) && !is_rejected(&asked.last.lower, text);
    let rivals = asked.arguments.iter().filter(|other| {
        other.text().is_some_and(|own| {
            own.len() <= MAX_WORDS
                && !other.node.roles.has(Role::FreeText)
                && !own.contains(|c: char| c.is_ascii_digit())
                && asked.earlier.iter().any(|reading| has_name(&reading.lower, own))
        })
    });
    let named = !text.contains(|c: char| c.is_ascii_digit());
    (before && named && !carried && !kept && rivals.count() == 1).then_some(new)
}

/// Whether a text has a name, or the beginning of a Chinese one: 南门 for 南门驿站.
fn has_name(lower: &str, name: &str) -> bool {
    let head: String = name.chars().take(2).collect();
    stands_in(lower, name)
        || (!name.is_ascii() && (lower.contains(name) || head.chars().count() == 2 && lower.contains(&head)))
}

/// Whether the last message names a thing only to turn it down: 南门太远了.
fn is_rejected(lower: &str, name: &str) -> bool {
    let head: String = if name.is_ascii() { name.to_owned() } else { name.chars().take(2).collect() };
    let behind = lower.find(&head).and_then(|at| lower.get(at + head.len()..)).unwrap_or_default();
    let clause = behind.split(['，', ',', '。', '.', ';', '；']).next().unwrap_or_default();
    REJECTS.iter().any(|word| clause.contains(word))
        || crate::text::mentions::role::is_excluded(lower, lower.find(&head).unwrap_or(0))
}

/// What the last message puts in the place of something: the words after its cue.
fn replacement(last: &Reading) -> Option<String> {
    let (lower, mentions) = (last.lower.as_str(), &last.mentions);
    for cue in CUES {
        let Some(at) = lower.find(cue) else { continue };
        if at > 0 && cue.is_ascii() && !super::asked::stands_in(lower, cue.trim_end()) {
            continue;
        }
        let rest = lower.get(at + cue.len()..).unwrap_or_default().trim_start();
        let end = rest
            .find(['，', ',', '。', '.', ';', '；', '!', '！', '?', '？', '\n', '吧', '了', '的'])
            .unwrap_or(rest.len());
        let words = rest.get(..end).unwrap_or_default().trim();
        let words = ["the ", "a ", "an ", "it ", "to "]
            .iter()
            .fold(words, |words, article| words.strip_prefix(article).unwrap_or(words));
        let short: String = if words.is_ascii() {
            words.split(' ').take(2).collect::<Vec<_>>().join(" ")
        } else {
            words.chars().take(6).collect()
        };
        let from = lower.len() - rest.len();
        let numbered = mentions.iter().any(|mention| mention.range.start < from + end && mention.range.end > from);
        if short.chars().count() >= 2 && !numbered && !short.contains(|c: char| c.is_ascii_digit()) {
            return Some(short);
        }
    }
    None
}

fn has_cue(reading: &Reading) -> bool {
    CUES.iter().any(|cue| reading.lower.contains(cue))
}

const SHORT: usize = 120;
const MAX_WORDS: usize = 60;
/// Words that put one thing in the place of another.
const CUES: &[&str] = &[
    "make that ",
    "make it ",
    "change it to ",
    "change that to ",
    "switch to ",
    "i meant ",
    "i mean ",
    "actually ",
    "rather ",
    "no, ",
    "sorry, ",
    "instead ",
    "改成",
    "改为",
    "换成",
    "改到",
    "换到",
    "应该是",
    "还是",
    "改去",
    "改用",
    "改坐",
    "改喝",
    "改吃",
    "错了，是",
    "不对，是",
    "不对，",
];
const REJECTS: &[&str] = &["太", "不", "too ", "no longer", "won't", "can't", "not "];
/// Words that own a mistake.
const WRONG: &[&str] = &["错", "wrong", "typo", "sorry", "correction", "should be", "mistake", "oops"];
