//! Which claims of an answer stand in what it was made from: results of tools, references, what the user and the operator
//! said.
//!
//! This does not verify a claim; it says that the answer did not bring it into the world. So it looks for the value, and
//! not for the whole statement: that is what grounding and the fact check weigh.

use super::arithmetic::{Outcome, recompute};
use super::known::{Matter, Telling, amount::Measure, implies, tellings};
use super::settle::computed::computed;
use super::settle::passage::Passage;
use super::settle::{Finding, Subject, settle};
use crate::contract::{Claim, ClaimKind, ClaimStatus};
use crate::text::phrases::stands_free;
use std::cell::LazyCell;

/// What an answer was made from.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// What was looked up for it: results of tools, references, search results.
    pub sources: &'a [String],
    /// What else was said: the words of the user and of the operator, what is known of the user.
    pub said: &'a [String],
}

/// The claims of an answer that are not verified and stand in nothing that it was made from. A disputed one is among them
/// wherever it stands.
pub fn unsupported<'c>(content: &str, claims: &'c [Claim], given: &Given<'_>) -> Vec<&'c Claim> {
    if claims.iter().all(Claim::verified) {
        return Vec::new();
    }
    let read = |texts: &[String]| texts.iter().map(|text| Passage::read(text, [])).collect::<Vec<_>>();
    let (sources, said) = (LazyCell::new(|| read(given.sources)), LazyCell::new(|| read(given.said)));
    let tellings = tellings(content, claims);
    let stands = |at: usize, claim: &Claim| {
        let Some(telling) = tellings.get(at) else { return false };
        let subject = Subject { claim, telling, content };
        stands_verbatim(claim, given)
            // Which of several is the largest follows from what was looked up; whether it does is for grounding to say.
            || (claim.kind == ClaimKind::Comparison && !given.sources.is_empty())
            || recompute(content, claims, &tellings, at).is_some_and(|found| found.outcome == Outcome::Holds)
            || sources.iter().any(|passage| bears_out(&subject, passage) || has_bare_number(&subject, passage))
            || said.iter().any(|passage| bears_out(&subject, passage))
    };
    let is_open = |(at, claim): &(usize, &'c Claim)| match claim.status {
        ClaimStatus::Verified => false,
        ClaimStatus::Disputed => true,
        ClaimStatus::Pending | ClaimStatus::Unverifiable => !stands(*at, claim),
    };
    claims.iter().enumerate().filter(is_open).map(|(_, claim)| claim).collect()
}

/// Whether the claim's very words are somewhere in what was given.
fn stands_verbatim(claim: &Claim, given: &Given<'_>) -> bool {
    let words = claim.text.trim();
    let stands = |text: &String| text.match_indices(words).any(|(at, _)| stands_free(text, &(at..at + words.len())));
    !words.is_empty() && given.sources.iter().chain(given.said).any(stands)
}

/// Whether a passage holds the value, however it is written, or bears the claim out as a whole.
fn bears_out(subject: &Subject<'_>, passage: &Passage) -> bool {
    let mine = &subject.telling.matter;
    passage.statements.iter().flat_map(|statement| &statement.values).any(|(matter, _)| implies(matter, mine))
        || matches!(settle(subject, passage), Finding::Supports(_))
        || computed(subject, passage).is_some_and(|found| found.outcome == Outcome::Holds)
}

/// Whether a looked-up text gives the number without its unit, as fields of an object do: `{"temperature_c": 12}`.
fn has_bare_number(subject: &Subject<'_>, passage: &Passage) -> bool {
    let Telling { matter: Matter::Amount(mine), .. } = subject.telling else { return false };
    let written = first_number(&subject.claim.text);
    let same = |one: f64, two: f64| (one - two).abs() <= 1e-9 * one.abs().max(1.0);
    passage.statements.iter().flat_map(|statement| &statement.values).any(|(matter, _)| match matter {
        Matter::Amount(theirs) if theirs.measure == Measure::Count => {
            same(theirs.low, mine.low) || written.is_some_and(|written| same(theirs.low, written))
        }
        _ => false,
    })
}

/// The first number of a text in digits, as it is written.
fn first_number(text: &str) -> Option<f64> {
    let digits = text.get(text.find(|c: char| c.is_ascii_digit())?..)?;
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(digits.len());
    digits.get(..end)?.replace(',', "").trim_end_matches('.').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::find::find;

    fn left(answer: &str, sources: &[&str], said: &[&str]) -> Vec<String> {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let (sources, said) = (own(sources), own(said));
        let claims = find(answer);
        let left = unsupported(answer, &claims, &Given { sources: &sources, said: &said });
        left.into_iter().map(|claim| claim.text.clone()).collect()
    }

    // SCORE-3: what an answer was given it may repeat, in any writing; what it brings itself is unverified.
    #[test]
    fn a_claim_stands_where_its_value_stands() {
        for (answer, sources, said) in [
            ("Oslo has 12 °C.", &["{\"city\": \"Oslo\", \"temperature_c\": 12}"][..], &[][..]),
            ("The humidity is 81%.", &["{\"humidity\": 0.81}"], &[]),
            ("It costs 1,299 dollars.", &["Price: $1,299.00"], &[]),
            ("The order costs 3,500 euros.", &[], &["I ordered for 3500 EUR."]),
            ("预算5000元够用。", &[], &["我的预算是5000元"]),
            ("The cheapest flight is the first.", &["{\"flights\": [{\"price\": 3}, {\"price\": 5}]}"], &[]),
        ] {
            assert_eq!(left(answer, sources, said), [""; 0], "{answer}");
        }
        for (answer, sources, said, claim) in [
            ("市场增长25%。", &[][..], &["市场怎么样？"][..], "25%"),
            ("The market grew 25%.", &[], &["Give me 25 examples."], "25%"),
            ("The market grew 25%.", &["{\"growth\": 0.31}"], &[], "25%"),
        ] {
            let left = left(answer, sources, said);
            assert!(left.iter().any(|text| text.contains(claim)), "{answer}: {left:?}");
        }
    }

    // CLAIM-2: a disputed claim is unsupported wherever it stands, a verified one never.
    #[test]
    fn what_was_settled_stays_settled() {
        let answer = "The market grew 25%.";
        let given = Given { sources: &[answer.to_owned()], said: &[] };
        let mut claims = find(answer);
        assert!(unsupported(answer, &claims, &given).is_empty());
        claims[0].status = ClaimStatus::Disputed;
        assert_eq!(unsupported(answer, &claims, &given).len(), 1);
        claims[0].status = ClaimStatus::Verified;
        assert!(unsupported(answer, &claims, &Given { sources: &[], said: &[] }).is_empty());
    }
}
