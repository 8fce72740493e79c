//! Chinese dates: years with months and days, centuries, eras, quarters.

use super::date;
use crate::claims::find::found::Found;
use crate::claims::find::lexicon::{BC, CENTURY, DECADE, ERA, QUARTER, YEAR_TAIL};
use crate::claims::find::numbers::{han_value, positional};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::Shape;

/// 2024年3月5日, 一九七八年, 2019年至2021年, 20世纪90年代, 11世纪, 3月5日, 1—8月, 2023财年.
pub(super) fn read(s: &Sentence, at: usize) -> Option<Found> {
    let next = s.at(at + 1);
    if next.shape != Shape::Han && !matches!(next.first, '-' | '–' | '—' | '~' | '～') {
        return None;
    }
    let (number, behind) = numeral_at(s, at)?;
    // A joined range: 2011—2020年, 1—8月.
    let joiner = s.at(behind);
    let joined = joiner.shape == Shape::Sign && matches!(joiner.first, '-' | '–' | '—' | '~' | '～')
        || matches!(s.lone(behind), '至' | '到');
    let skip = 1 + usize::from(joiner.is('—') && s.is(behind + 1, '—'));
    let upper = if joined { numeral_at(s, behind + skip) } else { None };
    let (last, mark) = upper.unwrap_or((number, behind));
    let text = s.words(mark);
    if s.has(mark, CENTURY) && number <= 21 {
        let (mut end, mut name) = (mark + 1, format!("C{number}"));
        if let Some((tens, decade)) = numeral_at(s, end)
            && s.has(decade, DECADE)
        {
            (end, name) = (decade + 1, format!("{}s", number.saturating_sub(1) * 100 + tens));
            return date(at, end, name);
        }
        return date(at, part_of_century(s, end), name);
    }
    if s.has(mark, DECADE) {
        let start = if number < 100 { 1900 + number } else { number };
        return date(at, mark + 1, format!("{start}s"));
    }
    if is_year(s, at, number, upper.is_some()) && (text.starts_with('年') || s.has(mark, YEAR_TAIL) || text == "财") {
        let name = if upper.is_some() { format!("{number}/{last}") } else { number.to_string() };
        if text != "年" {
            let end = mark + 1 + usize::from(text == "财");
            return date(at, end, name);
        }
        return behind_year(s, at, mark + 1, number, name);
    }
    if text.starts_with('月') && (1..=12).contains(&last) && s.before(at).first != '个' {
        return behind_month(s, at, mark + 1, None, last);
    }
    None
}

/// Whether a number before 年 is a year and not a span of years.
fn is_year(s: &Sentence, at: usize, number: u32, ranged: bool) -> bool {
    let token = s.at(at);
    let digits = token.shape == Shape::Digits;
    let four = if digits {
        token.length() == 4 || s.words(at).chars().count() == 4
    } else {
        positional(s.words(at)) && s.words(at).chars().count() == 4
    };
    let led = matches!(s.before(at).first, '于' | '在' | '自' | '於') || s.before(at).has(BC | ERA);
    four && (1000..=2999).contains(&number) || led && (100..3000).contains(&number) && digits && !ranged
}

/// What may follow the year: month and day, quarter, half, 底.
fn behind_year(s: &Sentence, at: usize, end: usize, year: u32, name: String) -> Option<Found> {
    if let Some((month, mark)) = numeral_at(s, end)
        && s.words(mark).starts_with('月')
        && (1..=12).contains(&month)
    {
        return behind_month(s, at, mark + 1, Some(year), month);
    }
    // 1405年至1433年, 2019年—2021年.
    let joiner = s.at(end);
    let joined = joiner.shape == Shape::Sign && matches!(joiner.first, '-' | '–' | '—' | '~' | '～')
        || matches!(s.lone(end), '至' | '到');
    let from = matches!(s.before(at).first, '从' | '由' | '自' | '從');
    if joined
        && !from
        && let Some((upper, mark)) = numeral_at(s, end + 1)
        && s.words(mark).starts_with('年')
        && upper > year
        && upper < 3000
    {
        return date(at, mark + 1, format!("{year}/{upper}"));
    }
    if s.has(end, QUARTER) {
        return date(at, end + 1, name);
    }
    if let Some((quarter, mark)) = numeral_at(s, end + usize::from(s.han(end, '第')))
        && s.has(mark, QUARTER)
    {
        return date(at, mark + 1, format!("{year}-Q{quarter}"));
    }
    date(at, season_in_chinese(s, part(s, end)), name)
}

