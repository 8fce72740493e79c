//! Whether an id-like value follows from what was said, and whether it only stands for one.

use super::alias;
use super::sources::Sources;
use crate::contract::language::is_han;
use crate::conversation::index::stands_in;
use crate::text::lists::word_list;

/// Whether a folded id follows: all its parts were said, it was said with other marks in it, or its thing has another
/// name (`#ffffff` is white).
pub(crate) fn follows(folded: &str, sources: &Sources<'_>) -> bool {
    parts_were_said(folded, sources)
        || sources.squashed(folded)
        || is_international(folded, sources)
        || alias::others(folded).any(|other| sources.said(other))
        || is_well_known(folded)
        || is_numbered_as_said(folded, sources)
        || is_period(folded)
            && PERIODS
                .iter()
                .any(|word| stands_in(sources.text(), word) || !word.is_ascii() && sources.text().contains(word))
}

/// Whether a value is the code of a stretch of time: years and small numbers, as `2026-2027-1`, `2026-q4`, `fy2026`.
fn is_period(folded: &str) -> bool {
    let number = |part: &str| part.trim_start_matches(['q', 'h', 's', 'f', 'y', 'w', 't']).parse::<u32>().ok();
    let parts: Option<Vec<u32>> = folded.split(['-', '/', '_', ' ']).map(number).collect();
    let years = |parts: &[u32]| parts.iter().filter(|part| (1990..2100).contains(*part)).count();
    parts.is_some_and(|parts| {
        let small = parts.iter().filter(|part| (1..=53).contains(*part)).count();
        parts.len() <= 3 && years(&parts) >= 1 && years(&parts) + small == parts.len() && small <= 1
    })
}

/// Whether the numbers of a value with Chinese signs were all said: 3号楼1702室 for 3号楼1702.
fn is_numbered_as_said(folded: &str, sources: &Sources<'_>) -> bool {
    let mut numbers = folded.split(|c: char| !c.is_ascii_digit()).filter(|number| number.len() >= 2).peekable();
    folded.chars().any(is_han)
        && numbers.peek().is_some()
        && numbers.all(|number| sources.squashed(number) && sources.text().contains(number))
}

/// Whether a number of a phone is one that was said, with its country before it: +49 171 … for 0171 ….
fn is_international(folded: &str, sources: &Sources<'_>) -> bool {
    let Some(digits) =
        folded.strip_prefix('+').filter(|rest| rest.bytes().all(|b| b.is_ascii_digit() || b == b' ' || b == b'-'))
    else {
        return false;
    };
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    // A country has one to three digits; what people leave out at home is the zero before the rest.
    (8..=15).contains(&digits.len())
        && (1..=3).any(|country| {
            digits
                .get(country..)
                .is_some_and(|rest| sources.squashed(&format!("0{rest}")) || rest.len() >= 8 && sources.squashed(rest))
        })
}

/// Whether a value stands for one that the model did not have: `<API_KEY>`, `your_token`, `https://example.com`.
pub(crate) fn is_placeholder(folded: &str) -> bool {
    let framed = (folded.starts_with('<') && folded.ends_with('>')) || (folded.contains('{') && folded.contains('}'));
    let words = || folded.split(|c: char| !c.is_ascii_alphanumeric());
    let named =
        folded.starts_with("your_") || folded.starts_with("your-") || words().any(|w| PLACEHOLDERS.contains(&w));
    folded.len() <= 60 && (framed || named) && !folded.contains(' ')
}

/// Files and folders that every project or system has.
fn is_well_known(folded: &str) -> bool {
    let last = folded.trim_end_matches('/').rsplit(['/', '\\']).next().unwrap_or(folded);
    WELL_KNOWN.contains(&last)
}

/// A path of a known folder and a known file, an e-mail of a known name at a known host.
fn parts_were_said(folded: &str, sources: &Sources<'_>) -> bool {
    let parts: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let known = |part: &str| {
        COMMON_PARTS.contains(&part)
            || sources.any(|tokens| tokens.has_exact(part) || tokens.has_word(part))
            || (part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let names = parts.iter().filter(|part| !COMMON_PARTS.contains(part)).count();
    names > 0 && parts.iter().all(|part| known(part))
}

/// Stretches of time that have a code of their own.
const PERIODS: &[&str] = &[
    "semester",
    "term",
    "quarter",
    "academic year",
    "school year",
    "fiscal year",
    "half-year",
    "学期",
    "学年",
    "季度",
    "财年",
    "半年",
];

/// Parts of addresses and paths that everybody knows.
const COMMON_PARTS: &[&str] = word_list!("check_call", "provenance/ids/common-parts");

const PLACEHOLDERS: &[&str] = &["example", "placeholder", "dummy", "xxx", "xxxx", "changeme", "todo", "tbd", "foobar"];

const WELL_KNOWN: &[&str] = word_list!("check_call", "provenance/ids/well-known");
