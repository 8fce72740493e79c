//! Dates: years, full and partial dates, ISO stamps, quarters, decades, centuries. Not weekdays, clock times or
//! relative words.

mod chinese;

use crate::claims::find::found::Found;
use crate::claims::find::lexicon::{
    AUX, DETERMINER, ERA_MARK, MARKER, MONTH, NUMERAL, ORDINAL, PAST, PLURAL, PRONOUN, QUARTER, SEASON, UNIT, YEAR_TAIL,
};
use crate::claims::find::names::{Names, name, names};
use crate::claims::find::numbers;
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Gap, Shape};
use crate::contract::{ClaimKind, ClaimValue};

/// The date that begins at a token.
pub(crate) fn read(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    match token.shape {
        Shape::Digits => iso(s, at)
            .or_else(|| chinese::read(s, at))
            .or_else(|| day_first(s, at))
            .or_else(|| decade(s, at))
            .or_else(|| century(s, at))
            .or_else(|| era(s, at))
            .or_else(|| year(s, at)),
        Shape::Numerals => chinese::read(s, at),
        Shape::Han => chinese::read_word(s, at),
        Shape::Word => month_first(s, at)
            .or_else(|| quarter(s, at))
            .or_else(|| century(s, at))
            .or_else(|| season(s, at))
            .or_else(|| part_of_year(s, at))
            .or_else(|| fiscal(s, at))
            .or_else(|| before_year(s, at)),
        Shape::Sign if token.is('\'') => decade(s, at),
        _ => None,
    }
}

/// 2024-03-15, 2024/3/15, 15/03/2024, 2024-02-29T23:58:00Z.
fn iso(s: &Sentence, at: usize) -> Option<Found> {
    let sign = s.at(at + 1);
    let divider = |at: usize| s.at(at).shape == Shape::Sign && s.at(at).glued() && s.at(at).first == sign.first;
    if !matches!(sign.first, '-' | '/' | '.') || !divider(at + 1) {
        return None;
    }
    let number = |at: usize| (s.at(at).shape == Shape::Digits && s.at(at).glued()).then(|| plain(s, at)).flatten();
    let (first, second) = (plain(s, at)?, number(at + 2)?);
    let third = if divider(at + 3) { number(at + 4) } else { None };
    let (year, month, day) = match third {
        Some(day) if s.at(at).length() == 4 => (first, second, day),
        Some(year) if s.at(at + 4).length() == 4 && second <= 12 => (year, second, first),
        Some(year) if s.at(at + 4).length() == 4 => (year, first, second),
        _ => return None,
    };
    let short = sign.first == '-' && s.at(at).length() != 4 && !(s.at(at).length() == 2 && s.at(at + 2).length() == 2);
    if short
        || !(1000..=2999).contains(&year)
        || !(1..=12).contains(&month)
        || !(1..=31).contains(&day)
        || sign.first == '.' && s.at(at).length() == 4
    {
        return None;
    }
    let mut end = at + 5;
    // The time of a stamp: T23:58:00Z comes as one word with digits, then signs and digits.
    if s.at(end).glued() && s.words(end).starts_with('T') && s.at(end).coded {
        end += 1;
        while s.at(end).glued()
            && (s.at(end).shape == Shape::Digits
                || matches!(s.at(end).first, ':' | '.' | '+' | '-' | 'Z')
                    && s.at(end + 1).glued() | (s.at(end).first == 'Z'))
        {
            end += 1;
        }
    }
    date(at, end, format!("{year:04}-{month:02}-{day:02}"))
}

