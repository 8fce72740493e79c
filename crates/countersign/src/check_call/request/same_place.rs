//! Texts with another number in the place of one: "no food after 8" and a message that says "after 10", "between 8 and 9" and
//! "between 9 and 10".

use super::asked::{Asked, stands_in};
use super::slip::show;
use crate::text::cues::Cue;
use crate::text::mentions::{Mention, Quantity, Reading, What};

/// Finds a number behind the same word as one of the user's, which nobody said and nothing of the request leads to.
pub(super) fn find(asked: &Asked<'_>, written: &Reading) -> Option<(String, String)> {
    let (said, wrote) = (places_in(asked.last), places_in(written));
    said.iter().filter(|own| !own.excluded).find_map(|own| {
        let is_there =
            |other: &&Place<'_>| other.key == own.key && other.is_end == own.is_end && other.noun == own.noun;
        let other = wrote.iter().find(is_there)?;
        // The end of one stretch may be the beginning of another.
        let kept = !own.is_end && wrote.iter().any(|one| is_same(one.value, own.value));
        let strange = !kept && !is_said(asked, other.value) && !is_led_to(asked.last, own.value, other.value);
        (strange && !is_same(own.value, other.value)).then(|| (own.text.to_owned(), other.text.to_owned()))
    })
}

/// A number with the word before it.
struct Place<'t> {
    /// The word, once in the text.
    key: &'t str,
    /// Whether it is the end of a stretch that begins behind the word.
    is_end: bool,
    value: f64,
    noun: &'t str,
    text: &'t str,
    excluded: bool,
}

/// The numbers and hours of a text behind a word of place or time, each word only where it stands once.
fn places_in(reading: &Reading) -> Vec<Place<'_>> {
    let mut found: Vec<Place<'_>> = Vec::new();
    let mut last: Option<(&Mention, &str)> = None;
    for mention in &reading.mentions {
        let Some((value, upper, noun)) = value_of(reading, mention) else {
            last = None;
            continue;
        };
        let (text, excluded) = (reading.text(mention), mention.excluded);
        let place = |key, value, is_end| Place { key, is_end, value, noun, text, excluded };
        let word = word_before(&reading.lower, mention.range.start);
        let goes_on = last.filter(|(before, _)| {
            let gap = reading.lower.get(before.range.end..mention.range.start).unwrap_or_default();
            matches!(gap.trim(), "and" | "to" | "-" | "–" | "until")
        });
        if let Some((_, key)) = goes_on {
            found.push(place(key, value, true));
            last = None;
        } else if Cue::named("before-a-time").has(word) {
            found.push(place(word, value, false));
            found.extend(upper.map(|upper| place(word, upper, true)));
            last = upper.is_none().then_some((mention, word));
        } else {
            last = None;
        }
    }
    let count = |key: &str, is_end: bool| found.iter().filter(|own| own.key == key && own.is_end == is_end).count();
    let once: Vec<bool> = found.iter().map(|own| count(own.key, own.is_end) == 1).collect();
    found.into_iter().zip(once).filter(|(_, once)| *once).map(|(own, _)| own).collect()
}

/// The value of a bare number or an hour, the end of its stretch, and what it counts.
fn value_of<'t>(reading: &'t Reading, mention: &Mention) -> Option<(f64, Option<f64>, &'t str)> {
    match &mention.what {
        What::Clock(clock) => Some((f64::from(clock.minutes) / 60.0, None, "")),
        What::Number(Quantity { value, upper, unit: None, currency: None, noun, .. }) => {
            let noun = reading.lower.get(noun.clone()).unwrap_or_default();
            let noun = noun.split(' ').next().filter(|noun| !Cue::named("part-of-day").has(noun)).unwrap_or_default();
            Some((*value, *upper, noun))
        }
        _ => None,
    }
}

fn word_before(lower: &str, at: usize) -> &str {
    let before = lower.get(..at).unwrap_or_default();
    before
        .strip_suffix(' ')
        .and_then(|before| before.rsplit(|c: char| !c.is_ascii_alphabetic()).next())
        .unwrap_or_default()
}

/// Two values alike, also as hours of both halves of the day.
fn is_same(one: f64, other: f64) -> bool {
    one == other || one.max(other) <= 24.0 && (one - other).abs() == 12.0
}

/// Whether anybody or a result says a value.
fn is_said(asked: &Asked<'_>, value: f64) -> bool {
    let in_text = |reading: &Reading| {
        let mut values = reading.mentions.iter().filter_map(|mention| value_of(reading, mention));
        values.any(|(own, upper, _)| is_same(own, value) || upper.is_some_and(|upper| is_same(upper, value)))
    };
    asked.readings().any(in_text) || asked.results.iter().any(|result| stands_in(&result.to_string(), &show(value)))
}

/// Whether a number with a unit or a thing leads from one value to another: "two hours before 8".
fn is_led_to(last: &Reading, from: f64, to: f64) -> bool {
    let apart = (from - to).abs();
    last.numbers().any(|(_, by)| (by.unit.is_some() || by.counts) && (by.value == apart || by.value / 60.0 == apart))
}

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn numbers_have_their_places() {
        let read = |text: &str| -> Vec<(String, f64)> {
            places_in(&Reading::of(text)).iter().map(|place| (place.key.to_owned(), place.value)).collect()
        };
        assert_eq!(read("no food after 8 this evening, water is fine"), [("after".to_owned(), 8.0)]);
        assert_eq!(read("between 8 and 9"), [("between".to_owned(), 8.0), ("between".to_owned(), 9.0)]);
        assert!(read("after 8 and again after 9").is_empty() && read("it takes 40 minutes").is_empty());
        assert!(is_same(8.0, 20.0) && !is_same(8.0, 10.0));
        assert!(is_led_to(&Reading::of("two hours before 8"), 8.0, 6.0));
    }
}
