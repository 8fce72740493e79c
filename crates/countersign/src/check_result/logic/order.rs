//! Orders hold: the least is not above the greatest, the end not before the beginning, the average between both.

use crate::check_result::fields::{Entry, Object};
use crate::check_result::moment::Moment;
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::lists::word_list;
use std::cmp::Ordering;

/// Orders in every object.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    for object in &subject.parts.objects {
        found.extend(bounds(subject, object));
        found.extend(spans(subject, object));
        found.extend(nights(subject, object));
        found.extend(weekday(subject, object));
        found.extend(duration(subject, object));
    }
    found
}

/// Least and greatest, with what lies between them.
fn bounds(subject: &Subject, object: &Object) -> Option<Finding> {
    for (low, high) in EXTREMES {
        for entry in object.entries.iter().filter(|entry| entry.has(low)) {
            let Some(partner) = partner(object, entry, low, high) else { continue };
            let (Some(least), Some(most)) = (entry.number(), partner.number()) else { continue };
            let (low_key, high_key) = (entry.key, partner.key);
            if least > most {
                let evidence = localized!(
                    subject.language,
                    "`{low_key}` is {least}, above `{high_key}`, which is {most}",
                    "`{low_key}` 为 {least}，高于 `{high_key}` 的 {most}"
                );
                return Some(Finding::new(&codes::ORDER, object.at(entry), evidence));
            }
            let middle = MIDDLES.iter().filter_map(|word| self::partner(object, entry, low, word));
            for middle in middle {
                let Some(value) = middle.number().filter(|value| *value < least || *value > most) else { continue };
                let key = middle.key;
                let evidence = localized!(
                    subject.language,
                    "`{key}` is {value}, not between {least} and {most}",
                    "`{key}` 为 {value}，不在 {least} 与 {most} 之间"
                );
                return Some(Finding::new(&codes::ORDER, object.at(middle), evidence));
            }
        }
    }
    None
}

/// The entry whose key is another's with one word exchanged.
fn partner<'a>(object: &'a Object<'a>, entry: &Entry, from: &str, to: &str) -> Option<&'a Entry<'a>> {
    let wanted = |other: &&Entry| {
        other.words.len() == entry.words.len()
            && other.words.iter().zip(&entry.words).all(|(a, b)| if b == from { a == to } else { a == b })
    };
    object.entries.iter().find(wanted)
}

/// A beginning and its end.
fn spans(subject: &Subject, object: &Object) -> Vec<Finding> {
    let moments: Vec<(&Entry, String, Moment)> = object
        .entries
        .iter()
        .filter(|entry| !entry.has_any(&["estimated", "expected", "scheduled", "planned", "previous", "next"]))
        .filter_map(|entry| Some((entry, role(entry), Moment::of(entry.value)?)))
        .take(40)
        .collect();
    let mut found = Vec::new();
    for (first, second) in SPANS {
        for (begin, begin_role, from) in &moments {
            let Some(rest) = strip_role(begin_role, first) else { continue };
            let end = moments.iter().find(|(_, end_role, _)| strip_role(end_role, second).as_ref() == Some(&rest));
            let Some((end, _, to)) = end else { continue };
            if begin.key == end.key || to.compare(from) != Ordering::Less {
                continue;
            }
            // Local times of two places: only a whole day backwards is certainly wrong.
            let travels = matches!(*first, "departure" | "depart" | "departs" | "departed" | "departing");
            if travels && !(from.is_exact() && to.is_exact()) && to.hours_after(from) > -24.0 {
                continue;
            }
            found.push(backwards(subject, object, begin, end));
            break;
        }
    }
    found.extend(lasts(subject, object, &moments));
    found.truncate(3);
    found
}

/// The last time of something is not before the first of all.
fn lasts(subject: &Subject, object: &Object, moments: &[(&Entry, String, Moment)]) -> Option<Finding> {
    let (begin, _, from) = moments.iter().find(|(_, role, _)| FIRSTS.contains(&role.as_str()))?;
    let last = |role: &str| role.starts_with("last_") || role.starts_with("latest_");
    let (end, _, _) = moments.iter().find(|(_, role, to)| last(role) && to.compare(from) == Ordering::Less)?;
    Some(backwards(subject, object, begin, end))
}

