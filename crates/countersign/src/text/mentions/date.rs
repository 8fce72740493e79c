//! Dates as people say them, found in a text: in full, in part, by weekday, or in relation to today.

pub(crate) use super::calendar::plus;
pub use super::calendar::{DateWords, Days, Period, Week};
use super::lexer::TokenKind;
use super::numerals;
use super::tokens::Tokens;
use crate::text::lists::word_list;
use crate::text::numbers::dates::MONTHS;
use crate::text::phrases::stands_free;
use std::sync::LazyLock;

/// The date that begins at a token, and the token after it.
pub(crate) fn read(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    match tokens.get(at)?.kind {
        TokenKind::Number => numeric(tokens, at).or_else(|| chinese_written(tokens, at)),
        TokenKind::Word => english(tokens, at),
        TokenKind::Han => chinese(tokens, at).or_else(|| chinese_written(tokens, at)),
        _ => None,
    }
}

/// `2026-11-16`, `16.11.2026`, `11/16/2026`, `5 December 2026`, `5th of December`, `20th`.
fn numeric(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    let part = |at: usize| tokens.is(at, TokenKind::Number).then(|| tokens.at(at).parse::<i16>().ok()).flatten();
    let first = part(at)?;
    let sign = tokens.at(at + 1);
    if matches!(sign, "-" | "/" | ".") && tokens.touches_next(at) && tokens.at(at + 3) == sign {
        let (second, third) = (part(at + 2)?, part(at + 4)?);
        if tokens.at(at).len() == 4 {
            return Some((written_words(Some(first), second, Some(third))?, at + 5));
        }
        let (day, month) = (i8::try_from(first).ok()?, i8::try_from(second).ok()?);
        let words = match sign {
            "." => written_words(Some(third), second, Some(first))?,
            _ if day > 12 => written_words(Some(third), second, Some(first))?,
            _ if month > 12 => written_words(Some(third), first, Some(second))?,
            _ => DateWords::Either(third, day, month),
        };
        return Some((words, at + 5));
    }
    if !(1..=31).contains(&first) {
        return None;
    }
    let ordinal = matches!(tokens.word(at + 1), "st" | "nd" | "rd" | "th") && tokens.touches_next(at);
    let mut next = if ordinal { at + 2 } else { at + 1 };
    next += usize::from(tokens.word(next) == "of");
    if let Some(month) = month(tokens.word(next)) {
        let (year, next) = year_behind(tokens, next + 1);
        return Some((written_words(year, month, Some(first))?, next));
    }
    // "20 to 23 January": the first day is in the month of the second.
    if matches!(tokens.at(next), "to" | "-" | "–" | "until" | "till" | "through") {
        let second = next + 1 + usize::from(tokens.word(next + 1) == "the");
        let day = part(second).filter(|day| (first..=31).contains(day));
        let ordinal = matches!(tokens.word(second + 1), "st" | "nd" | "rd" | "th");
        let named = second + 1 + usize::from(ordinal);
        let named = named + usize::from(tokens.word(named) == "of");
        if let (Some(_), Some(month)) = (day, month(tokens.word(named))) {
            let (year, _) = year_behind(tokens, named + 1);
            return Some((written_words(year, month, Some(first))?, next));
        }
    }
    let led = at
        .checked_sub(1)
        .is_some_and(|before| matches!(tokens.word(before), "the" | "on" | "to" | "until" | "till" | "from" | "by"));
    let dated = at.checked_sub(2).is_some_and(|at| {
        matches!(tokens.word(at), "on" | "by" | "until" | "till" | "from" | "since" | "before" | "after")
    });
    let free = dated || !tokens.is(next, TokenKind::Word) || FREE.contains(&tokens.word(next));
    (ordinal && led && free && tokens.word(next.wrapping_sub(1)) != "of")
        .then_some((DateWords::DayOfMonth(i8::try_from(first).ok()?), next))
}

/// "The first of March", "the twenty-third of May 2027".
fn worded(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    let place = |at: usize| ORDINALS.iter().position(|word| *word == tokens.word(at)).map(|place| place as i16 + 1);
    let tens = match tokens.word(at) {
        "twenty" => 20,
        "thirty" => 30,
        _ => 0,
    };
    let (day, of) = match tens {
        0 => (place(at)?, at + 1),
        tens => {
            let unit = at + 1 + usize::from(tokens.at(at + 1) == "-");
            (tens + place(unit).filter(|unit| *unit < 10)?, unit + 1)
        }
    };
    let month = month(tokens.word(of + 1)).filter(|_| tokens.word(of) == "of" && day <= 31)?;
    let (year, next) = year_behind(tokens, of + 2);
    Some((written_words(year, month, Some(day))?, next))
}

