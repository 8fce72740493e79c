//! Dates and times as templates: `YYYY-MM-DD`, `dd/mm/yyyy`, `HH:MM:SS`, `%Y-%m-%d`, `YYYY年MM月DD日`.
//!
//! A template is cut into fields once; a value is matched field by field, and a date that fits but cannot exist is
//! told apart from one that does not fit. A single digit where two are asked for is accepted: every reader that we
//! know takes it.

/// A compiled template.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// The template as it was written.
    pub text: String,
    parts: Vec<Part>,
}

/// How a value compares with a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It has the form, and it exists.
    Fits,
    /// It has the form, and no calendar or clock has it.
    Impossible,
    /// It has another form.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Year,
    ShortYear,
    Month,
    MonthName,
    Day,
    Hour,
    Minute,
    Second,
    Fraction,
    Zone,
    Half,
    Literal(char),
}

impl Shape {
    /// Compiles a template. `None` where it is not one: it needs a year and a month, a month and a day, or an hour
    /// and a minute.
    pub fn compile(text: &str) -> Option<Self> {
        let mut parts = if text.contains('%') { percent(text)? } else { letters(text)? };
        settle_minutes(&mut parts);
        let has = |part: Part| parts.contains(&part);
        let count = |wanted: &[Part]| parts.iter().filter(|part| wanted.contains(part)).count();
        let (months, days) = (count(&[Part::Month, Part::MonthName]), count(&[Part::Day]));
        // Two months and one year are a slip of the pen; two whole dates are a span.
        if months.max(days) > 1 && months != days {
            return None;
        }
        let month = has(Part::Month) || has(Part::MonthName);
        let year = has(Part::Year) || has(Part::ShortYear);
        let date = month && (year || has(Part::Day));
        let time = has(Part::Minute) && (has(Part::Hour) || has(Part::Second));
        let literal = |part: &Part| matches!(part, Part::Literal(_));
        // Without a mark between them only a whole date (`YYYYMMDD`) is a template; `MMDD` may be anything.
        let plain = !parts.iter().any(literal);
        ((date || time) && (!plain || has(Part::Year))).then(|| Self { text: text.to_owned(), parts })
    }

    /// Whether the template has a date in it.
    pub fn has_date(&self) -> bool {
        self.parts.contains(&Part::Day) || self.parts.contains(&Part::Month)
    }

    /// Writes a day in the form of the template; `None` where the template wants more than a day.
    pub fn write(&self, year: i32, month: u32, day: u32) -> Option<String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Year => out.push_str(&format!("{year:04}")),
                Part::Month => out.push_str(&format!("{month:02}")),
                Part::Day => out.push_str(&format!("{day:02}")),
                Part::Literal(mark) => out.push(*mark),
                _ => return None,
            }
        }
        Some(out)
    }

    /// Compares a value with the template.
    pub fn fit(&self, value: &str) -> Fit {
        let mut found = Fields::default();
        let mut rest = value.trim();
        let mut before = None;
        for (at, part) in self.parts.iter().enumerate() {
            // `YYYYMMDD`: fields that touch each other have all their digits.
            let tight = matches!(before, Some(part) if !matches!(part, Part::Literal(_)))
                || matches!(self.parts.get(at + 1), Some(next) if is_digits(*next));
            match take(*part, rest, tight, &mut found) {
                Some(left) => rest = left,
                None => return Fit::Other,
            }
            before = Some(*part);
        }
        if !rest.is_empty() {
            return Fit::Other;
        }
        if found.exists() { Fit::Fits } else { Fit::Impossible }
    }
}

#[derive(Debug, Default)]
struct Fields {
    year: Option<i32>,
    month: Option<u32>,
    day: Option<u32>,
    hour: Option<u32>,
    minute: Option<u32>,
    second: Option<u32>,
}

impl Fields {
    fn exists(&self) -> bool {
        date_exists(self.year, self.month, self.day)
            && self.hour.is_none_or(|hour| hour <= 24)
            && self.minute.is_none_or(|minute| minute <= 59)
            && self.second.is_none_or(|second| second <= 60)
    }
}

