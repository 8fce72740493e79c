//! A name of several words, one of which became another that looks alike: "performance bond" and "performance bonus".

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::MISCOPIED;
use crate::localized;
use crate::text::stems::stem;
use strsim::damerau_levenshtein;

/// Finds names that are what the user said but for one word.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in asked.arguments.iter().filter(|argument| is_copied(argument)) {
        let Some(text) = argument.text().filter(|text| text.is_ascii() && text.len() <= MAX_TEXT) else { continue };
        let known = |phrase: &str| {
            asked.readings().any(|reading| stands_in(&reading.lower, phrase))
                || asked.results.iter().any(|result| stands_in(&result.to_string().to_ascii_lowercase(), phrase))
        };
        let words: Vec<&str> = text.split(' ').collect();
        if !(2..=MAX_WORDS).contains(&words.len()) || known(text) {
            continue;
        }
        let found = asked.in_force().find_map(|reading| near_phrase(&reading.lower, &words));
        slips.extend(found.filter(|(_, word)| !known(word)).map(|(said, _)| say(asked, argument, &said)));
    }
}

/// Whether an argument takes a name as it is: no choice, and no text that the model words itself.
fn is_copied(argument: &Argument<'_>) -> bool {
    let listed = argument.node.param.is_some_and(|param| !param.allowed.is_empty());
    !listed
        && !argument.node.roles.has(Role::FreeText)
        && !argument.is_named(&["reason", "description", "instructions"])
}

/// The words of a text that are those of a name but for one, and the word of the name in its place.
fn near_phrase<'w>(lower: &str, words: &[&'w str]) -> Option<(String, &'w str)> {
    let said: Vec<&str> = lower.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    said.windows(words.len()).find_map(|window| {
        let mut others = window.iter().zip(words).filter(|(said, wrote)| said != wrote);
        let (said, wrote) = others.next().filter(|_| others.next().is_none())?;
        is_taken_for(said, wrote).then(|| (window.join(" "), *wrote))
    })
}

/// Whether one word may be taken for another: both begin alike, and differ by more than an ending or a typing mistake.
fn is_taken_for(said: &str, wrote: &str) -> bool {
    let letters = |word: &str| word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !letters(said) || !letters(wrote) || said.get(..3) != wrote.get(..3) {
        return false;
    }
    let (one, other) = (stem(said), stem(wrote));
    let apart = damerau_levenshtein(said, wrote);
    let longer = said.len().max(wrote.len());
    !(one.starts_with(&*other) || other.starts_with(&*one)) && apart >= 2 && apart * 4 > longer && apart * 2 < longer
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, said: &str) -> Slip {
    let (key, text) = (argument.node.key, argument.text().unwrap_or_default());
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", `{key}` is \"{text}\", which nobody said",
        "用户说的是“{said}”，而 `{key}` 是“{text}”，对话中没有出现过"
    );
    let hint = localized!(asked.subject.language, "copy \"{said}\" exactly", "请原样使用“{said}”");
    Slip::on(asked, argument, &MISCOPIED, Strength::Strong, Says { evidence, hint })
}

const MAX_TEXT: usize = 60;
const MAX_WORDS: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn words_are_taken_for_others() {
        assert!(is_taken_for("bond", "bonus") && is_taken_for("control", "contract"));
        for (said, wrote) in
            [("bond", "bonds"), ("report", "reporting"), ("perfomance", "performance"), ("centre", "center")]
        {
            assert!(!is_taken_for(said, wrote), "{said}");
        }
        assert_eq!(near_phrase("it's called public liability here", &["public", "libraries"]), None);
        assert!(near_phrase("add harbour street.", &["harbour", "stream"]).is_some());
    }
}
