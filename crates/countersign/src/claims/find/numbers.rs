//! Reads the numbers of a sentence: digits, words, Chinese numerals, scales, signs and joined ranges.

use super::lexicon::{MEASURE, NUMERAL, SCALE, UNIT};
use super::names::{name, names};
use super::sentence::Sentence;
use super::tokens::{Gap, Shape};

/// A number where it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    /// Its first token.
    pub first: usize,
    /// The token after its last.
    pub end: usize,
    /// What it is worth; the lower end of a range.
    pub value: f64,
    /// The upper end of a range.
    pub upper: Option<f64>,
    /// Half of the last place that was written.
    pub precision: f64,
    /// How it is written.
    pub style: Style,
    /// Whether 多, 余 or 来 makes it rough.
    pub rough: bool,
    /// Whether it has a separator of thousands or a decimal point.
    pub marked: bool,
    /// How many digits come before the point.
    pub digits: usize,
    /// Whether a word or letter scales it: million, 万.
    pub scaled: bool,
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// 1,234
    Digits,
    /// twelve
    Words,
    /// 十二
    Chinese,
}

/// The number that begins at a token: sign, digits or words, scale, and the upper end of a joined range.
#[inline]
pub(crate) fn read(s: &Sentence, at: usize) -> Option<Number> {
    if begins(s, at) { read_here(s, at) } else { None }
}

/// Whether a token may begin a number at all.
#[inline]
fn begins(s: &Sentence, at: usize) -> bool {
    let token = s.at(at);
    match token.shape {
        Shape::Digits | Shape::Numerals => true,
        Shape::Sign => matches!(token.first, '-' | '−' | '–' | '+' | '±'),
        Shape::Han => matches!(token.first, '负' | '負' | '半'),
        Shape::Word => token.has(NUMERAL | SCALE) || names!["minus", "negative", "half"].has(token.name),
        _ => false,
    }
}

fn read_here(s: &Sentence, at: usize) -> Option<Number> {
    let (negative, from) = sign(s, at);
    let mut number = plain(s, from)?;
    number.first = at;
    if negative {
        number.value = -number.value;
    }
    if let Some((upper, end)) = upper_end(s, &number) {
        // "5-10 million": the scale holds for both.
        let both = upper.scaled && !number.scaled && number.value.abs() < 1000.0;
        let factor = if both && upper.factor > 0.0 { upper.factor } else { 1.0 };
        number.value *= factor;
        number.precision *= factor;
        (number.upper, number.end, number.scaled) = (Some(upper.value), end, number.scaled || upper.scaled);
        number.rough |= upper.rough;
    }
    Some(number)
}

/// A minus or plus that belongs to the number, and where the number itself begins.
fn sign(s: &Sentence, at: usize) -> (bool, usize) {
    let token = s.at(at);
    let next = s.at(at + 1);
    let free = token.gap != Gap::None || at == 0 || matches!(s.before(at).shape, Shape::Han | Shape::Sign);
    match token.first {
        '-' | '−' | '–' if token.shape == Shape::Sign && free && next.shape == Shape::Digits && next.glued() => {
            (true, at + 1)
        }
        '+' | '±' if token.shape == Shape::Sign && free && next.shape == Shape::Digits && next.glued() => {
            (false, at + 1)
        }
        '负' | '負' => (true, at + 1),
        '零' if s.words(at).starts_with("零") && s.han(at + 1, '下') && s.lone(at) == '零' => (true, at + 2),
        _ if s.one_of(at, names!["minus", "negative"]) => (true, at + 1),
        _ => (false, at),
    }
}

/// A number without sign and range.
fn plain(s: &Sentence, at: usize) -> Option<Number> {
    match s.at(at).shape {
        Shape::Digits => Some(digits(s, at)),
        Shape::Numerals => chinese(s, at),
        Shape::Word
            if s.has(at, NUMERAL) || s.has(at, SCALE) && s.one_of(at.wrapping_sub(1), names!["a"]) || half_a(s, at) =>
        {
            words(s, at)
        }
        Shape::Han if s.lone(at) == '半' && s.has(at + 1, UNIT | MEASURE) => Some(half(at)),
        _ => None,
    }
}

