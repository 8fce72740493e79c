//! Two switches that are thrown the wrong way round: "enough with the texts, an e-mail will do", and the call keeps `sms` on and
//! `email` off.

use super::asked::{Asked, stands_in};
use super::qualifiers::equals_of;
use super::slip::{Slip, Strength};
use crate::check_call::subject::Node;
use crate::contract::codes::meaning::SWAPPED;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::words::identifier_words;
use serde_json::Value;

/// Finds a switch that is on though the user ends it, beside one that is off though the user wants it.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let switches: Vec<&Node<'_>> = asked.subject.values.leaves().filter(|node| node.value.is_boolean()).collect();
    if !(2..=MAX_SWITCHES).contains(&switches.len()) {
        return;
    }
    let stance = |node: &Node<'_>| stance_on(&asked.last.lower, node.key);
    let is = |node: &Node<'_>, on: bool| node.value == &Value::Bool(on);
    let ended = switches.iter().find(|node| is(node, true) && stance(node) == Some(Wish::Off));
    let wanted = switches.iter().find(|node| is(node, false) && stance(node) == Some(Wish::On));
    let Some((ended, wanted)) = ended.zip(wanted) else { return };
    let (on, off, language) = (ended.key, wanted.key, asked.subject.language);
    let evidence = localized!(
        language,
        "the user wants `{off}` and not `{on}`, and the call has them the other way round",
        "用户要的是 `{off}` 而不是 `{on}`，调用中正好相反"
    );
    let hint = localized!(language, "exchange `{on}` and `{off}`", "请交换 `{on}` 与 `{off}`");
    let pointer = asked.subject.values.pointer(ended);
    slips.push(Slip { pointer, code: &SWAPPED, strength: Strength::Strong, evidence, hint });
}

/// What the user wants of a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    On,
    Off,
}

/// What every clause that names a switch says of it; nothing where they disagree.
fn stance_on(lower: &str, key: &str) -> Option<Wish> {
    let words = identifier_words(key);
    let names: Vec<&str> =
        words.iter().filter(|word| word.len() >= MIN_WORD).flat_map(|word| equals_of(word)).collect();
    let mut wishes = lower.split(ENDS).filter_map(|clause| {
        let at = names.iter().find_map(|name| place_of(clause, name))?;
        // "An e-mail instead of a text": what stands before the word is wanted.
        let before = clause.get(..at).unwrap_or_default();
        Some(if Cue::named("ended").stands_in(before) { Wish::Off } else { Wish::On })
    });
    let first = wishes.next()?;
    wishes.all(|wish| wish == first).then_some(first)
}

fn place_of(clause: &str, name: &str) -> Option<usize> {
    let stands = if name.is_ascii() { stands_in(clause, name) || stands_in(clause, &format!("{name}s")) } else { true };
    clause.find(name).filter(|_| stands)
}

const ENDS: [char; 13] = ['.', ',', ';', ':', '!', '?', '\n', '，', '。', '；', '：', '！', '？'];
const MIN_WORD: usize = 3;
const MAX_SWITCHES: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-3
    #[test]
    fn clauses_tell_what_is_wanted() {
        assert_eq!(stance_on("no more texts, an e-mail will do", "sms"), Some(Wish::Off));
        assert_eq!(stance_on("no more texts, an e-mail will do", "email"), Some(Wish::On));
        assert_eq!(stance_on("an e-mail instead of a text", "sms"), Some(Wish::Off));
        assert_eq!(stance_on("别再发短信了，发邮件吧", "sms"), Some(Wish::Off));
        assert_eq!(stance_on("just tell me", "sms"), None);
    }
}
