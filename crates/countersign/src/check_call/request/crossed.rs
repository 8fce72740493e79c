//! Texts in which what belongs together was exchanged: "grey with a red zip" became red with a grey zip, Ann's Monday became
//! Bo's; and what was to be far from something is near it.

use super::argument::Argument;
use super::asked::Asked;
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OTHER_CONTENT;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::{Reading, What};
use crate::text::stems::stem;
use std::ops::Range;

/// Finds texts with exchanged qualities, days and names, or with near for far.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in asked.arguments.iter().filter(|argument| argument.node.roles.has(Role::FreeText)) {
        let Some(text) = argument.text().filter(|text| text.len() >= SHORTEST) else { continue };
        let found = asked.in_force().find_map(|reading| {
            find_qualities(&reading.lower, text)
                .or_else(|| find_places(&reading.lower, text))
                .or_else(|| find_pairs(reading, &Reading::of(text)))
        });
        slips.extend(found.map(|(said, wrote)| say(asked, argument, &said, &wrote)));
    }
}

/// A thing with the colour of another: both colours were said, and each is in the text.
fn find_qualities(said: &str, wrote: &str) -> Option<(String, String)> {
    let (asked, written) = (colours(said), colours(wrote));
    let has = |list: &[Colour<'_>], name: &str| list.iter().filter(|own| own.name == name).count() == 1;
    asked.iter().filter(|own| !own.thing.is_empty()).find_map(|own| {
        let same = |other: &&Colour<'_>| stem(other.thing) == stem(own.thing);
        let mut others = written.iter().filter(same);
        let other = others.next().filter(|other| others.next().is_none() && other.name != own.name)?;
        let once = asked.iter().filter(same).count() == 1;
        let crossed =
            has(&asked, own.name) && has(&asked, other.name) && has(&written, own.name) && has(&written, other.name);
        (once && crossed).then(|| (format!("{} {}", own.name, own.thing), format!("{} {}", other.name, other.thing)))
    })
}

/// A colour, and the thing right behind it.
struct Colour<'t> {
    name: &'static str,
    thing: &'t str,
}

fn colours(lower: &str) -> Vec<Colour<'_>> {
    let cue = Cue::named("colours");
    let mut found: Vec<(usize, Colour<'_>)> = Vec::new();
    for (word, at) in cue.english.iter().flat_map(|word| lower.match_indices(word).map(move |(at, _)| (*word, at))) {
        let free = crate::text::phrases::stands_free(lower, &(at..at + word.len()));
        let behind = lower.get(at + word.len()..).and_then(|rest| rest.strip_prefix(' ')).unwrap_or_default();
        let thing = behind.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let idle = thing.len() < 3 || JOINTS.contains(&thing) || cue.has(thing);
        if free {
            found.push((at, Colour { name: word, thing: if idle { "" } else { thing } }));
        }
    }
    for (word, at) in cue.chinese.iter().flat_map(|word| lower.match_indices(word).map(move |(at, _)| (*word, at))) {
        let behind = lower.get(at + word.len()..).unwrap_or_default();
        let behind = behind.strip_prefix('的').unwrap_or(behind);
        let end =
            behind.char_indices().take_while(|(_, c)| is_han(*c)).take(2).last().map_or(0, |(at, c)| at + c.len_utf8());
        found.push((at, Colour { name: word, thing: behind.get(..end).unwrap_or_default() }));
    }
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, colour)| colour).collect()
}

/// "Away from the heater", and the text says near the heater.
fn find_places(said: &str, wrote: &str) -> Option<(String, String)> {
    let (asked, written) = (distances(said), distances(wrote));
    asked.iter().find_map(|own| {
        let same = |other: &&Distance| other.things.iter().any(|thing| own.things.contains(thing));
        let about: Vec<&Distance> = written.iter().filter(same).collect();
        let turned = !about.is_empty() && about.iter().all(|other| other.far != own.far);
        let agrees = asked.iter().any(|other| same(&other) && other.far != own.far);
        about.first().filter(|_| turned && !agrees).map(|other| (own.text.clone(), other.text.clone()))
    })
}

/// How a text wants something to lie: near or far from what.
struct Distance {
    far: bool,
    things: Vec<String>,
    text: String,
}

