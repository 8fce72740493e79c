//! What the user enumerated: a row of things ("the report, a photo and the receipt") and a call whose list has most of the
//! row and not all of it, or a member that the user spoke of elsewhere and not in the row.
//!
//! Nothing is known of the things themselves. A row is what commas and an "and" make of a sentence; a member of the call
//! belongs to the part of the row that has its words.

use super::argument::Argument;
use super::asked::Asked;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::{EXTRA, LEFT_OUT};
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lexicon::{find_chinese, find_english};
use crate::text::sentences::sentences;
use crate::text::stems::stem;
use crate::text::words::words;
use std::ops::Range;

/// Finds lists that lack a part of the row, and lists that have more than the row.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let items = members(asked);
    if items.is_empty() {
        return;
    }
    // "But for now only the milk" takes one of a row.
    if Cue::named("only").stands_in(&asked.last.lower) {
        return;
    }
    for reading in asked.wished() {
        let sentences: Vec<&str> =
            sentences(&reading.lower).into_iter().filter_map(|range| reading.lower.get(range)).collect();
        if let [one] = items.as_slice() {
            slips.extend(sentences.iter().find_map(|sentence| find_rest(asked, one, sentence)));
            continue;
        }
        let slip = sentences
            .iter()
            .find_map(|sentence| find_missing(asked, &items, sentence))
            .or_else(|| find_outside(asked, &items, &sentences));
        slips.extend(slip);
    }
}

/// The members of the call's one list: texts, or objects by their first text.
fn members<'a, 's>(asked: &'s Asked<'a>) -> Vec<&'s Argument<'a>> {
    let mut found: Vec<(&str, &Argument<'_>)> = Vec::new();
    let pointers = asked.arguments.iter().map(|argument| asked.subject.values.pointer(argument.node));
    let places: Vec<String> = pointers.collect();
    for (argument, place) in asked.arguments.iter().zip(&places) {
        let Some(text) = argument.text() else { continue };
        let Some(owner) = list_place(place) else { continue };
        if text.len() <= MAX_MEMBER && !found.iter().any(|(other, _)| *other == owner) {
            found.push((owner, argument));
        }
    }
    let list = |place: &str| place.rsplit_once('/').map(|cut| cut.0.to_owned());
    let first = found.first().and_then(|(place, _)| list(place));
    let one = found.iter().all(|(place, _)| list(place) == first);
    if one { found.into_iter().map(|(_, argument)| argument).collect() } else { Vec::new() }
}

/// The place of the member that a value is in: up to the first number of its pointer.
fn list_place(pointer: &str) -> Option<&str> {
    let mut at = 0;
    for part in pointer.split('/') {
        at += part.len() + 1;
        if !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) {
            return pointer.get(..at - 1);
        }
    }
    None
}

/// A part of a row that no member has, between or right behind parts that members have.
fn find_missing(asked: &Asked<'_>, items: &[&Argument<'_>], sentence: &str) -> Option<Slip> {
    let row = cut_row(sentence);
    let owner = |part: &Part<'_>| items.iter().position(|item| belongs(item.text().unwrap_or_default(), part.text));
    let owners: Vec<Option<usize>> = row.iter().map(owner).collect();
    let taken = |item: usize| owners.iter().filter(|owner| **owner == Some(item)).count() == 1;
    if !(0..items.len()).all(taken) {
        return None;
    }
    let (first, last) = (owners.iter().position(Option::is_some)?, owners.iter().rposition(Option::is_some)?);
    let plain = |part: &&Part<'_>| is_thing(part.text);
    let inside = row.iter().zip(&owners).take(last).skip(first).find(|(part, owner)| owner.is_none() && plain(part));
    let inside = inside.map(|(part, _)| part).filter(|_| last - first < items.len() + 2);
    let behind = row.get(last + 1).filter(|part| part.joined && plain(part) && ends_row(part.text, &row, &owners));
    let missing = inside.or(behind)?;
    let whole =
        |word: &str| asked.arguments.iter().any(|argument| argument.text().is_some_and(|text| text.contains(word)));
    let words = telling(missing.text);
    let numbered = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let counted = numbered(missing.text) && !items.iter().all(|item| numbered(item.text().unwrap_or_default()));
    let telling = words.iter().any(|word| word.contains(char::is_alphabetic));
    if !telling || (counted && !missing.text.contains(is_han)) || words.iter().any(|word| whole(word)) {
        return None;
    }
    say_missing(asked, items.first()?, missing)
}

