//! Values that the user took back: "no, make it Tuesday", 改成七点.

use super::argument::{Argument, Held, mask};
use super::asked::{Asked, clause_around, stands_in};
use super::slip::{Says, Slip, Strength, compare_hint};
use super::trace::{Measure, is_near};
use crate::check_call::action::request::is_confirmation;
use crate::check_call::role::Role;
use crate::contract::codes::meaning::SUPERSEDED;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::date::DateWords;
use crate::text::mentions::{Mention, Quantity, Reading};
use jiff::civil::Date;
use serde_json::Value;
use std::ops::Range;

/// Finds values that a later message replaced.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    // "The number I said first was fine" takes nothing back.
    if asked.earlier.is_empty() || Cue::named("refers-back").stands_in(&asked.last.lower) {
        return;
    }
    for argument in &asked.arguments {
        let replaced = match &argument.value {
            Held::Number(number) => {
                find_number(asked, argument, *number).or_else(|| find_discount(asked, argument, *number))
            }
            Held::Moment(moment) => {
                let time =
                    moment.minutes.and_then(|minutes| find_time(asked, minutes).or_else(|| find_shift(asked, minutes)));
                time.or_else(|| moment.date.and_then(|date| find_date(asked, date)))
            }
            Held::Text(text) => find_literal(asked, text)
                .or_else(|| find_spoiled(asked, text))
                .or_else(|| find_words(asked, argument, text))
                .or_else(|| find_rejected(asked, argument, text)),
        };
        if let Some(said) = replaced {
            let key = argument.node.key;
            let evidence = localized!(
                asked.subject.language,
                "the user's last word is \"{said}\", `{key}` still has what was said before",
                "用户最后说的是“{said}”，而 `{key}` 仍是之前的值"
            );
            slips.push(Slip::on(
                asked,
                argument,
                &SUPERSEDED,
                Strength::Strong,
                Says { evidence, hint: compare_hint(key, asked.subject.language) },
            ));
        }
    }
}

