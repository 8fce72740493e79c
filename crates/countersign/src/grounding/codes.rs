//! What must be copied letter by letter: codes, e-mail addresses, hosts of links, versions and times of day.
//!
//! Such a token that does not appear is named only where the context has another of the same shape (and for a short
//! code under the same name), because the world is full of codes that people simply know: A4, B12, Q3.

use super::evidence::{Evidence, Unit};
use super::flatten::{Kind, fields};
use super::statuses::conditional;
use crate::grounding::wording::Reading;
use crate::text::numbers::clocks::Clock;
use crate::text::stems::{key, root};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// The tokens of a text that can be compared.
#[derive(Debug, Default)]
pub(crate) struct Known {
    codes: FxHashSet<String>,
    shapes: FxHashSet<String>,
    mails: FxHashSet<String>,
    hosts: FxHashSet<String>,
    versions: FxHashSet<String>,
}

impl Known {
    /// Gathers the tokens of all texts.
    pub(crate) fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut known = Self::default();
        for text in texts {
            for (token, _) in tokens(text) {
                known.add(token);
            }
            known.add_runs(text);
        }
        known
    }

    fn add(&mut self, token: &str) {
        match kind(token) {
            Token::Mail(mail) => {
                self.hosts.extend(mail.rsplit('@').next().map(str::to_owned));
                self.mails.insert(mail);
            }
            Token::Link(host) => _ = self.hosts.insert(host),
            Token::Version(version) => _ = self.versions.insert(version),
            Token::Other => {
                let host = token.split(['/', ':']).next().unwrap_or_default().to_lowercase();
                if host.contains('.') {
                    self.hosts.insert(host.trim_start_matches("www.").to_owned());
                }
                self.shapes.extend(pieces(token).filter(|(piece, _)| is_coded(piece)).map(|(piece, _)| shape(piece)));
            }
        }
    }

    /// A code may be written with blanks or signs inside: neighbouring runs count as one.
    fn add_runs(&mut self, text: &str) {
        let runs: Vec<String> = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|run| !run.is_empty() && run.len() <= LONGEST)
            .map(str::to_lowercase)
            .collect();
        let digits = |run: &str| run.bytes().any(|byte| byte.is_ascii_digit());
        for at in 0..runs.len() {
            let mut joined = String::new();
            for run in runs.iter().skip(at).take(JOINED) {
                joined.push_str(run);
                if joined.len() > LONGEST {
                    break;
                }
                if digits(&joined) {
                    self.codes.insert(joined.clone());
                    // The first group of a long code that the answer writes in groups.
                    self.codes.extend(joined.get(..4).filter(|_| joined.len() >= 10).map(str::to_owned));
                }
            }
        }
    }
}

/// Where a sentence has tokens of which the context has others of the same shape.
pub(crate) fn unknown(
    text: &str,
    sentence: &Reading,
    known: &Known,
    evidence: &Evidence,
    nearest: &[(usize, &Unit)],
) -> Vec<Range<usize>> {
    if sentence.asks {
        return Vec::new();
    }
    // An address is copied or made up, whatever the sentence wishes for.
    let stated = !conditional(text);
    let mut found = Vec::new();
    for (token, range) in tokens(text).take(64) {
        let missing = match kind(token) {
            Token::Mail(mail) => !known.mails.contains(&mail) && !mail.contains("@example."),
            Token::Link(host) => is_link(token) && !host.is_empty() && !known.hosts.contains(&host),
            Token::Version(version) => {
                stated && {
                    let parts = version.split('.').count();
                    let same = known.versions.iter().take(64).any(|other| other.split('.').count() == parts);
                    let dated = sentence.numbers.dates.iter().any(|date| date.range.start == range.start);
                    same && !dated && !known.versions.contains(&version)
                }
            }
            Token::Other => {
                stated && {
                    let code = |(piece, from): (&str, usize)| {
                        is_coded(piece) && !known.codes.contains(&plain(piece)) && {
                            let digits = piece.bytes().filter(u8::is_ascii_digit).count();
                            (digits >= 3 && known.shapes.contains(&shape(piece)))
                                || is_named_alike(sentence, piece, range.start + from, nearest)
                        }
                    };
                    pieces(token).any(code)
                }
            }
        };
        if missing {
            found.push(range);
        }
    }
    found.extend(
        sentence
            .clocks
            .iter()
            .filter(|clock| stated && !is_known_time(clock, evidence) && !is_hedged(text, clock))
            .map(span),
    );
    found
}

fn span(clock: &Clock) -> Range<usize> {
    clock.range.clone()
}

