//! Annotations of GitHub Actions: the worst ten, because few are shown, and one line that counts the rest.

use super::super::summary::Summary;
use countersign::contract::Severity;
use std::fmt::Write;

pub(super) fn draw(summary: &Summary) -> String {
    let mut out = String::new();
    for found in summary.worst().into_iter().take(SHOWN) {
        let finding = &found.finding;
        let level = if finding.severity == Severity::Error { "error" } else { "warning" };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "::{level} file={},line={},title={}::{}",
            property(&found.file),
            found.line.max(1),
            property(finding.code.id),
            data(&format!("{} ({} {})", finding.evidence, found.kind, found.tool.as_deref().unwrap_or_default()))
        );
    }
    let _ = writeln!(
        out,
        "::notice title=countersign audit::{} conversations, {} calls, {} refused, {} errors, {} warnings",
        summary.conversations,
        summary.counts.calls,
        summary.counts.refused,
        summary.count(Severity::Error),
        summary.count(Severity::Warning)
    );
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

const SHOWN: usize = 10;
