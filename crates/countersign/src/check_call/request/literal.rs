//! What people copy, miscopied: an id, an address or a long number that is nearly one that was said; and what the user
//! took out by name.

use super::argument::{Argument, Held, mask};
use super::asked::{Asked, stands_in};
use super::slip::{Says, Slip, Strength};
use crate::check_call::effects::by_name;
use crate::check_call::role::Role;
use crate::contract::Arguments;
use crate::contract::codes::meaning::{EXCLUDED, MISCOPIED, OTHER_VALUE};
use crate::contract::language::is_han;
use crate::localized;
use crate::policy::Effect;
use crate::text::cues::Cue;
use crate::text::mentions::role::is_excluded;
use crate::text::mentions::{Mention, Reading, What};
use crate::text::phrases::stands_free;
use strsim::damerau_levenshtein;

/// Finds values that are nearly what was said, or what the user excluded.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        slips.extend(find_cut_name(asked, argument));
        let Some(value) = literal_of(argument) else { continue };
        slips.extend(
            find_excluded(asked, argument, &value)
                .or_else(|| find_miscopied(asked, argument, &value))
                .or_else(|| find_namesake(asked, argument, &value))
                .or_else(|| find_unused(asked, argument, &value))
                .or_else(|| find_other_id(asked, argument, &value)),
        );
    }
}

/// The value of an argument that is copied and not written.
fn literal_of(argument: &Argument<'_>) -> Option<String> {
    match &argument.value {
        Held::Text(text)
            if text.len() <= MAX_LITERAL && (!text.contains(char::is_whitespace) || is_spaced_id(text)) =>
        {
            Some(text.clone())
        }
        Held::Number(number) if argument.node.roles.has(Role::Id) && number.fract() == 0.0 => Some(format!("{number}")),
        _ => None,
    }
}

/// `W1234 26 000871`: an id in groups.
fn is_spaced_id(text: &str) -> bool {
    let (digits, letters) =
        (text.bytes().filter(u8::is_ascii_digit).count(), text.chars().filter(|c| c.is_alphabetic()).count());
    digits >= 6 && letters <= 4 && digits > letters
}

fn find_excluded(asked: &Asked<'_>, argument: &Argument<'_>, value: &str) -> Option<Slip> {
    let copied = value.contains(|c: char| c.is_ascii_digit() || c == '@') && value.len() >= 4;
    let named = |excluded: bool| {
        asked.in_force().any(|reading| {
            reading.literals().any(|mention| is_out(reading, mention) == excluded && reading.text(mention) == value)
        })
    };
    let excluded = if copied { named(true) && !named(false) } else { is_left_out(asked, argument, value) };
    if !excluded {
        return None;
    }
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user excluded `{value}`, and `{key}` is just that",
        "用户明确排除了 `{value}`，而 `{key}` 正是它"
    );
    let hint = localized!(asked.subject.language, "send what was asked for instead", "请改为用户所要求的值");
    Some(Slip::on(asked, argument, &EXCLUDED, Strength::Strong, Says { evidence, hint }))
}

/// Whether a mention is taken out by the words before it, or by those behind it: "(m.kranz@…) but he mustn't get it".
fn is_out(reading: &Reading, mention: &Mention) -> bool {
    let behind = reading.lower.get(mention.range.end..).unwrap_or_default();
    let sentence = behind.split(['\n', '。', '；', ';']).next().unwrap_or_default();
    let sentence = sentence.split(". ").next().unwrap_or_default();
    // Where another of its kind follows, that one is meant.
    let other = reading
        .literals()
        .any(|other| other.range.start > mention.range.end && other.range.start < mention.range.end + sentence.len());
    let beside = reading.literals().any(|own| {
        own.range != mention.range && std::mem::discriminant(&own.what) == std::mem::discriminant(&mention.what)
    });
    mention.excluded || !other && beside && Cue::named("must-not-get").stands_in(sentence)
}

