//! Conditions with a number: "if it's above 30, start the fan, otherwise open the roof", and the result said 26. Which half of
//! the sentence holds is told by the number of the newest result, which half the call carries out by its values and its deed.

use super::asked::{Asked, stands_in};
use super::slip::{Slip, Strength, show};
use crate::contract::Role;
use crate::contract::codes::meaning::NOT_ASKED;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lexicon::{Deeds, find_chinese, find_english};
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::sentences::sentences;
use crate::text::stems::stem;
use crate::text::units::{self, Short};
use crate::text::words::{identifier_words, words};
use serde_json::Value;
use std::ops::Range;

/// Finds the half of a condition that does not hold.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let Some(result) = asked.results.first().filter(|_| has_looked(asked)) else { return };
    let mut conditions =
        asked.last.numbers().filter_map(|(mention, quantity)| Condition::of(asked.last, mention, quantity));
    let Some(condition) = conditions.next().filter(|_| conditions.next().is_none()) else { return };
    let Some((key, value)) = condition.measured(result) else { return };
    let holds = match condition.side {
        Side::Above => value > condition.quantity.value,
        Side::Below => value < condition.quantity.value,
    };
    let carried = condition.carried_out(asked);
    let wrong = matches!((carried, holds), (Some(Half::Then), false) | (Some(Half::Else), true));
    // What is exactly so is on either side.
    if !wrong || (value - condition.quantity.value).abs() < f64::EPSILON {
        return;
    }
    let (name, said, shown) = (&asked.subject.tool.spec.name, condition.said.trim(), show(value));
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", and `{key}` is {shown}: the call is for the other case",
        "用户说的是“{said}”，而 `{key}` 是 {shown}，这次调用对应的是另一种情况"
    );
    let hint = localized!(
        asked.subject.language,
        "do what the user wants in this case, or ask before you call `{name}`",
        "请按这种情况下用户的要求去做，或在调用 `{name}` 之前先询问用户"
    );
    slips.push(Slip { pointer: "/name".to_owned(), code: &NOT_ASKED, strength: Strength::Strong, evidence, hint });
}

/// Whether a result came since the user spoke.
fn has_looked(asked: &Asked<'_>) -> bool {
    let messages = asked.subject.conversation.messages();
    let spoken = messages.iter().rposition(|message| message.role == Role::User && !message.text.is_empty());
    spoken.is_some_and(|at| messages.iter().skip(at + 1).any(|message| !message.results.is_empty()))
}

/// Which side of its number a condition wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Above,
    Below,
}

/// The halves of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Then,
    Else,
}

/// "If <what is measured> is above <number>, <then>, otherwise <else>".
struct Condition<'t> {
    said: &'t str,
    /// What stands before it in the message.
    before: &'t str,
    /// What is measured.
    about: &'t str,
    side: Side,
    quantity: &'t Quantity,
    then: &'t str,
    other: &'t str,
}

impl<'t> Condition<'t> {
    /// The condition that a number belongs to.
    fn of(reading: &'t Reading, mention: &Mention, quantity: &'t Quantity) -> Option<Self> {
        let lower = reading.lower.as_str();
        let sentence = sentences(lower).into_iter().find(|range| range.contains(&mention.range.start))?;
        let before = lower.get(sentence.start..mention.range.start)?;
        let behind = lower.get(mention.range.end..)?;
        let opens = opening(before).or_else(|| unopened(before, behind))?;
        let about = before.get(opens.end..)?;
        let side = side_of(about, behind, reading)?;
        let mark = find_otherwise(behind);
        // What follows may take sentences of its own: "…. Otherwise leave it".
        let (then, other) = match &mark {
            Some(mark) => (behind.get(..mark.start)?, behind.get(mark.end..)?),
            None => (first_clause(behind), ""),
        };
        // "The dinghy if it's below 15, the launch if not".
        let last = mark.is_some() && words(other).is_empty();
        let other = if last { first_clause(then.split_once([',', '，']).map_or(then, |cut| cut.1)) } else { other };
        // "Start the fan if it's above 30".
        let led = last || words(then).len() <= MAX_UNIT_WORDS;
        let then = if led { before.get(..opens.start)? } else { then };
        // 不到15节 is below it, and denies nothing.
        let denied = Cue::named("negation").english.iter().any(|word| stands_in(about, word));
        let said = lower.get(sentence.start + opens.start..mention.range.end)?;
        let ahead = lower.get(..sentence.start + opens.start)?;
        (!denied && quantity.upper.is_none() && !words(then).is_empty()).then_some(Self {
            said,
            before: ahead,
            about,
            side,
            quantity,
            then,
            other,
        })
    }

