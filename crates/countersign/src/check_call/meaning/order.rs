//! Pairs in the wrong order: a start after its end, a minimum above its maximum.
//!
//! Only values of the same object that can be compared are: two numbers, or two ISO dates. Times of day are not: a
//! night shift ends before it began.

use super::date::day_of;
use super::value::quote;
use crate::check_call::prose::pair::{Half, Kind, Side};
use crate::check_call::subject::{Node, Said, Subject};
use crate::contract::Finding;
use crate::contract::codes::meaning::BROKEN_ORDER;
use crate::localized;
use rustc_hash::FxHashMap;
use serde_json::Value;

/// The findings on a call's pairs. Each half is met once, so that many pairs cost no more than their number.
pub(crate) fn find(subject: &Subject<'_>, said: &mut Said) {
    let of = |half: Half| {
        let sides = subject.values.all().iter().filter_map(|node| side_of(node).map(|side| (node, side)));
        sides.filter(move |(_, side)| side.half == half)
    };
    if of(Half::Low).next().is_none() {
        return;
    }
    let place = |node: &Node<'_>, side: &Side| (parent(subject, node), side.pair, side.stem.clone());
    let highs: FxHashMap<_, _> = of(Half::High).map(|(node, side)| (place(node, side), node)).collect();
    if highs.is_empty() {
        return;
    }
    for (low, side) in of(Half::Low) {
        if said.findings.len() >= subject.policy.limits.findings {
            return;
        }
        if let Some(high) = highs.get(&place(low, side))
            && is_reversed(side, low.value, high.value)
        {
            said.findings.push(finding(subject, low, high));
        }
    }
}

fn side_of<'a>(node: &Node<'a>) -> Option<&'a Side> {
    node.param.and_then(|param| param.prose.side.as_deref())
}

fn parent(subject: &Subject<'_>, node: &Node<'_>) -> String {
    let mut pointer = subject.values.pointer(node);
    pointer.truncate(pointer.rfind('/').unwrap_or(0));
    pointer
}

fn is_reversed(side: &Side, low: &Value, high: &Value) -> bool {
    match (low, high) {
        (Value::Number(low), Value::Number(high)) if side.kind == Kind::Any => {
            let (Some(low), Some(high)) = (low.as_f64(), high.as_f64()) else { return false };
            // Zero and below often stand for "no end".
            low > high && high > 0.0
        }
        (Value::String(low), Value::String(high)) => match (moment(low), moment(high)) {
            (Some((first, low)), Some((second, high))) => {
                first > second || (first == second && matches!((low, high), (Some(low), Some(high)) if low > high))
            }
            _ => false,
        },
        _ => false,
    }
}

/// A date, and the time of day where it has one without a zone.
type Moment = ((i32, u32, u32), Option<String>);

/// The moment of an ISO date or date and time. A zone other than UTC makes its time incomparable.
fn moment(text: &str) -> Option<Moment> {
    let text = text.trim();
    let cut = text.find(['T', ' ']).unwrap_or(text.len());
    let (date, time) = text.split_at_checked(cut)?;
    let time = time.trim_start_matches(['T', ' ']).trim_end_matches('Z');
    let plain = time.len() >= 5 && time.bytes().all(|b| b.is_ascii_digit() || b == b':');
    // A zone may move a date by a day: such a pair is compared by nobody.
    if !time.is_empty() && !plain {
        return None;
    }
    Some((day_of(date)?, plain.then(|| time.to_owned())))
}

fn finding(subject: &Subject<'_>, low: &Node<'_>, high: &Node<'_>) -> Finding {
    let show = |value: &Value| quote(value.as_str().map_or_else(|| value.to_string(), str::to_owned).as_str());
    let (first, second) = (show(low.value), show(high.value));
    let (low_key, high_key) = (low.key, high.key);
    let evidence = localized!(
        subject.language,
        "`{low_key}` ({first}) lies after `{high_key}` ({second})",
        "`{low_key}`（{first}）在 `{high_key}`（{second}）之后"
    );
    let hint = localized!(
        subject.language,
        "Swap `{low_key}` and `{high_key}`, or correct one of them.",
        "请交换 `{low_key}` 与 `{high_key}`，或更正其中之一。"
    );
    Finding::new(&BROKEN_ORDER, subject.values.pointer(low), evidence).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_comparable_pairs_are_compared() {
        // CALL-4
        let side = |name: &str| crate::check_call::prose::pair::side(name).unwrap();
        let reversed = |name: &str, low: Value, high: Value| is_reversed(&side(name), &low, &high);
        assert!(reversed("start_date", json!("2026-05-02"), json!("2026-05-01")));
        assert!(reversed("start", json!("2026-05-02T10:00:00Z"), json!("2026-05-02T09:00:00Z")));
        assert!(reversed("min_price", json!(10), json!(5)));
        assert!(!reversed("min_price", json!(10), json!(0)));
        assert!(!reversed("start_date", json!("2026-05-01"), json!("2026-05-01")));
        assert!(!reversed("start_date", json!("Friday"), json!("2026-05-01")));
        assert!(!reversed("start_time", json!("22:00"), json!("06:00")));
        assert!(!reversed("start_hour", json!(22), json!(6)));
        assert!(!reversed("start", json!("2026-05-02T01:00:00+08:00"), json!("2026-05-01T20:00:00Z")));
        assert!(!reversed("from", json!(5), json!(3)));
    }
}
