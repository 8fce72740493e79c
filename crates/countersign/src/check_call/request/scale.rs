//! The ends of a scale: "P0 is the highest, P3 the lowest", and the highest one was asked for.

use super::argument::{Argument, Held};
use super::asked::Asked;
use super::slip::{Says, Slip, Strength, show};
use crate::contract::codes::meaning::OTHER_CHOICE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::Reading;

/// Finds values that are not the end of the scale that the user named, or not the step of it that a number falls into.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    slips.extend(asked.arguments.iter().filter_map(|argument| find_step(asked, argument)));
    let lower = &asked.last.lower;
    let said = |list: &str| Cue::named(list).find_in(lower).map(|found| found.0);
    let (word, top) = match (said("top-of-scale"), said("bottom-of-scale")) {
        (Some(word), None) => (word, true),
        (None, Some(word)) => (word, false),
        _ => return,
    };
    for argument in asked.arguments.iter().filter(|argument| !argument.node.is_item()) {
        let chosen = match &argument.value {
            Held::Text(text) => text.clone(),
            Held::Number(number) => show(*number),
            Held::Moment(_) => continue,
        };
        let Some(wanted) = end_of(argument, top).filter(|wanted| *wanted != chosen) else { continue };
        let key = argument.node.key;
        let evidence = localized!(
            asked.subject.language,
            "the user said \"{word}\", which is `{wanted}` by the description of `{key}`; it is `{chosen}`",
            "用户说的是“{word}”，按 `{key}` 的说明即 `{wanted}`；而它是 `{chosen}`"
        );
        let hint =
            localized!(asked.subject.language, "send `{wanted}`, or ask the user", "请填写 `{wanted}`，或询问用户");
        slips.push(Slip::on(asked, argument, &OTHER_CHOICE, Strength::Strong, Says { evidence, hint }));
    }
}

/// "They must stay at 5 degrees", and the description says "chilled: 2 to 8 °C, frozen: -18 °C or below".
fn find_step(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<Slip> {
    let (chosen, param) = (argument.text()?, argument.node.param.filter(|param| param.allowed.len() >= 2)?);
    let description = param.description.to_ascii_lowercase();
    let choices: Vec<String> =
        param.allowed.iter().filter_map(|value| value.as_str()).map(str::to_ascii_lowercase).collect();
    let steps: Vec<(&String, f64, f64, &str)> = choices
        .iter()
        .filter_map(|choice| {
            let at = super::asked::find_whole(&description, choice)? + choice.len();
            let rest = description.get(at..)?;
            let next =
                choices.iter().filter_map(|other| super::asked::find_whole(rest, other)).min().unwrap_or(rest.len());
            let reading = Reading::of(rest.get(..next)?);
            let (_, quantity) = reading.numbers().next()?;
            let unit = quantity.unit?;
            Some((choice, quantity.value, quantity.upper?, unit.dimension))
        })
        .collect();
    let mut said = asked.in_force().flat_map(|reading| reading.numbers().map(move |found| (reading, found)));
    said.find_map(|(reading, (mention, quantity))| {
        let dimension = quantity.unit?.dimension;
        let same = |own: &str| own == dimension || matches!((own, dimension), ("temperature", "degree"));
        let mut within =
            steps.iter().filter(|(_, low, high, own)| same(own) && (*low..=*high).contains(&quantity.value));
        let (wanted, ..) =
            within.next().filter(|_| within.next().is_none()).filter(|(choice, ..)| *choice != chosen)?;
        let (key, said) = (argument.node.key, reading.text(mention));
        let evidence = localized!(
            asked.subject.language,
            "the user said \"{said}\", which is `{wanted}` by the description of `{key}`; it is `{chosen}`",
            "用户说的是“{said}”，按 `{key}` 的说明即 `{wanted}`；而它是 `{chosen}`"
        );
        let hint =
            localized!(asked.subject.language, "send `{wanted}`, or ask the user", "请填写 `{wanted}`，或询问用户");
        let named = asked.user().any(|reading| super::asked::stands_in(&reading.lower, chosen));
        (!named).then(|| Slip::on(asked, argument, &OTHER_CHOICE, Strength::Strong, Says { evidence, hint }))
    })
}

/// The value that a description calls the top or the bottom: "1 (highest) to 5 (lowest)", P0 最高，P3 最低.
fn end_of(argument: &Argument<'_>, top: bool) -> Option<String> {
    let description = argument.node.param?.description.to_lowercase();
    let parts = description.split([',', ';', '.', '，', '；', '。', '、', '\n', ')', '）']);
    let parts = parts.flat_map(|part| part.split(" to ")).flat_map(|part| part.split(" and "));
    let (own, other) = if top { (TOP, BOTTOM) } else { (BOTTOM, TOP) };
    let called = |part: &str, words: &[&str]| words.iter().any(|word| part.contains(word));
    let mut ends = parts.filter(|part| called(part, own) && !called(part, other)).filter_map(|part| {
        let mut values = part.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).filter(|word| {
            let digits = word.bytes().any(|byte| byte.is_ascii_digit());
            digits && word.len() <= MAX_VALUE
        });
        values.next().filter(|_| values.next().is_none()).map(str::to_owned)
    });
    ends.next().filter(|_| ends.next().is_none())
}

/// What descriptions call the ends of a scale.
const TOP: &[&str] =
    &["highest", "most urgent", "most severe", "most important", "top priority", "最高", "最紧急", "最严重", "最重要"];
const BOTTOM: &[&str] = &["lowest", "least urgent", "least severe", "least important", "最低", "最不紧急", "最轻"];
const MAX_VALUE: usize = 12;