fn backwards(subject: &Subject, object: &Object, begin: &Entry, end: &Entry) -> Finding {
    let text = |entry: &Entry| entry.value.as_str().map_or_else(|| entry.value.to_string(), str::to_owned);
    let (begin_key, end_key, from, to) = (begin.key, end.key, text(begin), text(end));
    let evidence = localized!(
        subject.language,
        "`{end_key}` ({to}) lies before `{begin_key}` ({from})",
        "`{end_key}`（{to}）早于 `{begin_key}`（{from}）"
    );
    Finding::new(&codes::ORDER, object.at(end), evidence)
}

/// The number of nights between two dates.
fn nights(subject: &Subject, object: &Object) -> Option<Finding> {
    let nights = object.find(&["nights", "num_nights", "number_of_nights"])?;
    let at = |names: &[&str]| object.find(names).and_then(|entry| Moment::of(entry.value));
    let from = at(&["check_in", "checkin", "check_in_date", "arrival_date", "start_date"])?;
    let to = at(&["check_out", "checkout", "check_out_date", "departure_date", "end_date"])?;
    let days = (to.date().since(from.date())).ok()?.get_days();
    (nights.number()? != f64::from(days)).then(|| {
        let seen = nights.value;
        let evidence = localized!(
            subject.language,
            "`nights` is {seen}, the dates are {days} nights apart",
            "`nights` 为 {seen}，而日期相隔 {days} 晚"
        );
        Finding::new(&codes::TOTAL, object.at(nights), evidence)
    })
}

/// The time between a beginning and its end.
fn duration(subject: &Subject, object: &Object) -> Option<Finding> {
    let length = object.entries.iter().find(|entry| entry.words.first().is_some_and(|word| word == "duration"))?;
    let hours = match length.words.last()?.as_str() {
        "s" | "sec" | "secs" | "seconds" => 1.0 / 3600.0,
        "min" | "mins" | "minutes" | "minute" => 1.0 / 60.0,
        "h" | "hr" | "hours" => 1.0,
        "days" => 24.0,
        _ => return None,
    };
    let at = |role: &[&str]| {
        let entry = object.entries.iter().find(|entry| role.contains(&self::role(entry).as_str()))?;
        Moment::of(entry.value)
    };
    let (from, to) = (at(&["start", "started", "begin"])?, at(&["end", "ended", "finished", "finish", "completed"])?);
    let (expected, seen) = (to.hours_after(&from) / hours, length.number()?);
    (expected > 0.0 && (expected - seen).abs() > 1.0 + expected * 0.05).then(|| {
        let key = length.key;
        let evidence = localized!(
            subject.language,
            "`{key}` is {seen}, the times are {expected} apart",
            "`{key}` 为 {seen}，而起止时间相差 {expected}"
        );
        Finding::new(&codes::TOTAL, object.at(length), evidence)
    })
}

/// The weekday of a date.
fn weekday(subject: &Subject, object: &Object) -> Option<Finding> {
    let named = object.find(&["weekday", "day_of_week", "dow", "day_name", "day"])?;
    let date = Moment::of(object.find(&["date", "start_date", "day_date"])?.value)?.date();
    let text = named.value.as_str()?.trim().to_lowercase();
    let at = usize::try_from(date.weekday().to_monday_zero_offset()).ok()?;
    let known = WEEKDAYS.iter().position(|names| names.contains(&text.as_str()))?;
    (known != at).then(|| {
        let right = WEEKDAYS.get(at).and_then(|names| names.first()).copied().unwrap_or_default();
        let evidence =
            localized!(subject.language, "{date} is a {right}, not a {text}", "{date} 不是 {text}（应为 {right}）");
        Finding::new(&codes::ORDER, object.at(named), evidence)
    })
}

/// The words of a key that tell what its time is the time of.
pub(crate) fn role(entry: &Entry) -> String {
    let words = entry.words.iter().map(String::as_str);
    words.filter(|word| !TIME_WORDS.contains(word)).collect::<Vec<_>>().join("_")
}

/// What is left of a role without one of its words; `None` where the word is not in it.
fn strip_role(role: &str, word: &str) -> Option<String> {
    let words: Vec<&str> = role.split('_').collect();
    let wanted: Vec<&str> = word.split('_').collect();
    let at = words.windows(wanted.len()).position(|window| window == wanted)?;
    let rest = words.iter().enumerate().filter(|(i, _)| *i < at || *i >= at + wanted.len()).map(|(_, word)| *word);
    Some(rest.collect::<Vec<_>>().join("_"))
}

