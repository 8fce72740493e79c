//! Recomputes what a sentence computes itself: growth "from 40 to 50", a share "12 of 48", a total of its parts.
//!
//! Only where the operands are plain is anything said. A computation that holds bears out the result, not the operands;
//! one that fails is shown with its numbers. It never looks for numbers that might fit.

/// Whether a number follows from others.
pub(crate) mod derive;
/// The numbers of one sentence.
pub(crate) mod operands;
/// How a computation came out.
mod outcome;
/// Growth and difference.
mod change;
/// Two periods of one thing.
pub(crate) mod series;
/// The sentences before a claim.
mod window;
/// Shares.
mod part;
/// Totals.
mod total;
/// Totals of lists and tables.
mod listed;

pub use outcome::{Computation, Outcome};
pub use window::{recompute_from, says_a_change};

use crate::claims::known::Telling;
use crate::contract::Claim;
use operands::Sentence;
use window::Window;

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
        .or_else(|| listed::total(content, (claims, tellings), claim, wanted))
        .or_else(|| {
            let window = Window::before(content, (claims, tellings), &sentence.place);
            let grown = window::grown(&window, &sentence, claim, telling);
            grown.or_else(|| part::of_them(&window, &sentence, claim, wanted))
        })
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    series::build_tables();
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

    fn found(text: &str, marked: &str) -> Option<(Outcome, String)> {
        let claims = crate::claims::find::find(text);
        let at = claims.iter().position(|claim| claim.text == marked).unwrap_or_else(|| panic!("{marked}: {claims:?}"));
        recompute(text, &claims, &tellings(text, &claims), at).map(|found| (found.outcome, found.note))
    }

    // CLAIM-3
    #[test]
    fn growth_is_recomputed_from_two_periods() {
        for (text, marked, note) in [
            ("Revenue: 2022 $40m, 2023 $50m. Growth was 25%.", "25%", "50/40 − 1 = 25%"),
            ("Revenue: 2022 $40m, 2023 $50m. Growth was 30%.", "30%", "= 25%, not 30%"),
            ("In 2022 revenue was $40m. In 2023 it was $50m, up 25%.", "25%", "= 25%"),
            ("In 2022 revenue was $40m. In 2023 it was $50m, up 35%.", "35%", "= 25%, not 35%"),
            ("Revenue was $40m in 2022 and $50m in 2023. Revenue grew by 30% in 2023.", "30%", "not 30%"),
            ("Revenue was $40m in 2022 and $50m in 2023. It rose by $10m.", "$10m", "50,000,000 − 40,000,000"),
            ("Revenue was $40m in 2022 and $50m in 2023. It rose by $15m.", "$15m", "not $15m"),
            ("第一季度120万，第二季度150万，环比增长25%。", "25%", "1.5/1.2 − 1 = 25%"),
            ("第一季度120万，第二季度150万，环比增长35%。", "35%", "不是35%"),
            ("2022年营收40亿元，2023年营收50亿元。营收增长30%。", "30%", "不是30%"),
            ("- 2022: $40m\n- 2023: $50m\nGrowth: 25%", "25%", "= 25%"),
        ] {
            let found = found(text, marked);
            assert!(found.as_ref().is_some_and(|(_, told)| told.contains(note)), "{text} {found:?}");
            assert_eq!(
                found.map(|found| found.0 == Outcome::Fails),
                Some(note.contains("not") || note.contains("不是"))
            );
        }
        for (text, marked) in [
            ("Revenue: 2022 $40m, 2023 $50m. Profit growth was 30%.", "30%"),
            ("Revenue: 2021 $30m, 2022 $40m, 2023 $50m. Growth was 30%.", "30%"),
            ("In 2022 revenue was $40m and in 2023 profit was $50m. Growth was 30%.", "30%"),
            ("In 2022 revenue was $40m, in 2023 $50m, and profit was up 30%.", "30%"),
            ("Revenue: 2022 $40m, 2023 $50m. Revenue grew 30% in 2024.", "30%"),
            ("Revenue: 2013 $40m, 2023 $50m. Average growth was 2% a year.", "2%"),
            ("Revenue: 2022 $40m, 2023 about $50m. Growth was 30%.", "30%"),
            ("第一季度120万，第二季度150万，同比增长35%。", "35%"),
            ("2022年营收40亿元，2023年利润50亿元。增长30%。", "30%"),
            ("Revenue: 2022 $40m, 2023 $50m. The margin was 30%.", "30%"),
        ] {
            assert_eq!(found(text, marked), None, "{text}");
        }
    }

    // CLAIM-3
    #[test]
    fn shares_and_totals_are_recomputed_across_lines() {
        for (text, marked, note) in [
            ("Of 200 respondents, 50 agreed (25%).", "25%", "50/200 = 25%"),
            ("Of 200 respondents, 50 agreed (35%).", "35%", "= 25%, not 35%"),
            ("Of 200 respondents, 50 agreed (25%) and 100 did not (50%).", "50%", "100/200 = 50%"),
            ("We asked 200 people. Of them 50 agreed, or 25%.", "25%", "50/200 = 25%"),
            ("We asked 200 people. Of them 50 agreed, or 30%.", "30%", "not 30%"),
            ("调查了200人，其中50人同意，占25%。", "25%", "50/200 = 25%"),
            ("调查了200人。其中50人同意，占35%。", "35%", "不是35%"),
            ("- North: $40m\n- South: $20m\nTotal: $60m", "$60m", "40,000,000 + 20,000,000"),
            ("Sales:\n1. North: $40m\n2. South: $20m\n\nTotal sales: $60m is wrong here.\n", "$60m", ""),
            ("- North: $40m\n- South: $20m\n- **Total**: $70m", "$70m", "not $70m"),
            ("| Region | Sales |\n|---|---|\n| North | $40m |\n| South | $20m |\n| Total | $65m |", "$65m", "not $65m"),
            (
                "| Region | 2022 | 2023 |\n|---|---|---|\n| North | $40m | $50m |\n| South | $20m | $25m |\n| Total | $60m | $75m |",
                "$75m",
                "50,000,000 + 25,000,000",
            ),
            ("华北：40万元\n华南：20万元\n合计：70万元", "70万元", "不是70万元"),
        ] {
            let found = found(text, marked);
            let told = found.as_ref().map_or("", |(_, told)| told);
            assert!(told.contains(note) && (told.is_empty() == note.is_empty()), "{text} {found:?}");
        }
        for (text, marked) in [
            ("Of 200 respondents, 50 agreed (25%), and sales fell 30%.", "30%"),
            ("- North: $40m\n- South: $20m of $90m\nTotal: $70m", "$70m"),
            ("- North: $40m\n- Subtotal: $40m\n- South: $20m\nTotal per store: $70m", "$70m"),
            ("- North: $40m\nTotal: $70m", "$70m"),
            ("- North: about $40m\n- South: $20m\nTotal: $70m", "$70m"),
        ] {
            assert_eq!(found(text, marked), None, "{text}");
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