/// 1 December 2023, 24 October, 1st of May 1999.
fn day_first(s: &Sentence, at: usize) -> Option<Found> {
    let day = plain(s, at)?;
    let suffix = usize::from(s.at(at + 1).glued() && s.one_of(at + 1, names!["st", "nd", "rd", "th"]));
    let of = usize::from(s.word(at + 1 + suffix, name!("of")) && suffix == 1);
    // 3–5 May 2024
    let range = s.at(at + 1).shape == Shape::Sign
        && matches!(s.at(at + 1).first, '-' | '–')
        && s.at(at + 2).shape == Shape::Digits;
    let month = if range { at + 3 } else { at + 1 + suffix + of };
    if !s.has(month, MONTH) || !is_named_month(s, month) || !(1..=31).contains(&day) {
        return None;
    }
    let comma = usize::from(s.is(month + 1, ','));
    let number = s.entry(month).place;
    match year_at(s, month + 1 + comma) {
        Some(year) => date(at, month + 2 + comma, format!("{year:04}-{number:02}-{day:02}")),
        None => date(at, month + 1, format!("--{number:02}-{day:02}")),
    }
}

/// December 1, 2023; December 2023; in December.
fn month_first(s: &Sentence, at: usize) -> Option<Found> {
    if !s.has(at, MONTH) || !is_named_month(s, at) {
        return None;
    }
    let number = s.entry(at).place;
    let dot = usize::from(s.is(at + 1, '.') && s.at(at).length() <= 4);
    let next = at + 1 + dot;
    if let Some(year) = year_at(s, next) {
        return date(at, next + 1, format!("{year:04}-{number:02}"));
    }
    if (s.is(next, ',') || s.word(next, name!("of")))
        && let Some(year) = year_at(s, next + 1)
    {
        return date(at, next + 2, format!("{year:04}-{number:02}"));
    }
    let day = plain(s, next)
        .filter(|day| (1..=31).contains(day) && s.at(next).shape == Shape::Digits && !s.has(next + 1, UNIT));
    if let Some(day) = day {
        let suffix = usize::from(s.at(next + 1).glued() && s.one_of(next + 1, names!["st", "nd", "rd", "th"]));
        let range = if s.at(next + 1).shape == Shape::Sign
            && matches!(s.at(next + 1).first, '-' | '–')
            && s.at(next + 2).shape == Shape::Digits
        {
            2
        } else {
            0
        };
        let end = next + 1 + suffix + range;
        let comma = usize::from(s.is(end, ','));
        return match year_at(s, end + comma) {
            Some(year) => date(at, end + comma + 1, format!("{year:04}-{number:02}-{day:02}")),
            None => date(at, end, format!("--{number:02}-{day:02}")),
        };
    }
    let led = s.one_of(
        at.wrapping_sub(1),
        names![
            "in", "since", "until", "by", "during", "early", "late", "mid", "from", "through", "of", "to", "between"
        ],
    );
    (led && s.at(at).length() > 2).then(|| date(at, at + 1, format!("--{number:02}"))).flatten()
}

/// A month is written with a capital; "may" and "march" are words.
fn is_named_month(s: &Sentence, at: usize) -> bool {
    s.at(at).case != Case::Lower
}

/// A year as a number of its own: four digits, 1000 to 2999.
fn year_at(s: &Sentence, at: usize) -> Option<u32> {
    let token = s.at(at);
    let year = plain(s, at).filter(|_| token.shape == Shape::Digits && token.length() == 4)?;
    (1000..=2999).contains(&year).then_some(year)
}

fn plain(s: &Sentence, at: usize) -> Option<u32> {
    let token = s.at(at);
    if !token.first.is_ascii_digit() || token.length() > 4 {
        return None;
    }
    s.words(at).bytes().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte & 0xf)))
}

