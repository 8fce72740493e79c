//! Times of day: `12:30`, `3pm`, half past twelve, noon, 下午三点, 七点半.

use super::lexer::TokenKind;
use super::numerals;
use super::tokens::Tokens;
use crate::text::lists::word_list;

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Minutes after midnight.
    pub minutes: u16,
    /// Whether the half of the day is certain; else twelve hours later may be meant.
    pub sure: bool,
}

impl Clock {
    /// Whether a time of day is this one.
    pub fn is(&self, minutes: u16) -> bool {
        let apart = self.minutes.abs_diff(minutes) % DAY;
        apart == 0 || (!self.sure && apart == HALF)
    }
}

/// The time of day that begins at a token, and the token after it.
pub(crate) fn read(tokens: &Tokens<'_>, at: usize) -> Option<(Clock, usize)> {
    if let Some((half, next)) = tokens.any_phrase(at, DAY_PARTS_ZH) {
        return chinese(tokens, next, Some(half));
    }
    match tokens.word(at) {
        "noon" | "midday" => return Some((Clock { minutes: HALF, sure: true }, at + 1)),
        "midnight" => return Some((Clock { minutes: 0, sure: true }, at + 1)),
        "half" if tokens.word(at + 1) == "past" => return past(tokens, at + 2, 30),
        "half" if numerals::small(tokens.word(at + 1)).is_some_and(|hour| (1.0..=12.0).contains(&hour)) => {
            return past(tokens, at + 1, 30);
        }
        "a" if tokens.word(at + 1) == "quarter" && matches!(tokens.word(at + 2), "to" | "past") => {
            let minutes = if tokens.word(at + 2) == "to" { -15 } else { 15 };
            return past(tokens, at + 3, minutes);
        }
        "quarter" if matches!(tokens.word(at + 1), "past" | "after") => return past(tokens, at + 2, 15),
        "quarter" if matches!(tokens.word(at + 1), "to" | "before") => return past(tokens, at + 2, -15),
        _ => {}
    }
    written(tokens, at)
        .or_else(|| minutes_around(tokens, at))
        .or_else(|| spoken(tokens, at))
        .or_else(|| chinese(tokens, at, None))
}

/// `12:30`, `3:05 pm`, `14:00:00`, `14h30`.
fn written(tokens: &Tokens<'_>, at: usize) -> Option<(Clock, usize)> {
    let hour: u16 = whole(tokens, at).filter(|hour| *hour <= 24)?;
    if tokens.at(at + 1) != ":" && tokens.at(at + 1) != "：" || !tokens.touches_next(at) {
        return None;
    }
    let minute: u16 = whole(tokens, at + 2).filter(|minute| *minute < 60 && tokens.at(at + 2).len() == 2)?;
    let mut next = at + 3;
    if tokens.at(next) == ":" && whole(tokens, next + 1).is_some() {
        next += 2;
    }
    let (half, next) = half_behind(tokens, next);
    let led = tokens.at(at).starts_with('0');
    Some((clock(hour, minute, half, led || hour > 12), next))
}

