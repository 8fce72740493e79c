//! The claims of a text as the operator wants them: what ships, and the patterns of the policy on top.

use super::find::reader::{Span, read};
use super::find::spans;
use crate::contract::{Claim, Language};
use crate::policy::ClaimsPolicy;
use regex::Captures;

/// The claims of a text, in order, without overlaps. The user's own patterns win over what ships.
pub fn claims(text: &str, policy: &ClaimsPolicy) -> Vec<Claim> {
    let found = read(text);
    if policy.is_empty() {
        return spans::claims(text, found);
    }
    let own = own(text, policy);
    let mut next = own.iter().peekable();
    let mut kept: Vec<Span> = Vec::with_capacity(found.len() + own.len());
    for span in found {
        while next.next_if(|own| own.end <= span.start).is_some() {}
        let covered = next.peek().is_some_and(|own| own.start < span.end);
        let words = text.get(span.start..span.end).unwrap_or_default();
        let ignored = policy.off.contains(&span.kind) || policy.ignore.iter().any(|pattern| pattern.is_match(words));
        if !covered && !ignored {
            kept.push(span);
        }
    }
    kept.extend(own.into_iter().filter(|span| !policy.off.contains(&span.kind)));
    kept.sort_by_key(|span| span.start);
    spans::claims(text, kept)
}

/// What the user's patterns find: the first pattern wins, then the first place.
fn own(text: &str, policy: &ClaimsPolicy) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    for pattern in &policy.patterns {
        let span = |captures: Captures| {
            let whole = captures.name("claim").or_else(|| captures.get(0))?;
            let language = Language::of(whole.as_str());
            (!whole.is_empty()).then(|| Span {
                start: whole.start(),
                end: whole.end(),
                kind: pattern.kind.clone(),
                value: None,
                language,
            })
        };
        let before = found.len();
        let new: Vec<Span> = pattern.pattern.captures_iter(text).filter_map(span).collect();
        for span in new {
            let at = found.get(..before).unwrap_or_default().partition_point(|other| other.end <= span.start);
            if found.get(..before).and_then(|known| known.get(at)).is_none_or(|other| other.start >= span.end) {
                found.push(span);
            }
        }
        found.sort_by_key(|span| span.start);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    fn marked(policy: &str, text: &str) -> Vec<(String, String)> {
        let policy = Policy::from_toml(policy).unwrap();
        let claims = claims(text, &policy.claims);
        claims.into_iter().map(|claim| (claim.kind.name().to_owned(), claim.text)).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(kind, text)| ((*kind).to_owned(), (*text).to_owned())).collect()
    }

    // CLAIM-1
    #[test]
    fn own_patterns_add_kinds_and_win() {
        let policy = "[[claims.patterns]]\nkind = \"drug_dose\"\npattern = '\\d+ mg twice daily'\n\
            [[claims.patterns]]\nkind = \"ticket\"\npattern = '工单(?P<claim>[A-Z]+-\\d+)'\n";
        let text = "Patients took 20 mg twice daily in 2021. 见工单OPS-17。";
        let expected = pairs(&[("drug_dose", "20 mg twice daily"), ("date", "2021"), ("ticket", "OPS-17")]);
        assert_eq!(marked(policy, text), expected);
    }

    // CLAIM-1
    #[test]
    fn kinds_are_turned_off_and_words_left_alone() {
        let text = "In 2021 sales rose 12% to $5m.";
        assert_eq!(marked("[claims]\noff = [\"date\"]\nignore = ['^\\$5m$']\n", text), pairs(&[("percentage", "12%")]));
    }
}
