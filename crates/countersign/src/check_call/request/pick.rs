//! The one that was picked: "the cheaper one", "the second", 早上那趟. A result lists several, the words choose one by a measure
//! or by its place, and the call has another.

use super::argument::{Argument, read_moment};
use super::asked::Asked;
use super::bound;
use super::date::PARTS;
use super::demands::broken_by;
use super::picks::{Pick, choose, extreme_in, pick_in};
use super::record::Said;
use super::records::Record;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_RECORD;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::Reading;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds ids of another record than the one that was picked.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    find_by_part_of_day(asked, slips);
    slips.extend(asked.arguments.iter().filter_map(|argument| find_good_one(asked, argument)));
    let (pick, extreme) = (pick_in(&asked.last.lower), extreme_in(&asked.last.lower));
    let Some(word) = pick.map(|(word, _)| word).or(extreme.as_ref().map(|extreme| extreme.said)) else { return };
    if let Some((word, pick)) = pick {
        slips.extend(asked.arguments.iter().filter_map(|argument| find_offered(asked, argument, word, pick)));
    }
    if is_of_proposal(asked) {
        return;
    }
    for argument in asked.arguments.iter().filter(|argument| !argument.node.is_item()) {
        let listed = argument.node.param.is_some_and(|param| !param.allowed.is_empty());
        let id = |text: &&str| !text.contains(char::is_whitespace) && text.contains(|c: char| c.is_ascii_digit());
        let Some(text) = argument.text().filter(|text| listed || id(text)) else { continue };
        let Some(own) = asked.records().iter().find(|record| record.has(text) && is_beside(asked, record, text)) else {
            continue;
        };
        let list: Vec<&Record<'_>> = asked.records().iter().filter(|record| record.list == own.list).collect();
        // What the user cannot have is none of those to pick from.
        let open: Vec<&Record<'_>> = list.iter().copied().filter(|record| broken_by(asked, record).is_none()).collect();
        // "The cheapest one that works" is the cheapest of those within what was set.
        let (count, open) = (list.len(), bound::within(asked, open));
        let qualified = Cue::named("one-that-fits").stands_in(&asked.last.lower);
        if !open.iter().any(|record| std::ptr::eq(*record, own)) || qualified && open.len() == count {
            continue;
        }
        // "The cheaper one of those with a piano": it is one of those that share what the words say of it.
        let said = Said::of(asked, asked.last);
        let mine = said.names(own, &list);
        let shares = |record: &&Record<'_>| {
            let its = said.names(record, &list);
            mine.iter().all(|word| its.contains(word))
        };
        let open: Vec<&Record<'_>> = open.into_iter().filter(shares).collect();
        let chosen = match (pick, &extreme) {
            (Some((_, pick)), _) => choose(asked, &open, pick),
            (None, Some(extreme)) => extreme.choose(&open),
            (None, None) => None,
        };
        let Some(chosen) = chosen.filter(|chosen| !chosen.has(text)) else { continue };
        let other = said.names(chosen, &list);
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

/// Whether the call has what only the assistant's last words offered: then the pick is one of those.
fn is_of_proposal(asked: &Asked<'_>) -> bool {
    let Some(proposal) = asked.proposal else { return false };
    let results: Vec<String> = asked.results.iter().map(|result| result.to_string().to_lowercase()).collect();
    asked.arguments.iter().filter_map(Argument::text).map(str::to_lowercase).any(|text| {
        let offered = text.len() > 1 && super::asked::stands_in(&proposal.lower, &text);
        let said = || asked.user().any(|reading| super::asked::stands_in(&reading.lower, &text));
        offered && !said() && !results.iter().any(|result| result.contains(&text))
    })
}

/// Whether a record has others beside it.
fn is_beside(asked: &Asked<'_>, record: &Record<'_>, text: &str) -> bool {
    asked.records().iter().any(|other| other.list == record.list && !other.has(text))
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
