//! A count equals the length of what it counts.

use crate::check_result::fields::{Entry, Object};
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use crate::text::lists::word_list;
use serde_json::Value;

/// Counts beside the lists that they count.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    subject.parts.objects.iter().flat_map(|object| check_counts(subject, object)).collect()
}

fn check_counts(subject: &Subject, object: &Object) -> Vec<Finding> {
    let lists: Vec<(&Entry, usize)> =
        object.entries.iter().filter_map(|entry| Some((entry, entry.value.as_array()?.len()))).take(50).collect();
    let mut found = Vec::new();
    for entry in &object.entries {
        let (Some(count), Some((list, length))) = (entry.number(), list_of(entry, &lists)) else { continue };
        // The total of a bill is money.
        let priced = |item: &Value| ["price", "amount", "total", "quantity"].iter().any(|key| item.get(*key).is_some());
        let is_money =
            count.fract() != 0.0 || count < 0.0 || list.value.as_array().is_some_and(|items| items.iter().any(priced));
        if is_money && !entry.has("count") {
            continue;
        }
        if pieces(list.value) == Some(count) {
            continue;
        }
        #[expect(clippy::cast_precision_loss, reason = "a list's length is small")]
        let real = *length as f64;
        let is_total = entry.has_any(&["total", "overall", "all", "estimated", "matches", "hits"]);
        let here = entry.has("returned");
        let paged = !here && (is_total || has_pages(object) || is_full(subject, *length));
        // The first page of something is not empty.
        let paged = paged && !(*length == 0 && is_total && is_first(object) && is_main(list));
        if count < real || (count > real && !paged) {
            let (name, over) = (entry.key, list.key);
            let evidence = localized!(
                subject.language,
                "`{name}` is {count}, but `{over}` has {length} items",
                "`{name}` 为 {count}，但 `{over}` 有 {length} 项"
            );
            found.push(Finding::new(&codes::COUNT, object.at(entry), evidence));
        }
    }
    found
}

/// The list that an entry counts: the only list beside a plain `count`, or `items` beside `item_count`.
fn list_of<'a, 'b>(entry: &Entry, lists: &'a [(&'b Entry<'b>, usize)]) -> Option<&'a (&'b Entry<'b>, usize)> {
    let plain = PLAIN.iter().any(|name| entry.is(name));
    if plain {
        let main = lists.iter().find(|(list, _)| MAIN.iter().any(|name| list.is(name)));
        // What was left out is not what a thing holds.
        let aside =
            |list: &Entry| list.has_any(&["skipped", "failed", "errors", "rejected", "warnings", "missing", "invalid"]);
        return main.or(lists.first().filter(|(list, _)| lists.len() == 1 && !aside(list)));
    }
    let last = entry.words.last().is_some_and(|word| word == "count");
    let first = entry.words.first().is_some_and(|word| matches!(word.as_str(), "num" | "total" | "n"));
    let noun = match entry.words.as_slice() {
        [noun, _] if last => noun,
        [_, noun] if first && !entry.has("amount") => noun,
        _ => return None,
    };
    lists.iter().find(|(list, _)| {
        list.words.len() == 1 && list.words.iter().any(|word| word == noun || word.strip_suffix('s') == Some(noun))
    })
}

/// The pieces in a list of lines that each have a quantity: a cart counts these as often as its lines.
fn pieces(list: &Value) -> Option<f64> {
    let quantity = |item: &Value| ["quantity", "qty", "count", "数量"].iter().find_map(|key| item.get(*key)?.as_f64());
    let items = list.as_array().filter(|items| !items.is_empty())?;
    items.iter().map(quantity).try_fold(0.0, |sum, quantity| Some(sum + quantity.filter(|count| *count >= 0.0)?))
}

/// Whether the object says that it is one page of many.
fn has_pages(object: &Object) -> bool {
    let paging = ["next", "cursor", "page", "pages", "offset", "more", "previous", "truncated", "token", "limit"];
    let by_key = |entry: &Entry| entry.has_any(&paging) && !matches!(entry.value, serde_json::Value::Bool(false));
    object.entries.iter().any(|entry| by_key(entry) && !entry.value.is_array())
}

/// Whether a page is the first one, or the only one.
fn is_first(object: &Object) -> bool {
    let page = object.number(&["page", "current_page", "page_number", "page_no", "page_num"]);
    let offset = object.number(&["offset", "start", "skip", "from"]);
    page.is_none_or(|page| page <= 1.0)
        && offset.is_none_or(|offset| offset == 0.0)
        && object.find(&["cursor"]).is_none()
}

fn is_main(list: &Entry) -> bool {
    MAIN.iter().any(|name| list.is(name))
}

/// Whether the list holds as many items as were asked for, so that there may be more.
fn is_full(subject: &Subject, length: usize) -> bool {
    subject.limit().is_some_and(|limit| length >= limit)
}

const PLAIN: &[&str] = word_list!("check_result", "logic/counts/plain");
const MAIN: &[&str] = &["results", "items", "data", "records", "rows", "entries", "hits", "matches", "list"];
