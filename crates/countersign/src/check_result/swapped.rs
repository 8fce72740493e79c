//! Two values of a result that an answer gives to each other's owner: "maths 78, physics 87" where it is the other way round.
//! (MEANING-6)
//!
//! Only where both are exchanged: one value in a wrong place may be of something else, two that changed places are not.
//! Owners are the fields of one record, or the records of a list by what they are called. No list of words is needed, so it
//! holds in every language whose commas we know.

use super::telling::clauses;
use super::trace::Done;
use crate::contract::codes::score::CONFLICT;
use crate::contract::{Finding, Language};
use crate::localized;
use crate::text::lists::word_list;
use crate::text::mentions::Reading;
use crate::text::words::identifier_words;
use serde_json::{Map, Value};

/// Two owners whose values an answer exchanges.
pub(crate) fn find(response: &str, call: &Done<'_>, language: Language) -> Option<Finding> {
    let lower = response.to_lowercase();
    let pieces: Vec<Piece<'_>> = pieces(&lower).take(MAX_PIECES).map(Piece::of).collect();
    let groups = groups(call.content);
    let (first, second) = groups.iter().find_map(|owners| exchanged(owners, &pieces))?;
    let evidence = localized!(
        language,
        "the answer exchanges the values of `{first}` and `{second}`",
        "回答把 `{first}` 和 `{second}` 的值对调了"
    );
    Some(Finding::new(&CONFLICT, "", evidence))
}

/// A thing and the value that the result gives it.
struct Owner {
    name: String,
    value: Told,
}

#[derive(PartialEq)]
enum Told {
    Number(f64),
    Text(String),
}

/// A part of a sentence that no comma divides, with its numbers.
struct Piece<'t> {
    text: &'t str,
    numbers: Vec<f64>,
}

impl<'t> Piece<'t> {
    fn of(text: &'t str) -> Self {
        let reading = Reading::of(text);
        Self { text, numbers: reading.numbers().map(|(_, number)| number.value).take(MAX_NUMBERS).collect() }
    }

    fn names(&self, name: &str) -> bool {
        stands(self.text, name)
    }

    fn tells(&self, value: &Told) -> bool {
        match value {
            Told::Number(number) => self.numbers.contains(number),
            Told::Text(text) => stands(self.text, text),
        }
    }
}

/// The one owner that a piece names and the one whose value it tells.
fn exchanged<'o>(owners: &'o [Owner], pieces: &[Piece<'_>]) -> Option<(&'o str, &'o str)> {
    let only = |fits: &dyn Fn(&Owner) -> bool| {
        let mut all = owners.iter().enumerate().filter(|(_, owner)| fits(owner)).map(|(at, _)| at);
        all.next().filter(|_| all.next().is_none())
    };
    let plain = pieces.iter().filter(|piece| !COMPARES.iter().any(|word| stands(piece.text, word)));
    let told: Vec<(usize, usize)> = plain
        .filter_map(|piece| Some((only(&|owner| piece.names(&owner.name))?, only(&|owner| piece.tells(&owner.value))?)))
        .collect();
    let crossed = told.iter().find(|(owner, value)| owner != value && told.contains(&(*value, *owner)))?;
    // Who gives the right value too tells of more than one time.
    let right = told.iter().any(|(owner, value)| owner == value && (*owner == crossed.0 || *owner == crossed.1));
    let name = |at: usize| owners.get(at).map(|owner| owner.name.as_str());
    name(crossed.0).zip(name(crossed.1)).filter(|_| !right)
}

