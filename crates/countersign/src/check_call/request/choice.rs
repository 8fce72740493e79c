//! A choice beside another one that was named: by the words that set the two apart, or by what the description calls them.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_CHOICE;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lists::word_list;
use crate::text::mentions::Reading;
use crate::text::mentions::role::is_excluded;
use serde_json::Value;

/// Finds choices beside others that were named.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in asked.arguments.iter().filter(|argument| !argument.node.is_item()) {
        let Some(chosen) = argument.text() else { continue };
        if NEUTRAL.contains(&chosen) {
            continue;
        }
        let mut choices = choices_of(argument);
        choices.iter_mut().for_each(|choice| choice.leave_to_others(asked, argument));
        let Some(own) = choices.iter().find(|choice| choice.value == chosen) else { continue };
        // "White" of `white_wins` is also what another argument is called, and names no choice.
        let is_part =
            |word: &String| asked.arguments.iter().any(|other| matches!(other.words.as_slice(), [own] if own == word));
        let apart = |choice: &&Choice| !choice.words.iter().any(|word| !own.words.contains(word) && is_part(word));
        let others: Vec<&Choice> = choices.iter().filter(|choice| choice.value != chosen).filter(apart).collect();
        let named: Vec<&&Choice> =
            others.iter().filter(|other| asked.in_force().any(|reading| other.is_named(reading, &[own]))).collect();
        let spoken = |other: &Choice| asked.user().any(|reading| own.is_spoken_of(reading, other));
        if let [other] = named.as_slice()
            && !own.words.iter().all(|word| other.words.contains(word))
            && !spoken(other)
        {
            slips.push(slip(asked, argument, Strength::Strong, [&other.value, chosen]));
            continue;
        }
        let found = if named.is_empty() { find_proposed(asked, own, &others) } else { None };
        if let Some(other) = found.or_else(|| find_restricted(asked, own, &others)).filter(|other| !spoken(other)) {
            slips.push(slip(asked, argument, Strength::Weak, [&other.value, chosen]));
        }
    }
}

