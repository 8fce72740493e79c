//! Quantities: a number with its unit or of things. 214 stores, 65 °C, 67-year-old, 83个, 一万多名, 9秒83.
//!
//! A number that names something (room 214, Boeing 747, 3号线, 第十九届) counts nothing, and 一 before a measure word is
//! an article.

use super::series::{happened, has_article, idiom, is_after_count, is_counting, is_hyperbole, is_in_row, is_in_series};
use super::{percentage, unit};
use crate::claims::find::found::{Found, measured};
use crate::claims::find::lexicon::{
    AUX, CURRENCY, LISTED, MARKER, MEASURE, MONTH, PER, PERCENT, PLAIN, PLURAL, PREPOSITION, PRODUCT, STATISTIC, UNIT,
};
use crate::claims::find::mood::announces;
use crate::claims::find::names::{name, names};
use crate::claims::find::numbers::{self, Number, Style};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Gap, Shape, Token};
use crate::contract::{ClaimKind, ClaimValue};
use crate::text::lists::word_list;

/// The quantity whose number is known.
pub(crate) fn read(s: &Sentence, number: &Number) -> Option<Found> {
    if let Some(found) = result(s, number) {
        return Some(found);
    }
    if is_named(s, number) || is_hyperbole(s, number) || percentage::sign(s, number.end).is_some() {
        return None;
    }
    if let Some(found) = with_unit(s, number).or_else(|| score(s, number)) {
        return Some(found);
    }
    if s.at(number.end).shape == Shape::Han && s.at(number.end).glued() | (s.at(number.end).gap == Gap::Blank) {
        return find_counted_in_chinese(s, number);
    }
    if number.style == Style::Chinese {
        return bare_chinese(s, number);
    }
    find_hyphenated(s, number).or_else(|| things(s, number)).or_else(|| bare(s, number))
}

/// "aged 75", "magnitude 5.9".
pub(crate) fn read_word(s: &Sentence, at: usize) -> Option<Found> {
    if !s.one_of(at, names!["aged", "magnitude", "age"]) || s.word(at, name!("age")) && !s.word(at + 1, name!("of")) {
        return None;
    }
    let number = numbers::read(s, at + 1 + usize::from(s.word(at, name!("age"))))?;
    if s.has(number.end, UNIT) {
        return None;
    }
    let value = measured(s, &number, number.end, (!s.word(at, name!("magnitude"))).then_some("year-old"), 1.0);
    Some(Found { first: at, end: number.end, kind: ClaimKind::Quantity, value: Some(value) })
}

/// Whether the number is part of a name, an identifier, a clock time or a list.
fn is_named(s: &Sentence, number: &Number) -> bool {
    let (first, before, next) = (s.at(number.first), s.before(number.first), s.at(number.end));
    let touches = first.glued() && number.first > 0;
    let grouped = before.shape == Shape::Digits && number.style == Style::Digits && first.gap == Gap::Blank;
    let joined = grouped
        || touches && (before.shape == Shape::Word || matches!(before.shape, Shape::Code | Shape::Digits))
        || touches
            && before.shape == Shape::Sign
            && matches!(before.first, '-' | '/' | '.' | ':' | '_' | '#' | '&' | '@' | '+' | '\'' | '–')
            && s.at(number.first.wrapping_sub(2)).shape != Shape::Sign
            && s.at(number.first).gap == Gap::None
            && number.first > 1
            && before.glued();
    let clock = next.is(':') && s.at(number.end + 1).shape == Shape::Digits && next.glued()
        || before.is(':') && before.glued() && touches
        || s.one_of(number.end, names!["am", "pm", "o'clock", "noon", "utc", "gmt"])
        || s.one_of(number.end, names!["a", "p"]) && s.is(number.end + 1, '.') && s.word(number.end + 2, name!("m"));
    let ordinal = next.glued() && s.one_of(number.end, names!["st", "nd", "rd", "th"]);
    let identifier = next.glued() && next.shape == Shape::Word && !next.has(UNIT) && number.style == Style::Digits;
    let whole = before.has(PER);
    let hex = whole || identifier && s.lone(number.first) == '0';
    let dotted =
        next.is('.') && next.glued() && s.at(number.end + 1).glued() && s.at(number.end + 1).shape == Shape::Digits;
    let dashed = dotted
        || next.is('-') && next.glued() && s.at(number.end + 1).glued() && s.at(number.end + 1).shape == Shape::Digits;
    let counts = before.case == Case::Lower
        && next.shape == Shape::Word
        && next.case == Case::Lower
        && s.words(number.end).ends_with('s')
        && s.at(number.end).length() > 3;
    let marker = before.has(MARKER)
        && !counts
        && !(before.has(UNIT) && before.case == Case::Lower)
        && number.first > 0
        && !s.has(number.end, UNIT)
        && number.style == Style::Digits
        || s.is(number.first.wrapping_sub(1), '.')
            && s.one_of(number.first.wrapping_sub(2), names!["no", "nos", "fig", "vol", "pp", "p", "ch"])
        || before.is('№')
        || before.is('#')
        || before.is('§');
    let listed = number.first == 0
        && number.style == Style::Digits
        && matches!(next.first, '.' | ')' | '）' | '、')
        && next.shape == Shape::Sign
        || before.is('(') && next.is(')') && number.digits < 3
        || before.is('（') && next.is('）') && number.digits < 3;
    joined || clock || ordinal || identifier || hex || dashed || marker || listed || brand(s, number, before, next)
}

