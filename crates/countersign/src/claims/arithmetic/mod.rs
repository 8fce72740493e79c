//! Recomputes what a sentence computes itself: growth "from 40 to 50", a share "12 of 48", a total of its parts.
//!
//! Only where the operands are plain is anything said. A computation that holds bears out the result, not the operands;
//! one that fails is shown with its numbers. It never looks for numbers that might fit.

/// Whether a number follows from others.
pub mod derive;
/// The numbers of one sentence.
pub mod operands;
/// How a computation came out.
mod outcome;
/// Growth and difference.
mod change;
/// Shares.
mod part;
/// Totals.
mod total;

pub use outcome::{Computation, Outcome};

use crate::claims::known::Telling;
use crate::contract::Claim;
use operands::Sentence;

/// Recomputes one claim of a message from the numbers of its sentence, or of the one before.
pub fn recompute(content: &str, claims: &[Claim], tellings: &[Telling], at: usize) -> Option<Computation> {
    let (claim, telling) = (claims.get(at)?, tellings.get(at)?);
    let wanted = telling.amount().filter(|amount| amount.is_single())?;
    if telling.around.sentence.asks {
        return None;
    }
    let sentence = Sentence::of(content, claims, tellings, at)?;
    let own = sentence.operands.iter().position(|operand| operand.claim == Some(at))?;
    change::growth(&sentence, claim, wanted, own)
        .or_else(|| part::share(&sentence, claim, wanted, own))
        .or_else(|| total::total(&sentence, claim, wanted, own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::known::tellings;
    use crate::claims::known::tests::{claim, value};
    use crate::contract::ClaimKind;

    fn run(text: &str, marked: &str, kind: ClaimKind, number: f64, unit: &str, precision: f64) -> Option<Computation> {
        let claims = [claim(text, marked, kind, value(number, unit, precision))];
        recompute(text, &claims, &tellings(text, &claims), 0)
    }

    fn percent(text: &str, marked: &str) -> Option<(Outcome, String)> {
        let number: f64 = marked.trim_end_matches(['%', '％']).parse().unwrap();
        run(text, marked, ClaimKind::Percentage, number / 100.0, "ratio", 0.005).map(|c| (c.outcome, c.note))
    }

    // CLAIM-3
    #[test]
    fn found_claims_are_recomputed_too() {
        for (text, marked, outcome) in [
            ("Revenue rose from 40 to 50 million, up 25%.", "25%", Some(Outcome::Holds)),
            ("Revenue rose from 40 to 50 million, up 30%.", "30%", Some(Outcome::Fails)),
            ("Sales fell 20% from $50 million to $40 million.", "20%", Some(Outcome::Holds)),
            ("Sales fell by $12 million, from $50 million to $40 million.", "$12 million", Some(Outcome::Fails)),
            ("营收从40亿元增长到50亿元，同比增长35%。", "35%", Some(Outcome::Fails)),
            ("48人中有12人离开，占30%。", "30%", Some(Outcome::Fails)),
            ("12 of 48 users (25%) left.", "25%", Some(Outcome::Holds)),
            ("The shelter has 12 cats, 20 dogs and 10 birds, 42 animals in total.", "42 animals", Some(Outcome::Holds)),
            ("Costs rose 30% while output went from 40 to 50 million tonnes.", "30%", None),
            ("In 2023 sales rose from $40 million to $50 million and profit by 30%.", "30%", None),
        ] {
            let claims = crate::claims::find::find(text);
            let read = tellings(text, &claims);
            let at = claims.iter().position(|claim| claim.text == marked).unwrap_or_else(|| panic!("{text}"));
            let found = recompute(text, &claims, &read, at);
            assert_eq!(found.as_ref().map(|found| found.outcome), outcome, "{text} {found:?}");
        }
    }

    // CLAIM-3
    #[test]
    fn growth_is_recomputed() {
        let text = |x: &str| format!("Revenue rose from 40 to 50 million, up {x}.");
        assert_eq!(percent(&text("25%"), "25%"), Some((Outcome::Holds, "50/40 − 1 = 25%".into())));
        assert_eq!(percent(&text("30%"), "30%"), Some((Outcome::Fails, "50/40 − 1 = 25%, not 30%".into())));
        let fell = "Sales fell 20% from $50 million to $40 million.";
        assert_eq!(percent(fell, "20%").unwrap().0, Outcome::Holds);
        assert_eq!(percent("营收从40亿元增长到50亿元，同比增长25%。", "25%").unwrap().0, Outcome::Holds);
        assert_eq!(percent("营收从40亿元增长到50亿元，同比增长35%。", "35%").unwrap().0, Outcome::Fails);
        for unclear in [
            "Revenue rose from 40 to 50 million, with a margin of 30%.",
            "Revenue rose from 40 to 50 million and staff from 10 to 12, up 30%.",
            "Did revenue rise from 40 to 50 million, up 30%?",
            "Revenue rose from about $40 million to $50 million, up 27%.",
            "The share rose from 40% to 50%, up 30%.",
        ] {
            assert_eq!(percent(unclear, if unclear.contains("27%") { "27%" } else { "30%" }), None, "{unclear}");
        }
    }

    #[test]
    fn shares_are_recomputed() {
        assert_eq!(percent("12 of 48 users (25%) left.", "25%").unwrap(), (Outcome::Holds, "12/48 = 25%".into()));
        assert_eq!(percent("12 out of the 48 users, or 30%, left.", "30%").unwrap().0, Outcome::Fails);
        assert_eq!(percent("48人中有12人离开，占25%。", "25%").unwrap().0, Outcome::Holds);
        assert_eq!(percent("48人中有12人离开，占30%。", "30%").unwrap().1, "12/48 = 25%，不是30%");
        assert_eq!(percent("12 of 48 users left and revenue fell 30%.", "30%"), None);
    }

    #[test]
    fn totals_are_recomputed() {
        let count = |text: &str, marked: &str, number: f64| {
            run(text, marked, ClaimKind::Quantity, number, "", 0.5).map(|c| (c.outcome, c.note))
        };
        let text = "The shelter has 12 cats, 20 dogs and 10 birds, 42 animals in total.";
        assert_eq!(count(text, "42 animals", 42.0), Some((Outcome::Holds, "12 + 20 + 10 = 42".into())));
        let text = "The shelter has 12 cats, 20 dogs and 10 birds, 45 animals in total.";
        assert_eq!(count(text, "45 animals", 45.0).unwrap().0, Outcome::Fails);
        let text = "The shelter has 12 cats, 20 dogs and others, 45 animals in total.";
        assert_eq!(count(text, "45 animals", 45.0), None);
        assert_eq!(count("一班30人，二班32人，合计62人。", "62人", 62.0).unwrap().0, Outcome::Holds);
    }
}