/// The one choice that the assistant called by its name, where the user goes on from there and no other was spoken of.
fn find_proposed<'c>(asked: &Asked<'_>, own: &Choice, others: &[&'c Choice]) -> Option<&'c Choice> {
    let proposal = asked.proposal?;
    let called = |choice: &Choice| choice.is_called(&proposal.lower);
    let denied = Cue::named("refusing").stands_in(&proposal.lower);
    let mut named = others.iter().filter(|other| called(other) && other.is_named(proposal, &[own]));
    let other = named.next().filter(|_| !denied && named.next().is_none())?;
    (!own.is_spoken_of(proposal, other)).then_some(other)
}

/// A choice of several words to which the user keeps it: "only wash and blow-dry" is `bath_and_dry` rather than `full_groom`.
fn find_restricted<'c>(asked: &Asked<'_>, own: &Choice, others: &[&'c Choice]) -> Option<&'c Choice> {
    let lower = &asked.last.lower;
    let (word, only) = Cue::named("only").find_in(lower)?;
    let rest = lower.get(only + word.len()..)?;
    let clause = rest.split([',', '.', ';', '，', '。', '；', '!', '?']).next()?;
    let has = |choice: &Choice| choice.words.iter().any(|word| word != "and" && stands_in(clause, word));
    let mut named = others.iter().filter(|other| other.words.len() > 1 && has(other));
    let other = named.next().filter(|_| named.next().is_none() && !has(own))?;
    (own.words.len() > 1).then_some(other)
}

/// One value that a parameter may have, with what people call it.
struct Choice {
    value: String,
    words: Vec<String>,
    names: Vec<String>,
    /// Whether a number or a short part tells more of what its words name.
    is_qualified: bool,
    /// Longer names of other choices that hold one of its own: 陪产假 beside 产假.
    longer: Vec<String>,
}

impl Choice {
    fn of(value: &str, names: Vec<String>) -> Self {
        let value = value.to_ascii_lowercase();
        let mut names = names;
        names.extend(
            PERIODS
                .iter()
                .filter(|(period, _)| *period == value)
                .flat_map(|(_, names)| names.iter().map(|name| (*name).to_owned())),
        );
        let parts: Vec<&str> = value.split(['_', '-', ' ']).collect();
        let telling = |word: &&&str| word.len() >= 3 && !word.bytes().any(|byte| byte.is_ascii_digit());
        let is_qualified = parts.len() > parts.iter().filter(telling).count();
        let words = parts.into_iter().filter(|word| word.len() >= 3).map(str::to_owned).collect();
        Self { value, words, names, longer: Vec::new(), is_qualified }
    }

    /// Takes out the words that name another argument: who "had white against Idris" names `white`, and not `white_wins`.
    fn leave_to_others(&mut self, asked: &Asked<'_>, argument: &Argument<'_>) {
        let others = || asked.arguments.iter().filter(|other| other.node.key != argument.node.key);
        if self.words.len() > 1 {
            self.words.retain(|word| !others().any(|other| other.words.len() == 1 && other.words.contains(word)));
        }
    }

    /// Whether a text has one of its names, and not only inside the longer name of another choice.
    fn is_called(&self, lower: &str) -> bool {
        let hidden = self.longer.iter().fold(lower.to_owned(), |text, longer| text.replace(longer.as_str(), " "));
        self.names.iter().any(|name| hidden.contains(name.as_str()))
    }

    /// Whether a message has any word that sets this choice apart from another, whatever it says of it.
    fn is_spoken_of(&self, reading: &Reading, other: &Choice) -> bool {
        let words: Vec<&String> = self.words.iter().filter(|word| !other.words.contains(word)).collect();
        let stem = |word: &String| {
            stands_in(&reading.lower, word)
                || word.len() >= STEM && word.get(..STEM).is_some_and(|stem| reading.lower.contains(stem))
        };
        words.iter().any(|word| stem(word)) && !words.iter().all(|word| is_refused(reading, word))
            || self.is_called(&reading.lower)
    }

    /// Whether a message names this choice: by its name, or by every word that sets it apart from the others.
    fn is_named(&self, reading: &Reading, others: &[&Choice]) -> bool {
        let said = |text: &str| {
            let place =
                if text.is_ascii() { super::asked::find_whole(&reading.lower, text) } else { reading.lower.find(text) };
            place.is_some_and(|at| !is_excluded(&reading.lower, at) && !is_turned_down(&reading.lower, at))
        };
        let apart: Vec<&String> =
            self.words.iter().filter(|word| !others.iter().any(|other| other.words.contains(word))).collect();
        // `fridge_4C` is the fridge, whatever its temperature.
        let whole = self.words.len() > 1 || self.is_qualified;
        self.is_called(&reading.lower) && self.names.iter().any(|name| said(name))
            || (!apart.is_empty() && whole && apart.iter().all(|word| said(word)))
    }
}

/// Whether a word is there only to be turned down.
fn is_refused(reading: &Reading, word: &str) -> bool {
    super::asked::find_whole(&reading.lower, word)
        .is_some_and(|at| is_excluded(&reading.lower, at) || is_turned_down(&reading.lower, at))
}

/// How people say how often.
const PERIODS: &[(&str, &[&str])] = &[
    ("hourly", &["an hour", "per hour", "every hour", "每小时"]),
    ("daily", &["a day", "per day", "every day", "each day", "每天", "一天"]),
    ("weekly", &["a week", "per week", "every week", "each week", "每周", "一周"]),
    ("monthly", &["a month", "per month", "every month", "each month", "每月", "每个月"]),
    ("yearly", &["a year", "per year", "every year", "each year", "每年"]),
];
/// Choices that leave the choice open.
const NEUTRAL: &[&str] = word_list!("check_call", "request/choice/neutral");
/// Words that begin alike mean alike.
const STEM: usize = 5;

/// "Anything but a middle seat".
fn is_turned_down(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default().trim_end();
    ["but a", "but the", "but", "except a", "not a", "no"].iter().any(|word| before.ends_with(word))
        && stands_in(before, "anything")
}

/// The values that a parameter may have: those of its schema, and those that its description lists with their names.
fn choices_of(argument: &Argument<'_>) -> Vec<Choice> {
    let Some(param) = argument.node.param else { return Vec::new() };
    let listed = described(&param.description);
    let names = |value: &str| {
        listed
            .iter()
            .filter(|(own, _)| own.eq_ignore_ascii_case(value))
            .map(|(_, name)| name.clone())
            .collect::<Vec<_>>()
    };
    let mut choices: Vec<Choice> = if param.allowed.is_empty() {
        listed.iter().map(|(value, name)| Choice::of(value, vec![name.clone()])).collect()
    } else {
        param.allowed.iter().filter_map(Value::as_str).map(|value| Choice::of(value, names(value))).collect()
    };
    let all: Vec<String> = choices.iter().flat_map(|choice| choice.names.clone()).collect();
    for choice in &mut choices {
        let holds = |longer: &&String| {
            choice.names.iter().any(|name| longer.len() > name.len() && longer.contains(name.as_str()))
        };
        choice.longer = all.iter().filter(holds).cloned().collect();
    }
    choices
}

/// The pairs of a description: `annual 年假, personal 事假`, `home 家`.
fn described(description: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for part in description.split([',', '，', '；', ';', '、', '/', '：', ':', '。']) {
        let mut words = part.split_whitespace();
        if let (Some(value), Some(name), None) = (words.next(), words.next(), words.next())
            && value.is_ascii()
            && name.contains(is_han)
            && name.chars().count() >= 2
        {
            found.push((value.to_owned(), name.to_owned()));
        }
    }
    if found.len() >= 2 { found } else { Vec::new() }
}

fn slip(asked: &Asked<'_>, argument: &Argument<'_>, strength: Strength, [wanted, chosen]: [&str; 2]) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user's words name `{wanted}`, `{key}` is `{chosen}`",
        "用户说的是 `{wanted}`，而 `{key}` 是 `{chosen}`"
    );
    let hint =
        localized!(asked.subject.language, "choose `{wanted}`, or ask the user", "请选择 `{wanted}`，或询问用户");
    Slip::on(asked, argument, &OTHER_CHOICE, strength, Says { evidence, hint })
}