/// "half a million".
fn half_a(s: &Sentence, at: usize) -> bool {
    s.word(at, name!("half")) && s.word(at + 1, name!("a")) && s.has(at + 2, SCALE) && s.at(at + 2).length() > 2
}

/// 半 before a unit.
fn half(at: usize) -> Number {
    Number {
        first: at,
        end: at + 1,
        value: 0.5,
        upper: None,
        precision: 0.05,
        style: Style::Chinese,
        rough: false,
        marked: false,
        digits: 1,
        scaled: false,
    }
}

fn digits(s: &Sentence, at: usize) -> Number {
    let text = s.words(at);
    let (mut value, mut whole, mut decimals, mut pointed, mut marked) = (0.0f64, 0usize, 0usize, false, false);
    for c in text.chars() {
        match c {
            '.' | '．' => (pointed, marked) = (true, true),
            ',' | '，' => marked = true,
            _ => {
                let digit = f64::from(u32::from(c) & 0xf);
                let digit =
                    if ('０'..='９').contains(&c) { f64::from(u32::from(c) - u32::from('０')) } else { digit };
                value = value * 10.0 + digit;
                if pointed { decimals += 1 } else { whole += 1 }
            }
        }
    }
    let power = 10f64.powi(i32::try_from(decimals.min(300)).unwrap_or(300));
    let mut number = Number {
        first: at,
        end: at + 1,
        value: value / power,
        upper: None,
        precision: 0.5 / power,
        style: Style::Digits,
        rough: false,
        marked,
        digits: whole,
        scaled: false,
    };
    // 7½
    if !s.at(at + 1).first.is_ascii()
        && let Some(part) = "¼½¾⅓⅔⅛".chars().position(|c| s.is(at + 1, c) && s.at(at + 1).glued())
    {
        number.value += [0.25, 0.5, 0.75, 1.0 / 3.0, 2.0 / 3.0, 0.125].get(part).copied().unwrap_or_default();
        (number.end, number.marked) = (at + 2, true);
    }
    superscript(s, &mut number);
    scale(s, &mut number);
    number
}

/// 3.2×10⁷.
fn superscript(s: &Sentence, number: &mut Number) {
    let at = number.end;
    if !(s.is(at, '×') && s.words(at + 1) == "10") {
        return;
    }
    let (mut power, mut negative, mut end) = (0i32, false, at + 2);
    while let token = s.at(end)
        && token.shape == Shape::Sign
        && token.glued()
    {
        match "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|c| c == token.first) {
            Some(digit) => power = power.saturating_mul(10).saturating_add(i32::try_from(digit).unwrap_or(0)).min(400),
            None if token.first == '⁻' => negative = true,
            None => break,
        }
        end += 1;
    }
    let factor = 10f64.powi(if negative { -power } else { power });
    if end > at + 2 && factor.is_finite() {
        number.value *= factor;
        number.precision *= factor;
        (number.end, number.scaled) = (end, true);
    }
}

/// Million after a number, 万 after digits, 多 before 万.
fn scale(s: &Sentence, number: &mut Number) {
    for _ in 0..3 {
        let at = number.end;
        let token = s.at(at);
        let hyphen = s.is(at, '-') && s.has(at + 1, SCALE) && s.at(at + 1).length() > 4 && s.at(at + 1).glued();
        let word = if hyphen { at + 1 } else { at };
        let factor = if s.has(word, SCALE) && scales(s, word) {
            s.entry(word).number
        } else if token.shape == Shape::Numerals && scale_only(s.words(at)) && touches(s, number, at) {
            han_value(s.words(at)).0
        } else if token.shape == Shape::Han
            && matches!(s.lone(at), '多' | '余' | '餘' | '来' | '來' | '几')
            && !number.rough
            && (!matches!(token.first, '来' | '來') || s.has(at + 1, MEASURE | UNIT))
        {
            number.rough = true;
            number.end = at + 1;
            continue;
        } else {
            return;
        };
        number.value *= factor;
        number.precision *= factor;
        (number.end, number.scaled) = (word + 1, true);
    }
}

/// Whether a scale word or letter scales here: letters only where they touch the digits.
fn scales(s: &Sentence, at: usize) -> bool {
    let token = s.at(at);
    match s.words(at) {
        "k" | "K" => token.glued(),
        // Metres, tonnes and bits are written so too: only money takes these letters, and its reader asks for them.
        "m" | "M" | "b" | "B" | "t" | "T" => false,
        "mn" | "bn" | "tn" | "mln" | "mio" | "trn" => true,
        _ => true,
    }
}

