//! One page in one file: no scripts, nothing from elsewhere, everything escaped.

use super::super::summary::{Found, Summary};
use super::junit::escape;
use countersign::contract::{Severity, codes};
use std::fmt::Write;

pub(super) fn draw(summary: &Summary) -> String {
    let mut page = String::from(HEAD);
    draw_summary(&mut page, summary);
    draw_charts(&mut page, summary);
    draw_findings(&mut page, summary);
    draw_difference(&mut page, summary);
    draw_rest(&mut page, summary);
    page.push_str("</main></body></html>\n");
    page
}

fn draw_summary(page: &mut String, summary: &Summary) {
    let counts = &summary.counts;
    let cells = [
        ("conversations", summary.conversations),
        ("calls", counts.calls),
        ("refused", counts.refused),
        ("for a person", counts.review),
        ("repaired", counts.repaired),
        ("errors", summary.count(Severity::Error)),
        ("warnings", summary.count(Severity::Warning)),
    ];
    page.push_str("<section class=\"tiles\">");
    for (name, count) in cells {
        // Writing to a string cannot fail.
        let _ = write!(page, "<div><b>{count}</b>{name}</div>");
    }
    let tokens = &summary.tokens;
    let _ = write!(
        page,
        "</section><p>{} files, {} results, {} answers; {} tokens read, {} written, {} of them in conversations with findings.</p>",
        summary.files, counts.results, counts.answers, tokens.input, tokens.output, summary.tokens_in_doubt
    );
}

fn draw_charts(page: &mut String, summary: &Summary) {
    let codes = summary.codes.iter().map(|(code, count)| ((*code).to_owned(), *count)).collect();
    draw_bars(page, "Findings by rule", codes);
    let tools = summary.tools.iter().filter(|(_, (_, found))| *found > 0);
    draw_bars(page, "Findings by tool", tools.map(|(tool, (_, found))| (tool.clone(), *found)).collect());
}

fn draw_bars(page: &mut String, title: &str, mut bars: Vec<(String, usize)>) {
    if bars.is_empty() {
        return;
    }
    bars.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    bars.truncate(MAX_BARS);
    let most = bars.first().map_or(1, |bar| bar.1.max(1));
    let height = bars.len() * 24;
    let _ = write!(
        page,
        "<h2>{title}</h2><svg role=\"img\" aria-label=\"{title}\" viewBox=\"0 0 720 {height}\" width=\"720\" height=\"{height}\">"
    );
    for (at, (name, count)) in bars.iter().enumerate() {
        let (y, width) = (at * 24, 380 * count / most + 2);
        let name: String = name.chars().take(36).collect();
        let _ = write!(
            page,
            "<text x=\"240\" y=\"{}\" text-anchor=\"end\">{}</text><rect x=\"250\" y=\"{}\" width=\"{width}\" height=\"16\"/><text x=\"{}\" y=\"{}\">{count}</text>",
            y + 16,
            escape(&name),
            y + 4,
            258 + width,
            y + 16
        );
    }
    page.push_str("</svg>");
}

fn draw_findings(page: &mut String, summary: &Summary) {
    let worst = summary.worst();
    page.push_str("<h2>Findings, the worst first</h2>");
    if worst.is_empty() {
        page.push_str("<p class=\"fine\">Nothing wrong was found.</p>");
    }
    for found in worst.iter().take(MAX_SHOWN) {
        draw_found(page, found);
    }
    let more = worst.len().saturating_sub(MAX_SHOWN) + summary.left_off;
    if more > 0 {
        let _ = write!(page, "<p>… and {more} more; <code>--format jsonl</code> has them all.</p>");
    }
}

fn draw_found(page: &mut String, found: &Found) {
    let finding = &found.finding;
    let class = if finding.severity == Severity::Error { "error" } else { "warning" };
    let title = codes::find(finding.code.id).map(|code| code.title).unwrap_or_default();
    let _ = write!(
        page,
        "<details class=\"{class}\"><summary><code>{}</code> {} <small>{}:{}</small></summary><p>{}</p>",
        finding.code.id,
        escape(title),
        escape(&found.file),
        found.line,
        escape(&finding.evidence)
    );
    if !found.asked.is_empty() {
        let _ = write!(page, "<h3>the user</h3><pre>{}</pre>", escape(&found.asked));
    }
    let conversation = found.conversation.as_deref().unwrap_or_default();
    let _ = write!(page, "<h3>the {} {}</h3><pre>{}</pre>", found.kind, escape(found.status), escape(&found.excerpt));
    let _ = write!(
        page,
        "<p><small>{} {}</small><br>{}</p></details>",
        escape(conversation),
        escape(&finding.pointer),
        escape(finding.code.mend)
    );
}

fn draw_difference(page: &mut String, summary: &Summary) {
    let Some(difference) = &summary.difference else { return };
    page.push_str("<h2>What the policy does otherwise</h2><ul>");
    if difference.calls.is_empty() && difference.findings.is_empty() {
        page.push_str("<li>nothing: each call ends as it did</li>");
    }
    for (change, count) in &difference.calls {
        let _ = write!(page, "<li>{count} × {}</li>", escape(change));
    }
    for (code, (before, after)) in &difference.findings {
        let _ = write!(page, "<li><code>{code}</code>: {before} → {after} findings</li>");
    }
    page.push_str("</ul>");
}

fn draw_rest(page: &mut String, summary: &Summary) {
    if summary.not_checked.is_empty() && summary.problems.is_empty() {
        return;
    }
    page.push_str("<h2>Not checked</h2><ul>");
    for note in &summary.not_checked {
        let _ = write!(page, "<li>{}, because {} ({})</li>", note.what, note.why, note.count);
    }
    for problem in &summary.problems {
        let _ = write!(page, "<li>not read: {}</li>", escape(&problem.sentence()));
    }
    page.push_str("</ul>");
}

const MAX_SHOWN: usize = 500;
const MAX_BARS: usize = 15;
const HEAD: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">
<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"><title>countersign audit</title><style>
body{font:15px/1.5 system-ui,sans-serif;margin:0;color:#1c2126;background:#fafbfc}main{max-width:960px;margin:0 auto;padding:24px}
.tiles{display:flex;flex-wrap:wrap;gap:12px}.tiles div{background:#fff;border:1px solid #dde3e9;border-radius:8px;padding:10px 16px}
.tiles b{display:block;font-size:24px}svg{max-width:100%;height:auto}svg text{font-size:12px;fill:#333}svg rect{fill:#4a7ab5}
details{background:#fff;border:1px solid #dde3e9;border-left-width:5px;border-radius:6px;margin:8px 0;padding:8px 12px}
.error{border-left-color:#c0392b}.warning{border-left-color:#d9a400}.fine{color:#1e7e45}summary{cursor:pointer}small{color:#66707a}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f3f5f7;padding:8px;border-radius:4px}h3{font-size:13px;margin:8px 0 2px}
</style></head><body><main><h1>countersign audit</h1>
";