/// `3pm`, `3 p.m.`, `eleven am`, `9 o'clock`, and an hour after "at" that nothing else claims.
fn spoken(tokens: &Tokens<'_>, at: usize) -> Option<(Clock, usize)> {
    let number = numerals::read(tokens, at).filter(|n| n.value.fract() == 0.0 && (0.0..=24.0).contains(&n.value))?;
    let hour = number.value as u16;
    // "Water those three tonight" counts what it speaks of.
    let pointed = at.checked_sub(1).is_some_and(|before| matches!(tokens.word(before), "those" | "these" | "all"));
    if pointed && !number.digits {
        return None;
    }
    let (half, next) = half_behind(tokens, number.next);
    // "Court 1 tonight at 11 pm" names a court.
    let timed = |at: usize| tokens.word(at) == "at" && numerals::read(tokens, at + 1).is_some();
    if next == number.next && half.is_some() && (next..next + 4).any(timed) {
        return None;
    }
    if half.is_some() {
        return Some((clock(hour, 0, half, true), next));
    }
    if tokens.word(number.next) == "o'clock" {
        return Some((clock(hour, 0, half_around(tokens, at), false), number.next + 1));
    }
    let led = |word: &str| at.checked_sub(1).is_some_and(|before| tokens.word(before) == word);
    // "seven thirty".
    let minute = numerals::small(tokens.word(number.next))
        .filter(|minute| matches!(*minute as u16, 10 | 15 | 20 | 30 | 40 | 45 | 50));
    if let Some(minute) = minute.filter(|_| !number.digits && (1..=12).contains(&hour)) {
        let (half, next) = half_behind(tokens, number.next + 1);
        return Some((clock(hour, minute as u16, half.or_else(|| half_around(tokens, at)), false), next));
    }
    if let Some(half) = between(tokens, at, &number).or_else(|| stretch(tokens, at, &number)) {
        return Some((clock(hour, 0, half, false), number.next)).filter(|_| (1..=12).contains(&hour));
    }
    let free = matches!(tokens.at(number.next), "" | "," | "." | ";" | "?" | "!" | ")")
        || matches!(
            tokens.word(number.next),
            "on" | "in"
                | "for"
                | "with"
                | "and"
                | "tomorrow"
                | "today"
                | "tonight"
                | "please"
                | "to"
                | "until"
                | "sharp"
                | "this"
                | "next"
                | "every"
        );
    (led("at") && free && hour >= 1 && tokens.get(at)?.kind != TokenKind::Han)
        .then(|| (clock(hour, 0, half_around(tokens, at), hour > 12), number.next))
}

/// `twenty past three`, and behind a word of time `ten to seven`; alone that is as often a range.
fn minutes_around(tokens: &Tokens<'_>, at: usize) -> Option<(Clock, usize)> {
    let number = numerals::read(tokens, at).filter(|n| matches!(n.value as i32, 5 | 10 | 20 | 25))?;
    let timed = || at.checked_sub(1).is_some_and(|before| BEFORE_A_TIME.contains(&tokens.word(before)));
    match tokens.word(number.next) {
        "past" => past(tokens, number.next + 1, number.value as i32),
        "to" if timed() => past(tokens, number.next + 1, -(number.value as i32)),
        _ => None,
    }
}

/// "Any time between 2 and 4", "between 4 and 6 pm": whether a number is an end of such a stretch, and its half of the day.
fn between(tokens: &Tokens<'_>, at: usize, number: &numerals::Numeral) -> Option<Option<Half>> {
    let opens = at.checked_sub(1).filter(|open| tokens.word(*open) == "between" && tokens.word(number.next) == "and");
    let (open, last) = match opens {
        Some(open) => (open, numerals::read(tokens, number.next + 1)?.next),
        None => {
            let and = at.checked_sub(1).filter(|and| tokens.word(*and) == "and")?;
            let open = and.checked_sub(2).filter(|open| tokens.word(*open) == "between")?;
            (open, number.next)
        }
    };
    let half = half_behind(tokens, last).0;
    let timed =
        open.checked_sub(1).is_some_and(|before| matches!(tokens.word(before), "time" | "anytime" | "sometime"));
    (half.is_some() || timed).then_some(half)
}

/// "From 10 to half past one", "tonight 10 to 4 tomorrow morning": whether a number is the beginning of a stretch of time that
/// ends with a time of day, or the end of one that begins with a number, and its half of the day.
fn stretch(tokens: &Tokens<'_>, at: usize, number: &numerals::Numeral) -> Option<Option<Half>> {
    let led = |at: usize| {
        let comma = at.checked_sub(1).is_some_and(|comma| tokens.at(comma) == ",");
        let led = at.checked_sub(if comma { 2 } else { 1 });
        led.is_some_and(|led| BEFORE_A_STRETCH.contains(&tokens.word(led)))
    };
    let joined = |at: usize| matches!(tokens.word(at), "to" | "till" | "until") || matches!(tokens.at(at), "-" | "–");
    let end = number.next + 1;
    if led(at) && joined(number.next) {
        let last = numerals::read(tokens, end)
            .and_then(|last| half_behind(tokens, last.next).0.or_else(|| coming(tokens, last.next)));
        let timed = last.is_some()
            || !tokens.is(end, TokenKind::Number) && read(tokens, end).is_some()
            || written(tokens, end).is_some();
        return timed.then(|| half_around(tokens, at).filter(|_| last.is_none() || tokens.word(at - 1) != "from"));
    }
    let begin = at.checked_sub(2).filter(|_| joined(at - 1))?;
    let timed = matches!(tokens.word(begin), "am" | "pm" | "noon" | "midnight" | "o'clock");
    let timed = timed || led(begin) && tokens.is(begin, TokenKind::Number);
    timed.then(|| coming(tokens, number.next)).flatten().map(Some)
}

