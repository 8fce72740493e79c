//! What another policy would have done on the same traffic: by call and by finding.

use super::report::{Item, Report};
use crate::contract::{Severity, Status};
use serde::Serialize;
use std::collections::BTreeMap;

/// The difference between two policies.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Difference {
    /// Calls whose verdict is another one: from one status to another, how often.
    pub calls: BTreeMap<String, usize>,
    /// Findings by code: how many under the one, how many under the other. Equal ones are left out.
    pub findings: BTreeMap<&'static str, (usize, usize)>,
    /// Some of the calls.
    pub examples: Vec<Change>,
}

/// A call with another verdict.
#[derive(Debug, Clone, Serialize)]
pub struct Change {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u64,
    /// The tool.
    pub tool: Option<String>,
    /// Under the policy that it is compared with.
    pub before: Status,
    /// Under the policy.
    pub after: Status,
}

impl Difference {
    /// Adds one conversation as both see it.
    pub fn add(&mut self, file: &str, before: &Report, after: &Report) {
        let noticed = |report: &'_ Report| -> Vec<&'static str> {
            let findings = report.items.iter().flat_map(|item| &item.findings);
            findings.filter(|finding| finding.severity > Severity::Info).map(|finding| finding.code.id).collect()
        };
        for code in noticed(before) {
            self.findings.entry(code).or_default().0 += 1;
        }
        for code in noticed(after) {
            self.findings.entry(code).or_default().1 += 1;
        }
        for (was, is) in before.items.iter().zip(&after.items).filter(|(was, is)| was.status != is.status) {
            self.add_change(file, was, is);
        }
    }

    fn add_change(&mut self, file: &str, was: &Item, is: &Item) {
        let kind = is.kind.name();
        *self.calls.entry(format!("{kind}: {} → {}", was.status.name(), is.status.name())).or_default() += 1;
        if self.examples.len() < MAX_EXAMPLES {
            self.examples.push(Change {
                file: file.to_owned(),
                line: is.line,
                tool: is.tool.clone(),
                before: was.status,
                after: is.status,
            });
        }
    }

    /// The same without what is equal.
    pub fn finish(mut self) -> Self {
        self.findings.retain(|_, (before, after)| before != after);
        self
    }
}

const MAX_EXAMPLES: usize = 50;
