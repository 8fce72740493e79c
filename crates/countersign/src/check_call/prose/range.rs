//! Ranges of numbers in words: "between 1 and 100", "0-23", "must be positive", "at least 3", "不超过 50".
//!
//! A bound that speaks of another unit than the parameter ("up to 60 hours" for minutes) or of years of data is
//! left out, and so is everything that stands as an example, a habit or a default.

use super::soft::without_soft;
use crate::text::words::{identifier_words, narrow};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// The bounds of a number, as a description states them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower bound.
    pub low: Option<Bound>,
    /// The upper bound.
    pub high: Option<Bound>,
    /// How sure the reading is.
    pub confidence: f64,
}

/// One bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// Where it lies.
    pub at: f64,
    /// Whether the bound itself is allowed.
    pub inclusive: bool,
}

impl Range {
    /// Whether a number lies within.
    pub fn holds(&self, number: f64) -> bool {
        self.low.is_none_or(|low| number > low.at || (low.inclusive && number == low.at))
            && self.high.is_none_or(|high| number < high.at || (high.inclusive && number == high.at))
    }
}

/// Reads the range of a description.
pub(crate) fn read(name: &str, description: &str) -> Option<Range> {
    let interesting = description.bytes().any(|b| b.is_ascii_digit())
        || description.contains("ositive")
        || description.contains("egative")
        || description.contains('正')
        || description.contains('负');
    if !interesting {
        return None;
    }
    let folded: String = description.chars().map(narrow).collect::<String>().replace(['−', '–', '—'], "-");
    let text = without_soft(&folded).to_lowercase();
    two_sided(name, &text).or_else(|| one_sided(name, &text))
}

fn two_sided(name: &str, text: &str) -> Option<Range> {
    for (pattern, confidence) in TWO_SIDED.iter() {
        for found in pattern.captures_iter(text) {
            let (Some(low), Some(high)) = (number(&found, "low"), number(&found, "high")) else { continue };
            // "(2018-2020)" tells which years the data has, or is an example.
            let years = |n: f64| (1800.0..=2200.0).contains(&n) && n.fract() == 0.0;
            let sound = low < high && !(years(low) && years(high)) && speaks_of(name, text, &found);
            if sound {
                let bound = |at| Some(Bound { at, inclusive: true });
                return Some(Range { low: bound(low), high: bound(high), confidence: *confidence });
            }
        }
    }
    None
}

fn one_sided(name: &str, text: &str) -> Option<Range> {
    let mut range = Range { low: None, high: None, confidence: 1.0 };
    for (pattern, side, inclusive, confidence) in ONE_SIDED.iter() {
        let open = match side {
            Which::Low => &mut range.low,
            Which::High => &mut range.high,
        };
        if open.is_some() {
            continue;
        }
        let sound = |found: &Captures<'_>| speaks_of(name, text, found) && !leads_to_dates(text, found);
        let bound = pattern.captures_iter(text).filter(sound).find_map(|found| number(&found, "at"));
        if let Some(at) = bound {
            *open = Some(Bound { at, inclusive: *inclusive });
            range.confidence = range.confidence.min(*confidence);
        }
    }
    if range.low.is_none() {
        range.low = sign(text).map(|(bound, confidence)| {
            range.confidence = range.confidence.min(confidence);
            bound
        });
    }
    let sound = match (range.low, range.high) {
        (None, None) => false,
        (Some(low), Some(high)) => low.at <= high.at,
        _ => true,
    };
    sound.then_some(range)
}

/// "positive", "non-negative" and their kin.
fn sign(text: &str) -> Option<(Bound, f64)> {
    let is = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(text));
    if is(&NON_NEGATIVE) {
        return Some((Bound { at: 0.0, inclusive: true }, 0.85));
    }
    let both = text.contains("negative") || text.contains("non-positive") || text.contains('负');
    (!both && is(&POSITIVE)).then_some((Bound { at: 0.0, inclusive: false }, 0.85))
}