fn written_words(year: Option<i16>, month: i16, day: Option<i16>) -> Option<DateWords> {
    let month = i8::try_from(month).ok().filter(|month| (1..=12).contains(month))?;
    let day = match day {
        Some(day) => Some(i8::try_from(day).ok().filter(|day| (1..=31).contains(day))?),
        None => None,
    };
    Some(DateWords::Written { year: year.filter(|year| (1000..3000).contains(year)), month, day })
}

/// A day of the year that has a name, and the token after it. The name alone may mean the days around it.
fn holiday(tokens: &Tokens<'_>, at: usize) -> Option<((i8, i8), usize)> {
    let rest = tokens.rest(at);
    let named = HOLIDAYS.iter().filter_map(|(name, day)| {
        let range = 0..name.len();
        (rest.starts_with(name) && stands_free(rest, &range)).then_some((name.len(), *day))
    });
    named.max_by_key(|(length, _)| *length).map(|(length, day)| (day, tokens.after(at, length)))
}

/// "Boxing Day", "the day before New Year's Eve"; Christmas without more is a season.
fn named_day(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    let ((month, day), behind) = holiday(tokens, at)?;
    let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens.word(at));
    let by = match (before(2), before(1)) {
        ("day", "before") => -1,
        ("day", "after") => 1,
        _ if tokens.word(at).starts_with("christmas") && behind == at + 1 => return None,
        _ => 0,
    };
    Some((DateWords::Beside(month, day, by), behind))
}

/// 五一前一天, 国庆当天.
fn beside_holiday(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    let ((month, day), next) = holiday(tokens, at)?;
    let sides = [("前一天", -1), ("前两天", -2), ("前天", -1), ("后一天", 1), ("第二天", 1), ("当天", 0), ("那天", 0)];
    let (by, next) = tokens.any_phrase(next, &sides)?;
    Some((DateWords::Beside(month, day, by), next))
}

fn english(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    let word = tokens.word(at);
    let next = at + 1;
    let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens.word(at));
    let simple = match word {
        "today" | "tonight" => Some(DateWords::Days(0)),
        "tomorrow" | "tmrw" | "tomorow" => Some(DateWords::Days(1)),
        "yesterday" => Some(DateWords::Days(-1)),
        _ => None,
    };
    if let Some(words) = simple {
        return Some((words, next));
    }
    if word == "day" && tokens.words_are(next, &["after", "tomorrow"]) {
        return Some((DateWords::Days(2), at + 3));
    }
    if word == "day" && tokens.words_are(next, &["before", "yesterday"]) {
        return Some((DateWords::Days(-2), at + 3));
    }
    if let Some(found) = named_day(tokens, at) {
        return Some(found);
    }
    if let Some(found) = nth_weekday(tokens, at).or_else(|| workday(tokens, at)).or_else(|| worded(tokens, at)) {
        return Some(found);
    }
    // "the first weekend of December" is counted by nobody here.
    if matches!(before(1), "first" | "second" | "third" | "fourth") {
        return None;
    }
    if let Some(found) = relative(tokens, at) {
        return Some(found);
    }
    // "Friday's concert" names a concert; "Monday's." is that day.
    let owns = word.ends_with("'s") && tokens.is(next, TokenKind::Word);
    if let Some(weekday) = weekday(word, before(1)).filter(|_| !owns) {
        let (week, next) = match week_behind(tokens, next) {
            Some(found) => found,
            None => (week_before(tokens, at).unwrap_or_else(|| week(before(1))), next),
        };
        return Some((DateWords::Weekday(weekday, week), next));
    }
    if word == "weekend" {
        return Some((DateWords::Weekend(week(before(1))), next));
    }
    if let Some(month) = month(word) {
        return named_month(tokens, at, month);
    }
    let by = match before(1) {
        "this" | "current" => 0,
        "next" => 1,
        "last" | "previous" => -1,
        "the" if before(2) == "of" => 0,
        _ => return None,
    };
    let period = period(word)?;
    let ends = matches!((before(2), before(3)), ("of", "end")) || (before(2) == "of" && before(3) == "end");
    Some((if ends { DateWords::EndOf(period, by) } else { DateWords::Whole(period, by) }, next))
}