/// Whether a time stands in the context or the question, or the context has none, or it can be computed.
fn is_known_time(said: &Clock, evidence: &Evidence) -> bool {
    let known = &evidence.clocks;
    let later = |clock: &Clock| {
        let minutes = f64::from(clock.until(said));
        evidence.spans().any(|span| (span / 60.0 - minutes).abs() < 1.0 || (1440.0 - span / 60.0 - minutes).abs() < 1.0)
    };
    evidence.stamped
        || known.is_empty()
        || known.iter().chain(&evidence.asked.clocks).any(|other| said.agrees(other))
        || known.iter().take(64).any(later)
}

/// "Around 2:30" is no exact time.
fn is_hedged(text: &str, clock: &Clock) -> bool {
    let before = text.get(..clock.range.start).unwrap_or_default().trim_end().to_lowercase();
    let after = text.get(clock.range.end..).unwrap_or_default().trim_start();
    let words = ["around", "about", "approximately", "by", "before", "after", "almost", "nearly", "roughly", "past"];
    words.iter().any(|word| before.ends_with(word))
        || before.ends_with(['约', '近', '前', '~'])
        || ["左右", "前", "以后", "之"].iter().any(|word| after.starts_with(word))
}

/// Whether a field of the same name holds another code of the same shape: "gate A12" and `gate: C64`.
fn is_named_alike(sentence: &Reading, piece: &str, start: usize, nearest: &[(usize, &Unit)]) -> bool {
    let Some(label) = sentence.terms.iter().rfind(|term| term.range.end <= start) else { return false };
    let named = |name: &str| name.split(' ').any(|word| label.keys.contains(&key(&root(word))));
    let alike = |value: &str| is_coded(value) && shape(value) == shape(piece);
    let units = nearest.iter().filter(|(_, unit)| unit.kind == Kind::Fields);
    units.into_iter().any(|(_, unit)| fields(&unit.text).any(|(name, value)| named(name) && alike(value)))
}

enum Token {
    Mail(String),
    Link(String),
    Version(String),
    Other,
}

fn kind(token: &str) -> Token {
    if let Some((_, rest)) = token.split_once("://") {
        let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default().to_lowercase();
        return Token::Link(host.trim_start_matches("www.").to_owned());
    }
    if let Some((name, host)) = token.split_once('@')
        && !name.is_empty()
        && host.contains('.')
        && !host.contains('/')
    {
        let name = name.rsplit([':', '/', '=']).next().unwrap_or(name);
        return Token::Mail(format!("{name}@{host}").to_lowercase());
    }
    let version = token.strip_prefix(['v', 'V']).unwrap_or(token);
    let parts = || version.split('.');
    let digits = |part: &str| (1..=5).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts().count() >= 3 && parts().all(digits) { Token::Version(version.to_owned()) } else { Token::Other }
}

/// Whether a link leads further than to a front page.
fn is_link(token: &str) -> bool {
    let rest = token.split_once("://").map_or("", |(_, rest)| rest);
    rest.split_once('/').is_some_and(|(_, path)| !path.is_empty())
}

/// Pieces of letters and digits as one would read them out, with where they begin.
fn tokens(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let inner = |c: char| c.is_ascii_alphanumeric() || "-_.@:/#+?=&%~".contains(c);
    text.split(move |c: char| !inner(c)).filter_map(move |raw| {
        let token = raw.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '/').trim_end_matches('/');
        let start = (token.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
        (token.len() >= 2 && token.len() <= 400).then(|| (token, start..start + token.len()))
    })
}

fn pieces(token: &str) -> impl Iterator<Item = (&str, usize)> {
    token.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_')).filter_map(move |piece| {
        let start = (piece.as_ptr() as usize).checked_sub(token.as_ptr() as usize)?;
        (!piece.is_empty()).then_some((piece, start))
    })
}

/// Whether a piece reads as a code: it begins with a letter, has digits, and is not just a word with a number.
fn is_coded(piece: &str) -> bool {
    let upper = piece.bytes().any(|byte| byte.is_ascii_uppercase());
    let lower = piece.bytes().any(|byte| byte.is_ascii_lowercase());
    let letter = piece.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let digit = piece.bytes().any(|byte| byte.is_ascii_digit());
    let free = piece.len() <= LONGEST && piece.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    letter && digit && free && ((upper && !lower) || (!upper && piece.contains('_')))
}

fn plain(piece: &str) -> String {
    piece.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

/// Runs of letters and of digits, without their lengths; a long code is just long.
fn shape(piece: &str) -> String {
    let plain = plain(piece);
    if plain.len() >= 12 {
        return "long".to_owned();
    }
    let mut shape: Vec<char> = plain.chars().map(|c| if c.is_ascii_digit() { '9' } else { 'a' }).collect();
    shape.dedup();
    shape.into_iter().collect()
}

/// No code is longer than this.
const LONGEST: usize = 40;
/// So many neighbouring runs may make one code.
const JOINED: usize = 6;
