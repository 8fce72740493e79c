//! Numbers with bounds by their name: result sizes, coordinates, ports, hours.
//!
//! A result size outside of 1..1000 is clamped, which changes how much comes back and nothing else. No other
//! number is ever clamped: a wrong latitude is wrong, not too large.

use super::value::Held;
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OUT_OF_BOUNDS;
use crate::contract::{Finding, PatchOp};
use crate::localized;
use crate::text::lists::word_list;
use serde_json::{Value, json};

/// The finding on a number outside of its bounds.
pub(crate) fn find(held: &Held<'_>) -> Option<Finding> {
    let Value::Number(number) = held.value() else { return None };
    let number = number.as_f64()?;
    if held.is_bounded() || held.param.prose.range.is_some() || held.param.prose.allowed.is_some() {
        return None;
    }
    if held.is(Role::ResultSize) {
        return result_size(held, number);
    }
    let (_, low, high) = NAMED.iter().find(|(role, ..)| held.is(*role))?;
    if (*low..=*high).contains(&number) || is_a_count(&held.param.description) || held.is_named_by_tool() {
        return None;
    }
    let (key, quote) = (held.key(), held.quote());
    let evidence = localized!(
        held.language,
        "`{key}` is {quote}, outside of {low}..{high}",
        "`{key}` 的值 {quote} 超出 {low}..{high}"
    );
    Some(held.finding(&OUT_OF_BOUNDS, evidence).sure(0.85))
}

fn result_size(held: &Held<'_>, number: f64) -> Option<Finding> {
    let high = if held.is(Role::Page) { f64::INFINITY } else { MOST };
    if (LEAST..=high).contains(&number) || held.is_named_by_tool() || counts_from_zero(held, number) {
        return None;
    }
    let bound = number.clamp(LEAST, high);
    Some(clamped(held, bound, number, is_a_size(held)))
}

/// The finding with the clamp: applied where the number surely is a result size, else proposed.
pub(crate) fn clamped(held: &Held<'_>, bound: f64, number: f64, certain: Certain) -> Finding {
    let (key, quote) = (held.key(), held.quote());
    let evidence = if number > bound {
        localized!(held.language, "`{key}` is {quote}, above {bound}", "`{key}` 的值 {quote} 大于上限 {bound}")
    } else {
        localized!(held.language, "`{key}` is {quote}, below {bound}", "`{key}` 的值 {quote} 小于下限 {bound}")
    };
    let note = localized!(held.language, "`{key}` set to {bound}", "将 `{key}` 设为 {bound}");
    let finding = held.finding(&OUT_OF_BOUNDS, evidence);
    let patch = vec![PatchOp::replace(finding.pointer.clone(), whole(bound))];
    match certain {
        Certain::Yes => finding.mend(note, patch),
        Certain::No => finding.propose(note, patch),
    }
}

/// Whether a clamp may be applied without asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Certain {
    /// It is a result size.
    Yes,
    /// It may be something else.
    No,
}

/// Whether a number called `limit` is a result size: its description is silent or speaks of results.
pub(crate) fn is_a_size(held: &Held<'_>) -> Certain {
    let text = held.param.description.to_lowercase();
    let speaks = text.is_empty() || SIZES.iter().any(|word| text.contains(word));
    let other = OTHERS.iter().any(|word| text.contains(word));
    if speaks && !other { Certain::Yes } else { Certain::No }
}

/// A page 0 is the first one where the tool counts from zero; a limit of 0 or -1 may mean all of it.
fn counts_from_zero(held: &Held<'_>, number: f64) -> bool {
    let text = held.param.description.to_lowercase();
    let zero = [
        "zero-based",
        "zero based",
        "0-based",
        "0-indexed",
        "zero-indexed",
        "starts at 0",
        "starting from 0",
        "从 0",
        "从0",
    ];
    number == 0.0 && zero.iter().any(|phrase| text.contains(phrase))
}

/// Whether the description speaks of a count or a duration: `month` may be a number of months.
fn is_a_count(description: &str) -> bool {
    let text = description.to_lowercase();
    COUNTS.iter().any(|word| text.contains(word))
}

/// A bound as an integer where it is one.
pub(crate) fn whole(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 { json!(number as i64) } else { json!(number) }
}

const LEAST: f64 = 1.0;
const MOST: f64 = 1000.0;

const NAMED: &[(Role, f64, f64)] = &[
    (Role::Latitude, -90.0, 90.0),
    (Role::Longitude, -360.0, 360.0),
    (Role::Port, 0.0, 65535.0),
    (Role::Month, 1.0, 12.0),
    (Role::Hour, 0.0, 24.0),
    (Role::Minute, 0.0, 60.0),
    (Role::Probability, 0.0, 1.0),
];

const SIZES: &[&str] = &[
    "result",
    "return",
    "number of",
    "maximum",
    "max ",
    "count",
    "item",
    "entries",
    "record",
    "page",
    "row",
    "retrieve",
    "fetch",
    "list",
    "how many",
    "条",
    "数量",
    "结果",
    "返回",
    "页",
    "个数",
];

const OTHERS: &[&str] = word_list!("check_call", "meaning/bounds/others");

const COUNTS: &[&str] = word_list!("check_call", "meaning/bounds/counts");