/// "The second Tuesday of May", "the last Friday of the month".
fn nth_weekday(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    let (led, next) = (tokens.word(at.checked_sub(1)?), at + 1);
    let nth = NTH.iter().find(|(name, _)| *name == led).map(|(_, nth)| *nth)?;
    let (weekday, "of" | "in") = (weekday(tokens.word(at), "on")?, tokens.word(next)) else { return None };
    let this = tokens.words_are(next + 1, &["the", "month"]) || tokens.words_are(next + 1, &["this", "month"]);
    if this || tokens.words_are(next + 1, &["next", "month"]) {
        return Some((DateWords::NthOfMonth(nth, weekday, i32::from(!this)), next + 3));
    }
    let month = i8::try_from(month(tokens.word(next + 1))?).ok()?;
    Some((DateWords::NthWeekday(nth, weekday, month), next + 2))
}

/// "The last working day of this month", "the first business day in March".
fn workday(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    let nth = match tokens.word(at.checked_sub(1)?) {
        "first" => 1,
        "last" => -1,
        _ => return None,
    };
    let next = match (tokens.word(at), tokens.word(at + 1)) {
        ("working" | "business", "day") => at + 2,
        ("workday" | "weekday", _) => at + 1,
        _ => return None,
    };
    let of = next + usize::from(matches!(tokens.word(next), "of" | "in"));
    match (tokens.word(of), tokens.word(of + 1)) {
        ("this" | "the", "month") => Some((DateWords::Workday(nth, 0, 0), of + 2)),
        ("next", "month") => Some((DateWords::Workday(nth, 0, 1), of + 2)),
        (name, _) => {
            let month = i8::try_from(month(name).filter(|_| of > next)?).ok()?;
            Some((DateWords::Workday(nth, month, 0), of + 1))
        }
    }
}

/// 本月最后一个工作日, 下个月的第一个工作日: the token after it, where the name of the month ends at one.
fn chinese_workday(tokens: &Tokens<'_>, at: usize) -> Option<(i8, usize)> {
    let from = at + usize::from(tokens.at(at) == "的");
    let which =
        [("最后一个工作日", -1), ("最后一个上班日", -1), ("第一个工作日", 1), ("首个工作日", 1), ("第一个上班日", 1)];
    tokens.any_phrase(from, &which)
}

/// `in three days`, `two weeks from now`, `a week from today`, `5 days later`.
fn relative(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    let led = tokens.word(at) == "in";
    let from = if led { at + 1 } else { at };
    let (count, unit) = match numerals::read(tokens, from) {
        Some(number) => (number.value, number.next),
        None if matches!(tokens.word(from), "a" | "an") => (1.0, from + 1),
        None => return None,
    };
    let words = match tokens.word(unit) {
        "day" | "days" => DateWords::Days(count as i32),
        "week" | "weeks" => DateWords::Days((count * 7.0) as i32),
        "fortnight" => DateWords::Days(14),
        "month" | "months" => DateWords::Months(count as i32),
        _ => return None,
    };
    let behind = unit + 1;
    match (tokens.word(behind), tokens.word(behind + 1)) {
        ("from", "now" | "today") => Some((words, behind + 2)),
        ("from", "tomorrow") => match words {
            DateWords::Days(days) => Some((DateWords::Days(days + 1), behind + 2)),
            _ => None,
        },
        ("from" | "after" | "on", name) => {
            let weeks = matches!(words, DateWords::Days(days) if days % 7 == 0).then_some(count as i8);
            Some((DateWords::WeeksAfter(weekday(name, "on")?, weeks?), behind + 2))
        }
        ("later" | "hence" | "earlier" | "sooner" | "more" | "longer" | "less", _) => None,
        ("ago", _) => Some((backwards(words), behind + 1)),
        _ if led && count.fract() == 0.0 => Some((words, behind)),
        _ => None,
    }
}

fn backwards(words: DateWords) -> DateWords {
    match words {
        DateWords::Days(days) => DateWords::Days(-days),
        DateWords::Months(months) => DateWords::Months(-months),
        other => other,
    }
}