/// The owners of a result, in groups of which each holds one kind of value.
fn groups(content: &Value) -> Vec<Vec<Owner>> {
    let list = content.as_array().or_else(|| content.as_object()?.values().find_map(Value::as_array));
    let records: Vec<&Map<String, Value>> =
        list.into_iter().flatten().filter_map(Value::as_object).take(MAX_OWNERS).collect();
    if let (Some(first), true) = (records.first(), records.len() > 1) {
        let called = first.iter().find(|(_, value)| value.is_string()).map(|(key, _)| key.as_str());
        let column = |key: &String| {
            let owners = records.iter().filter_map(|record| {
                Some(Owner { name: name(record.get(called?)?.as_str()?)?, value: value(record.get(key)?)? })
            });
            owners.collect::<Vec<_>>()
        };
        return first
            .keys()
            .filter(|key| Some(key.as_str()) != called)
            .take(MAX_COLUMNS)
            .map(column)
            .filter(|owners| distinct(owners))
            .collect();
    }
    let record = content.as_object().into_iter().flatten().take(MAX_OWNERS);
    let owners = record
        .filter_map(|(key, own)| Some(Owner { name: name(&identifier_words(key).join(" "))?, value: value(own)? }));
    let (numbers, texts): (Vec<_>, Vec<_>) = owners.partition(|owner| matches!(owner.value, Told::Number(_)));
    [numbers, texts].into_iter().filter(|owners| distinct(owners)).collect()
}

/// Whether no two owners share a name or a value.
fn distinct(owners: &[Owner]) -> bool {
    let apart = |at: usize, one: &Owner| {
        owners.iter().skip(at + 1).all(|other| one.name != other.name && one.value != other.value)
    };
    owners.len() > 1 && owners.iter().enumerate().all(|(at, one)| apart(at, one))
}

fn name(text: &str) -> Option<String> {
    let long = text.chars().count() >= 2 && text.len() <= MAX_NAME;
    long.then(|| text.to_lowercase())
}

fn value(value: &Value) -> Option<Told> {
    match value {
        Value::Number(number) => number.as_f64().map(Told::Number),
        Value::String(text) => name(text).map(Told::Text),
        _ => None,
    }
}

/// The clauses of a text, cut at the marks of a list too.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let cut = |clause| str::split(clause, ['、', '，', ',', ';', '；']);
    clauses(text).flat_map(cut).flat_map(|piece| piece.split(" and "))
}

/// Whether some words are in a text, and not inside of longer ones.
fn stands(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let behind = text.get(at + words.len()..).and_then(|tail| tail.chars().next());
        let (first, last) = (words.chars().next(), words.chars().next_back());
        let inside = |one: Option<char>, other: Option<char>| {
            one.zip(other).is_some_and(|(a, b)| a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric())
        };
        !inside(before, first) && !inside(last, behind)
    })
}

/// Words that set one thing against another.
const COMPARES: &[&str] = word_list!("check_result", "slots/compares");
const MAX_PIECES: usize = 100;
const MAX_NUMBERS: usize = 6;
const MAX_OWNERS: usize = 30;
const MAX_COLUMNS: usize = 6;
const MAX_NAME: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn is_found(response: &str, content: &Value) -> bool {
        let call = Done { name: "get_stock", arguments: &json!({}), content, is_error: false, fresh: true };
        find(response, &call, Language::English).is_some()
    }

    // MEANING-6
    #[test]
    fn exchanged_values_are_seen() {
        let beds = json!({"ward": "B", "adults": 34, "children": 12});
        assert!(is_found("Ward B has 12 adults and 34 children.", &beds));
        assert!(!is_found("Ward B has 34 adults and 12 children.", &beds));
        assert!(!is_found("There are 12 children, fewer than the 34 adults.", &beds));
        assert!(!is_found("Adults 12 percent up, children 34.", &json!({"adults": 12, "children": 34})));
        let keys = json!([{"room": "Attic", "holder": "Ada Brown"}, {"room": "Cellar", "holder": "Tom Reed"}]);
        assert!(is_found("The attic key is with Tom Reed, the cellar key with Ada Brown.", &keys));
        assert!(!is_found("The attic key is with Ada Brown, the cellar key with Tom Reed.", &keys));
        assert!(!is_found("Ada Brown and Tom Reed hold the keys of the attic and the cellar.", &keys));
        let wards = json!([{"病区": "东区", "护士长": "周敏"}, {"病区": "西区", "护士长": "韩雪"}]);
        assert!(is_found("东区护士长是韩雪，西区是周敏。", &wards));
        assert!(!is_found("东区护士长是周敏，西区是韩雪。", &wards));
    }
}