/// A list of one where the user enumerated three or more: "the report, photos of the door and the receipt".
fn find_rest(asked: &Asked<'_>, item: &Argument<'_>, sentence: &str) -> Option<Slip> {
    let row = cut_row(sentence);
    let at = row
        .iter()
        .position(|part| belongs(item.text().unwrap_or_default(), part.text))
        .filter(|_| item.node.is_item())?;
    let rest = row.get(at + 1..)?;
    let end = rest.iter().position(|part| part.joined)?;
    let whole = |part: &Part<'_>| {
        asked.arguments.iter().any(|own| {
            own.text().is_some_and(|text| {
                belongs(part.text, text) || belongs(text, part.text) && !std::ptr::eq(own.node, item.node)
            })
        })
    };
    let things = rest.get(..=end)?;
    let offers = Cue::named("offers").stands_in(sentence);
    let plain = !offers && things.len() >= 2 && things.iter().all(|part| is_thing(part.text) && !whole(part));
    say_missing(asked, item, things.first()?).filter(|_| plain)
}

fn say_missing(asked: &Asked<'_>, item: &Argument<'_>, missing: &Part<'_>) -> Option<Slip> {
    let said = missing.text.trim().trim_end_matches(['.', '!', '?', '。']);
    let evidence = localized!(
        asked.subject.language,
        "the user also asked for \"{said}\", which the call leaves out",
        "用户还要求了“{said}”，而调用中没有"
    );
    let hint = localized!(
        asked.subject.language,
        "add what was left out, or make a second call for it",
        "请补上遗漏的内容，或再调用一次"
    );
    Some(Slip::on(asked, item, &LEFT_OUT, Strength::Strong, Says { evidence, hint }))
}

/// Whether a part may be the last of a row: as short as its members, and with an article where they have one.
fn ends_row(part: &str, row: &[Part<'_>], owners: &[Option<usize>]) -> bool {
    let article =
        |text: &str| tokens(text).first().is_some_and(|word| matches!(*word, "the" | "a" | "an" | "my" | "our"));
    let mut members = row.iter().zip(owners).filter(|(_, owner)| owner.is_some()).map(|(part, _)| part.text);
    let alike = match article(part) {
        true => members.any(article),
        false => members.all(|member| tokens(member).len() <= MAX_LAST + 2),
    };
    alike && tokens(part).len() <= MAX_LAST
}

/// A member that the user spoke of in a sentence of its own, beside a row that holds the others.
fn find_outside(asked: &Asked<'_>, items: &[&Argument<'_>], sentences: &[&str]) -> Option<Slip> {
    let home = |item: &&Argument<'_>| {
        let text = item.text().unwrap_or_default();
        let mut at = sentences.iter().enumerate().filter(|(_, sentence)| stands_alone(sentence, text));
        let first = at.next().map(|(at, _)| at)?;
        at.next().is_none().then_some(first)
    };
    let homes: Option<Vec<usize>> = items.iter().map(home).collect();
    let homes = homes?;
    let row = *homes.iter().max_by_key(|home| homes.iter().filter(|other| other == home).count())?;
    let (outside, away) = items.iter().zip(&homes).find(|(_, home)| **home != row)?;
    let alone = homes.iter().filter(|home| **home != row).count() == 1 && items.len() >= 3;
    let sentence = sentences.get(*away)?;
    let joins = Cue::named("joins-in").stands_in(sentence) || sentence.trim_start().starts_with("and ");
    if !alone
        || joins
        || find_english(&tokens(sentence)).iter().any(|found| same_deed(found, sentences.get(row).copied()))
    {
        return None;
    }
    let (key, shown) = (outside.node.key, outside.text()?);
    let said = sentence.trim();
    let evidence = localized!(
        asked.subject.language,
        "`{key}` has `{shown}`, of which the user said: \"{said}\"",
        "`{key}` 中有 `{shown}`，而用户说的是：“{said}”"
    );
    let hint = localized!(asked.subject.language, "leave out what was not asked for", "请去掉用户没有要求的对象");
    Some(Slip::on(asked, outside, &EXTRA, Strength::Weak, Says { evidence, hint }))
}

/// Whether a deed of one sentence is named in another as well.
fn same_deed(found: &crate::text::lexicon::Found, row: Option<&str>) -> bool {
    row.is_some_and(|row| find_english(&tokens(row)).iter().any(|other| other.deeds.meet(&found.deeds)))
}

