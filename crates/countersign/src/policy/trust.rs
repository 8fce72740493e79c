//! Whose words count: how far the results of a tool are trusted, and what each finding of the check `trust` may do.
//!
//! Without any setting every result is external: its fields are data, its prose is what somebody wrote. The operator knows better
//! which tools read the house's own records.

use super::pattern::{Pattern, nearest};
use super::rules::Fault;
use crate::contract::{Mode, codes};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The `[trust]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct RawTrust {
    /// How far results are trusted, by the name pattern of their tool: `trusted`, `own_data` or `external`.
    pub tools: BTreeMap<String, Trust>,
    /// How far results are trusted that no pattern names.
    pub results: Option<Trust>,
    /// The mode of single findings: `"trust.untrusted-target" = "advise"`.
    pub findings: BTreeMap<String, Mode>,
}

/// How far a source is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// As the operator's own words: what it says may be done.
    Trusted,
    /// The house's own records: every value in it may be a target, but it gives no orders.
    OwnData,
    /// What anybody may have written: fields are data, prose is no target, orders are not followed.
    #[default]
    External,
}

/// Whose words count.
#[derive(Debug, Clone, Default)]
pub struct TrustPolicy {
    /// The trust of tools; later entries win.
    tools: Vec<(Pattern, Trust)>,
    results: Trust,
    findings: BTreeMap<String, Mode>,
}

impl TrustPolicy {
    /// Puts a file's words over what is there.
    pub fn overlay(&mut self, raw: RawTrust) -> Result<(), Fault> {
        self.tools.extend(raw.tools.into_iter().map(|(name, trust)| (Pattern::new(name), trust)));
        self.results = raw.results.unwrap_or(self.results);
        let known: Vec<&str> = codes::trust::ALL.iter().map(|code| code.id).collect();
        for (name, mode) in raw.findings {
            if !known.contains(&name.as_str()) {
                let help = nearest(&name, &known).map(|near| format!("did you mean `{near}`?"));
                let all = || format!("the findings are {}", known.join(", "));
                return Err((name.clone(), format!("unknown finding `{name}`"), Some(help.unwrap_or_else(all))));
            }
            self.findings.insert(name, mode);
        }
        Ok(())
    }

    /// How far the results of a tool are trusted.
    pub fn of(&self, tool: &str) -> Trust {
        let named = self.tools.iter().rev().find(|(pattern, _)| pattern.matches(tool));
        named.map_or(self.results, |(_, trust)| *trust)
    }

    /// Whether every result is external.
    pub fn is_default(&self) -> bool {
        self.tools.is_empty() && self.results == Trust::External
    }

    /// The mode of a finding, where the policy gives it one.
    pub fn mode(&self, code: &str) -> Option<Mode> {
        self.findings.get(code).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    #[test]
    fn tools_and_findings_are_set_by_the_operator() {
        // TRUST-1, TRUST-2
        let text = "[trust.tools]\n\"get_vendor*\" = \"own_data\"\n[trust.findings]\n\"trust.untrusted-target\" = \"advise\"\n";
        let policy = Policy::from_toml(text).unwrap();
        assert_eq!(policy.trust.of("get_vendor_record"), Trust::OwnData);
        assert_eq!(policy.trust.of("get_mail"), Trust::External);
        assert_eq!(policy.trust.mode("trust.untrusted-target"), Some(Mode::Advise));
        let wrong = Policy::from_toml("[trust.findings]\n\"trust.untrusted\" = \"off\"\n").unwrap_err();
        assert!(wrong.message.contains("trust.untrusted"), "{wrong:?}");
    }
}
