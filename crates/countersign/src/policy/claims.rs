//! What counts as a claim beyond what ships: patterns and kinds of the user's own, kinds turned off, words left alone.
//!
//! Patterns are regular expressions of the `regex` crate, so they run in linear time on any text. `\b` and `\w` know
//! Chinese characters as word characters: beside Chinese text write the neighbours out.

use super::pattern::nearest;
use super::rules::Fault;
use crate::contract::ClaimKind;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// The `[claims]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawClaims {
    /// Kinds that are not marked: `off = ["date"]`.
    pub off: Vec<String>,
    /// Texts that are no claims, as regular expressions over the words of a claim.
    pub ignore: Vec<String>,
    /// Patterns of your own.
    pub patterns: Vec<RawClaimPattern>,
}

/// One `[[claims.patterns]]` table.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RawClaimPattern {
    /// The kind: one that ships, or a name of your own in lower case.
    pub kind: String,
    /// The regular expression. A group named `claim` narrows the span.
    pub pattern: String,
}

/// What is marked beyond what ships, and what is not.
#[derive(Debug, Clone, Default)]
pub struct ClaimsPolicy {
    /// Kinds that are not marked.
    pub off: Vec<ClaimKind>,
    /// Words of a claim that make it none.
    pub ignore: Vec<Regex>,
    /// The user's own patterns, in order; they win over what ships.
    pub patterns: Vec<ClaimPattern>,
}

/// A pattern of the user's own.
#[derive(Debug, Clone)]
pub struct ClaimPattern {
    /// The kind it finds.
    pub kind: ClaimKind,
    /// What it looks like.
    pub pattern: Regex,
}

impl ClaimsPolicy {
    /// Puts a table on top.
    pub fn overlay(&mut self, raw: RawClaims) -> Result<(), Fault> {
        for pattern in raw.patterns {
            let kind = kind_of(&pattern.kind)?;
            self.patterns.push(ClaimPattern { kind, pattern: compile(&pattern.pattern)? });
        }
        for name in raw.off {
            let kind = ClaimKind::from(name.clone());
            if matches!(kind, ClaimKind::Own(_)) && !self.patterns.iter().any(|pattern| pattern.kind == kind) {
                let shipped = ClaimKind::SHIPPED;
                let names: Vec<&str> = shipped.iter().map(ClaimKind::name).collect();
                let near = nearest(&name, &names).map(|near| format!("did you mean `{near}`?"));
                return Err((name.clone(), format!("unknown kind of claim `{name}`"), near.or(Some(KINDS.to_owned()))));
            }
            self.off.push(kind);
        }
        for pattern in raw.ignore {
            self.ignore.push(compile(&pattern)?);
        }
        Ok(())
    }

    /// Whether everything is as it ships.
    pub fn is_empty(&self) -> bool {
        self.off.is_empty() && self.ignore.is_empty() && self.patterns.is_empty()
    }
}

fn kind_of(name: &str) -> Result<ClaimKind, Fault> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || name.len() > 40 || !name.chars().all(plain) {
        let help = Some("a kind is written in lower case, digits and `_`, such as `drug_dose`".to_owned());
        return Err((name.to_owned(), format!("`{name}` cannot be a kind of claim"), help));
    }
    Ok(ClaimKind::from(name.to_owned()))
}

fn compile(pattern: &str) -> Result<Regex, Fault> {
    let built = RegexBuilder::new(pattern).size_limit(1 << 20).build();
    built.map_err(|error| {
        let text = error.to_string();
        let cause = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        (
            pattern.to_owned(),
            format!("the pattern cannot be read: {cause}"),
            Some("write it in single quotes, so that TOML leaves backslashes alone".to_owned()),
        )
    })
}

const KINDS: &str = "use percentage, currency, date, citation, quantity, comparison, url, version, statistic, or a kind of your own patterns";

#[cfg(test)]
mod tests {
    use crate::policy::Policy;

    // CLAIM-1
    #[test]
    fn a_wrong_pattern_says_where_and_what_to_do() {
        let text = "[[claims.patterns]]\nkind = \"dose\"\npattern = '(\\d+'\n";
        let error = Policy::from_toml(text).unwrap_err();
        assert!(error.message.contains("cannot be read"), "{}", error.message);
        assert!(error.span.is_some_and(|span| text.get(span).is_some_and(|at| at.contains("(\\d+"))));
        let error = Policy::from_toml("[claims]\noff = [\"dates\"]\n").unwrap_err();
        assert_eq!(error.help.as_deref(), Some("did you mean `date`?"));
        assert!(Policy::from_toml("[[claims.patterns]]\nkind = \"Drug Dose\"\npattern = 'x'\n").is_err());
    }
}