/// Whether a name stands in the last words only to be taken out: "to Sales, not Ops".
fn is_left_out(asked: &Asked<'_>, argument: &Argument<'_>, value: &str) -> bool {
    // What was ruled out once stays out until it is named again.
    let named = |reading: &&Reading| reading.lower.contains(value);
    let standing = |reading: &Reading| Cue::named("standing").stands_in(&reading.lower);
    let Some(reading) = asked.user().find(named) else { return false };
    if !std::ptr::eq(reading, asked.last) && !standing(reading) {
        return false;
    }
    let lower = &reading.lower;
    let offered = argument.node.param.is_some_and(|param| !param.allowed.is_empty());
    let taken_out = argument.is_named(&[
        "remove",
        "exclude",
        "excluded",
        "without",
        "avoid",
        "except",
        "skip",
        "omit",
        "allergies",
    ]);
    let long = value.chars().count() >= if value.is_ascii() { 3 } else { 2 };
    let places: Vec<usize> = lower
        .match_indices(value)
        .map(|(at, _)| at)
        .filter(|at| !value.is_ascii() || stands_free(lower, &(*at..at + value.len())))
        .collect();
    long && !offered
        && !taken_out
        && !asked.takes_away()
        && !places.is_empty()
        && places.iter().all(|at| is_excluded(lower, *at) || knows_already(lower, at + value.len()))
}

/// "Westfield knows already": the clause says that nothing needs to go there.
fn knows_already(lower: &str, at: usize) -> bool {
    let behind = lower.get(at..).unwrap_or_default();
    let clause = behind.split(['.', ',', ';', '!', '?', '\n', '。', '，', '；', '！']).next().unwrap_or_default();
    Cue::named("knows-already").find_in(clause).is_some_and(|(_, at)| at <= 1)
}

fn find_miscopied(asked: &Asked<'_>, argument: &Argument<'_>, value: &str) -> Option<Slip> {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let copied = value.contains('@') || digits >= 3 || argument.node.roles.has(Role::Id);
    let offered = argument.node.param.is_some_and(|param| !param.allowed.is_empty());
    if !copied
        || offered
        || value.len() < 4
        || asked.subject.conversation.index().has(value)
        || asked.subject.conversation.index().has_squashed(value) && digits < value.len()
    {
        return None;
    }
    let listed = || {
        let fields = asked.records().iter().flat_map(|record| &record.fields).filter_map(|(_, own)| own.as_str());
        let fields = fields.filter(|own| is_spaced_id(own) && is_spaced_id(value)).map(str::to_ascii_lowercase);
        fields.into_iter().find(|own| is_nearly(own, value))
    };
    // "MS 3/17/204" is said as one thing and read as two.
    let spaced = value.split_once(' ').map(|(_, tail)| tail).filter(|_| is_spaced_id(value));
    let plate = Some(value.trim_start_matches(is_han)).filter(|tail| tail.len() < value.len());
    let tail = spaced.or(plate).filter(|tail| tail.len() >= 4);
    let near = |value: &str| asked.user().find_map(|reading| near_in(reading, value));
    let found = near(value).or_else(|| tail.and_then(near)).or_else(listed)?;
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said `{found}`, `{key}` is `{value}`, which is nearly the same and nowhere in the conversation",
        "用户说的是 `{found}`，而 `{key}` 是 `{value}`，两者相近但并不相同"
    );
    let hint = localized!(asked.subject.language, "copy `{found}` exactly", "请原样使用 `{found}`");
    Some(Slip::on(asked, argument, &MISCOPIED, Strength::Strong, Says { evidence, hint }))
}