/// A number that was said before, where a later message gives another of the same kind.
fn find_number(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<String> {
    if argument.node.roles.has(Role::ResultSize) || argument.node.roles.has(Role::Id) {
        return None;
    }
    let users: Vec<&Reading> = asked.user().collect();
    for (at, reading) in users.iter().copied().enumerate() {
        let before = users.get(at + 1..).unwrap_or_default();
        let said = places_of(reading, argument, number);
        // "410 makes no sense now" is the last that is said of 410.
        let kept = said.iter().any(|range| !is_turned_down(&reading.lower, range));
        if kept || !before.iter().any(|older| !places_of(older, argument, number).is_empty()) {
            return None;
        }
        if let Some(new) = find_replacement(asked, argument, number, (reading, before), &said) {
            // What is older than the last message must have settled the number.
            let settled = at == 0 || is_settled(&reading.lower, new.start) || is_now(&reading.lower, &new);
            return settled.then(|| reading.lower.get(new).map(str::to_owned)).flatten();
        }
    }
    None
}

/// Where a message says the number of an argument, also in another unit.
fn places_of(reading: &Reading, argument: &Argument<'_>, number: f64) -> Vec<Range<usize>> {
    let measure = Measure::of(argument, None);
    let own = |quantity: &Quantity| {
        let values = [Some(quantity.value), quantity.upper].into_iter().flatten();
        values.into_iter().any(|value| measure.value_of(quantity, value).is_some_and(|value| is_near(value, number)))
    };
    reading.numbers().filter(|(_, quantity)| own(quantity)).map(|(mention, _)| mention.range.clone()).collect()
}

/// Whether the words behind a number turn it down: "410 makes no sense", 三百太贵了.
fn is_turned_down(lower: &str, range: &Range<usize>) -> bool {
    let behind = lower.get(range.end..).unwrap_or_default();
    let end = behind.find([',', ';', '.', '!', '?', '，', '；', '。', '！', '？']).unwrap_or(behind.len());
    Cue::named("turned-down").stands_in(behind.get(..end).unwrap_or_default())
}

/// "Go with 1.25 then", 那就1.25: a number that was decided on, and no label ("option 2") and no question.
fn is_settled(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default().trim_end_matches(|c: char| !c.is_alphanumeric());
    let led = before.ends_with(is_han) || Cue::named("leads-to-number").ends(before);
    let asks = lower.trim_end().ends_with(['?', '？']);
    led && !asks && Cue::named("settles").stands_in(clause_around(lower, at))
}

/// "It's 72 now", 现在是72: what was has changed, whatever else the message asks.
fn is_now(lower: &str, range: &Range<usize>) -> bool {
    let before = lower.get(..range.start).unwrap_or_default().trim_end();
    let behind = lower.get(range.end..).unwrap_or_default().trim_start();
    let word = behind.split(|c: char| !c.is_alphanumeric()).next();
    word == Some("now")
        || ["现在是", "变成", "变为", "变成了", "涨到", "增加到", "now"].iter().any(|cue| before.ends_with(cue))
}

/// The number of a message that takes the place of an older one, where no argument has it.
fn find_replacement(
    asked: &Asked<'_>,
    argument: &Argument<'_>,
    number: f64,
    (newest, before): (&Reading, &[&Reading]),
    turned_down: &[Range<usize>],
) -> Option<Range<usize>> {
    let measure = Measure::of(argument, None);
    let plain = |quantity: &Quantity| quantity.unit.is_none() && quantity.currency.is_none();
    // "The cheapest one" is no number.
    let counts = |at: usize| Cue::named("leads-to-number").ends(newest.lower.get(..at).unwrap_or_default());
    let mut like = newest.numbers().filter(|(mention, quantity)| {
        let stands = newest.text(mention) != "one" || counts(mention.range.start);
        let fits = measure.is_like(quantity) || plain(quantity);
        !mention.excluded && quantity.value != number && stands && fits
    });
    let (mention, quantity) = like.next()?;
    let alone = !like.any(|(_, other)| other.value != quantity.value);
    // What a result gave is spoken of; it replaces nothing before the user decides on it.
    let fields = || asked.records().iter().flat_map(|record| &record.fields);
    let known = || fields().any(|(_, value)| value.as_f64() == Some(quantity.value));
    if !alone || !takes(argument, quantity.value) || known() && !is_settled(&newest.lower, mention.range.start) {
        return None;
    }
    let used = asked.arguments.iter().any(|other| {
        other.number().is_some_and(|own| is_near(quantity.value, own))
            || other.text().is_some_and(|text| stands_in(text, &super::slip::show(quantity.value)))
    });
    // In a longer message, or beside words of its own, another number may be about something else.
    let said_before =
        |own: f64| before.iter().any(|reading| reading.numbers().any(|(_, quantity)| quantity.value == own));
    let rivals = asked.arguments.iter().filter(|other| {
        let fits = measure == Measure::Bare || Measure::of(other, None) != Measure::Bare;
        fits && other.number().is_some_and(said_before) && can_hold(other, argument, quantity.value)
    });
    let rivals = rivals.count();
    let noun = |reading: &Reading, quantity: &Quantity| {
        reading.lower.get(quantity.noun.clone()).unwrap_or_default().split(' ').next().unwrap_or_default().to_owned()
    };
    let own_noun = noun(newest, quantity);
    // 两盒名片, and then 做五盒吧: the measure is the same, and no other thing is named.
    let measure_sign = |reading: &Reading, mention: &Mention| {
        reading.lower.get(mention.range.end..).and_then(|rest| rest.chars().next()).filter(|c| is_han(*c))
    };
    let own_sign = measure_sign(newest, mention).filter(|_| {
        own_noun.chars().all(|c| "吧了的就呢".contains(c)) && !Cue::named("another").stands_in(&newest.lower)
    });
    let same_noun = before.iter().any(|reading| {
        reading.numbers().filter(|(_, old)| is_near(old.value, number)).any(|(mention, old)| {
            noun(reading, old) == own_noun || own_sign.is_some() && measure_sign(reading, mention) == own_sign
        })
    });
    let of_kind =
        same_noun || quantity.currency.is_some() || !quantity.counts || quantity.unit.is_some() || has_cue(newest);
    let sure = !turned_down.is_empty()
        || names_argument(asked, argument, newest, mention.range.start)
        || rivals == 1 && of_kind;
    let short = newest.lower.chars().count() <= SHORT;
    (!used && short && sure).then(|| mention.range.clone())
}

/// Whether a number may be meant for an argument beside another one: of its type, and of a like size where the other is.
fn can_hold(argument: &Argument<'_>, other: &Argument<'_>, new: f64) -> bool {
    let apart = |argument: &Argument<'_>| argument.number().map_or(0.0, |own| (own / new).abs().ln().abs());
    let far = apart(argument) > FAR.ln() && apart(other) < NEAR.ln();
    !far && takes(argument, new)
}

/// Whether the parameter takes such a number: one that counts takes no fraction.
fn takes(argument: &Argument<'_>, new: f64) -> bool {
    let whole = argument.node.param.is_some_and(|param| param.takes("integer") && !param.takes("number"));
    !whole || new.fract() == 0.0
}

/// "Put the limit at 57": whether the clause calls the number by a word that only this parameter is named with.
fn names_argument(asked: &Asked<'_>, argument: &Argument<'_>, reading: &Reading, at: usize) -> bool {
    let clause = clause_around(&reading.lower, at);
    let own = |word: &&String| {
        word.len() >= 4 && asked.arguments.iter().filter(|other| other.words.contains(*word)).count() == 1
    };
    argument.words.iter().filter(own).any(|word| stands_in(clause, word))
}

/// A price from before, where the last message takes a share off it: 打八折 and the full amount.
fn find_discount(asked: &Asked<'_>, argument: &Argument<'_>, number: f64) -> Option<String> {
    let Measure::Money(_) = Measure::of(argument, None) else { return None };
    let lower = &asked.last.lower;
    let (mention, _) = asked.last.numbers().find(|(mention, quantity)| {
        let share = quantity.unit.is_some_and(|unit| unit.dimension == "ratio");
        let behind = lower.get(mention.range.end..).unwrap_or_default();
        share
            && (asked.last.text(mention).ends_with('折')
                || behind.trim_start().starts_with("off")
                || behind.trim_start().starts_with("discount"))
    })?;
    let before = asked
        .earlier
        .iter()
        .any(|reading| reading.numbers().any(|(_, old)| is_near(old.value, number) && old.unit.is_none()));
    let again = asked.last.numbers().any(|(_, own)| is_near(own.value, number));
    let carried = asked
        .arguments
        .iter()
        .any(|other| other.words.iter().any(|word| matches!(word.as_str(), "discount" | "percent" | "rate")));
    (before && !again && !carried).then(|| asked.last.text(mention).to_owned())
}

/// An id or a number plate that was said before, where the last message corrects it.
fn find_literal(asked: &Asked<'_>, text: &str) -> Option<String> {
    let says = |reading: &Reading, wanted: &str| {
        reading
            .literals()
            .any(|mention| wanted.contains(reading.text(mention)) && reading.text(mention).len() * 2 > wanted.len())
    };
    // "It's V-52 now" needs no other word for it; "and V-52 too" adds one.
    let adds = Cue::named("adds-one").stands_in(&asked.last.lower);
    let cued = has_cue(asked.last) || Cue::named("mistaken").stands_in(&asked.last.lower);
    // Who says yes first takes nothing back.
    let agrees = is_confirmation(&asked.last.lower) || asked.last.lower.chars().count() > SHORT;
    if !cued && (adds || agrees) || says(asked.last, text) || !asked.earlier.iter().any(|reading| says(reading, text)) {
        return None;
    }
    let own = mask(text.trim_start_matches(|c: char| !c.is_ascii()));
    let new = asked.last.literals().find(|mention| {
        let said = asked.last.text(mention);
        !mention.excluded
            && mask(said) == own
            && !asked.arguments.iter().any(|argument| argument.text().is_some_and(|text| text.contains(said)))
    })?;
    Some(asked.last.text(new).to_owned())
}

/// "Wait, T1 has a cracked mirror. Put him on T2": the id from before is spoken of only to put a new one in its place.
fn find_spoiled(asked: &Asked<'_>, text: &str) -> Option<String> {
    let lower = &asked.last.lower;
    let cued = ["wait", "mistaken", "replaces"].iter().any(|cue| Cue::named(cue).stands_in(lower));
    let told = text.len() <= MAX_ID && text.contains(|c: char| c.is_ascii_digit()) && stands_in(lower, text);
    let before = asked.earlier.iter().any(|reading| stands_in(&reading.lower, text));
    if !cued || !told || !before || Cue::named("adds-one").stands_in(lower) || asked.takes_away() {
        return None;
    }
    let own = mask(text);
    let mut clauses =
        lower.split([',', '.', ';', '!', '，', '。', '；', '！']).skip_while(|clause| !stands_in(clause, text));
    let spoiled = clauses.next()?;
    let behind: Vec<&str> = clauses.collect();
    // "Put T1 down for Tuesday" wants it; a clause that begins with it says how it is.
    let bare = spoiled.trim_start_matches(|c: char| c == ' ' || is_han(c));
    let is_told = bare.strip_prefix("the ").unwrap_or(bare).starts_with(text);
    if !is_told || behind.iter().any(|clause| stands_in(clause, text)) {
        return None;
    }
    let words = |clause: &'_ &str| -> Option<String> {
        let mut found = clause.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|word| mask(word) == own);
        let stands =
            ["him", "her", "it", "them", "that", "instead", "use", "take"].iter().any(|word| stands_in(clause, word));
        let word = found.next().filter(|word| found.next().is_none() && !is_refused(clause, word))?;
        (stands || clause.contains(is_han)).then(|| word.to_owned())
    };
    let mut others = behind.iter().filter_map(words);
    let other = others.next().filter(|_| others.next().is_none())?;
    let known = asked.earlier.iter().any(|reading| stands_in(&reading.lower, &other))
        || asked.arguments.iter().filter_map(Argument::text).any(|own| own.contains(&*other));
    (!known).then_some(other)
}

