//! Keys that stand twice in one object.
//!
//! Readers disagree on which of the two counts. What is judged here is the last one; so that nobody sees another, the
//! earlier ones are taken out of the text before it goes on.

use crate::gateway::top::{Member, elements, members};
use std::collections::HashSet;
use std::ops::Range;

/// The text with the last of each key alone, at every depth.
pub(crate) fn without_repeats(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    write(text, Scope::Everywhere, 0, &mut out);
    out
}

/// The same in those objects alone that lead to a call or belong to one. Other fields are nobody's business.
pub(crate) fn without_repeats_around_calls(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    write(text, Scope::Calls, 0, &mut out);
    out
}

#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Everywhere,
    Calls,
}

fn write(text: &str, scope: Scope, depth: usize, out: &mut String) {
    match text.trim_ascii_start().as_bytes().first() {
        // What is nested deeper than a call can be is refused by whoever reads it.
        Some(b'{' | b'[') if depth > DEEPEST => out.push_str(text),
        Some(b'{') if let Some(members) = members(text) => write_object(text, &members, scope, depth, out),
        Some(b'[') if let Some(elements) = elements(text) => {
            let mut copied = 0;
            for element in elements {
                out.push_str(text.get(copied..element.start).unwrap_or_default());
                copied = element.end;
                write(text.get(element).unwrap_or_default(), scope, depth + 1, out);
            }
            out.push_str(text.get(copied..).unwrap_or_default());
        }
        _ => out.push_str(text),
    }
}

fn write_object(text: &str, members: &[Member], scope: Scope, depth: usize, out: &mut String) {
    let part = |range: Range<usize>| text.get(range).unwrap_or_default();
    let (mut copied, mut first) = (members.first().map_or(0, |member| member.name.start), true);
    out.push_str(part(0..copied));
    for (member, last) in members.iter().zip(last_ones(members)) {
        let gap = copied..member.name.start;
        copied = member.value.end;
        if !last {
            continue;
        }
        // Before the first that stays there is no comma.
        out.push_str(if std::mem::take(&mut first) { "" } else { part(gap) });
        out.push_str(part(member.name.start..member.value.start));
        match scope == Scope::Everywhere || OURS.contains(&member.key.as_ref()) {
            true => write(part(member.value.clone()), scope, depth + 1, out),
            false => out.push_str(part(member.value.clone())),
        }
    }
    out.push_str(part(copied..text.len()));
}

/// Which fields are the last of their key.
pub(super) fn last_ones(members: &[Member]) -> Vec<bool> {
    let mut seen = HashSet::with_capacity(members.len());
    let mut last: Vec<bool> = members.iter().rev().map(|member| seen.insert(member.key.as_ref())).collect();
    last.reverse();
    last
}

/// What leads to a call in the three dialects, or belongs to one.
const OURS: &[&str] = &[
    "choices",
    "delta",
    "message",
    "tool_calls",
    "function_call",
    "function",
    "custom",
    "arguments",
    "parameters",
    "input",
    "content",
    "content_block",
    "item",
    "response",
    "output",
    "part",
    "action",
    "operation",
    "error",
    "usage",
];
/// Deeper than any arguments that are read.
const DEEPEST: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    // CALL-1: the last of each key stays, and all other bytes as they came.
    #[test]
    fn the_last_of_each_key_stays() {
        for (text, expected) in [
            (r#" { "a" : 1 , "b":2.10, "a" :3 } "#, r#" { "b":2.10, "a" :3 } "#),
            (r#"{"a":1,"\u0061":2}"#, r#"{"\u0061":2}"#),
            (r#"[{"x":{"a":1,"b":{"c":1, "c":2},"a":0.0}}, {} , []]"#, r#"[{"x":{"b":{"c":2},"a":0.0}}, {} , []]"#),
            (r#"{"a":1,"a":2,"a":3}"#, r#"{"a":3}"#),
            (r#"{"a":1e400,"b":NaN}"#, r#"{"a":1e400,"b":NaN}"#),
        ] {
            assert_eq!(without_repeats(text), expected);
        }
        let answer = r#"{"vendor":{"x":1,"x":2},"choices":[{"message":{"tool_calls":[1],"tool_calls":null}}]}"#;
        let expected = r#"{"vendor":{"x":1,"x":2},"choices":[{"message":{"tool_calls":null}}]}"#;
        assert_eq!(without_repeats_around_calls(answer), expected);
    }
}