/// A bare year: 2021, also 2018–19 and 2019–2021.
fn year(s: &Sentence, at: usize) -> Option<Found> {
    let Some(year) = year_at(s, at) else { return early_year(s, at) };
    let led = s.one_of(at.wrapping_sub(1), LEADS)
        || s.is(at.wrapping_sub(1), '.') && s.one_of(at.wrapping_sub(2), names!["c", "ca"]);
    let bare = s.chinese
        && (s.at(at + 1).shape == Shape::Han && s.at(at + 1).glued()
            || s.before(at).shape == Shape::Han && s.at(at).glued());
    if bare || year > 2100 || year < 1500 && !led || is_named(s, at) {
        return None;
    }
    let dash = s.at(at + 1);
    if dash.shape == Shape::Sign
        && matches!(dash.first, '-' | '–' | '—' | '/' | '~' | '～')
        && s.at(at + 2).shape == Shape::Digits
    {
        let second = plain(s, at + 2)?;
        let length = s.at(at + 2).length();
        let upper = if length == 2 { year / 100 * 100 + second } else { second };
        let tail = usize::from(s.has(at + 3, YEAR_TAIL) || s.han(at + 3, '年'));
        if matches!(length, 2 | 4)
            && upper > year
            && upper < 2200
            && !s.at(at + 3).glued() | (tail == 1) | s.divides(at + 3)
        {
            return date(at, at + 3 + tail, format!("{year}/{upper}"));
        }
        if dash.glued() && s.at(at + 2).glued() {
            return None;
        }
    }
    let next = s.at(at + 1);
    let counted = next.gap == Gap::Blank
        && next.shape == Shape::Word
        && next.case == Case::Lower
        && (next.has(UNIT | PLURAL) && !s.word(at + 1, name!("in"))
            || s.words(at + 1).ends_with('s')
                && s.at(at + 1).length() > 3
                && !s.one_of(
                    at + 1,
                    names![
                        "was", "this", "has", "is", "its", "versus", "across", "results", "figures", "levels", "sales"
                    ],
                ));
    if counted && !led
        || next.has(UNIT) && next.glued()
        || next.is('%')
        || s.one_of(at + 1, names!["million", "billion", "percent"])
    {
        return None;
    }
    date(at, at + 1, year.to_string())
}

/// A year of three digits: "In 476 the last emperor was deposed".
fn early_year(s: &Sentence, at: usize) -> Option<Found> {
    let (token, next) = (s.at(at), s.at(at + 1));
    let year = plain(s, at).filter(|year| token.length() == 3 && *year >= 100)?;
    let led = s.one_of(at.wrapping_sub(1), names!["in", "since", "until", "circa"])
        || s.one_of(at.wrapping_sub(1), names!["by", "around", "after", "before"]) && at == 1;
    let happened = |at: usize| s.has(at, PAST) || s.at(at).case == Case::Lower && s.words(at).ends_with("ed");
    // "crowned emperor in 800", "was founded by monks in 800": up to three words between the verb and the year, no number.
    let since_verb = || {
        let words =
            |from: usize| (from + 1..at - 1).all(|at| s.at(at).shape == Shape::Word && !s.has(at, NUMERAL | AUX));
        (2..=5).filter_map(|back| at.checked_sub(back)).any(|verb| happened(verb) && words(verb))
    };
    let told = next.has(DETERMINER) && next.case == Case::Lower
        || next.shape == Shape::Word && next.case == Case::Capital && next.gap == Gap::Blank
        || next.has(PRONOUN)
        || s.is(at + 1, ',') && at == 1
        || matches!(next.first, '.' | ',' | ';')
            && s.divides(at + 1)
            && s.word(at.wrapping_sub(1), name!("in"))
            && since_verb()
        || s.one_of(at + 1, names!["and", "when", "by", "after"])
            && s.word(at.wrapping_sub(1), name!("in"))
            && (at == 1 || since_verb());
    (led && told && !is_named(s, at)).then(|| date(at, at + 1, format!("{year:04}"))).flatten()
}