fn is_refused(clause: &str, word: &str) -> bool {
    clause.find(word).is_some_and(|at| crate::text::mentions::role::is_excluded(clause, at))
}

/// A time of day that was said before, where the last message gives another, or agrees to another that was proposed.
fn find_time(asked: &Asked<'_>, minutes: u16) -> Option<String> {
    let says = |reading: &Reading| reading.clocks().any(|(_, clock)| clock.is(minutes));
    let has = |reading: &&Reading| reading.clocks().next().is_some();
    let agrees = asked.last.mentions.is_empty() && asked.last.lower.chars().count() <= SHORT_ANSWER;
    let proposal = asked.proposal.filter(|proposal| agrees && !Cue::named("refusing").stands_in(&proposal.lower));
    let newest = std::iter::once(asked.last).chain(proposal).find(has)?;
    let before = asked.earlier.iter().any(|reading| says(reading));
    // "Better half five actually": a word at the end speaks of what stands before it.
    let leads = |at: &usize| newest.lower.get(*at..).is_some_and(|rest| rest.contains(char::is_alphanumeric));
    let replaces = Cue::named("replaces").places_in(&newest.lower).map(|(cue, at)| at + cue.len()).filter(leads).max();
    let mut new = newest.clocks().filter(|(mention, _)| !mention.excluded);
    // "Nine is too early, make it half past ten": the one behind the cue is the new one; "make it room Oak, I have a meeting at
    // 11" puts no other time in the place of one.
    let clause = replaces.map(|at| {
        let rest = newest.lower.get(at..).unwrap_or_default();
        at..at + rest.find([',', ';', '，', '；', '。']).unwrap_or(rest.len())
    });
    let mut behind = newest
        .clocks()
        .filter(|(mention, _)| clause.as_ref().is_some_and(|clause| clause.contains(&mention.range.start)));
    let cued = behind.next().filter(|_| behind.next().is_none());
    if cued.is_none() && replaces.is_some() {
        return None;
    }
    let (mention, clock) = cued.or_else(|| new.next().filter(|_| new.next().is_none()))?;
    let said = if cued.is_some() { clock.is(minutes) } else { says(newest) };
    let used = asked.arguments.iter().filter_map(|argument| argument.moment()?.minutes).any(|own| clock.is(own));
    (before && !said && !used).then(|| newest.text(mention).to_owned())
}

