//! What a description says that values mean: "0 is fully closed, 100 is fully open", "true 打开，false 关闭".
//!
//! Where two values are said to do opposite things and the user's words name one of them, the other is the wrong value. A
//! value of which the description says nothing is never doubted.

use super::choice::only_ends;
use super::{Judge, Weight};
use crate::check_call::subject::{Node, Said};
use crate::contract::Finding;
use crate::contract::codes::meaning::OPPOSITE;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::deeds::reading::{Mention, Stance};
use crate::text::fold::fold;
use crate::text::lexicon::{Deeds, find_chinese, find_english};
use crate::text::words::words;
use serde_json::Value;

/// Adds every value that is said to mean the opposite of what the user wants.
pub(crate) fn find(judge: &Judge<'_>, said: &mut Said) {
    let find = |node| find_opposite(judge, node).or_else(|| find_refused(judge, node));
    let found: Vec<Finding> = judge.subject.values.leaves().filter_map(find).collect();
    said.findings.extend(found);
}

fn find_opposite(judge: &Judge<'_>, node: &Node<'_>) -> Option<Finding> {
    let chosen = match node.value {
        Value::Bool(_) | Value::Number(_) => node.value.to_string(),
        _ => return None,
    };
    let meanings = read(&node.param?.description);
    let own = meanings.iter().find(|meaning| meaning.value == chosen)?;
    let last = judge.request.last;
    if last.may_want(own.deeds) {
        return None;
    }
    let mut opposites = own.deeds.opposites();
    let mut others = meanings.iter().filter(|other| other.value != chosen && other.deeds.meet(&opposites));
    let other = others.next()?;
    if own.deeds.meet(&Deeds::named(&["turn-on"])) && only_ends(judge) {
        opposites = opposites.join(&Deeds::named(&["stop", "pause", "freeze"]));
    }
    let wanted = |mention: &&Mention| mention.stance == Stance::Wanted && !mention.deeds.meet(&own.deeds);
    let mention = last.of_deeds(opposites).find(wanted)?;
    let (key, means, wanted, words) = (node.key, own.words.trim(), &other.value, &mention.said);
    let language = judge.subject.language;
    let evidence = localized!(
        language,
        "the user said \"{words}\", and `{key}` is {chosen}, which means \"{means}\"",
        "用户说的是“{words}”，而 `{key}` 的值是 {chosen}，意思是“{means}”"
    );
    let hint =
        localized!(language, "{wanted} is what the user said, or ask", "与用户说法相符的是 {wanted}，或询问用户");
    let finding = Finding::new(&OPPOSITE, judge.subject.values.pointer(node), evidence).hint(hint);
    Some(judge.weigh(finding, Weight::Strong))
}

/// A choice that the user refuses by the name that the description has for it: 不用挂失了 and `status: lost`, where "lost挂失".
fn find_refused(judge: &Judge<'_>, node: &Node<'_>) -> Option<Finding> {
    let (chosen, param) = (node.value.as_str()?, node.param.filter(|param| param.allowed.len() >= 2)?);
    let name = name_of(&param.description, chosen)?;
    let stances = judge.request.last.stances_of_chinese(&name);
    let refused = !stances.is_empty() && stances.iter().all(|(_, stance)| *stance == Stance::Refused);
    let (key, language) = (node.key, judge.subject.language);
    let evidence = localized!(
        language,
        "`{key}` is `{chosen}` (\"{name}\"), which is what the user refused",
        "`{key}` 的值是 `{chosen}`（{name}），而这正是用户不要的"
    );
    let hint = localized!(language, "choose what the user said, or ask", "请按用户的说法选择，或询问用户");
    let finding = Finding::new(&OPPOSITE, judge.subject.values.pointer(node), evidence).hint(hint);
    refused.then(|| judge.weigh(finding, Weight::Strong))
}

/// The Chinese name that a description has for a value: the 挂失 of "active正常，lost挂失", `lost: 挂失`, `lost=挂失`.
pub(crate) fn name_of(description: &str, value: &str) -> Option<String> {
    let whole = value.len() >= 2 && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let at = whole.then(|| find_whole(description, value)).flatten()?;
    let behind =
        description.get(at + value.len()..)?.trim_start_matches([' ', ':', '：', '=', '-', '(', '（', '是', '为']);
    let name: String = behind.chars().take_while(|c| is_han(*c)).take(MAX_NAME + 1).collect();
    (2..=MAX_NAME).contains(&name.chars().count()).then_some(name)
}

/// Where a word stands whole.
fn find_whole(text: &str, word: &str) -> Option<usize> {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = text.get(..*at).and_then(|before| before.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|behind| behind.chars().next());
        !joins(before) && !joins(behind)
    })
}

/// A value, and what its description says that it means.
#[derive(Debug)]
struct Meaning {
    value: String,
    words: String,
    deeds: Deeds,
}

/// The values that a description explains: each with the words up to the next one, or to the end of its part.
fn read(description: &str) -> Vec<Meaning> {
    let folded = fold(&description.chars().take(MAX_DESCRIPTION).collect::<String>());
    let parts = folded.split([',', '，', ';', '；', '。', '\n', '、', '/', '|']);
    parts.flat_map(read_part).collect()
}

fn read_part(part: &str) -> Vec<Meaning> {
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for piece in part.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '.')) {
        let token = piece.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if matches!(token, "true" | "false") || !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit()) {
            places.push((at, at + token.len()));
        }
        at += piece.len();
    }
    let ends = places.iter().skip(1).map(|(start, _)| *start).chain([part.len()]);
    let meaning = |((start, end), next): (&(usize, usize), usize)| {
        let words = part.get(*end..next)?;
        let deeds = deeds_of(words);
        (!deeds.is_empty()).then(|| Meaning {
            value: part.get(*start..*end).unwrap_or_default().to_owned(),
            words: words.trim_matches(|c: char| !c.is_alphanumeric()).to_owned(),
            deeds,
        })
    };
    places.iter().zip(ends).filter_map(meaning).collect()
}

fn deeds_of(text: &str) -> Deeds {
    if text.chars().any(is_han) {
        return find_chinese(text).iter().fold(Deeds::default(), |all, found| all.join(&found.deeds));
    }
    let words = words(text);
    let words: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
    let words = words.strip_prefix(&["is"]).or(words.strip_prefix(&["means"])).unwrap_or(&words);
    match words {
        ["on"] => Deeds::named(&["turn-on"]),
        ["off"] => Deeds::named(&["turn-off"]),
        words => find_english(words).iter().fold(Deeds::default(), |all, found| all.join(&found.deeds)),
    }
}

const MAX_DESCRIPTION: usize = 400;
const MAX_NAME: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_with_their_meanings_are_read() {
        // MEANING-3
        let read =
            |text: &str| read(text).into_iter().map(|meaning| (meaning.value, meaning.words)).collect::<Vec<_>>();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            read("percent open: 0 is fully closed, 100 is fully open"),
            [pair("0", "is fully closed"), pair("100", "is fully open")]
        );
        assert_eq!(read("true 打开，false 关闭"), [pair("true", "打开"), pair("false", "关闭")]);
        assert_eq!(read("0 (closed) to 100 (open)"), [pair("0", "closed) to"), pair("100", "open")]);
        assert_eq!(read("percentage, 0-100").len(), 0);
    }
}
