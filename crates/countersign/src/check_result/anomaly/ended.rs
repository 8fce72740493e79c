//! A record that says that it is over, done or to be had, beside numbers and times that say the contrary.

use crate::check_result::fields::{Entry, Object, number};
use crate::text::lexicon::is_past;
use crate::text::lists::word_list;
use serde_json::Value;

/// A state against the progress, the end and the numbers beside it, each as it is shown.
pub(crate) fn in_object(object: &Object) -> Option<(String, String)> {
    let state = object.entries.iter().take(MAX_ENTRIES).find(|entry| STATES.iter().any(|name| entry.is(name)));
    let state = state.and_then(|entry| Some((entry, entry.value.as_str()?.trim().to_lowercase())));
    let found = state.and_then(|(entry, state)| {
        let against =
            half_done(object, &state).or_else(|| endless(object, &state)).or_else(|| none_of_all(object, &state));
        Some((format!("`{}` {state}", entry.key), against?))
    });
    found.or_else(|| none_left(object))
}

/// What is over has come to its end: `completed` at 40 percent.
fn half_done(object: &Object, state: &str) -> Option<String> {
    let entry = object.find(PROGRESS).filter(|_| OVER.contains(&state))?;
    let share = share(entry.value)?;
    (share > 0.0 && share < 100.0 && share != 1.0).then(|| shown(entry))
}

/// A percentage: 40, "40%", or 4/10.
fn share(value: &Value) -> Option<f64> {
    let Some(text) = value.as_str() else { return value.as_f64() };
    match text.split_once('/') {
        Some((part, whole)) => Some(part.trim().parse::<f64>().ok()? / whole.trim().parse::<f64>().ok()? * 100.0),
        None => number(&Value::String(text.trim().trim_end_matches(['%', '％']).trim().to_owned())),
    }
}

/// A time at which a state was reached is empty, or one at which it all ended is not: `completed` and `finished_at: null`.
fn endless(object: &Object, state: &str) -> Option<String> {
    let stated = state.strip_prefix('已').unwrap_or(state);
    let entry = object.entries.iter().take(MAX_ENTRIES).find(|entry| {
        let Some(reached) = reached(entry) else { return false };
        let ends = ENDS.contains(&reached);
        let empty = entry.value.is_null() || entry.value.as_str() == Some("");
        let own = reached == stated && (is_past(stated) || state != stated);
        (empty && (own || (ends && OVER.contains(&state))))
            || (entry.value.is_string() && !empty && ends && GOES_ON.contains(&state))
    })?;
    Some(shown(entry))
}

/// The participle of a time: `finished` of `finished_at`, 签收 of 签收时间.
fn reached<'e>(entry: &'e Entry) -> Option<&'e str> {
    let chinese = ["时间", "日期"].iter().find_map(|end| entry.key.strip_suffix(end));
    chinese.filter(|word| !word.is_empty()).or(match entry.words.as_slice() {
        [word, last] if matches!(last.as_str(), "at" | "on" | "time" | "date") => Some(word.as_str()),
        _ => None,
    })
}

/// Something is said to be done, and of all that it consists of nothing is: `ready: 0` of 4.
fn none_of_all(object: &Object, state: &str) -> Option<String> {
    let part = object.find(PARTS).filter(|entry| OVER.contains(&state) && entry.number() == Some(0.0))?;
    // What failed is told of, and "completed" then says that nothing goes on any more.
    let told = |entry: &Entry| entry.has_any(LOST) && entry.number().is_some_and(|lost| lost > 0.0);
    let part = Some(part).filter(|_| !object.entries.iter().take(MAX_ENTRIES).any(told))?;
    let whole = object.find(WHOLES).filter(|entry| entry.number().is_some_and(|all| all > 0.0))?;
    Some(format!("{}, {}", shown(part), shown(whole)))
}