/// A capitalised word right before a whole number makes a name of both: Boeing 747, Apollo 11.
fn brand(s: &Sentence, number: &Number, before: &Token, next: &Token) -> bool {
    let capital = before.shape == Shape::Word && before.case != Case::Lower && s.at(number.first).gap == Gap::Blank;
    if !capital
        || number.style != Style::Digits
        || number.marked
        || number.scaled
        || before.has(MONTH | STATISTIC | PREPOSITION)
    {
        return before.shape == Shape::Word && before.has(PRODUCT) && number.style == Style::Digits;
    }
    let plural = next.shape == Shape::Word
        && next.case == Case::Lower
        && (next.has(PLURAL | UNIT) && !next.has(PREPOSITION)
            || s.words(number.end).ends_with('s') && s.at(number.end).length() > 3 && !next.has(AUX));
    let opens = number.first == 1 || s.before(number.first - 1).is('.');
    let flight = before.case == Case::Upper && s.has(number.first.wrapping_sub(2), MARKER);
    flight || !plural || number.first > 1 && !opens && before.case == Case::Upper && number.digits < 3
}

/// "won 3-1", "a 2-0 defeat": two short numbers that are no range, because a contest has such an outcome.
fn result(s: &Sentence, number: &Number) -> Option<Found> {
    let (first, end) = (number.first, number.first + 2);
    let pair = s.at(first).shape == Shape::Digits
        && matches!(s.at(first + 1).first, '-' | '–')
        && s.at(first + 1).glued()
        && s.at(end).shape == Shape::Digits
        && s.at(end).glued()
        && s.at(first).length() < 4
        && s.at(end).length() < 4
        && !s.at(end + 1).glued() | s.divides(end + 1)
        && s.at(first).gap == Gap::Blank;
    let closed = s.divides(end + 1) || s.has(end + 1, PREPOSITION) || s.one_of(end + 1, names!["and", "but"]);
    let won = s.one_of(first.wrapping_sub(1), names!["won", "lost", "drew", "tied", "led", "wins", "win", "trailed"])
        && closed
        || s.one_of(first.wrapping_sub(1), names!["a", "the", "their", "its", "his", "her"])
            && s.one_of(end + 1, names!["win", "victory", "defeat", "loss", "draw", "lead", "tie"]);
    let of = s.text.get(s.at(first).start..s.at(end).end);
    (pair && won).then(|| {
        let value = ClaimValue { of: of.map(str::to_owned), ..ClaimValue::default() };
        Found { first, end: end + 1, kind: ClaimKind::Quantity, value: Some(value) }
    })
}

/// 3比1.
fn score(s: &Sentence, number: &Number) -> Option<Found> {
    let end = number.end + 1;
    let scored = s.lone(number.end) == '比'
        && s.at(number.end).glued()
        && s.at(end).glued()
        && s.at(end).shape == Shape::Digits
        && s.at(number.first).shape == Shape::Digits
        && number.digits < 4
        && s.at(end).length() < 4;
    let of = s.text.get(s.at(number.first).start..s.at(end).end).map(str::to_owned);
    let value = ClaimValue { of, ..ClaimValue::default() };
    scored.then(|| Found { first: number.first, end: end + 1, kind: ClaimKind::Quantity, value: Some(value) })
}

/// Whether a lower-case word is a plural or a unit.
fn is_plural(s: &Sentence, at: usize) -> bool {
    let token = s.at(at);
    token.shape == Shape::Word
        && token.case == Case::Lower
        && (token.has(PLURAL | UNIT) || token.length() > 3 && s.words(at).ends_with('s'))
        && !token.has(PREPOSITION | AUX)
}