fn distances(lower: &str) -> Vec<Distance> {
    let mut found = Vec::new();
    for (name, far) in [("far-from", true), ("near-to", false)] {
        for (word, at) in Cue::named(name).places_in(lower) {
            let (before, behind) =
                (lower.get(..at).unwrap_or_default(), lower.get(at + word.len()..).unwrap_or_default());
            let denied = ["not", "not too", "don't", "不要", "别", "不", "不想", "不能"]
                .iter()
                .any(|no| before.trim_end().ends_with(no));
            let things = if word.is_ascii() { things_behind(behind) } else { things_zh(behind) };
            if !things.is_empty() {
                let end = behind.char_indices().nth(12).map_or(behind.len(), |(end, _)| end);
                let text = format!("{word}{}", behind.get(..end).unwrap_or_default()).trim().to_owned();
                found.push(Distance { far: far != denied, things, text });
            }
        }
    }
    // 离空调远一点.
    for (at, sign) in lower.match_indices('离') {
        let behind = lower.get(at + sign.len()..).unwrap_or_default();
        let clause = behind.split(['，', '。', '；', ',', '！', '\n', '、']).next().unwrap_or_default();
        let end = clause
            .find(['远', '近'])
            .filter(|end| *end > 0 && clause.get(..*end).is_some_and(|thing| thing.chars().count() <= MAX_THING));
        let Some((end, thing)) = end.and_then(|end| Some((end, clause.get(..end)?))) else { continue };
        let denied = thing.ends_with(['不', '太'])
            || ["别", "不要", "不"].iter().any(|no| lower.get(..at).is_some_and(|before| before.ends_with(no)));
        let far = clause.get(end..).is_some_and(|rest| rest.starts_with('远'));
        if !denied && !lower.get(..at).is_some_and(|before| before.ends_with('远')) {
            found.push(Distance {
                far,
                things: things_zh(thing),
                text: format!("离{thing}{}", if far { "远" } else { "近" }),
            });
        }
    }
    found
}

fn things_behind(behind: &str) -> Vec<String> {
    let clause = behind.split(['.', ',', ';', '!', '?', '\n']).next().unwrap_or_default();
    let words = clause.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty()).take(3);
    let words = words.skip_while(|word| matches!(*word, "the" | "a" | "an" | "any" | "my" | "our"));
    let words = words.take_while(|word| !Cue::named("clause-words").has(word) && !JOINTS.contains(word));
    words.filter(|word| word.len() >= 3).map(|word| stem(word).into_owned()).collect()
}

fn things_zh(behind: &str) -> Vec<String> {
    let thing: String = behind.chars().take_while(|c| is_han(*c)).take(2).collect();
    if thing.chars().count() == 2 { vec![thing] } else { Vec::new() }
}

/// Two days, hours or numbers that changed places: "Ann on Monday, Bo on Tuesday" and "Monday: Bo, Tuesday: Ann".
fn find_pairs(said: &Reading, wrote: &Reading) -> Option<(String, String)> {
    let (asked, written) = (pairs(said), pairs(wrote));
    let of = |list: &'_ [(String, usize)], word: &str| list.iter().find(|(own, _)| own == word).map(|(_, at)| *at);
    let what = |reading: &Reading, at: usize| reading.mentions.get(at).map(|mention| mention.what.clone());
    let moved = asked.iter().filter_map(|(word, at)| {
        let now = of(&written, word)?;
        (what(said, *at)? != what(wrote, now)?).then_some((word, *at, now))
    });
    let moved: Vec<(&String, usize, usize)> = moved.collect();
    moved.iter().find_map(|(word, was, now)| {
        let back = |other: &&(&String, usize, usize)| {
            other.0 != *word && what(said, other.1) == what(wrote, *now) && what(wrote, other.2) == what(said, *was)
        };
        moved.iter().find(back)?;
        let text =
            |reading: &Reading, at: usize| reading.mentions.get(at).map(|mention| reading.text(mention).to_owned());
        Some((format!("{word}: {}", text(said, *was)?), format!("{word}: {}", text(wrote, *now)?)))
    })
}

