//! Numbers that a source does not hold and that follow from it: a sum, a count, a mean, a difference.

use crate::text::mentions::Reading;
use serde_json::Value;

/// Whether a number of an answer follows from numbers of its sources.
pub(super) fn is_derived(said: &str, sources: &[String]) -> bool {
    let reading = Reading::of(said);
    let Some((_, quantity)) = reading.numbers().next() else { return false };
    let near = |number: f64| (number - quantity.value).abs() <= number.abs().max(1.0) * ROUNDING;
    let parsed = sources.iter().filter(|source| source.len() < MAX_SOURCE).filter_map(|s| serde_json::from_str(s).ok());
    parsed.into_iter().any(|source: Value| follows(&source, &near, 0))
}

fn follows(value: &Value, near: &dyn Fn(f64) -> bool, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match value {
        Value::Array(items) => {
            of_column(items, near) || items.iter().take(MAX_ITEMS).any(|item| follows(item, near, depth + 1))
        }
        Value::Object(map) => {
            let numbers: Vec<f64> = map.values().filter_map(Value::as_f64).take(MAX_FIELDS).collect();
            let pairs = numbers.iter().enumerate().flat_map(|(at, a)| numbers.iter().skip(at + 1).map(move |b| (a, b)));
            pairs.into_iter().any(|(a, b)| near(a + b) || near((a - b).abs()))
                || map.values().any(|inner| follows(inner, near, depth + 1))
        }
        _ => false,
    }
}

/// The items counted, and each of their numbers added up, averaged and spanned.
fn of_column(items: &[Value], near: &dyn Fn(f64) -> bool) -> bool {
    let count = items.len() as f64;
    let bare: Vec<f64> = items.iter().filter_map(Value::as_f64).collect();
    let keys = items.first().and_then(Value::as_object).into_iter().flat_map(|first| first.keys()).take(MAX_FIELDS);
    let columns = keys.map(|key| items.iter().filter_map(|item| item.get(key)?.as_f64()).collect::<Vec<f64>>());
    let lines = items.iter().filter_map(|item| Some(number(item, COUNTS)? * number(item, PRICES)?)).collect();
    let made = |column: Vec<f64>| {
        let sum: f64 = column.iter().sum();
        let (low, high) = column.iter().fold((f64::MAX, f64::MIN), |(low, high), n| (low.min(*n), high.max(*n)));
        column.len() > 1 && (near(sum) || near(sum / column.len() as f64) || near(high - low))
    };
    near(count) || columns.chain([bare, lines]).any(made)
}

fn number(item: &Value, keys: &[&str]) -> Option<f64> {
    keys.iter().find_map(|key| item.get(*key)?.as_f64())
}

const COUNTS: &[&str] = &["quantity", "qty", "count", "数量"];
const PRICES: &[&str] = &["price", "unit_price", "单价", "价格"];
/// A rounded number is that near to the exact one.
const ROUNDING: f64 = 0.005;
const MAX_SOURCE: usize = 200_000;
const MAX_DEPTH: usize = 6;
const MAX_ITEMS: usize = 200;
const MAX_FIELDS: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-3
    #[test]
    fn sums_counts_means_and_differences_follow() {
        let sources =
            [r#"[{"no": 1, "amount": 240.0}, {"no": 2, "amount": 95.5}, {"no": 3, "amount": 64.5}]"#.to_owned()];
        for said in ["400", "three", "133.3", "175.5"] {
            assert!(is_derived(said, &sources), "{said}");
        }
        for said in ["520", "17", "nobody"] {
            assert!(!is_derived(said, &sources), "{said}");
        }
        assert!(is_derived("1,850", &[r#"{"net": 1500, "tax": 350}"#.to_owned()]));
        assert!(is_derived(
            "70",
            &[r#"{"items": [{"price": 20, "quantity": 2}, {"price": 30, "quantity": 1}]}"#.to_owned()]
        ));
    }
}
