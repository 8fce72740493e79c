//! Reads a text sentence by sentence and asks the readers of each kind at the cues.

use super::found::Found;
use super::kinds::{attribution, citation, comparison, currency, date, percentage, quantity, statistic, version};
use super::lexer::Lexer;
use super::lexicon::{
    ABOVE, BC, CITE_LEAD, CITE_SOURCE, CITE_VERB, CURRENCY, CURRENCY_LEAD, DOUBLE, ERA, ERA_MARK, FIRST_PLACE,
    FRACTION, Flags, HALF, MONTH, MULTIPLIED, NUMERAL, OPENER, ORDINAL, PER, PRODUCT, QUARTER, RANK, RANK_WORD,
    REFERENCE, SCALE, SEASON, STATISTIC, STATISTIC_TAIL, SUPERLATIVE, THAN, VERSION,
};
use super::mood::Mood;
use super::names::{name, names};
use super::numbers;
use super::room::Room;
use super::sentence::{Language, Sentence, code};
use super::spans::Utf16;
use super::stated::sounds_stated;
use super::tokens::{Case, Shape, Token, signs};
use crate::contract::{Claim, ClaimKind, ClaimValue};
use std::cell::Cell;

/// All claims of a text, in order.
pub(crate) fn read(text: &str) -> Vec<Claim> {
    read_where(text, |sentence, _| sounds_stated(sentence))
}

/// The claims in the sentences that are let through. What wording says is said of amounts, dates and comparisons; a source, an
/// address and a version stand for themselves.
pub(crate) fn read_where(text: &str, mut stated: impl FnMut(&Sentence, &[Found]) -> bool) -> Vec<Claim> {
    let (mut tokens, mut room) = SCRATCH.take();
    let (mut lexer, mut mood) = (Lexer::new(text), Mood::default());
    let mut units = Utf16::new(text);
    let mut claims = Vec::new();
    while lexer.sentence(&mut tokens) {
        mood.pass(&tokens, &lexer.seen());
        if !tokens.iter().any(cues) {
            continue;
        }
        let language = if lexer.chinese() { Language::Chinese } else { Language::English };
        let sentence = Sentence::new(text, &tokens, language, lexer.seen());
        room.begin(tokens.len());
        if !code(&sentence) {
            mood.silence(&sentence, |tokens| room.silence(tokens));
            citations(&mut room, &sentence);
            amounts(&mut room, &sentence);
            comparisons(&mut room, &sentence);
        }
        let found = room.leave();
        if !found.iter().all(stands) && !stated(&sentence, found) {
            found.retain(stands);
        }
        if claims.is_empty() {
            // Most texts have all their claims in one sentence.
            claims.reserve_exact(found.len());
        }
        claims.extend(found.drain(..).map(|found| units.claim(&sentence, found)));
    }
    SCRATCH.set((tokens, room));
    claims
}

fn stands(found: &Found) -> bool {
    matches!(found.kind, ClaimKind::Url | ClaimKind::Version | ClaimKind::Citation)
}

/// Addresses, references and attributing phrases, which swallow what is inside them.
fn citations(room: &mut Room, s: &Sentence) {
    let written = s.seen.address || s.seen.sign(const { signs("([") }) || s.seen.has(CITE_SOURCE | REFERENCE);
    for (at, token) in s.tokens.iter().enumerate().filter(|_| written) {
        if token.shape == Shape::Url {
            let value = ClaimValue { of: Some(s.words(at).to_owned()), ..ClaimValue::default() };
            room.take(Found { value: Some(value), ..Found::plain(at, at + 1, ClaimKind::Url) });
        } else if let Some(found) = citation::read(s, at) {
            room.take(found);
        } else if token.has(CITE_SOURCE)
            && room.states(at)
            && let Some(found) = citation::source(s, at)
        {
            room.take(found);
        }
    }
    if !s.seen.has(CITE_LEAD | CITE_VERB) {
        return;
    }
    for (at, token) in s.tokens.iter().enumerate() {
        if token.has(CITE_LEAD | CITE_VERB)
            && room.states(at)
            && let Some(found) = attribution::read(s, at)
        {
            room.take(found);
        }
    }
}

/// Everything with a number, and dates, versions and statistics.
fn amounts(room: &mut Room, s: &Sentence) {
    let mut at = 0;
    while at < s.tokens.len() {
        let found = if room.is_open(at) { number_at(s, at) } else { None };
        match found {
            Some(found) if room.is_free(&found) => {
                at = found.end.max(at + 1);
                room.take(found);
            }
            _ => at += 1,
        }
    }
}

/// Asks the readers that a token of this shape and these classes concerns.
fn number_at(s: &Sentence, at: usize) -> Option<Found> {
    let (token, next) = (s.at(at), s.at(at + 1));
    match token.shape {
        Shape::Digits if is_attached(s, at) => None,
        Shape::Digits => {
            // A version goes on after its first part; a date is four digits or goes on.
            let version = if next.glued() { version::read(s, at) } else { None };
            let dated = matches!(token.length(), 3 | 4)
                || next.glued()
                || next.has(MONTH | ERA_MARK)
                || next.shape == Shape::Han
                || s.word(at + 1, name!("of"));
            version.or_else(|| if dated { date::read(s, at) } else { None }).or_else(|| amount(s, at))
        }
        Shape::Numerals => date::read(s, at).or_else(|| amount(s, at)),
        Shape::Sign => match token.first {
            '-' | '−' | '+' | '–' | '±' => currency::read_lead(s, at).or_else(|| amount(s, at)),
            '\'' | '’' => date::read(s, at),
            sign if !sign.is_ascii() || sign == '$' => currency::read_lead(s, at),
            _ => None,
        },
        Shape::Han if token.has(WORDS) || matches!(token.first, '每' | '第' | '上' | '本' | '负' | '負' | '半') => {
            find_worded(s, at).or_else(|| amount(s, at))
        }
        Shape::Word => {
            let named = token.case != Case::Lower
                && (next.shape == Shape::Digits
                    || matches!(next.first, '$' | '.' | '²' | '=' | '<' | '>' | '/' | '为' | '值' | '-'));
            let letter = token.length() == 1
                && (next.has(FRACTION) || matches!(next.first, '=' | '<' | '>' | '²' | '/' | '≤' | '≈'));
            let named = named || letter;
            let begins = token.has(NUMERAL | OPENER) || token.has(SCALE) && s.word(at.wrapping_sub(1), name!("a"));
            let found = if token.has(WORDS | OPENER) || token.coded || named { find_worded(s, at) } else { None };
            found.or_else(|| if begins { amount(s, at) } else { None })
        }
        _ => None,
    }
}