    /// The one number of a result that is what the condition measures, in the condition's unit.
    fn measured<'v>(&self, result: &'v Value) -> Option<(&'v str, f64)> {
        let map = result.as_object()?;
        let inner = map.values().filter_map(Value::as_object).flatten();
        let numbers: Vec<(&str, f64)> = map
            .iter()
            .chain(inner)
            .take(MAX_FIELDS)
            .filter_map(|(key, value)| Some((key.as_str(), value.as_f64()?)))
            .collect();
        let terms: Vec<String> =
            words(self.about).into_iter().map(|word| word.folded.trim_end_matches("'s").to_owned()).collect();
        let named = |key: &str| {
            identifier_words(key).iter().any(|word| {
                let long = word.chars().count() >= if word.is_ascii() { 4 } else { 2 };
                long && (terms.iter().any(|term| stem(term) == stem(word))
                    || !word.is_ascii() && self.about.contains(word.as_str()))
            })
        };
        let unit_of = |key: &str| identifier_words(key).iter().rev().find_map(|word| units::unit(word, Short::Counts));
        let alike = |key: &str| {
            self.quantity.unit.is_some_and(|unit| {
                unit_of(key).is_some_and(|own| own.dimension == unit.dimension) || key == unit.dimension
            })
        };
        // "Check the wind": what was asked to be looked at, said before the condition.
        let asked: Vec<String> = words(self.before).into_iter().map(|word| stem(&word.folded).into_owned()).collect();
        let spoken = |key: &str| {
            identifier_words(key).iter().any(|word| word.len() >= 4 && asked.contains(&stem(word).into_owned()))
        };
        let bare = |key: &str| numbers.len() == 1 && matches!(key, "value" | "reading" | "result" | "level");
        let one = |found: Vec<&(&'v str, f64)>| if let [one] = found.as_slice() { Some(**one) } else { None };
        let (key, value) = one(numbers.iter().filter(|(key, _)| named(key)).collect())
            .or_else(|| one(numbers.iter().filter(|(key, _)| alike(key)).collect()))
            .or_else(|| one(numbers.iter().filter(|(key, _)| alike(key) && spoken(key)).collect()))
            .or_else(|| one(numbers.iter().filter(|(key, _)| bare(key)).collect()))?;
        match (unit_of(key), self.quantity.unit) {
            (Some(own), Some(unit)) if own.dimension == unit.dimension => Some((key, own.convert(value, unit)?)),
            _ => Some((key, value)),
        }
    }

    /// The half that the call carries out, by the words of its values and by its deed; nothing where both or neither speak of it.
    fn carried_out(&self, asked: &Asked<'_>) -> Option<Half> {
        let tool = asked.subject.tool.spec.deeds();
        let texts = asked
            .arguments
            .iter()
            .filter(|argument| argument.node.roles == Default::default() || argument.reference().is_some());
        let mut tokens: Vec<String> = texts.filter_map(|argument| argument.text()).flat_map(tokens_of).collect();
        tokens.extend(
            asked.arguments.iter().filter_map(|argument| argument.number()).filter(|number| *number >= 2.0).map(show),
        );
        let has = |half: &str| {
            let stems: Vec<String> = words(half).into_iter().map(|word| stem(&word.folded).into_owned()).collect();
            let stands = |token: &String| {
                if token.is_ascii() {
                    stems.contains(&stem(token).into_owned()) || stands_in(half, token)
                } else {
                    half.contains(token.as_str())
                }
            };
            (tokens.iter().filter(|token| stands(token)).cloned().collect::<Vec<_>>(), deeds_in(half).meet(&tool.deeds))
        };
        let ((then, then_deed), (other, other_deed)) = (has(self.then), has(self.other));
        let only = |own: &[String], beside: &[String]| own.iter().any(|token| !beside.contains(token));
        let (in_then, in_other) = (only(&then, &other), only(&other, &then));
        match (in_then, in_other, then_deed, other_deed) {
            (true, false, _, _) => Some(Half::Then),
            (false, true, _, _) => Some(Half::Else),
            (false, false, true, false) => Some(Half::Then),
            (false, false, false, true) => Some(Half::Else),
            _ => None,
        }
    }
}

/// The word that opens a condition before a number, in bytes.
fn opening(before: &str) -> Option<Range<usize>> {
    let words = words(before);
    let english = words.iter().rev().find(|word| word.folded == "if").map(|word| word.range.clone());
    let english = english.or_else(|| before.rfind("as long as ").map(|at| at..at + "as long as".len()));
    let chinese = || {
        ["如果", "要是", "假如", "若是", "若"].iter().find_map(|word| before.rfind(word).map(|at| at..at + word.len()))
    };
    english.or_else(chinese)
}

