//! JUnit XML: a suite for each conversation, a case for each call, result and answer; what is refused has failed.

use countersign::audit::{Item, Report};
use countersign::contract::Severity;
use std::fmt::Write;

pub(super) const BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"countersign audit\">\n";
pub(super) const END: &str = "</testsuites>\n";

pub(super) fn suite(file: &str, report: &Report) -> String {
    let failed = report.items.iter().filter(|item| item.worst() == Some(Severity::Error)).count();
    let name = report.id.as_deref().map_or_else(|| format!("{file}:{}", report.line), |id| format!("{file} {id}"));
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" errors=\"0\">",
        escape(&name),
        report.items.len()
    );
    for item in &report.items {
        draw_case(&mut out, file, item);
    }
    out.push_str("  </testsuite>\n");
    out
}

fn draw_case(out: &mut String, file: &str, item: &Item) {
    let tool = item.tool.as_deref().unwrap_or("answer");
    let _ = write!(
        out,
        "    <testcase classname=\"{}\" name=\"{} {} at line {}\" file=\"{}\" line=\"{}\"",
        escape(file),
        item.kind.name(),
        escape(tool),
        item.line,
        escape(file),
        item.line
    );
    if item.findings.is_empty() {
        out.push_str("/>\n");
        return;
    }
    out.push_str(">\n");
    let explained: Vec<String> =
        item.findings.iter().map(|finding| format!("{}: {}", finding.code.id, finding.evidence)).collect();
    let errors = item.findings.iter().filter(|finding| finding.severity == Severity::Error);
    for finding in errors {
        let _ = writeln!(
            out,
            "      <failure type=\"{}\" message=\"{}\">{}</failure>",
            finding.code.id,
            escape(&finding.evidence),
            escape(finding.code.mend)
        );
    }
    let _ =
        writeln!(out, "      <system-out>{}\n{}</system-out>", escape(&item.excerpt), escape(&explained.join("\n")));
    out.push_str("    </testcase>\n");
}

/// Text for XML. What XML cannot hold is left out.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