/// Whether a date exists, as far as it is known. Without a year the 29th of February exists.
pub(crate) fn date_exists(year: Option<i32>, month: Option<u32>, day: Option<u32>) -> bool {
    let Some(month) = month else { return day.is_none_or(|day| (1..=31).contains(&day)) };
    let leap = year.is_none_or(|year| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    day.is_none_or(|day| (1..=days).contains(&day))
}

fn is_digits(part: Part) -> bool {
    !matches!(part, Part::Literal(_) | Part::Zone | Part::Half | Part::MonthName)
}

fn take<'a>(part: Part, text: &'a str, tight: bool, found: &mut Fields) -> Option<&'a str> {
    let two = |text: &'a str| digits(text, if tight { 2 } else { 1 }, 2);
    match part {
        Part::Year => digits(text, 4, 4).map(|(year, rest)| {
            found.year = i32::try_from(year).ok();
            rest
        }),
        Part::ShortYear => digits(text, 2, 2).map(|(_, rest)| rest),
        Part::Month => two(text).map(|(month, rest)| {
            found.month = Some(month);
            rest
        }),
        Part::Day => two(text).map(|(day, rest)| {
            found.day = Some(day);
            rest
        }),
        Part::Hour => two(text).map(|(hour, rest)| {
            found.hour = Some(hour);
            rest
        }),
        Part::Minute => two(text).map(|(minute, rest)| {
            found.minute = Some(minute);
            rest
        }),
        Part::Second => two(text).map(|(second, rest)| {
            found.second = Some(second);
            rest.strip_prefix('.').and_then(|rest| digits(rest, 1, 9)).map_or(rest, |(_, rest)| rest)
        }),
        Part::Fraction => Some(text.trim_start_matches(|c: char| c.is_ascii_digit())),
        Part::Zone => zone(text),
        Part::Half => half(text),
        Part::MonthName => month_name(text),
        Part::Literal(mark) => text.strip_prefix(mark),
    }
}

/// Between `least` and `most` digits and what follows them.
pub(crate) fn digits(text: &str, least: usize, most: usize) -> Option<(u32, &str)> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(count).filter(|_| count >= least)?;
    Some((number.parse().ok()?, rest))
}

fn zone(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix(['Z', 'z']) {
        return Some(rest);
    }
    let rest = text.strip_prefix(['+', '-'])?;
    let (_, rest) = digits(rest, 2, 2)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    Some(digits(rest, 2, 2).map_or(rest, |(_, rest)| rest))
}

fn half(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let (mark, rest) = text.split_at_checked(2)?;
    (mark.eq_ignore_ascii_case("am") || mark.eq_ignore_ascii_case("pm")).then_some(rest)
}

fn month_name(text: &str) -> Option<&str> {
    let (mark, rest) = text.split_at_checked(3)?;
    const NAMES: &str = "jan feb mar apr may jun jul aug sep oct nov dec";
    NAMES.split(' ').any(|name| mark.eq_ignore_ascii_case(name)).then(|| rest.trim_start_matches(char::is_alphabetic))
}

/// A template of letters: `YYYY-MM-DD HH:mm:ss`.
fn letters(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let lower = c.to_ascii_lowercase();
        if !c.is_ascii_alphabetic() {
            parts.push(Part::Literal(c));
            continue;
        }
        let mut count = 1;
        while chars.peek().is_some_and(|next| next.eq_ignore_ascii_case(&c)) {
            chars.next();
            count += 1;
        }
        parts.push(match (lower, count) {
            ('y', 4) => Part::Year,
            ('y', 2) => Part::ShortYear,
            ('m', 3) => Part::MonthName,
            ('m', 1 | 2) => Part::Month,
            ('d', 1 | 2) => Part::Day,
            ('h', 1 | 2) => Part::Hour,
            ('s', 1 | 2) => Part::Second,
            ('s' | 'f', 3..=9) => Part::Fraction,
            ('z' | 'x', _) => Part::Zone,
            ('t', 1) => Part::Literal(c),
            ('a' | 'p', 1) if chars.next_if(|next| next.eq_ignore_ascii_case(&'m')).is_some() => Part::Half,
            _ => return None,
        });
    }
    Some(join_halves(parts))
}

