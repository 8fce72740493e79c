//! Numbers that a source does not hold and that follow from it: a sum, a count, a mean, a difference, another unit.

use crate::text::mentions::Reading;
use crate::text::units::{self, Short, Unit};
use crate::text::words::identifier_words;
use serde_json::{Map, Value};

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
                || adds_up(map, near)
                || map.values().any(|inner| follows(inner, near, depth + 1))
        }
        _ => false,
    }
}

/// The sum of the numbers of one record, where they are few and of one kind: marks of three subjects, and no temperature beside
/// a level. A number that leads or ends them may be another thing.
fn adds_up(map: &Map<String, Value>, near: &dyn Fn(f64) -> bool) -> bool {
    let all: Vec<(f64, Option<&Unit>)> =
        map.iter().filter_map(|(key, value)| Some((value.as_f64()?, unit_of(key)))).take(MAX_SUMMED + 1).collect();
    let alike =
        all.windows(2).all(|pair| matches!(pair, [one, other] if one.1.map(|u| u.base) == other.1.map(|u| u.base)));
    let sum = |part: &[(f64, Option<&Unit>)]| part.len() > 2 && near(part.iter().map(|(number, _)| number).sum());
    let (first, last) = (all.get(1..).unwrap_or_default(), all.split_last().map_or(&[][..], |(_, rest)| rest));
    alike && all.len() <= MAX_SUMMED && (sum(&all) || sum(first) || sum(last))
}

/// Whether a number with its unit is a field of a source in another unit: 0.85 cubic metres of `level_l: 850`.
pub(super) fn is_converted(said: &str, sources: &[String]) -> bool {
    let reading = Reading::of(said);
    let Some((_, quantity)) = reading.numbers().next() else { return false };
    let Some(unit) = quantity.unit.filter(|_| said.starts_with(|c: char| c.is_ascii_digit() || c == '-')) else {
        return false;
    };
    let same = |key: &str, number: f64| {
        let told = unit_of(key).and_then(|own| own.convert(number, unit));
        told.is_some_and(|told| (told - quantity.value).abs() <= told.abs() * ROUNDING)
    };
    let parsed = sources.iter().filter(|source| source.len() < MAX_SOURCE).filter_map(|s| serde_json::from_str(s).ok());
    parsed.into_iter().any(|source: Value| any_field(&source, &same, 0))
}

fn any_field(value: &Value, same: &dyn Fn(&str, f64) -> bool, depth: usize) -> bool {
    match value {
        _ if depth > MAX_DEPTH => false,
        Value::Array(items) => items.iter().take(MAX_ITEMS).any(|item| any_field(item, same, depth + 1)),
        Value::Object(map) => map.iter().any(|(key, value)| match value.as_f64() {
            Some(number) => same(key, number),
            None => any_field(value, same, depth + 1),
        }),
        _ => false,
    }
}

/// The unit that ends a name: `level_l`, `distance_km`.
fn unit_of(key: &str) -> Option<&'static Unit> {
    let words = identifier_words(key);
    words.last().filter(|_| words.len() > 1).and_then(|word| units::unit(word, Short::Counts))
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
/// Among more numbers than this, sums are chance.
const MAX_SUMMED: usize = 8;

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
        assert!(is_derived("61", &[r#"{"oak": 12, "ash": 30, "elm": 19}"#.to_owned()]));
        assert!(!is_derived("61", &[r#"{"depth_m": 12, "mass_kg": 30, "height_m": 19}"#.to_owned()]));
        let tank = [r#"{"tank": "T", "length_km": 2.4, "content_l": 1700}"#.to_owned()];
        assert!(is_converted("2,400 m of hose", &tank) && is_converted("1.7 cubic metres in it", &tank));
        assert!(!is_converted("17 cubic metres", &tank) && !is_converted("2.4 kg", &tank));
        assert!(is_derived("1,850", &[r#"{"net": 1500, "tax": 350}"#.to_owned()]));
        assert!(is_derived(
            "70",
            &[r#"{"items": [{"price": 20, "quantity": 2}, {"price": 30, "quantity": 1}]}"#.to_owned()]
        ));
    }
}
