//! Signal: whether the answer contradicts itself, or other answers to the same question.
//!
//! Contradictions are looked for between neighbouring sentences, by whole words of opposite pairs. "No" counts as the
//! answer word only ("no problem", "no longer" and "no data was found" deny nothing that was said before), and the
//! other pairs only where both sentences speak of the same thing ("All tests passed. None failed." agree).

use super::samples;
use crate::contract::language::is_han;
use crate::grounding::wording::{Reading, head};
use crate::text::sentences::sentences;
use crate::text::words::{Word, words};
use std::ops::Range;

/// The signal: 1 less 0.1 for each contradiction, times the share of the samples that agree.
pub(crate) fn evaluate(response: &str, samples: &[String]) -> f64 {
    let alone = (1.0 - 0.1 * contradictions(response).len() as f64).max(0.0);
    alone * samples::agreement(response, samples).unwrap_or(1.0)
}

/// Two neighbouring sentences that say the opposite, as ranges of the response.
pub(crate) fn contradictions(response: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let ranges = sentences(response);
    let text = |range: &Range<usize>| response.get(range.clone()).unwrap_or_default();
    let mut found = Vec::new();
    let mut before: Option<(&Range<usize>, Side)> = None;
    for range in &ranges {
        let side = Side::of(text(range));
        if let Some((earlier, last)) = &before
            && last.contradicts(&side)
        {
            found.push(((*earlier).clone(), range.clone()));
        }
        before = Some((range, side));
    }
    found
}

/// What one sentence says about the pairs.
struct Side {
    reading: Reading,
    /// The same without the words of the pairs: what the sentence speaks of.
    matter: Reading,
    /// For each pair, whether the first and whether the second word is here.
    stands: Vec<(bool, bool)>,
}

impl Side {
    fn of(text: &str) -> Self {
        let found = words(text);
        let latin = |wanted: &str| {
            found.iter().any(|word| {
                let behind = text.get(word.range.end..).unwrap_or_default().trim_start();
                word.folded == wanted && (wanted != "no" || behind.starts_with(is_pause) || answers(text, word, behind))
            })
        };
        let stands = |word: &str| if word.starts_with(is_han) { has_han(text, word) } else { latin(word) };
        let both = |pair: &(&[&str], &[&str])| (pair.0.iter().any(|w| stands(w)), pair.1.iter().any(|w| stands(w)));
        Self {
            reading: Reading::clipped(text),
            matter: Reading::clipped(&without_pairs(head(text, LONGEST))),
            stands: PAIRS.iter().map(both).collect(),
        }
    }

    fn contradicts(&self, next: &Side) -> bool {
        if self.reading.asks || next.reading.asks {
            return false;
        }
        let mut pairs = self.stands.iter().zip(&next.stands).enumerate();
        let opposed = pairs.any(|(at, (mine, theirs))| {
            let crosses = (mine.0 && !mine.1 && theirs.1 && !theirs.0) || (mine.1 && !mine.0 && theirs.0 && !theirs.1);
            crosses && (at == ANSWERS || self.same_matter(next))
        });
        opposed || self.plainly_denies(next)
    }

    /// Whether the two speak of the same thing: most of the words of the shorter stand in the longer, or it has none.
    fn same_matter(&self, next: &Side) -> bool {
        let (mine, theirs) = (&self.matter, &next.matter);
        mine.share(|term| theirs.holds(term)).max(theirs.share(|term| mine.holds(term))) > 0.6
    }

    /// "The file exists. The file does not exist.": the same words, one side denied.
    fn plainly_denies(&self, next: &Side) -> bool {
        let (mine, theirs) = (&self.reading, &next.reading);
        let same = mine.share(|t| theirs.holds(t)) > 0.99 && theirs.share(|t| mine.holds(t)) > 0.99;
        let figures = mine.numbers.quantities.is_empty() && theirs.numbers.quantities.is_empty();
        mine.weight() >= 2.0 && same && figures && mine.negated.is_empty() != theirs.negated.is_empty()
    }
}

/// Whether a "no" is the answer: alone, or at the beginning and before a pronoun ("No it is not").
fn answers(text: &str, no: &Word, behind: &str) -> bool {
    let first = text.get(..no.range.start).is_some_and(|before| before.trim().is_empty());
    let pronoun = words(head(behind, 8)).first().is_some_and(|word| PRONOUNS.contains(&word.folded.as_str()));
    behind.is_empty() || (first && pronoun)
}

