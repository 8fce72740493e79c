//! A scale that is in a field's description binds: "0 to 5", "between 0 and 1", "percent", "0 到 5 分".

use crate::check_result::fields::Entry;
use crate::check_result::pattern::pattern;
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::lists::word_list;
use regex::Regex;
use std::sync::LazyLock;

/// Numbers off the scale that their description gives.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    for object in &subject.parts.objects {
        for entry in object.entries.iter().filter(|entry| !entry.note.is_empty()) {
            let (Some(number), Some((low, high))) = (entry.number(), scale(entry)) else { continue };
            if number < low || number > high {
                let (key, note) = (entry.key, entry.note);
                let evidence = localized!(
                    subject.language,
                    "`{key}` is {number}, its description says “{note}”",
                    "`{key}` 为 {number}，而说明为“{note}”"
                );
                found.push(Finding::new(&codes::SCALE, object.at(entry), evidence));
            }
        }
    }
    found
}

/// The scale in an entry's description.
pub(crate) fn scale(entry: &Entry) -> Option<(f64, f64)> {
    let note = entry.note.to_lowercase();
    let bounds = |found: &regex::Captures| {
        let low: f64 = found.get(1)?.as_str().parse().ok()?;
        let high: f64 = found.get(2)?.as_str().parse().ok()?;
        (low < high).then_some((low, high))
    };
    if let Some(found) = RANGE.captures(&note).and_then(|found| bounds(&found)) {
        return Some(found);
    }
    // A bare dash may be a date or a code; it is a scale only where the note is about nothing else.
    let dashed = DASHED.captures(&note).filter(|_| !note.contains("iso") && !note.contains("e.g"));
    if let Some(found) = dashed.and_then(|found| bounds(&found)) {
        return Some(found);
    }
    if let Some(high) = OUT_OF.captures(&note).and_then(|found| found.get(1)?.as_str().parse().ok()) {
        return Some((0.0, high));
    }
    let percent = ["percent", "percentage", "%", "百分比", "百分数", "百分之"].iter().any(|word| note.contains(word));
    (percent && !note.contains("between 0 and 1")).then(|| percent_bounds(entry, &note)).flatten()
}

/// 0 to 100, open where a percentage may go beyond.
fn percent_bounds(entry: &Entry, note: &str) -> Option<(f64, f64)> {
    let moves = MOVES.iter().any(|word| entry.has(word) || note.contains(word));
    (!moves).then_some((0.0, 100.0))
}

/// Words of percentages that may be negative or above one hundred.
pub(crate) const MOVES: &[&str] = word_list!("check_result", "logic/scale/moves");

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&RANGE);
    LazyLock::force(&DASHED);
    LazyLock::force(&OUT_OF);
}

static RANGE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(-?\d+(?:\.\d+)?)\s*(?:%|分|°)?\s*(?:to|through|and|\.\.|到|至|～|~)\s*(-?\d+(?:\.\d+)?)")
});
static DASHED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:[a-z ]{0,40}[ (:])?(-?\d+(?:\.\d+)?)\s?[-–—]\s?(\d+(?:\.\d+)?)(?:[ ).,分颗星%].*)?$")
});
static OUT_OF: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:out of|满分(?:为)?|scale of)\s*(\d+(?:\.\d+)?)"));

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(key: &str, note: &str) -> Option<(f64, f64)> {
        let value = json!(1);
        let words = crate::text::words::identifier_words(key);
        scale(&Entry { key, words, value: &value, note })
    }

    // RESULT-3
    #[test]
    fn scales_are_read_from_descriptions() {
        assert_eq!(of("rating", "0 to 5"), Some((0.0, 5.0)));
        assert_eq!(of("confidence", "probability between 0 and 1"), Some((0.0, 1.0)));
        assert_eq!(of("rating", "0 到 5 分"), Some((0.0, 5.0)));
        assert_eq!(of("rating", "满分 10 分"), Some((0.0, 10.0)));
        assert_eq!(of("score", "Score (0-100)"), Some((0.0, 100.0)));
        assert_eq!(of("score", "1-5 stars"), Some((1.0, 5.0)));
        assert_eq!(of("humidity", "relative humidity in percent"), Some((0.0, 100.0)));
        assert_eq!(of("change_percent", "change in percent"), None);
        assert_eq!(of("code", "ISO 639-1 code"), None);
        assert_eq!(of("price", "元"), None);
        assert_eq!(of("season", "e.g. 2023-2024"), None);
    }
}
