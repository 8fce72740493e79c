//! The record that was meant: an id belongs to the record that the user's words name, not to its neighbour.

use super::argument::{Argument, read_moment};
use super::asked::{Asked, clause_around, find_whole, stands_in};
use super::date::PARTS;
use super::qualities::Qualities;
use super::records::{Record, show_minutes, squash, words_of};
use super::slip::{Says, Slip, Strength};
use super::years::{Years, years_in};
use crate::check_call::action::standing::is_state_key;
use crate::contract::codes::meaning::{LEFT_OUT, OTHER_RECORD};
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lexicon::{Deeds, find_chinese, find_english};
use crate::text::mentions::date::{DateWords, Week};
use crate::text::mentions::role::is_excluded;
use crate::text::mentions::{Mention, Reading};
use crate::text::words::words;
use jiff::civil::Date;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::ops::Range;

/// Finds ids of a record whose neighbour was named, and lists that lack one of those that were.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let records = asked.records();
    if records.len() < 2 {
        return;
    }
    for argument in &asked.arguments {
        let Some(reference) = argument.reference().filter(|text| is_reference(text)) else { continue };
        let text = &*reference;
        if asked.user().any(|reading| stands_in(&reading.lower, text)) || is_about_several(asked, argument) {
            continue;
        }
        if records.iter().any(|own| own.has(text) && super::picks::is_picked(asked, own)) {
            continue;
        }
        // "The other two can join the Ferry one": whom a list is not about may be named beside it.
        if is_listed(asked, argument) && Cue::named("by-and-large").stands_in(&asked.last.lower) {
            continue;
        }
        // The same id may stand in a result and in prose: where one of them agrees with the words, it is right.
        let owns = records.iter().filter(|record| record.has(text));
        let (results, prose): (Vec<&Record<'_>>, Vec<&Record<'_>>) = owns.partition(|record| record.id.is_none());
        let owns = results.into_iter().take(1).chain(prose.into_iter().take(MAX_PROSE));
        let judged: Vec<Judged<'_, '_>> = owns.map(|own| judge(asked, argument, own, text)).collect();
        if judged.iter().any(|judged| matches!(judged, Judged::Named)) {
            continue;
        }
        if let Some((other, word)) = judged
            .into_iter()
            .find_map(Judged::better)
            .filter(|(other, _)| is_open_to(argument, text, other) && !is_taken(asked, argument, other))
            .filter(|(other, _)| other.id.as_deref().is_none_or(|id| is_of_kind(id, text)))
        {
            slips.push(slip(asked, argument, text, other, &word));
        }
    }
    slips.extend(
        find_missing(asked, records)
            .or_else(|| find_rest_of_kind(asked, records))
            .or_else(|| find_other_named(asked, records))
            .or_else(|| find_unnamed(asked, records)),
    );
}

/// Whether an argument could have taken a record's value: a choice of a list takes only what the list has.
fn is_open_to(argument: &Argument<'_>, text: &str, record: &Record<'_>) -> bool {
    let Some(param) = argument.node.param.filter(|param| !param.allowed.is_empty()) else { return true };
    let other = |value: &&str| *value != text && record.has(value);
    param.allowed.iter().filter_map(|value| value.as_str()).any(|value| other(&value))
}

