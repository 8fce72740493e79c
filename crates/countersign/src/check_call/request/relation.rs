//! Who stands in which relation to whom: "Nora reports to Emil", and the call makes Emil report to Nora.
//!
//! `text/data/relations.tsv` has one relation a line: what the arguments of its two ends are called, and how people say it.
//! An end is told by the argument's name, else by its description; who is meant is told by the records that the values have.

use super::argument::Argument;
use super::asked::{Asked, find_whole};
use super::languages;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::SWAPPED;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::words::identifier_words;
use std::sync::LazyLock;

/// Finds pairs whose ends were exchanged.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    // "And the way back": what was said of the one way does not tell the other.
    let returns = asked.user().any(|reading| Cue::named("way-back").stands_in(&reading.lower));
    for relation in RELATIONS.iter().filter(|relation| !returns || !relation.is_a_way()) {
        let end = |own: &[&str], other: &[&str]| {
            let mut found = asked.arguments.iter().filter(|argument| is_end(argument, own, other));
            found.next().filter(|_| found.next().is_none())
        };
        let (Some(one), Some(other)) = (end(&relation.one, &relation.other), end(&relation.other, &relation.one))
        else {
            continue;
        };
        let (mut first, mut second) = (names_of(asked, one), names_of(asked, other));
        let shared: Vec<String> = first.iter().filter(|name| second.contains(name)).cloned().collect();
        first.retain(|name| !shared.contains(name));
        second.retain(|name| !shared.contains(name));
        let said = |a: &[String], b: &[String]| {
            asked.user().find_map(|reading| relation.patterns.iter().find_map(|own| own.find(&reading.lower, a, b)))
        };
        if said(&first, &second).is_none()
            && let Some(words) = said(&second, &first)
        {
            slips.push(slip(asked, one, other, &words));
        }
    }
}

/// Whether an argument is one end of a relation and not the other.
fn is_end(argument: &Argument<'_>, own: &[&str], other: &[&str]) -> bool {
    if argument.text().is_none() || argument.node.is_item() {
        return false;
    }
    let has = |words: &[String], list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(&argument.words, own) || has(&argument.words, other) {
        return has(&argument.words, own) && !has(&argument.words, other);
    }
    let Some(param) = argument.node.param else { return false };
    let lower = param.description.to_ascii_lowercase();
    // "From" and "to" tell an end in a name; in a sentence they are everywhere.
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !matches!(*word, "" | "from" | "to"));
    let words: Vec<String> = words.map(str::to_owned).collect();
    has(&words, own) && !has(&words, other)
}

/// What people call the one that a value stands for: the value, and the names of its record, whole and in parts.
fn names_of(asked: &Asked<'_>, argument: &Argument<'_>) -> Vec<String> {
    let Some(text) = argument.text().filter(|text| text.len() <= MAX_VALUE) else { return Vec::new() };
    let mut names = vec![text.to_owned()];
    names.extend(languages::find(text).iter().flat_map(|language| &language.names).map(|name| (*name).to_owned()));
    for record in asked.records().iter().filter(|record| record.has(text)) {
        let named = |key: &str| {
            identifier_words(key).iter().any(|word| matches!(word.as_str(), "name" | "title" | "label" | "nickname"))
        };
        let fields = record.fields.iter().filter(|(key, _)| named(key)).filter_map(|(_, value)| value.as_str());
        names.extend(fields.filter(|name| name.len() <= MAX_VALUE).map(str::to_ascii_lowercase));
    }
    let parts: Vec<String> = names.iter().flat_map(|name| parts_of(name)).collect();
    names.extend(parts);
    names
}

/// The first and the last name; of a Chinese name what stands behind the family name.
fn parts_of(name: &str) -> Vec<String> {
    if name.chars().all(is_han) && name.chars().count() == 3 {
        return vec![name.chars().skip(1).collect()];
    }
    let words = name.split_whitespace().filter(|word| word.len() >= 3 && word.chars().all(char::is_alphabetic));
    words.map(str::to_owned).collect()
}

/// One relation.
struct Relation {
    one: Vec<&'static str>,
    other: Vec<&'static str>,
    patterns: Vec<Pattern>,
}

impl Relation {
    /// Whether its ends are those of a way: from here to there.
    fn is_a_way(&self) -> bool {
        self.one.contains(&"from")
    }
}

