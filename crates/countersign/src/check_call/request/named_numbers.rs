//! Two numbers that stand beside each other's names: "fronts at 2.4, rears at 2.8" and `front_bar: 2.8, rear_bar: 2.4`.

use super::argument::Argument;
use super::asked::Asked;
use super::qualifiers::equals_of;
use super::slip::Slip;
use super::trace::{Measure, is_near};
use crate::contract::language::is_han;
use crate::text::cues::Cue;
use crate::text::mentions::Reading;
use crate::text::phrases::stands_free;

/// Finds two numbers that the last words give to each other's names.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let numbered: Vec<(&Argument<'_>, f64)> =
        asked.arguments.iter().filter_map(|own| Some((own, own.number()?))).take(MAX_NUMBERS).collect();
    let pairs =
        numbered.iter().enumerate().flat_map(|(at, one)| numbered.iter().skip(at + 1).map(move |two| (*one, *two)));
    // Of several objects each has numbers of its own.
    let holder = |argument: &Argument<'_>| {
        let pointer = asked.subject.values.pointer(argument.node);
        pointer.rsplit_once('/').map(|(holder, _)| holder.to_owned())
    };
    let mut crossed = pairs
        .filter(|(one, two)| one.1 != two.1 && holder(one.0) == holder(two.0) && is_crossed(asked.last, *one, *two));
    slips.extend(crossed.next().map(|(one, two)| Slip::exchanged(asked, one.0, two.0)));
}

/// A name or a number of the first or the second argument, in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Name(Which),
    Number(Which),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    First,
    Second,
}

/// Whether a text names each of two arguments once and each number once, by turns, with each number beside the other's name.
fn is_crossed(reading: &Reading, one: (&Argument<'_>, f64), two: (&Argument<'_>, f64)) -> bool {
    use Part::{Name, Number};
    let apart = |own: &Argument<'_>, other: &Argument<'_>| -> Vec<String> {
        own.words.iter().filter(|word| word.len() >= 3 && !other.words.contains(word)).cloned().collect()
    };
    let (first, second) = (apart(one.0, two.0), apart(two.0, one.0));
    let mut parts: Vec<(usize, Part)> = Vec::new();
    parts.extend(places_of(&reading.lower, &first).into_iter().map(|at| (at, Name(Which::First))));
    parts.extend(places_of(&reading.lower, &second).into_iter().map(|at| (at, Name(Which::Second))));
    for (mention, quantity) in reading.numbers() {
        let label = label_before(&reading.lower, mention.range.start);
        let called =
            |own: &Argument<'_>, words: &[String]| label.is_some_and(|(_, label)| is_short_for(label, own, words));
        if let Some((at, _)) = label.filter(|_| called(one.0, &first) != called(two.0, &second)) {
            let which = if called(one.0, &first) { Which::First } else { Which::Second };
            parts.extend((!parts.contains(&(at, Name(which)))).then_some((at, Name(which))));
        }
        let is = |own: (&Argument<'_>, f64)| {
            let value = Measure::of(own.0, None).value_of(quantity, quantity.value);
            quantity.value == own.1 || value.is_some_and(|value| is_near(value, own.1))
        };
        parts.extend(is(one).then_some((mention.range.start, Number(Which::First))));
        parts.extend(is(two).then_some((mention.range.start, Number(Which::Second))));
    }
    parts.sort_by_key(|(at, _)| *at);
    match parts.iter().map(|(_, part)| *part).collect::<Vec<_>>().as_slice() {
        [Name(a), Number(b), Name(c), Number(d)] | [Number(b), Name(a), Number(d), Name(c)] => {
            a != b && c != d && a != c
        }
        _ => false,
    }
}

/// The word right before a number, and where it begins: "dec" of "dec: 5.4".
fn label_before(lower: &str, at: usize) -> Option<(usize, &str)> {
    let before = lower.get(..at)?.trim_end_matches([' ', ':', '=', '+', '-', '−']);
    let start = before.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |last| before.ceil_char_boundary(last + 1));
    let word = before.get(start..).filter(|word| !word.is_empty() && !Cue::named("clause-words").has(word))?;
    Some((start, word))
}

/// Whether a word is one of the words that only this parameter is named with, or short for it: "dec" for `declination`, "ra"
/// for `right_ascension`.
fn is_short_for(word: &str, argument: &Argument<'_>, apart: &[String]) -> bool {
    let initials: String = argument.words.iter().filter_map(|word| word.chars().next()).collect();
    let joins = word.len() == 2
        && matches!(word, "at" | "to" | "in" | "on" | "by" | "of" | "up" | "no" | "is" | "as" | "or" | "an");
    apart.iter().any(|own| own == word || word.len() >= 2 && !joins && own.starts_with(word))
        || word.len() >= 2 && !joins && argument.words.len() >= 2 && initials.starts_with(word)
}

/// Where a text has one of some words, or another word for the same.
fn places_of(lower: &str, words: &[String]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    let singular = |word: &'_ String| word.strip_suffix('s').map(str::to_owned);
    let forms: Vec<String> = words.iter().flat_map(|word| [Some(word.clone()), singular(word)]).flatten().collect();
    for word in forms.iter().flat_map(|word| equals_of(word)) {
        let plural = |end: usize| end + usize::from(lower.get(end..).is_some_and(|rest| rest.starts_with('s')));
        let places = lower.match_indices(word).map(|(at, _)| at).filter(|at| {
            let end = at + word.len();
            word.starts_with(is_han) || stands_free(lower, &(*at..end)) || stands_free(lower, &(*at..plural(end)))
        });
        found.extend(places);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// No call has more numbers that anybody names.
const MAX_NUMBERS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn names_are_found_by_their_equals() {
        let places = |text: &str, word: &str| places_of(text, &[word.to_owned()]).len();
        assert_eq!((places("2.3 in front and 2.8 at the back", "rear"), places("rears at 3", "rear")), (1, 1));
        assert_eq!((places("前轮2.3，后轮2.8", "front"), places("the backpack", "rear")), (1, 0));
    }
}
