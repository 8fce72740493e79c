//! What --fail-on says: a severity, codes, or never.

use crate::failure::Failure;
use countersign::contract::{Finding, Severity, codes};

/// From where on a finding fails the run.
#[derive(Debug, Default)]
pub(super) struct Limit {
    severity: Option<Severity>,
    codes: Vec<&'static str>,
}

impl Limit {
    pub(super) fn read(words: &[String]) -> Result<Self, Failure> {
        let mut limit = Self::default();
        for word in words {
            match word.trim() {
                "never" => {}
                "error" => limit.severity = Some(Severity::Error),
                "warning" => limit.severity = Some(Severity::Warning),
                "info" => limit.severity = Some(Severity::Info),
                code => match codes::find(code) {
                    Some(code) => limit.codes.push(code.id),
                    None => {
                        return Err(Failure::with_help(
                            format!("--fail-on: there is no severity or code {code:?}"),
                            "write error, warning, info, never, or a code such as call.unknown-tool",
                        ));
                    }
                },
            }
        }
        Ok(limit)
    }

    pub(super) fn meets(&self, finding: &Finding) -> bool {
        self.severity.is_some_and(|severity| finding.severity >= severity) || self.codes.contains(&finding.code.id)
    }
}
