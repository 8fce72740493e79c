//! Who stands in which relation to whom: "Nora reports to Emil", and the call makes Emil report to Nora.
//!
//! `text/data/relations.tsv` has one relation a line: what the arguments of its two ends are called, and how people say it.
//! An end is told by the argument's name, else by its description; who is meant is told by the records that the values have.
//! "A's" is what belongs to an end; a pattern with one name ("A lets") needs no more than that one. Whom the operator names
//! and the user does not is the one who speaks: "I", "my", 咱们.

use super::argument::Argument;
use super::asked::{Asked, clause_around, find_whole};
use super::languages;
use super::slip::{Says, Slip, Strength};
use crate::contract::Role as Speaker;
use crate::contract::codes::meaning::SWAPPED;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::Reading;
use crate::text::words::identifier_words;
use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;
use std::sync::LazyLock;

/// Finds pairs whose ends were exchanged.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    // "And the way back": what was said of the one way does not tell the other.
    let returns = LazyCell::new(|| asked.user().any(|reading| Cue::named("way-back").stands_in(&reading.lower)));
    for relation in RELATIONS.iter() {
        let end = |own: &[&str], other: &[&str]| {
            let mut found = asked.arguments.iter().filter(|argument| is_end(argument, own, other));
            found.next().filter(|_| found.next().is_none())
        };
        let (Some(one), Some(other)) = (end(&relation.one, &relation.other), end(&relation.other, &relation.one))
        else {
            continue;
        };
        if relation.is_a_way() && *returns {
            continue;
        }
        let (mut first, mut second) = (names_of(asked, one), names_of(asked, other));
        let shared: Vec<String> = first.iter().filter(|name| second.contains(name)).cloned().collect();
        first.retain(|name| !shared.contains(name));
        second.retain(|name| !shared.contains(name));
        let (first, second) = Who::both(asked, first, second);
        let things = things_of(asked, one, other);
        let said = |a: &Who, b: &Who| {
            asked.user().find_map(|reading| relation.patterns.iter().find_map(|own| own.find(reading, a, b, &things)))
        };
        if said(&first, &second).is_none()
            && let Some(words) = said(&second, &first)
        {
            slips.push(slip(asked, one, other, &words));
        }
    }
}

/// What the call is about besides its two ends, as texts.
fn things_of(asked: &Asked<'_>, one: &Argument<'_>, other: &Argument<'_>) -> Vec<String> {
    let ends = |argument: &&Argument<'_>| !std::ptr::eq(*argument, one) && !std::ptr::eq(*argument, other);
    let others = asked.arguments.iter().filter(ends);
    let texts = others
        .filter_map(|argument| argument.text().map(str::to_owned).or_else(|| argument.number().map(super::slip::show)));
    texts.filter(|text| !text.is_empty() && text.len() <= MAX_VALUE).collect()
}

/// One end, by what people call it.
struct Who {
    names: Vec<String>,
    /// Whether it is the one who speaks.
    speaks: bool,
}

impl Who {
    /// Both ends. The one that only the operator names is the user, or the house that the user speaks for: nobody calls
    /// themselves by name.
    fn both(asked: &Asked<'_>, one: Vec<String>, other: Vec<String>) -> (Self, Self) {
        let operator: Vec<String> = asked
            .subject
            .conversation
            .messages()
            .iter()
            .filter(|message| message.role == Speaker::System && message.text.len() <= MAX_OPERATOR)
            .map(|message| message.text.to_lowercase())
            .collect();
        let told = |text: &str, names: &[String]| names.iter().any(|name| find_whole(text, name).is_some());
        let by_operator = |names: &[String]| operator.iter().any(|text| told(text, names));
        let by_user = |names: &[String]| asked.user().any(|reading| told(&reading.lower, names));
        let speaks = |own: &[String], other: &[String]| {
            by_operator(own) && !by_user(own) && !by_operator(other) && by_user(other)
        };
        let (first, second) = (speaks(&one, &other), speaks(&other, &one));
        (Self { names: one, speaks: first }, Self { names: other, speaks: second })
    }

