//! A number in a written text two digits of which changed places: the balance is 318.40, and the letter asks for 381.40.

use super::argument::Argument;
use super::asked::Asked;
use super::slip::{Says, Slip, Strength};
use super::trace::{Measure, is_computed};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OTHER_CONTENT;
use crate::localized;
use crate::text::mentions::{Reading, What};
use rustc_hash::FxHashSet;

/// Finds texts with a number or an id that nobody has, where one that differs only by two neighbouring digits is known and
/// does not stand in the text.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let texts = asked.arguments.iter().filter(|argument| argument.node.roles.has(Role::FreeText));
    let mut known: Option<FxHashSet<String>> = None;
    for argument in texts {
        let Some(text) = argument.text().filter(|text| text.len() >= SHORTEST) else { continue };
        let written = Reading::of(text);
        let own = tokens(&written.lower);
        for mention in written.mentions.iter().take(MAX_MENTIONS) {
            let Some(wrote) = tokens(written.text(mention)).into_iter().next() else { continue };
            // Two digits in each other's place differ by a multiple of nine, and a sum of round numbers may do so too.
            let computed = |value: f64| {
                wrote.bytes().filter(u8::is_ascii_digit).count() == MIN_DIGITS
                    && is_computed(asked, value, Measure::Bare, asked.records())
            };
            match &mention.what {
                What::Number(quantity) if !computed(quantity.value) => {}
                What::Id => {}
                _ => continue,
            }
            let known = known.get_or_insert_with(|| known_tokens(asked));
            if known.contains(&wrote) {
                continue;
            }
            if let Some(said) = turned(&wrote).into_iter().find(|other| known.contains(other) && !own.contains(other)) {
                slips.push(say(asked, argument, &said, &wrote));
                break;
            }
        }
    }
}

/// Every number and id of the conversation.
fn known_tokens(asked: &Asked<'_>) -> FxHashSet<String> {
    let said = asked.readings().flat_map(|reading| tokens(&reading.lower));
    let shown = asked.results.iter().flat_map(|result| {
        let text = result.to_string().to_ascii_lowercase();
        let end = text.floor_char_boundary(MAX_RESULT);
        tokens(text.get(..end).unwrap_or_default())
    });
    said.chain(shown).collect()
}

/// The words of a text that have three digits or more, in one form: 1,250.00 and 1250 are one.
fn tokens(lower: &str) -> FxHashSet<String> {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ',' | '-');
    let parts = lower.split(|c: char| !inside(c)).flat_map(|part| {
        // "412.6," and "a,b": a comma between digits is inside a number.
        let commas = part.char_indices().filter(|(at, c)| *c == ',' && !is_between_digits(part, *at));
        let mut cuts: Vec<usize> = commas.map(|(at, _)| at).collect();
        cuts.push(part.len());
        let mut start = 0;
        cuts.into_iter().filter_map(move |end| {
            let piece = part.get(start..end);
            start = end + 1;
            piece
        })
    });
    let clean = parts.map(|part| part.trim_matches(['.', '-', ',']).replace(',', ""));
    let enough =
        clean.filter(|part| part.len() <= MAX_TOKEN && part.bytes().filter(u8::is_ascii_digit).count() >= MIN_DIGITS);
    enough.map(|part| plain(&part)).collect()
}

fn is_between_digits(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    digit(at.checked_sub(1)) && digit(at.checked_add(1))
}

/// A number without needless zeros behind its point.
fn plain(token: &str) -> String {
    match token.split_once('.') {
        Some((whole, part))
            if token.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !part.contains('.') =>
        {
            let part = part.trim_end_matches('0');
            if part.is_empty() { whole.to_owned() } else { format!("{whole}.{part}") }
        }
        _ => token.to_owned(),
    }
}

/// The same token with two neighbouring digits in each other's place, a point between them or not.
fn turned(token: &str) -> Vec<String> {
    let places: Vec<(usize, u8)> = token.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()).collect();
    let pairs = places.windows(2).filter_map(|pair| match pair {
        [(one, a), (two, b)] if a != b && two - one <= 2 => {
            let mut bytes = token.as_bytes().to_vec();
            bytes.swap(*one, *two);
            String::from_utf8(bytes).ok()
        }
        _ => None,
    });
    pairs.filter(|other| !other.starts_with('0')).map(|other| plain(&other)).collect()
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, said: &str, wrote: &str) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the conversation has \"{said}\", `{key}` has \"{wrote}\", which nobody said",
        "对话中是“{said}”，而 `{key}` 写的是“{wrote}”，没有人说过"
    );
    let hint = localized!(asked.subject.language, "write \"{said}\", or ask", "请写“{said}”，或询问用户");
    Slip::on(asked, argument, &OTHER_CONTENT, Strength::Strong, Says { evidence, hint })
}

const SHORTEST: usize = 12;
const MIN_DIGITS: usize = 3;
const MAX_TOKEN: usize = 40;
const MAX_MENTIONS: usize = 60;
const MAX_RESULT: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-3
    #[test]
    fn digits_that_changed_places_are_told() {
        let one = |text: &str| tokens(text).into_iter().next().unwrap_or_default();
        assert_eq!(
            (one("eur 1,250.00,"), one("ref. ab-4471."), one("12 of 30")),
            ("1250".into(), "ab-4471".into(), String::new())
        );
        assert!(turned("381.4").contains(&"318.4".to_owned()) && turned("ab-4417").contains(&"ab-4471".to_owned()));
        assert!(!turned("381.4").contains(&"381.4".to_owned()) && !turned("100").contains(&"010".to_owned()));
        assert!(tokens(&"1,".repeat(4000)).len() < 4000);
    }
}
