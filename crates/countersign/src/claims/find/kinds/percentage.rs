//! Shares: 12.5%, 9.3 per cent, 25 basis points, one in six, two-thirds, 百分之十二, 三成五, 三分之一, 每五户中有一户.

use crate::claims::find::found::{Found, measured};
use crate::claims::find::lexicon::{
    ABOUT, COMPARATIVE, FRACTION, HALF, MEASURE, NUMERAL, ORDINAL, OVER, PER, PERCENT, SCALE, TENTHS, UNIT,
};
use crate::claims::find::names::{name, names};
use crate::claims::find::numbers::{self, Number, Style};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::Shape;
use crate::contract::{ClaimKind, ClaimValue};

/// The share that the number is part of.
pub(crate) fn read(s: &Sentence, number: &Number) -> Option<Found> {
    find_signed(s, number)
        .or_else(|| fraction(s, number))
        .or_else(|| one_in(s, number))
        .or_else(|| find_slashed(s, number))
        .or_else(|| parts(s, number))
}

/// A share that begins with a word: half, a third, 百分之, 一半, 每五户.
pub(crate) fn read_word(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    if token.has(PER) {
        let number = numbers::read(s, at + 1)?;
        // 百分之百支持: wholly.
        if s.words(number.first) == "百"
            && s.at(number.end).shape == Shape::Han
            && !matches!(s.at(number.end).first, '的' | '以' | '和' | '左')
        {
            return None;
        }
        let value = measured(s, &Number { first: at, ..number }, number.end, Some("ratio"), s.entry(at).part);
        return share(at, number.end, value);
    }
    if token.has(HALF) {
        return share(at, at + 1, ratio(s.entry(at).part));
    }
    if s.han(at, '每') && s.at(at).end - s.at(at).start == 3 {
        return every(s, at);
    }
    if token.has(FRACTION) && s.word(at, name!("half")) {
        return half(s, at);
    }
    // "A third of them", "the quarter" is a date or a coin.
    if s.one_of(at, names!["a"]) && s.has(at + 1, FRACTION) && !s.word(at + 1, name!("second")) && !s.at(at + 1).glued()
    {
        let of = s.one_of(at + 2, names!["of", "as"])
            || s.divides(at + 2)
            || s.one_of(at + 2, names!["in", "are", "were", "is"])
            || s.has(at + 2, COMPARATIVE);
        return of.then(|| share(at, at + 2, ratio(s.entry(at + 1).part))).flatten();
    }
    None
}

/// %, percent, per cent, percentage points, ‰, 个百分点, 成.
fn find_signed(s: &Sentence, number: &Number) -> Option<Found> {
    let (mut end, factor) = sign(s, number.end)?;
    // "I agree one hundred percent", "She gives 110 percent".
    let wholly = number.style == Style::Words && number.value == 100.0 && !s.word(end, name!("of"))
        || s.one_of(number.first.wrapping_sub(1), names!["give", "gives", "gave"]) && number.value > 99.0;
    if wholly {
        return None;
    }
    let mut value = measured(s, number, end, Some("ratio"), factor);
    // 60%～70% is one claim.
    let joiner = s.at(end);
    let dash = joiner.shape == Shape::Sign && matches!(joiner.first, '-' | '–' | '—' | '~' | '～');
    let han = matches!(s.lone(end), '至' | '到') && !matches!(s.lone(number.first.wrapping_sub(1)), '从' | '由' | '從');
    if (dash || han)
        && number.upper.is_none()
        && let Some(upper) = numbers::read(s, end + 1)
        && let Some((behind, _)) = sign(s, upper.end)
    {
        value.upper = Some(upper.value * factor);
        end = behind;
    }
    share(number.first, end, value)
}

