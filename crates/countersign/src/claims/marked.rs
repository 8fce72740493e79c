//! The claims of a text as the operator wants them: what ships, and the patterns of the policy on top.

use super::find::find;
use super::find::spans::Utf16;
use crate::contract::{Claim, ClaimKind, Language};
use crate::policy::ClaimsPolicy;
use regex::Captures;
use std::ops::Range;

/// The claims of a text, in order, without overlaps. The user's own patterns win over what ships.
pub fn claims(text: &str, policy: &ClaimsPolicy) -> Vec<Claim> {
    let mut found = find(text);
    if policy.is_empty() {
        return found;
    }
    let own = own(text, policy);
    let mut next = own.iter().peekable();
    found.retain(|claim| {
        while next.next_if(|(own, _)| own.end <= claim.start).is_some() {}
        let covered = next.peek().is_some_and(|(own, _)| own.start < claim.end);
        let ignored = policy.off.contains(&claim.kind) || policy.ignore.iter().any(|p| p.is_match(&claim.text));
        !covered && !ignored
    });
    let mut units = Utf16::new(text);
    let wanted = own.into_iter().filter(|(_, kind)| !policy.off.contains(kind));
    found.extend(wanted.map(|(range, kind)| {
        let language = Language::of(text.get(range.clone()).unwrap_or_default());
        units.own(range, kind, language)
    }));
    found.sort_by_key(|claim| claim.start);
    found
}

/// What the user's patterns find: the first pattern wins, then the first place.
fn own(text: &str, policy: &ClaimsPolicy) -> Vec<(Range<usize>, ClaimKind)> {
    let mut found: Vec<(Range<usize>, ClaimKind)> = Vec::new();
    for pattern in &policy.patterns {
        let span = |captures: Captures| {
            let whole = captures.name("claim").or_else(|| captures.get(0))?;
            (!whole.is_empty()).then(|| whole.range())
        };
        let before = found.len();
        let new: Vec<Range<usize>> = pattern.pattern.captures_iter(text).filter_map(span).collect();
        for range in new {
            let known = found.get(..before).unwrap_or_default();
            let at = known.partition_point(|(other, _)| other.end <= range.start);
            if known.get(at).is_none_or(|(other, _)| other.start >= range.end) {
                found.push((range, pattern.kind.clone()));
            }
        }
        found.sort_by_key(|(range, _)| range.start);
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
