//! How far an instruction reaches: the words that belong to it, and no more.

use crate::text::sentences::sentences;
use std::ops::Range;

/// The passage that an instruction belongs to: the element around it, else its paragraph with the next ones, as far as these
/// are not set apart by a heading or a list of fields.
pub(super) fn passage_around(text: &str, sign: Range<usize>) -> &str {
    if let Some(block) = element_around(text, sign.start).or_else(|| turn_around(text, &sign)) {
        return block;
    }
    let start = text.get(..sign.start).and_then(|before| before.rfind("\n\n")).map_or(0, |at| at + 2);
    let end = text.get(sign.end..).unwrap_or_default();
    let mut until = sign.end + end.find("\n\n").unwrap_or(end.len());
    // "Do the following:" and its next paragraph are one.
    let opens = |until: usize| text.get(..until).is_some_and(|text| text.trim_end().ends_with([':', '：']));
    while opens(until) && until < text.len() {
        let rest = text.get(until..).unwrap_or_default();
        let skipped = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        until += skipped + rest.find("\n\n").unwrap_or(rest.len());
    }
    text.get(start..until).unwrap_or(text)
}

/// The line around a place in the record of a talk: each speaker answers for his own words.
fn turn_around<'t>(text: &'t str, sign: &Range<usize>) -> Option<&'t str> {
    let turns = text.lines().filter(|line| !line.trim().is_empty());
    let speaks = |line: &str| {
        let name = line.split([':', '：']).next().unwrap_or_default();
        name.len() < line.len() && !name.trim().is_empty() && name.chars().count() <= MAX_SPEAKER
    };
    let talk = turns.clone().count() > 1 && turns.clone().all(speaks);
    let start = text.get(..sign.start)?.rfind('\n').map_or(0, |at| at + 1);
    text.get(start..).filter(|_| talk)?.lines().next().filter(|line| start + line.len() >= sign.end)
}

/// The innermost `<NAME>…</NAME>` around a place.
fn element_around(text: &str, at: usize) -> Option<&str> {
    let before = text.get(..at)?;
    let open = before.rfind('<')?;
    let name: String = text.get(open + 1..)?.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let end = format!("</{name}>");
    let length = text.get(open..)?.find(&end).filter(|_| !name.is_empty())?;
    text.get(open..open + length + end.len()).filter(|block| open + block.len() > at)
}

/// The first sentence of a text.
pub(super) fn first_sentence(text: &str) -> String {
    let range = sentences(text).into_iter().next().unwrap_or(0..text.len());
    text.get(range).unwrap_or(text).trim().to_owned()
}

/// A speaker's name is short.
const MAX_SPEAKER: usize = 16;
