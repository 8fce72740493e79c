//! Tokens of the demo model: pieces of words. What it costs is counted in them, and each has its probability.

use super::dice::Dice;
use super::words::is_chinese;
use serde_json::{Value, json};

/// The tokens of a text: words with the mark after them, long ones in pieces, Chinese in pairs.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = vec![String::new()];
    let mut length = 0;
    for c in text.chars() {
        length += if is_chinese(c) { LONGEST / 2 } else { 1 };
        if let Some(token) = tokens.last_mut() {
            token.push(c);
        }
        if length >= LONGEST || ENDS.contains(c) {
            tokens.push(String::new());
            length = 0;
        }
    }
    tokens.retain(|token| !token.is_empty());
    tokens
}

/// The first tokens of a text.
pub(super) fn kept(text: &str, most: usize) -> String {
    tokens(text).into_iter().take(most).collect()
}

/// About how many tokens a JSON value is to a model that reads it.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().map(|c| if is_chinese(c) { 4 } else { 1 }).sum::<usize>() / 4 + 1,
        Value::Array(list) => list.iter().map(weight).sum(),
        Value::Object(object) => object.values().map(|value| weight(value) + 1).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// The log-probability of a token as chat completions and responses tell it, with alternatives. Figures that the model
/// made up are the tokens that it is least sure of.
pub(super) fn probability(token: &str, at: usize, unsure: Sureness, alternatives: usize, dice: &Dice) -> Value {
    let figure = token.chars().any(|c| c.is_ascii_digit());
    let least = if unsure == Sureness::Guessing && figure { 0.45 } else { 0.75 };
    let share = least + (dice.roll(&format!("share {at}")) % 20) as f64 / 100.0;
    let told = |token: &str, share: f64| {
        let logarithm = (share.ln() * 1e6).round() / 1e6;
        json!({"token": token, "logprob": logarithm, "bytes": token.as_bytes()})
    };
    let mut rest = 1.0 - share;
    let mut others = vec![told(token, share)];
    for other in OTHERS.iter().take(alternatives.saturating_sub(1)) {
        rest /= 2.0;
        others.push(told(other, rest));
    }
    others.truncate(alternatives);
    let mut told = told(token, share);
    if let Some(told) = told.as_object_mut() {
        told.insert("top_logprobs".to_owned(), Value::Array(others));
    }
    told
}

/// Whether the model knows what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sureness {
    /// It does.
    Knowing,
    /// Its figures are guessed.
    Guessing,
}

const LONGEST: usize = 8;
const ENDS: &str = " \n,:，。：";
const OTHERS: [&str; 19] = [
    "The ", "A ", "It ", "about ", "nearly ", "over ", "some ", "many ", "I ", "We ", "Yes ", "No ", "In ", "On ",
    "For ", "As ", "So ", "Not ", "Then ",
];
