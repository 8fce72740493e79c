//! Things that have several names: `JFK` is New York, `USD` is `$`, `CA` is California.
//!
//! The lists are common knowledge of the world, one thing a line. They only ever excuse a value, so that a name that is
//! missing here costs a warning at most.

use crate::text::fold::fold;
use crate::text::lists::word_list;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// The other names of a folded name.
pub(crate) fn others(folded: &str) -> impl Iterator<Item = &'static str> {
    let groups = NAMES.by_name.get(folded).map_or(&[][..], Vec::as_slice);
    let names = groups.iter().filter_map(|at| NAMES.groups.get(*at)).flatten();
    let folded = folded.to_owned();
    names.map(String::as_str).filter(move |name| *name != folded && !COMMON.contains(name))
}

struct Names {
    groups: Vec<Vec<String>>,
    by_name: FxHashMap<&'static str, Vec<usize>>,
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&NAMES);
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let lines = LISTS.iter().flat_map(|list| list.lines()).filter(|line| !line.starts_with('#') && !line.is_empty());
    let mut names = Names { groups: Vec::new(), by_name: FxHashMap::default() };
    for (at, line) in lines.enumerate() {
        names.groups.push(line.split('|').map(fold).collect());
        for name in line.split('|') {
            names.by_name.entry(name).or_default().push(at);
        }
    }
    names
});

const LISTS: &[&str] = &[
    include_str!("data/currencies.txt"),
    include_str!("data/airports.txt"),
    include_str!("data/places.txt"),
    include_str!("data/words.txt"),
];

/// Codes that are common words as well: they are no sign that their thing was spoken of.
const COMMON: &[&str] = word_list!("check_call", "provenance/alias/common");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_names() {
        // CALL-8
        assert!(others("jfk").any(|name| name == "new york"));
        assert!(others("usd").any(|name| name == "$"));
        assert!(others("上海").any(|name| name == "pvg"));
        assert!(others("india").all(|name| name != "in"));
        assert_eq!(others("nowhere").count(), 0);
    }
}
