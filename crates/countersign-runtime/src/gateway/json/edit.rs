//! Changes to JSON text that leave every other byte where it was.
//!
//! [`rewrite`] takes a text, what it says, and what it should say: what is equal keeps its bytes, a field under another
//! name keeps its value's, and only what differs is written anew. [`put`] puts texts into places that a pointer names.

use super::repeats::last_ones;
use crate::gateway::top::{Member, elements, members};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// The text of `after`, made from a text that says `before`.
pub(crate) fn rewrite(text: &str, before: &Value, after: &Value) -> String {
    let mut out = String::with_capacity(text.len() + ROOM);
    let value = within(text);
    out.push_str(text.get(..value.start).unwrap_or_default());
    write(text.get(value.clone()).unwrap_or_default(), before, after, &mut out);
    out.push_str(text.get(value.end..).unwrap_or_default());
    out
}

/// The text with other values at these places, each named by a JSON pointer; a field that is missing in an object that is
/// there is added. The new values are texts themselves. A place that is not there is left out, and of two values for one
/// place the last counts.
pub(crate) fn put(text: &str, places: &[(String, String)]) -> String {
    let mut changes: Vec<(Range<usize>, String)> = Vec::new();
    let wanted = places.iter().map(|(pointer, value)| (pointer.as_str(), value.as_str())).collect();
    gather(text, within(text), wanted, &mut changes);
    changes.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len() + ROOM);
    let mut copied = 0;
    for (range, value) in changes {
        out.push_str(text.get(copied..range.start).unwrap_or_default());
        out.push_str(&value);
        copied = range.end;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

/// The text of the value that a JSON pointer names.
pub(crate) fn find<'t>(text: &'t str, pointer: &str) -> Option<&'t str> {
    text.get(locate(text, pointer)?)
}

fn locate(text: &str, pointer: &str) -> Option<Range<usize>> {
    let mut range = within(text);
    for key in pointer.split('/').skip(1).map(key_of) {
        let inside = text.get(range.clone())?;
        let found = match inside.starts_with('[') {
            true => elements(inside)?.get(key.parse::<usize>().ok()?)?.clone(),
            false => members(inside)?.into_iter().rev().find(|member| member.key == key)?.value,
        };
        range = shift(&found, range.start);
    }
    Some(range)
}

/// Finds what is to be changed in the value at a place, looking at each object and each list once.
fn gather(text: &str, range: Range<usize>, places: Vec<(&str, &str)>, changes: &mut Vec<(Range<usize>, String)>) {
    if let Some((_, value)) = places.iter().rev().find(|(pointer, _)| pointer.is_empty()) {
        return changes.push((range, (*value).to_owned()));
    }
    let inside = text.get(range.clone()).unwrap_or_default();
    let mut by_key: BTreeMap<String, Vec<(&str, &str)>> = BTreeMap::new();
    for (pointer, value) in places {
        let (key, rest) = pointer.get(1..).map_or(("", ""), |rest| rest.split_at(rest.find('/').unwrap_or(rest.len())));
        by_key.entry(key_of(key)).or_default().push((rest, value));
    }
    if let Some(elements) = elements(inside) {
        for (key, places) in by_key {
            let found = key.parse::<usize>().ok().and_then(|at| elements.get(at));
            found.into_iter().for_each(|found| gather(text, shift(found, range.start), places.clone(), changes));
        }
        return;
    }
    let Some(members) = members(inside) else { return };
    let (style, mut count) = (Style::of(inside, &members), members.len());
    let known: HashMap<&str, &Member> = members.iter().map(|member| (member.key.as_ref(), member)).collect();
    let end = range.start + members.last().map_or(1, |last| last.value.end);
    for (key, places) in by_key {
        if let Some(member) = known.get(key.as_str()) {
            gather(text, shift(&member.value, range.start), places, changes);
        } else if let Some((_, value)) = places.iter().rev().find(|(rest, _)| rest.is_empty()) {
            let comma = if count > 0 { style.comma } else { "" };
            changes.push((end..end, format!("{comma}{}{}{value}", Value::String(key), style.colon)));
            count += 1;
        }
    }
}

/// A text without the blanks around it.
fn within(text: &str) -> Range<usize> {
    text.len() - text.trim_ascii_start().len()..text.trim_ascii_end().len()
}

fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn key_of(written: &str) -> String {
    written.replace("~1", "/").replace("~0", "~")
}