/// Somebody or something with nearly the name that the user gave, where both are known: Mirabelle for Mirabel77.
fn find_namesake(asked: &Asked<'_>, argument: &Argument<'_>, value: &str) -> Option<Slip> {
    let index = asked.subject.conversation.index();
    if value.len() < 5 || user_said(asked, value) || !index.has(value) || argument.node.is_item() {
        return None;
    }
    let known =
        |said: &str| asked.results.iter().any(|result| stands_in(&result.to_string().to_ascii_lowercase(), said));
    let used = |said: &str| asked.arguments.iter().filter_map(Argument::text).any(|text| text.contains(said));
    let begins = |said: &str| said.chars().zip(value.chars()).take_while(|(a, b)| a == b).count() >= 5;
    let mut near = asked.last.literals().filter(|mention| !mention.excluded).map(|mention| asked.last.text(mention));
    let found = near.find(|said| {
        let close = said.len() <= MAX_LITERAL && damerau_levenshtein(said, value) <= 4 && begins(said);
        // USR001 and USR002 are two of a series, and often two people of one request.
        close && known(said) && !used(said) && mask(said) != mask(value) && !said.contains('@')
    })?;
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said `{found}`, `{key}` is `{value}`, which is another one",
        "用户说的是 `{found}`，而 `{key}` 是另一个：`{value}`"
    );
    let hint = localized!(asked.subject.language, "use `{found}`, or ask the user", "请使用 `{found}`，或询问用户");
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// A name that begins another one, which is what the user said: "Sea Otter" for "Sea Otter II".
fn find_cut_name(asked: &Asked<'_>, argument: &Argument<'_>) -> Option<Slip> {
    let value = argument.text().filter(|text| (4..=MAX_NAME).contains(&text.len()) && text.is_ascii())?;
    let lower = &asked.last.lower;
    let longer = |at: usize| {
        let rest = lower.get(at + value.len()..)?.strip_prefix(' ')?;
        let tail = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().filter(|tail| is_number_of_name(tail))?;
        lower.get(at..at + value.len() + 1 + tail.len())
    };
    let places: Vec<usize> = lower.match_indices(value).map(|(at, _)| at).collect();
    let names: Option<Vec<&str>> = places.iter().map(|at| longer(*at)).collect();
    let said = *names.filter(|names| !names.is_empty())?.first()?;
    let texts: Vec<String> = asked
        .others
        .iter()
        .map(|reading| reading.lower.clone())
        .chain(asked.results.iter().map(|result| result.to_string().to_ascii_lowercase()))
        .collect();
    let known = texts.iter().any(|text| stands_in(text, said));
    let alone = texts.iter().any(|text| text.replace(said, "").contains(value));
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said `{said}`, `{key}` is `{value}`, which is another one",
        "用户说的是 `{said}`，而 `{key}` 是另一个：`{value}`"
    );
    let hint = localized!(asked.subject.language, "use `{said}`, or ask the user", "请使用 `{said}`，或询问用户");
    (known && alone).then(|| Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// What tells one of a name from another of it: II, 3, 4b, C; no word that goes on with the sentence.
fn is_number_of_name(tail: &str) -> bool {
    let roman = tail.chars().all(|c| matches!(c, 'i' | 'v' | 'x')) && tail != "i";
    let lettered = tail.len() == 1 && !matches!(tail, "a" | "i");
    (1..=4).contains(&tail.len()) && (roman || lettered || tail.contains(|c: char| c.is_ascii_digit()))
}

/// Another address than the one that the user gave for it.
fn find_unused(asked: &Asked<'_>, argument: &Argument<'_>, value: &str) -> Option<Slip> {
    let kind = kind_of(value)?;
    if user_said(asked, value) || argument.node.is_item() {
        return None;
    }
    let mut given =
        asked.last.literals().filter(|mention| !mention.excluded && kind_of(asked.last.text(mention)) == Some(kind));
    let said = asked.last.text(given.next().filter(|_| given.next().is_none())?);
    let used = asked.arguments.iter().filter_map(Argument::text).any(|text| text.contains(said));
    // What the user corrects or looks for may well be found under another one.
    if used || asked.subject.tool.effects.effects.contains(&Effect::Read) {
        return None;
    }
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user gave `{said}`, which the call does not use; `{key}` is `{value}`",
        "用户给出的是 `{said}`，而 `{key}` 是 `{value}`"
    );
    let hint = localized!(asked.subject.language, "use `{said}`, or ask the user", "请使用 `{said}`，或询问用户");
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// The id of another one than the user named in the last words, where both are known and only one of the shape was named.
fn find_other_id(asked: &Asked<'_>, argument: &Argument<'_>, value: &str) -> Option<Slip> {
    let bare = |text: &str| text.trim_start_matches(|c: char| !c.is_ascii_digit()).to_owned();
    let own = bare(value);
    let digits = own.bytes().filter(u8::is_ascii_digit).count();
    let only_looks = asked.subject.tool.effects.effects.contains(&Effect::Read);
    if digits < 3
        || own.contains('@')
        || argument.node.is_item()
        || only_looks
        || user_said(asked, value)
        || user_said(asked, &own)
    {
        return None;
    }
    let mut named = asked.last.literals().filter(|mention| !mention.excluded && matches!(mention.what, What::Id));
    let said = asked.last.text(named.next().filter(|_| named.next().is_none())?);
    let same = mask(&bare(said)) == mask(&own) && bare(said).len() == own.len() && bare(said) != own;
    let known = |id: &str| asked.results.iter().any(|result| result.to_string().to_ascii_lowercase().contains(id));
    let used = asked.arguments.iter().filter_map(Argument::reference).any(|text| text.contains(bare(said).as_str()));
    if !same || used || !known(&own) || !known(&bare(said)) || was_acted_on(asked, &bare(said)) {
        return None;
    }
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user named `{said}`, `{key}` is `{value}`, which is another one",
        "用户说的是 `{said}`，而 `{key}` 是另一个：`{value}`"
    );
    let hint = localized!(asked.subject.language, "use `{said}`, or ask the user", "请使用 `{said}`，或询问用户");
    Some(Slip::on(asked, argument, &OTHER_VALUE, Strength::Strong, Says { evidence, hint }))
}

