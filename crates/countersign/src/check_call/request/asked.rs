//! What was asked for: the user's words with their mentions, what results said, and what day it is.

use super::argument::Argument;
use super::prose;
use super::records::{Record, collect};
use crate::check_call::subject::Subject;
use crate::contract::Role as Speaker;
use crate::text::lexicon::Deeds;
use crate::text::mentions::date::{DateWords, Week};
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::words::identifier_words;
use jiff::civil::Date;
use serde_json::Value;
use std::cell::OnceCell;

/// What the rules see.
pub(crate) struct Asked<'a> {
    /// The call.
    pub subject: &'a Subject<'a>,
    /// Its arguments.
    pub arguments: Vec<Argument<'a>>,
    /// What the user said last.
    pub last: &'a Reading,
    /// What the user said before, newest first.
    pub earlier: Vec<&'a Reading>,
    /// What the assistant said last.
    pub proposal: Option<&'a Reading>,
    /// What others said: the operator and the assistant.
    pub others: Vec<&'a Reading>,
    /// The records of results, newest first.
    pub results: Vec<&'a Value>,
    records: OnceCell<Vec<Record<'a>>>,
    /// The day on which it was asked, where it is known.
    pub today: Option<Date>,
}

impl<'a> Asked<'a> {
    /// Reads the conversation before a call. Nothing where no person spoke.
    pub(crate) fn of(subject: &'a Subject<'a>) -> Option<Self> {
        let messages = subject.conversation.messages();
        let spoken = |speaker: Speaker| {
            let said = messages
                .iter()
                .enumerate()
                .rev()
                .filter(move |(_, message)| message.role == speaker && !message.text.is_empty());
            said.filter_map(|(at, _)| subject.conversation.reading(at)).take(MAX_MESSAGES)
        };
        let mut users = spoken(Speaker::User);
        let last = users.next()?;
        let earlier: Vec<&Reading> = users.collect();
        let proposal = spoken(Speaker::Assistant).next();
        let others: Vec<&Reading> = spoken(Speaker::System).chain(spoken(Speaker::Assistant)).collect();
        let results = messages.iter().rev().flat_map(|message| message.results.iter().rev());
        let results =
            results.filter(|result| !result.is_error).map(|result| &result.content).take(MAX_RESULTS).collect();
        let today = find_today(&others, std::iter::once(last).chain(earlier.iter().copied()))
            .or_else(|| subject.context.now().and_then(|now| now.get(..10)?.parse().ok()));
        let arguments = subject.values.leaves().filter_map(Argument::of).collect();
        Some(Self { subject, arguments, last, earlier, proposal, others, results, records: OnceCell::new(), today })
    }

    /// The records of the results, read when they are first asked for.
    pub(crate) fn records(&self) -> &[Record<'a>] {
        self.records.get_or_init(|| {
            let mut records = collect(&self.results);
            let texts = self.results.iter().filter_map(|result| result.as_str()).filter(|text| text.len() <= MAX_PROSE);
            let read: Vec<Reading> = texts.map(Reading::of).collect();
            for (at, reading) in read.iter().chain(self.others.iter().copied()).enumerate() {
                records.extend(prose::collect(reading, PROSE_LISTS + at, self.today));
            }
            records
        })
    }

    /// Whether today is only known from a clock in UTC, and nobody said where the user lives.
    pub(crate) fn has_borrowed_clock(&self) -> bool {
        let context = self.subject.context;
        let utc = |text: &str| text.ends_with('Z') || text.ends_with("+00:00");
        let placed = context.timezone().is_some_and(|zone| !zone.to_ascii_lowercase().contains("utc"));
        let stated = find_today(&self.others, self.user());
        stated.is_none() && !placed && context.now().is_some_and(utc)
    }

    /// Everything that people and models said, what the user said last first.
    pub(crate) fn readings(&self) -> impl Iterator<Item = &'a Reading> {
        std::iter::once(self.last).chain(self.earlier.iter().copied()).chain(self.others.iter().copied())
    }

    /// What the user said, the newest first.
    pub(crate) fn user(&self) -> impl Iterator<Item = &'a Reading> {
        std::iter::once(self.last).chain(self.earlier.iter().copied())
    }

    /// The user's words that hold for this call: the last message, and the one before it where the last only answers.
    pub(crate) fn in_force(&self) -> impl Iterator<Item = &'a Reading> {
        let answers = self.last.lower.chars().count() <= SHORT_ANSWER && self.last.mentions.is_empty();
        std::iter::once(self.last)
            .chain(self.earlier.first().copied().filter(|_| answers))
            .chain(self.proposal.filter(|_| answers))
    }

    /// The same without what the assistant proposed, unless the user says no more than yes to it.
    pub(crate) fn wished(&self) -> impl Iterator<Item = &'a Reading> {
        // A Chinese sign says as much as half a word.
        let length: usize = self.last.lower.chars().map(|c| if c.is_ascii() { 1 } else { 3 }).sum();
        let agrees = length <= BARE_ANSWER;
        let own =
            move |reading: &&'a Reading| agrees || self.proposal.is_none_or(|other| !std::ptr::eq(other, *reading));
        self.in_force().filter(own)
    }

    /// Whether the call takes something away: cancels, deletes, removes, gives back.
    pub(crate) fn takes_away(&self) -> bool {
        let spec = &self.subject.tool.spec;
        // `create_return` gives back, whatever it creates.
        let named =
            |word: &String| matches!(word.as_str(), "return" | "refund" | "cancellation" | "removal" | "deletion");
        let deeds = spec.deeds().deeds;
        identifier_words(&spec.name).iter().any(named)
            || deeds
                .meet(&Deeds::named(&["cancel", "delete", "remove", "refund", "return", "stop", "archive", "revoke"]))
    }

    /// Every number that was said, with its mention.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = (&'a Mention, &'a Quantity)> {
        self.readings().flat_map(|reading| reading.numbers())
    }

    /// Whether a whole word or phrase was said by anybody.
    pub(crate) fn anybody_said(&self, words: &[&str]) -> bool {
        self.readings().any(|reading| words.iter().any(|word| stands_in(&reading.lower, word)))
    }
}

