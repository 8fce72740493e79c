//! Words that make a statement an example, a habit or a default, and how they are cut away.
//!
//! "such as 1 to 5" names no bound. What follows such a word is blanked up to the end of its clause, so that the
//! readers never see it; places in the text stay where they were.

use regex::Regex;
use std::sync::LazyLock;

/// The text with examples blanked out: from `e.g.`, `such as` and the like to the end of the clause.
pub(crate) fn without_examples(text: &str) -> String {
    blank(text, EXAMPLE.as_ref())
}

/// The text with examples, habits (`typically 1 to 8`) and defaults blanked out.
pub(crate) fn without_soft(text: &str) -> String {
    let text = without_examples(text);
    blank(&text, SOFT.as_ref())
}

/// The text with everything blanked out that shows what a value looks like: examples, and samples of a format.
pub(crate) fn without_samples(text: &str) -> String {
    let text = without_examples(text);
    blank(&text, SAMPLE.as_ref())
}

fn blank(text: &str, pattern: Option<&Regex>) -> String {
    let Some(pattern) = pattern else { return text.to_owned() };
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for found in pattern.find_iter(text) {
        if found.start() < from {
            continue;
        }
        out.push_str(text.get(from..found.start()).unwrap_or_default());
        let rest = text.get(found.start()..).unwrap_or_default();
        let end = found.start() + clause(rest);
        out.extend(std::iter::repeat_n(' ', end - found.start()));
        from = end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out
}

/// Where the clause at the beginning of a text ends: at a full stop before a blank, a semicolon or a closing bracket
/// that was not opened inside.
fn clause(text: &str) -> usize {
    let mut open = 0usize;
    let mut last = '\0';
    for (at, c) in text.char_indices() {
        match c {
            '(' | '（' | '[' => open += 1,
            ')' | '）' | ']' => match open.checked_sub(1) {
                Some(left) => open = left,
                None => return at,
            },
            ';' | '\n' | '。' | '；' => return at,
            // `e.g. ` ends with a full stop and a blank, too; it ends no clause.
            c if c.is_whitespace() && last == '.' && at > 5 => return at,
            _ => {}
        }
        last = c;
    }
    text.len()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&EXAMPLE);
    LazyLock::force(&SOFT);
    LazyLock::force(&SAMPLE);
}

static EXAMPLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\be\.?g\.|\beg[.,:]|\bsuch as\b|\bfor example\b|\bfor instance\b|\bexamples?\s*(?::|include|are)|\bex:|例如|比如|譬如|如[:：]|示例")
        .ok()
});

static SOFT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:typically|usually|normally|generally|often|commonly|recommended|preferably|suggested|ideally|around|approximately|roughly|about)\b|\bdefault(?:s|ing|ed)?\b|通常|一般|建议|推荐|默认|大约",
    )
    .ok()
});

/// What leads to a sample, where a code follows it: `like 'ORD-1'`, "in the format #W0000000", "如 SF123".
static SAMPLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let code = r##"\s*[:：]?\s*['"“‘`(]?[A-Za-z#_-]*\d"##;
    Regex::new(&format!(
        r"(?i)\b(?:like|as in|samples?|format(?:ted)?(?: is| as| of)?|looks like){code}|(?:如|格式为|格式){code}"
    ))
    .ok()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_and_habits_are_blanked_and_places_kept() {
        let text = "A number (e.g. 1 to 5) up to 9. Typically 2 to 3. Then more.";
        let hard = without_soft(text);
        assert_eq!(hard.len(), text.len());
        assert!(!hard.contains("1 to 5") && !hard.contains("2 to 3"));
        assert!(hard.contains("up to 9.") && hard.contains("Then more."));
        assert!(without_soft("取值，例如 1 到 5。不超过 9").contains("不超过 9"));
    }

    #[test]
    fn samples_are_blanked_and_statements_are_not() {
        // CALL-8
        for sample in
            ["e.g. {}", "like '{}'", "in the format {}", "Format: {}", "as in {}", "运单号，如 {}", "格式为{}"]
        {
            let text = sample.replace("{}", "ORD-12345");
            assert!(!without_samples(&text).contains("ORD-12345"), "{text}");
        }
        for stated in ["Use ORD-12345 for walk-ins.", "Would you like to buy ORD-12345", "Defaults to ORD-12345."] {
            assert!(without_samples(stated).contains("ORD-12345"), "{stated}");
        }
    }
}