/// Whether two ids in prose are of one kind, by the letters that they begin with: an account is no neighbour of a reference.
fn is_of_kind(one: &str, other: &str) -> bool {
    let letters =
        |id: &str| id.chars().take_while(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect::<String>();
    letters(one) == letters(other)
}

/// Whether the same list has the other record too, so that neither stands in the other's place.
fn is_taken(asked: &Asked<'_>, argument: &Argument<'_>, record: &Record<'_>) -> bool {
    // "From Suzhou to Foshan" names both, each for an argument of its own.
    let beside = asked.arguments.iter().filter(|other| {
        !std::ptr::eq(other.node, argument.node) && (!argument.node.is_item() || other.node.key == argument.node.key)
    });
    beside.filter_map(Argument::reference).filter(|text| is_reference(text)).any(|text| record.has(&text))
}

/// Whether every id of the call belongs to a record that the last words name.
pub(crate) fn are_named(asked: &Asked<'_>) -> bool {
    let said = Said::of(asked, asked.last);
    let ids = asked.arguments.iter().filter_map(Argument::reference).filter(|text| is_reference(text));
    let mut ids = ids.filter(|text| text.contains(|c: char| c.is_ascii_digit())).peekable();
    ids.peek().is_some()
        && ids.all(|text| {
            asked.records().iter().filter(|record| record.has(&text)).any(|own| {
                let all: Vec<&Record<'_>> = asked.records().iter().filter(|record| record.list == own.list).collect();
                !said.names(own, &all).is_empty()
            })
        })
}

/// Whether a text points at a record: one word, or a number with blanks in it.
fn is_reference(text: &str) -> bool {
    let unit = text.len() < 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    !unit && text.len() <= MAX_VALUE && (!text.contains(char::is_whitespace) || !text.contains(char::is_alphabetic))
}

/// Whether the call or the request is about more than one of them.
fn is_about_several(asked: &Asked<'_>, argument: &Argument<'_>) -> bool {
    is_listed(asked, argument) && asked.in_force().any(|reading| Cue::named("several").stands_in(&reading.lower))
}

fn is_listed(asked: &Asked<'_>, argument: &Argument<'_>) -> bool {
    argument.node.is_item() && asked.arguments.iter().filter(|other| other.node.key == argument.node.key).count() > 1
}

/// What the user's words make of a record.
enum Judged<'r, 'a> {
    /// They name it.
    Named,
    /// They name one beside it, by a word.
    Better(&'r Record<'a>, String),
    /// They name neither.
    Silent,
}

impl<'r, 'a> Judged<'r, 'a> {
    fn better(self) -> Option<(&'r Record<'a>, String)> {
        match self {
            Self::Better(record, word) => Some((record, word)),
            _ => None,
        }
    }
}

/// A sibling that the words name, where all that they say of this record they say of the sibling too.
fn judge<'r, 'a>(asked: &'r Asked<'a>, argument: &Argument<'_>, own: &'r Record<'a>, text: &str) -> Judged<'r, 'a> {
    let siblings: Vec<&Record<'_>> =
        asked.records().iter().filter(|record| record.list == own.list && !record.has(text)).collect();
    let all: Vec<&Record<'_>> = siblings.iter().copied().chain([own]).collect();
    // Of one record alone any word of it tells.
    let lone = all.len() == 1
        && asked.user().any(|reading| words_of(own).iter().any(|word| place_of(&reading.lower, word).is_some()));
    if lone {
        return Judged::Named;
    }
    // A list of several, and one that was picked by its place or measure, is held against the last words alone.
    let picked = super::picks::pick_in(&asked.last.lower).is_some();
    // Who says more than a few words names anew what they speak of.
    let long = asked.last.lower.chars().count() > LONG;
    // "Whichever you do": who leaves the choice open picks none by what was told before.
    let open = leaves_open(&asked.last.lower);
    let earlier = if is_listed(asked, argument) || picked || long || open { 0 } else { MAX_EARLIER };
    // "Alipay or the card?" names neither.
    let offers = |reading: &Reading| {
        asked.proposal.is_some_and(|own| std::ptr::eq(own, reading))
            && (stands_in(&reading.lower, "or") || reading.lower.contains("还是"))
    };
    let in_force = asked.in_force().take(if picked { 1 } else { usize::MAX }).filter(|reading| !offers(reading));
    for reading in in_force.chain(asked.earlier.iter().copied().take(earlier)) {
        let said = Said::of(asked, reading);
        let named = |record: &Record<'_>| said.names(record, &all);
        let mine = named(own);
        let Some((best, words)) =
            siblings.iter().map(|record| (*record, named(record))).max_by_key(|(_, words)| words.len())
        else {
            return Judged::Silent;
        };
        if is_listed(asked, argument) && !mine.is_empty() {
            return Judged::Named;
        }
        // "Bounce Back" stands in "Bounce Back (Radio Edit)" too.
        let shared = |word: &&String| (word.contains(is_han) || word.contains(' ')) && own.tells(word);
        let only_best = |word: &&String| !(mine.contains(word) || shared(word));
        let better = words.iter().find(only_best).cloned();
        if let Some(word) = better.filter(|_| words.len() > mine.len() && mine.iter().all(|word| words.contains(word)))
        {
            return Judged::Better(best, word);
        }
        if !mine.is_empty() {
            return Judged::Named;
        }
    }
    Judged::Silent
}

/// What a message says that may name a record.
pub(crate) struct Said<'a> {
    reading: &'a Reading,
    /// It without signs and blanks.
    squashed: String,
    /// What the speaker cannot have, which names nothing that is wanted.
    avoided: Vec<Range<usize>>,
    /// Whether the call takes something away, so that what is to stay is not meant.
    takes_away: bool,
    /// Whether the call settles something, so that who has not decided is not meant.
    decides: bool,
    /// Its dates and times, as records have them.
    moments: FxHashSet<String>,
    /// Those that only say what stays as it is.
    kept: FxHashSet<String>,
    /// The years that it tells by.
    years: Vec<Years>,
    /// Where it names the deed of the call.
    deeds: Vec<Range<usize>>,
    /// What it may say of what a record has or is.
    qualities: Qualities,
}