/// "An hour later", and the call still has the time from before.
fn find_shift(asked: &Asked<'_>, minutes: u16) -> Option<String> {
    let lower = &asked.last.lower;
    let (mention, _) = asked.last.numbers().find(|(mention, quantity)| {
        let behind = lower.get(mention.range.end..).unwrap_or_default().trim_start();
        let before = lower.get(..mention.range.start).unwrap_or_default();
        let shifts = |list: &str| {
            Cue::named(list).english.iter().any(|word| behind.starts_with(word)) || Cue::named(list).ends(before)
        };
        quantity.unit.is_some_and(|unit| unit.dimension == "time") && (shifts("later") || shifts("earlier"))
    })?;
    let said = asked.earlier.iter().any(|reading| reading.clocks().any(|(_, clock)| clock.is(minutes)));
    let again = asked.last.clocks().next().is_some();
    let several =
        asked.arguments.iter().filter(|argument| argument.moment().is_some_and(|own| own.minutes.is_some())).count()
            > 1;
    (said && !again && !several)
        .then(|| lower.get(mention.range.start..).unwrap_or_default().chars().take(40).collect())
}

/// A day that was said before, where the last message puts another in its place.
fn find_date(asked: &Asked<'_>, date: Date) -> Option<String> {
    let means = |words: DateWords| words.resolve(asked.today).iter().any(|days| days.first == date);
    let before = asked.earlier.iter().any(|reading| reading.dates().any(|(_, words)| means(words)));
    let cues =
        ["replaces", "mistaken", "wait"].into_iter().flat_map(|list| Cue::named(list).places_in(&asked.last.lower));
    let at = cues.map(|(cue, at)| at + cue.len()).min()?;
    let (mention, words) =
        asked.last.dates().find(|(mention, _)| mention.range.start + 8 >= at && !mention.excluded)?;
    let month = matches!(words, DateWords::DayOfMonth(day) if day == date.day());
    let carried = asked.arguments.iter().filter_map(|argument| argument.moment()?.date).any(|own| {
        words.resolve(asked.today).iter().any(|days| days.first <= own && own <= days.last)
            || matches!(words, DateWords::DayOfMonth(day) if day == own.day())
    });
    (before && !means(words) && !month && !carried).then(|| asked.last.text(mention).to_owned())
}