/// One way to say a relation: what stands before, between (with other words at each `…`) and behind the two names, and whether
/// the other one is first.
struct Pattern {
    before: &'static str,
    between: Vec<&'static str>,
    behind: &'static str,
    turned: bool,
}

impl Pattern {
    fn read(text: &'static str) -> Option<Self> {
        let (one, other) = (text.find('A')?, text.find('B')?);
        let (first, second) = (one.min(other), one.max(other));
        Some(Self {
            before: text.get(..first)?.trim(),
            between: text.get(first + 1..second)?.split('…').map(str::trim).filter(|part| !part.is_empty()).collect(),
            behind: text.get(second + 1..)?.trim(),
            turned: other < one,
        })
    }

    /// The words that say the relation of two names, where they stand near each other in one sentence and nothing denies it.
    fn find(&self, lower: &str, one: &[String], other: &[String]) -> Option<String> {
        let (first, second) = if self.turned { (other, one) } else { (one, other) };
        first.iter().find_map(|first| {
            let start = find_whole(lower, first)?;
            let end = start + first.len();
            let rest = lower.get(end..)?;
            second.iter().find_map(|second| {
                let place = find_whole(rest, second)?;
                let gap = rest.get(..place).filter(|gap| gap.len() <= MAX_GAP && !gap.contains(ENDS))?;
                let behind = rest.get(place + second.len()..)?.trim_start();
                let before = lower.get(..start)?.trim_end();
                let told =
                    self.between.iter().all(|part| {
                        if part.is_ascii() { super::asked::stands_in(gap, part) } else { gap.contains(part) }
                    }) && (self.before.is_empty() || before.ends_with(self.before))
                        && (self.behind.is_empty() || behind.starts_with(self.behind));
                let rest = self.between.iter().fold(gap.to_owned(), |gap, part| gap.replace(part, " "));
                let denied = Cue::named("negation").stands_in(&rest) || Cue::named("in-the-past").stands_in(&rest);
                let said = lower.get(start..end + place + second.len())?;
                (told && !denied).then(|| said.to_owned())
            })
        })
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&RELATIONS);
}

static RELATIONS: LazyLock<Vec<Relation>> = LazyLock::new(|| {
    let words =
        |cell: Option<&'static str>| cell.unwrap_or_default().split('|').filter(|word| !word.is_empty()).collect();
    let read = |line: &'static str| {
        let mut cells = line.split('\t');
        let (one, other): (Vec<_>, Vec<_>) = (words(cells.next()), words(cells.next()));
        let ways: Vec<&'static str> = cells.flat_map(|cell| cell.split('|')).collect();
        Relation { one, other, patterns: ways.into_iter().filter_map(Pattern::read).collect() }
    };
    include_str!("../../text/data/relations.tsv").lines().skip(1).map(read).collect()
});

fn slip(asked: &Asked<'_>, first: &Argument<'_>, second: &Argument<'_>, said: &str) -> Slip {
    let (one, two) = (first.node.key, second.node.key);
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\"; in the call `{one}` and `{two}` have it the other way round",
        "用户说的是“{said}”，而调用中 `{one}` 与 `{two}` 正好颠倒"
    );
    let hint = localized!(asked.subject.language, "exchange `{one}` and `{two}`", "请交换 `{one}` 与 `{two}`");
    Slip::on(asked, first, &SWAPPED, Strength::Strong, Says { evidence, hint })
}

/// Where a sentence ends.
const ENDS: &[char] = &['.', ';', '!', '?', '\n', '。', '；', '！', '？'];
const MAX_VALUE: usize = 80;
const MAX_GAP: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-3
    #[test]
    fn relations_have_their_direction() {
        let names = |text: &str| vec![text.to_owned()];
        let said = |text: &str, one: &str, other: &str| {
            let mut patterns = RELATIONS.iter().flat_map(|relation| &relation.patterns);
            patterns.any(|pattern| pattern.find(text, &names(one), &names(other)).is_some())
        };
        assert!(said("from may on nora reports to emil", "nora", "emil"));
        assert!(!said("from may on nora reports to emil", "emil", "nora"));
        assert!(said("bo is covered by an", "an", "bo") && !said("an doesn't cover for bo", "an", "bo"));
        assert!(said("周五小顾替老何值班", "小顾", "老何") && !said("周五小顾替老何值班", "老何", "小顾"));
        assert!(said("please swap k-12 for k-19", "k-12", "k-19"));
        assert!(RELATIONS.iter().all(|relation| relation.patterns.len() > 2));
    }
}
