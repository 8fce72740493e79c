//! What a record has or is, by a switch, a measure or a letter of it: "one with a piano" and `piano: true`, "the 110 hp one",
//! B区 and `zone: "B"`.
//!
//! The words are those of the fields' own names, so that no list is needed. A switch is told only by words that wish for it or
//! point at it, and a number only where it stands for the thing itself: "we have a piano" and "for 110 guests" name nothing.

use super::asked::{Asked, clause_around, find_whole};
use super::records::{Record, is_label};
use crate::check_call::role::{Role, Roles};
use crate::contract::language::is_han;
use crate::text::cues::Cue;
use crate::text::lexicon::find_english;
use crate::text::mentions::role::is_excluded;
use crate::text::stems::stem;
use crate::text::words::identifier_words;
use serde_json::Value;

/// What a message may say of the qualities of records.
pub(super) struct Qualities {
    /// What the call is about: the words of the tool's name.
    nouns: Vec<String>,
    /// The numbers that the call has for something else.
    taken: Vec<f64>,
}

impl Qualities {
    pub(super) fn of(asked: &Asked<'_>) -> Self {
        let taken = asked.arguments.iter().filter_map(|argument| argument.number()).collect();
        Self { nouns: identifier_words(&asked.subject.tool.spec.name), taken }
    }