/// Whether Chinese scales belong to the number before them: they touch it, or a blank is between (35 亿美元, 5 千元). The
/// 千亿 of "2024 千亿房企" and the 十 of "2024 十大品牌" do not.
fn touches(s: &Sentence, number: &Number, at: usize) -> bool {
    let token = s.at(at);
    match token.gap {
        Gap::None => true,
        Gap::Blank => match token.first {
            '万' | '萬' | '亿' | '億' | '兆' => true,
            '百' | '千' => number.digits < 3,
            _ => false,
        },
        Gap::Line => false,
    }
}

fn scale_only(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '十' | '百' | '千' | '万' | '萬' | '亿' | '億' | '兆'))
}

/// 三千五百, 两亿三千万, 一九七八, with 多 and 余 inside.
fn chinese(s: &Sentence, at: usize) -> Option<Number> {
    let text = s.words(at);
    let (mut value, mut precision) = han_value(text);
    let mut end = at + 1;
    // 四点三: only between numerals.
    if matches!(s.lone(end), '点' | '點')
        && s.at(end + 1).shape == Shape::Numerals
        && s.words(end + 1).chars().all(|c| digit_of(c).is_some())
    {
        let decimals = s.words(end + 1);
        for (place, c) in decimals.chars().take(12).enumerate() {
            let power = 10f64.powi(i32::try_from(place).unwrap_or(0) + 1);
            value += digit_of(c).unwrap_or_default() / power;
            precision = 0.5 / power;
        }
        end += 2;
    }
    let mut number = Number {
        first: at,
        end,
        value,
        upper: None,
        precision,
        style: Style::Chinese,
        rough: false,
        marked: false,
        digits: text.chars().count(),
        scaled: text.contains(['万', '亿', '萬', '億', '兆']),
    };
    scale(s, &mut number);
    Some(number)
}

/// What Chinese numerals are worth, and half of their last place.
pub(crate) fn han_value(text: &str) -> (f64, f64) {
    if text.chars().count() > 1 && text.chars().all(|c| digit_of(c).is_some()) {
        let value = text.chars().take(300).fold(0.0, |value, c| value * 10.0 + digit_of(c).unwrap_or_default());
        return (value, 0.5);
    }
    let (mut total, mut section, mut digit, mut place, mut last) = (0.0f64, 0.0f64, 0.0f64, 1.0f64, 1.0f64);
    let mut seen = false;
    for c in text.chars() {
        if let Some(d) = digit_of(c) {
            (digit, seen, last) = (d, true, if d == 0.0 { 1.0 } else { place / 10.0 });
            if d == 0.0 {
                place = 10.0;
            }
            continue;
        }
        let power = power_of(c);
        if power < 10_000.0 {
            section += if seen { digit } else { 1.0 } * power;
        } else {
            let whole = section + if seen { digit } else { 0.0 };
            let whole = if whole == 0.0 && total == 0.0 { 1.0 } else { whole };
            total = (total + whole) * power;
            section = 0.0;
        }
        (digit, seen, place, last) = (0.0, false, power, power);
    }
    // 两万八: the last digit counts in the place below.
    let tail = if seen { digit * last.max(1.0) } else { 0.0 };
    (total + section + tail, (last.max(1.0) / 2.0).min(0.5 * last.max(1.0)))
}

fn digit_of(c: char) -> Option<f64> {
    let digit = match c {
        '零' | '〇' | '○' => 0,
        '一' | '壹' => 1,
        '二' | '两' | '兩' | '贰' | '貳' => 2,
        '三' | '叁' | '參' => 3,
        '四' | '肆' => 4,
        '五' | '伍' => 5,
        '六' | '陆' | '陸' => 6,
        '七' | '柒' => 7,
        '八' | '捌' => 8,
        '九' | '玖' => 9,
        _ => return None,
    };
    Some(f64::from(digit))
}

