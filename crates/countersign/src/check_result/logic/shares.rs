//! Shares of one whole make the whole: a single-choice poll, probabilities, an allocation.

use super::totals::plain;
use crate::check_result::fields::{List, Object, number};
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use serde_json::Value;

/// Lists of shares, and objects of probabilities.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let choice = Choice::of(subject);
    let mut found: Vec<Finding> =
        subject.parts.lists.iter().filter_map(|list| percentages(subject, list, choice)).collect();
    found.extend(subject.parts.objects.iter().filter_map(|object| probabilities(subject, object)));
    if choice == Choice::Single {
        found.extend(subject.parts.objects.iter().filter_map(|object| votes(subject, object)));
    }
    found
}

/// How many options one respondent could choose, as the texts tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Single,
    Several,
    Untold,
}

impl Choice {
    fn of(subject: &Subject) -> Self {
        let own = subject.parts.texts.iter().take(200).map(|text| text.text);
        let flagged =
            subject.parts.objects.iter().flat_map(|object| &object.entries).any(|entry| {
                entry.has_any(&["multiple", "multi", "multiselect"]) && entry.value.as_bool() == Some(true)
            });
        let texts: Vec<String> = own.chain([subject.description()]).map(str::to_lowercase).collect();
        let says = |words: &[&str]| texts.iter().any(|text| words.iter().any(|word| text.contains(word)));
        if flagged || says(SEVERAL) {
            Self::Several
        } else if says(SINGLE) {
            Self::Single
        } else {
            Self::Untold
        }
    }
}

fn percentages(subject: &Subject, list: &List, choice: Choice) -> Option<Finding> {
    let share = |item: &Value| SHARES.iter().find_map(|key| number(item.get(*key)?));
    let shares: Option<Vec<f64>> = list.items.iter().map(share).collect();
    let shares = shares.filter(|shares| shares.len() >= 2 && choice != Choice::Several)?;
    let sum: f64 = shares.iter().sum();
    let whole = if shares.iter().all(|share| *share <= 1.0) && sum < 10.0 { 1.0 } else { 100.0 };
    #[expect(clippy::cast_precision_loss, reason = "a list's length is small")]
    let slack = whole * (0.01 + 0.005 * shares.len() as f64);
    let short = choice == Choice::Single && sum < whole - slack;
    (sum > whole + slack || short).then(|| {
        let (sum, whole) = (plain(sum), plain(whole));
        let evidence = localized!(
            subject.language,
            "the shares add up to {sum} instead of {whole}",
            "各项占比之和为 {sum}，应为 {whole}"
        );
        Finding::new(&codes::SHARES, list.pointer.clone(), evidence)
    })
}

fn probabilities(subject: &Subject, object: &Object) -> Option<Finding> {
    let named = ["probabilities", "probs", "distribution", "class_probabilities"].contains(&object.key);
    let values: Option<Vec<f64>> = object.entries.iter().map(|entry| entry.number()).collect();
    let values =
        values.filter(|values| named && values.len() >= 2 && values.iter().all(|v| (0.0..=1.0).contains(v)))?;
    let sum: f64 = values.iter().sum();
    (!(0.9..=1.03).contains(&sum)).then(|| {
        let sum = plain(sum);
        let evidence = localized!(subject.language, "the probabilities add up to {sum}", "各概率之和为 {sum}");
        Finding::new(&codes::SHARES, object.pointer.clone(), evidence)
    })
}

/// More votes than voters.
fn votes(subject: &Subject, object: &Object) -> Option<Finding> {
    let voters = object.number(&["respondents", "voters", "total_votes", "total_respondents", "participants"])?;
    let lists = object.entries.iter().filter_map(|entry| entry.value.as_array());
    let mut sums = lists.filter_map(|items| {
        let votes: Option<Vec<f64>> =
            items.iter().map(|item| number(item.get("votes").or_else(|| item.get("count"))?)).collect();
        votes.filter(|votes| votes.len() >= 2).map(|votes| votes.iter().sum::<f64>())
    });
    let sum = sums.find(|sum| *sum > voters)?;
    let evidence = localized!(subject.language, "{sum} votes of {voters} voters", "{voters} 人投出了 {sum} 票");
    Some(Finding::new(&codes::SHARES, object.pointer.clone(), evidence))
}

const SHARES: &[&str] = &["percent", "percentage", "share", "pct", "weight_percent", "market_share", "allocation"];
const SINGLE: &[&str] =
    &["exactly one", "single choice", "single-choice", "one option", "choose one", "单选", "只能选一", "仅选一"];
const SEVERAL: &[&str] = &[
    "multiple",
    "select all",
    "all that apply",
    "multi-select",
    "multi-choice",
    "more than one",
    "several",
    "多选",
    "可多选",
    "top ",
];