/// 65 °C, 2 hours 10 minutes, 9秒83, 168/102 mmHg.
fn with_unit(s: &Sentence, number: &Number) -> Option<Found> {
    let mut at = number.end;
    if s.is(at, '/') && s.at(at).glued() && s.at(at + 1).shape == Shape::Digits && s.at(at + 1).glued() {
        at += 2;
    }
    // 一个多小时
    if matches!(s.lone(at), '个' | '個') && matches!(s.lone(at + 1), '多' | '半') && s.has(at + 2, UNIT) {
        at += 2;
    }
    // 15.6×10⁹/L
    let per = s.is(at, '/') && number.scaled && s.at(at).glued() && s.has(at + 1, UNIT);
    let unit = unit::read(s, if per { at + 1 } else { at })?;
    // 一天 is a word for every day.
    if number.value == 1.0 && number.style == Style::Chinese && s.words(at) == "天" {
        return None;
    }
    let blank = s.at(at).gap != Gap::Line;
    // "5 in the morning", "two second thoughts".
    if !blank
        || s.has(at, PREPOSITION) && !s.at(at).glued()
        || s.one_of(at, names!["second", "minute", "bar"]) && number.style == Style::Words && number.value == 1.0
    {
        return None;
    }
    if matches!(s.lone(at), '点' | '點' | '分') || clock_in_chinese(s, number, at) {
        return None;
    }
    if let Some(millions) = millions(s, number, unit.end) {
        return with_unit(s, &millions).or_else(|| things(s, &millions));
    }
    // 千里之行
    let follows = ['内', '间', '后', '前', '久', '多', '外', '遥', '差', '上', '下'];
    if s.lone(unit.end) == '之' && !follows.contains(&s.at(unit.end + 1).first) {
        return None;
    }
    let mut value = measured(s, number, unit.end, unit.base, unit.factor);
    let mut end = unit.end;
    for _ in 0..3 {
        let Some((behind, more)) = smaller(s, end) else { break };
        value.number = value.number.map(|value| value + more);
        end = behind;
    }
    // "3-year plan", "10-minute walk" keep their hyphen; "years old" belongs to the age.
    if s.word(end, name!("old")) && !number.scaled && number.value < 1000.0
        || s.is(end, '-') && s.word(end + 1, name!("old"))
    {
        end += 1 + usize::from(s.is(end, '-'));
    }
    let end = unit::per(s, end);
    Some(Found { first: number.first, end, kind: ClaimKind::Quantity, value: Some(value) })
}

/// 26.3m viewers, 13.2m tonnes: the letter counts millions.
fn millions(s: &Sentence, number: &Number, behind: usize) -> Option<Number> {
    let at = number.end;
    let letter = s.lone(at) == 'm' && s.at(at).glued() && number.marked;
    (letter && s.at(behind).gap == Gap::Blank && is_plural(s, behind)).then(|| Number {
        end: at + 1,
        value: number.value * 1e6,
        precision: number.precision * 1e6,
        scaled: true,
        ..*number
    })
}

/// The smaller unit after a larger one: 56分钟, 20 seconds, the 83 of 9秒83.
fn smaller(s: &Sentence, at: usize) -> Option<(usize, f64)> {
    let from = if s.word(at, name!("and")) { at + 1 } else { at };
    let number = numbers::read(s, from).filter(|number| {
        number.value < 1000.0 && s.at(from).shape == Shape::Digits || s.at(from).shape == Shape::Numerals
    })?;
    if matches!(s.lone(number.end), '分') {
        return Some((number.end + 1, number.value * 60.0));
    }
    if let Some(unit) = unit::read(s, number.end)
        && matches!(unit.base, Some("s" | "m" | "kg" | "month"))
        && unit.base == unit::read(s, at.wrapping_sub(1)).and_then(|unit| unit.base)
    {
        return Some((unit.end, number.value * unit.factor));
    }
    // 5 ft 3 in
    if s.word(number.end, name!("in")) && s.one_of(at.wrapping_sub(1), names!["ft", "foot", "feet"]) {
        return Some((number.end + 1, number.value * 0.0254));
    }
    let after_second = matches!(s.lone(at.wrapping_sub(1)), '秒' | '分' | '米')
        && !(s.lone(at.wrapping_sub(1)) == '米' && s.at(at).length() != 2);
    (after_second && s.at(at).glued() && s.at(at).shape == Shape::Digits).then_some((number.end, number.value / 100.0))
}