impl<'a> Said<'a> {
    pub(crate) fn of(asked: &Asked<'_>, reading: &'a Reading) -> Self {
        let ends = Deeds::named(&["close", "merge", "pause", "turn-off", "block", "freeze"]);
        let takes_away = asked.takes_away() || asked.subject.tool.spec.deeds().deeds.meet(&ends);
        // "Keep the January one open".
        let names = |mention: &Mention| {
            let at = mention.range.start;
            !(mention.excluded
                || is_in_clause("set-aside", &reading.lower, at)
                || takes_away && is_kept(&reading.lower, at))
        };
        let mut moments: FxHashSet<String> = FxHashSet::default();
        for (_, words) in reading.dates().filter(|(mention, _)| names(mention)) {
            moments.extend(
                words.resolve(asked.today).iter().filter(|days| days.is_one()).map(|days| days.first.to_string()),
            );
        }
        // "The one on the 9th" picks among the days that records have, whatever day it is.
        let partial = reading.dates().filter(|(mention, _)| names(mention)).map(|(_, words)| words);
        let partial: Vec<DateWords> = partial.filter(|words| words.resolve(asked.today).is_empty()).collect();
        let dates = asked.records().iter().filter(|_| !partial.is_empty()).flat_map(words_of);
        moments.extend(dates.filter(|word| partial.iter().any(|words| is_day(*words, word))).cloned());
        for (_, clock) in reading.clocks().filter(|(mention, _)| names(mention)) {
            moments.insert(show_minutes(clock.minutes));
            moments.extend((!clock.sure).then(|| show_minutes(clock.minutes + 720)));
        }
        let kept = reading.dates().filter(|(mention, _)| takes_away && is_kept(&reading.lower, mention.range.start));
        let kept: Vec<DateWords> = kept.map(|(_, words)| words).collect();
        let dates = asked.records().iter().filter(|_| !kept.is_empty()).flat_map(words_of);
        let kept = dates.filter(|word| kept.iter().any(|words| is_day(*words, word))).cloned().collect();
        let avoided = super::demands::avoided(&reading.lower);
        let years = years_in(reading);
        let decides =
            !asked.arguments.iter().filter_map(Argument::text).any(|text| Cue::named("leaves-open").stands_in(text));
        let deeds = deeds_in(&reading.lower, asked.subject.tool.spec.deeds().deeds);
        let (squashed, qualities) = (squash(&reading.lower), Qualities::of(asked));
        Self { decides, reading, avoided, squashed, takes_away, moments, kept, years, deeds, qualities }
    }

    /// Whether the message speaks of a record only to say that it stays.
    pub(crate) fn keeps(&self, record: &Record<'_>, all: &[&Record<'_>]) -> bool {
        let lower = &self.reading.lower;
        let told_apart = |word: &&String| all.iter().filter(|other| words_of(other).contains(*word)).count() == 1;
        self.takes_away
            && self.names(record, all).is_empty()
            && words_of(record)
                .iter()
                .filter(told_apart)
                .any(|word| self.kept.contains(word) || place_of(lower, word).is_some_and(|at| is_kept(lower, at)))
    }

    /// The words that name a record and not all the others beside it.
    pub(crate) fn names(&self, record: &Record<'_>, all: &[&Record<'_>]) -> Vec<String> {
        let lower = &self.reading.lower;
        let telling = words_of(record).iter().filter(|word| {
            let meant = |at: usize| {
                let out = is_excluded(lower, at)
                    || is_negated(lower, at)
                    || is_in_clause("away", lower, at)
                    || is_of_any_kind(lower, at)
                    || is_in_clause("set-aside", lower, at)
                    || self.decides && is_in_clause("undecided", lower, at)
                    || self.takes_away && is_kept(lower, at);
                !out && !self.avoided.iter().any(|thing| thing.contains(&at))
            };
            let numbered = word.contains(is_han) && word.contains(|c: char| c.is_ascii_digit());
            let named = self.moments.contains(*word)
                || place_of(lower, word).is_some_and(|at| meant(at) && !self.wishes_state(record, word, at))
                || numbered && has_apart(&self.squashed, word);
            // 巧克力 tells nothing apart where another one is called 巧克力可颂.
            let whole =
                |other: &&&Record<'_>| words_of(other).contains(*word) || word.contains(is_han) && other.tells(word);
            named && all.iter().filter(whole).count() < all.len()
        });
        let years = self.years.iter().filter_map(|years| years.name(record, all));
        let qualities = self.qualities.names(lower, record, all);
        telling.cloned().chain(self.part_of_day(record, all).map(str::to_owned)).chain(years).chain(qualities).collect()
    }

    /// 恢复运行 wishes for the state that others are in already, "get it running again" too; neither names those.
    fn wishes_state(&self, record: &Record<'_>, word: &str, at: usize) -> bool {
        let states = record.fields.iter().filter(|(key, _)| is_state_key(key)).filter_map(|(_, value)| value.as_str());
        let behind = self.reading.lower.get(at + word.len()..).unwrap_or_default();
        let deed = self.deeds.iter().any(|deed| deed.contains(&at)) && !behind.starts_with(['的', '那', '这', '着']);
        let again = behind.trim_start().starts_with("again")
            || self.reading.lower.get(..at).is_some_and(|before| before.ends_with("back to "));
        (deed || again) && states.into_iter().any(|state| state.to_lowercase().contains(word))
    }

    /// "The evening thing" is the one at 18:00.
    fn part_of_day(&self, record: &Record<'_>, all: &[&Record<'_>]) -> Option<&'static str> {
        let within = |record: &Record<'_>, from: u16, to: u16| {
            let mut times = record.fields.iter().filter_map(|(_, value)| read_moment(value.as_str()?)?.minutes);
            times.next().is_some_and(|minutes| (from..=to).contains(&minutes))
        };
        // "At ten in the morning" is the time of the call, and tells no record.
        let timed = |at: usize| {
            let before = self.reading.lower.get(..at).unwrap_or_default().trim_end();
            let before = before.strip_suffix("in the").unwrap_or(before).trim_end();
            let ends = |range: &Range<usize>| range.contains(&at) || range.end == before.len();
            self.reading.clocks().any(|(mention, _)| ends(&mention.range))
        };
        let kept = |at: usize| self.takes_away && is_kept(&self.reading.lower, at);
        let named = |word: &str| place_of(&self.reading.lower, word).is_some_and(|at| !timed(at) && !kept(at));
        let (word, from, to) = PARTS.iter().find(|(word, ..)| named(word))?;
        let alone = all.iter().filter(|other| within(other, *from, *to)).count() < all.len();
        (alone && within(record, *from, *to)).then_some(*word)
    }
}