const TIME_WORDS: &[&str] = word_list!("check_result", "logic/order/time-words");
const EXTREMES: &[(&str, &str)] = &[
    ("min", "max"),
    ("minimum", "maximum"),
    ("low", "high"),
    ("lowest", "highest"),
    ("lower", "upper"),
    ("least", "most"),
    ("floor", "ceiling"),
];
const MIDDLES: &[&str] = &["avg", "average", "mean", "median", "p50"];
const SPANS: &[(&str, &str)] = &[
    ("start", "end"),
    ("starts", "ends"),
    ("started", "ended"),
    ("started", "finished"),
    ("started", "completed"),
    ("begin", "end"),
    ("begin", "finish"),
    ("start", "finish"),
    ("start", "stop"),
    ("from", "to"),
    ("from", "until"),
    ("departure", "arrival"),
    ("depart", "arrive"),
    ("departs", "arrives"),
    ("departed", "arrived"),
    ("check_in", "check_out"),
    ("checkin", "checkout"),
    ("pickup", "dropoff"),
    ("pickup", "return"),
    ("created", "updated"),
    ("created", "modified"),
    ("created", "pushed"),
    ("created", "merged"),
    ("created", "last_login"),
    ("created", "expires"),
    ("created", "paid"),
    ("created", "cancelled"),
    ("created", "ended"),
    ("registered", "last_login"),
    ("joined", "last_login"),
    ("hire", "leave"),
    ("hire", "end"),
    ("hire", "left"),
    ("hire", "exit"),
    ("hired", "end"),
    ("hired", "leave"),
    ("hired", "termination"),
    ("join", "leave"),
    ("join", "left"),
    ("join", "end"),
    ("joined", "end"),
    ("joined", "leave"),
    ("joined", "terminated"),
    ("joined", "termination"),
    ("start", "left"),
    ("start", "leave"),
    ("start", "termination"),
    ("start", "terminated"),
    ("onboard", "offboard"),
    ("order", "ship"),
    ("order", "shipping"),
    ("ordered", "ship"),
    ("placed", "ship"),
    ("order", "dispatch"),
    ("order_placed", "shipped"),
    ("purchase", "ship"),
    ("purchase", "delivery"),
    ("ship", "delivery"),
    ("ship", "delivered"),
    ("shipping", "delivery"),
    ("hired", "left"),
    ("entry", "exit"),
    ("created", "closed"),
    ("created", "completed"),
    ("created", "resolved"),
    ("created", "deleted"),
    ("opened", "closed"),
    ("opened", "resolved"),
    ("reported", "resolved"),
    ("placed", "delivered"),
    ("placed", "shipped"),
    ("placed", "paid"),
    ("placed", "cancelled"),
    ("ordered", "delivered"),
    ("ordered", "shipped"),
    ("order", "delivered"),
    ("order", "delivery"),
    ("order", "shipped"),
    ("purchased", "delivered"),
    ("created", "delivered"),
    ("created", "shipped"),
    ("shipped", "delivered"),
    ("dispatched", "delivered"),
    ("paid", "refunded"),
    ("issued", "expires"),
    ("issued", "due"),
    ("issue", "expiry"),
    ("issue", "due"),
    ("issue", "expiration"),
    ("issued", "expired"),
    ("effective", "expiration"),
    ("valid_from", "valid_until"),
    ("valid_from", "valid_to"),
    ("manufactured", "expires"),
    ("production", "expiry"),
    ("birth", "death"),
    ("born", "died"),
    ("hired", "terminated"),
    ("hire", "termination"),
    ("joined", "left"),
    ("enrolled", "graduated"),
    ("submitted", "approved"),
    ("submitted", "reviewed"),
    ("requested", "approved"),
    ("sent", "received"),
    ("sent", "read"),
    ("sent", "delivered"),
    ("first_seen", "last_seen"),
    ("first", "last"),
    ("queued", "started"),
    ("admitted", "discharged"),
    ("admission", "discharge"),
    ("published", "updated"),
    ("sunrise", "sunset"),
    ("login", "logout"),
];
const FIRSTS: &[&str] = word_list!("check_result", "logic/order/firsts");
const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "mon", "星期一", "周一"],
    &["tuesday", "tue", "星期二", "周二"],
    &["wednesday", "wed", "星期三", "周三"],
    &["thursday", "thu", "星期四", "周四"],
    &["friday", "fri", "星期五", "周五"],
    &["saturday", "sat", "星期六", "周六"],
    &["sunday", "sun", "星期日", "星期天", "周日"],
];
