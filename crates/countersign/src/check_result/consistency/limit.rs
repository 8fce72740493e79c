//! Not more results than were asked for.

use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;

/// The main list against the limit of the call.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    let Some(limit) = subject.limit() else { return Vec::new() };
    let outermost = subject.parts.lists.iter().filter(|list| list.depth <= 1);
    let over = outermost.filter(|list| list.items.len() > limit && is_main(list.key));
    let evidence = |length: usize| {
        localized!(
            subject.language,
            "{length} results where at most {limit} were asked",
            "要求最多 {limit} 条，返回了 {length} 条"
        )
    };
    over.take(1).map(|list| Finding::new(&codes::TOO_MANY, list.pointer.clone(), evidence(list.items.len()))).collect()
}

fn is_main(key: &str) -> bool {
    let side = ["suggestions", "facets", "related", "warnings", "tags", "columns", "errors", "fields", "headers"];
    !side.contains(&key)
}
