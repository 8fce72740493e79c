//! A balance that is carried forward: what was there, what came in and what went out make what is left.
//!
//! Money and stock alike. Silent where numbers stand beside them that could make the difference.

use super::totals::{makes_up, plain, worth};
use crate::check_result::fields::{Entry, Object};
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::lists::word_list;

/// Every balance with both its ends.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let objects = subject.parts.objects.iter().take(MAX_OBJECTS);
    objects
        .flat_map(|object| [carried(subject, object), left_over(subject, object), metered(subject, object)])
        .flatten()
        .collect()
}

/// What was earned less what was taken off it is left over.
fn left_over(subject: &Subject, object: &Object) -> Option<Finding> {
    let told = |words: &'static [&'static str]| {
        let named = |entry: &&Entry| (entry.has_any(words) || words.contains(&entry.key)) && !entry.has_any(NO_AMOUNT);
        object.entries.iter().take(MAX_ENTRIES).filter(|entry| worth(entry.value).is_some()).filter(named)
    };
    let left = told(LEFT).find(|entry| entry.number().is_some())?;
    let earned = told(EARNED).find(|entry| entry.key != left.key && entry.number().is_some())?;
    let is_end = |entry: &&Entry| entry.key == left.key || entry.key == earned.key;
    let taken: Vec<&Entry> = told(TAKEN).filter(|entry| !is_end(entry)).collect();
    let (seen, whole) = (left.number()?, earned.number()?);
    let expected = whole - taken.iter().filter_map(|entry| worth(entry.value)).map(f64::abs).sum::<f64>();
    let known = |entry: &&Entry| is_end(entry) || taken.iter().any(|own| own.key == entry.key);
    let slack = 0.02 + expected.abs() * if taken.iter().any(|entry| entry.value.is_array()) { 1e-4 } else { 0.01 };
    // A fee is not all that a profit is less by, but it is what lies between gross and net.
    let whole_named = earned.has("gross") || GROSS_ZH.contains(&earned.key);
    let is_all = |entry: &&Entry| entry.has_any(ALL_TAKEN) || ALL_TAKEN.contains(&entry.key);
    let tied = taken.iter().any(is_all) || (whole_named && !taken.is_empty());
    let is_wrong = tied && is_unexplained(object, seen - expected, slack, known);
    is_wrong.then(|| unequal(subject, object, left, expected, seen))
}

fn carried(subject: &Subject, object: &Object) -> Option<Finding> {
    let part = |entry: &Entry| Part::of(entry).zip(worth(entry.value));
    let parts: Vec<(Part, f64)> = object.entries.iter().take(MAX_ENTRIES).filter_map(part).collect();
    let sum =
        |wanted: Part| parts.iter().filter(|(part, _)| *part == wanted).map(|(_, number)| number.abs()).sum::<f64>();
    let one = |wanted: Part| {
        let mut own = parts.iter().filter(|(part, _)| *part == wanted);
        own.next().filter(|_| own.next().is_none()).map(|(_, number)| *number)
    };
    let (opening, closing) = (one(Part::Opening)?, one(Part::Closing)?);
    let moved = parts.iter().any(|(part, _)| matches!(part, Part::In | Part::Out));
    let expected = opening + sum(Part::In) - sum(Part::Out);
    let slack = 0.02 + expected.abs() * 1e-4;
    let entry = object.entries.iter().find(|entry| Part::of(entry) == Some(Part::Closing))?;
    let is_wrong = moved && is_unexplained(object, closing - expected, slack, |entry| Part::of(entry).is_some());
    is_wrong.then(|| unequal(subject, object, entry, expected, closing))
}

/// Whether there is a gap that no other numbers of the record make up, each added, taken away or left out.
fn is_unexplained(object: &Object, gap: f64, slack: f64, known: impl Fn(&&Entry) -> bool) -> bool {
    let others = object.entries.iter().take(MAX_ENTRIES).filter(|entry| !known(entry));
    let others: Vec<f64> = others.filter_map(|entry| worth(entry.value)).collect();
    gap.abs() > slack && !makes_up(gap, &others, slack)
}

fn unequal(subject: &Subject, object: &Object, entry: &Entry, expected: f64, seen: f64) -> Finding {
    let (name, expected, seen) = (entry.key, plain(expected), plain(seen));
    let evidence = localized!(
        subject.language,
        "what came in and went out leaves {expected}, `{name}` is {seen}",
        "按收支推算应为 {expected}，`{name}` 却为 {seen}"
    );
    Finding::new(&codes::TOTAL, object.at(entry), evidence)
}

/// What an entry is to a balance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Opening,
    Closing,
    In,
    Out,
}

