//! Claims in a conversation: underlined where they are in the text, and listed under it with their state.
//!
//! A wavy line says "nobody has looked", a dotted one "nobody could tell", a double one "a source says otherwise", a plain
//! one "verified"; terminals that cannot draw them get a plain line. Without colours there are no lines, and the list says
//! it all, in words.

use super::super::canvas::{Canvas, Paint, clip, safe, safe_lines};
use serde_json::Value;
use std::collections::BTreeMap;

/// The claims of a conversation, numbered as they were shown.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    known: BTreeMap<String, (usize, String)>,
    shown: usize,
}

impl Numbers {
    /// The claims of a message, with a number for each.
    pub(super) fn of(&mut self, claims: &[Value]) -> Vec<usize> {
        let number = |claim: &Value| {
            let id = word(claim, "id");
            if let Some((number, _)) = self.known.get(&id) {
                return *number;
            }
            self.shown += 1;
            if !id.is_empty() && self.known.len() < MOST {
                self.known.insert(id, (self.shown, word(claim, "text")));
            }
            self.shown
        };
        claims.iter().map(number).collect()
    }

    /// The number and the words of a claim that was shown.
    fn find(&self, id: &str) -> Option<&(usize, String)> {
        self.known.get(id)
    }
}

/// The text with its claims underlined and numbered.
pub(super) fn underline(canvas: &Canvas, text: &str, claims: &[Value], numbers: &[usize]) -> String {
    let mut drawn = String::new();
    let mut at = 0;
    for (claim, number) in claims.iter().zip(numbers) {
        let offset = |name| claim.get(name).and_then(Value::as_u64).and_then(|offset| usize::try_from(offset).ok());
        // Offsets come from the server: whatever they are, the text itself is shown whole.
        let (Some(start), Some(end)) = (offset("start"), offset("end")) else { continue };
        let (Some(before), Some(inside)) = (text.get(at..start), text.get(start..end)) else { continue };
        drawn.push_str(&safe_lines(before));
        drawn.push_str(&line_under(canvas, &safe_lines(inside), &word(claim, "status")));
        drawn.push_str(&canvas.paint(Paint::Dim, &format!("[{number}]")));
        at = end;
    }
    drawn.push_str(&safe_lines(text.get(at..).unwrap_or_default()));
    drawn
}

/// A line for each claim: `[1] 25%: pending`.
pub(super) fn legend(canvas: &Canvas, claims: &[Value], numbers: &[usize]) -> Vec<String> {
    let line = |(claim, number): (&Value, &usize)| {
        let (text, status) = (word(claim, "text"), word(claim, "status"));
        state(canvas, *number, &text, &status, &word(claim, "verify_note"))
    };
    claims.iter().zip(numbers).map(line).collect()
}

/// A line for each claim whose state has changed.
pub(super) fn updates(canvas: &Canvas, numbers: &Numbers, changes: &[Value]) -> Vec<String> {
    let line = |change: &Value| {
        let (number, text) = numbers.find(&word(change, "id"))?;
        Some(state(canvas, *number, text, &word(change, "status"), &word(change, "note")))
    };
    changes.iter().filter_map(line).collect()
}

fn state(canvas: &Canvas, number: usize, text: &str, status: &str, note: &str) -> String {
    let shown = line_under(canvas, &clip(&safe(text), WORDS), status);
    let mark = match status {
        "verified" => "✔ ",
        "disputed" => "✖ ",
        "unverifiable" => "? ",
        _ => "⚠ ",
    };
    let status = canvas.paint(paint(status), &format!("{mark}{}", safe(status)));
    let note = if note.is_empty() { String::new() } else { format!(" ({})", clip(&safe(note), NOTE)) };
    format!("  [{number}] {shown}: {status}{}", canvas.paint(Paint::Dim, &note))
}

fn line_under(canvas: &Canvas, text: &str, status: &str) -> String {
    if !canvas.has_colours() || text.is_empty() {
        return text.to_owned();
    }
    let line = match status {
        "pending" if draws_waves() => "4:3",
        "unverifiable" if draws_waves() => "4:4",
        "disputed" if draws_waves() => "4:2",
        _ => "4",
    };
    let colour = match status {
        "verified" => "32",
        "disputed" => "31",
        "unverifiable" => "36",
        _ => "33",
    };
    // A line that runs over the end of a row would be drawn through the margin.
    let rows: Vec<String> = text.split('\n').map(|row| format!("\x1b[{line};{colour}m{row}\x1b[0m")).collect();
    rows.join("\n")
}

fn paint(status: &str) -> Paint {
    match status {
        "verified" => Paint::Green,
        "disputed" => Paint::Red,
        "unverifiable" => Paint::Dim,
        _ => Paint::Yellow,
    }
}

/// Terminals that are known to draw wavy lines.
fn draws_waves() -> bool {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let term = variable("TERM");
    let multiplexed = term.starts_with("screen") || term.starts_with("tmux");
    let by_term = ["kitty", "foot", "wezterm", "alacritty", "ghostty"].iter().any(|name| term.contains(name));
    let program = variable("TERM_PROGRAM");
    let by_program = ["iTerm.app", "WezTerm", "ghostty", "vscode"].contains(&program.as_str());
    let by_vte = variable("VTE_VERSION").parse::<u32>().is_ok_and(|version| version >= 5102);
    !multiplexed && (by_term || by_program || by_vte)
}

fn word(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// How many columns of a claim and of a note are listed.
const WORDS: usize = 60;
const NOTE: usize = 100;
/// So many claims of a conversation are remembered.
const MOST: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Colour;
    use serde_json::json;

    // CLAIM-2: a claim stays where it is in the text, whatever offsets come.
    #[test]
    fn claims_are_numbered_and_the_text_stays_whole() {
        let canvas = Canvas::new(Colour::Never, None);
        let text = "Grew by 25% in 2024.";
        let claims = [
            json!({"id": "a", "start": 8, "end": 11, "text": "25%", "status": "pending"}),
            json!({"id": "b", "start": 90, "end": 4, "text": "wrong", "status": "pending"}),
            json!({"id": "c", "start": 15, "end": 19, "text": "2024", "status": "verified", "verify_note": "report.md:3"}),
        ];
        let mut numbers = Numbers::default();
        let given = numbers.of(&claims);
        assert_eq!(given, [1, 2, 3]);
        assert_eq!(underline(&canvas, text, &claims, &given), "Grew by 25%[1] in 2024[3].");
        assert_eq!(numbers.of(&claims), given, "the same claim keeps its number");
        assert_eq!(legend(&canvas, &claims, &given).last().unwrap(), "  [3] 2024: ✔ verified (report.md:3)");
        let changed = [json!({"id": "a", "status": "disputed", "note": "\u{1b}[2Jsays 24%"}), json!({"id": "other"})];
        assert_eq!(updates(&canvas, &numbers, &changed), ["  [1] 25%: ✖ disputed (\u{fffd}[2Jsays 24%)"]);
        let coloured = Canvas::new(Colour::Always, None);
        assert!(underline(&coloured, text, &claims, &given).contains("\u{1b}[4"), "a line stands under it");
    }
}