/// `December 5th, 2026`, `Dec 5`, `December 2026`, `first two weeks of December`, `end of February`.
fn named_month(tokens: &Tokens<'_>, at: usize, month: i16) -> Option<(DateWords, usize)> {
    let word = tokens.word(at);
    let from = at + 1 + usize::from(tokens.at(at + 1) == "." && word.len() <= 4);
    let before = |back: usize| at.checked_sub(back).map_or("", |at| tokens.word(at));
    if before(1) == "of" && matches!(before(2), "weeks" | "week") && before(4) == "first" {
        let weeks =
            numerals::small(before(3)).or_else(|| at.checked_sub(3).and_then(|at| tokens.at(at).parse().ok()))?;
        return Some((DateWords::FirstWeeks(weeks as i8, i8::try_from(month).ok()?), from));
    }
    let day = tokens.is(from, TokenKind::Number).then(|| tokens.at(from).parse::<i16>().ok()).flatten();
    // "Dec 5.39" is a measure.
    let fraction = tokens.at(from + 1) == "."
        && tokens.touches_next(from)
        && tokens.touches_next(from + 1)
        && tokens.is(from + 2, TokenKind::Number)
        && tokens.at(from + 2).len() != 4;
    if let Some(day) = day.filter(|day| (1..=31).contains(day) && tokens.at(from + 1) != ":" && !fraction) {
        let ordinal = matches!(tokens.word(from + 1), "st" | "nd" | "rd" | "th");
        let (year, next) = year_behind(tokens, from + 1 + usize::from(ordinal));
        return Some((written_words(year, month, Some(day))?, next));
    }
    let (year, next) = year_behind(tokens, from);
    let verb = matches!(word, "may" | "march" | "mar" | "sun" | "sep" | "dec" | "jan" | "oct") && year.is_none();
    (!verb).then_some((written_words(year, month, None)?, next))
}

fn year_behind(tokens: &Tokens<'_>, at: usize) -> (Option<i16>, usize) {
    let from = at + usize::from(matches!(tokens.at(at), "," | "of"));
    let year = tokens.is(from, TokenKind::Number).then(|| tokens.at(from).parse::<i16>().ok()).flatten();
    match year.filter(|year| (1900..2200).contains(year)) {
        Some(year) => (Some(year), from + 1),
        None => (None, at),
    }
}

/// 2026年11月16日, 11月16号, 二十号.
fn chinese_written(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    let first = numerals::read(tokens, at).filter(|n| n.value.fract() == 0.0 && n.value >= 1.0 && n.value < 3000.0)?;
    let value = first.value as i16;
    match tokens.at(first.next) {
        "年" if value >= 1900 => {
            let month = numerals::read(tokens, first.next + 1).filter(|n| tokens.at(n.next) == "月")?;
            let (day, next) = chinese_day(tokens, month.next + 1);
            Some((written_words(Some(value), month.value as i16, day)?, next))
        }
        "月" if value <= 12 => {
            if let Some((nth, next)) = chinese_workday(tokens, first.next + 1) {
                return Some((DateWords::Workday(nth, i8::try_from(value).ok()?, 0), next));
            }
            let (day, next) = chinese_day(tokens, first.next + 1);
            let bare = day.is_none() && !matches!(tokens.at(first.next + 1), "份" | "底" | "初" | "中");
            let words = written_words(None, value, day)?;
            (!bare).then_some((words, next))
        }
        "号" | "日"
            if value <= 31
                && !matches!(
                    tokens.at(first.next + 1),
                    "楼" | "房"
                        | "门"
                        | "院"
                        | "会"
                        | "线"
                        | "柜"
                        | "机"
                        | "桌"
                        | "厅"
                        | "仓"
                        | "车"
                        | "馆"
                        | "窗"
                        | "库"
                        | "店"
                        | "床"
                        | "位"
                        | "内"
                ) =>
        {
            let led = tokens
                .before(at)
                .chars()
                .next_back()
                .is_some_and(|c| c.is_alphanumeric() && !"到至从在是于月成这本每改约，、和".contains(c));
            (!led).then_some((DateWords::DayOfMonth(i8::try_from(value).ok()?), first.next + 1))
        }
        _ => None,
    }
}

fn chinese_day(tokens: &Tokens<'_>, at: usize) -> (Option<i16>, usize) {
    match numerals::read(tokens, at) {
        Some(day) if matches!(tokens.at(day.next), "日" | "号") && day.value <= 31.0 => {
            (Some(day.value as i16), day.next + 1)
        }
        Some(day) if day.digits && day.value <= 31.0 && day.value.fract() == 0.0 => (Some(day.value as i16), day.next),
        _ => (None, at),
    }
}

