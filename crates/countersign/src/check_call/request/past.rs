//! A day that has passed, for a deed that is still to come: a table booked for last month.

use super::argument::Argument;
use super::asked::{Asked, clause_around};
use super::moments::moments_of;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_DATE;
use crate::localized;
use crate::policy::Effect;
use crate::text::cues::Cue;
use crate::text::lexicon::{Deeds, find_english};
use crate::text::mentions::date::{DateWords, Days, plus};
use crate::text::mentions::{Mention, Reading};
use crate::text::words::identifier_words;
use jiff::civil::Date;

/// Finds days before today that nobody spoke of.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let tool = asked.subject;
    // `record_expense` that "books an expense" books nothing ahead: the deed is the name's.
    let name = identifier_words(&tool.tool.spec.name);
    let named = find_english(&name.iter().map(String::as_str).collect::<Vec<_>>());
    let ahead = Deeds::named(&["book", "move", "pause", "freeze"]);
    let books = named.iter().any(|found| found.deeds.meet(&ahead)) && tool.tool.spec.deeds().deeds.meet(&ahead);
    let acts = !tool.tool.effects.effects.contains(&Effect::Read);
    let Some(today) = asked.today else { return };
    for argument in asked.arguments.iter().filter(|argument| books || acts && argument.is_named(AHEAD)) {
        let Some(date) = argument.moment().and_then(|moment| moment.date).filter(|date| *date < today) else {
            continue;
        };
        let full = |words: DateWords| match words {
            DateWords::Written { year: Some(_), .. } | DateWords::Days(_) => has_day(&words.resolve(asked.today), date),
            // "January 8", said in December, is ahead; "the 20th of December" may have been a week ago.
            DateWords::Written { .. } => is_near(today, date) && has_day(&words.resolve(asked.today), date),
            _ => false,
        };
        // "That was on March 3 already".
        let was = |reading: &Reading, mention: &Mention| {
            Cue::named("was-then").stands_in(clause_around(&reading.lower, mention.range.start))
        };
        let told = |reading: &Reading, mention: &Mention, words: DateWords| {
            full(words) || was(reading, mention) && has_day(&words.resolve(asked.today), date)
        };
        let spoken =
            asked.readings().any(|reading| reading.dates().any(|(mention, words)| told(reading, mention, words)));
        let found = moments_of(&asked.results).into_iter().any(|moment| moment.date == Some(date));
        if spoken || found || is_of_the_past(argument) || asked.has_borrowed_clock() {
            continue;
        }
        let key = argument.node.key;
        let evidence = localized!(
            asked.subject.language,
            "`{key}` is {date}, which has passed (today is {today}), and nobody spoke of it",
            "`{key}` 是 {date}，已经过去（今天是 {today}），而没有人提到过这一天"
        );
        let hint = localized!(asked.subject.language, "count the date again from today", "请从今天起重新推算日期");
        slips.push(Slip::on(asked, argument, &OTHER_DATE, Strength::Strong, Says { evidence, hint }));
    }
}

fn has_day(days: &[Days], date: Date) -> bool {
    days.iter().any(|days| days.first <= date && date <= days.last)
}

/// Whether a day before today is nearer than the same day a year later.
fn is_near(today: Date, date: Date) -> bool {
    plus(date, HALF_A_YEAR).is_some_and(|later| later >= today)
}

/// Whether the parameter is for what has been: a birthday, the day of the order.
fn is_of_the_past(argument: &Argument<'_>) -> bool {
    argument.is_named(&[
        "birth",
        "birthday",
        "dob",
        "issued",
        "created",
        "ordered",
        "old",
        "original",
        "previous",
        "since",
        "last",
        "purchase",
        "purchased",
        "incurred",
        "received",
        "signed",
        "as",
        "founded",
        "current",
    ])
}

/// Names of what is still to come when a call is made, whatever its tool does.
const AHEAD: &[&str] =
    &["due", "deadline", "delivery", "pickup", "arrival", "departure", "checkin", "reminder", "expires", "expiry"];
/// What half a year has of days.
const HALF_A_YEAR: i32 = 183;