/// Whether the digits are the name of something: room 2024, #2024, 2024-X.
fn is_named(s: &Sentence, at: usize) -> bool {
    let before = s.before(at);
    let glued = s.at(at).glued()
        && before.shape != Shape::Han
        && !matches!(before.first, '(' | '（' | '"' | '“' | '‘' | '\'' | '/' | '–' | '—' | '-' | '*' | '[' | '~');
    let hyphened = s.at(at).glued()
        && before.is('-')
        && !s.one_of(at.wrapping_sub(2), names!["mid", "pre", "post", "early", "late"]);
    let tail = s.at(at + 1).glued() && s.at(at + 1).shape == Shape::Word;
    // UA 1549 is a flight.
    let flight = before.case == Case::Upper && before.length() == 2 && plain(s, at).is_some_and(|year| year < 1800);
    before.has(MARKER) && !before.has(QUARTER)
        || flight
        || glued
        || hyphened
        || tail
        || s.is(at + 1, ':') && s.at(at + 2).shape == Shape::Digits
}

/// 1990s, 2010s, '90s.
fn decade(s: &Sentence, at: usize) -> Option<Found> {
    let digits = if s.is(at, '\'') || s.is(at, '’') { at + 1 } else { at };
    let start = plain(s, digits)?;
    let tail = s.at(digits + 1);
    let apostrophe = usize::from(matches!(tail.first, '\'' | '’') && tail.glued());
    let plural = s.word(digits + 1 + apostrophe, name!("s")) && s.at(digits + 1 + apostrophe).glued();
    let length = s.at(digits).length();
    let fits = length == 4 && start % 10 == 0 && (1000..2100).contains(&start)
        || digits > at && length == 2 && start % 10 == 0;
    (plural && fits)
        .then(|| date(at, digits + 2 + apostrophe, format!("{}s", if length == 2 { 1900 + start } else { start })))
        .flatten()
}

/// 19th century, mid-18th century, the nineteenth century.
fn century(s: &Sentence, at: usize) -> Option<Found> {
    let (number, mut end) = if s.at(at).shape == Shape::Digits {
        let suffix = s.at(at + 1).glued() && s.one_of(at + 1, names!["st", "nd", "rd", "th"]);
        (plain(s, at).filter(|_| suffix)?, at + 2)
    } else if s.has(at, ORDINAL) {
        (u32::from(s.entry(at).place), at + 1)
    } else if s.one_of(at, names!["mid", "early", "late"]) {
        let from = if s.is(at + 1, '-') { at + 2 } else { at + 1 };
        let inner = century(s, from)
            .or_else(|| decade(s, from))
            .or_else(|| year(s, from).filter(|_| s.at(from).shape == Shape::Digits))?;
        return Some(Found { first: at, ..inner });
    } else {
        return None;
    };
    if s.is(end, '-') {
        end += 1;
    }
    if !s.one_of(end, names!["century", "centuries"]) || number > 21 {
        return None;
    }
    end += 1;
    let mut name = format!("C{number}");
    if s.has(end, ERA_MARK) {
        if s.words(end).to_ascii_lowercase().starts_with('b') {
            name.insert(0, '-');
        }
        end += 1;
    }
    date(at, end, name)
}

/// 221 BC, 930 AD.
fn era(s: &Sentence, at: usize) -> Option<Found> {
    if !s.seen.has(ERA_MARK) {
        return None;
    }
    let number = numbers::read(s, at)?;
    let mark = s.at(number.end);
    (mark.has(ERA_MARK) && mark.case == Case::Upper).then(|| {
        let sign = if s.word(number.end, name!("bc")) || s.word(number.end, name!("bce")) { "-" } else { "" };
        date(at, number.end + 1, format!("{sign}{:04}", number.value))
    })?
}

/// AD 79.
fn before_year(s: &Sentence, at: usize) -> Option<Found> {
    let mark = s.at(at);
    let year = plain(s, at + 1)
        .filter(|_| mark.has(ERA_MARK) && mark.case == Case::Upper && s.at(at + 1).shape == Shape::Digits)?;
    date(at, at + 2, format!("{year:04}"))
}

