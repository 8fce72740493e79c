//! Which field of a record was meant: "to her private address", and the call has the `work_email` that stands beside the
//! `private_email`.

use super::argument::Argument;
use super::asked::{Asked, clause_around};
use super::qualifiers::equals_of;
use super::records::Record;
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::role::is_excluded;
use crate::text::phrases::stands_free;
use crate::text::words::identifier_words;

/// Finds values of a field beside the one that the user's words name.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in asked.arguments.iter().filter(|argument| !argument.node.roles.has(Role::FreeText)) {
        let Some(text) = argument.text().filter(|text| (MIN_VALUE..=MAX_VALUE).contains(&text.len())) else { continue };
        let record = asked.records().iter().find(|record| record.has(text));
        let meant = record.and_then(|record| meant_sibling(asked, argument, record, text));
        slips.extend(meant.map(|meant| say(asked, argument, &meant)));
    }
}

/// A field that was meant, and the one whose value the call has.
struct Meant<'a> {
    field: &'a str,
    value: &'a str,
    own: &'a str,
    word: String,
}

/// The one field beside that of a value which the user's words call for, while they do not speak of its own.
fn meant_sibling<'a>(asked: &Asked<'a>, argument: &Argument<'_>, record: &Record<'a>, text: &str) -> Option<Meant<'a>> {
    let texts = || record.fields.iter().filter_map(|(key, value)| Some((*key, value.as_str()?)));
    let mut owners = texts().filter(|(_, value)| value.eq_ignore_ascii_case(text));
    let (own, held) = owners.next().filter(|_| owners.next().is_none())?;
    let mut found = texts().filter(|(_, value)| !value.eq_ignore_ascii_case(text)).filter_map(|(field, value)| {
        let (mine, its) = (words_apart(own, field), words_apart(field, own));
        let named = |words: &[String]| {
            if let Some(word) = holder_named(asked, record, words) {
                return Some(word);
            }
            words.iter().find_map(|word| asked.in_force().find_map(|reading| name_in(&reading.lower, word)))
        };
        let spoken = |word: &String| asked.user().any(|reading| is_spoken(&reading.lower, word));
        let alike = are_alike(own, held, field, value);
        let plain = mine.is_empty() && holder_named(asked, record, &its).is_some();
        let open =
            (plain || !mine.is_empty()) && !mine.iter().any(|word| argument.words.contains(word) || spoken(word));
        let word = named(&its).filter(|_| alike && open)?;
        Some(Meant { field, value, own, word })
    });
    found.next().filter(|_| found.next().is_none())
}

/// `contact: 周敏（太太）` beside `contact_phone`: whom the field belongs to is told by the text of another field, and the user
/// addresses them by what they are.
fn holder_named(asked: &Asked<'_>, record: &Record<'_>, words: &[String]) -> Option<String> {
    let [holder] = words else { return None };
    let (_, text) = record.fields.iter().find(|(key, _)| identifier_words(key) == [holder.clone()])?;
    let text = text.as_str().filter(|text| text.len() <= MAX_VALUE)?.to_lowercase();
    let (_, kin) = text.split_once(['（', '('])?;
    let kin = kin.trim_end_matches(['）', ')', ' ']);
    let said = asked.in_force().find_map(|reading| name_in(&reading.lower, kin))?;
    Some(said)
}

/// The words of a field's name that another's does not have.
fn words_apart(field: &str, other: &str) -> Vec<String> {
    let others = identifier_words(other);
    identifier_words(field).into_iter().filter(|word| !others.contains(word)).collect()
}

/// Whether two fields hold things of one kind: two addresses of mail, two long numbers, or whatever has one name at its end.
fn are_alike(own: &str, held: &str, field: &str, value: &str) -> bool {
    let digits = |text: &str| {
        let count = text.bytes().filter(u8::is_ascii_digit).count();
        count >= MIN_DIGITS && !text.contains(|c: char| c.is_alphabetic())
    };
    let last = |key: &str| identifier_words(key).pop();
    held.contains('@') && value.contains('@')
        || digits(held) && digits(value)
        || identifier_words(own).len() > 1 && last(own) == last(field)
}

