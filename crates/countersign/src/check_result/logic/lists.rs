//! A list and what stands beside it: the sum of its items, their average, and the order that was asked for.
//!
//! Silent where the list may be one page of many.

use super::totals::{ITEMS, makes_up, near, plain, worth};
use crate::check_result::fields::{Entry, Object, number};
use crate::check_result::subject::{Subject, ToolKind};
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::words::identifier_words;
use rustc_hash::FxHashSet;
use serde_json::Value;

/// Sums, averages and orders of every list.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let mut found = Vec::new();
    for object in subject.parts.objects.iter().filter(|object| !may_go_on(object)) {
        for list in
            object.entries.iter().filter_map(|entry| entry.value.as_array()).filter(|list| list.len() >= 2).take(20)
        {
            found.extend(object.entries.iter().filter_map(|entry| check_sum(subject, object, entry, list)));
            found.extend(check_total(subject, object, list));
            found.extend(check_average(subject, object, list));
        }
    }
    found.extend(check_order(subject));
    found.extend(check_repeats(subject));
    found
}

/// A record with an id of its own that stands in its list again, the same in every field.
fn check_repeats(subject: &Subject) -> Option<Finding> {
    let finds = subject.kind == ToolKind::Searches || subject.is_about(&["list"]);
    let lists = subject.parts.lists.iter().filter(|list| list.depth <= 2 && (2..=MAX_LIST).contains(&list.items.len()));
    lists.into_iter().find_map(|list| {
        let mut seen = FxHashSet::default();
        let repeated = list.items.iter().filter(|item| own_id(list.key, item, finds).is_some());
        let item = repeated.into_iter().find(|item| !seen.insert(item.to_string()))?;
        let id = own_id(list.key, item, finds)?;
        let evidence =
            localized!(subject.language, "the list has the record {id} more than once", "列表中记录 {id} 重复出现");
        Some(Finding::new(&codes::CONTRADICTION, list.pointer.clone(), evidence))
    })
}

/// The id of an item itself, not of something that it belongs to: `id`, or `member_id` in `members`. What is found has its
/// id first; a line of a cart may well stand in it twice.
fn own_id<'v>(list: &str, item: &'v Value, finds: bool) -> Option<&'v Value> {
    let object = item.as_object().filter(|object| object.len() >= 2)?;
    let singular = list.strip_suffix('s').unwrap_or(list);
    let known = || {
        let (key, id) = object.iter().next().filter(|_| finds && object.len() >= 3)?;
        let line = object.keys().any(|key| is_quantity(key));
        identifier_words(key)
            .last()
            .filter(|word| {
                matches!(word.as_str(), "id" | "no" | "number" | "isbn" | "sku" | "uuid" | "doi" | "ref") && !line
            })
            .map(|_| id)
    };
    // `room` in `rooms`; in Chinese a number is called one: 房号.
    let first = || {
        let (key, id) = object.iter().next()?;
        let own =
            key == singular && key != list && id.as_str().is_some_and(|id| id.contains(|c: char| c.is_ascii_digit()));
        let numbered = key.contains(is_han) && key.ends_with(['号', '码']) && object.len() >= 3;
        (own || (numbered && !object.keys().any(|key| is_quantity(key)))).then_some(id)
    };
    let id = object.get("id").or_else(|| object.get(&format!("{singular}_id"))).or_else(known).or_else(first)?;
    (id.is_string() || id.is_number()).then_some(id)
}

fn is_quantity(key: &str) -> bool {
    matches!(key, "quantity" | "qty" | "amount" | "count" | "数量" | "金额" | "件数")
}

/// Whether there may be more items than are listed.
fn may_go_on(object: &Object) -> bool {
    object.entries.iter().any(|entry| entry.has_any(&["page", "pages", "cursor", "more", "next", "offset", "top"]))
}

/// The numbers of one key in all items; `None` where an item lacks it.
fn column(list: &[Value], key: &str) -> Option<Vec<f64>> {
    list.iter().map(|item| number(item.get(key)?)).collect()
}

/// `total_sales` beside items that all have `sales`.
fn check_sum(subject: &Subject, object: &Object, entry: &Entry, list: &[Value]) -> Option<Finding> {
    let key = match entry.words.as_slice() {
        [total, key] if total == "total" || total == "sum" => key,
        [key, total] if total == "total" || total == "sum" => key,
        _ => return None,
    };
    let sum: f64 = column(list, key)?.iter().sum();
    let seen = entry.number()?;
    (!near(seen, sum, 0.02 + sum.abs() * 0.01)).then(|| unlike_sum(subject, object, entry, sum))
}