/// Something is said to be there, and none is left of it, or the other way round.
fn none_left(object: &Object) -> Option<(String, String)> {
    let flag = object.find(FLAGS)?;
    let told = flag.value.as_bool().map(|value| if flag.has("sold") || flag.key == "售罄" { !value } else { value });
    let told = told.or_else(|| Some(AVAILABLE.contains(&flag.value.as_str()?)).filter(|is| *is))?;
    let reserved = object
        .entries
        .iter()
        .any(|entry| entry.has_any(&["reserved", "backorder", "preorder", "discontinued", "waitlist"]));
    let left = object.find(STOCK).filter(|_| !reserved);
    let none = |entry: &&Entry| entry.number() == Some(0.0);
    let clashes =
        left.filter(|entry| told == none(entry)).or_else(|| object.find(REST).filter(|entry| told && none(entry)))?;
    clashes.number()?;
    Some((shown(flag), shown(clashes)))
}

fn shown(entry: &Entry) -> String {
    format!("`{}` {}", entry.key, entry.value)
}

const MAX_ENTRIES: usize = 60;
const STATES: &[&str] = &["status", "state", "phase", "job_status", "order_status", "状态", "任务状态", "订单状态"];
/// States in which nothing is open any more. What only says that the request went well is none.
const OVER: &[&str] = word_list!("check_result", "anomaly/ended/over");
const GOES_ON: &[&str] = word_list!("check_result", "anomaly/ended/goes-on");
const ENDS: &[&str] = &["finished", "completed", "ended", "完成", "完工"];
const PROGRESS: &[&str] = word_list!("check_result", "anomaly/ended/progress");
const PARTS: &[&str] = word_list!("check_result", "anomaly/ended/parts");
const LOST: &[&str] =
    &["failed", "failures", "errors", "skipped", "bounced", "rejected", "cancelled", "失败", "失败数"];
const WHOLES: &[&str] = word_list!("check_result", "anomaly/ended/wholes");
const FLAGS: &[&str] = word_list!("check_result", "anomaly/ended/flags");
const AVAILABLE: &[&str] = &["available", "in stock", "有货", "有票", "可订", "可预订", "可预约"];
const STOCK: &[&str] = word_list!("check_result", "anomaly/ended/stock");
/// What is left of something; of a debt or a term it may be more than none while the thing is not to be had.
const REST: &[&str] = word_list!("check_result", "anomaly/ended/rest");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_result::fields::Parts;
    use serde_json::json;

    fn clashes(content: &Value) -> bool {
        Parts::of(content, None).objects.first().and_then(in_object).is_some()
    }

    // RESULT-5
    #[test]
    fn a_state_and_the_numbers_beside_it_agree() {
        for content in [
            json!({"state": "finished", "progress": "3/8"}),
            json!({"status": "done", "percent_complete": 62.5}),
            json!({"状态": "已签收", "签收时间": null}),
            json!({"status": "approved", "approved_at": null}),
            json!({"status": "running", "finished_at": "2026-03-01T08:00:00Z"}),
            json!({"status": "succeeded", "total": 12, "delivered": 0}),
            json!({"bookable": true, "seats_left": 0}),
            json!({"有票": true, "余票": 0}),
        ] {
            assert!(clashes(&content), "{content}");
        }
        for content in [
            json!({"state": "finished", "progress": "8/8"}),
            json!({"status": "done", "progress": 1}),
            json!({"status": "success", "progress": 40}),
            json!({"status": "running", "progress": 40, "finished_at": null}),
            json!({"状态": "派送中", "签收时间": null}),
            json!({"status": "completed", "approved_at": null}),
            json!({"status": "completed", "total": 0, "delivered": 0}),
            json!({"status": "completed", "total": 4, "succeeded": 0, "failed": 4}),
            json!({"available": false, "remaining": 0}),
            json!({"available": false, "remaining": 3}),
            json!({"available": true, "remaining": null}),
            json!({"有票": false, "余票": 0}),
        ] {
            assert!(!clashes(&content), "{content}");
        }
    }
}