fn tokens(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect()
}

/// One part of a row.
struct Part<'t> {
    text: &'t str,
    /// Whether an "and" joins it to the part before.
    joined: bool,
}

/// Cuts a sentence where commas and words that join stand.
fn cut_row(sentence: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut start, mut joined) = (0, false);
    let mut at = 0;
    while let Some(c) = sentence.get(at..).and_then(|rest| rest.chars().next()) {
        match separator(sentence, at) {
            Some((length, joins)) => {
                push(sentence, start..at, joined, &mut parts);
                // ", and" joins like "and".
                joined = joins || (joined && sentence.get(start..at).is_some_and(|text| text.trim().is_empty()));
                at += length;
                start = at;
            }
            None => at += c.len_utf8(),
        }
    }
    push(sentence, start..sentence.len(), joined, &mut parts);
    parts
}

fn push<'t>(sentence: &'t str, range: Range<usize>, joined: bool, parts: &mut Vec<Part<'t>>) {
    let text = sentence.get(range).unwrap_or_default();
    if !text.trim().is_empty() {
        parts.push(Part { text, joined });
    }
}

/// What separates two parts at a place: its length, and whether it ends a row as "and" does.
fn separator(sentence: &str, at: usize) -> Option<(usize, bool)> {
    let rest = sentence.get(at..)?;
    let found = SEPARATORS.iter().find(|(sign, _)| rest.starts_with(sign))?;
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let before = sentence.get(..at).and_then(|before| before.chars().next_back());
    let behind = rest.get(found.0.len()..).and_then(|behind| behind.chars().next());
    // 38,000 is one number.
    if found.0 == "," && digit(before) && digit(behind) {
        return None;
    }
    Some((found.0.len(), found.1))
}

/// Whether a member is what a part of a row says: all its telling words are there, or its number alone.
fn belongs(member: &str, part: &str) -> bool {
    let words = telling(member);
    let found = |word: &String| match word.is_ascii() {
        true => telling(part).iter().any(|other| stem(other) == stem(word)),
        false => part.contains(word.as_str()),
    };
    !words.is_empty() && words.iter().all(found)
}

/// Whether a text stands in a sentence as a word or number of its own.
fn stands_alone(sentence: &str, text: &str) -> bool {
    super::asked::stands_in(sentence, text) && text.chars().any(char::is_alphanumeric)
}

/// The words that tell what a thing is: no articles, no numbers in words; a Chinese run whole.
fn telling(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut han = String::new();
    for word in words(text) {
        if word.folded.starts_with(is_han) {
            han.push_str(&word.folded);
            continue;
        }
        if !han.is_empty() {
            found.push(std::mem::take(&mut han));
        }
        let small = word.folded.len() <= 2 && word.folded.bytes().all(|byte| byte.is_ascii_lowercase());
        if !small && !Cue::named("names-nothing").has(&word.folded) {
            found.push(word.folded);
        }
    }
    if !han.is_empty() {
        found.push(han);
    }
    found
}

/// Whether a part of a row names a thing: short, no deed of its own, nobody who speaks.
fn is_thing(part: &str) -> bool {
    // "A dozen and a half" is one number.
    if part.trim().ends_with("dozen") {
        return false;
    }
    let words = tokens(part);
    let short = if part.chars().any(is_han) { part.chars().count() <= MAX_HAN } else { words.len() <= MAX_WORDS };
    let speaks = words.iter().any(|word| Cue::named("clause-words").has(word))
        || Cue::named("clause-words").chinese.iter().any(|word| part.contains(word));
    let acts = words.first().is_some_and(|first| !find_english(&[first]).is_empty()) || !find_chinese(part).is_empty();
    short && !speaks && !acts && !Cue::named("left-out").stands_in(part)
}

/// What separates the parts of a row, the longer first, and whether it joins like "and".
const SEPARATORS: &[(&str, bool)] = &[
    (" as well as ", true),
    (" and ", true),
    (" plus ", true),
    (" & ", true),
    ("以及", true),
    ("还有", true),
    ("和", true),
    ("跟", true),
    (",", false),
    (";", false),
    ("、", false),
    ("，", false),
    ("；", false),
];
const MAX_MEMBER: usize = 60;
const MAX_WORDS: usize = 5;
const MAX_LAST: usize = 3;
const MAX_HAN: usize = 10;