/// What makes a share of the number before it, and what one of it is.
pub(super) fn sign(s: &Sentence, at: usize) -> Option<(usize, f64)> {
    let token = s.at(at);
    if token.shape == Shape::Sign {
        return match token.first {
            '%' | '％' | '﹪' => Some((at + 1, 0.01)),
            '‰' => Some((at + 1, 0.001)),
            '-' if s.one_of(at + 1, names!["percent", "percentage"]) => Some((at + 2, 0.01)),
            _ => None,
        };
    }
    if token.has(TENTHS) {
        return tenths(s, at);
    }
    if matches!(s.lone(at), '个' | '個') && s.has(at + 1, PERCENT) {
        return Some((at + 2, s.entry(at + 1).part));
    }
    if s.word(at, name!("per")) && s.one_of(at + 1, names!["cent", "mille"]) {
        return Some((at + 2, if s.word(at + 1, name!("cent")) { 0.01 } else { 0.001 }));
    }
    if !token.has(PERCENT) {
        return None;
    }
    let points = s.one_of(at + 1, names!["point", "points"]);
    match s.words(at) {
        "basis" if !points => None,
        "percentage" if !points => None,
        _ => Some((if points { at + 2 } else { at + 1 }, s.entry(at).part)),
    }
}

/// 成, 九成七, 六成半; but not 六成热, which is the heat of oil, nor 八成新.
fn tenths(s: &Sentence, at: usize) -> Option<(usize, f64)> {
    let words = s.words(at);
    if !matches!(words, "成" | "折") || matches!(s.at(at + 1).first, '热' | '新' | '扣' | '叠') {
        return None;
    }
    let next = s.at(at + 1);
    // 八成是忘了: a guess, not a share.
    let number = s.at(at.wrapping_sub(2));
    if matches!(next.first, '是' | '会' | '没' | '要') && matches!(number.first, '，' | ',') && next.shape == Shape::Han
    {
        return None;
    }
    let more = next.shape == Shape::Numerals && next.length() == 3 || matches!(s.lone(at + 1), '半');
    Some((if more { at + 2 } else { at + 1 }, 0.1))
}

/// "two-thirds", "three quarters", "three fifths", "one third".
fn fraction(s: &Sentence, number: &Number) -> Option<Found> {
    if number.style != Style::Words && number.value != 1.0 {
        return None;
    }
    let at = if s.is(number.end, '-') && s.at(number.end).glued() { number.end + 1 } else { number.end };
    let part = s.entry(at).part;
    let plural = s.words(at).ends_with('s') || number.value == 1.0;
    let point =
        s.word(at + 1, name!("of")) && s.one_of(at + 2, names!["a", "one"]) && s.word(at + 3, name!("percentage"));
    let end = if point { at + 5 } else { at + 1 };
    let part = if point { part / 100.0 } else { part };
    let named = s.has(at, FRACTION) && plural && number.value < 20.0 && !s.one_of(at, names!["seconds", "second"]);
    (named && number.end == number.first + 1).then(|| share(number.first, end, ratio(number.value * part))).flatten()
}

/// "one in six", "1 in 4", "seven out of ten", "nine of ten", "one adult in eleven".
fn one_in(s: &Sentence, number: &Number) -> Option<Found> {
    let mut at = number.end;
    let noun = s.at(at).shape == Shape::Word
        && !s.has(at, UNIT | PERCENT)
        && !number.marked
        && !s.one_of(at, names!["in", "out", "of"])
        && s.one_of(at + 1, names!["in", "out"]);
    if noun && number.value < 10.0 && number.end == number.first + 1 {
        at += 1;
    }
    let at = if s.word(at, name!("out")) && s.word(at + 1, name!("of")) {
        at + 2
    } else if s.word(at, name!("in")) && (s.word(at + 1, name!("every")) || number.value < 10.0) {
        if s.word(at + 1, name!("every")) { at + 2 } else { at + 1 }
    } else {
        return None;
    };
    let whole = numbers::read(s, at)?;
    let small = (whole.digits < 4 || whole.marked) && !s.is(whole.end, '%') && !s.has(whole.end, PERCENT);
    let fits =
        number.value < whole.value && number.value > 0.0 && whole.value <= 1e6 && small && !s.has(whole.end, UNIT);
    let bare = number.upper.is_none() && !(noun && whole.style == Style::Digits && whole.value > 1000.0);
    (fits && bare).then(|| share(number.first, whole.end, ratio(number.value / whole.value))).flatten()
}