/// Whether the bound is in the parameter's own unit: the unit after the bound comes before it or in the name, or
/// the description knows no other unit.
fn speaks_of(name: &str, text: &str, found: &Captures<'_>) -> bool {
    let Some(whole) = found.get(0) else { return false };
    let after = text.get(whole.end()..).unwrap_or_default();
    let before = text.get(..whole.start()).unwrap_or_default();
    let Some(unit) = UNITS.iter().position(|family| starts_with_unit(after, family)) else { return true };
    let family = |text: &str, at: usize| UNITS.get(at).is_some_and(|forms| mentions(text, forms));
    let name = identifier_words(name).join(" ");
    if family(before, unit) || family(&name, unit) {
        return true;
    }
    let own = |at: usize| at != unit && (family(before, at) || family(&name, at));
    !(0..UNITS.len()).any(own) && !after.trim_start().starts_with("characters")
}

/// "up to 365 days from the start": the distance of a date, not the size of a number.
fn leads_to_dates(text: &str, found: &Captures<'_>) -> bool {
    let Some(whole) = found.get(0) else { return false };
    let after: String = text.get(whole.end()..).unwrap_or_default().chars().take(24).collect();
    [" from ", " after ", " before ", " ago", " in the past", " characters", " decimal", " digits"]
        .iter()
        .any(|word| after.contains(word))
}

fn starts_with_unit(text: &str, forms: &[&str]) -> bool {
    let text = text.trim_start_matches([' ', ')', '(', ']']);
    forms.iter().any(|form| {
        text.strip_prefix(form)
            .is_some_and(|rest| !form.is_ascii() || !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
    })
}

fn mentions(text: &str, forms: &[&str]) -> bool {
    let word = |part: &str| forms.contains(&part);
    text.split(|c: char| !c.is_alphanumeric()).any(word)
        || forms.iter().any(|form| !form.is_ascii() && text.contains(form))
}

fn number(found: &Captures<'_>, group: &str) -> Option<f64> {
    found.name(group)?.as_str().replace([',', '%', ' '], "").parse().ok()
}

#[derive(Debug, Clone, Copy)]
enum Which {
    Low,
    High,
}

const NUMBER: &str = r"-?\d[\d,]*(?:\.\d+)?";

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&TWO_SIDED);
    LazyLock::force(&ONE_SIDED);
    LazyLock::force(&POSITIVE);
    LazyLock::force(&NON_NEGATIVE);
}

static TWO_SIDED: LazyLock<Vec<(Regex, f64)>> = LazyLock::new(|| {
    // What may stand after a number: a sign of percent, quotes, and a remark in brackets.
    let gap = r#"[`'"]?\s?%?(?:\s*\([^()]{0,40}\))?\s*"#;
    let quote = r#"[`'"]?"#;
    let own: &[(String, f64)] = &[
        (format!(r"\bbetween\s+{quote}(?P<low>{NUMBER}){gap}(?:and|to|-)\s*{quote}(?P<high>{NUMBER})"), 0.9),
        (
            format!(
                r"\b(?:from|within)\s+{quote}(?P<low>{NUMBER}){gap}(?:to|through|up to)\s+{quote}(?P<high>{NUMBER})"
            ),
            0.85,
        ),
        (
            format!(
                r"\b(?:range|ranges|ranging|ranged|scale|scaled)(?:\s+(?:is|of|from|between|in|to|are|be|values?))*\s*[:=]?\s*[\[(]?{quote}(?P<low>{NUMBER}){gap}(?:to|and|through|-|~|,|\.\.\.?)\s*{quote}(?P<high>{NUMBER})"
            ),
            0.88,
        ),
        (
            format!(r"[(\[]\s*(?P<low>{NUMBER})\s*(?:-|~|to|\.\.)\s*(?P<high>{NUMBER})(?:\s*,?\s*inclusive)?\s*[)\]]"),
            0.8,
        ),
        (
            format!(
                r"\b(?:must|should|value|values|integer|number|level|rating|score|percentage)(?:\s+(?:be|is|are|in))?\s*:?\s+(?P<low>{NUMBER})\s?(?:-|~|to)\s?(?P<high>{NUMBER})"
            ),
            0.8,
        ),
        (format!(r"(?P<low>{NUMBER})\s*(?:<=|≤)\s*\w+\s*(?:<=|≤)\s*(?P<high>{NUMBER})"), 0.9),
        (
            format!(
                r"(?:介于|在|范围|取值|范围为|范围是|从|:|：)?\s*(?P<low>{NUMBER})\s*(?:到|至|~|和|与|-)\s*(?P<high>{NUMBER})\s*之间"
            ),
            0.9,
        ),
        (
            format!(
                r"(?:范围|取值|取值范围|值域)\s*(?:是|为|在|:|：)?\s*[\[(]?(?P<low>{NUMBER})\s*(?:到|至|~|-|,|，)\s*(?P<high>{NUMBER})"
            ),
            0.88,
        ),
        (format!(r"从\s*(?P<low>{NUMBER})\s*(?:到|至)\s*(?P<high>{NUMBER})"), 0.85),
    ];
    own.iter().filter_map(|(pattern, confidence)| Some((Regex::new(pattern).ok()?, *confidence))).collect()
});

