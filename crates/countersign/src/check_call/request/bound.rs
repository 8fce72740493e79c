//! What the user set bounds to, held against the record that the call picks: "nothing before noon" and a flight at 07:55,
//! 两百以内 and a product at 240.

use super::argument::{Argument, read_moment};
use super::asked::{Asked, clause_around, stands_in};
use super::records::{Record, is_money};
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::AGAINST_WISH;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::role::Bound;
use crate::text::mentions::{Mention, Quantity, Reading};
use crate::text::words::identifier_words;

/// Finds ids of records beyond what the user set, where another record of the list is within it.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let limits = limits_of(asked);
    for argument in asked.arguments.iter().filter(|_| !limits.is_empty()) {
        let id = |text: &&str| !text.contains(char::is_whitespace) && text.contains(|c: char| c.is_ascii_digit());
        let Some(text) = argument.text().filter(id) else { continue };
        let Some(own) = asked.records().iter().find(|record| record.has(text)) else { continue };
        let list = || asked.records().iter().filter(|record| record.list == own.list);
        let broken = limits.iter().find(|limit| {
            limit.allows(own) == Some(false)
                && list().any(|other| limit.allows(other) == Some(true))
                && !limit.is_taken_back(asked, own)
        });
        slips.extend(broken.map(|limit| say(asked, argument, &limit.said)));
    }
}

/// The records of a list that are within all that the user set.
pub(crate) fn within<'r, 'a>(asked: &Asked<'_>, list: Vec<&'r Record<'a>>) -> Vec<&'r Record<'a>> {
    let limits = limits_of(asked);
    let fits = |record: &&Record<'_>| limits.iter().all(|limit| limit.allows(record) != Some(false));
    list.into_iter().filter(fits).collect()
}

/// The most or the least of a record's time or price.
struct Limit {
    said: String,
    /// How many messages ago it was said.
    age: usize,
    of: Of,
}

enum Of {
    /// A departure, or an arrival, from or until a minute of the day.
    Time {
        arrives: bool,
        from: Option<u16>,
        until: Option<u16>,
    },
    Price(f64),
}

impl Limit {
    /// Whether a record keeps it; nothing where the record tells nothing of the kind.
    fn allows(&self, record: &Record<'_>) -> Option<bool> {
        match self.of {
            Of::Time { arrives, from, until } => {
                let minutes = time_of(record, arrives)?;
                Some(from.is_none_or(|from| minutes >= from) && until.is_none_or(|until| minutes <= until))
            }
            Of::Price(most) => Some(price_of(record)? <= most * 1.0001),
        }
    }

    /// Whether the user named the record, or another time or price, after it.
    fn is_taken_back(&self, asked: &Asked<'_>, record: &Record<'_>) -> bool {
        asked.user().take(self.age).any(|reading| {
            let fields = record.fields.iter().filter_map(|(_, value)| value.as_str());
            let named =
                fields.filter(|text| text.len() >= 3).any(|text| stands_in(&reading.lower, &text.to_lowercase()));
            let other = match self.of {
                Of::Time { .. } => reading.clocks().next().is_some(),
                Of::Price(_) => reading.numbers().any(|(_, quantity)| is_amount(quantity)),
            };
            named || other || Cue::named("bound-no-more").stands_in(&reading.lower)
        })
    }
}

/// What the user set, in all messages.
fn limits_of(asked: &Asked<'_>) -> Vec<Limit> {
    let mut found = Vec::new();
    for (age, reading) in asked.user().enumerate() {
        let clocks = reading.clocks().filter_map(|(mention, clock)| {
            let (arrives, from) = time_bound(reading, mention)?;
            // Who says nothing of the half of the day may mean both.
            let minutes = Some(clock.minutes).filter(|minutes| clock.sure || *minutes >= 720)?;
            let of = match from {
                true => Of::Time { arrives, from: Some(minutes), until: None },
                false => Of::Time { arrives, from: None, until: Some(minutes) },
            };
            Some(Limit { said: clause_around(&reading.lower, mention.range.start).trim().to_owned(), age, of })
        });
        found.extend(clocks);
        let amounts = reading
            .numbers()
            .filter(|(mention, quantity)| !mention.excluded && quantity.bound == Bound::Most && is_amount(quantity));
        found.extend(amounts.map(|(mention, quantity)| Limit {
            said: clause_around(&reading.lower, mention.range.start).trim().to_owned(),
            age,
            of: Of::Price(quantity.upper.unwrap_or(quantity.value)),
        }));
    }
    found
}

/// Whether a time of day bounds an arrival or a departure, and whether from below: "nothing before noon", 不早于九点.
fn time_bound(reading: &Reading, mention: &Mention) -> Option<(bool, bool)> {
    let clause = clause_around(&reading.lower, mention.range.start);
    let before = reading.lower.get(..mention.range.start)?.trim_end();
    let behind = reading.lower.get(mention.range.end..)?.trim_start();
    let (denied, arrives) = (Cue::named("denies-time").stands_in(clause), Cue::named("arrives").stands_in(clause));
    let ends = |list: &str| Cue::named(list).ends(before);
    let begins = |words: &[&str]| words.iter().any(|word| behind.starts_with(word));
    let from = match () {
        () if ends("never-earlier") => true,
        () if ends("never-later") => false,
        () if denied && (ends("earlier-than") || begins(&["之前", "以前", "前"])) => true,
        () if denied && (ends("later-than") || begins(&["之后", "以后", "后"])) => false,
        () => return None,
    };
    Some((arrives, from))
}

/// The time at which a record begins, or ends; its only time is both.
fn time_of(record: &Record<'_>, arrives: bool) -> Option<u16> {
    let times = record.fields.iter().filter_map(|(key, value)| Some((key, read_moment(value.as_str()?)?.minutes?)));
    let times: Vec<(&&str, u16)> = times.collect();
    let named = |cue: &str| {
        let mut own =
            times.iter().filter(|(key, _)| identifier_words(key).iter().any(|word| Cue::named(cue).has(word)));
        own.next().filter(|_| own.next().is_none()).map(|(_, minutes)| *minutes)
    };
    match times.as_slice() {
        [(key, minutes)] => {
            let other = if arrives { "departure-field" } else { "arrival-field" };
            let apart = identifier_words(key).iter().any(|word| Cue::named(other).has(word));
            (!apart).then_some(*minutes)
        }
        _ => named(if arrives { "arrival-field" } else { "departure-field" }),
    }
}

/// The one price of a record.
fn price_of(record: &Record<'_>) -> Option<f64> {
    let mut prices = record.fields.iter().filter(|(key, _)| {
        is_money(key)
            && identifier_words(key)
                .iter()
                .any(|word| matches!(word.as_str(), "price" | "cost" | "fare" | "fee" | "total"))
    });
    let price = prices.next()?.1.as_f64();
    price.filter(|_| prices.next().is_none())
}

/// Whether a number may be an amount of money.
fn is_amount(quantity: &Quantity) -> bool {
    quantity.unit.is_none() && !quantity.counts && (quantity.currency.is_some() || quantity.value >= 20.0)
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, said: &str) -> Slip {
    let (key, shown) = (argument.node.key, argument.text().unwrap_or_default());
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", `{key}` is `{shown}`, which is beyond it",
        "用户说过“{said}”，而 `{key}` 是 `{shown}`，超出了这一要求"
    );
    let hint = localized!(
        asked.subject.language,
        "take one that is within what the user set, or ask",
        "请选择符合用户要求的一项，或先询问用户"
    );
    Slip::on(asked, argument, &AGAINST_WISH, Strength::Strong, Says { evidence, hint })
}