/// A name that was said before, where the last message puts another in its place.
fn find_words(asked: &Asked<'_>, argument: &Argument<'_>, text: &str) -> Option<String> {
    let roles = argument.node.roles;
    if roles.has(Role::FreeText)
        || text.len() > MAX_WORDS
        || argument.node.param.is_some_and(|param| !param.required && param.default.is_some())
    {
        return None;
    }
    // A choice of a list is replaced by another of the list.
    let new = replacement(asked.last)?;
    let listed = argument.node.param.map(|param| &param.allowed).filter(|allowed| !allowed.is_empty());
    let is_choice = |value: &Value| value.as_str().is_some_and(|value| resembles(&value.to_lowercase(), &new));
    if listed.is_some_and(|allowed| !allowed.iter().any(is_choice)) {
        return None;
    }
    let before = asked.earlier.iter().any(|reading| has_name(&reading.lower, text));
    let carried = asked
        .arguments
        .iter()
        .filter_map(Argument::text)
        .any(|own| own.contains(new.as_str()) || new.contains(own) && own.len() >= 2);
    // "No, good catch. Staging first then": what the call has anew from the last message is what was replaced.
    let anew = |own: &str| {
        own.chars().count() >= 2
            && has_name(&asked.last.lower, own)
            && !asked.earlier.iter().any(|reading| has_name(&reading.lower, own))
    };
    let followed = asked.arguments.iter().filter(|other| !other.node.roles.has(Role::FreeText));
    if followed.filter_map(Argument::text).any(anew) {
        return None;
    }
    // Only one argument can be what was replaced: the one that the last message does not name.
    let kept = has_name(&asked.last.lower, text) && !is_rejected(&asked.last.lower, text);
    let rivals = asked.arguments.iter().filter(|other| {
        other.text().is_some_and(|own| {
            own.len() <= MAX_WORDS
                && !other.node.roles.has(Role::FreeText)
                && !own.contains(|c: char| c.is_ascii_digit())
                && asked.earlier.iter().any(|reading| has_name(&reading.lower, own))
        })
    });
    let named = !text.contains(|c: char| c.is_ascii_digit());
    (before && named && !carried && !kept && rivals.count() == 1).then_some(new)
}

/// Whether a choice and the words for it share a word, or the beginning of one.
fn resembles(choice: &str, words: &str) -> bool {
    let apart = |c: char| !c.is_alphanumeric();
    let begins = |one: &str, other: &str| {
        let (one, other): (String, String) = (one.chars().take(4).collect(), other.chars().take(4).collect());
        one == other && one.chars().count() >= 3
    };
    !choice.is_ascii()
        || !words.is_ascii()
        || choice.split(apart).any(|part| words.split(apart).any(|word| begins(part, word) || part == word))
}