fn chinese(tokens: &Tokens<'_>, at: usize) -> Option<(DateWords, usize)> {
    if let Some(found) = beside_holiday(tokens, at) {
        return Some(found);
    }
    if let Some(found) = tokens.any_phrase(at, DAYS_ZH) {
        // 明早 and 今晚 are the beginning of a time as well.
        return Some(found);
    }
    if let Some((week, next)) = tokens.any_phrase(at, WEEKS_ZH) {
        return match WEEKDAYS_ZH.iter().position(|sign| *sign == tokens.at(next)) {
            Some(day) => Some((DateWords::Weekday(i8::try_from(day.min(6)).ok()?, week), next + 1)),
            None if tokens.at(next) == "末" => Some((DateWords::Weekend(week), next + 1)),
            None => {
                let by = [(Week::This, 0), (Week::Next, 1), (Week::Last, -1)].iter().find(|(of, _)| *of == week)?.1;
                Some((DateWords::Whole(Period::Week, by), next))
            }
        };
    }
    if let Some((by, next)) = tokens.any_phrase(at, MONTHS_ZH)
        && let Some((nth, next)) = chinese_workday(tokens, next)
    {
        return Some((DateWords::Workday(nth, 0, by), next));
    }
    if let Some(found) = tokens.any_phrase(at, PERIODS_ZH) {
        return Some(found);
    }
    let passed =
        tokens.at(at) == "过" && !tokens.before(at).ends_with(['超', '不', '经', '通', '度', '路', '没', '来']);
    let from = if passed { at + 1 + usize::from(tokens.at(at + 1) == "再") } else { at };
    let count = numerals::read(tokens, from).filter(|n| n.value.fract() == 0.0 && n.value >= 1.0)?;
    let (unit, next) = tokens.any_phrase(count.next, &[("天", 1), ("周", 7), ("个星期", 7), ("个月", 0)])?;
    // 过两天 is some day soon.
    if passed && !(unit == 1 && count.value == 2.0) && tokens.at(next) != "后" {
        let number = count.value as i32;
        return Some((if unit == 0 { DateWords::Months(number) } else { DateWords::Days(number * unit) }, next));
    }
    if passed {
        return None;
    }
    let (sign, behind) = tokens.any_phrase(next, &[("之后", 1), ("以后", 1), ("后", 1), ("前", -1), ("之前", -1)])?;
    let number = count.value as i32 * sign;
    Some((if unit == 0 { DateWords::Months(number) } else { DateWords::Days(number * unit) }, behind))
}

/// "Thursday next week", "Friday of this week": the week that is named behind a weekday, and the token after it.
fn week_behind(tokens: &Tokens<'_>, at: usize) -> Option<(Week, usize)> {
    // "Thursday and Friday next week": the first may be the coming one.
    let joined = matches!(tokens.word(at), "and" | "or") && weekday(tokens.word(at + 1), "on").is_some();
    if joined && matches!(week_behind(tokens, at + 2), Some((Week::Next, _))) {
        return Some((Week::Coming, at));
    }
    let at = at + usize::from(tokens.word(at) == "of");
    let week = certain_week(tokens.word(at)).filter(|_| tokens.word(at + 1) == "week")?;
    Some((week, at + 2))
}

/// "Next week's Thursday and Friday": the week that is named before a weekday, or before the one that it is joined to.
fn week_before(tokens: &Tokens<'_>, at: usize) -> Option<Week> {
    let back = |by: usize| at.checked_sub(by).map_or("", |at| tokens.word(at));
    if matches!(back(1), "week's" | "week’s" | "weeks") {
        return certain_week(back(2));
    }
    let joined = matches!(back(1), "and" | "or" | "to" | "until" | "till" | "through");
    let other = at.checked_sub(2).filter(|other| joined && weekday(tokens.word(*other), "on").is_some())?;
    week_before(tokens, other)
}

fn certain_week(word: &str) -> Option<Week> {
    match word {
        "this" => Some(Week::This),
        "next" => Some(Week::Next),
        "last" => Some(Week::Last),
        _ => None,
    }
}

fn week(before: &str) -> Week {
    match before {
        "this" => Week::This,
        "next" => Week::Coming,
        "last" | "past" => Week::Last,
        _ => Week::Unsaid,
    }
}

