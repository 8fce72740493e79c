//! A calculation is done again and compared.
//!
//! Only plain expressions of numbers, `+ - * / ^` and brackets are read; anything else says nothing.

use crate::check_result::fields::number;
use crate::check_result::logic::totals::plain;
use crate::check_result::subject::Subject;
use crate::contract::Finding;
use crate::contract::codes::result as codes;
use crate::localized;
use std::iter::Peekable;
use std::str::Chars;

/// The expression of the call against the number of the result.
pub(crate) fn check(subject: &Subject) -> Vec<Finding> {
    find_mismatch(subject).into_iter().collect()
}

fn find_mismatch(subject: &Subject) -> Option<Finding> {
    let expression = ["expression", "expr", "formula", "calculation", "equation", "math"]
        .iter()
        .find_map(|key| subject.arguments.get(*key)?.as_str())?;
    let expected = evaluate(expression)?;
    let content = &subject.result.content;
    let inner = ["result", "value", "answer", "output"].iter().find_map(|key| content.get(*key));
    let seen = number(inner.unwrap_or(content))?;
    let shown = inner.unwrap_or(content).to_string();
    let decimals = shown.trim_matches('"').split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let rounding = 0.51 * 10f64.powi(-i32::try_from(decimals.min(12)).unwrap_or(0));
    let slack = rounding.max(expected.abs() * 1e-6);
    let whole = (seen - expected.trunc()).abs() < 1e-9 && expression.contains('/');
    ((seen - expected).abs() > slack && !whole).then(|| {
        let right = plain(expected);
        let evidence = localized!(
            subject.language,
            "`{expression}` is {right}, not {seen}",
            "`{expression}` 等于 {right}，而不是 {seen}"
        );
        Finding::new(&codes::MISCALCULATED, "", evidence)
    })
}

/// The value of an expression; `None` where it holds anything we do not read.
fn evaluate(text: &str) -> Option<f64> {
    if text.len() > 500 {
        return None;
    }
    let plain =
        text.replace("**", "^").replace(['×', '·'], "*").replace('÷', "/").replace(['（'], "(").replace(['）'], ")");
    let plain: String = plain.chars().filter(|c| !c.is_whitespace()).collect();
    let plain = plain.trim_end_matches('=').to_owned();
    let mut rest = plain.chars().peekable();
    let value = sum(&mut rest, 0)?;
    (rest.next().is_none() && value.is_finite() && plain.contains(['+', '-', '*', '/', '^'])).then_some(value)
}

fn sum(rest: &mut Peekable<Chars>, depth: usize) -> Option<f64> {
    let mut value = product(rest, depth)?;
    while let Some(sign) = rest.next_if(|c| matches!(c, '+' | '-')) {
        let next = product(rest, depth)?;
        value = if sign == '+' { value + next } else { value - next };
    }
    Some(value)
}

fn product(rest: &mut Peekable<Chars>, depth: usize) -> Option<f64> {
    let mut value = power(rest, depth)?;
    while let Some(sign) = rest.next_if(|c| matches!(c, '*' | '/')) {
        let next = power(rest, depth)?;
        value = if sign == '*' { value * next } else { value / next };
    }
    Some(value)
}

fn power(rest: &mut Peekable<Chars>, depth: usize) -> Option<f64> {
    if depth > 60 {
        return None;
    }
    if rest.next_if_eq(&'-').is_some() {
        return power(rest, depth + 1).map(|value| -value);
    }
    let base = atom(rest, depth)?;
    match rest.next_if_eq(&'^') {
        Some(_) => power(rest, depth + 1).map(|exponent| base.powf(exponent)),
        None => Some(base),
    }
}

fn atom(rest: &mut Peekable<Chars>, depth: usize) -> Option<f64> {
    if rest.next_if_eq(&'(').is_some() {
        let value = sum(rest, depth + 1)?;
        return rest.next_if_eq(&')').map(|_| value);
    }
    let mut digits = String::new();
    while let Some(c) = rest.next_if(|c| c.is_ascii_digit() || *c == '.' || *c == ',') {
        if c != ',' {
            digits.push(c);
        }
    }
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // RESULT-4
    #[test]
    fn plain_expressions_are_computed_and_others_left_alone() {
        assert_eq!(evaluate("2 + 2 * (3 - 1)^2"), Some(10.0));
        assert_eq!(evaluate("-2 ** 2"), Some(-4.0));
        assert_eq!(evaluate("1,200 × 3 ="), Some(3600.0));
        assert_eq!(evaluate("15% of 80"), None);
        assert_eq!(evaluate("sqrt(2)"), None);
        assert_eq!(evaluate("1/0"), None);
        assert_eq!(evaluate(&"(".repeat(499)), None);
    }
}
