//! Words that the user put into quotation marks are to be used as they are: a title, a message, a name.

use super::argument::Argument;
use super::asked::Asked;
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::Arguments;
use crate::contract::codes::meaning::OTHER_VALUE;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::fold::fold;

/// Finds a text that nobody gave, beside a quotation that no argument has.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let quotes = quotations(&asked.last.lower);
    let texts: Vec<(&Argument<'_>, String)> =
        asked.arguments.iter().filter_map(|argument| Some((argument, fold(argument.text()?)))).collect();
    let used = |quote: &str| {
        texts
            .iter()
            .any(|(_, text)| text.contains(quote) || quote.contains(text.as_str()) && text.len() * 2 > quote.len())
    };
    let quotes: Vec<String> = quotes.into_iter().map(fold).collect();
    // What an earlier call took has had its use.
    let before = |quote: &str| {
        asked.subject.conversation.answered_calls().rev().take(MAX_CALLS).any(|call| match &call.arguments {
            Arguments::Object(object) => object.values().any(|value| fold(&value.to_string()).contains(quote)),
            Arguments::Text(text) => fold(text).contains(quote),
            _ => false,
        })
    };
    let unused: Vec<&String> = quotes.iter().filter(|quote| !used(quote) && !before(quote)).collect();
    let [quote] = unused.as_slice() else { return };
    let strange: Vec<&(&Argument<'_>, String)> =
        texts.iter().filter(|(argument, text)| is_open(argument) && is_strange(asked, text)).collect();
    let [(argument, text)] = strange.as_slice() else { return };
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{quote}\", `{key}` is \"{text}\"",
        "用户给出的是“{quote}”，而 `{key}` 是“{text}”"
    );
    let hint = localized!(asked.subject.language, "use the quoted words as they are", "请原样使用引号中的内容");
    slips.push(Slip::on(asked, argument, &OTHER_VALUE, Strength::Weak, Says { evidence, hint }));
}

/// Whether an argument takes words as they are: no choice, no id, no path.
fn is_open(argument: &Argument<'_>) -> bool {
    let roles = argument.node.roles;
    let offered = argument.node.param.is_some_and(|param| !param.allowed.is_empty() || param.default.is_some());
    let named = roles.has(Role::FreeText)
        || roles.has(Role::Name)
        || argument.is_named(&[
            "title",
            "name",
            "content",
            "message",
            "text",
            "comment",
            "caption",
            "label",
            "resolution",
            "note",
            "subject",
        ]);
    named
        && !offered
        && !roles.has(Role::Path)
        && !roles.has(Role::Sql)
        && !roles.has(Role::Command)
        && !argument.is_named(&["query", "keywords", "description", "reason", "summary", "notes", "code"])
}

/// Whether a text shares next to nothing with what the user said last.
fn is_strange(asked: &Asked<'_>, text: &str) -> bool {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= 3).collect();
    // What a result or anybody else gave is no invention.
    let known = asked.readings().any(|reading| reading.lower.contains(text))
        || asked.results.iter().any(|result| fold(&result.to_string()).contains(text));
    if known {
        return false;
    }
    let said = words.iter().filter(|word| asked.last.lower.contains(**word)).count();
    !words.is_empty() && said * 3 <= words.len()
}

/// A letter that an apostrophe may follow: Chinese has none.
fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_han(c)
}

/// The quotations of a text, of some length.
fn quotations(lower: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((start, open)) =
        lower.get(at..).and_then(|rest| rest.char_indices().find(|(_, c)| close_of(*c).is_some()))
    {
        let begin = at + start + open.len_utf8();
        let before = lower.get(..at + start).and_then(|before| before.chars().next_back());
        let apostrophe = open == '\'' && before.is_some_and(is_letter);
        let end = close_of(open).filter(|_| !apostrophe).and_then(|close| {
            lower.get(begin..)?.char_indices().take(MAX_QUOTE).find(|(end, c)| {
                let behind = lower.get(begin + end + c.len_utf8()..).and_then(|rest| rest.chars().next());
                *c == close && !(close == '\'' && behind.is_some_and(is_letter))
            })
        });
        match end {
            Some((end, close)) => {
                // A message that stands in quotation marks as a whole quotes nothing.
                let whole = at + start == 0 && begin + end + close.len_utf8() >= lower.trim_end().len();
                found
                    .extend(lower.get(begin..begin + end).filter(|quote| quote.chars().count() >= MIN_QUOTE && !whole));
                at = begin + end + close.len_utf8();
            }
            None => at = begin,
        }
    }
    found
}

fn close_of(open: char) -> Option<char> {
    match open {
        '"' => Some('"'),
        '\'' => Some('\''),
        '“' => Some('”'),
        '‘' => Some('’'),
        '「' => Some('」'),
        '『' => Some('』'),
        _ => None,
    }
}

/// A single word in quotation marks may be no more than a name for something.
const MIN_QUOTE: usize = 4;
const MAX_QUOTE: usize = 300;
const MAX_CALLS: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-1
    #[test]
    fn quotations_are_found() {
        assert_eq!(quotations("titled 'tire pressure issue', it's mine"), ["tire pressure issue"]);
        assert_eq!(quotations("say \"hello there\" and “再见了各位”"), ["hello there", "再见了各位"]);
        assert_eq!(quotations("名为'development'的环境"), ["development"]);
        assert!(quotations("don't, it's 'x").is_empty() && quotations(&"'".repeat(5000)).is_empty());
    }
}