fn write(text: &str, before: &Value, after: &Value, out: &mut String) {
    if before == after {
        return out.push_str(text);
    }
    match (before, after) {
        (Value::Object(before), Value::Object(after)) if let Some(members) = members(text) => {
            write_object(&Object { text, members, before }, after, out);
        }
        (Value::Array(before), Value::Array(after)) if let Some(elements) = elements(text) => {
            write_array(text, &elements, before, after, out);
        }
        _ => out.push_str(&after.to_string()),
    }
}

/// An object: its text, where its fields stand there, and what it says.
struct Object<'a> {
    text: &'a str,
    members: Vec<Member<'a>>,
    before: &'a Map<String, Value>,
}

/// How an object is written.
struct Style<'a> {
    comma: &'a str,
    colon: &'a str,
}

impl<'a> Style<'a> {
    fn of(text: &'a str, members: &[Member]) -> Self {
        let comma = match members {
            [one, two, ..] => text.get(one.value.end..two.name.start),
            _ => None,
        };
        let colon = members.first().and_then(|first| text.get(first.name.end..first.value.start));
        Self { comma: comma.unwrap_or(","), colon: colon.unwrap_or(":") }
    }
}

fn write_object(object: &Object, after: &Map<String, Value>, out: &mut String) {
    let Object { text, members, before } = object;
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    let mut added: Vec<(&String, &Value)> = after.iter().filter(|(key, _)| !before.contains_key(*key)).collect();
    let style = Style::of(text, members);
    let lead = members.first().map_or(1, |first| first.name.start);
    out.push_str(part(0..lead));
    let mut written = 0;
    for ((at, member), last) in members.iter().enumerate().zip(last_ones(members)) {
        let key = member.key.as_ref();
        // Of a key that stands there twice the last one counts.
        if !last {
            continue;
        }
        let known = before.get(key).unwrap_or(&Value::Null);
        let (name, value) = match after.get(key) {
            Some(value) => (part(member.name.clone()).to_owned(), value),
            None => {
                // The same value under a name that is new: the field was renamed.
                let Some(renamed) = added.iter().position(|(_, value)| *value == known) else { continue };
                let (name, value) = added.remove(renamed);
                (Value::String(name.clone()).to_string(), value)
            }
        };
        out.push_str(if written > 0 { separator(text, members, at).unwrap_or(style.comma) } else { "" });
        out.push_str(&name);
        out.push_str(part(member.name.end..member.value.start));
        write(part(member.value.clone()), known, value, out);
        written += 1;
    }
    for (key, value) in added {
        out.push_str(if written > 0 { style.comma } else { "" });
        out.push_str(&Value::String(key.clone()).to_string());
        out.push_str(style.colon);
        out.push_str(&value.to_string());
        written += 1;
    }
    out.push_str(members.last().map_or("}", |last| part(last.value.end..text.len())));
}

/// What stands between a field and the one before it.
fn separator<'t>(text: &'t str, members: &[Member], at: usize) -> Option<&'t str> {
    text.get(members.get(at.checked_sub(1)?)?.value.end..members.get(at)?.name.start)
}

fn write_array(text: &str, elements: &[Range<usize>], before: &[Value], after: &[Value], out: &mut String) {
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    let gap = |at: usize| Some(part(elements.get(at.checked_sub(1)?)?.end..elements.get(at)?.start));
    out.push_str(part(0..elements.first().map_or(1, |first| first.start)));
    let comma = gap(1).unwrap_or(",");
    for (written, (value, origin)) in after.iter().zip(origins(before, after)).enumerate() {
        if written > 0 {
            out.push_str(origin.and_then(gap).unwrap_or(comma));
        }
        match origin.and_then(|at| Some((elements.get(at)?.clone(), before.get(at)?))) {
            Some((place, before)) => write(part(place), before, value, out),
            None => out.push_str(&value.to_string()),
        }
    }
    out.push_str(elements.last().map_or("]", |last| part(last.end..text.len())));
}

