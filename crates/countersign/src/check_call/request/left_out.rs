//! What was asked for and left out: one of several recipients, one of several items.

use super::argument::Argument;
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::{EXTRA, LEFT_OUT};
use crate::localized;
use crate::text::mentions::{Mention, Reading, What};

/// Finds lists that lack what the user listed, and recipients that the user ruled out.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let items: Vec<&Argument<'_>> = asked.arguments.iter().filter(|argument| argument.node.is_item()).collect();
    if let Some(first) = items.first() {
        slips.extend(find_literal(asked, &items).map(|said| say_left_out(asked, first, &said)));
    }
    if asked.subject.values.all().iter().any(|node| node.is_item() && node.value.is_object()) {
        slips.extend(find_item(asked));
    }
    slips.extend(find_extra(asked));
}

/// An id or address that stands beside others of its shape, which are in the list.
fn find_literal(asked: &Asked<'_>, items: &[&Argument<'_>]) -> Option<String> {
    let listed = |text: &str| items.iter().any(|item| item.text() == Some(text));
    asked.in_force().find_map(|reading| {
        let literals: Vec<&Mention> = reading.literals().filter(|mention| !mention.excluded).collect();
        let taken: Vec<&&Mention> = literals.iter().filter(|mention| listed(reading.text(mention))).collect();
        let shape = |mention: &Mention| (std::mem::discriminant(&mention.what), mask(reading.text(mention)));
        let missing = literals.iter().find(|mention| {
            let text = reading.text(mention);
            let alike = taken.iter().any(|other| {
                shape(other) == shape(mention) || matches!((&other.what, &mention.what), (What::Email, What::Email))
            });
            alike
                && !asked.arguments.iter().any(|argument| argument.text().is_some_and(|own| stands_in(own, text)))
                && beside(reading, mention, &taken)
        })?;
        Some(reading.text(missing).to_owned())
    })
}

/// Whether a literal stands in one row with others: with nothing but a comma or an "and" between.
fn beside(reading: &Reading, mention: &Mention, others: &[&&Mention]) -> bool {
    others.iter().any(|other| {
        let (first, second) =
            if mention.range.start < other.range.start { (mention, **other) } else { (**other, mention) };
        let between = reading.lower.get(first.range.end..second.range.start).unwrap_or("none");
        ROW.contains(&between.trim()) || between.trim().is_empty()
    })
}

/// The shape of an id: its letters and digits as classes.
pub(crate) fn mask(text: &str) -> String {
    let mut shape = String::new();
    for c in text.chars() {
        let class = if c.is_ascii_digit() {
            '9'
        } else if c.is_alphabetic() {
            'a'
        } else {
            c
        };
        if !shape.ends_with(class) {
            shape.push(class);
        }
    }
    shape
}

/// A thing with its quantity that the items of the call do not have, while they have the others.
fn find_item(asked: &Asked<'_>) -> Option<Slip> {
    let reading = asked.last;
    let counted: Vec<(&Mention, &str)> = reading
        .numbers()
        .filter(|(mention, quantity)| !mention.excluded && !quantity.noun.is_empty())
        .filter_map(|(mention, quantity)| Some((mention, reading.lower.get(quantity.noun.clone())?)))
        .collect();
    if counted.len() < 2 {
        return None;
    }
    let has = |noun: &str| {
        let head = noun.split(' ').next_back().unwrap_or(noun);
        let stem = head.trim_end_matches('s');
        asked.arguments.iter().filter_map(Argument::text).any(|text| {
            noun.split(' ').any(|word| word.len() >= 3 && text.contains(word.trim_end_matches('s')))
                || text.contains(stem)
                || (!noun.is_ascii() && shares_pair(noun, text))
        })
    };
    let missing: Vec<&(&Mention, &str)> = counted.iter().filter(|(_, noun)| !has(noun)).collect();
    let present: Vec<&(&Mention, &str)> = counted.iter().filter(|(_, noun)| has(noun)).collect();
    // The items must be counted themselves: "two applications" is no item of one.
    let numbered = present.iter().any(|(mention, _)| match &mention.what {
        What::Number(quantity) => asked.arguments.iter().any(|argument| {
            argument.number().is_some_and(|number| number == quantity.value || quantity.unit.is_some())
        }),
        _ => false,
    });
    match (missing.as_slice(), if numbered { present.len() } else { 0 }) {
        ([(mention, noun)], 1..) => {
            let argument = asked.arguments.iter().find(|argument| argument.text().is_some())?;
            let said = format!("{} {noun}", reading.text(mention));
            Some(say_left_out(asked, argument, &said))
        }
        _ => None,
    }
}

fn shares_pair(one: &str, other: &str) -> bool {
    let chars: Vec<char> = one.chars().collect();
    chars.windows(2).any(|pair| other.contains(&pair.iter().collect::<String>()))
}

fn say_left_out(asked: &Asked<'_>, argument: &Argument<'_>, said: &str) -> Slip {
    let evidence = localized!(
        asked.subject.language,
        "the user also asked for \"{said}\", which the call leaves out",
        "用户还要求了“{said}”，而调用中没有"
    );
    let hint = localized!(
        asked.subject.language,
        "add what was left out, or make a second call for it",
        "请补上遗漏的内容，或再调用一次"
    );
    Slip::on(asked, argument, &LEFT_OUT, Strength::Strong, Says { evidence, hint })
}

/// A recipient beside the one that the user named, where the user said that there are no others.
fn find_extra(asked: &Asked<'_>) -> Option<Slip> {
    let alone = asked.in_force().any(|reading| ALONE.iter().any(|word| reading.lower.contains(word)));
    let receives = |argument: &&Argument<'_>| {
        argument.node.roles.has(Role::Recipient)
            || argument.node.roles.has(Role::Email)
            || argument.text().is_some_and(|text| text.contains('@'))
    };
    let named = |argument: &Argument<'_>| {
        argument.text().is_some_and(|text| asked.user().any(|reading| stands_in(&reading.lower, text)))
    };
    let recipients: Vec<&Argument<'_>> = asked.arguments.iter().filter(receives).collect();
    let extra = recipients
        .iter()
        .find(|argument| !named(argument))
        .filter(|_| alone && recipients.iter().any(|argument| named(argument)))?;
    let (key, shown) = (extra.node.key, extra.text().unwrap_or_default());
    let evidence = localized!(
        asked.subject.language,
        "the user wants nobody else to have it, and `{key}` has `{shown}`",
        "用户要求不发给其他人，而 `{key}` 中有 `{shown}`"
    );
    let hint = localized!(asked.subject.language, "leave out whoever was not named", "请去掉用户没有提到的人");
    Some(Slip::on(asked, extra, &EXTRA, Strength::Strong, Says { evidence, hint }))
}

/// What stands between the members of a row.
const ROW: &[&str] = &[",", "and", ", and", "&", "+", "和", "、", "与", "，", "以及", "跟", "/"];
const ALONE: &[&str] = &[
    "nobody else",
    "no one else",
    "only to ",
    "noone else",
    "only him",
    "only her",
    "just to ",
    "只发给",
    "只给",
    "别发给其他",
    "不要发给其他",
    "不抄送",
];