/// 风速超过15节就…: a Chinese condition that no word opens begins with its clause, and 就 follows its number.
fn unopened(before: &str, behind: &str) -> Option<Range<usize>> {
    let near: String = behind.chars().take(MAX_UNIT_ZH).collect();
    let start =
        before.rfind(['，', ',', '。', '；', ';', '！', '\n']).map_or(0, |at| before.ceil_char_boundary(at + 1));
    let leads = near.contains('就') && !before.get(start..)?.contains('就');
    leads.then_some(start..start)
}

/// The first clause of a text that says more than a unit.
fn first_clause(text: &str) -> &str {
    let clauses = text.split([',', '.', ';', '!', '?', '\n', '，', '。', '；', '！', '？']);
    clauses.into_iter().find(|clause| words(clause).len() > MAX_UNIT_WORDS).unwrap_or_default()
}

/// The side that the words beside a number want.
fn side_of(about: &str, behind: &str, reading: &Reading) -> Option<Side> {
    let behind = behind.trim_start();
    let near = |list: &str| Cue::named(list).ends(about);
    let follows = |list: &str| {
        let cue = Cue::named(list);
        cue.english.iter().chain(&cue.chinese).any(|word| behind.starts_with(word))
    };
    match () {
        () if near("compares-above") || follows("or-above") => Some(Side::Above),
        () if near("compares-below") || follows("or-below") => Some(Side::Below),
        // What is better is less of it where it is a delay, a price or an error.
        () if near("compares-better") || near("compares-worse") => {
            let less = Cue::named("less-is-better").stands_in(&reading.lower);
            less.then_some(if near("compares-better") { Side::Below } else { Side::Above })
        }
        () => None,
    }
}

/// Where the other case begins.
fn find_otherwise(behind: &str) -> Option<Range<usize>> {
    let mut places: Vec<(usize, &str)> =
        Cue::named("otherwise").places_in(behind).map(|(word, at)| (at, word)).collect();
    places.sort_unstable();
    places.first().map(|(at, word)| *at..at + word.len())
}

/// The telling words of a value: `P-M51-LRGB` has M51 and LRGB.
fn tokens_of(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    let long = |part: &&str| {
        let digits = part.bytes().all(|byte| byte.is_ascii_digit());
        if part.starts_with(is_han) { part.chars().count() >= 2 } else { part.len() >= 3 && !digits }
    };
    parts.filter(long).map(str::to_owned).take(MAX_TOKENS).collect()
}

fn deeds_in(text: &str) -> Deeds {
    let words = words(text);
    let words: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
    let english = find_english(&words).into_iter().fold(Deeds::default(), |all, found| all.join(&found.deeds.acts()));
    find_chinese(text).into_iter().fold(english, |all, found| all.join(&found.deeds.acts()))
}

/// "Arcsec", "degrees outside": no more than what belongs to the number.
const MAX_UNIT_WORDS: usize = 2;
const MAX_UNIT_ZH: usize = 5;
const MAX_FIELDS: usize = 100;
const MAX_TOKENS: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-3
    #[test]
    fn conditions_have_their_halves() {
        let read = |text: &str| {
            let reading = Reading::of(text);
            let (mention, quantity) = reading.numbers().next().unwrap();
            Condition::of(&reading, mention, quantity)
                .map(|found| (found.side, found.then.trim().to_owned(), found.other.trim().to_owned()))
        };
        let (side, then, other) = read("if it's above 30 start the fan, otherwise open the roof").unwrap();
        assert_eq!(side, Side::Above);
        assert!(then.contains("fan") && !then.contains("roof") && other.contains("roof"));
        let (side, then, other) = read("open the roof if the wind is below 20, else leave it").unwrap();
        assert!(side == Side::Below && then.contains("roof") && other.contains("leave"));
        let (side, then, other) = read("要是温度低于5就开加热，不然就开窗").unwrap();
        assert!(side == Side::Below && then.contains("加热") && other.contains("开窗"));
        let (_, then, other) = read("the dinghy if it's below 15 knots, the motor launch if not").unwrap();
        assert!(then.contains("dinghy") && other.contains("launch"), "{then} / {other}");
        let (side, then, other) = read("风速超过15节就换汽艇，没超过就帆船").unwrap();
        assert!(side == Side::Above && then.contains("汽艇") && other.contains("帆船"), "{then} / {other}");
        assert!(read("if 30 people come, book the hall").is_none() && read("above 30 it is too hot").is_none());
    }
}