    /// What stands for it at a place of a pattern, and whether that is a pronoun.
    fn called(&self, slot: Slot) -> Vec<(Cow<'_, str>, bool)> {
        let mut found = Vec::new();
        for name in &self.names {
            match slot {
                Slot::Owner => {
                    found.extend([(Cow::Owned(format!("{name}'s")), false), (Cow::Owned(format!("{name}的")), false)])
                }
                Slot::Subject | Slot::Object => found.push((Cow::Borrowed(name.as_str()), false)),
            }
        }
        let pronouns: &[&'static str] = match slot {
            _ if !self.speaks => &[],
            Slot::Owner => &["my", "our", "我", "咱"],
            Slot::Subject => &["i", "we", "我", "咱"],
            Slot::Object => &["me", "us", "我", "咱"],
        };
        found.extend(pronouns.iter().map(|word| (Cow::Borrowed(*word), true)));
        found
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

/// What an end is in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Subject,
    Object,
    Owner,
}

/// One way to say a relation: what stands before, between (with other words at each `…`) and behind the two names, and whether
/// the other one is first. Where there is one name, what stands between is nothing; `#` is how many of something follow,
/// and `*` that the clause names what the call is about ("he gives me no peace" gives nothing).
struct Pattern {
    before: &'static str,
    between: Vec<&'static str>,
    behind: &'static str,
    counts: bool,
    names: bool,
    turned: bool,
    first: Slot,
    second: Option<Slot>,
}

impl Pattern {
    fn read(text: &'static str) -> Option<Self> {
        let name = |name: char| {
            let at = text.find(name)?;
            let behind = text.get(at + 1..)?;
            let owner = behind.starts_with("'s ") || behind.trim_end_matches(['#', '*']) == "'s";
            Some((at, at + if owner { 3 } else { 1 }, owner))
        };
        let (one, other) = (name('A'), name('B'));
        let turned = match (one, other) {
            (Some(one), Some(other)) => other.0 < one.0,
            _ => one.is_none(),
        };
        let (first, second) = if turned { (other?, one) } else { (one?, other) };
        let before = text.get(..first.0)?.trim();
        let slot = |owner: bool, subject: bool| match (owner, subject) {
            (true, _) => Slot::Owner,
            (_, true) => Slot::Subject,
            _ => Slot::Object,
        };
        let gap = second.map_or(Some(""), |second| text.get(first.1..second.0))?;
        Some(Self {
            before,
            between: gap.split('…').map(str::trim).filter(|part| !part.is_empty()).collect(),
            behind: text.get(second.unwrap_or(first).1..)?.trim_end_matches(['#', '*']).trim(),
            counts: text.ends_with('#'),
            names: text.ends_with('*'),
            turned,
            first: slot(first.2, before.is_empty()),
            second: second.map(|second| slot(second.2, false)),
        })
    }