/// Whether a phrase stands in a text, not inside a longer word or number.
pub(crate) fn stands_in(text: &str, phrase: &str) -> bool {
    find_whole(text, phrase).is_some()
}

/// Where a phrase stands in a text, not inside a longer word or number.
pub(crate) fn find_whole(text: &str, phrase: &str) -> Option<usize> {
    if phrase.is_empty() {
        return None;
    }
    let word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let (first, last) = (phrase.chars().next(), phrase.chars().next_back());
    memchr::memmem::find_iter(text.as_bytes(), phrase.as_bytes()).find(|at| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + phrase.len()..).and_then(|behind| behind.chars().next());
        !(word(before) && word(first) || word(last) && word(behind))
    })
}

/// The clause in which a place lies, as far as a clause can be long.
pub(crate) fn clause_around(lower: &str, at: usize) -> &str {
    const ENDS: [char; 13] = [',', '.', ';', '!', '?', ':', '\n', '，', '。', '；', '！', '？', '：'];
    let ends = |c: char| ENDS.contains(&c);
    let from = lower.ceil_char_boundary(at.saturating_sub(MAX_CLAUSE));
    let until = lower.floor_char_boundary(at.saturating_add(MAX_CLAUSE));
    // A point between digits ends nothing.
    let begin = lower.get(from..at).and_then(|before| before.rfind(ends)).map_or(from, |found| from + found + 1);
    let begin = lower.ceil_char_boundary(begin);
    let behind = lower.get(at..until).unwrap_or_default();
    let skip = behind.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',')).unwrap_or(behind.len());
    let end = behind.get(skip..).and_then(|rest| rest.find(ends)).map_or(until, |found| at + skip + found);
    lower.get(begin..end).unwrap_or_default()
}

/// The day that somebody called today, the operator before the user.
fn find_today<'a>(others: &[&'a Reading], user: impl Iterator<Item = &'a Reading>) -> Option<Date> {
    others.iter().copied().chain(user).find_map(|reading| {
        reading.dates().find_map(|(mention, words)| {
            let DateWords::Written { year: Some(year), month, day: Some(day) } = words else { return None };
            let mut from = mention.range.start.saturating_sub(BEFORE_DATE);
            while !reading.lower.is_char_boundary(from) {
                from += 1;
            }
            let before = reading.lower.get(from..mention.range.start)?;
            // A date beside another weekday than its own is somebody's slip, and nothing can be counted from it.
            let date = Date::new(year, month, day).ok()?;
            let beside = reading.dates().filter(|(other, _)| other.range.start < mention.range.end + NEAR_DATE && mention.range.start < other.range.end + NEAR_DATE);
            let slipped = beside.into_iter().any(|(_, words)| matches!(words, DateWords::Weekday(weekday, Week::Unsaid) if weekday != date.weekday().to_monday_zero_offset()));
            if slipped {
                return None;
            }
            let told = TODAY.iter().any(|word| before.contains(word));
            told.then(|| Date::new(year, month, day).ok()).flatten()
        })
    })
}

const TODAY: &[&str] = &[
    "today",
    "current date",
    "date is",
    "date:",
    "it is ",
    "it's ",
    "now is",
    "current time",
    "今天",
    "现在",
    "当前",
    "日期",
    "今日",
];
const BEFORE_DATE: usize = 40;
const NEAR_DATE: usize = 4;
const MAX_MESSAGES: usize = 12;
const MAX_RESULTS: usize = 12;
const SHORT_ANSWER: usize = 40;
/// A longer answer says what it wants.
const BARE_ANSWER: usize = 12;
/// No clause is longer on either side of a place.
const MAX_CLAUSE: usize = 200;
const MAX_PROSE: usize = 8000;
/// The lists of prose are numbered apart from those of results.
const PROSE_LISTS: usize = 1 << 20;