/// Which element each of the new ones was made of, in order. What is equal at both ends of the list stands; between them
/// it is an equal one, one of the same id, one of the same kind that is not needed for another, or the one in its place.
fn origins(before: &[Value], after: &[Value]) -> Vec<Option<usize>> {
    let same = |(one, other): &(&Value, &Value)| one == other;
    let head = before.iter().zip(after).take_while(same).count();
    let most = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(most).take_while(same).count();
    let old = before.get(..before.len() - tail).unwrap_or_default();
    let new = after.get(..after.len() - tail).unwrap_or_default();
    let mut next = head;
    let mut origins: Vec<_> = (0..head).map(Some).collect();
    for (at, value) in new.iter().enumerate().skip(head) {
        let near = || old.iter().enumerate().skip(next).take(NEAR);
        let later = new.get(at + 1..).unwrap_or_default().iter().take(NEAR);
        let wanted = |old: &Value| later.clone().any(|new| new == old || has_same_id(old, new));
        let found = near()
            .find(|(_, old)| *old == value)
            .or_else(|| near().find(|(_, old)| has_same_id(old, value)))
            .or_else(|| near().find(|(_, old)| is_same_kind(old, value) && !wanted(old)))
            .or_else(|| near().find(|(place, _)| *place == at && old.len() == new.len()));
        next = found.map_or(next, |(found, _)| found + 1);
        origins.push(found.map(|(found, _)| found));
    }
    origins.extend((before.len() - tail..before.len()).map(Some));
    origins
}

fn has_same_id(one: &Value, other: &Value) -> bool {
    let id = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    IDS.iter().any(|key| id(one, key).is_some_and(|known| !known.is_empty() && id(other, key) == Some(known)))
}

fn is_same_kind(one: &Value, other: &Value) -> bool {
    let both = one.is_object() == other.is_object() && one.is_array() == other.is_array();
    both && ["type", "role"].iter().all(|key| one.get(key) == other.get(key))
}

