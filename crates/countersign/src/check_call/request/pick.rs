//! The one that was picked: "the cheaper one", "the second", 早上那趟. A result lists several, the words choose one by a measure
//! or by its place, and the call has another.

use super::argument::{Argument, read_moment};
use super::asked::Asked;
use super::bound;
use super::date::PARTS;
use super::picks::{Pick, pick_in};
use super::record::Said;
use super::records::{Record, is_money, words_of};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_RECORD;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::lists::word_list;
use crate::text::mentions::Reading;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds ids of another record than the one that was picked.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    find_by_part_of_day(asked, slips);
    slips.extend(asked.arguments.iter().filter_map(|argument| find_good_one(asked, argument)));
    let Some((word, pick)) = pick_in(&asked.last.lower) else { return };
    slips.extend(asked.arguments.iter().filter_map(|argument| find_offered(asked, argument, word, pick)));
    for argument in asked.arguments.iter().filter(|argument| !argument.node.is_item()) {
        let listed = argument.node.param.is_some_and(|param| !param.allowed.is_empty());
        let id = |text: &&str| !text.contains(char::is_whitespace) && text.contains(|c: char| c.is_ascii_digit());
        let Some(text) = argument.text().filter(|text| listed || id(text)) else { continue };
        let Some(own) = asked.records().iter().find(|record| record.has(text) && is_beside(asked, record, text)) else {
            continue;
        };
        let all: Vec<&Record<'_>> = asked.records().iter().filter(|record| record.list == own.list).collect();
        // "The cheapest one that works" is the cheapest of those within what was set.
        let (count, list) = (all.len(), bound::within(asked, all));
        let qualified = Cue::named("one-that-fits").stands_in(&asked.last.lower);
        if !list.iter().any(|record| std::ptr::eq(*record, own)) || qualified && list.len() == count {
            continue;
        }
        let chosen = match pick.measure {
            "place" => choose_by_place(asked, &list, pick.end),
            measure => choose_by_measure(&list, measure, pick.end),
        };
        let Some(chosen) = chosen.filter(|chosen| !chosen.has(text)) else { continue };
        let said = Said::of(asked, asked.last);
        let (mine, other) = (said.names(own, &list), said.names(chosen, &list));
        // "The cheapest direct one": what else is said, also before, may rule the cheapest out.
        let wished = own.fields.iter().filter_map(|(key, value)| Some((key, value.as_str()?.to_lowercase()))).any(
            |(key, value)| {
                let differs = chosen.fields.iter().any(|(other, its)| other == key && *its != value.as_str());
                let shared = list.iter().filter(|record| record.has(&value)).count() > 1;
                differs
                    && shared
                    && asked.user().any(|reading| {
                        if value.is_ascii() {
                            super::asked::stands_in(&reading.lower, &value)
                        } else {
                            reading.lower.contains(&value)
                        }
                    })
            },
        );
        if !wished && mine.iter().all(|word| other.contains(word)) {
            slips.push(slip(asked, argument, text, word));
        }
    }
}

/// "Throw away what is expired", and the record runs out later than today while another one has run out.
fn find_good_one(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<Slip> {
    let (today, text) = (asked.today?, argument.text()?);
    let (word, _) = Cue::named("expired").find_in(&asked.last.lower).filter(|_| asked.takes_away())?;
    let ends = |record: &Record<'_>| {
        let mut dates = record.fields.iter().filter(|(key, _)| {
            identifier_words(key).iter().any(|word| {
                matches!(word.as_str(), "expires" | "expiry" | "expiration" | "expire" | "until" | "before")
            })
        });
        dates.find_map(|(_, value)| read_moment(value.as_str()?)?.date)
    };
    let own = asked.records().iter().find(|record| record.has(text) && is_beside(asked, record, text))?;
    let other = asked
        .records()
        .iter()
        .filter(|record| record.list == own.list)
        .any(|record| ends(record).is_some_and(|date| date < today));
    (other && ends(own).is_some_and(|date| date > today)).then(|| slip(asked, argument, text, word))
}

/// "The evening one", 上午那趟: another record lies in that part of the day, and the call's does not.
fn find_by_part_of_day(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let lower = &asked.last.lower;
    let Some((word, from, to)) = PARTS.iter().find(|(word, ..)| {
        let behind = lower.find(word).and_then(|at| lower.get(at + word.len()..)).unwrap_or_default();
        [" one", " flight", " train", " class", " slot", "那", "的那"].iter().any(|pick| behind.starts_with(pick))
    }) else {
        return;
    };
    let within = |record: &Record<'_>| {
        let mut times = record.fields.iter().filter_map(|(_, value)| read_moment(value.as_str()?)?.minutes);
        times.next().map(|minutes| (*from..=*to).contains(&minutes))
    };
    for argument in asked.arguments.iter().filter(|argument| !argument.node.is_item()) {
        let Some(text) = argument.text() else { continue };
        let Some(own) = asked.records().iter().find(|record| record.has(text) && within(record) == Some(false)) else {
            continue;
        };
        let beside = asked.records().iter().filter(|record| record.list == own.list && within(record) == Some(true));
        if beside.count() == 1 {
            slips.push(slip(asked, argument, text, word));
        }
    }
}