/// Where a text names any of some deeds, in its bytes.
fn deeds_in(lower: &str, deeds: Deeds) -> Vec<Range<usize>> {
    let words = words(lower);
    let listed: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
    let english = find_english(&listed).into_iter().filter(|found| found.deeds.meet(&deeds));
    let english = english.filter_map(|found| {
        let last = found.range.end.checked_sub(1)?;
        Some(words.get(found.range.start)?.range.start..words.get(last)?.range.end)
    });
    let chinese = find_chinese(lower).into_iter().filter(|found| found.deeds.meet(&deeds));
    english.chain(chinese.map(|found| found.range)).collect()
}

/// Whether a date of a record is the day that was said in part.
fn is_day(words: DateWords, word: &str) -> bool {
    let Ok(date) = word.parse::<Date>() else { return false };
    match words {
        DateWords::DayOfMonth(day) => date.day() == day,
        DateWords::Written { year, month, day } => {
            year.is_none_or(|year| year == date.year())
                && date.month() == month
                && day.is_none_or(|day| day == date.day())
        }
        DateWords::Weekday(weekday, Week::Unsaid | Week::This) => date.weekday().to_monday_zero_offset() == weekday,
        _ => false,
    }
}

/// Whether a name with a number in it stands in a text, and not as part of a longer number.
fn has_apart(squashed: &str, word: &str) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    squashed.match_indices(word).any(|(at, _)| {
        let before = squashed.get(..at).and_then(|before| before.chars().next_back());
        let behind = squashed.get(at + word.len()..).and_then(|behind| behind.chars().next());
        !(digit(before) && digit(word.chars().next()) || digit(word.chars().next_back()) && digit(behind))
    })
}

/// "Ghent stays", 周岚照常走: the clause says that nothing happens to it.
fn is_kept(lower: &str, at: usize) -> bool {
    let ends = ['.', ',', ';', '!', '?', '\n', '。', '，', '；', '！', '？'];
    let start = lower.get(..at).and_then(|before| before.rfind(ends)).unwrap_or(0);
    let rest = lower.get(at..).unwrap_or_default();
    let end = at + rest.find(ends).unwrap_or(rest.len());
    // "The pan is lovely, that stays".
    let next = lower.get(end..).unwrap_or_default().trim_start_matches([',', '，', ' ']);
    let goes_on = ["that ", "it ", "they ", "those ", "that's ", "so that "].iter().any(|word| next.starts_with(word));
    let next = next.split(ends).next().filter(|_| goes_on).unwrap_or_default();
    let kept = |clause: &str| Cue::named("kept").stands_in(clause);
    lower.get(start..end).is_some_and(kept) || kept(next)
}

/// "Priya is on leave", "the lawn can wait", 纸巾不急: the clause says that nothing happens to it now.
fn is_in_clause(list: &str, lower: &str, at: usize) -> bool {
    let clause = clause_around(lower, at);
    // "Ciara's ran out as well, but she can wait".
    let rest = lower.get(at..).unwrap_or_default();
    let next = rest.split_once([',', ';', '，']).map(|(_, next)| next.trim_start()).unwrap_or_default();
    let next = next.strip_prefix("but ").unwrap_or(next);
    let goes_on = ["she ", "he ", "it ", "they ", "that ", "those "].iter().any(|word| next.starts_with(word));
    let next = next.split([',', '.', ';', '!', '?', '，', '。']).next().filter(|_| goes_on).unwrap_or_default();
    Cue::named(list).stands_in(clause) || Cue::named(list).stands_in(next)
}

