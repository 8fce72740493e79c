//! A text that says the contrary: "we do not accept the late fees", and the letter says that they are accepted.
//!
//! Clauses of the request and of the text are compared by their telling words. Where two speak of the same things, one denies
//! and the other does not, and no clause of the request says it the text's way, the text has been turned around.

use super::argument::Argument;
use super::asked::Asked;
use super::slip::{Says, Slip, Strength};
use crate::check_call::role::Role;
use crate::contract::codes::meaning::OTHER_CONTENT;
use crate::contract::language::is_han;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::words::{terms, words};

/// Finds texts with a clause that the request has the other way round.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let thinks = |argument: &&Argument<'_>| argument.is_named(&["thought", "thoughts", "reasoning", "plan"]);
    let texts = asked.arguments.iter().filter(|argument| argument.node.roles.has(Role::FreeText) && !thinks(argument));
    let mut requested: Vec<Clause<'_>> = Vec::new();
    for argument in texts {
        let Some(text) = argument.text().filter(|text| words(text).len() >= SHORTEST) else { continue };
        if requested.is_empty() {
            requested = asked
                .in_force()
                .flat_map(|reading| clauses(&reading.lower))
                .filter(|clause| !asks(clause.text))
                .collect();
        }
        let turned = clauses(text).into_iter().find_map(|written| Some((find_turned(&requested, &written)?, written)));
        slips.extend(turned.map(|(said, wrote)| say(asked, argument, said, wrote.text)));
    }
}

/// One clause.
struct Clause<'t> {
    text: &'t str,
    /// Its telling words.
    terms: Vec<String>,
    /// Whether it denies.
    denies: bool,
}

/// Whether a Chinese clause asks, so that its 没 and 不 deny nothing: 好了没, 能不能来.
fn asks(clause: &str) -> bool {
    let ends = ["没", "了没有", "过没有", "吗"].iter().any(|word| clause.ends_with(word));
    let chars: Vec<char> = clause.chars().collect();
    let either = chars.windows(3).any(|three| matches!(three, [a, '不' | '没', b] if a == b && is_han(*a)));
    ends || either
}

/// The clause of the request that a written one turns around.
fn find_turned<'t>(requested: &[Clause<'t>], written: &Clause<'_>) -> Option<&'t str> {
    let same = |clause: &&Clause<'_>| speak_of_the_same(clause, written);
    let mut about = requested.iter().filter(same).peekable();
    let first = about.peek()?.text;
    about.all(|clause| clause.denies != written.denies).then_some(first)
}

/// Whether two clauses speak of the same things: at least two words in common, and most of the shorter one's.
fn speak_of_the_same(one: &Clause<'_>, other: &Clause<'_>) -> bool {
    let shared = one.terms.iter().filter(|term| other.terms.iter().any(|own| alike(own, term))).count();
    let shorter = one.terms.len().min(other.terms.len());
    shared >= 2 && shared * 10 >= shorter * 7
}

/// Whether two words are forms of one: the same beginning, a short ending apart.
fn alike(one: &str, other: &str) -> bool {
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let (long, short) =
        (one.chars().count().max(other.chars().count()), one.chars().count().min(other.chars().count()));
    let plural = common >= 3 && common == short && long - short <= 1;
    one == other || (one.is_ascii() && (plural || (common >= 4 && common + 1 >= short && long - short <= 3)))
}

fn clauses(lower: &str) -> Vec<Clause<'_>> {
    let cut = |text: &'_ str| -> Vec<(usize, usize)> {
        let mut places = Vec::new();
        let mut start = 0;
        for (at, c) in text.char_indices() {
            if ENDS.contains(&c) {
                places.push((start, at));
                start = at + c.len_utf8();
            }
        }
        places.push((start, text.len()));
        places
    };
    cut(lower).into_iter().filter_map(|(start, end)| lower.get(start..end)).filter_map(read_clause).collect()
}

fn read_clause(text: &str) -> Option<Clause<'_>> {
    let (negation, declines) = (Cue::named("negation"), Cue::named("declines"));
    let all = terms(text);
    let refuses = |term: &&String| declines.english.iter().any(|word| alike(word, term));
    let denied = all.iter().filter(|term| term.ends_with("n't") || term.ends_with("n’t")).count()
        + negation.places_in(text).filter(|(word, _)| !word.ends_with("n't") && *word != "free").count()
        + all.iter().filter(refuses).count()
        + declines.chinese.iter().filter(|word| text.contains(**word)).count()
        // "Don't forget to bring it" wants it brought.
        + usize::from(["forget", "forgot", "忘"].iter().any(|word| text.contains(word)));
    let is_telling = |term: &String| {
        let han = term.starts_with(is_han);
        let denying = negation.has(term) || term.ends_with("n't") || refuses(&term);
        let idle = Cue::named("names-nothing").has(term) || Cue::named("clause-words").has(term);
        !denying && !idle && (han || term.len() >= 3) && !negation.chinese.iter().any(|word| term.contains(word))
    };
    let terms: Vec<String> = all.iter().filter(|term| is_telling(term)).cloned().collect();
    // "Compensation rather than a refund" wants one thing and denies another.
    let contrasts = ["rather than", "instead of", "而不是", "而非"].iter().any(|word| text.contains(word));
    (terms.len() >= 3 && !contrasts).then(|| Clause { text: text.trim(), terms, denies: denied % 2 == 1 })
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, said: &str, wrote: &str) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", and `{key}` says \"{wrote}\"",
        "用户说的是“{said}”，而 `{key}` 写的是“{wrote}”"
    );
    let hint = localized!(asked.subject.language, "say it as the user did", "请按用户的意思来写");
    Slip::on(asked, argument, &OTHER_CONTENT, Strength::Weak, Says { evidence, hint })
}

/// Where a clause ends.
const ENDS: &[char] = &['.', ',', ';', ':', '!', '?', '\n', '。', '，', '；', '：', '！', '？', '、'];
/// A text that says something has at least so many words; a Chinese character is one.
const SHORTEST: usize = 6;