    /// The words that say the relation of two names, where they stand near each other in one sentence and nothing denies it.
    fn find(&self, reading: &Reading, one: &Who, other: &Who, things: &[String]) -> Option<String> {
        let lower = reading.lower.as_str();
        let named = |at: usize| {
            let clause = clause_around(lower, at);
            !self.names || things.iter().any(|thing| find_whole(clause, thing).is_some())
        };
        let (first, second) = if self.turned { (other, one) } else { (one, other) };
        let second: Vec<(Cow<'_, str>, bool)> = self.second.map(|slot| second.called(slot)).unwrap_or_default();
        first.called(self.first).iter().find_map(|(first, pronoun)| {
            places_of(lower, first, *pronoun).filter(|start| named(*start)).find_map(|start| {
                let end = start + first.len();
                if self.second.is_none() {
                    return self.find_alone(reading, start, end);
                }
                second.iter().find_map(|(second, other)| self.find_pair(lower, start..end, second, (*pronoun, *other)))
            })
        })
    }

    /// One name, with what stands before and behind it.
    fn find_alone(&self, reading: &Reading, start: usize, end: usize) -> Option<String> {
        let lower = reading.lower.as_str();
        let (before, behind) = (lower.get(..start)?.trim_end(), lower.get(end..)?.trim_start());
        let led = self.before.is_empty() || before.ends_with(self.before);
        let rest = behind.strip_prefix(self.behind)?;
        let whole = !self.behind.ends_with(|c: char| c.is_ascii_alphabetic())
            || !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        let end = lower.len() - rest.len();
        let denied = Cue::named("negation").stands_in(clause_around(lower, start))
            || Cue::named("in-the-past").stands_in(clause_around(lower, start));
        let said = lower.get(start.saturating_sub(self.before.len())..end).or_else(|| lower.get(start..end))?;
        let counted = !self.counts || counts(reading, end);
        (led && whole && counted && !denied).then(|| said.to_owned())
    }

    /// Two names, with what stands around and between them. A pronoun stands right beside the words of the relation.
    fn find_pair(&self, lower: &str, first: Range<usize>, second: &str, pronoun: (bool, bool)) -> Option<String> {
        let (before, rest) = (lower.get(..first.start)?.trim_end(), lower.get(first.end..)?);
        let near = rest.get(..rest.floor_char_boundary(MAX_GAP + second.len()))?;
        places_of(near, second, pronoun.1).find_map(|place| {
            let gap = rest.get(..place).filter(|gap| gap.len() <= MAX_GAP && !gap.contains(ENDS))?;
            // "I'm giving Ann" is what "Bo is giving Ann" is.
            let whole = whole_verb(gap).filter(|_| pronoun.0);
            let gap = whole.as_deref().unwrap_or(gap);
            let behind = rest.get(place + second.len()..)?.trim_start();
            let inside = self
                .between
                .iter()
                .all(|part| if part.is_ascii() { super::asked::stands_in(gap, part) } else { gap.contains(part) });
            let joined = (!pronoun.0 || self.between.first().is_some_and(|part| gap.trim_start().starts_with(part)))
                && (!pronoun.1 || self.between.last().is_some_and(|part| gap.trim_end().ends_with(part)));
            let told = inside
                && joined
                && (self.before.is_empty() || before.ends_with(self.before))
                && (self.behind.is_empty() || stands_behind(behind, self.behind, pronoun.1));
            let others = self.between.iter().fold(gap.to_owned(), |gap, part| gap.replace(part, " "));
            let denied = Cue::named("negation").stands_in(&others) || Cue::named("in-the-past").stands_in(&others);
            // "I paid Nadia's loan back" ends what was owed.
            let paid = self.between.iter().any(|part| part.starts_with("paid"));
            let returned = paid && Cue::named("way-back").stands_in(clause_around(lower, first.end + place));
            let said = lower.get(first.start..first.end + place + second.len())?;
            (told && !denied && !returned).then(|| said.to_owned())
        })
    }
}

/// Whether so many of something follow, perhaps behind whoever gets them: "them have six", "20 pallets".
fn counts(reading: &Reading, start: usize) -> bool {
    let rest = reading.lower.get(start..).unwrap_or_default();
    let mut bare = rest.trim_start();
    for word in ["them", "us", "him", "her", "me", "it", "have", "another", "about"] {
        let behind = bare.strip_prefix(word).filter(|rest| rest.starts_with(' '));
        bare = behind.map_or(bare, str::trim_start);
    }
    let at = start + (rest.len() - bare.len());
    reading.numbers().any(|(mention, _)| mention.range.start == at)
}

/// Where a name stands: its first place, or of a pronoun the first few.
fn places_of<'t>(text: &'t str, name: &'t str, pronoun: bool) -> impl Iterator<Item = usize> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + find_whole(text.get(from..)?, name)?;
        from = at + name.len();
        Some(at)
    })
    .take(if pronoun { MAX_PLACES } else { 1 })
}

