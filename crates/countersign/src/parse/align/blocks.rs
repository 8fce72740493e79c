//! Text in triple quotes, without the indentation that only follows the JSON around it.
//!
//! The reader keeps such a text as it was written. Where a schema wants a string, the lines are meant, not the blanks
//! before all of them. Lines keep their indentation against each other, and a text on one line stays as it is.

use crate::parse::json::Document;
use rustc_hash::FxHashMap;

/// The texts in triple quotes that mean something else than they say, by what they say.
pub(super) type Blocks<'d> = FxHashMap<&'d str, String>;

/// The blocks of a document.
pub(super) fn blocks<'d>(text: &'d str, document: &Document) -> Blocks<'d> {
    let triple = document.repairs.iter().filter(|repair| repair.kind.code == TRIPLE_QUOTES);
    let inside = triple.filter_map(|repair| {
        let inside = text.get(repair.span.start + MARK..repair.span.end.checked_sub(MARK)?)?;
        let quote = text.get(..repair.span.start + 1)?.chars().next_back()?;
        Some((inside, lines(if quote == '`' { without_language(inside) } else { inside })))
    });
    inside.filter(|(inside, block)| inside != block).collect()
}

/// The lines without the blanks that all of them begin with, and without blank lines around them.
fn lines(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    let cut = |line| if str::trim(line).is_empty() { "" } else { line.get(least..).unwrap_or(line) };
    let joined = text.lines().map(cut).collect::<Vec<&str>>().join("\n");
    joined.trim().to_owned()
}

/// A fenced text without the word on its first line that names its language.
fn without_language(text: &str) -> &str {
    match text.split_once('\n') {
        Some((word, rest)) if !word.trim().is_empty() && !word.trim().contains(char::is_whitespace) => rest,
        _ => text,
    }
}

/// What the reader calls such a string.
const TRIPLE_QUOTES: &str = "json.triple-quotes";

/// The length of the quotes.
const MARK: usize = 3;

#[cfg(test)]
mod tests {
    use super::{lines, without_language};

    // PARSE-2
    #[test]
    fn common_blanks_go_and_relative_ones_stay() {
        assert_eq!(lines("\n    if a:\n      b()\n\t\n    end\n  "), "if a:\n  b()\n\nend");
        assert_eq!(lines(" one line "), " one line ");
        assert_eq!(lines("first\n  second"), "first\n  second");
        assert_eq!(without_language("rust\nfn f() {}"), "fn f() {}");
        assert_eq!(without_language("\nfn f() {}"), "\nfn f() {}");
        assert_eq!(without_language("fn f()\n{}"), "fn f()\n{}");
    }
}
