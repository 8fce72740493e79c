//! Formats in words: templates of dates, and forms that have a name (ISO 8601, ISO 4217, IATA, E.164 …).
//!
//! A description may name several; a value need have only one of them. A name that stands beside an alternative in
//! words ("the IATA code or the name of the city") binds nobody.

use super::shape::{Fit, Shape, digits};
use super::soft::without_examples;
use regex::Regex;
use std::sync::LazyLock;

/// The forms that a description names.
#[derive(Debug, Clone, PartialEq)]
pub struct Formats {
    /// Each of them; a value needs one.
    pub any: Vec<Format>,
    /// How sure the reading is.
    pub confidence: f64,
}

/// One form.
#[derive(Debug, Clone, PartialEq)]
pub enum Format {
    /// A template of a date or time.
    Shape(Shape),
    /// Any form of ISO 8601.
    Iso,
    /// A time of day on 24 hours.
    Clock,
    /// So many letters, with a name.
    Letters(Vec<usize>, &'static str),
    /// A language code, with or without a region.
    LanguageCode,
    /// A telephone number of E.164.
    Phone,
    /// A UUID.
    Uuid,
    /// A colour in hexadecimal digits.
    Colour,
}

impl Formats {
    /// How a value compares with all of the forms: the best fit wins.
    pub fn fit(&self, value: &str) -> Fit {
        let mut best = Fit::Other;
        for format in &self.any {
            match format.fit(value) {
                Fit::Fits => return Fit::Fits,
                Fit::Impossible => best = Fit::Impossible,
                Fit::Other => {}
            }
        }
        best
    }

    /// Their names, for people.
    pub fn names(&self) -> String {
        self.any.iter().map(Format::name).collect::<Vec<_>>().join(" / ")
    }

    /// Whether all of them are dates or times.
    pub fn are_dates(&self) -> bool {
        self.any.iter().all(|format| matches!(format, Format::Shape(_) | Format::Iso | Format::Clock))
    }
}

impl Format {
    /// How a value compares with the form.
    pub fn fit(&self, value: &str) -> Fit {
        let fits = match self {
            Self::Shape(shape) => return shape.fit(value),
            Self::Iso => return iso(value),
            Self::Clock => return clock(value),
            Self::Letters(counts, _) => {
                let code = value.trim();
                counts.contains(&code.len()) && code.bytes().all(|b| b.is_ascii_alphanumeric())
            }
            Self::LanguageCode => language_code(value),
            Self::Phone => phone(value),
            Self::Uuid => is_uuid(value),
            Self::Colour => colour(value),
        };
        if fits { Fit::Fits } else { Fit::Other }
    }