/// The verb of a first person, as it is of anybody else.
fn whole_verb(gap: &str) -> Option<String> {
    let forms = [
        ("'m ", "is"),
        ("'re ", "is"),
        (" am ", "is"),
        (" are ", "is"),
        ("'ve ", "has"),
        (" have ", "has"),
        ("'ll ", "will"),
    ];
    forms.iter().find_map(|(own, whole)| Some(format!(" {whole} {}", gap.strip_prefix(own)?)))
}

/// What stands behind the last name: 给咱们社里用 has two signs of the house before it.
fn stands_behind(text: &str, wanted: &str, pronoun: bool) -> bool {
    let skipped = if pronoun && wanted.starts_with(is_han) { MAX_HOUSE } else { 0 };
    let mut starts = text.char_indices().take(skipped + 1).take_while(|(at, c)| *at == 0 || is_han(*c));
    starts.any(|(at, _)| text.get(at..).is_some_and(|rest| rest.starts_with(wanted)))
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
/// A longer one is a manual, and names many.
const MAX_OPERATOR: usize = 600;
/// So many places of a pronoun are looked at.
const MAX_PLACES: usize = 8;
/// 咱们社里: so many signs may stand between the one who speaks and the next word.
const MAX_HOUSE: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-3
    #[test]
    fn relations_have_their_direction() {
        let names = |text: &str| Who { names: vec![text.to_owned()], speaks: text == "myself" };
        let said = |text: &str, one: &str, other: &str| {
            let between_people = RELATIONS.iter().filter(|relation| !relation.is_a_way());
            let mut patterns = between_people.flat_map(|relation| &relation.patterns);
            patterns.any(|pattern| {
                pattern.find(&Reading::of(text), &names(one), &names(other), &["drill".to_owned()]).is_some()
            })
        };
        assert!(said("from may on nora reports to emil", "nora", "emil"));
        assert!(!said("from may on nora reports to emil", "emil", "nora"));
        assert!(said("bo is covered by an", "an", "bo") && !said("an doesn't cover for bo", "an", "bo"));
        assert!(said("周五小顾替老何值班", "小顾", "老何") && !said("周五小顾替老何值班", "老何", "小顾"));
        assert!(said("please swap k-12 for k-19", "k-12", "k-19"));
        assert!(RELATIONS.iter().all(|relation| relation.patterns.len() > 2));
    }

    // MEANING-3
    #[test]
    fn who_speaks_and_who_gives_is_read() {
        let names = |text: &str| Who { names: vec![text.to_owned()], speaks: text == "myself" };
        let said = |text: &str, one: &str, other: &str| {
            let mut patterns = RELATIONS.iter().flat_map(|relation| &relation.patterns);
            patterns.any(|pattern| {
                pattern.find(&Reading::of(text), &names(one), &names(other), &["drill".to_owned()]).is_some()
            })
        };
        assert!(
            said("ines paid for my ticket", "myself", "ines") && !said("ines paid for my ticket", "ines", "myself")
        );
        assert!(said("i'm giving omar my drill", "omar", "myself") && said("omar's got my drill", "omar", "myself"));
        assert!(said("i've borrowed omar's drill", "myself", "omar") && said("周六小顾替我", "myself", "小顾"));
        assert!(!said("ines paid my loan back", "myself", "ines"));
        assert!(
            said("omar's doing my late shift", "myself", "omar") && said("let hull send nine over", "hull", "york")
        );
        assert!(!said("hull can't send any", "hull", "york") && said("老秦的水泵给咱们队里用两天", "myself", "老秦"));
        assert!(said("原件是法文，出个中文版", "法文", "中文") && !said("出个中文版", "中文", "法文"));
    }
}
