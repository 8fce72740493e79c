//! A name with another number in it: "17 Taylor's Hill", and the call has `71 Taylor's Hill`; 园林路26号 and 园林路62号.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::MISCOPIED;
use crate::localized;

/// Finds names that are what the user said but for the order of the digits of their number, which nobody said.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in asked.arguments.iter().filter(|argument| !argument.node.roles.has(Role::FreeText)) {
        let Some(text) = argument.text().filter(|text| text.len() <= MAX_TEXT) else { continue };
        let Some(name) = Name::of(text) else { continue };
        let known = asked.readings().any(|reading| name.stands_in(&reading.lower, name.digits))
            || asked.results.iter().any(|result| stands_in(&result.to_string().to_ascii_lowercase(), name.digits));
        if known {
            continue;
        }
        let said = asked.user().find_map(|reading| {
            let digits = numbers_in(&reading.lower)
                .find(|digits| is_turned(digits, name.digits) && name.stands_in(&reading.lower, digits))?;
            Some(format!("{}{digits}{}", name.before, name.behind))
        });
        slips.extend(said.map(|said| say(asked, argument, &said)));
    }
}

/// A text with one number in it, and words beside it.
struct Name<'t> {
    before: &'t str,
    digits: &'t str,
    behind: &'t str,
}

impl<'t> Name<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let length = text.get(start..)?.bytes().take_while(u8::is_ascii_digit).count();
        let (before, behind) = (text.get(..start)?, text.get(start + length..)?);
        let worded = |side: &str| side.chars().filter(|c| c.is_alphabetic()).count() >= MIN_LETTERS;
        // The letters of an id touch its number; a name has a blank or Chinese signs there.
        let apart = |c: Option<char>| c.is_none_or(|c| !c.is_ascii() || c == ' ' || c == ',');
        let name = (2..=5).contains(&length)
            && (worded(before) || worded(behind))
            && apart(before.chars().next_back())
            && apart(behind.chars().next())
            && !behind.contains(|c: char| c.is_ascii_digit());
        name.then_some(Self { before, digits: text.get(start..start + length)?, behind })
    }

    /// Whether a text has the number with the nearest words of the name beside it.
    fn stands_in(&self, lower: &str, digits: &str) -> bool {
        let near = |side: &str, last: bool| -> String {
            let chars: Vec<char> = side.chars().collect();
            let taken: Vec<char> = if last {
                chars.iter().rev().take(MAX_NEAR).rev().copied().collect()
            } else {
                chars.iter().take(MAX_NEAR).copied().collect()
            };
            taken.into_iter().collect()
        };
        let (before, behind) = (near(self.before, true), near(self.behind, false));
        stands_in(lower, format!("{before}{digits}{behind}").trim())
    }
}

/// The numbers of a text, as they are written.
fn numbers_in(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty())
}

/// Whether two numbers have the same digits in another order.
fn is_turned(one: &str, other: &str) -> bool {
    let sorted = |digits: &str| {
        let mut digits: Vec<u8> = digits.bytes().collect();
        digits.sort_unstable();
        digits
    };
    one != other && sorted(one) == sorted(other)
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

const MAX_TEXT: usize = 80;
const MIN_LETTERS: usize = 2;
/// So many signs of a name tell where its number belongs.
const MAX_NEAR: usize = 14;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-2
    #[test]
    fn numbers_of_names_are_told() {
        let name = |text| Name::of(text).map(|name| name.digits.to_owned());
        assert_eq!((name("71 mill lane"), name("园林路62号")), (Some("71".to_owned()), Some("62".to_owned())));
        assert_eq!((name("ab-4471"), name("room 7"), name("12:30 to 14:30")), (None, None, None));
        assert!(is_turned("17", "71") && !is_turned("17", "17") && !is_turned("17", "70"));
        assert!(Name::of("71 mill lane").is_some_and(|name| name.stands_in("from 17 mill lane, please", "17")));
    }
}