/// Q1 2024, H1 2023, FY2021, Q3.
fn quarter(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    if !token.coded || token.case == Case::Lower {
        return None;
    }
    let word = s.words(at);
    let (head, digits) = word.split_at_checked(word.find(|c: char| c.is_ascii_digit())?)?;
    let number: u32 = digits.parse().ok()?;
    match head {
        "Q" | "H" if (1..=4).contains(&number) && digits.len() == 1 && (head == "Q" || number <= 2) => {
            let of = usize::from(s.one_of(at + 1, names!["of", "fy"]) || s.is(at + 1, '\'') || s.is(at + 1, '-'));
            match year_at(s, at + 1 + of) {
                Some(year) => date(at, at + 2 + of, format!("{year}-{head}{number}")),
                None if head == "Q" && !s.is(at + 1, ':') => date(at, at + 1, format!("{head}{number}")),
                None => None,
            }
        }
        "FY" | "CY" if matches!(digits.len(), 2 | 4) => {
            let year = if digits.len() == 2 { 2000 + number } else { number };
            date(at, at + 1, year.to_string())
        }
        _ => None,
    }
}

/// "third quarter of 2022", "first half of 2023", "end of 2011", "third-quarter".
fn part_of_year(s: &Sentence, at: usize) -> Option<Found> {
    let ends = s.one_of(
        at,
        names!["end", "start", "beginning", "middle", "summer", "spring", "autumn", "winter", "fall", "close"],
    );
    if ends && s.word(at + 1, name!("of")) {
        let month = month_first(s, at + 2).filter(|month| month.end > at + 3);
        return match month {
            Some(month) => Some(Found { first: at, ..month }),
            None => date(at, at + 3, year_at(s, at + 2)?.to_string()),
        };
    }
    let token = s.at(at);
    let place = if token.has(ORDINAL) { u32::from(s.entry(at).place) } else { 0 };
    let next = if s.is(at + 1, '-') { at + 2 } else { at + 1 };
    let (letter, most) = match () {
        () if s.word(next, name!("quarter")) => ('Q', 4),
        () if s.word(next, name!("half")) => ('H', 2),
        () => return None,
    };
    if !(1..=most).contains(&place) {
        return None;
    }
    let fiscal =
        |at: usize| if s.word(at, name!("fiscal")) { at + 1 + usize::from(s.word(at + 1, name!("year"))) } else { at };
    let of = fiscal(next + 1 + usize::from(s.word(next + 1, name!("of"))));
    if let Some(year) = year_at(s, of) {
        return date(at, of + 1, format!("{year}-{letter}{place}"));
    }
    (letter == 'Q').then(|| date(at, next + 1, format!("Q{place}"))).flatten()
}

/// "fiscal 2022", "fiscal year 2022".
fn fiscal(s: &Sentence, at: usize) -> Option<Found> {
    if !s.one_of(at, names!["fiscal", "financial"]) {
        return None;
    }
    let next = at + 1 + usize::from(s.word(at + 1, name!("year")));
    let year = year_at(s, next)?;
    let ends = s.is(next + 1, '/')
        && s.at(next + 1).glued()
        && matches!(s.at(next + 2).length(), 2 | 4)
        && plain(s, next + 2).is_some();
    date(at, if ends { next + 3 } else { next + 1 }, year.to_string())
}

/// "spring 2019", "winter of 1944".
fn season(s: &Sentence, at: usize) -> Option<Found> {
    if !s.has(at, SEASON) {
        return None;
    }
    let year = year_at(s, at + 1)?;
    date(at, at + 2, year.to_string())
}

fn date(first: usize, end: usize, date: String) -> Option<Found> {
    let value = ClaimValue { date: Some(date), ..ClaimValue::default() };
    Some(Found { first, end, kind: ClaimKind::Date, value: Some(value) })
}

/// Words before a number that make a year of it.
const LEADS: &Names = names![
    "in", "since", "by", "during", "until", "till", "before", "after", "from", "between", "year", "and", "to", "of",
    "around", "circa", "late", "early", "mid", "through", "for", "than", "the",
];
