//! What fell short, by arithmetic: 29.90 refunded with 50 remaining of 79.90 asked for, 1612 delivered of 1840. (MEANING-6)
//!
//! No word for a failure is needed where the numbers add up: what was done and what is left make the whole. A fee that is taken
//! off, a second count or a limit adds up to nothing and is left alone.

use super::fields::{Entry, Object};
use super::trace::Done;
use crate::text::lexicon::is_past;
use crate::text::words::{Word, words};
use serde_json::Value;

/// What was done of the whole.
pub(crate) struct Shortfall<'e, 'a> {
    /// The field that tells how much was done.
    pub entry: &'e Entry<'a>,
    /// How much.
    pub done: f64,
}

/// The shortfall that the numbers of one object tell of.
pub(crate) fn find<'e, 'a>(object: &'e Object<'a>, call: &Done<'_>) -> Option<Shortfall<'e, 'a>> {
    let numbers: Vec<(&Entry<'a>, f64)> =
        object.entries.iter().filter_map(|entry| Some((entry, entry.number()?))).collect();
    if numbers.len() > MAX_NUMBERS {
        return None;
    }
    of_asked(&numbers, call).or_else(|| of_whole(&numbers))
}

/// How much of a whole was done by a tool's own words: "Registered 11 of 12 barcodes", 12件中入库11件.
pub(super) fn in_words(sentence: &str) -> Option<f64> {
    let lower = sentence.to_lowercase();
    let own = words(&lower);
    let number = |word: Option<&Word>| word.and_then(|word| word.folded.replace(',', "").parse::<f64>().ok());
    let all = own.windows(4).find_map(|at| {
        let [first, done, of, whole] = at else { return None };
        let (done, whole) = (number(Some(done))?, number(Some(whole))?);
        let of_it = of.folded == "of" || of.folded == "out";
        (of_it && is_past(&first.folded) && done > 0.0 && done < whole && whole.fract() == 0.0).then_some(done)
    });
    all.filter(|_| !lower.contains("attempt") && !lower.contains("page") && !lower.contains("step"))
}

/// The number that was asked for, in what was done and what remains.
fn of_asked<'e, 'a>(numbers: &[(&'e Entry<'a>, f64)], call: &Done<'_>) -> Option<Shortfall<'e, 'a>> {
    let asked: Vec<f64> = call.arguments.as_object()?.values().filter_map(Value::as_f64).collect();
    let rest = numbers.iter().filter(|(entry, value)| *value > 0.0 && entry.has_any(REST));
    let done = |(entry, value): &&(&Entry<'a>, f64)| *value > 0.0 && is_done(entry);
    rest.into_iter().find_map(|(_, rest)| {
        let (entry, value) = numbers
            .iter()
            .filter(done)
            .find(|(_, value)| asked.iter().any(|asked| is_sum(*asked, &[*value, *rest])))?;
        Some(Shortfall { entry, done: *value })
    })
}

/// A whole that is the sum of what was done and of what was not, with a word for either.
fn of_whole<'e, 'a>(numbers: &[(&'e Entry<'a>, f64)]) -> Option<Shortfall<'e, 'a>> {
    let (whole, all) = numbers.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(entry, value)| (*entry, *value))?;
    let parts: Vec<f64> =
        numbers.iter().filter(|(entry, _)| !std::ptr::eq(*entry, whole)).map(|(_, value)| *value).collect();
    // Of several participles the largest tells what was done: the muted were not reached.
    let done = numbers.iter().filter(|(entry, value)| *value > 0.0 && is_done(entry) && !is_lost(entry));
    let (entry, value) = done.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let lost = numbers.iter().any(|(entry, value)| *value > 0.0 && is_lost(entry));
    let adds = !is_done(whole) && parts.len() >= 2 && lost && is_sum(all, &parts);
    adds.then_some(Shortfall { entry, done: *value })
}

/// `delivered`, `refunded`: one participle.
fn is_done(entry: &Entry<'_>) -> bool {
    matches!(entry.words.as_slice(), [word] if is_past(word))
}

fn is_lost(entry: &Entry<'_>) -> bool {
    entry.has_any(LOST)
}

fn is_sum(whole: f64, parts: &[f64]) -> bool {
    (whole - parts.iter().sum::<f64>()).abs() < 0.005 && whole > 0.0
}

const MAX_NUMBERS: usize = 12;
const REST: &[&str] = &["remaining", "remainder", "rest", "outstanding", "open", "left", "pending", "due"];
const LOST: &[&str] =
    &["failed", "bounced", "skipped", "rejected", "invalid", "declined", "undelivered", "unmatched", "errors"];

#[cfg(test)]
mod tests {
    use super::super::fields::Parts;
    use super::*;
    use serde_json::json;

    fn is_short(arguments: Value, content: Value) -> bool {
        let call = Done { name: "pay_out", arguments: &arguments, content: &content, is_error: false, fresh: true };
        let parts = Parts::of(&content, None);
        parts.objects.first().is_some_and(|object| find(object, &call).is_some())
    }

    // MEANING-6
    #[test]
    fn a_part_of_a_whole_is_told_in_words() {
        assert_eq!(in_words("Registered 11 of 12 barcodes."), Some(11.0));
        for text in [
            "Registered 12 of 12 barcodes.",
            "Sent page 1 of 3.",
            "Sent on attempt 2 of 5.",
            "Booked room 3 of wing 12.",
        ] {
            assert_eq!(in_words(text), None, "{text}");
        }
    }

    // MEANING-6
    #[test]
    fn what_adds_up_to_the_whole_fell_short() {
        assert!(is_short(json!({"amount": 120}), json!({"credited": 90, "remaining": 30})));
        assert!(is_short(json!({}), json!({"addressees": 500, "delivered": 480, "bounced": 12, "muted": 8})));
        for (arguments, content) in [
            (json!({"amount": 120}), json!({"credited": 118.5, "fee": 1.5})),
            (json!({"amount": 120}), json!({"credited": 120, "remaining": 40})),
            (json!({}), json!({"addressees": 500, "delivered": 500, "bounced": 0})),
            (json!({}), json!({"rows": 500, "imported": 480, "updated": 20})),
        ] {
            assert!(!is_short(arguments, content.clone()), "{content}");
        }
    }
}