    /// The words that name a record by what it has or is, where others beside it have or are not so.
    pub(super) fn names(&self, lower: &str, record: &Record<'_>, all: &[&Record<'_>]) -> Vec<String> {
        let differs = |key: &str, value: &Value| {
            let own = |other: &&&Record<'_>| other.fields.iter().any(|(own, its)| *own == key && *its == value);
            all.iter().filter(own).count() < all.len()
        };
        let told = record.fields.iter().filter_map(|(key, value)| {
            let name = match value {
                Value::Bool(on) => self.switch(lower, key, *on),
                Value::Number(number) => self
                    .measure(lower, key, number.as_f64()?)
                    .or_else(|| self.numbered(lower, key, &number.to_string(), number.as_f64()?)),
                Value::String(text) => letter(lower, key, text)
                    .or_else(|| self.numbered(lower, key, text, text.parse().ok().filter(|_| text.len() <= 3)?)),
                _ => None,
            };
            name.filter(|_| differs(key, value))
        });
        told.collect()
    }

    /// "With a piano" and a switch that is on, "without a piano" and one that is off.
    fn switch(&self, lower: &str, key: &str, on: bool) -> Option<String> {
        let words: Vec<String> =
            identifier_words(key).into_iter().filter(|word| !AUXILIARY.contains(&word.as_str())).collect();
        let phrase = words.join(if key.contains(is_han) { "" } else { " " });
        if phrase.chars().count() < if phrase.is_ascii() { 3 } else { 2 } {
            return None;
        }
        let wished = [phrase.clone(), phrase.replace(' ', "-"), format!("{phrase}s")]
            .iter()
            .find_map(|phrase| Some((find_whole(lower, phrase)?, phrase.len())))
            .and_then(|(at, length)| self.is_wished(lower, at, length))?;
        (wished == on).then(|| if on { phrase } else { format!("no {phrase}") })
    }

    /// Whether the words around a quality wish for it or against it; nothing where they do neither.
    fn is_wished(&self, lower: &str, at: usize, length: usize) -> Option<bool> {
        let (before, behind) = (lower.get(..at)?.trim_end(), lower.get(at + length..)?);
        // What is asked is no wish.
        let asks = behind.find(['.', '!', '?', '\n']).is_some_and(|end| behind.get(end..end + 1) == Some("?"));
        if asks {
            return None;
        }
        if !lower.get(at..at + length)?.is_ascii() {
            let lacks = ["没有", "不带", "不含", "没", "无"].iter().any(|word| before.ends_with(word));
            let has = ["有", "带", "含", "带着"].iter().any(|word| before.ends_with(word));
            return if lacks { Some(false) } else { has.then_some(true) };
        }
        let ends = |text: &str, list: &[&str]| {
            list.iter().any(|word| text.strip_suffix(word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric)))
        };
        let denied = Cue::named("negation").stands_in(clause_around(lower, at).get(..).unwrap_or_default());
        let behind = behind.strip_prefix(' ').unwrap_or_default();
        let next = behind.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let thing = matches!(next, "one" | "ones") || self.nouns.iter().any(|noun| stem(noun) == stem(next));
        if thing && ends(before, &["the", "that", "an", "a", "those"]) {
            return (!denied).then_some(true);
        }
        // "An automatic please", "we need a stove": the quality stands for the thing.
        let alone = behind.trim().is_empty()
            || behind.starts_with(['.', ',', ';', '!'])
            || matches!(next, "please" | "with" | "that" | "then");
        let led = ["a", "an", "any", "the"]
            .iter()
            .find(|word| ends(before, &[word]))
            .and_then(|word| before.strip_suffix(word));
        if let Some(led) = led.map(str::trim_end).filter(|_| alone && !denied) {
            let last = led.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
            let taken = TAKES.contains(&last) || self.nouns.iter().any(|noun| stem(noun) == stem(last));
            if led.is_empty() || led.ends_with(['.', ',', ';', '!', '\n']) || taken && !last.is_empty() {
                return Some(true);
            }
        }
        let bare = ["a", "an", "the", "its own", "their own", "any", "some", "its", "proper"]
            .iter()
            .find(|word| ends(before, &[word]))
            .and_then(|word| before.strip_suffix(word))
            .unwrap_or(before)
            .trim_end();
        if ends(bare, &["without", "with no", "has no", "have no"]) {
            return Some(false);
        }
        let named = lower.get(at..at + length)?;
        let deed = !find_english(&[named]).is_empty() || named.ends_with("ed");
        // "We come with a dog" tells of the speaker; "one with a stove", "the cheapest with a stove" of the thing.
        let carried = bare.strip_suffix("with").map(str::trim_end).is_some_and(|led| {
            let last = led.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
            let thing = matches!(last, "one" | "ones" | "those" | "that" | "any" | "anything" | "something" | "only");
            !(thing || last.ends_with("est") || self.nouns.iter().any(|noun| stem(noun) == stem(last)))
        });
        let wishes = !carried
            && ends(
                bare,
                &["with", "that has", "which has", "that have", "must have", "to have", "should have", "needs"],
            )
            || !deed && ends(bare, &["has to be", "have to be", "must be", "needs to be", "should be"]);
        (wishes && !denied).then_some(true)
    }

    /// "Grade 7", "floor 12": the number right behind the name of its field.
    fn numbered(&self, lower: &str, key: &str, shown: &str, number: f64) -> Option<String> {
        let name = identifier_words(key).pop().filter(|name| name.len() >= 3)?;
        let phrase = format!("{name} {shown}");
        let at = find_whole(lower, &phrase).filter(|_| !self.taken.contains(&number))?;
        let goes_on = lower.get(at + phrase.len()..)?.starts_with(|c: char| ".,:-/".contains(c))
            && lower.get(at + phrase.len() + 1..)?.starts_with(|c: char| c.is_ascii_digit());
        (!goes_on && !is_excluded(lower, at)).then_some(phrase)
    }

    /// "A 110", "the 110 hp one", 110马力的: the number stands for the thing that has it.
    fn measure(&self, lower: &str, key: &str, number: f64) -> Option<String> {
        if is_label(key) || number < 2.0 || self.taken.contains(&number) {
            return None;
        }
        let shown = format!("{number}");
        let words = identifier_words(key);
        let mut from = 0;
        for _ in 0..MAX_PLACES {
            let at = from + lower.get(from..)?.find(&shown)?;
            from = at + shown.len();
            let (before, behind) = (lower.get(..at)?, lower.get(from..)?);
            let digit = |c: char| c.is_ascii_digit();
            let inside = before.ends_with(|c: char| digit(c) || c.is_ascii_alphabetic() || ".,:-/".contains(c))
                || behind.starts_with(digit)
                || behind.strip_prefix(['.', ',', ':', '/', '-']).is_some_and(|rest| rest.starts_with(digit));
            if !inside && (stands_for_it(before, behind, &words) || stands_for_it_zh(behind)) {
                return Some(shown);
            }
        }
        None
    }
}

/// "The 110", "a 110 for that slope", "the 110s", "the 110 hp one".
fn stands_for_it(before: &str, behind: &str, key: &[String]) -> bool {
    let article = before.trim_end().rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    if !before.ends_with(' ') {
        return false;
    }
    // "The one with 7 seats".
    let with = ["one with ", "ones with ", "that has ", "which has "].iter().any(|words| before.ends_with(words));
    if !with && !matches!(article, "a" | "an" | "the") {
        return false;
    }
    let behind = behind.strip_prefix('s').filter(|rest| !rest.starts_with(char::is_alphanumeric)).unwrap_or(behind);
    let rest = behind.trim_start_matches([' ', '-']);
    let next = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let unit = !next.is_empty() && key.iter().any(|word| stem(word) == stem(next));
    let then = if unit { rest.get(next.len()..).unwrap_or_default().trim_start_matches([' ', '-']) } else { rest };
    let then = then.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let one = matches!(then, "one" | "ones");
    let ends = behind.trim_start().is_empty() || behind.starts_with([',', '.', ';', '!', ')']);
    one || with && unit || !with && !unit && (ends || FOLLOWS.contains(&next))
}