fn clock_in_chinese(s: &Sentence, number: &Number, at: usize) -> bool {
    let before = s.before(number.first);
    matches!(s.lone(at), '度') && before.has(MARKER)
        || matches!(before.first, '第') && before.shape == Shape::Han && before.length() == 3
}

/// 12-qubit, 67-year-old, 70-billion-parameter.
fn find_hyphenated(s: &Sentence, number: &Number) -> Option<Found> {
    let at = number.end;
    let word = s.at(at + 1);
    let fits = s.is(at, '-')
        && s.at(at).glued()
        && word.glued()
        && word.shape == Shape::Word
        && word.case == Case::Lower
        && s.at(at + 1).length() > 2;
    let spelled = number.style == Style::Words && !s.has(at + 1, UNIT) && !number.scaled;
    if !fits
        || spelled
        || s.one_of(at + 1, names!["and", "fold", "odd", "plus", "based", "off"]) && !s.word(at + 1, name!("odd"))
    {
        return None;
    }
    let end = if s.is(at + 2, '-') && s.word(at + 3, name!("old")) { at + 4 } else { at + 2 };
    let known = unit::read(s, at + 1);
    let mut value = measured(s, number, end, known.and_then(|unit| unit.base), known.map_or(1.0, |unit| unit.factor));
    if known.is_none() {
        value.of = Some(s.words(at + 1).to_owned());
    }
    Some(Found { first: number.first, end, kind: ClaimKind::Quantity, value: Some(value) })
}

/// 214 stores, six affected modules, 1,240 meteorites: number to head noun.
fn things(s: &Sentence, number: &Number) -> Option<Found> {
    if number.style == Style::Words && number.value <= 1.0 && !number.scaled {
        return None;
    }
    let plus = usize::from(s.is(number.end, '+') || s.is(number.end, '-') && s.word(number.end + 1, name!("odd")));
    let from = number.end + plus + usize::from(plus == 1 && s.word(number.end + 1, name!("odd")));
    let noun = head_noun(s, number, from)?.or_else(|| is_single(s, number, from).then_some(from))?;
    let small = number.value <= 12.0 && !number.marked;
    let opens = s.one_of(0, names!["here", "below"]) && s.one_of(1, names!["is", "are"]) || s.word(0, name!("here's"));
    let here = opens && number.value <= 100.0 && !number.marked;
    if s.has(noun, LISTED) && small && announces(s) || here {
        return None;
    }
    // "a thousand men" begins at its article.
    let article = has_article(s, number);
    let mut value = measured(s, number, noun + 1, None, 1.0);
    value.of = Some(s.words(noun).to_owned());
    let slash =
        s.is(noun + 1, '/') && s.at(noun + 1).glued() && s.at(noun + 2).shape == Shape::Word && s.at(noun + 2).glued();
    let end = if slash { noun + 3 } else { unit::per(s, noun + 1) };
    Some(Found { first: number.first - usize::from(article), end, kind: ClaimKind::Quantity, value: Some(value) })
}

/// The plural that a number counts, within four words. The outer `None` says that the number counts nothing.
#[expect(clippy::option_option, reason = "no noun yet, and none at all, are two answers")]
fn head_noun(s: &Sentence, number: &Number, from: usize) -> Option<Option<usize>> {
    for at in from..from + 4 {
        let token = s.at(at);
        let ends = token.shape != Shape::Word
            || token.gap == Gap::Line
            || token.gap == Gap::None && at > from && !s.before(at).is('-')
            || token.has(PREPOSITION) && !token.has(UNIT | PLURAL)
            || token.has(PERCENT | CURRENCY);
        if ends {
            break;
        }
        let word = s.words(at);
        if VERBS.contains(&word) || idiom(s, number, word) {
            return None;
        }
        if word.ends_with('s')
            && (s.one_of(number.first.wrapping_sub(1), names!["a", "an"])
                && !number.scaled
                && number.style == Style::Digits
                || token.case == Case::Capital && number.digits > 4 && !number.marked)
        {
            return None;
        }
        let plural = token.has(PLURAL)
            || word.len() > 3
                && word.ends_with('s')
                && !word.ends_with("ss")
                && !word.ends_with("'s")
                && !word.ends_with("us");
        if plural || word.len() > 1 && token.case == Case::Upper && word.ends_with('s') {
            return Some(Some(at));
        }
    }
    Some(None)
}