    fn name(&self) -> String {
        match self {
            Self::Shape(shape) => shape.text.clone(),
            Self::Iso => "ISO 8601".to_owned(),
            Self::Clock => "HH:MM".to_owned(),
            Self::Letters(_, name) => (*name).to_owned(),
            Self::LanguageCode => "ISO 639-1".to_owned(),
            Self::Phone => "E.164".to_owned(),
            Self::Uuid => "UUID".to_owned(),
            Self::Colour => "#RRGGBB".to_owned(),
        }
    }
}

/// Reads the forms of a description.
pub(crate) fn read(description: &str) -> Option<Formats> {
    let Templates { found: mut any, open, readable } = templates(description);
    // Nobody knows what `MM-DD-YYY` takes, so it forbids nothing, and neither does what stands beside it.
    if !readable {
        return None;
    }
    let hard = without_examples(description).to_lowercase();
    // A list that begins with "such as" has no end: other forms may be as good.
    if open && !hard.contains("iso") {
        return None;
    }
    let mut confidence: f64 = 0.9;
    for (pattern, make, sure) in NAMED.iter() {
        let Some(found) = pattern.find(&hard) else { continue };
        let clock_beside_template = matches!(make(), Format::Clock) && !any.is_empty();
        if has_alternative(&hard, found.start(), found.end()) || clock_beside_template {
            continue;
        }
        any.push(make());
        confidence = confidence.min(*sure);
    }
    // Two templates with "to" between them are one span of time: too many ways to write it.
    let span = SPAN.as_ref().is_some_and(|span| span.is_match(description));
    (!any.is_empty() && !span).then_some(Formats { any, confidence })
}

/// The templates in a text.
struct Templates {
    found: Vec<Format>,
    /// Whether they are in an open list of examples.
    open: bool,
    /// Whether all of them could be read to their end.
    readable: bool,
}

fn templates(description: &str) -> Templates {
    let mut all = Templates { found: Vec::new(), open: false, readable: true };
    let Some(pattern) = TEMPLATE.as_ref() else { return all };
    let hard = without_examples(description);
    let mut examples = 0;
    for run in pattern.find_iter(description) {
        let text = run.as_str().trim_end_matches([' ', '-', '/', '.', ':', ',']);
        if let Some(shape) = Shape::compile(text) {
            examples += usize::from(hard.get(run.range()).is_none_or(|kept| kept.trim().is_empty()));
            all.found.push(Format::Shape(shape));
            all.readable &= is_whole(description, run.start(), run.start() + text.len());
        }
    }
    // One template as an example of the format is the format; several are a choice of them.
    all.open = examples > 1;
    all
}

/// Whether a template ends where it was read to: no further letter or digit touches it, and no field that we do not
/// know (`YYY`, `MMMM`, `%Q`) comes before or behind it.
fn is_whole(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let touches = |c: char| c.is_ascii_alphanumeric();
    if before.ends_with(touches) || after.starts_with(touches) {
        return false;
    }
    let before = before.trim_end_matches(is_mark);
    let word = before.get(before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len()..).unwrap_or_default();
    let after = after.trim_start_matches(is_mark);
    let next = after.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let next = after.get(..after.len() - next.len()).unwrap_or_default();
    !is_field(word) && !is_field(next) && !after.starts_with('%') && !before.ends_with('%')
}

/// What may be between the fields of a template.
fn is_mark(c: char) -> bool {
    matches!(c, ' ' | ',' | '-' | '/' | '.' | ':')
}

/// One letter again and again, as fields are written.
fn is_field(word: &str) -> bool {
    let mut letters = word.chars().map(|c| c.to_ascii_lowercase());
    let Some(first) = letters.next() else { return false };
    word.len() > 1 && letters.all(|letter| letter == first)
}

/// Whether "or" beside a named form opens another way to say it.
fn has_alternative(text: &str, start: usize, end: usize) -> bool {
    let after: String = text.get(end..).unwrap_or_default().chars().take(32).collect();
    let before = text.get(..start).unwrap_or_default();
    let tail: String = before.chars().rev().take(28).collect::<Vec<_>>().into_iter().rev().collect();
    let sentence = after.split(['.', ';', '。']).next().unwrap_or_default();
    let clause = tail.rsplit(['.', ';', '。']).next().unwrap_or_default();
    [sentence, clause].iter().any(|part| {
        part.contains(" or ")
            || part.contains(" and ")
            || part.contains('/')
            || part.contains('或')
            || part.contains("name")
    })
}

/// Any form of ISO 8601: date, week, time, date and time, duration, interval. Impossible ones are told apart.
pub(crate) fn iso(value: &str) -> Fit {
    let value = value.trim();
    if let Some((first, second)) = value.split_once('/')
        && first.len() >= 8
        && second.len() >= 2
    {
        return worse(iso(first), iso(second));
    }
    if value.starts_with(['P', 'p']) {
        let rest = value.bytes().skip(1);
        let sound = rest.clone().all(|b| b.is_ascii_digit() || b"YMWDTHSymwdths.,".contains(&b));
        return if sound && rest.count() > 1 { Fit::Fits } else { Fit::Other };
    }
    let cut = value.find(['T', 't', ' ']).unwrap_or(value.len());
    let (date, time) = value.split_at_checked(cut).unwrap_or((value, ""));
    let day = ISO_DATES.iter().map(|shape| shape.fit(date)).fold(Fit::Other, better);
    let Some(time) = time.get(1..).filter(|time| !time.is_empty()) else {
        return if day == Fit::Other { clock(date) } else { day };
    };
    if day == Fit::Other { Fit::Other } else { worse(day, clock(strip_zone(time))) }
}

/// A time of day on 24 hours, with or without seconds.
pub(crate) fn clock(value: &str) -> Fit {
    let value = value.trim().trim_start_matches(['T', 't']);
    let value = strip_zone(value);
    let Some((hour, rest)) = digits(value, 1, 2) else { return Fit::Other };
    let mut fields = [0u32; 2];
    let mut rest = rest;
    let mut count = 0;
    for field in &mut fields {
        let next = rest.strip_prefix(':').or(if count == 0 && !rest.is_empty() { Some(rest) } else { None });
        let Some((number, left)) = next.and_then(|next| digits(next, 2, 2)) else { break };
        *field = number;
        rest = left;
        count += 1;
    }
    let fraction = rest.strip_prefix(['.', ',']).and_then(|rest| digits(rest, 1, 9)).map_or(rest, |(_, rest)| rest);
    if !fraction.is_empty() || count == 0 {
        return Fit::Other;
    }
    let sound = hour <= 24 && fields.first().is_some_and(|m| *m <= 59) && fields.get(1).is_some_and(|s| *s <= 60);
    if sound { Fit::Fits } else { Fit::Impossible }
}

fn strip_zone(time: &str) -> &str {
    if let Some(rest) = time.strip_suffix(['Z', 'z']) {
        return rest;
    }
    let at = time.rfind(['+', '-']).filter(|at| *at >= 4);
    at.and_then(|at| time.get(..at)).map_or(time, str::trim_end)
}

fn better(a: Fit, b: Fit) -> Fit {
    match (a, b) {
        (Fit::Fits, _) | (_, Fit::Fits) => Fit::Fits,
        (Fit::Impossible, _) | (_, Fit::Impossible) => Fit::Impossible,
        _ => Fit::Other,
    }
}

fn worse(a: Fit, b: Fit) -> Fit {
    match (a, b) {
        (Fit::Other, _) | (_, Fit::Other) => Fit::Other,
        (Fit::Impossible, _) | (_, Fit::Impossible) => Fit::Impossible,
        _ => Fit::Fits,
    }
}

fn language_code(value: &str) -> bool {
    let (main, region) = value.split_once(['-', '_']).unwrap_or((value, "us"));
    let letters = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric());
    (2..=3).contains(&main.len()) && letters(main) && (2..=4).contains(&region.len()) && letters(region)
}

