//! The numbers and dates that a text is found by, whatever they are written like.
//!
//! `12.5%` and `12.5 percent`, `3.4亿元` and `340,000,000`, `2024-03-05` and 2024年3月5日 give the same keys. A number
//! gives its value, its value with the unit, the number as written (a table keeps its unit elsewhere) and, where it is
//! long enough to be rounded, its first two digits. A date gives itself, its month and its year.

use super::terms::Term;
use countersign::text::numbers::dates::Date;
use countersign::text::numbers::numbers;
use countersign::text::numbers::quantities::Quantity;
use std::ops::Range;

/// The keys of all numbers and dates of a text.
pub(super) fn figures(text: &str) -> Vec<Term> {
    let mut found = Vec::new();
    let read = numbers(text);
    for quantity in read.quantities.iter().filter(|quantity| tells(quantity)) {
        push(&mut found, &quantity.range, of_quantity(quantity));
    }
    for date in &read.dates {
        push(&mut found, &date.range, of_date(date));
    }
    found
}

fn push(found: &mut Vec<Term>, range: &Range<usize>, keys: Vec<String>) {
    let from = found.len();
    for key in keys {
        if !found.iter().skip(from).any(|term| term.key == key) {
            found.push(Term { key, range: range.clone() });
        }
    }
}

/// "One" and "two" in words are in every text.
fn tells(quantity: &Quantity) -> bool {
    quantity.value.is_finite() && !(quantity.spelled && quantity.unit.is_none() && quantity.value.abs() < 10.0)
}

fn of_quantity(quantity: &Quantity) -> Vec<String> {
    let mut keys = vec![exact(quantity.value), exact(quantity.raw)];
    keys.extend(quantity.unit.map(|unit| format!("{} {unit}", exact(quantity.value))));
    keys.extend(quantity.upper.filter(|upper| upper.is_finite()).map(exact));
    let long = quantity.value.abs() >= 100.0 || (quantity.value.fract() != 0.0 && quantity.value.abs() > 1.0);
    keys.extend(long.then(|| format!("~{:.1e}", quantity.value)));
    keys
}

/// Six digits, which survive a change of unit.
fn exact(value: f64) -> String {
    // Zero has a sign, too.
    format!("{:.5e}", if value == 0.0 { 0.0 } else { value })
}

fn of_date(date: &Date) -> Vec<String> {
    let mut keys = Vec::new();
    if let (Some(year), Some(month), Some(day)) = (date.year, date.month, date.day) {
        keys.push(format!("{year}-{month:02}-{day:02}"));
    }
    if let (Some(year), Some(month)) = (date.year, date.month) {
        keys.push(format!("{year}-{month:02}"));
    }
    if let (Some(month), Some(day)) = (date.month, date.day) {
        keys.push(format!("--{month:02}-{day:02}"));
    }
    keys.extend(date.year.map(|year| format!("y{year}")));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Vec<String> {
        figures(text).into_iter().map(|term| term.key).collect()
    }

    fn meet(a: &str, b: &str) -> bool {
        keys(a).iter().any(|key| keys(b).contains(key))
    }

    // CLAIM-3
    #[test]
    fn numbers_meet_however_they_are_written() {
        for (a, b) in [
            ("1,234 people", "１２３４"),
            ("12.5%", "12.5 percent"),
            ("12%", "百分之十二"),
            ("3.4亿元", "340,000,000 yuan"),
            ("$3.5B", "3.5 billion dollars"),
            ("about 3.4 million", "3,412,345"),
            ("5 km", "5000 meters"),
            ("12.5%", "12.5"),
        ] {
            assert!(meet(a, b), "{a} {:?} and {b} {:?}", keys(a), keys(b));
        }
        assert!(!meet("12.5%", "13%") && !meet("5 km", "6 km") && !meet("two of them", "one of them"));
    }

    #[test]
    fn dates_meet_however_they_are_written() {
        let dates = ["2024-03-05", "March 5, 2024", "2024年3月5日", "5 March 2024", "2024/3/5"];
        for date in dates {
            assert!(keys(date).contains(&"2024-03-05".to_owned()), "{date}: {:?}", keys(date));
        }
        assert!(meet("in 2024", "2024年") && meet("March 2024", "2024-03-05") && !meet("2023-03-05", "2024年3月"));
    }
}
