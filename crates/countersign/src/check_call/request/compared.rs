//! Texts in which a comparison was turned round: "the farmers dated it better than the lab", and the text has the lab before
//! the farmers.

use super::argument::Argument;
use super::asked::Asked;
use super::slip::{Says, Slip, Strength};
use crate::contract::codes::meaning::OTHER_CONTENT;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::words::terms;

/// Finds comparisons that the text has the other way round.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    for argument in &asked.arguments {
        let Some(text) = argument.text().filter(|text| text.len() >= SHORTEST) else { continue };
        let written = comparisons(text);
        if written.is_empty() {
            continue;
        }
        let said: Vec<Comparison<'_>> = asked.in_force().flat_map(|reading| comparisons(&reading.lower)).collect();
        let turned = said.iter().find_map(|said| Some((said, written.iter().find(|written| written.turns(said))?)));
        if let Some((said, wrote)) = turned {
            slips.push(say(asked, argument, said.text, wrote.text));
        }
    }
}

/// What stands on the two sides of a comparison.
struct Comparison<'t> {
    text: &'t str,
    /// What is compared: "better", or the end of 比…更准.
    how: String,
    left: Vec<String>,
    right: Vec<String>,
}

impl Comparison<'_> {
    /// Whether this one compares the same in the same way, with the sides exchanged.
    fn turns(&self, said: &Comparison<'_>) -> bool {
        let moved = |from: &[String], to: &[String], stays: &[String]| {
            from.iter().any(|word| to.contains(word) && !stays.contains(word))
        };
        self.how == said.how
            && moved(&said.left, &self.right, &self.left)
            && moved(&said.right, &self.left, &self.right)
    }
}

fn comparisons(lower: &str) -> Vec<Comparison<'_>> {
    let clauses = lower.split(['.', ',', ';', ':', '!', '?', '\n', '。', '，', '；', '！', '？', '、']);
    clauses.filter_map(|clause| english(clause).or_else(|| chinese(clause))).collect()
}

fn english(clause: &str) -> Option<Comparison<'_>> {
    let (before, behind) = clause.split_once(" than ")?;
    let how = before.rsplit(' ').next()?;
    let (right, left) = (telling(behind), telling(before.strip_suffix(how)?));
    Some(Comparison { text: clause.trim(), how: how.to_owned(), left, right })
}

/// 农民比实验室更准: what is compared with what, and the last signs say how.
fn chinese(clause: &str) -> Option<Comparison<'_>> {
    let (before, behind) = clause.split_once('比')?;
    let how: String =
        behind.chars().rev().filter(|c| c.is_alphabetic() && !"了的得些点".contains(*c)).take(1).collect();
    let right = behind.strip_suffix(how.as_str()).unwrap_or(behind);
    (!how.is_empty()).then(|| Comparison { text: clause.trim(), left: telling(before), right: telling(right), how })
}

fn telling(text: &str) -> Vec<String> {
    let idle = |term: &String| Cue::named("names-nothing").has(term) || Cue::named("clause-words").has(term);
    terms(text).into_iter().filter(|term| !idle(term) && term.chars().count() >= 2).collect()
}

fn say(asked: &Asked<'_>, argument: &Argument<'_>, said: &str, wrote: &str) -> Slip {
    let key = argument.node.key;
    let evidence = localized!(
        asked.subject.language,
        "the user said \"{said}\", `{key}` says \"{wrote}\"",
        "用户说的是“{said}”，而 `{key}` 写的是“{wrote}”"
    );
    let hint = localized!(asked.subject.language, "write what the user said", "请按用户所说的内容填写");
    Slip::on(asked, argument, &OTHER_CONTENT, Strength::Strong, Says { evidence, hint })
}

/// A shorter text compares nothing.
const SHORTEST: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-3
    #[test]
    fn turned_comparisons_are_seen() {
        let turned = |said: &str, wrote: &str| {
            let said = comparisons(said);
            comparisons(wrote).iter().any(|wrote| said.iter().any(|said| wrote.turns(said)))
        };
        assert!(turned("the bikes sold better than the scooters", "our scooters sold better than the bikes"));
        assert!(!turned("the bikes sold better than the scooters", "the bikes have sold better than the scooters"));
        assert!(!turned("the bikes sold better than the scooters", "the scooters sold worse than the bikes"));
        assert!(turned("新版比旧版更快", "旧版比新版快") && !turned("新版比旧版更快", "新版比旧版快多了"));
    }
}