static ONE_SIDED: LazyLock<Vec<(Regex, Which, bool, f64)>> = LazyLock::new(|| {
    let at = format!(r"(?P<at>{NUMBER})");
    let end = r"(?:\s*(?:$|[.,;)\]]|and\b|or\b|inclusive|results?\b|items?\b|entries\b|records?\b|rows?\b|per\b))";
    let be = r"(?:must|should|has to|needs to|cannot|can not|can|value|values|integer|number|limit)\s+(?:not\s+)?(?:be\s+)?(?:an?\s+)?(?:integer\s+|number\s+|value\s+)?";
    let own: &[(String, Which, bool, f64)] = &[
        (
            format!(
                r"{be}(?:positive\s+integer\s+and\s+)?(?:at least|greater than or equal to|no less than|no smaller than|>=|≥)\s*{at}"
            ),
            Which::Low,
            true,
            0.88,
        ),
        (format!(r"{be}(?:greater than|more than|larger than|above|>)\s*{at}"), Which::Low, false, 0.85),
        (
            format!(
                r"(?:^|[.,;(]\s*)(?:at least|minimum|min|min\.|minimum value|min value|minimum of)(?:\s+(?:is|of))?\s*[:=]?\s*{at}{end}"
            ),
            Which::Low,
            true,
            0.8,
        ),
        (
            format!(
                r"(?:不少于|不小于|不低于|至少为?|最小(?:值)?(?:为|是)?|下限(?:为|是)?|大于等于|大于或等于)\s*[:：]?\s*{at}"
            ),
            Which::Low,
            true,
            0.85,
        ),
        (format!(r"(?:必须|应|需要?)大于\s*{at}"), Which::Low, false, 0.85),
        (
            format!(
                r"(?:{be}|\band\s+)(?:at most|less than or equal to|no more than|no greater than|not exceed|<=|≤|up to)\s*{at}"
            ),
            Which::High,
            true,
            0.88,
        ),
        (
            format!(r"(?:must|should|can|may|does)\s*not\s+(?:exceed|be (?:greater|more|larger) than)\s*{at}"),
            Which::High,
            true,
            0.88,
        ),
        (format!(r"{be}(?:less than|smaller than|below|under|<)\s*{at}"), Which::High, false, 0.85),
        (
            format!(
                r"(?:^|[.,;(]\s*)(?:up to|at most|maximum|max|max\.|maximum value|max value|maximum of|maximum is|maximum allowed)(?:\s+(?:is|of))?\s*[:=]?\s*{at}{end}"
            ),
            Which::High,
            true,
            0.8,
        ),
        (
            format!(
                r"(?:不超过|不大于|不多于|不得超过|不高于|最多为?|最大(?:值)?(?:为|是)?|上限(?:为|是)?|小于等于|小于或等于)\s*[:：]?\s*{at}"
            ),
            Which::High,
            true,
            0.85,
        ),
        (format!(r"(?:必须|应|需要?)小于\s*{at}"), Which::High, false, 0.85),
    ];
    own.iter()
        .filter_map(|(pattern, side, inclusive, sure)| Some((Regex::new(pattern).ok()?, *side, *inclusive, *sure)))
        .collect()
});

static POSITIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:must|should|has to|needs to) be (?:an? )?positive\b|\b(?:an?|any) positive (?:integer|number|whole number|decimal|float)\b|正整数|必须为正|应为正数|大于零").ok()
});

static NON_NEGATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\bnon-?negative\b|\b(?:must|should|can|may) ?not be negative\b|非负|不能为负|不得为负").ok()
});

/// Units by family: the forms of one unit stand together.
const UNITS: &[&[&str]] = &[
    &["millisecond", "milliseconds", "ms", "毫秒"],
    &["second", "seconds", "sec", "secs", "秒"],
    &["minute", "minutes", "min", "mins", "分钟"],
    &["hour", "hours", "小时"],
    &["day", "days", "天"],
    &["week", "weeks", "周"],
    &["month", "months", "个月"],
    &["year", "years", "年"],
    &["byte", "bytes"],
    &["kb", "kilobytes"],
    &["mb", "megabytes"],
    &["gb", "gigabytes"],
    &["character", "characters", "chars", "个字符", "字符", "字"],
    &["digit", "digits", "位"],
    &["word", "words"],
    &["meter", "meters", "metres", "米"],
    &["km", "kilometers", "kilometres", "公里", "千米"],
    &["mile", "miles"],
];

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(name: &str, text: &str) -> Option<(Option<f64>, Option<f64>)> {
        read(name, text).map(|range| (range.low.map(|low| low.at), range.high.map(|high| high.at)))
    }

    #[test]
    fn ranges_are_read_from_words() {
        // CALL-4
        for (text, low, high) in [
            ("Must be between 1 and 100.", 1.0, 100.0),
            ("Brightness from 0 (off) to 255 (full).", 0.0, 255.0),
            ("Sampling temperature, range 0.0 to 2.0", 0.0, 2.0),
            ("Opacity, ranging from 0-1.", 0.0, 1.0),
            ("Score on a scale of 1 to 10.", 1.0, 10.0),
            ("Hour of the day (0-23).", 0.0, 23.0),
            ("The value must be between -1,000 and 1,000", -1000.0, 1000.0),
            ("Level (1 - 5, inclusive)", 1.0, 5.0),
            ("返回数量，取值在 1 到 100 之间", 1.0, 100.0),
            ("评分，范围：1-5", 1.0, 5.0),
        ] {
            assert_eq!(bounds("x", text), Some((Some(low), Some(high))), "{text}");
        }
    }

    #[test]
    fn single_bounds_are_read_from_words() {
        // CALL-4
        assert_eq!(bounds("n", "Must be at least 3."), Some((Some(3.0), None)));
        assert_eq!(bounds("n", "How many to return (max 50)."), Some((None, Some(50.0))));
        assert_eq!(bounds("n", "How many to return, up to 50 results"), Some((None, Some(50.0))));
        assert_eq!(bounds("n", "每页条数，不超过 50"), Some((None, Some(50.0))));
        assert_eq!(bounds("n", "Number of copies. Must be a positive integer."), Some((Some(0.0), None)));
        assert!(!read("n", "Must be a positive integer.").unwrap().holds(0.0));
        assert!(read("n", "A non-negative offset").unwrap().holds(0.0));
        assert!(!read("n", "非负整数").unwrap().holds(-1.0));
    }

    #[test]
    fn what_is_no_bound_of_this_number_is_left_out() {
        // CALL-4
        for (name, text) in [
            ("n", "Number of nights, e.g. 1 to 5."),
            ("n", "Typically ranges from 1 to 8."),
            ("n", "Defaults to 10, up to the caller"),
            ("year", "Season (2018-2020)"),
            ("minutes", "Duration in minutes (up to 60 hours)"),
            ("t1", "The end, up to 365 days from the start"),
            ("gain", "Gain, where a positive number raises and a negative one lowers"),
            ("latitude", "positive for N and negative for S"),
            ("n", "Maximum number of results to return. Default is 10."),
            ("id", "The id, such as 1 for A, 2 for B"),
        ] {
            assert_eq!(bounds(name, text), None, "{text}");
        }
    }
}