/// Whether a word behind digits is their noun although it is no plural: 40 tonne.
fn is_single(s: &Sentence, number: &Number, at: usize) -> bool {
    let token = s.at(at);
    token.shape == Shape::Word
        && token.case == Case::Lower
        && !token.has(PREPOSITION | AUX)
        && number.style == Style::Digits
        && token.gap == Gap::Blank
        && (number.value >= 2.0 || number.marked)
        && !(s.word(number.first.wrapping_sub(1), name!("and")) && s.divides(at + 1) && is_after_count(s, number.first))
        && !s.one_of(at, names!["survive", "remain"])
        && !(happened(s, at) && is_counting(s, number.first))
}

/// A number that is exact or large enough to be a claim without its noun (48,215, 0.72), or that counts what was counted
/// before it: "Of the 50 samples, 31 were positive".
fn bare(s: &Sentence, number: &Number) -> Option<Found> {
    let telling = (number.marked || number.scaled) && !s.word(number.first, name!("dozen"))
        || is_in_series(s, number)
        || is_in_row(s, number);
    let before = s.before(number.first);
    let label = before.shape == Shape::Word
        && before.case != Case::Lower
        && number.first > 1
        && !number.scaled
        && !s.words(number.first).contains(',');
    (telling && !label && number.digits < 10 && (!s.chinese || number.scaled && s.divides(number.end))).then(|| Found {
        first: number.first,
        end: number.end,
        kind: ClaimKind::Quantity,
        value: Some(measured(s, number, number.end, None, 1.0)),
    })
}

/// 83个, 六百一十万人, 1,024次; 一个 only where it is more than an article.
fn find_counted_in_chinese(s: &Sentence, number: &Number) -> Option<Found> {
    let at = number.end;
    let measure = s.at(at);
    let ordinal = s.before(number.first).first == '第' && s.before(number.first).shape == Shape::Han;
    let article = number.value == 1.0 && number.style == Style::Chinese && !number.scaled;
    if !measure.has(MEASURE) || ordinal || article {
        return if !ordinal && (number.style == Style::Chinese || number.scaled) {
            bare_chinese(s, number)
        } else {
            None
        };
    }
    // 有三种方法: what a list counts.
    let small = number.value <= 12.0 && !number.marked;
    let colon = s.tokens.last().is_some_and(|last| last.is('：')) && at + 3 >= s.tokens.len();
    if small && (colon || (at + 1..at + 4).any(|at| s.has(at, LISTED)) && announces(s)) {
        return None;
    }
    // 128号3栋: an address.
    if s.before(number.first).first == '号' && s.at(number.first).glued() {
        return None;
    }
    let words = s.words(at);
    let clock = matches!(words, "点" | "點") && number.value <= 24.0 && !number.marked;
    let place = matches!(words, "楼" | "室" | "班" | "门" | "床" | "股" | "代" | "手" | "部")
        && number.style == Style::Digits
        && number.digits < 4
        && !number.scaled
        && matches!(words, "楼" | "室" | "门" | "床" | "代");
    if clock || place {
        return None;
    }
    let mut end = at + 1;
    // 个大气压 and 次/分 belong to the measure.
    if s.is(end, '/') && s.at(end).glued() && matches!(s.at(end + 1).shape, Shape::Han | Shape::Word) {
        end += 2;
    }
    let mut value = measured(s, number, end, None, 1.0);
    value.of = Some(words.to_owned());
    Some(Found { first: number.first, end, kind: ClaimKind::Quantity, value: Some(value) })
}

/// 四十七万三千: a large Chinese number needs no measure word.
fn bare_chinese(s: &Sentence, number: &Number) -> Option<Found> {
    let large = number.scaled
        && s.words(number.first).chars().count() + (number.end - number.first) >= 4
        && number.value >= 1e4;
    let ordinal = s.before(number.first).first == '第';
    let next = s.at(number.end);
    let unclear = next.shape == Shape::Han
        && next.glued()
        && (next.has(PLAIN) && !matches!(next.first, '人' | '用')
            || number.value < 1e5 && number.style == Style::Chinese);
    (large && !ordinal && !unclear).then(|| Found {
        first: number.first,
        end: number.end,
        kind: ClaimKind::Quantity,
        value: Some(ClaimValue { ..measured(s, number, number.end, None, 1.0) }),
    })
}

/// Verbs that look like plurals after a number that names something: "403 means", "454 boards".
const VERBS: &[&str] = word_list!("claims", "find/kinds/quantity/verbs");