impl Part {
    fn of(entry: &Entry) -> Option<Self> {
        let held = entry.has_any(HELD);
        let has = |words: &[&str]| entry.has_any(words) || words.contains(&entry.key);
        // `opening` alone is what was there; `start` alone may be anything.
        let end = |words: &[&str], alone: &[&str], chinese: &[&str]| {
            (held && has(words)) || alone.contains(&entry.key) || chinese.iter().any(|word| entry.key.starts_with(word))
        };
        match () {
            () if end(&["opening", "beginning", "previous", "starting", "initial"], &["opening"], OPENING_ZH) => {
                Some(Self::Opening)
            }
            () if end(&["closing", "ending", "final", "new"], &["closing", "结存", "结余"], CLOSING_ZH) => {
                Some(Self::Closing)
            }
            () if moves(entry, "in") => Some(Self::In),
            () if moves(entry, "out") => Some(Self::Out),
            () if held || entry.has_any(&["count", "average", "pending", "limit"]) => None,
            () if has(IN) => Some(Self::In),
            () if has(OUT) => Some(Self::Out),
            () => None,
        }
    }
}

/// `in`, `total_in`, `money_out`: what came in or went out, without a word for how.
fn moves(entry: &Entry, way: &str) -> bool {
    match entry.words.as_slice() {
        [own] => own == way,
        [what, own] => own == way && matches!(what.as_str(), "total" | "money" | "cash" | "amount" | "units" | "paid"),
        _ => false,
    }
}

/// A reading of a meter and the one before it: what was used lies between them.
fn metered(subject: &Subject, object: &Object) -> Option<Finding> {
    let reading = |when: &[&str]| {
        let mut own = object.entries.iter().take(MAX_ENTRIES);
        own.find(|entry| entry.has("reading") && entry.has_any(when))?.number()
    };
    let (before, now) = (reading(&["previous", "last", "start", "opening"])?, reading(&["current", "end", "closing"])?);
    let used = object.entries.iter().find(|entry| {
        matches!(entry.words.first().map(String::as_str), Some("usage" | "consumption" | "consumed" | "used"))
    })?;
    let scaled = object.entries.iter().any(|entry| entry.has_any(&["multiplier", "factor", "ratio"]));
    let (seen, expected) = (used.number()?, now - before);
    (!scaled && expected >= 0.0 && (seen - expected).abs() > 0.02 + expected * 0.01)
        .then(|| unequal(subject, object, used, expected, seen))
}

/// What holds a number of things or an amount.
const HELD: &[&str] = &["balance", "stock", "inventory", "quantity", "level"];
const OPENING_ZH: &[&str] = &["期初", "上期余", "上期结", "上月余", "上月结", "月初"];
const CLOSING_ZH: &[&str] = &["期末", "本期余", "本期结", "本月余", "本月结", "月末"];
const IN: &[&str] = word_list!("check_result", "logic/balance/in");
const OUT: &[&str] = word_list!("check_result", "logic/balance/out");
const LEFT: &[&str] = &["net", "profit", "surplus", "利润", "净利润", "结余", "实发", "实发工资", "净额", "到账金额"];
const EARNED: &[&str] = &["income", "revenue", "gross", "收入", "总收入", "应发", "应发工资", "毛额", "总额"];
const TAKEN: &[&str] = word_list!("check_result", "logic/balance/taken");
const GROSS_ZH: &[&str] = &["应发", "应发工资", "毛额", "总额"];
/// What holds all that was spent, and not one kind of it.
const ALL_TAKEN: &[&str] =
    &["expenses", "expense", "costs", "deductions", "支出", "总支出", "成本", "扣款", "扣款合计"];
/// A share or a number of things is no amount.
const NO_AMOUNT: &[&str] = &["margin", "percent", "pct", "rate", "ratio", "count", "growth", "per", "weight"];
const MAX_OBJECTS: usize = 200;
const MAX_ENTRIES: usize = 60;

#[cfg(test)]
mod tests {
    use crate::check_result::tests::request;
    use crate::check_result::verify;
    use crate::policy::Policy;
    use serde_json::{Value, json};

    fn is_wrong(content: Value) -> bool {
        let report = verify(&request("get_statement", json!({}), content), &Policy::standard());
        report.findings.iter().any(|finding| finding.code.id == "result.total")
    }

    // RESULT-3
    #[test]
    fn a_balance_follows_from_the_one_before() {
        assert!(is_wrong(json!({"opening_balance": 100, "deposits": 50, "withdrawals": 20, "closing_balance": 180})));
        assert!(is_wrong(json!({"期初余额": 100, "收入": 50, "支出": 20, "期末余额": 120})));
        assert!(is_wrong(json!({"opening_stock": 10, "received": 5, "sold": 3, "closing_stock": 15})));
        assert!(!is_wrong(json!({"opening_balance": 100, "deposits": 50, "withdrawals": 20, "closing_balance": 130})));
        assert!(!is_wrong(json!({"opening_balance": 100, "deposits": 50, "interest": 2, "closing_balance": 152})));
        assert!(is_wrong(json!({"income": 1000, "expenses": 400, "net": 700})));
        assert!(!is_wrong(json!({"income": 1000, "expenses": 400, "net": 600})));
        assert!(!is_wrong(json!({"revenue": 1000, "costs": 400, "tax": 120, "profit": 480})));
        assert!(!is_wrong(json!({"opening_balance": 100, "deposit_count": 2, "closing_balance": 152})));
    }
}