/// "Nothing explicit", 不要辣的, "all but the chairs": the word names what is not wanted.
fn is_negated(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default().trim_end();
    let before = ["the", "a", "an", "any"].iter().find_map(|article| before.strip_suffix(article)).unwrap_or(before);
    Cue::named("is-without").ends(before) && !before.ends_with("有没有") || Cue::named("all-but").ends(before)
}

/// "Whichever you do", "any of them", 随便: the choice is left to whoever acts.
fn leaves_open(lower: &str) -> bool {
    let open = [
        "whichever you",
        "whatever you",
        "any of them",
        "either is fine",
        "either will do",
        "any will do",
        "up to you",
    ];
    Cue::named("bound-no-more").chinese.iter().any(|word| lower.contains(word))
        || open.iter().any(|words| stands_in(lower, words))
}

/// "Anything with nuts in it makes him ill", 一吃坚果就吐: a thing of any kind is told of, and none is picked.
fn is_of_any_kind(lower: &str, at: usize) -> bool {
    const ENDS: [char; 8] = ['.', ',', ';', '!', '?', '，', '。', '；'];
    let (before, behind) = (lower.get(..at).unwrap_or_default(), lower.get(at..).unwrap_or_default());
    let led = before.trim_end();
    let led = ["a", "an", "any", "the"].iter().find_map(|word| led.strip_suffix(word)).unwrap_or(led).trim_end();
    let any = ["anything with", "anything containing", "anything that has", "things with", "whatever has"];
    let clause = |text: &str| text.chars().rev().take(MAX_WHEN).take_while(|c| !ENDS.contains(c)).any(|c| c == '一');
    let then = |text: &str| text.chars().take(MAX_WHEN).take_while(|c| !ENDS.contains(c)).any(|c| c == '就');
    any.iter().any(|words| led.ends_with(words)) || behind.starts_with(is_han) && clause(before) && then(behind)
}

/// Where a word stands, in the singular or the plural.
pub(super) fn place_of(text: &str, word: &str) -> Option<usize> {
    if word.starts_with(is_han) {
        return text.find(word);
    }
    find_whole(text, word)
        .or_else(|| find_whole(text, &format!("{word}s")))
        .or_else(|| find_whole(text, word.strip_suffix('s').filter(|stem| stem.len() >= 4)?))
}

/// One of a kind, where the words mean all of it: "refill the blood pressure ones", "cancel whatever hasn't started".
fn find_rest_of_kind(asked: &Asked<'_>, records: &[Record<'_>]) -> Option<Slip> {
    let mut items = asked.arguments.iter().filter(|argument| argument.node.is_item());
    let item = items.next().filter(|_| items.next().is_none() && !Cue::named("only").stands_in(&asked.last.lower))?;
    let id = item.reference().filter(|text| is_reference(text))?;
    let own = records.iter().find(|record| record.id.is_none() && record.has_under(&id, item))?;
    let all: Vec<&Record<'_>> = records.iter().filter(|record| record.list == own.list).collect();
    let (lower, said) = (&asked.last.lower, Said::of(asked, asked.last));
    let mine = said.names(own, &all);
    let others: Vec<&Record<'_>> = all.iter().copied().filter(|record| !std::ptr::eq(*record, own)).collect();
    let excluded = |record: &Record<'_>| {
        let out = |at: usize| {
            is_excluded(lower, at)
                || is_kept(lower, at)
                || is_negated(lower, at)
                || is_in_clause("set-aside", lower, at)
        };
        words_of(record).iter().any(|word| place_of(lower, word).is_some_and(out))
    };
    let done = |record: &Record<'_>| {
        let calls = asked.subject.conversation.messages().iter().flat_map(|message| &message.calls);
        let ids = record.fields.iter().filter_map(|(_, value)| value.as_str()).filter(|id| is_id(id));
        let ids: Vec<&str> = ids.collect();
        let mut texts =
            calls.filter(|call| call.name == asked.subject.tool.spec.name).map(|call| format!("{:?}", call.arguments));
        texts.any(|text| ids.iter().any(|id| text.contains(id)))
    };
    let meant = |record: &&&Record<'_>| !excluded(record) && !done(record) && !is_beyond(asked, &[own], record);
    let (missing, strength) = if mine.is_empty() {
        // What is meant is told by nothing but its state, and others are in another one.
        let state = |record: &Record<'_>| {
            record.fields.iter().find(|(key, _)| is_state_key(key)).map(|(_, value)| (*value).clone())
        };
        let same = |record: &&&Record<'_>| state(record).is_some() && state(record) == state(own);
        let alone = !others.iter().any(|record| !same(&record));
        let whole = lower.split(['.', ',', ';', '\n', '，', '。']).any(is_of_whatever);
        let named = others.iter().any(|record| !said.names(record, &all).is_empty());
        (others.iter().filter(same).find(meant).filter(|_| whole && !alone && !named)?, Strength::Weak)
    } else {
        let kind = |record: &&&Record<'_>| {
            let its = said.names(record, &all);
            mine.iter().all(|word| its.contains(word))
        };
        let whole = mine.iter().any(|word| place_of(lower, word).is_some_and(|at| is_all_of_kind(lower, word, at)));
        (others.iter().filter(kind).find(meant).filter(|_| whole)?, Strength::Strong)
    };
    Some(say_missing(asked, item, missing, strength))
}