fn weekday(word: &str, before: &str) -> Option<i8> {
    // "Monday's": the issue of that day.
    let word =
        word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).filter(|word| word.len() >= 6).unwrap_or(word);
    let at = WEEKDAYS.iter().position(|names| names.split(' ').any(|name| name == word))?;
    let short = matches!(word, "sat" | "sun" | "mon" | "wed")
        && !matches!(before, "on" | "this" | "next" | "last" | "until" | "till" | "to" | "by" | "for" | "from");
    (!short).then(|| i8::try_from(at).ok())?
}

fn month(word: &str) -> Option<i16> {
    let at = MONTHS.iter().position(|name| {
        *name == word || (word.len() == 3 && name.starts_with(word)) || (word == "sept" && *name == "september")
    })?;
    i16::try_from(at + 1).ok()
}

fn period(word: &str) -> Option<Period> {
    match word {
        "week" => Some(Period::Week),
        "month" => Some(Period::Month),
        "quarter" => Some(Period::Quarter),
        "year" => Some(Period::Year),
        _ => None,
    }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&HOLIDAYS);
}

static HOLIDAYS: LazyLock<Vec<(&'static str, (i8, i8))>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let mut cells = line.split('\t');
        let day: (i8, i8) = (cells.next()?.parse().ok()?, cells.next()?.parse().ok()?);
        let names = cells.flat_map(|cell| cell.split('|')).filter(|name| !name.is_empty());
        Some(names.map(move |name| (name, day)).collect::<Vec<_>>())
    };
    include_str!("../data/holidays.tsv").lines().skip(1).filter_map(read).flatten().collect()
});
const NTH: &[(&str, i8)] = &[("first", 1), ("second", 2), ("third", 3), ("fourth", 4), ("last", -1)];
/// Words that may follow a day of the month that stands alone.
const FREE: &[&str] = word_list!("text", "mentions/date/free");
const WEEKDAYS: &[&str] = &[
    "monday mon mondays",
    "tuesday tue tues",
    "wednesday wed weds",
    "thursday thu thur thurs",
    "friday fri fridays",
    "saturday sat",
    "sunday sun",
];
const WEEKDAYS_ZH: &[&str] = &["一", "二", "三", "四", "五", "六", "日", "天"];
const DAYS_ZH: &[(&str, DateWords)] = &[
    ("大后天", DateWords::Days(3)),
    ("后天", DateWords::Days(2)),
    ("明天", DateWords::Days(1)),
    ("明日", DateWords::Days(1)),
    ("明早", DateWords::Days(1)),
    ("明晚", DateWords::Days(1)),
    ("今天", DateWords::Days(0)),
    ("今日", DateWords::Days(0)),
    ("今晚", DateWords::Days(0)),
    ("今早", DateWords::Days(0)),
    ("大前天", DateWords::Days(-3)),
    ("前天", DateWords::Days(-2)),
    ("昨天", DateWords::Days(-1)),
    ("昨晚", DateWords::Days(-1)),
];
const WEEKS_ZH: &[(&str, Week)] = &[
    ("下下个星期", Week::AfterNext),
    ("下下周", Week::AfterNext),
    ("下个星期", Week::Next),
    ("下个礼拜", Week::Next),
    ("下星期", Week::Next),
    ("下礼拜", Week::Next),
    ("下周", Week::Next),
    ("这个星期", Week::This),
    ("这个礼拜", Week::This),
    ("这星期", Week::This),
    ("这礼拜", Week::This),
    ("这周", Week::This),
    ("本星期", Week::This),
    ("本周", Week::This),
    ("上个星期", Week::Last),
    ("上星期", Week::Last),
    ("上周", Week::Last),
    ("星期", Week::Unsaid),
    ("礼拜", Week::Unsaid),
    ("周", Week::Unsaid),
];
const MONTHS_ZH: &[(&str, i32)] = &[("下个月", 1), ("下月", 1), ("这个月", 0), ("本月", 0), ("当月", 0)];
const PERIODS_ZH: &[(&str, DateWords)] = &[
    ("下个月底", DateWords::EndOf(Period::Month, 1)),
    ("下月底", DateWords::EndOf(Period::Month, 1)),
    ("本月底", DateWords::EndOf(Period::Month, 0)),
    ("这个月底", DateWords::EndOf(Period::Month, 0)),
    ("月底", DateWords::EndOf(Period::Month, 0)),
    ("年底", DateWords::EndOf(Period::Year, 0)),
    ("季度末", DateWords::EndOf(Period::Quarter, 0)),
    ("下个月", DateWords::Whole(Period::Month, 1)),
    ("这个月", DateWords::Whole(Period::Month, 0)),
    ("本月", DateWords::Whole(Period::Month, 0)),
    ("上个月", DateWords::Whole(Period::Month, -1)),
    ("上月", DateWords::Whole(Period::Month, -1)),
    ("下个季度", DateWords::Whole(Period::Quarter, 1)),
    ("本季度", DateWords::Whole(Period::Quarter, 0)),
    ("上个季度", DateWords::Whole(Period::Quarter, -1)),
    ("今年", DateWords::Whole(Period::Year, 0)),
    ("明年", DateWords::Whole(Period::Year, 1)),
    ("去年", DateWords::Whole(Period::Year, -1)),
];

