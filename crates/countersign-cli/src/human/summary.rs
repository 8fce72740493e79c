//! The last line: how many ended how.

use super::canvas::{Canvas, Paint, symbol};
use crate::tally::{Tally, Tone};

/// Draws the summary of many answers, with a hint for who sees a code for the first time.
pub(crate) fn draw(mut canvas: Canvas, tally: &Tally, what: (&'static str, &'static str)) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (mark, count) in tally.outcomes() {
        parts.push(canvas.paint_tone(mark.tone, &format!("{} {count} {}", symbol(mark.tone), canvas.word(mark.words))));
    }
    for (count, words) in
        [(tally.malformed_lines(), ("malformed", "格式错误")), (tally.broken_lines(), ("internal error", "内部错误"))]
    {
        if count > 0 {
            parts.push(canvas.paint_tone(Tone::Bad, &format!("✖ {count} {}", canvas.word(words))));
        }
    }
    let total = tally.total();
    if total == 0 {
        let nothing = canvas.say("nothing to do: the input has no lines", "没有可处理的行").to_owned();
        canvas.line(&nothing);
        return canvas.finish();
    }
    let (one, many) = (what.0.trim_end_matches('s'), what.0);
    let noun = canvas.say(if total == 1 { one } else { many }, what.1);
    let head = canvas.paint(Paint::Bold, &format!("{total} {noun}"));
    canvas.line(&format!("{head}   {}", parts.join("   ")));
    if let Some(code) = tally.first_code {
        let hint = format!("{} countersign explain {code}", canvas.say("more about a code:", "查看说明："));
        let hint = canvas.paint(Paint::Dim, &hint);
        canvas.line(&hint);
    }
    canvas.finish()
}