/// "Whatever hasn't started", "everything that is queued": what is meant is told by what holds of it.
fn is_of_whatever(clause: &str) -> bool {
    ["whatever ", "whichever ", "everything ", "all that ", "all those ", "anything that ", "凡是", "所有", "全部"]
        .iter()
        .any(|word| {
            clause.find(word).is_some_and(|at| {
                !clause.get(..at).is_some_and(|before| before.ends_with(char::is_alphanumeric) && word.is_ascii())
            })
        })
        && !["whatever you", "whichever you", "everything else", "everything is", " one"]
            .iter()
            .any(|word| clause.contains(word))
}

/// "The yoga classes", 降压的药都: all that the word names are meant.
fn is_all_of_kind(lower: &str, word: &str, at: usize) -> bool {
    let clause = clause_around(lower, at);
    if word.contains(is_han) {
        return Cue::named("all-of-them").chinese.iter().any(|all| clause.contains(all));
    }
    if Cue::named("all-of-them").english.iter().any(|all| stands_in(clause, all)) {
        return true;
    }
    let ones = lower.get(at + word.len()..).is_some_and(|behind| behind.starts_with(" ones"));
    let plural = ones || !word.ends_with('s') && find_whole(lower, &format!("{word}s")) == Some(at);
    let before = lower.get(..at).unwrap_or_default().trim_end();
    let article = before.rsplit(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let some = ["some", "of the", "of my", "of our", "few", "any", "either", "first", "last"]
        .iter()
        .any(|word| stands_in(clause, word));
    plural && !some && matches!(article, "the" | "my" | "our" | "his" | "her" | "their" | "those" | "these")
}

fn is_id(text: &str) -> bool {
    text.len() >= 3 && !text.contains(' ') && text.contains(|c: char| c.is_ascii_digit())
}

/// "All of them", and a list that has only some of those that the words name.
fn find_missing(asked: &Asked<'_>, records: &[Record<'_>]) -> Option<Slip> {
    if !asked.in_force().any(|reading| Cue::named("all-of-them").stands_in(&reading.lower)) {
        return None;
    }
    let listed: Vec<&Argument<'_>> =
        asked.arguments.iter().filter(|argument| argument.node.is_item() && argument.text().is_some()).collect();
    let has = |record: &Record<'_>| listed.iter().any(|argument| argument.text().is_some_and(|text| record.has(text)));
    let taken: Vec<&Record<'_>> = records.iter().filter(|record| has(record)).collect();
    let (first, argument) = (taken.first()?, listed.first()?);
    if taken.len() < 2 || taken.len() < listed.len() || !taken.iter().all(|record| record.list == first.list) {
        return None;
    }
    let all: Vec<&Record<'_>> = records.iter().filter(|record| record.list == first.list).collect();
    let said = Said::of(asked, asked.last);
    let common: Vec<String> = said
        .names(first, &all)
        .into_iter()
        .filter(|word| taken.iter().all(|record| words_of(record).contains(word)))
        .collect();
    let named = |record: &Record<'_>| !common.is_empty() && common.iter().all(|word| words_of(record).contains(word));
    let unnamed = all.iter().all(|record| said.names(record, &all).is_empty());
    let left: Vec<&Record<'_>> = all.iter().copied().filter(|record| !has(record)).collect();
    // 支架留着，其他的都退: whatever sets the others apart, they are all meant.
    let others =
        Cue::named("by-and-large").stands_in(&asked.last.lower) && Cue::named("kept").stands_in(&asked.last.lower);
    if unnamed && !others && is_set_apart(&taken, &left) {
        return None;
    }
    let lower = &asked.last.lower;
    let excluded = |record: &Record<'_>| {
        let out = |at: usize| is_excluded(lower, at) || is_kept(lower, at) || is_negated(lower, at);
        // 3号先别动 speaks of the house whose number is 3.
        let values = record.fields.iter().filter_map(|(_, value)| value.as_str());
        let numbered = |text: &&str| text.len() < MIN_NUMBERED && text.bytes().all(|byte| byte.is_ascii_digit());
        words_of(record).iter().any(|word| place_of(lower, word).is_some_and(out))
            || values.filter(numbered).any(|text| find_whole(lower, text).is_some_and(out))
    };
    let missing = left
        .iter()
        .find(|record| (unnamed || named(record)) && !excluded(record) && !is_beyond(asked, &taken, record))?;
    Some(say_missing(asked, argument, missing, Strength::Strong))
}