/// 1/3, where no unit and no further slash makes something else of it.
fn find_slashed(s: &Sentence, number: &Number) -> Option<Found> {
    let at = number.end;
    if !(s.is(at, '/') && s.at(at).glued() && s.at(at + 1).glued() && s.at(at + 1).shape == Shape::Digits) {
        return None;
    }
    let whole = numbers::read(s, at + 1)?;
    let free = !s.is(whole.end, '/') && !s.before(number.first).is('/') && !s.has(whole.end, UNIT | MEASURE | PERCENT);
    let small = number.digits <= 2 && whole.digits <= 3 && !number.marked && number.value > 0.0;
    let fits = number.value < whole.value && small && whole.upper.is_none();
    (free && fits).then(|| share(number.first, whole.end, ratio(number.value / whole.value))).flatten()
}

/// 三分之一.
fn parts(s: &Sentence, number: &Number) -> Option<Found> {
    if s.words(number.end) != "分之" {
        return None;
    }
    let top = numbers::read(s, number.end + 1)?;
    share(number.first, top.end, ratio(top.value / number.value))
}

/// 每五户中就有一户, 每一千枚只有一枚.
fn every(s: &Sentence, at: usize) -> Option<Found> {
    let whole = numbers::read(s, at + 1)?;
    let mut next = whole.end + usize::from(s.has(whole.end, MEASURE));
    if next == whole.end {
        return None;
    }
    // 每八名女性中就有一名: the noun, then what links.
    while next < whole.end + 8 && s.at(next).shape == Shape::Han && !s.divides(next) {
        next += 1;
    }

    let top = numbers::read(s, next)?;
    let linked = (whole.end..next).any(|at| matches!(s.at(at).first, '有' | '只'));
    let end = top.end + usize::from(s.has(top.end, MEASURE));
    (linked && top.value < whole.value).then(|| share(at, end, ratio(top.value / whole.value))).flatten()
}

/// "half of", "over half", "take half the time"; not "half an hour", "first half", "in half".
fn half(s: &Sentence, at: usize) -> Option<Found> {
    let before = s.before(at);
    let named = before.has(ORDINAL | NUMERAL)
        || s.one_of(
            at.wrapping_sub(1),
            names!["in", "second", "other", "better", "latter", "next", "past", "last", "a"],
        );
    if s.word(at + 1, name!("a")) && s.has(at + 2, SCALE) {
        return None;
    }
    let timed = s
        .one_of(at + 1, names!["an", "hour", "hearted", "time", "past", "way", "year", "century", "dozen", "day"])
        || s.is(at + 1, '-');
    let point = s.word(at + 1, name!("a")) && s.has(at + 2, PERCENT);
    if point {
        let end = at + 3 + usize::from(s.one_of(at + 3, names!["point", "points"]));
        return share(at, end, ratio(0.005));
    }
    let follows = s.one_of(at + 1, names!["of", "the", "its", "their", "as", "a", "that", "this", "his", "her", "all"])
        || s.divides(at + 1)
        || before.has(ABOUT | OVER);
    let article = s.word(at.wrapping_sub(1), name!("a")) && s.word(at.wrapping_sub(2), name!("and"));
    (!named && !timed && follows && !article).then(|| share(at, at + 1, ratio(0.5))).flatten()
}

fn ratio(value: f64) -> ClaimValue {
    ClaimValue {
        number: Some(value).filter(|value| value.is_finite()),
        unit: Some("ratio".to_owned()),
        ..ClaimValue::default()
    }
}

fn share(first: usize, end: usize, value: ClaimValue) -> Option<Found> {
    Some(Found { first, end, kind: ClaimKind::Percentage, value: Some(value) })
}