/// A sentence with the words of the pairs blanked.
fn without_pairs(text: &str) -> String {
    let listed = |word: &str| PAIRS.iter().any(|pair| pair.0.contains(&word) || pair.1.contains(&word));
    let mut blanked = text.to_owned();
    for word in words(text).iter().rev().filter(|word| listed(&word.folded)) {
        blanked.replace_range(word.range.clone(), " ");
    }
    let han = PAIRS.iter().flat_map(|pair| pair.0.iter().chain(pair.1)).filter(|word| word.starts_with(is_han));
    han.fold(blanked, |text, word| text.replace(word, " "))
}

/// A Chinese word of the pairs that no longer word swallows (不是 is not 是的).
fn has_han(text: &str, word: &str) -> bool {
    match word {
        "是的" | "对的" => text.starts_with(word),
        "不是" => text.starts_with(word) || answers_no(text),
        "不对" | "没有" => text.starts_with(word),
        _ => text.contains(word),
    }
}

/// 不，… as an answer; 不，不仅… only goes further.
fn answers_no(text: &str) -> bool {
    let behind = text.strip_prefix('不').filter(|rest| rest.is_empty() || rest.starts_with(is_pause));
    let further = |rest: &str| ["不仅", "不只", "不光", "不单"].iter().any(|more| rest.starts_with(more));
    behind.is_some_and(|rest| !further(rest.trim_start_matches(is_pause)))
}

fn is_pause(c: char) -> bool {
    matches!(c, ',' | '.' | '!' | ';' | ':' | '—' | '–' | '，' | '。' | '！' | '"' | '”' | ')')
}

/// No sentence that people write is longer, in bytes.
const LONGEST: usize = 4000;

/// The place of yes and no among the pairs: they answer, whatever else the sentences speak of.
const ANSWERS: usize = 0;

const PAIRS: &[(&[&str], &[&str])] = &[
    (&["yes", "是的", "对的"], &["no", "不是", "不对"]),
    (&["true", "正确", "真的"], &["false", "错误", "假的"]),
    (&["always", "总是", "始终", "一直"], &["never", "从不", "从未", "从来不", "从来没"]),
    (&["all", "所有", "全部", "全都"], &["none", "没有一个", "没有任何", "没有", "全无", "无一"]),
];
const PRONOUNS: &[&str] = &["it", "he", "she", "they", "this", "that", "you", "we", "i", "there"];

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        (evaluate(text, &[]) * 1e6).round() / 1e6
    }

    // SCORE-1, T18
    #[test]
    fn whole_words_count_and_parts_of_words_do_not() {
        for text in [
            "Yes, it works. I know it well.",
            "We call the API. Nonetheless it works.",
            "Yes, it works. There is no problem.",
            "Yes, it is done. The old key is no longer valid.",
            "All tests passed. None failed.",
            "Always back up your data. Never share your password.",
            "All users were notified. None of the users complained.",
            "所有用户都已通知。没有任何用户投诉。",
            "Is it always on? It is never on.",
            "是的，可以。我不知道其他方法。",
            "是的，支持导出。不，不仅支持导出，还支持导入。",
            "是的，支持导出。不过需要先登录。",
            "所有人都同意。没有人反对。",
            "所有文件都已上传。没有文件丢失。",
            "Yes, it is up. No other host is down.",
            "",
        ] {
            assert_eq!(value(text), 1.0, "{text}");
        }
    }

    // SCORE-1
    #[test]
    fn opposites_in_neighbouring_sentences_count() {
        for text in [
            "Yes, it works. No, it does not.",
            "No, it is closed. Yes, you can go in.",
            "The claim is true. The claim is false.",
            "It always works. It never works.",
            "All users are active. None of the users are active.",
            "The file exists. The file does not exist.",
            "他总是迟到。他从不迟到。",
            "所有测试都通过了。没有一个测试通过。",
            "是的，支持导出。不是，这个功能没有。",
            "是的，支持导出。不，这个功能没有。",
            "所有测试都通过了。没有测试通过。",
            "Yes it is up. No it is down.",
            "不，不能退货。是的，可以退货。",
        ] {
            assert_eq!(value(text), 0.9, "{text}");
        }
        assert_eq!(value("It always works. It never works. It always works."), 0.8);
        assert_eq!(value("It always works. So we say. It never works."), 1.0);
        assert_eq!(value(&"It always works. It never works. ".repeat(20)), 0.0);
    }
}