fn say_missing(asked: &Asked<'_>, argument: &Argument<'_>, missing: &Record<'_>, strength: Strength) -> Slip {
    let shown = missing.fields.iter().find_map(|(_, value)| value.as_str()).unwrap_or_default();
    let evidence = localized!(
        asked.subject.language,
        "the user asked for all of them, and `{shown}` is left out",
        "用户要求的是全部，而 `{shown}` 被遗漏了"
    );
    let hint = localized!(
        asked.subject.language,
        "add what was left out, or make a second call for it",
        "请补上遗漏的内容，或再调用一次"
    );
    Slip::on(asked, argument, &LEFT_OUT, strength, Says { evidence, hint })
}

/// Whether a number of the user's parts a record from all that were taken: "whoever got 4 or better", and this one has 3.
fn is_beyond(asked: &Asked<'_>, taken: &[&Record<'_>], left: &Record<'_>) -> bool {
    let of = |record: &Record<'_>, key: &str| {
        record.fields.iter().find(|(own, _)| *own == key).and_then(|(_, value)| value.as_f64())
    };
    let bounds: Vec<f64> = asked.last.numbers().map(|(_, quantity)| quantity.value).collect();
    left.fields.iter().filter_map(|(key, value)| Some((*key, value.as_f64()?))).any(|(key, own)| {
        let others: Option<Vec<f64>> = taken.iter().map(|record| of(record, key)).collect();
        let Some(others) = others else { return false };
        bounds.iter().any(|bound| {
            (own < *bound && others.iter().all(|other| other >= bound))
                || (own > *bound && others.iter().all(|other| other <= bound))
        })
    })
}

/// Whether a field tells the records that were taken from those that were not: all of them are open, all run out sooner.
fn is_set_apart(taken: &[&Record<'_>], left: &[&Record<'_>]) -> bool {
    let keys = taken.first().map(|record| record.fields.iter().map(|(key, _)| *key)).into_iter().flatten();
    keys.into_iter().any(|key| {
        let values = |records: &[&Record<'_>]| -> Option<Vec<Value>> {
            let of = |record: &&Record<'_>| {
                record.fields.iter().find(|(own, _)| *own == key).map(|(_, value)| (*value).clone())
            };
            records.iter().map(of).collect()
        };
        let (Some(taken), Some(left)) = (values(taken), values(left)) else { return false };
        let same = taken.first().is_some_and(|first| taken.iter().all(|value| value == first) && !left.contains(first));
        let order = |value: &Value| match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => {
                read_moment(text)?.date.map(|date| f64::from(date.year()) * 400.0 + f64::from(date.day_of_year()))
            }
            _ => None,
        };
        let ends = |values: &[Value]| {
            let found: Option<Vec<f64>> = values.iter().map(order).collect();
            let found = found?;
            Some((found.iter().copied().fold(f64::MAX, f64::min), found.iter().copied().fold(f64::MIN, f64::max)))
        };
        let apart = ends(&taken).zip(ends(&left)).is_some_and(|(taken, left)| taken.1 < left.0 || left.1 < taken.0);
        same || apart
    })
}

/// Two records were named, each by words of its own, and the list has only one of them.
fn find_other_named(asked: &Asked<'_>, records: &[Record<'_>]) -> Option<Slip> {
    let items: Vec<&Argument<'_>> = asked
        .arguments
        .iter()
        .filter(|argument| argument.node.is_item() && argument.reference().is_some_and(|text| is_reference(&text)))
        .collect();
    let has = |record: &Record<'_>| {
        items.iter().any(|argument| argument.reference().is_some_and(|text| record.has_under(&text, argument)))
    };
    let (argument, own) = (items.first()?, records.iter().find(|record| has(record))?);
    let all: Vec<&Record<'_>> = records.iter().filter(|record| record.list == own.list).collect();
    let said = Said::of(asked, asked.last);
    let unique = |record: &Record<'_>| {
        let words = said.names(record, &all);
        words.into_iter().find(|word| all.iter().filter(|other| words_of(other).contains(word)).count() == 1)
    };
    unique(own)?;
    let (missing, word) =
        all.iter().filter(|record| !has(record)).find_map(|record| Some((record, unique(record)?)))?;
    let joined = asked.last.lower.contains(" and ")
        || ["和", "、", "跟", "都"].iter().any(|word| asked.last.lower.contains(word));
    let shown = missing.fields.iter().find_map(|(_, value)| value.as_str()).unwrap_or_default();
    let evidence = localized!(
        asked.subject.language,
        "the user also named `{shown}` (\"{word}\"), which is left out",
        "用户还提到了 `{shown}`（“{word}”），而它被遗漏了"
    );
    let hint = localized!(
        asked.subject.language,
        "add what was left out, or make a second call for it",
        "请补上遗漏的内容，或再调用一次"
    );
    joined.then(|| Slip::on(asked, argument, &LEFT_OUT, Strength::Weak, Says { evidence, hint }))
}