/// Another choice than the least or the most of those that are offered: 最便宜的套餐 and the one of 99元.
fn find_offered(asked: &Asked<'_>, argument: &Argument<'_>, word: &str, pick: &Pick) -> Option<Slip> {
    let text = argument.text()?;
    let mut offered = Vec::new();
    for choice in argument.node.param?.allowed.iter().filter_map(Value::as_str) {
        let reading = Reading::of(choice);
        let mut numbers = reading.numbers().map(|(_, quantity)| quantity.value);
        offered.push((numbers.next().filter(|_| numbers.next().is_none())?, choice));
    }
    offered.sort_by(|a, b| a.0.total_cmp(&b.0));
    let chosen = match pick.end {
        "least" => offered.first(),
        "most" => offered.last(),
        _ => None,
    };
    let other = chosen.filter(|(_, choice)| offered.len() > 1 && !choice.eq_ignore_ascii_case(text))?;
    (pick.measure != "time").then(|| slip(asked, argument, text, word)).filter(|_| !other.1.is_empty())
}

/// Whether a record has others beside it.
fn is_beside(asked: &Asked<'_>, record: &Record<'_>, text: &str) -> bool {
    asked.records().iter().any(|other| other.list == record.list && !other.has(text))
}

/// The record at the end of a measure; none where two share it, or where some have no such field.
fn choose_by_measure<'r, 'a>(list: &[&'r Record<'a>], measure: &str, end: &str) -> Option<&'r Record<'a>> {
    let mut values: Vec<(f64, &Record<'_>)> = Vec::new();
    for record in list {
        values.push((value_of(record, measure)?, record));
    }
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    if end == "most" {
        values.reverse();
    }
    match values.as_slice() {
        [first, second, ..] if first.0 != second.0 => Some(first.1),
        _ => None,
    }
}

/// The one value of a record that a measure may mean; none where there are several that differ.
fn value_of(record: &Record<'_>, measure: &str) -> Option<f64> {
    let read_as = |measure: &str| record.fields.iter().filter_map(|(key, value)| read(key, value, measure)).collect();
    let mut found: Vec<f64> = read_as(measure);
    // "The small one" of three bills is the one of the least money.
    if measure == "size" && found.is_empty() {
        found = read_as("price");
    }
    found.dedup();
    if measure == "time" && found.len() > 1 {
        found.truncate(1);
    }
    match found.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

fn read(key: &str, value: &Value, measure: &str) -> Option<f64> {
    let words = identifier_words(key);
    let named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match measure {
        "price" if is_money(key) => value.as_f64(),
        "time" => match value {
            Value::Number(year) if named(&["year"]) => year.as_f64(),
            Value::String(text) => read_moment(text).map(|moment| {
                let days = moment.date.map_or(0, |date| i32::from(date.year()) * 400 + i32::from(date.day_of_year()));
                f64::from(days) * 1440.0 + f64::from(moment.minutes.unwrap_or(0))
            }),
            _ => None,
        },
        "length" if named(LENGTHS) => value.as_f64(),
        "size" if named(SIZES) => value.as_f64(),
        "rating" if named(&["rating", "stars", "score"]) => value.as_f64(),
        _ => None,
    }
}

/// The record at a place, in the order in which the assistant named them, else in that of the result.
fn choose_by_place<'r, 'a>(asked: &Asked<'_>, list: &[&'r Record<'a>], place: &str) -> Option<&'r Record<'a>> {
    let at = match place {
        "first" => 0,
        "second" => 1,
        "third" => 2,
        _ => list.len().checked_sub(1)?,
    };
    let proposal = &asked.proposal?.lower;
    let own = |record: &Record<'_>, word: &String| {
        list.iter().all(|other| std::ptr::eq(*other, record) || !words_of(other).contains(word))
    };
    let mut places: Vec<(usize, &Record<'_>)> = Vec::new();
    let mut unnamed = false;
    for record in list {
        let ids = record.fields.iter().filter_map(|(_, value)| value.as_str()).map(str::to_ascii_lowercase);
        let words = words_of(record).iter().filter(|word| own(record, word)).cloned();
        let named =
            ids.chain(words).chain(record.id.clone()).filter_map(|word| super::asked::find_whole(proposal, &word));
        match named.min() {
            Some(place) => places.push((place, record)),
            None => unnamed = true,
        }
    }
    // Where the assistant left one out, the others must stand in the order of the result.
    let in_order = places.windows(2).all(|pair| matches!(pair, [one, two] if one.0 < two.0));
    if unnamed {
        return list.get(at).copied().filter(|_| in_order && !places.is_empty());
    }
    places.sort_by_key(|(at, _)| *at);
    let apart = places.windows(2).all(|pair| matches!(pair, [one, two] if one.0 != two.0));
    places.get(at).filter(|_| apart).map(|(_, record)| *record)
}

fn slip(asked: &Asked<'_>, argument: &Argument<'_>, text: &str, word: &str) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user picked \"{word}\", and `{key}` is `{text}`, which is another one",
        "用户选的是“{word}”，而 `{key}` 是 `{text}`，是另一个"
    );
    let hint = localized!(
        asked.subject.language,
        "take `{key}` from the one that was picked, or ask the user",
        "请使用用户所选的那一个的 `{key}`，或询问用户"
    );
    let short = asked.last.lower.chars().count() <= SHORT;
    let strength = if short { Strength::Strong } else { Strength::Weak };
    Slip::on(asked, argument, &OTHER_RECORD, strength, Says { evidence, hint })
}

/// In a longer message the word may be about something else.
const SHORT: usize = 60;
const LENGTHS: &[&str] = word_list!("check_call", "request/pick/lengths");
const SIZES: &[&str] = word_list!("check_call", "request/pick/sizes");