/// What things of a list are known by.
const IDS: &[&str] = &["id", "call_id", "tool_call_id", "tool_use_id"];
/// How far ahead a list is looked through: more than is dropped in one place.
const NEAR: usize = 64;
/// What a change adds, about.
const ROOM: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::json::read;
    use proptest::prelude::*;
    use serde_json::json;

    fn changed(text: &str, change: impl FnOnce(&mut Value)) -> String {
        let before = read(text).unwrap().value;
        let mut after = before.clone();
        change(&mut after);
        let written = rewrite(text, &before, &after);
        assert_eq!(read(&written).map(|read| read.value), Some(after), "{written}");
        written
    }

    // CALL-3, SERVE-6: only what differs is written again.
    #[test]
    fn everything_else_keeps_its_bytes() {
        let text = r#" { "a" : 1.10 ,"b":{"c" : [1e2, -0.0 , 123456789012345678901234567890]}, "d":"caf\u00e9" } "#;
        let expected = text.replace("-0.0", "7");
        assert_eq!(changed(text, |value| value["b"]["c"][1] = json!(7)), expected);
        let expected = text.replace(r#""d":"caf\u00e9""#, r#""d":"x""#);
        assert_eq!(changed(text, |value| value["d"] = json!("x")), expected);
        let removed = changed(text, |value| drop(value.as_object_mut().unwrap().shift_remove("a")));
        assert_eq!(removed, text.replace(r#""a" : 1.10 ,"#, ""));
        let removed = changed(text, |value| drop(value.as_object_mut().unwrap().shift_remove("d")));
        assert_eq!(removed, text.replace(r#", "d":"caf\u00e9""#, ""));
        let added = changed(text, |value| value["e"] = json!([true]));
        assert_eq!(added, text.replace(r#"\u00e9""#, r#"\u00e9" ,"e" : [true]"#));
    }

    #[test]
    fn a_field_under_another_name_keeps_its_value_as_it_was_written() {
        let renamed = changed(r#"{"Amount": 1.10, "b": 2}"#, |value| {
            let amount = value.as_object_mut().unwrap().shift_remove("Amount").unwrap();
            value["amount"] = amount;
        });
        assert_eq!(renamed, r#"{"amount": 1.10, "b": 2}"#);
    }

    #[test]
    fn things_of_a_list_are_known_again() {
        let text = r#"[{"id":"a","x":1.10}, {"id":"b","x":2.20}, {"role":"user","y":3.30}]"#;
        let dropped = changed(text, |value| drop(value.as_array_mut().unwrap().remove(0)));
        assert_eq!(dropped, r#"[{"id":"b","x":2.20}, {"role":"user","y":3.30}]"#);
        let both = changed(text, |value| {
            value.as_array_mut().unwrap().remove(0);
            value.as_array_mut().unwrap().insert(0, json!({"new": true}));
            value[1]["name"] = json!("n");
        });
        assert_eq!(both, r#"[{"new":true}, {"id":"b","x":2.20,"name":"n"}, {"role":"user","y":3.30}]"#);
        let other = changed(text, |value| value[2]["y"] = json!(0));
        assert_eq!(other, text.replace("3.30", "0"));
    }

    #[test]
    fn texts_are_put_where_pointers_say() {
        let text = r#"{"a": [ {"b": 1.10} , {} ], "a/b": 2}"#;
        let places = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|(pointer, value)| ((*pointer).to_owned(), (*value).to_owned())).collect()
        };
        let written =
            put(text, &places(&[("/a~1b", "3.0"), ("/a/0/b", "{\"x\":1.50}"), ("/a/1/c", "9"), ("/no/x", "1")]));
        assert_eq!(written, r#"{"a": [ {"b": {"x":1.50}} , {"c":9} ], "a/b": 3.0}"#);
        assert_eq!(put(r#"{"a": 1, "a": 2}"#, &places(&[("/a", "3")])), r#"{"a": 1, "a": 3}"#);
        assert_eq!(put(" {} ", &places(&[("/a", "3"), ("", "4")])), " 4 ");
    }

    /// JSON text with odd numbers and odd blanks, and without a key twice.
    fn odd() -> impl Strategy<Value = String> {
        let number = prop::sample::select(vec![
            "1.10",
            "1e2",
            "-0.0",
            "0",
            "123456789012345678901234567890",
            "-1E+02",
            "0.000",
            "1e400",
        ]);
        let string = prop::sample::select(vec![
            r#""""#,
            r#""a""#,
            r#""caf\u00e9""#,
            r#""\/""#,
            r#""\ud83d\ude00""#,
            r#""\ud83d""#,
            r#""{,:[\"""#,
            "\"é\"",
        ]);
        let leaf = prop_oneof![
            number.prop_map(str::to_owned),
            string.prop_map(str::to_owned),
            prop::sample::select(vec!["true", "false", "null", "NaN"]).prop_map(str::to_owned),
        ];
        let blank = || prop::sample::select(vec!["", "", " ", "\n\t", "  "]);
        leaf.prop_recursive(4, 40, 5, move |inner| {
            let list = prop::collection::vec((blank(), inner.clone(), blank()), 0..5).prop_map(|items| {
                let items: Vec<String> = items.iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect();
                format!("[{}]", items.join(","))
            });
            let object = prop::collection::vec((blank(), inner, blank()), 0..5).prop_map(|items| {
                let keys = ["a", "id", r"\u0062", "type", "~/"];
                let fields = items.iter().zip(keys).map(|((a, item, b), key)| format!("{a}\"{key}\"{b}:{a}{item}{b}"));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
            });
            prop_oneof![list, object]
        })
    }

    /// Every place in a value.
    fn places(value: &Value, here: &str, found: &mut Vec<String>) {
        found.push(here.to_owned());
        match value {
            Value::Array(list) => (0..list.len()).for_each(|at| places(&list[at], &format!("{here}/{at}"), found)),
            Value::Object(map) => map.iter().for_each(|(key, value)| {
                places(value, &format!("{here}/{}", key.replace('~', "~0").replace('/', "~1")), found)
            }),
            _ => {}
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        // CALL-3, SERVE-6: the law of a change. What is outside of it keeps its bytes, and what is read back is the change.
        #[test]
        fn bytes_outside_of_a_change_stay(text in odd(), at in any::<prop::sample::Index>(), new in odd()) {
            let before = read(&text).unwrap().value;
            let mut all = Vec::new();
            places(&before, "", &mut all);
            let place = at.get(&all);
            let written = put(&text, &[(place.clone(), new.clone())]);
            let mut after = before.clone();
            *after.pointer_mut(place).unwrap() = read(&new).unwrap().value;
            prop_assert_eq!(&read(&written).unwrap().value, &after);
            let range = locate(&text, place).unwrap();
            prop_assert_eq!(&written[..range.start], &text[..range.start]);
            prop_assert_eq!(&written[range.start + new.len()..], &text[range.end..]);
            // The same change told as a value: the same bytes outside.
            let rewritten = rewrite(&text, &before, &after);
            prop_assert_eq!(&read(&rewritten).unwrap().value, &after);
            prop_assert!(rewritten.starts_with(&text[..range.start]), "{} {}", text, rewritten);
            prop_assert!(rewritten.ends_with(&text[range.end..]), "{} {}", text, rewritten);
        }

        #[test]
        fn what_is_read_back_is_what_was_meant(text in odd(), other in odd()) {
            let (before, after) = (read(&text).unwrap().value, read(&other).unwrap().value);
            prop_assert_eq!(&rewrite(&text, &before, &before), &text);
            let written = rewrite(&text, &before, &after);
            prop_assert_eq!(read(&written).unwrap().value, after);
        }
    }
}