fn phone(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    (7..=15).contains(&digits) && value.bytes().all(|b| b.is_ascii_digit() || b"+ -()".contains(&b))
}

/// Whether a text is a UUID: 32 hexadecimal digits, with or without hyphens, braces or the `urn:uuid:` prefix.
pub(crate) fn is_uuid(value: &str) -> bool {
    let value = value.trim();
    let value = value.strip_prefix("urn:uuid:").unwrap_or(value);
    let value = value.strip_prefix('{').and_then(|value| value.strip_suffix('}')).unwrap_or(value);
    let hex = value.bytes().filter(u8::is_ascii_hexdigit).count();
    let hyphens = value.bytes().filter(|b| *b == b'-').count();
    hex == 32 && matches!(hyphens, 0 | 4) && hex + hyphens == value.len()
}

fn colour(value: &str) -> bool {
    let value = value.trim();
    let hex = value.strip_prefix('#').unwrap_or(value);
    let hex = hex.strip_prefix("0x").unwrap_or(hex);
    matches!(hex.len(), 3 | 4 | 6 | 8) && hex.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&ISO_DATES);
    LazyLock::force(&TEMPLATE);
    LazyLock::force(&SPAN);
    LazyLock::force(&NAMED);
}

static ISO_DATES: LazyLock<Vec<Shape>> =
    LazyLock::new(|| ["YYYY-MM-DD", "YYYYMMDD", "YYYY-MM"].iter().filter_map(|text| Shape::compile(text)).collect());

/// Runs of template fields with the marks between them.
static TEMPLATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let field = r"(?:[Yy]{4}|[Yy]{2}|M{1,3}|m{2}|[Dd]{1,2}|[Hh]{1,2}|[Ss]{2,9}|f{3,9}|Z|[AaPp][Mm](?:/[AaPp][Mm])?)";
    let plain = r"YYYYMMDD(?:HHMMSS)?|yyyymmdd|YYYYMM";
    let percent = r"%[YymdHMSIpzfbBe](?:[-/.:T ,]*%[YymdHMSIpzfbBe])+";
    Regex::new(&format!(
        r"\b(?:{plain})\b|{percent}|\b{field}(?:(?:[-/.:]|[ ,T]|, |年|月|日|时|分)['’]?T?['’]?{field})+(?:\.?[sSf]{{3,6}})?(?:Z{{1,2}}\b|[日时分秒])?"
    ))
    .ok()
});

static SPAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:dd|mm|yyyy|ss)['’\x22]?\s*(?:\bto\b|~|至|到|\s-\s)\s*['’\x22]?(?:yyyy|dd|mm|hh)").ok()
});

type Make = fn() -> Format;

