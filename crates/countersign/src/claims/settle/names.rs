//! Claims that are no number: a link or a version stands in a passage or not; a source that is cited is borne out by a
//! passage of that source on the topic. Nothing here can conflict: other links, versions and sources may exist as well.

use super::passage::{Passage, Statement};
use super::{Finding, Quote, Subject};
use crate::claims::known::named::{Name, normal_url, product};
use crate::claims::known::surroundings::share;
use crate::claims::known::topic::meets;
use crate::contract::ClaimKind;
use crate::grounding::wording::{Reading, Term};

/// Holds a named claim against a passage.
pub(super) fn settle(subject: &Subject, name: &Name, passage: &Passage) -> Finding {
    match subject.claim.kind {
        ClaimKind::Url => token(passage, &normal_url(&subject.claim.text).to_lowercase()),
        ClaimKind::Version => version(subject, passage),
        ClaimKind::Citation => source(subject, name, passage),
        _ => words(subject, name, passage),
    }
}

/// A token that stands free in the text.
fn token(passage: &Passage, wanted: &str) -> Finding {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '?' | '=' | '&');
    let goes_on = |rest: &str| {
        let mut rest = rest.trim_start_matches('/').chars();
        match rest.next() {
            Some('.') => rest.next().is_some_and(char::is_alphanumeric),
            Some(c) => part(c),
            None => false,
        }
    };
    let free = |text: &str| {
        text.match_indices(wanted).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let rest = text.get(at + wanted.len()..).unwrap_or_default();
            before.is_none_or(|c| !c.is_alphanumeric() && c != '.' || wanted.is_empty()) && !goes_on(rest)
                || (text.get(..at).is_some_and(|b| b.ends_with("www.")) && !goes_on(rest))
        })
    };
    let found = passage.statements.iter().find(|statement| free(&statement.text.to_lowercase()));
    match found.filter(|_| !wanted.is_empty()) {
        Some(statement) => Finding::Supports(Quote {
            passage: statement.text.clone(),
            place: statement.place.clone(),
            says: wanted.to_owned(),
            strength: 1.0,
        }),
        // A JSON text is cut into fields; the token may be where no field was made of it.
        None if !wanted.is_empty() && free(&passage.folded) => {
            Finding::Supports(Quote { passage: wanted.to_owned(), place: None, says: wanted.to_owned(), strength: 0.9 })
        }
        None => Finding::Silent,
    }
}

/// The number of a version, in a statement that names its product.
fn version(subject: &Subject, passage: &Passage) -> Finding {
    let digits = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    let Some(number) = subject.claim.text.split_whitespace().rfind(digits) else { return Finding::Silent };
    let number = number.trim_start_matches(['v', 'V']).trim_end_matches(['.', ',']).to_lowercase();
    let product = subject.claim.value.as_ref().and_then(|value| value.of.as_deref()).and_then(product);
    let terms = product.map(|product| Reading::clipped(&product).terms).unwrap_or_default();
    match token(passage, &number) {
        Finding::Supports(quote) if !terms.is_empty() => {
            let named = share(&terms, &Reading::clipped(&quote.passage)) >= 0.5;
            if named { Finding::Supports(quote) } else { Finding::Silent }
        }
        _ => Finding::Silent,
    }
}

/// A passage of the source, or one that names it, on the topic of the sentence.
fn source(subject: &Subject, name: &Name, passage: &Passage) -> Finding {
    let named = !name.keys.is_empty() && name.keys.iter().all(|key| passage.keys.contains(key));
    let cited = |range: &std::ops::Range<usize>| {
        let start = range.start + subject.telling.around.place.start;
        start >= subject.claim.start && start < subject.claim.end
    };
    let topic = subject.telling.around.sentence.terms.iter().filter(|term| !cited(&term.range));
    let (mut total, mut held) = (0.0, 0.0);
    for term in topic {
        total += term.weight;
        held += if passage.holds(term) { term.weight } else { 0.0 };
    }
    let on_topic = total >= 2.0 && held / total >= 0.6;
    let best = passage.statements.iter().max_by_key(|statement| {
        subject.telling.around.sentence.terms.iter().filter(|term| statement.reading.holds(term)).count()
    });
    match best {
        Some(statement) if named && on_topic => Finding::Supports(Quote {
            passage: statement.text.clone(),
            place: statement.place.clone(),
            says: subject.claim.text.clone(),
            strength: held / total,
        }),
        _ => Finding::Silent,
    }
}

/// A comparison in words: the same words on the same sides, and nearly all of both sentences. Turned round it conflicts.
fn words(subject: &Subject, name: &Name, passage: &Passage) -> Finding {
    let around = &subject.telling.around;
    let mine = &around.sentence;
    let quote = |statement: &Statement| Quote {
        passage: statement.text.clone(),
        place: statement.place.clone(),
        says: statement.text.chars().take(80).collect(),
        strength: 0.85,
    };
    let mut found = Finding::Silent;
    for statement in passage.statements.iter().filter(|_| mine.weight() >= 2.0) {
        let theirs = &statement.reading;
        let told = name.keys.iter().filter(|key| theirs.keys.contains(key)).count();
        let same = told > 0 && mine.share(|term| theirs.holds(term)) >= 0.85;
        let back = theirs.share(|term| mine.nearly_holds(term)) >= 0.5;
        let names = mine.terms.iter().filter(|term| term.name).all(|term| theirs.holds(term));
        if !same || !back || !names || theirs.asks || mine.negated.is_empty() != theirs.negated.is_empty() {
            continue;
        }
        match (sides(subject.sentence(), mine), sides(&statement.text, theirs)) {
            (Some((a, b)), Some((x, y))) if meets(a, y) && meets(b, x) => found = Finding::Conflicts(quote(statement)),
            (Some((a, b)), Some((x, y))) if meets(a, x) && meets(b, y) => return Finding::Supports(quote(statement)),
            (None, None) => return Finding::Supports(quote(statement)),
            _ => {}
        }
    }
    found
}

/// What is compared with what: the first word of the sentence, and the first behind "than" or 比.
fn sides<'a>(text: &str, reading: &'a Reading) -> Option<(&'a Term, &'a Term)> {
    let at = text.to_lowercase().find(" than ").or_else(|| text.find('比'))?;
    let first = reading.terms.iter().find(|term| term.range.end <= at)?;
    let second = reading.terms.iter().find(|term| term.range.start >= at)?;
    Some((first, second))
}
