//! A balance that is carried forward: what was there, what came in and what went out make what is left.
//!
//! Money and stock alike. Silent where a number stands beside them that could be the difference.

use super::totals::{near, plain};
use crate::check_result::fields::{Entry, Object};
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;

/// Every balance with both its ends.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let objects = subject.parts.objects.iter().take(MAX_OBJECTS);
    objects
        .flat_map(|object| [carried(subject, object), left_over(subject, object), metered(subject, object)])
        .flatten()
        .collect()
}

/// What was earned less what was spent is what is left over.
fn left_over(subject: &Subject, object: &Object) -> Option<Finding> {
    let told = |words: &[&str]| {
        let mut own = object.entries.iter().take(MAX_ENTRIES).filter(|entry| entry.number().is_some());
        own.find(|entry| (entry.has_any(words) || words.contains(&entry.key)) && !entry.has_any(NO_AMOUNT))
    };
    let left = told(&["net", "profit", "surplus", "利润", "净利润", "结余", "实发", "实发工资"])?;
    let earned = told(&["income", "revenue", "gross", "收入", "总收入", "应发", "应发工资"])
        .filter(|entry| entry.key != left.key)?
        .number()?;
    let spent = told(&["expenses", "costs", "deductions", "支出", "总支出", "成本", "扣款", "扣款合计"])?.number()?;
    let (seen, expected) = (left.number()?, earned - spent.abs());
    let gap = (seen - expected).abs();
    let others = object.entries.iter().filter_map(Entry::number).filter(|number| *number != 0.0 && *number != seen);
    let alone = others.count() <= 2;
    (alone && gap > 0.02 + expected.abs() * 0.01).then(|| unequal(subject, object, left, expected, seen))
}

fn carried(subject: &Subject, object: &Object) -> Option<Finding> {
    let part = |entry: &Entry| Part::of(entry).zip(entry.number());
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
    let gap = (closing - expected).abs();
    let slack = 0.02 + expected.abs() * 1e-4;
    let others = object.entries.iter().filter(|entry| Part::of(entry).is_none()).filter_map(Entry::number);
    let explained = others.into_iter().any(|number| number != 0.0 && near(number.abs(), gap, slack));
    let entry = object.entries.iter().find(|entry| Part::of(entry) == Some(Part::Closing))?;
    (moved && gap > slack && !explained).then(|| unequal(subject, object, entry, expected, closing))
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
        let held = entry.has_any(&["balance", "stock", "inventory", "quantity", "level"]);
        let has = |words: &[&str]| entry.has_any(words) || words.contains(&entry.key);
        match () {
            () if held && has(&["opening", "beginning", "previous", "starting", "initial"]) => Some(Self::Opening),
            () if held && has(&["closing", "ending", "final", "new"]) => Some(Self::Closing),
            () if has(&["期初余额", "期初库存", "上期余额"]) => Some(Self::Opening),
            () if has(&["期末余额", "期末库存", "本期余额"]) => Some(Self::Closing),
            () if moves(entry, "in") => Some(Self::In),
            () if moves(entry, "out") => Some(Self::Out),
            () if held || entry.has_any(&["count", "average", "pending", "limit"]) => None,
            () if has(&["deposits", "deposit", "credits", "received", "inflow", "inflows", "收入", "存入", "入库"]) => {
                Some(Self::In)
            }
            () if has(&[
                "withdrawals",
                "withdrawal",
                "debits",
                "sold",
                "outflow",
                "outflows",
                "fees",
                "支出",
                "取出",
                "出库",
            ]) =>
            {
                Some(Self::Out)
            }
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