/// Comparisons last: a measured amount beats them.
fn comparisons(room: &mut Room, s: &Sentence) {
    if !(s.seen.has(COMPARES) || s.seen.glued || s.seen.cue) {
        return;
    }
    for (at, token) in s.tokens.iter().enumerate() {
        let cue = token.has(COMPARES)
            || token.shape == Shape::Digits && s.at(at + 1).glued() && s.one_of(at + 1, names!["st", "nd", "rd", "th"])
            || token.shape == Shape::Han && matches!(token.first, '比' | '最' | '第' | '较' | '較');
        if !cue || !room.states(at) {
            continue;
        }
        let Some(found) = comparison::read(s, at) else { continue };
        if !(s.word(found.end - 1, name!("than")) && room.measured_before(found.first)) {
            room.take_over(found);
        }
    }
}

/// A claim that a word begins.
fn find_worded(s: &Sentence, at: usize) -> Option<Found> {
    version::read(s, at)
        .or_else(|| date::read(s, at))
        .or_else(|| statistic::read(s, at))
        .or_else(|| currency::read_lead(s, at))
        .or_else(|| percentage::read_word(s, at))
        .or_else(|| quantity::read_word(s, at))
}

/// A claim that a number begins.
fn amount(s: &Sentence, at: usize) -> Option<Found> {
    let number = numbers::read(s, at)?;
    if s.word(at.wrapping_sub(1), name!("from")) && s.word(number.end, name!("to")) {
        return lower_end(s, &number);
    }
    percentage::read(s, &number)
        .or_else(|| currency::read(s, &number))
        .or_else(|| comparison::multiple(s, &number))
        .or_else(|| quantity::read(s, &number))
        // "3 - 5" may be no range at all: then the first number stands for itroom.
        .filter(|found| number.upper.is_none() || found.end >= number.end)
}

/// "from 3 to 5 km": two claims, and the first has its unit from the second.
fn lower_end(s: &Sentence, number: &numbers::Number) -> Option<Found> {
    let second = numbers::read(s, number.end + 1)?;
    let found =
        percentage::read(s, &second).or_else(|| currency::read(s, &second)).or_else(|| quantity::read(s, &second))?;
    // "from 40 to 50 million": the scale holds for both.
    let shared = second.scaled && !number.scaled && number.value.abs() < 1000.0;
    let factor = if shared { numbers::scale_of(s, second.first, second.end) } else { 1.0 };
    let scale = |value: f64| if second.value == 0.0 { value } else { number.value * factor * (value / second.value) };
    let value = found.value.map(|value| ClaimValue { number: value.number.map(scale), upper: None, ..value });
    Some(Found { first: number.first, end: number.end, kind: found.kind, value })
}

/// Whether digits belong to the word before them: I247.5, Rev3.
fn is_attached(s: &Sentence, at: usize) -> bool {
    let (token, before) = (s.at(at), s.before(at));
    if token.shape != Shape::Digits || !token.glued() || at == 0 {
        return false;
    }
    let inner = before.is('.') && before.glued() && s.before(at - 1).shape == Shape::Word && s.before(at - 1).coded;
    matches!(before.shape, Shape::Word | Shape::Code) && !before.has(CURRENCY) || inner
}

/// Whether a token may begin or cue a claim at all.
fn cues(token: &Token) -> bool {
    match token.shape {
        Shape::Digits | Shape::Numerals | Shape::Url | Shape::Reference => true,
        Shape::Sign => matches!(token.first, '$' | '€' | '£' | '¥' | '￥' | '[' | '(' | '（' | '【'),
        Shape::Han => {
            token.has(WORDS | COMPARES | CITES) || matches!(token.first, '比' | '最' | '第' | '较' | '較' | '半')
        }
        Shape::Word => token.has(WORDS | COMPARES | CITES | NUMERAL) || token.coded,
        _ => false,
    }
}

/// What begins a claim with a word.
const WORDS: Flags = MONTH
    | SEASON
    | ORDINAL
    | FRACTION
    | PER
    | HALF
    | STATISTIC
    | STATISTIC_TAIL
    | VERSION
    | PRODUCT
    | CURRENCY
    | CURRENCY_LEAD
    | ERA
    | ERA_MARK
    | BC
    | QUARTER
    | REFERENCE;
/// What compares.
const COMPARES: Flags = MULTIPLIED | RANK | THAN | SUPERLATIVE | ABOVE | DOUBLE | RANK_WORD | FIRST_PLACE | ORDINAL;
/// What attributes.
const CITES: Flags = CITE_LEAD | CITE_VERB | CITE_SOURCE;

thread_local! {
    /// The memory that sentences are read in; most texts are so short that asking for it anew would cost more than reading.
    static SCRATCH: Cell<(Vec<Token>, Room)> = Cell::default();
}