/// A `total` that stands right behind a list of amounts is their sum. What a search has in all, or what another number of
/// the record makes up, is none.
fn check_total(subject: &Subject, object: &Object, list: &[Value]) -> Option<Finding> {
    let at = object
        .entries
        .iter()
        .position(|entry| entry.value.as_array().is_some_and(|own| std::ptr::eq(own.as_slice(), list)))?;
    // A bill has readings of its own.
    let is_bill = object.entries.get(at).is_some_and(|list| ITEMS.iter().any(|name| list.is(name)));
    let entry =
        object.entries.get(at + 1).filter(|_| !is_bill).filter(|entry| TOTALS.iter().any(|name| entry.is(name)))?;
    let amounts = AMOUNTS.iter().find_map(|key| column(list, key))?;
    let (seen, sum) = (entry.number()?, amounts.iter().sum::<f64>());
    let finds = subject.kind == ToolKind::Searches || subject.is_about(&["list", "query"]) || subject.limit().is_some();
    #[expect(clippy::cast_precision_loss, reason = "a list's length is small")]
    let length = list.len() as f64;
    let counts = seen == length || (finds && seen.fract() == 0.0 && seen > length);
    let slack = 0.02 + 0.006 * length;
    let others: Vec<f64> = object
        .entries
        .iter()
        .filter(|other| other.key != entry.key && !other.value.is_array())
        .filter_map(|e| worth(e.value))
        .collect();
    (!counts && !near(seen, sum, slack) && !makes_up(seen - sum, &others, slack))
        .then(|| unlike_sum(subject, object, entry, sum))
}

fn unlike_sum(subject: &Subject, object: &Object, entry: &Entry, sum: f64) -> Finding {
    let (sum, seen, name) = (plain(sum), plain(entry.number().unwrap_or_default()), entry.key);
    let evidence = localized!(
        subject.language,
        "the items make {sum}, `{name}` is {seen}",
        "各项之和为 {sum}，`{name}` 却为 {seen}"
    );
    Finding::new(&codes::TOTAL, object.at(entry), evidence)
}

/// An average outside of everything it is the average of.
fn check_average(subject: &Subject, object: &Object, list: &[Value]) -> Option<Finding> {
    let average = object.find(&["average", "mean", "avg", "average_rating", "average_score", "avg_rating"])?;
    let counted = object.entries.iter().any(|entry| entry.has_any(&["count", "total"]));
    let values = ["rating", "score", "value", "stars"].iter().find_map(|key| column(list, key)).filter(|_| !counted)?;
    let (low, high) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
    let seen = average.number()?;
    (seen < low - 0.05 || seen > high + 0.05).then(|| {
        let name = average.key;
        let evidence = localized!(
            subject.language,
            "`{name}` is {seen}, all items lie between {low} and {high}",
            "`{name}` 为 {seen}，而各项都在 {low} 与 {high} 之间"
        );
        Finding::new(&codes::TOTAL, object.at(average), evidence)
    })
}

/// Items that do not be in the order that was asked for.
fn check_order(subject: &Subject) -> Option<Finding> {
    let asked = |keys: &[&str]| keys.iter().find_map(|key| subject.arguments.get(*key)?.as_str());
    let sort = asked(&["sort", "sort_by", "order_by", "sortBy"])?;
    let mut words = identifier_words(sort);
    words.extend(asked(&["order", "sort_order", "direction"]).map(identifier_words).unwrap_or_default());
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let falls = sort.starts_with('-') || says(&["desc", "descending", "highest"]);
    let rises = says(&["asc", "ascending", "lowest", "cheapest"]);
    let key = words.first()?;
    let list =
        subject.parts.lists.iter().filter(|list| list.depth <= 1).find(|list| column(list.items, key).is_some())?;
    let values = column(list.items, key)?;
    let mut pairs = values.windows(2);
    let broken = match (rises, falls) {
        (true, false) => pairs.any(|pair| matches!(pair, [a, b] if a > b)),
        (false, true) => pairs.any(|pair| matches!(pair, [a, b] if a < b)),
        _ => false,
    };
    broken.then(|| {
        let evidence = localized!(
            subject.language,
            "asked for the order `{sort}`, the items have another",
            "要求按 `{sort}` 排序，结果并非如此"
        );
        Finding::new(&codes::ORDER, list.pointer.clone(), evidence)
    })
}

const TOTALS: &[&str] = &["total", "total_amount", "sum", "合计", "总计", "总额", "合计金额"];
/// What each item of a list adds to its total.
const AMOUNTS: &[&str] = &["amount", "cost", "hours", "minutes", "points", "金额", "费用", "工时"];
/// A longer list is not looked through for repeats.
const MAX_LIST: usize = 1000;