/// Days of the month in words, up to the thirtieth.
const ORDINALS: &[&str] = &[
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
];

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::Date;

    fn days(text: &str, at: usize) -> Vec<String> {
        // A Monday.
        let today = Date::new(2026, 11, 16).unwrap();
        let (words, _) = read(&Tokens::of(text), at).unwrap();
        let show =
            |days: &Days| if days.is_one() { days.first.to_string() } else { format!("{}..{}", days.first, days.last) };
        words.resolve(Some(today)).iter().map(show).collect()
    }

    // MEANING-1
    #[test]
    fn dates_are_read_as_people_say_them() {
        for (text, at, first) in [
            ("5 december 2026", 0, "2026-12-05"),
            ("december 5th, 2026", 0, "2026-12-05"),
            ("2026-11-17", 0, "2026-11-17"),
            ("3rd of december", 0, "2026-12-03"),
            ("tomorrow", 0, "2026-11-17"),
            ("day after tomorrow", 0, "2026-11-18"),
            ("on thursday", 1, "2026-11-19"),
            ("on monday", 1, "2026-11-23"),
            ("this weekend", 1, "2026-11-21..2026-11-22"),
            ("in two weeks", 0, "2026-11-30"),
            ("a week from today", 0, "2026-11-23"),
            ("a week from friday", 0, "2026-11-27"),
            ("the day after boxing day", 3, "2026-12-27"),
            ("new year's eve", 0, "2026-12-31"),
            ("元旦前一天", 0, "2025-12-31"),
            ("the 20th to", 1, "2026-11-20"),
            ("20 to 23 january 2027", 0, "2027-01-20"),
            ("3rd - 5th of december", 0, "2026-12-03"),
            ("end of the quarter", 3, "2026-12-31"),
            ("first two weeks of december", 4, "2026-12-01..2026-12-14"),
            ("2026年11月16日", 0, "2026-11-16"),
            ("12月3号", 0, "2026-12-03"),
            ("后天", 0, "2026-11-18"),
            ("下周三", 0, "2026-11-25"),
            ("这周五", 0, "2026-11-20"),
            ("周六", 0, "2026-11-21"),
            ("下周末", 0, "2026-11-28..2026-11-29"),
            ("月底", 0, "2026-11-30"),
            ("三天后", 0, "2026-11-19"),
            ("过两周", 0, "2026-11-30"),
            ("thursday next week", 0, "2026-11-26"),
            ("next week's thursday", 2, "2026-11-26"),
            ("next week's thursday and friday", 4, "2026-11-27"),
            ("上个月", 0, "2026-10-01..2026-10-31"),
            ("the last working day of this month", 2, "2026-11-30"),
            ("the first business day next month", 2, "2026-12-01"),
            ("last weekday in january", 1, "2026-01-30"),
            ("本月最后一个工作日", 0, "2026-11-30"),
            ("2月的最后一个工作日", 0, "2026-02-27"),
        ] {
            assert_eq!(days(text, at).first().map(String::as_str), Some(first), "{text}: {:?}", days(text, at));
        }
        assert_eq!(days("next friday", 1), ["2026-11-27", "2026-11-20"]);
        assert_eq!(days("03/12/2026", 0), ["2026-03-12", "2026-12-03"]);
    }

    #[test]
    fn other_words_are_no_dates() {
        for (text, at) in [
            ("you may go", 1),
            ("3号会议室", 0),
            ("2nd floor", 0),
            ("second", 0),
            ("the sun", 1),
            ("周师傅", 0),
            ("过两天", 0),
        ] {
            assert!(read(&Tokens::of(text), at).is_none(), "{text}");
        }
    }
}
