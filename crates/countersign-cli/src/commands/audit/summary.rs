//! Everything that was found, within bounds: counts of all of it, and the findings themselves up to a number.

use super::baseline::Baseline;
use super::limit::Limit;
use countersign::audit::compare::Difference;
use countersign::audit::{Counts, Item, NotChecked, Report};
use countersign::contract::{Finding, Severity};
use countersign::traces::Tokens;
use serde::Serialize;
use std::collections::BTreeMap;

/// The whole run.
pub(super) struct Summary {
    pub files: usize,
    pub bytes: u64,
    pub conversations: usize,
    pub with_findings: usize,
    pub formats: BTreeMap<&'static str, usize>,
    pub counts: Counts,
    pub tokens: Tokens,
    /// Tokens of conversations in which something was refused or wrong.
    pub tokens_in_doubt: u64,
    pub codes: BTreeMap<&'static str, usize>,
    pub tools: BTreeMap<String, (usize, usize)>,
    pub not_checked: Vec<NotChecked>,
    pub problems: Vec<Problem>,
    pub skipped: usize,
    pub found: Vec<Found>,
    pub left_off: usize,
    pub known: usize,
    pub difference: Option<Difference>,
    pub seen: Baseline,
    pub failed: bool,
    baseline: Baseline,
    limit: Limit,
}

/// A line or a file that could not be read.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Problem {
    pub file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub reason: String,
}

impl Problem {
    pub(super) fn sentence(&self) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{}{line} {}", self.file, self.reason)
    }
}

/// One finding with its place.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Found {
    pub file: String,
    pub line: u64,
    pub kind: &'static str,
    pub status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    pub asked: String,
    pub excerpt: String,
    pub fingerprint: String,
    #[serde(flatten)]
    pub finding: Finding,
}

impl Summary {
    pub(super) fn new(baseline: Baseline, limit: Limit) -> Self {
        Self {
            files: 0,
            bytes: 0,
            conversations: 0,
            with_findings: 0,
            formats: BTreeMap::new(),
            counts: Counts::default(),
            tokens: Tokens::default(),
            tokens_in_doubt: 0,
            codes: BTreeMap::new(),
            tools: BTreeMap::new(),
            not_checked: Vec::new(),
            problems: Vec::new(),
            skipped: 0,
            found: Vec::new(),
            left_off: 0,
            known: 0,
            difference: None,
            seen: Baseline::default(),
            failed: false,
            baseline,
            limit,
        }
    }

    /// Adds a conversation; what the baseline knows is taken out of it.
    pub(super) fn add(&mut self, file: &str, report: &mut Report) {
        self.conversations += 1;
        *self.formats.entry(report.format.name()).or_default() += 1;
        self.counts.add(report.counts);
        self.tokens.add(report.tokens);
        for note in &report.not_checked {
            match self.not_checked.iter_mut().find(|known| known.what == note.what && known.why == note.why) {
                Some(known) => known.count += note.count,
                None => self.not_checked.push(note.clone()),
            }
        }
        let mut noticed = false;
        for item in &mut report.items {
            noticed |= self.add_item(file, report.id.as_deref(), item);
        }
        if noticed {
            self.with_findings += 1;
            self.tokens_in_doubt = self.tokens_in_doubt.saturating_add(report.tokens.input + report.tokens.output);
        }
    }

    fn add_item(&mut self, file: &str, conversation: Option<&str>, item: &mut Item) -> bool {
        let fingerprints: Vec<String> = item.findings.iter().map(|finding| item.fingerprint(finding)).collect();
        let mut keep = fingerprints.iter().map(|fingerprint| {
            self.seen.add(fingerprint);
            !self.baseline.take(fingerprint)
        });
        let new: Vec<bool> = keep.by_ref().collect();
        self.known += new.iter().filter(|new| !**new).count();
        let mut new = new.into_iter();
        item.findings.retain(|_| new.next().unwrap_or(true));
        let mut noticed = false;
        for finding in &item.findings {
            self.failed |= self.limit.meets(finding);
            *self.codes.entry(finding.code.id).or_default() += 1;
            noticed |= finding.severity > Severity::Info;
            self.keep(file, conversation, item, finding);
        }
        if let Some(tool) = item.tool.as_ref().filter(|_| self.tools.len() < MAX_TOOLS) {
            let entry = self.tools.entry(tool.clone()).or_default();
            entry.0 += usize::from(item.kind == countersign::audit::ItemKind::Call);
            entry.1 += usize::from(noticed);
        }
        noticed
    }

    fn keep(&mut self, file: &str, conversation: Option<&str>, item: &Item, finding: &Finding) {
        if finding.severity == Severity::Info {
            return;
        }
        if self.found.len() >= MAX_FOUND {
            self.left_off += 1;
            return;
        }
        self.found.push(Found {
            file: file.to_owned(),
            line: item.line,
            kind: item.kind.name(),
            status: item.status.name(),
            tool: item.tool.clone(),
            conversation: conversation.map(str::to_owned),
            asked: item.asked.clone(),
            excerpt: item.excerpt.clone(),
            fingerprint: item.fingerprint(finding),
            finding: finding.clone(),
        });
    }

    pub(super) fn problem(&mut self, problem: Problem) {
        self.skipped += 1;
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// The findings, the gravest and surest first.
    pub(super) fn worst(&self) -> Vec<&Found> {
        let mut all: Vec<&Found> = self.found.iter().collect();
        all.sort_by(|a, b| {
            let (x, y) = (&a.finding, &b.finding);
            y.severity.cmp(&x.severity).then(y.confidence.total_cmp(&x.confidence))
        });
        all
    }

    /// How many findings are of a severity.
    pub(super) fn count(&self, severity: Severity) -> usize {
        self.found.iter().filter(|found| found.finding.severity == severity).count()
    }
}

const MAX_FOUND: usize = 25_000;
const MAX_PROBLEMS: usize = 200;
const MAX_TOOLS: usize = 2000;
