//! References as they are written: `[12]`, (Smith et al., 2021), Okafor et al. (2021), doi, arXiv, RFC 9110, "Source: …".

use crate::claims::find::found::Found;
use crate::claims::find::lexicon::{CITE_SOURCE, CITE_VERB, MONTH, REFERENCE};
use crate::claims::find::names::{name, names};
use crate::claims::find::sentence::Sentence;
use crate::claims::find::tokens::{Case, Gap, Shape};
use crate::contract::{ClaimKind, ClaimValue};

/// The reference that begins at a token.
pub(crate) fn read(s: &Sentence, at: usize) -> Option<Found> {
    let token = s.at(at);
    match token.first {
        _ if token.shape == Shape::Reference => reference(s, at, at + 1),
        '[' => find_numbered(s, at).or_else(|| find_dated(s, at, ']')),
        '【' => find_numbered(s, at),
        '(' => find_dated(s, at, ')'),
        '（' => find_dated(s, at, '）'),
        _ if token.shape == Shape::Word && token.case != Case::Lower => authors(s, at).or_else(|| standard(s, at)),
        _ => None,
    }
}

/// "Source: …" to the end of the sentence, and 来源：….
pub(crate) fn source(s: &Sentence, at: usize) -> Option<Found> {
    let named = s.one_of(at, names!["source", "sources"]) && s.at(at).case != Case::Lower || s.has(at, CITE_SOURCE);
    let colon = s.is(at + 1, ':') || s.is(at + 1, '：');
    if !named || !colon {
        return None;
    }
    let mut end = s.tokens.len();
    while end > at + 2 && s.divides(end - 1) && !matches!(s.at(end - 1).first, ')' | '）' | '”' | '"') {
        end -= 1;
    }
    // A bare address is marked as one.
    let only_address = end == at + 3 && s.at(at + 2).shape == Shape::Url;
    // （来源：国铁集团）
    let bracket = s.chinese && matches!(s.before(at).first, '（' | '(') && matches!(s.at(end - 1).first, '）' | ')');
    let first = at - usize::from(bracket);
    (end > at + 2 && !only_address).then(|| Found::plain(first, end, ClaimKind::Citation))
}

/// `[12]`, `[3, 14]`, `[4–6]`.
fn find_numbered(s: &Sentence, at: usize) -> Option<Found> {
    let mut end = at + 1;
    let mut digits = 0;
    while end < at + 24 {
        let token = s.at(end);
        match token.shape {
            Shape::Digits if token.length() <= 4 => digits += 1,
            Shape::Sign if matches!(token.first, ']' | '】') => break,
            Shape::Sign if matches!(token.first, ',' | '-' | '–' | '，' | '、' | '^' | ';') => {}
            _ => return None,
        }
        end += 1;
    }
    let indexes = s.at(at).glued() && s.before(at).shape == Shape::Word && s.before(at).coded;
    (digits > 0 && matches!(s.at(end).first, ']' | '】') && !indexes).then(|| reference(s, at, end + 1)).flatten()
}

/// (Smith et al., 2021), (Planck Collaboration, 2018; Li, 2020), （Zhao等，2022）: a name, then a year, then the bracket.
fn find_dated(s: &Sentence, at: usize, close: char) -> Option<Found> {
    let name = s.at(at + 1);
    let capital = name.shape == Shape::Word && name.case != Case::Lower || name.shape == Shape::Han && close != ')';
    if !capital || name.has(MONTH) {
        return None;
    }
    let end = (at + 2..at + 28).find(|at| s.is(*at, close))?;
    let year = |at: usize| {
        let text = s.words(at);
        s.at(at).shape == Shape::Digits && text.len() == 4 && (text.starts_with("1") || text.starts_with("20"))
    };
    let last = if s.at(end - 1).shape == Shape::Word && s.at(end - 1).glued() { end - 2 } else { end - 1 };
    let page = (at + 1..end).any(|at| s.one_of(at, names!["p", "pp"]));
    let dated = year(last) || page && (at + 1..end).any(year);
    let divided = (at + 2..end).any(|at| {
        matches!(s.at(at).first, ',' | '，')
            || s.one_of(at, names!["al", "et", "and"])
            || s.is(at, '&')
            || s.lone(at) == '等'
    });
    let divided = divided || end == at + 3 && name.case != Case::Lower;
    let month = (at + 1..end)
        .any(|at| s.has(at, MONTH) && s.at(at).case != Case::Lower && !s.at(at).coded && s.at(at).length() > 2);
    (dated && divided && !month).then(|| reference(s, at, end + 1)).flatten()
}

/// Okafor et al. (2021) show, Smith and Lee (2019), Brandt (2023).
fn authors(s: &Sentence, at: usize) -> Option<Found> {
    let mut next = at + 1;
    if s.word(next, name!("et")) && s.word(next + 1, name!("al")) {
        next += 2 + usize::from(s.is(next + 2, '.'));
    } else if (s.word(next, name!("and")) || s.is(next, '&')) && s.at(next + 1).case != Case::Lower {
        next += 2;
    }
    if s.lone(next) == '等' {
        next += 1;
    }
    let text = s.words(next + 1);
    let closed = s.is(next + 2, ')') || s.is(next + 2, '）');
    let year =
        (s.is(next, '(') || s.is(next, '（')) && closed && s.at(next + 1).shape == Shape::Digits && text.len() == 4;
    let lone = next == at + 1 && s.at(at + 3).end.saturating_sub(s.at(at).end) < 3;
    if !year || lone || s.has(at, MONTH) {
        return None;
    }
    let verb = usize::from(s.has(next + 3, CITE_VERB));
    reference(s, at, next + 3 + verb)
}

/// RFC 9110, PMID 123456.
fn standard(s: &Sentence, at: usize) -> Option<Found> {
    let colon = usize::from(s.is(at + 1, ':') || s.is(at + 1, '：'));
    let number = s.at(at + 1 + colon);
    (s.has(at, REFERENCE) && number.shape == Shape::Digits && number.gap != Gap::Line)
        .then(|| reference(s, at, at + 2 + colon))
        .flatten()
}

fn reference(s: &Sentence, first: usize, end: usize) -> Option<Found> {
    let text = s.text.get(s.at(first).start..s.before(end).end).unwrap_or_default();
    let of = text.trim_matches(['[', ']', '(', ')', '（', '）', '【', '】']).to_owned();
    let value = ClaimValue { of: Some(of), ..ClaimValue::default() };
    Some(Found { first, end, kind: ClaimKind::Citation, value: Some(value) })
}