/// What may follow the month: the day, 底, 份.
fn behind_month(s: &Sentence, at: usize, end: usize, year: Option<u32>, month: u32) -> Option<Found> {
    let head = year.map_or_else(|| "-".to_owned(), |year| format!("{year:04}"));
    if let Some((day, mark)) = numeral_at(s, end)
        && matches!(s.at(mark).first, '日' | '号' | '號')
        && (1..=31).contains(&day)
        && s.words(mark).chars().count() == 1
    {
        return date(at, mark + 1, format!("{head}-{month:02}-{day:02}"));
    }
    let end = end + usize::from(matches!(s.lone(end), '份'));
    date(at, part(s, end), format!("{head}-{month:02}"))
}

/// 底, 初, 末, 中 after a date.
fn part(s: &Sentence, end: usize) -> usize {
    end + usize::from(matches!(s.words(end), "底" | "末" | "上旬" | "下旬" | "中旬"))
}

/// 春, 夏天 after a year; 春节 and 春运 are no seasons.
fn season_in_chinese(s: &Sentence, end: usize) -> usize {
    let whole = matches!(s.words(end), "春天" | "夏天" | "秋天" | "冬天");
    let lone = matches!(s.lone(end), '春' | '夏' | '秋' | '冬')
        && !matches!(s.at(end + 1).first, '节' | '運' | '运' | '晚' | '至');
    end + usize::from(whole) + if lone { 1 + usize::from(s.lone(end + 1) == '天') } else { 0 }
}

/// 初, 中叶, 上半叶 after a century.
fn part_of_century(s: &Sentence, end: usize) -> usize {
    let rest = s.text.get(s.at(end).start..).filter(|_| s.at(end).shape == Shape::Han).unwrap_or_default();
    let tail =
        ["上半叶", "下半叶", "前半叶", "后半叶", "中后期", "中叶", "初期", "中期", "后期", "前期", "末期", "初", "末"];
    let length = tail.iter().find(|tail| rest.starts_with(**tail)).map_or(0, |tail| tail.len());
    let close = s.at(end).start + length;
    (end..end + 4).find(|at| s.at(*at).end == close && length > 0).map_or(end, |at| at + 1)
}

/// Digits or Chinese numerals as a whole number, and the token behind.
fn numeral_at(s: &Sentence, at: usize) -> Option<(u32, usize)> {
    let token = s.at(at);
    let value = match token.shape {
        Shape::Digits => s.words(at).chars().try_fold(0u32, |value, c| {
            let digit = c.to_digit(10).or_else(|| u32::from(c).checked_sub(0xff10).filter(|digit| *digit < 10))?;
            value.checked_mul(10)?.checked_add(digit)
        })?,
        Shape::Numerals => {
            let value = han_value(s.words(at)).0;
            (value < 10_000.0).then_some(value as u32)?
        }
        _ => return None,
    };
    Some((value, at + 1))
}

/// 公元前221年, 上世纪90年代, 康熙五十五年, 民国二十年, 一季度, 上半年.
pub(super) fn read_word(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    if token.has(BC | ERA) {
        let (number, mark) = numeral_at(s, at + 1)?;
        let sign = if s.words(at).ends_with('前') { "-" } else { "" };
        return match s.words(mark) {
            words if words.starts_with('年') => {
                let name =
                    if token.has(ERA) { format!("{}{number}", s.words(at)) } else { format!("{sign}{number:04}") };
                let month = numeral_at(s, mark + 1)
                    .filter(|(month, mark)| (1..=12).contains(month) && s.words(*mark).starts_with('月'));
                let end = month.map_or(mark + 1, |(_, mark)| mark + 1);
                let day =
                    numeral_at(s, end).filter(|(_, mark)| month.is_some() && matches!(s.lone(*mark), '日' | '号'));
                let first = at
                    - usize::from(
                        token.has(ERA) && matches!(s.lone(at.wrapping_sub(1)), '明' | '唐' | '宋' | '清' | '元' | '汉'),
                    );
                date(first, day.map_or(end, |(_, mark)| mark + 1), name)
            }
            _ if s.has(mark, CENTURY) => date(at, mark + 1, format!("{sign}C{number}")),
            _ => None,
        };
    }
    if matches!(s.lone(at), '上' | '本') && s.has(at + 1, CENTURY) {
        let (tens, mark) = numeral_at(s, at + 2)?;
        let start = if s.lone(at) == '上' { 1900 } else { 2000 };
        return s.has(mark, DECADE).then(|| date(at, mark + 1, format!("{}s", start + tens))).flatten();
    }
    if s.lone(at) == '第'
        && let Some((quarter, mark)) = numeral_at(s, at + 1)
        && s.has(mark, QUARTER)
        && (1..=4).contains(&quarter)
    {
        return date(at, mark + 1, format!("Q{quarter}"));
    }
    if token.has(QUARTER) && token.length() >= 9 && s.words(at).ends_with("季度") {
        return date(at, at + 1, s.words(at).to_owned());
    }
    None
}
