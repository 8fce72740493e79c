//! The tools of agents for people: a line for each, and how many each agent has.

use super::canvas::{Canvas, Paint, clip, columns, safe};

/// Draws rows of name, source, reach and description.
pub(crate) fn draw(mut canvas: Canvas, rows: &[[&str; 4]], counts: &[(String, usize)]) -> String {
    if rows.is_empty() {
        canvas.line("no tools: configure some under [mcp.NAME], [openapi.NAME] or [search]");
    }
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|text| columns(text)).max().unwrap_or(0);
    let (names, sources) = (width(0), width(1));
    for [name, source, reach, about] in rows {
        let (name, source) = (pad(name, names), pad(source, sources));
        let reach = canvas.paint(if *reach == "acts" { Paint::Yellow } else { Paint::Green }, &format!("{reach:<5}"));
        let line = format!("{}  {source}  {reach}  {}", canvas.paint(Paint::Bold, &name), clip(&safe(about), ABOUT));
        canvas.line(&line);
    }
    let counted: Vec<String> = counts.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let line = canvas.paint(Paint::Dim, &format!("agents: {}", counted.join(", ")));
    canvas.line(&line);
    canvas.finish()
}

fn pad(text: &str, width: usize) -> String {
    let text = safe(text);
    let gap = width.saturating_sub(columns(&text));
    text + &" ".repeat(gap)
}

/// How many columns of a description are shown.
const ABOUT: usize = 80;
