//! Signal: whether there are full sentences at all. It is cheap and weighs little.

use crate::contract::language::is_han;
use crate::text::sentences::sentences;

/// The signal: 0.3 without a full sentence, 0.6 with one or two, 0.9 with three or more.
pub(crate) fn evaluate(response: &str) -> f64 {
    let full = sentences(response).into_iter().filter_map(|range| response.get(range)).filter(|s| is_full(s)).take(3);
    match full.count() {
        0 => 0.3,
        1 | 2 => 0.6,
        _ => 0.9,
    }
}

/// A full sentence is longer than ten characters. A Chinese character says about as much as two or three letters
/// do, so that each counts for three: 今天下雨。 is one.
fn is_full(sentence: &str) -> bool {
    let text = sentence.trim_end_matches(['.', '!', '?', '。', '！', '？', '；']).trim();
    text.chars().map(|c| if is_han(c) { 3 } else { 1 }).sum::<usize>() > 10
}

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-1
    #[test]
    fn sentences_are_counted_in_both_languages() {
        assert_eq!(evaluate(""), 0.3);
        assert_eq!(evaluate("Yes. No. Ok."), 0.3);
        assert_eq!(evaluate("The weather is fine today."), 0.6);
        assert_eq!(evaluate("The weather is fine. It will stay so. Take no umbrella."), 0.9);
        assert_eq!(evaluate("今天下雨。明天晴天！后天怎么样？"), 0.9);
        assert_eq!(evaluate("好的。"), 0.3);
    }
}
