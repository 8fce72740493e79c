//! Draws what a knowledge base says: a build in one line, hits with the words that were found, what is in an index.

use super::canvas::{Canvas, Paint, clip, columns, safe};
use countersign_runtime::kb::{BuildReport, Hit, Skipped, Stats, matches};

/// One line for what was done, one for each thing that wants a look.
pub(crate) fn draw_report(canvas: &mut Canvas, report: &BuildReport) {
    let parts = [(report.added, "new"), (report.changed, "changed"), (report.removed, "removed")];
    let mut done: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    if done.is_empty() {
        done.push("nothing changed".to_owned());
    }
    let check = canvas.paint(Paint::Green, "✔");
    let (passages, files) = (count(report.passages, "passage"), count(report.files, "file"));
    canvas.line(&format!("{check} {passages} from {files} ({})", done.join(", ")));
    if let Some(problem) = &report.rebuilt {
        let mark = canvas.paint(Paint::Yellow, "⚠");
        canvas.line(&format!("{mark} the old index was damaged ({}) and everything was read again", safe(problem)));
    }
    draw_skipped(canvas, &report.skipped);
}

/// Each hit with its place, its headings and its text, the words of the query marked.
pub(crate) fn draw_hits(canvas: &mut Canvas, query: &str, hits: &[Hit]) {
    if hits.is_empty() {
        canvas.line("nothing found");
    }
    for hit in hits {
        let passage = &hit.passage;
        let place = canvas.paint(Paint::Bold, &format!("{}:{}", safe(&passage.file), passage.line));
        let headings = canvas.paint(Paint::Cyan, &safe(&passage.headings.join(" › ")));
        let score = canvas.paint(Paint::Dim, &format!("{:.2}", hit.score));
        let title: Vec<String> = [place, headings, score].into_iter().filter(|part| !part.is_empty()).collect();
        canvas.line(&title.join("  "));
        draw_text(canvas, query, &passage.text);
        canvas.line("");
    }
}

/// What is in an index.
pub(crate) fn draw_stats(canvas: &mut Canvas, stats: &Stats) {
    let kinds: Vec<String> = stats.kinds.iter().map(|(kind, count)| format!("{} {count}", safe(kind))).collect();
    let rows = [
        ("files", format!("{} ({})", stats.files, kinds.join(", "))),
        ("passages", stats.passages.to_string()),
        ("terms", stats.terms.to_string()),
        ("size", format!("{:.1} MB", stats.bytes as f64 / 1e6)),
    ];
    for (name, value) in rows {
        let name = canvas.paint(Paint::Dim, &format!("{name:<9}"));
        canvas.line(&format!("{name} {value}"));
    }
    draw_skipped(canvas, &stats.skipped);
}

fn draw_skipped(canvas: &mut Canvas, skipped: &[Skipped]) {
    if skipped.is_empty() {
        return;
    }
    canvas.line(&format!("{} not read:", count(skipped.len(), "file")));
    for Skipped { file, reason } in skipped.iter().take(SHOWN) {
        let reason = canvas.paint(Paint::Dim, &safe(reason));
        canvas.line(&format!("  {}  {reason}", clip(&safe(file), 60)));
    }
    if skipped.len() > SHOWN {
        canvas.line(&format!("  … and {} more", skipped.len() - SHOWN));
    }
}

/// The text in lines of a readable width, with the words that were found marked.
fn draw_text(canvas: &mut Canvas, query: &str, text: &str) {
    let (mut line, mut width, mut from) = (String::new(), 0, 0);
    let mut pieces = Vec::new();
    for range in matches(query, text) {
        pieces.push((Shown::Plain, text.get(from..range.start).unwrap_or_default()));
        pieces.push((Shown::Found, text.get(range.clone()).unwrap_or_default()));
        from = range.end;
    }
    pieces.push((Shown::Plain, text.get(from..).unwrap_or_default()));
    for (shown, piece) in pieces {
        let parts: Vec<&str> = match shown {
            Shown::Plain => words(piece).collect(),
            Shown::Found => vec![piece],
        };
        for part in parts {
            let clean = safe(part);
            if width + columns(clean.trim_end()) > ROOM && width > 0 {
                canvas.line(&format!("    {}", line.trim_end()));
                (line, width) = (String::new(), 0);
            }
            width += columns(&clean);
            line.push_str(&match shown {
                Shown::Plain => clean,
                Shown::Found => mark(canvas, &clean),
            });
        }
    }
    canvas.line(&format!("    {}", line.trim_end()));
}

/// Words that were found: coloured, and where there are no colours between quotes.
fn mark(canvas: &Canvas, words: &str) -> String {
    let painted = canvas.paint(Paint::Yellow, words);
    if painted == words { format!("«{words}»") } else { painted }
}

#[derive(Clone, Copy)]
enum Shown {
    Plain,
    Found,
}

/// What a line may be broken between: behind blanks, and after each character that is wide.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|c: char| c.is_whitespace() || c >= '\u{2e80}')
}

fn count(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

const ROOM: usize = 92;
const SHOWN: usize = 10;