/// "4 tomorrow morning".
fn coming(tokens: &Tokens<'_>, at: usize) -> Option<Half> {
    match (tokens.word(at), tokens.word(at + 1)) {
        ("tomorrow", "morning") => Some(Half::First),
        ("tomorrow", "afternoon" | "evening" | "night") => Some(Half::Second),
        _ => None,
    }
}

/// `half past twelve`, `quarter to six`.
fn past(tokens: &Tokens<'_>, at: usize, minutes: i32) -> Option<(Clock, usize)> {
    let number = numerals::read(tokens, at).filter(|n| (1.0..=24.0).contains(&n.value))?;
    let (half, next) = half_behind(tokens, number.next);
    let half = half.or_else(|| half_around(tokens, at));
    let base = clock(number.value as u16, 0, half, false);
    let shifted = (i32::from(base.minutes) + minutes).rem_euclid(i32::from(DAY));
    Some((Clock { minutes: u16::try_from(shifted).ok()?, sure: base.sure }, next))
}

/// 三点, 七点半, 8点20分, 十点一刻; the part of the day may stand before it.
fn chinese(tokens: &Tokens<'_>, at: usize, half: Option<Half>) -> Option<(Clock, usize)> {
    let number = numerals::read(tokens, at).filter(|n| n.value.fract() == 0.0 && (0.0..=24.0).contains(&n.value))?;
    if tokens.at(number.next) == ":" {
        let (found, next) = written(tokens, at)?;
        let hour = found.minutes / 60;
        return Some((clock(hour, found.minutes % 60, half, found.sure), next));
    }
    let point = ["点钟", "点", "时"].iter().find_map(|word| tokens.phrase(number.next, word))?;
    // 一点 is also "a little", 三点建议 three points.
    let rest = tokens.rest(number.next);
    let little = number.value == 1.0
        && half.is_none()
        && !["点钟", "点半", "点一刻", "点三刻"].iter().any(|word| rest.starts_with(word));
    if little || (tokens.rest(number.next).starts_with('时') && half.is_none()) {
        return None;
    }
    let (minute, next) = match () {
        () if tokens.at(point) == "半" => (30, point + 1),
        () if tokens.rest(point).starts_with("一刻") => (15, point + 2),
        () if tokens.rest(point).starts_with("三刻") => (45, point + 2),
        () if tokens.at(point) == "整" => (0, point + 1),
        () => match numerals::read(tokens, point).filter(|n| n.value < 60.0 && n.value.fract() == 0.0) {
            Some(minute) if tokens.at(minute.next) == "分" && !tokens.rest(minute.next).starts_with("分钟") => {
                (minute.value as u16, minute.next + 1)
            }
            Some(minute) if minute.value >= 10.0 && !NOT_MINUTES.contains(&tokens.at(minute.next)) => {
                (minute.value as u16, minute.next)
            }
            _ => (0, point),
        },
    };
    Some((clock(number.value as u16, minute, half, number.value > 12.0), next))
}

fn clock(hour: u16, minute: u16, half: Option<Half>, sure: bool) -> Clock {
    let hour = match half {
        Some(Half::Second) if hour < 12 => hour + 12,
        Some(Half::First) if hour == 12 => 0,
        _ => hour % 24,
    };
    Clock { minutes: hour * 60 + minute, sure: sure || half.is_some() || hour > 12 || hour == 0 }
}

fn whole(tokens: &Tokens<'_>, at: usize) -> Option<u16> {
    tokens.is(at, TokenKind::Number).then(|| tokens.at(at).parse().ok())?
}

/// The half of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// `am`, `pm`, `p.m.` behind an hour.
fn half_behind(tokens: &Tokens<'_>, at: usize) -> (Option<Half>, usize) {
    match tokens.word(at) {
        "am" => (Some(Half::First), at + 1),
        "pm" => (Some(Half::Second), at + 1),
        "a" if tokens.words_are(at + 1, &[".", "m"]) => (Some(Half::First), at + 3),
        "p" if tokens.words_are(at + 1, &[".", "m"]) => (Some(Half::Second), at + 3),
        _ => (half_phrase(tokens, at), at),
    }
}

