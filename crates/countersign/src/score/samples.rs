//! How far several answers to one question agree.
//!
//! Discrete: a sample agrees with the answer or it does not. It agrees where their numbers bear each other out,
//! neither denies what the other states, and they share their names and enough of their words.

use crate::grounding::wording::Reading;
use crate::text::numbers::Numbers;

/// The share of the samples that agree with the answer; none without samples.
pub(crate) fn agreement(response: &str, samples: &[String]) -> Option<f64> {
    let answer = Reading::clipped(response);
    let others: Vec<Reading> =
        samples.iter().filter(|s| !s.trim().is_empty()).take(SAMPLES).map(|s| Reading::clipped(s)).collect();
    let agreeing = others.iter().filter(|other| agree(&answer, other)).count();
    (!others.is_empty()).then(|| agreeing as f64 / others.len() as f64)
}

fn agree(a: &Reading, b: &Reading) -> bool {
    let figures = figures_agree(&a.numbers, &b.numbers);
    let overlap = a.share(|t| b.holds(t)).max(b.share(|t| a.holds(t)));
    let polarity = a.negated.is_empty() == b.negated.is_empty();
    match figures {
        Figures::Differ => false,
        // The same figures say the same, however they are worded.
        Figures::Same => polarity && overlap >= 0.2,
        Figures::None => polarity && names_agree(a, b) && overlap >= 0.5,
    }
}

enum Figures {
    None,
    Same,
    Differ,
}

/// The shorter list must be borne out by the longer: one answer may say more than another.
fn figures_agree(a: &Numbers, b: &Numbers) -> Figures {
    let (fewer, more) = if size(a) <= size(b) { (a, b) } else { (b, a) };
    if size(fewer) == 0 {
        return Figures::None;
    }
    let quantities = fewer.quantities.iter().all(|q| more.quantities.iter().any(|o| q.agrees(o)));
    let dates = fewer.dates.iter().all(|d| more.dates.iter().any(|o| d.agrees(o)));
    if quantities && dates { Figures::Same } else { Figures::Differ }
}

fn size(numbers: &Numbers) -> usize {
    numbers.quantities.len() + numbers.dates.len()
}

/// Where both name somebody, they must share a name.
fn names_agree(a: &Reading, b: &Reading) -> bool {
    let mut mine = a.terms.iter().filter(|t| t.name).peekable();
    let theirs = b.terms.iter().any(|t| t.name);
    mine.peek().is_none() || !theirs || mine.any(|t| b.holds(t))
}

/// More samples than this say nothing new.
const SAMPLES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-3
    #[test]
    fn samples_agree_by_what_they_say() {
        let share = |answer: &str, samples: &[&str]| {
            agreement(answer, &samples.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(share("Paris is the capital.", &[]), None);
        assert_eq!(share("It costs 12.5%.", &["The cost is 0.125.", "It costs 15%."]), Some(0.5));
        assert_eq!(share("The capital is Paris.", &["The capital is Paris.", "The capital is Lyon."]), Some(0.5));
        assert_eq!(share("门店周日营业。", &["门店周日不营业。", "门店周日营业"]), Some(0.5));
        assert_eq!(share("The shop is open.", &["The shop is not open."]), Some(0.0));
    }
}