/// The words that stand in just one clause with just one mention, and which it is.
fn pairs(reading: &Reading) -> Vec<(String, usize)> {
    let mut found: Vec<(String, Option<usize>)> = Vec::new();
    for clause in clauses(&reading.lower) {
        let inside = |range: &Range<usize>| clause.start <= range.start && range.end <= clause.end;
        let counts = |what: &What| matches!(what, What::Date(_) | What::Clock(_) | What::Number(_));
        let own: Vec<usize> = reading
            .mentions
            .iter()
            .enumerate()
            .filter(|(_, one)| inside(&one.range) && counts(&one.what))
            .map(|(at, _)| at)
            .collect();
        let one = if let [one] = own.as_slice() { Some(*one) } else { None };
        for word in names_in(&reading.lower, &clause, reading) {
            match found.iter_mut().find(|(known, _)| *known == word) {
                Some(known) => known.1 = None,
                None => found.push((word, one)),
            }
        }
    }
    found.into_iter().filter_map(|(word, at)| Some((word, at?))).take(MAX_PAIRS).collect()
}

/// The words of a clause outside its mentions: whole English ones, pairs of Chinese signs.
fn names_in(lower: &str, clause: &Range<usize>, reading: &Reading) -> Vec<String> {
    let free = |at: usize| !reading.mentions.iter().any(|mention| mention.range.contains(&at));
    let text = lower.get(clause.clone()).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let letter = c.is_ascii_alphabetic() && free(clause.start + at);
        match start {
            None if letter => start = Some(at),
            Some(begin) if !letter => {
                found.extend(text.get(begin..at).map(str::to_owned));
                start = None;
            }
            _ => {}
        }
    }
    found.retain(|word| {
        word.len() >= 3 && !Cue::named("names-nothing").has(word) && !Cue::named("clause-words").has(word)
    });
    let chars: Vec<(usize, char)> = text.char_indices().filter(|(at, _)| free(clause.start + at)).collect();
    let pairs = chars.windows(2).filter_map(|pair| match pair {
        [(at, a), (next, b)] if is_han(*a) && is_han(*b) && at + a.len_utf8() == *next => Some(format!("{a}{b}")),
        _ => None,
    });
    found.extend(pairs);
    found
}

fn clauses(lower: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, c) in lower.char_indices() {
        let joint = c == ' ' && lower.get(at..).is_some_and(|rest| rest.starts_with(" and "));
        if joint || ENDS.contains(&c) {
            found.push(start..at);
            start = at + c.len_utf8();
        }
    }
    found.push(start..lower.len());
    found
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, said: &str, wrote: &str) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", `{key}` says \"{wrote}\"",
        "用户说的是“{said}”，而 `{key}` 写的是“{wrote}”"
    );
    let hint = localized!(asked.subject.language, "write what the user said", "请按用户所说的内容填写");
    Slip::on(asked, argument, &OTHER_CONTENT, Strength::Strong, Says { evidence, hint })
}

const ENDS: &[char] = &['.', ',', ';', '!', '?', '\n', '。', '，', '；', '！', '？', '、', '(', ')'];
const JOINTS: &[&str] =
    &["with", "and", "but", "for", "from", "has", "the", "one", "ones", "are", "was", "which", "that"];
const SHORTEST: usize = 12;
const MAX_THING: usize = 6;
const MAX_PAIRS: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-3
    #[test]
    fn what_belongs_together_is_told_apart() {
        let crossed = |said: &str, wrote: &str| find_qualities(said, wrote).is_some();
        assert!(crossed("a blue coat with a white collar", "white coat with a blue collar"));
        assert!(!crossed("a blue coat with a white collar", "the coat is blue, white collar"));
        assert!(crossed("黑色箱子，黄色把手", "黄色的箱子，黑色的把手"));
        let moved = |said: &str, wrote: &str| find_places(said, wrote).is_some();
        assert!(moved("a table away from the kitchen door", "please seat us near the kitchen"));
        assert!(
            !moved("a table away from the kitchen", "please not near the kitchen")
                && moved("离厨房远一点的", "请安排靠近厨房的位置")
        );
        assert!(!moved("离厨房远一点", "请离厨房远些") && !moved("离地铁近一点", "希望靠近地铁"));
        let pairs = |said: &str, wrote: &str| find_pairs(&Reading::of(said), &Reading::of(wrote)).is_some();
        assert!(pairs("nora does monday and emil does tuesday", "monday: emil, tuesday: nora"));
        assert!(!pairs("nora does monday and emil does tuesday", "monday: nora, tuesday: emil"));
        assert!(pairs("周一小顾值班，周二老何值班", "值班安排：周一老何，周二小顾"));
        assert!(clauses(&"a, ".repeat(3000)).len() > 2000);
    }
}