/// `7 in the evening`, `8 tonight`.
fn half_phrase(tokens: &Tokens<'_>, at: usize) -> Option<Half> {
    let named = |at: usize| match tokens.word(at) {
        "morning" => Some(Half::First),
        "afternoon" | "evening" | "night" | "tonight" => Some(Half::Second),
        _ => None,
    };
    match tokens.word(at) {
        "in" if tokens.word(at + 1) == "the" => named(at + 2),
        "at" if tokens.word(at + 1) == "night" => Some(Half::Second),
        "tonight" => Some(Half::Second),
        _ => None,
    }
}

/// A part of the day shortly before or behind an hour: "tomorrow morning at 9", "Thursday evening between 6 and 8".
fn half_around(tokens: &Tokens<'_>, at: usize) -> Option<Half> {
    let named = |word: &str| match word {
        "morning" | "breakfast" => Some(Half::First),
        "afternoon" | "evening" | "tonight" | "dinner" => Some(Half::Second),
        _ => None,
    };
    (at.saturating_sub(4)..at + 5).find_map(|near| named(tokens.word(near)))
}

/// What a number counts that follows an hour and is no minute.
const NOT_MINUTES: &[&str] = word_list!("text", "mentions/clock/not-minutes");
/// Words that a time of day follows.
const BEFORE_A_TIME: &[&str] = &["it's", "is", "was", "at", "by", "around", "about", "before", "until", "till"];
/// Words that a stretch of time follows.
const BEFORE_A_STRETCH: &[&str] = word_list!("text", "mentions/clock/before-a-stretch");
const DAY: u16 = 24 * 60;
const HALF: u16 = 12 * 60;
const DAY_PARTS_ZH: &[(&str, Half)] = &[
    ("下午", Half::Second),
    ("晚上", Half::Second),
    ("傍晚", Half::Second),
    ("中午", Half::Second),
    ("今晚", Half::Second),
    ("明晚", Half::Second),
    ("晚", Half::Second),
    ("上午", Half::First),
    ("早上", Half::First),
    ("清晨", Half::First),
    ("早晨", Half::First),
    ("凌晨", Half::First),
    ("明早", Half::First),
    ("今早", Half::First),
    ("早", Half::First),
];

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-1
    #[test]
    fn times_of_day_are_read() {
        for (text, minutes) in [
            ("12:30", 750),
            ("3pm", 900),
            ("3 p.m.", 900),
            ("half past twelve", 750),
            ("quarter to six pm", 1065),
            ("noon", 720),
            ("twenty past three pm", 920),
            ("下午三点", 900),
            ("晚上七点半", 1170),
            ("早上7:15", 435),
            ("十点", 600),
            ("上午十点一刻", 615),
            ("8点20分", 500),
        ] {
            assert_eq!(read(&Tokens::of(text), 0).map(|found| found.0.minutes), Some(minutes), "{text}");
        }
        for text in ["16:9", "一点建议", "10 chairs", "3 apples"] {
            assert!(read(&Tokens::of(text), 0).is_none(), "{text}");
        }
        assert_eq!(read(&Tokens::of("at ten to seven pm"), 1).map(|found| found.0.minutes), Some(1130));
        assert!(read(&Tokens::of("from ten to seven people"), 1).is_none());
        assert_eq!(read(&Tokens::of("from 10 to half past one"), 1).map(|found| found.0.minutes), Some(600));
        assert_eq!(read(&Tokens::of("tonight 10 to 4 tomorrow morning"), 1).map(|found| found.0.minutes), Some(1320));
        assert_eq!(read(&Tokens::of("tonight 10 to 4 tomorrow morning"), 3).map(|found| found.0.minutes), Some(240));
        assert!(read(&Tokens::of("move it from 10 to 12 chairs"), 3).is_none());
        assert_eq!(read(&Tokens::of("at 10."), 1).map(|found| found.0), Some(Clock { minutes: 600, sure: false }));
        assert!(Clock { minutes: 600, sure: false }.is(1320) && !Clock { minutes: 600, sure: true }.is(1320));
    }
}