/// What the last message turns down beside something of the same shape: C区满了，D区吧.
fn find_rejected(asked: &Asked<'_>, argument: &Argument<'_>, text: &str) -> Option<String> {
    let lower = &asked.last.lower;
    let from = argument.words.iter().any(|word| Cue::named("from-side").has(word));
    if text.chars().count() > 12 || from || asked.takes_away() || !lower.contains(text) || !is_rejected(lower, text) {
        return None;
    }
    let own = mask(text);
    let parts = lower.split(['，', ',', '。', ';', '；', '!', '！', ' ', '吧', '了', '的']);
    let parts = parts.map(|part| part.trim().trim_end_matches('.'));
    // 区 of D区 shows that it is of the same kind; so do the digits of an id.
    let kind = |part: &str| part.chars().next_back().filter(|_| !text.is_ascii());
    let alike =
        |part: &&str| *part != text && mask(part) == own && part.len() == text.len() && kind(part) == kind(text);
    let telling = !text.is_ascii() || text.contains(|c: char| c.is_ascii_digit());
    let other = parts.into_iter().find(alike).filter(|_| telling && text.chars().count() > 1)?;
    let used = asked.arguments.iter().filter_map(Argument::text).any(|own| own.contains(other));
    (!used).then(|| other.to_owned())
}

/// Whether a text has a name, or the beginning of a Chinese one: 南门 for 南门驿站.
fn has_name(lower: &str, name: &str) -> bool {
    let head: String = name.chars().take(2).collect();
    stands_in(lower, name)
        || (!name.is_ascii() && (lower.contains(name) || head.chars().count() == 2 && lower.contains(&head)))
}

/// Whether the last message names a thing only to turn it down: 南门太远了.
fn is_rejected(lower: &str, name: &str) -> bool {
    let head: String = if name.is_ascii() { name.to_owned() } else { name.chars().take(2).collect() };
    let behind = lower.find(&head).and_then(|at| lower.get(at + head.len()..)).unwrap_or_default();
    let clause = behind.split(['，', ',', '。', ';', '；']).next().unwrap_or_default();
    let clause = clause.split(". ").next().unwrap_or_default();
    Cue::named("turned-down").stands_in(clause)
        || crate::text::mentions::role::is_excluded(lower, lower.find(&head).unwrap_or(0))
}

/// "She changed her mind, she wants the slate one", 改主意了，要炭灰的: where what is wanted now begins.
fn wish_behind_change(lower: &str) -> Option<usize> {
    let (cue, at) = Cue::named("changed-mind").find_in(lower)?;
    let from = at + cue.len();
    let behind = lower.get(from..)?;
    let places = Cue::named("wants-now").places_in(behind);
    let meant = places.filter(|(_, at)| !behind.get(..*at).is_some_and(|before| before.ends_with(['不', '别', '没'])));
    meant.map(|(word, at)| from + at + word.len()).min()
}

/// What the last message puts in the place of something: the words after its cue.
fn replacement(last: &Reading) -> Option<String> {
    let (lower, mentions) = (last.lower.as_str(), &last.mentions);
    // Who "can't make it" replaces nothing.
    let denied = |at: usize| {
        let before = lower.get(..at).unwrap_or_default().trim_end();
        ["can't", "cannot", "couldn't", "won't", "not"].iter().any(|word| before.ends_with(word))
    };
    let places = Cue::named("replaces").places_in(lower).filter(|(_, at)| !denied(*at));
    let places = places.map(|(cue, at)| at + cue.len());
    for at in places.chain(wish_behind_change(lower)) {
        let rest = lower.get(at..).unwrap_or_default().trim_start();
        let end = rest
            .find(['，', ',', '。', '.', ';', '；', '!', '！', '?', '？', '\n', '吧', '了', '的'])
            .unwrap_or(rest.len());
        let words = rest.get(..end).unwrap_or_default().trim();
        let words = ["the ", "a ", "an ", "it ", "to "]
            .iter()
            .fold(words, |words, article| words.strip_prefix(article).unwrap_or(words));
        let short: String = if words.is_ascii() {
            words.split(' ').take(2).collect::<Vec<_>>().join(" ")
        } else {
            words.chars().take(6).collect()
        };
        let from = lower.len() - rest.len();
        let numbered = mentions.iter().any(|mention| mention.range.start < from + end && mention.range.end > from);
        if short.chars().count() >= 2 && !numbered && !short.contains(|c: char| c.is_ascii_digit()) {
            return Some(short);
        }
    }
    None
}

fn has_cue(reading: &Reading) -> bool {
    Cue::named("replaces").stands_in(&reading.lower)
}

/// A number that is ten times as large replaces none where another one is near.
const FAR: f64 = 10.0;
const NEAR: f64 = 3.0;
const SHORT: usize = 120;
const SHORT_ANSWER: usize = 40;
const MAX_WORDS: usize = 60;
const MAX_ID: usize = 16;