/// A list that has all the records that the words name, and one that they do not ("water the tomatoes"), or that they take out
/// ("all but the interns").
fn find_unnamed(asked: &Asked<'_>, records: &[Record<'_>]) -> Option<Slip> {
    let lower = &asked.last.lower;
    let bounded = ["by-and-large", "only", "kept"].iter().any(|cue| Cue::named(cue).stands_in(lower));
    let joined =
        ["joins-in", "plus", "several"].iter().any(|cue| Cue::named(cue).stands_in(lower)) || lower.contains('、');
    let owner = |argument: &Argument<'_>| {
        let text = argument.reference()?;
        records.iter().find(|record| record.has_under(&text, argument))
    };
    let items: Vec<(&Argument<'_>, &Record<'_>)> = asked
        .arguments
        .iter()
        .filter(|argument| argument.node.is_item())
        .filter_map(|argument| Some((argument, owner(argument)?)))
        .collect();
    let (_, first) = items.first().filter(|_| items.len() >= 2)?;
    let all: Vec<&Record<'_>> = records.iter().filter(|record| record.list == first.list).collect();
    if !items.iter().all(|(_, own)| own.list == first.list) {
        return None;
    }
    let told_apart = |word: &&String| all.iter().filter(|other| words_of(other).contains(*word)).count() < all.len();
    let excluded = |record: &Record<'_>| {
        words_of(record)
            .iter()
            .filter(told_apart)
            .any(|word| place_of(lower, word).is_some_and(|at| is_excluded(lower, at)))
    };
    let said = Said::of(asked, asked.last);
    let named = |record: &Record<'_>| !said.names(record, &all).is_empty();
    let has = |record: &Record<'_>| items.iter().any(|(_, own)| std::ptr::eq(*own, record));
    let out = items.iter().find(|(_, own)| excluded(own) || said.keeps(own, &all));
    let whole = || all.iter().any(|record| named(record)) && !all.iter().any(|record| named(record) && !has(record));
    let extra = || items.iter().find(|(_, own)| !named(own)).filter(|_| (bounded || !joined) && whole());
    let (argument, record) = out.or_else(extra)?;
    let shown = record
        .fields
        .iter()
        .filter_map(|(_, value)| value.as_str())
        .find(|value| argument.text().is_none_or(|text| !value.eq_ignore_ascii_case(text)))
        .unwrap_or_default();
    let evidence = localized!(
        asked.subject.language,
        "the user's words do not ask for `{shown}`, which is in the list",
        "用户的话并不包括 `{shown}`，而它在列表中"
    );
    let hint = localized!(asked.subject.language, "leave out what was not asked for", "请去掉用户没有要求的内容");
    let strength = if bounded || out.is_some() { Strength::Strong } else { Strength::Weak };
    Some(Slip::on(asked, argument, &OTHER_RECORD, strength, Says { evidence, hint }))
}

fn slip(asked: &Asked<'_>, argument: &Argument<'_>, text: &str, other: &Record<'_>, word: &str) -> Slip {
    let key = argument.node.key;
    let field = other.fields.iter().find(|(name, _)| {
        *name == key || argument.words.last().is_some_and(|last| name.to_ascii_lowercase().ends_with(last.as_str()))
    });
    let meant = field.and_then(|(_, value)| value.as_str()).map(|value| format!(" (`{value}`)")).unwrap_or_default();
    let evidence = localized!(
        asked.subject.language,
        "the user's words name another record{meant}: \"{word}\"; `{key}` is `{text}`, a record that they do not name",
        "用户的话指的是另一条记录{meant}：“{word}”；而 `{key}` 是 `{text}`，用户并没有提到它"
    );
    let hint = localized!(
        asked.subject.language,
        "take `{key}` from the record that was named, or ask the user",
        "请使用用户所指记录的 `{key}`，或询问用户"
    );
    Slip::on(asked, argument, &OTHER_RECORD, Strength::Strong, Says { evidence, hint })
}

const MAX_VALUE: usize = 80;
const MAX_EARLIER: usize = 5;
const LONG: usize = 90;
const MAX_PROSE: usize = 3;
/// 一…就: so many signs lie between them and the thing.
/// Shorter numbers are no words of a record.
const MIN_NUMBERED: usize = 4;
const MAX_WHEN: usize = 6;