/// Whether a call before this one did something with an id ("I am USR001", and it signed in as such): this one need not.
fn was_acted_on(asked: &Asked<'_>, id: &str) -> bool {
    let has = |text: &str| text.to_ascii_lowercase().contains(id);
    let mut acting =
        asked.subject.conversation.answered_calls().filter(|call| by_name(&call.name) != Some(Effect::Read));
    acting.any(|call| match &call.arguments {
        Arguments::Text(text) => has(text),
        Arguments::Object(map) => map.values().any(|value| value.as_str().is_some_and(has)),
        Arguments::Absent | Arguments::Other(_) => false,
    })
}

/// Whether a value is what the user gave, with what belongs to it: `203.0.113.7/32` for an address.
pub(crate) fn is_explained(asked: &Asked<'_>, argument: &Argument<'_>) -> bool {
    let Some(value) = argument.text() else { return false };
    let given = |reading: &Reading| {
        reading
            .literals()
            .any(|mention| kind_of(reading.text(mention)) == Some("machine") && stands_in(value, reading.text(mention)))
    };
    kind_of(value) == Some("machine") && asked.user().any(given)
}

/// The kind of an address: of mail, or of a machine.
fn kind_of(text: &str) -> Option<&'static str> {
    let host = text.split('/').next().unwrap_or(text);
    let octets = || host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok());
    if text.contains('@') { Some("mail") } else { octets().then_some("machine") }
}

/// What the user said that a value nearly is.
fn near_in(reading: &Reading, value: &str) -> Option<String> {
    let long = reading.numbers().filter(|(mention, _)| mention.range.len() >= 3).map(|(mention, _)| mention);
    let literals = reading.literals().chain(long).filter(|mention| !matches!(mention.what, What::Path));
    literals.map(|mention| reading.text(mention)).find(|said| is_nearly(said, value)).map(str::to_owned)
}

fn is_nearly(said: &str, value: &str) -> bool {
    if said == value || said.len() > MAX_LITERAL {
        return false;
    }
    if let (Some((one, _)), Some((other, _))) = (said.split_once('@'), value.split_once('@')) {
        return one == other || damerau_levenshtein(said, value) <= 2;
    }
    let squash = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (one, other) = (squash(said), squash(value));
    // The same with other signs between, or with a country's prefix, is the same.
    if stands_in(value, said) || stands_in(said, value) {
        return false;
    }
    if one == other || one.ends_with(&other) && one.len() > other.len() + 3 || other.ends_with(&one) {
        return false;
    }
    let cut = one.len() >= 5 && other.len() + 2 >= one.len() && (one.starts_with(&other) || other.starts_with(&one));
    one.len() >= 4 && cut
        || one.len() >= 4
            && one.len() == other.len()
            && damerau_levenshtein(&one, &other) <= usize::from(one.len() >= 4) + usize::from(one.len() >= 9)
}

/// Whether a text stands anywhere that the user spoke.
pub(crate) fn user_said(asked: &Asked<'_>, text: &str) -> bool {
    asked.user().any(|reading| stands_in(&reading.lower, text))
}

const MAX_LITERAL: usize = 120;
const MAX_NAME: usize = 40;