/// 110马力的, 12楼那套: the number with a short unit, which makes an attribute of it.
fn stands_for_it_zh(behind: &str) -> bool {
    let mut signs = behind.chars().take(MAX_UNIT_ZH + 2).skip_while(|c| *c == ' ');
    let first = signs.next();
    // Hours, days and counts are no attributes of a thing.
    first.is_some_and(|c| is_han(c) && !"点时分号月日年天晚次个人位".contains(c))
        && (first == Some('的') || signs.take(MAX_UNIT_ZH).take_while(|c| is_han(*c)).any(|c| matches!(c, '的' | '那')))
}

/// B区, "zone B": a field that is one letter, beside the field's name or before a Chinese word.
fn letter(lower: &str, key: &str, text: &str) -> Option<String> {
    let [byte] = text.as_bytes() else { return None };
    if !byte.is_ascii_uppercase() || Roles::of(key, "", None).has(Role::Id) {
        return None;
    }
    let own = char::from(byte.to_ascii_lowercase());
    let named = identifier_words(key).pop()?;
    lower
        .match_indices(own)
        .take(MAX_LETTERS)
        .any(|(at, _)| {
            let (before, behind) = (lower.get(..at).unwrap_or_default(), lower.get(at + 1..).unwrap_or_default());
            let apart = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || "'-".contains(c))
                && !behind.starts_with(|c: char| c.is_ascii_alphanumeric() || "'-".contains(c));
            let last = before.trim_end().rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
            let beside = before.ends_with(' ') && stem(last) == stem(&named);
            let taken_out = is_excluded(lower, at);
            apart && !taken_out && (beside || behind.starts_with(is_han))
        })
        .then(|| own.to_string())
}

/// Words of a name that say no more than that it is so.
const AUXILIARY: &[&str] =
    &["is", "has", "with", "have", "included", "includes", "available", "allowed", "offers", "can"];
/// What is done to a thing that is picked.
const TAKES: &[&str] = &["want", "need", "take", "get", "prefer", "needs", "wants"];
/// Words that go on behind a thing, so that the number before them is the thing.
const FOLLOWS: &[&str] = &["for", "please", "then", "and", "or", "if", "but", "would", "will", "is"];
const MAX_PLACES: usize = 8;
const MAX_LETTERS: usize = 64;
/// 公里, 平方米.
const MAX_UNIT_ZH: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn qualities_are_told_by_what_wishes_for_them() {
        let qualities = Qualities { nouns: vec!["book".into(), "cabin".into()], taken: vec![3.0] };
        let switch = |text: &str| qualities.switch(text, "has_stove", true);
        assert!(switch("it has to be one with a stove").is_some() && switch("the stove cabin, please").is_some());
        for none in [
            "we have a stove",
            "we come with a stove",
            "is there one with a stove?",
            "not the one with a stove",
            "without a stove",
        ] {
            assert_eq!(switch(none), None, "{none}");
        }
        assert!(qualities.switch("one without a stove", "stove", false).is_some());
        assert!(qualities.switch("要带壁炉的", "壁炉", true).is_some());
        assert_eq!(qualities.switch("it must be paid today", "paid", true), None);
        let measure = |text: &str, number: f64| qualities.measure(text, "litres", number);
        assert!(
            measure("needs to be a 90 for that tank", 90.0).is_some() && measure("the 90-litre one", 90.0).is_some()
        );
        assert!(measure("the one with 90 litres", 90.0).is_some() && measure("90升那个", 90.0).is_some());
        assert!(qualities.numbered("the eva in grade 7", "grade", "7", 7.0).is_some());
        assert!(qualities.numbered("grade 7.5 steel", "grade", "7", 7.0).is_none());
        assert!(measure("要90升的那个", 90.0).is_some());
        for none in ["for 90 guests", "the 90 guests", "90点那会儿", "a 190 for us", "90升装满", "on the 90th"] {
            assert_eq!(measure(none, 90.0), None, "{none}");
        }
        assert!(
            letter("the urgent one in zone b", "zone", "B").is_some() && letter("先派b区的", "zone", "B").is_some()
        );
        assert!(letter("a big one", "zone", "A").is_none() && letter("plan b it is", "zone", "B").is_none());
    }
}