/// `AM/PM` is one field.
fn join_halves(parts: Vec<Part>) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        let slash = joined.last() == Some(&Part::Literal('/'));
        if part == Part::Half && slash && joined.iter().rev().nth(1) == Some(&Part::Half) {
            joined.pop();
            continue;
        }
        // The blank before a half is optional: `7:00PM`.
        if part == Part::Half && joined.last() == Some(&Part::Literal(' ')) {
            joined.pop();
        }
        joined.push(part);
    }
    joined
}

/// A template of `strftime`: `%Y-%m-%d`.
fn percent(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            parts.push(Part::Literal(c));
            continue;
        }
        parts.push(match chars.next()? {
            'Y' => Part::Year,
            'y' => Part::ShortYear,
            'm' => Part::Month,
            'b' | 'B' => Part::MonthName,
            'd' | 'e' => Part::Day,
            'H' | 'I' => Part::Hour,
            'M' => Part::Minute,
            'S' => Part::Second,
            'f' => Part::Fraction,
            'p' => Part::Half,
            'z' | 'Z' => Part::Zone,
            _ => return None,
        });
    }
    Some(parts)
}

/// `MM` is a month or a minute: a minute where an hour comes before it or seconds follow it at a colon.
fn settle_minutes(parts: &mut [Part]) {
    let kinds: Vec<Part> = parts.to_vec();
    for (at, part) in parts.iter_mut().enumerate() {
        let back = |by: usize| at.checked_sub(by).and_then(|at| kinds.get(at));
        let hour =
            back(1) == Some(&Part::Hour) || (back(2) == Some(&Part::Hour) && back(1) == Some(&Part::Literal(':')));
        let second = kinds.get(at + 1) == Some(&Part::Literal(':')) && kinds.get(at + 2) == Some(&Part::Second);
        if *part == Part::Month && (hour || second) {
            *part = Part::Minute;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(template: &str, value: &str) -> Fit {
        Shape::compile(template).unwrap().fit(value)
    }

    #[test]
    fn templates_tell_form_and_existence() {
        // CALL-4
        assert_eq!(fit("YYYY-MM-DD", "2026-02-28"), Fit::Fits);
        assert_eq!(fit("YYYY-MM-DD", "2026-2-8"), Fit::Fits);
        assert_eq!(fit("YYYY-MM-DD", "2026-02-30"), Fit::Impossible);
        assert_eq!(fit("YYYY-MM-DD", "02/28/2026"), Fit::Other);
        assert_eq!(fit("YYYY-MM-DD", "2026-02-28x"), Fit::Other);
        assert_eq!(fit("dd/mm/yyyy", "28/02/2026"), Fit::Fits);
        assert_eq!(fit("MM/DD/YYYY", "28/02/2026"), Fit::Impossible);
        assert_eq!(fit("YYYY-MM-DDTHH:MM:SSZ", "2026-02-28T10:20:30Z"), Fit::Fits);
        assert_eq!(fit("YYYY-MM-DDTHH:MM:SSZ", "2026-02-28T10:20:30.5+08:00"), Fit::Fits);
        assert_eq!(fit("HH:MM", "25:99"), Fit::Impossible);
        assert_eq!(fit("HH:MM AM/PM", "7:30pm"), Fit::Fits);
        assert_eq!(fit("HH:MM AM/PM", "7:30"), Fit::Other);
        assert_eq!(fit("%Y-%m-%d %H:%M", "2026-02-28 10:59"), Fit::Fits);
        assert_eq!(fit("YYYYMMDD", "20260228"), Fit::Fits);
        assert_eq!(fit("YYYYMMDD", "2026228"), Fit::Other);
        assert_eq!(fit("YYYY年MM月DD日", "2026年2月28日"), Fit::Fits);
        assert_eq!(fit("DD MMM YYYY", "3 March 2026"), Fit::Fits);
    }

    #[test]
    fn a_day_is_written_in_the_form() {
        // CALL-4
        let write = |template: &str| Shape::compile(template).unwrap().write(2026, 3, 4);
        assert_eq!(write("DD/MM/YYYY").as_deref(), Some("04/03/2026"));
        assert_eq!(write("YYYY-MM-DD HH:MM"), None);
    }

    #[test]
    fn what_is_no_template_is_none() {
        for text in ["ddd", "MM", "sad", "Day-Month", "hh", "YYYY", "MMDD", "%q", ""] {
            assert!(Shape::compile(text).is_none(), "{text}");
        }
    }
}