static NAMED: LazyLock<Vec<(Regex, Make, f64)>> = LazyLock::new(|| {
    let own: &[(&str, Make, f64)] = &[
        (r"\biso[ -]?8601\b(?:-1)?|\brfc[ -]?3339\b", || Format::Iso, 0.85),
        (r"\b24[- ]hours? (?:time )?format\b|\b24[- ]hour clock\b|24 ?小时制", || Format::Clock, 0.8),
        (
            r"\b(?:iso[ -]?4217|(?:three|3)[- ]letter currency code|currency code \((?:three|3)[- ]letters?\))",
            || Format::Letters(vec![3], "ISO 4217"),
            0.85,
        ),
        (
            r"\biata (?:airport )?code|\b(?:three|3)[- ]letter airport code|iata ?代码|三字码",
            || Format::Letters(vec![2, 3], "IATA"),
            0.8,
        ),
        (
            r"\b(?:iso[ -]?3166(?:-1)? alpha-2|alpha-2 country code|(?:two|2)[- ]letter (?:iso )?country code)",
            || Format::Letters(vec![2], "ISO 3166-1 alpha-2"),
            0.85,
        ),
        (
            r"\b(?:iso[ -]?3166(?:-1)? alpha-3|alpha-3 country code|(?:three|3)[- ]letter (?:iso )?country code)",
            || Format::Letters(vec![3], "ISO 3166-1 alpha-3"),
            0.85,
        ),
        (
            r"\b(?:two|2)[- ]letter (?:us )?state (?:code|abbreviation)",
            || Format::Letters(vec![2], "two-letter state code"),
            0.8,
        ),
        (r"\biso[ -]?639(?:-1)?\b|\b(?:two|2)[- ]letter (?:iso )?language code", || Format::LanguageCode, 0.85),
        (r"\be\.164\b", || Format::Phone, 0.85),
        (
            r"\b(?:in|valid|as an?) uuid(?: v4)?(?: format)?\b|\buuid format\b|\buuid v4\b|uuid ?格式",
            || Format::Uuid,
            0.85,
        ),
        (r"\b(?:hex|hexadecimal) colou?r(?: code)?\b|#rrggbb", || Format::Colour, 0.75),
    ];
    own.iter().filter_map(|(pattern, make, sure)| Some((Regex::new(pattern).ok()?, *make, *sure))).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(text: &str, value: &str) -> Option<Fit> {
        read(text).map(|formats| formats.fit(value))
    }

    #[test]
    fn formats_are_read_from_words() {
        // CALL-4
        for (text, good, bad) in [
            ("The day in the format 'YYYY-MM-DD'.", "2026-03-04", "March 4th"),
            ("日期，格式为 YYYY-MM-DD", "2026-03-04", "3月4日"),
            ("Start, MM/DD/YYYY", "03/14/2026", "2026-03-14"),
            ("Either YYYY-MM-DD or MM/DD/YYYY", "03/14/2026", "14 March"),
            ("Time in HH:MM (24-hour format)", "07:30", "half past seven"),
            ("When, in ISO 8601 format (e.g. '2026-01-01T00:00:00Z')", "2026-05-01T10:00", "next Friday"),
            ("Length as ISO 8601", "PT1H30M", "ninety minutes"),
            ("A stamp in ISO-8601 format (e.g., 'YYYY-MM-DDTHH:MM:SS')", "2026-05-01T10:00:00", "05.17.26"),
            ("A stamp, YYYY-MM-DDTHH:MM:SSZ", "2026-05-01T10:00:00Z", "at ten"),
            ("The ISO 4217 currency code", "EUR", "euros"),
            ("The IATA code of the airport", "JFK", "New York"),
            ("Two-letter country code", "fr", "France"),
            ("ISO 639-1 code", "zh-CN", "Chinese"),
            ("Phone number in E.164 form", "+14155550100", "call me"),
            ("Id in UUID format", "123e4567-e89b-12d3-a456-426614174000", "42"),
            ("Pickup in 24-hour format", "18:30", "6 pm"),
        ] {
            assert_eq!(fit(text, good), Some(Fit::Fits), "{text}: {good}");
            assert_eq!(fit(text, bad), Some(Fit::Other), "{text}: {bad}");
        }
        assert_eq!(fit("The day, YYYY-MM-DD", "2026-02-30"), Some(Fit::Impossible));
        assert_eq!(fit("ISO 8601", "2026-02-30T10:00:00Z"), Some(Fit::Impossible));
    }

    #[test]
    fn a_format_that_cannot_be_read_is_no_rule() {
        // CALL-4
        for text in [
            "Date in MM-DD-YYY format",
            "Date (YYY-MM-DD)",
            "Date: YYYYY-MM-DD",
            "MMMM DD, YYYY",
            "EEE, dd MMM yyyy",
            "YYYY-MM-DD'T'HH:mm:ssXXX",
            "YYYY-MM-DDT00:00:00Z",
            "Either YYYY-MM-DD or MM-DD-YYY",
            "MM-MM-YYYY",
            "DD-DD-YYYY",
            "%Y-%m-%d %Q",
            "日期，格式 YYY-MM-DD",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        for text in [
            "date:YYYY-MM-DD",
            "my date, YYYY-MM-DD",
            "YYYY-MM-DD (e.g. 2024-01-31).",
            "日期 YYYY-MM-DD",
            "DD/MM/YYYY.",
        ] {
            assert!(read(text).is_some(), "{text}");
        }
    }

    #[test]
    fn alternatives_and_open_lists_bind_nobody() {
        // CALL-4
        for text in [
            "The IATA code or name of the city",
            "City name or IATA code",
            "A time in any known form such as 'YYYY-MM-DD HH:MM', 'HH:MM', or 'HH:MM AM/PM'",
            "Window in the format 'YYYY-MM-DD HH:MM to YYYY-MM-DD HH:MM'",
            "Accepts common forms e.g. 2022-04-28",
            "Add the item to my list",
            "The name, for example Amy Adams",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