fn power_of(c: char) -> f64 {
    match c {
        '十' | '拾' => 10.0,
        '廿' => 20.0,
        '卅' => 30.0,
        '百' | '佰' => 100.0,
        '千' | '仟' => 1e3,
        '万' | '萬' => 1e4,
        '亿' | '億' => 1e8,
        _ => 1e12,
    }
}

/// "Two hundred and five thousand", "twenty-five", "a dozen".
fn words(s: &Sentence, at: usize) -> Option<Number> {
    let (mut total, mut current, mut end, mut scaled) = (0.0f64, 0.0f64, at, false);
    let mut last = 1.0f64;
    if half_a(s, at) {
        (current, end) = (0.5, at + 2);
    }
    for _ in 0..16 {
        let joins = end > at && (s.is(end, '-') && s.at(end).glued() || s.word(end, name!("and")) && scaled);
        let word = if joins { end + 1 } else { end };
        let entry = s.entry(word);
        if s.has(word, NUMERAL) && (end == at || joins || scaled) && !(joins && s.is(end, '-') && entry.number >= 10.0)
        {
            current += entry.number;
            last = 1.0;
        } else if s.has(word, SCALE) && s.at(word).length() > 2 {
            let factor = entry.number;
            current = if current > 0.0 { current } else { 1.0 } * factor;
            (last, scaled) = (factor, true);
            if factor >= 1000.0 {
                total += current;
                current = 0.0;
            }
        } else if end > at && s.word(end, name!("and")) && s.word(end + 1, name!("a")) && s.word(end + 2, name!("half"))
        {
            // one and a half million
            (current, end, last) = (current + 0.5, end + 3, 0.1);
            continue;
        } else {
            break;
        }
        end = word + 1;
    }
    let value = total + current;
    (end > at).then_some(Number {
        first: at,
        end,
        value,
        upper: None,
        precision: last / 2.0,
        style: Style::Words,
        rough: false,
        marked: false,
        digits: 0,
        scaled,
    })
}

struct Upper {
    value: f64,
    factor: f64,
    scaled: bool,
    rough: bool,
}

/// The upper end of 10–15, 3至5, "80 to 90"; none behind "from" and 从, which make two claims of it.
fn upper_end(s: &Sentence, number: &Number) -> Option<(Upper, usize)> {
    let at = number.end;
    let token = s.at(at);
    let dash = matches!(token.first, '-' | '–' | '—' | '~' | '～' | '－' | '−') && token.shape == Shape::Sign;
    let han = token.shape == Shape::Han && matches!(s.lone(at), '至' | '到');
    let to = s.word(at, name!("to")) && token.gap == Gap::Blank;
    if !(dash || han || to) || s.one_of(number.first.wrapping_sub(1), names!["from"]) {
        return None;
    }
    if (han || to)
        && (1..=3).any(|back| matches!(s.words(number.first.wrapping_sub(back)), "从" | "由" | "自" | "從" | "from"))
    {
        return None;
    }
    let next = if dash && token.first == '—' && s.is(at + 1, '—') { at + 2 } else { at + 1 };
    if dash && number.style == Style::Words || to && s.at(next).shape == Shape::Word && number.style == Style::Digits {
        return None;
    }
    let upper = plain(s, next)?;
    let third = s.at(upper.end);
    let chained = dash
        && third.shape == Shape::Sign
        && matches!(third.first, '-' | '–')
        && s.at(upper.end + 1).shape == Shape::Digits;
    if chained || (number.scaled || !upper.scaled) && !han && upper.value <= number.value {
        return None;
    }
    let factor = if upper.scaled && upper.precision > 0.0 { scale_of(s, next, upper.end) } else { 1.0 };
    Some((Upper { value: upper.value, factor, scaled: upper.scaled, rough: upper.rough }, upper.end))
}

/// What the scale after the digits of an upper end is.
pub(crate) fn scale_of(s: &Sentence, from: usize, end: usize) -> f64 {
    (from..end)
        .filter(|at| s.has(*at, SCALE) || s.at(*at).shape == Shape::Numerals && scale_only(s.words(*at)))
        .fold(1.0, |factor, at| factor * if s.has(at, SCALE) { s.entry(at).number } else { han_value(s.words(at)).0 })
}

/// Whether all of a token is numerals that name single digits: 一九七八.
pub(crate) fn positional(text: &str) -> bool {
    text.chars().all(|c| digit_of(c).is_some())
}