/// The word by which a text calls for a field: one that says where somebody is reached ("her private address"), or the one whom
/// it goes to ("to her mother", 发给妈妈).
fn name_in(lower: &str, word: &str) -> Option<String> {
    equals_of(word).into_iter().find_map(|word| {
        let mut places = lower.match_indices(word).map(|(at, _)| at).filter(|at| is_whole(lower, *at, word));
        let meant = places.any(|at| {
            let clause = clause_around(lower, at);
            let spared = ["must-not-get", "not-to-know", "away"].iter().any(|cue| Cue::named(cue).stands_in(clause));
            !is_out(lower, at) && !spared && (is_reached(lower, at + word.len()) || is_addressed(lower, at))
        });
        meant.then(|| word.to_owned())
    })
}

/// Whether the words before a place take it out: "not to her private address".
fn is_out(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default().trim_end();
    let owned = OWNERS.iter().find_map(|owner| before.strip_suffix(owner));
    is_excluded(lower, at) || owned.is_some_and(|before| is_excluded(lower, before.len()))
}

fn is_spoken(lower: &str, word: &str) -> bool {
    equals_of(word).into_iter().any(|word| lower.match_indices(word).any(|(at, _)| is_whole(lower, at, word)))
}

/// One Chinese sign alone is a part of too many words.
fn is_whole(lower: &str, at: usize, word: &str) -> bool {
    if word.starts_with(is_han) { word.chars().count() >= 2 } else { stands_free(lower, &(at..at + word.len())) }
}

/// Whether what follows is a way to reach somebody: an address, a number.
fn is_reached(lower: &str, end: usize) -> bool {
    let behind = lower.get(end..).unwrap_or_default();
    let behind = behind.strip_prefix("'s").or_else(|| behind.strip_prefix('的')).unwrap_or(behind).trim_start();
    let next = behind.split(|c: char| !c.is_ascii_alphabetic() && c != '-').next().unwrap_or_default();
    let ways = Cue::named("reached-at");
    ways.has(next) || ways.chinese.iter().any(|way| behind.starts_with(way))
}

/// Whether the words right before a place address it: "to her", "text the", 发给她.
fn is_addressed(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default().trim_end();
    let ways = Cue::named("goes-to");
    if before.is_ascii() || !lower.get(at..).is_some_and(|rest| rest.starts_with(is_han)) {
        let mut words =
            before.rsplit(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| !word.is_empty()).peekable();
        // "To work" is a deed; "to her work" and "to the shop" are places.
        let owned = words.next_if(|word| OWNERS.contains(word) || word.ends_with("'s")).is_some();
        return owned && words.next().is_some_and(|word| ways.has(word));
    }
    let near: String = before.chars().rev().take(MAX_NAME).collect::<Vec<_>>().into_iter().rev().collect();
    let clause = near.rsplit(['，', '。', '；', '！', '？', ',', '.']).next().unwrap_or_default();
    ways.chinese.iter().any(|way| clause.contains(way))
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, meant: &Meant<'_>) -> Slip {
    let (key, Meant { field, value, own, word }) = (argument.node.key, meant);
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{word}\", which is `{field}` (`{value}`); `{key}` has the value of `{own}`",
        "用户说的是“{word}”，即 `{field}`（`{value}`）；而 `{key}` 用的是 `{own}` 的值"
    );
    let hint = localized!(
        asked.subject.language,
        "take the value of `{field}`, or ask the user",
        "请使用 `{field}` 的值，或询问用户"
    );
    Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint })
}

const OWNERS: &[&str] = &["the", "her", "his", "their", "my", "our", "your", "its"];
const MIN_VALUE: usize = 4;
const MAX_VALUE: usize = 120;
/// Fewer digits are no number that anybody is reached at.
const MIN_DIGITS: usize = 6;
/// 发给张小雨的 lies between 给 and 妈妈 at most.
const MAX_NAME: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn fields_are_called_for() {
        let names = |text: &str, word: &str| name_in(text, word).is_some();
        assert!(names("send it to her private address", "private") && names("text her mum's number", "mother"));
        assert!(names("把通知发给小雨的妈妈", "mother") && names("用私人邮箱", "personal"));
        assert!(names("send it to the shop", "shop") && names("call anna's landlord", "landlord"));
        assert!(!names("does that work for you", "work") && !names("she goes to work at nine", "work"));
        assert!(!names("her mother called this morning", "mother") && !names("not to her private address", "private"));
        assert!(are_alike("work_email", "a@b.io", "private_email", "c@d.io"));
        assert!(!are_alike("father_phone", "13500001111", "member_name", "li lei"));
    }
}
