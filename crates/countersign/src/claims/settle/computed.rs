//! A change recomputed from a passage: "Revenue grew 25%" from {"2022": 40, "2023": 50}.
//!
//! Only statements that speak of all that the claim is of are taken; which numbers they give is for `arithmetic` to say.

use super::Subject;
use super::passage::{Passage, Statement};
use crate::claims::arithmetic::series::Told;
use crate::claims::arithmetic::{Outcome, recompute_from, says_a_change};
use crate::claims::known::Matter;
use crate::claims::known::topic::telling;
use std::ops::Range;

/// A claim that was recomputed from a passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed {
    /// Whether it came out as written.
    pub outcome: Outcome,
    /// The computation in words.
    pub note: String,
    /// The words that the numbers are in.
    pub passage: String,
    /// Where they are in the passage's text, where they do.
    pub place: Option<Range<usize>>,
}

/// Recomputes a claim from the numbers of a passage.
pub fn computed(subject: &Subject, passage: &Passage) -> Option<Computed> {
    let topic = telling(&subject.telling.around.near);
    let changed = says_a_change(subject.content, subject.claim, subject.telling);
    if topic.is_empty() || !changed || subject.telling.around.sentence.asks {
        return None;
    }
    let fits = |statement: &&Statement| {
        let amount = statement.values.iter().any(|(matter, _)| matches!(matter, Matter::Amount(_)));
        amount && topic.iter().all(|term| statement.reading.nearly_holds(term))
    };
    let statements: Vec<&Statement> = passage.near(&subject.telling.around.near).into_iter().filter(fits).collect();
    let told: Vec<Told> = statements.iter().map(|statement| read_statement(statement)).collect();
    let (found, (first, last)) = recompute_from(subject.content, subject.claim, subject.telling, &told)?;
    let (first, last) = (statements.get(first)?, statements.get(last)?);
    let words = |statement: &Statement| statement.row.as_ref().unwrap_or(&statement.text).clone();
    let (passage, place) = match std::ptr::eq(*first, *last) {
        true => (words(first), first.place.clone()),
        false => (format!("{} … {}", words(first), words(last)), first.place.clone()),
    };
    Some(Computed { outcome: found.outcome, note: found.note, passage, place })
}

fn read_statement(statement: &Statement) -> Told<'_> {
    let amount = |(matter, range): &(Matter, Range<usize>)| match matter {
        Matter::Amount(amount) => Some((amount.clone(), range.clone())),
        _ => None,
    };
    Told::new(&statement.text, &statement.reading, statement.values.iter().filter_map(amount).collect(), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::find::find;
    use crate::claims::known::tellings;

    fn run(text: &str, passage: &str) -> Option<(Outcome, String)> {
        let claims = find(text);
        let read = tellings(text, &claims);
        let at = claims.iter().position(|claim| claim.text.ends_with(['%', 'm'])).unwrap();
        let subject = Subject { claim: &claims[at], telling: &read[at], content: text };
        computed(&subject, &Passage::read(passage, [])).map(|found| (found.outcome, found.note))
    }

    // CLAIM-3
    #[test]
    fn growth_follows_from_the_numbers_of_a_passage() {
        let prose = "Costs were flat. Revenue was $40m in 2022 and $50m in 2023.";
        let holds = Some((Outcome::Holds, "50/40 − 1 = 25%".to_owned()));
        assert_eq!(run("Revenue grew 25% in 2023.", prose), holds);
        assert_eq!(run("Revenue grew 35% in 2023.", prose).map(|found| found.0), Some(Outcome::Fails));
        assert_eq!(run("Revenue grew 35% in 2022.", prose), None);
        assert_eq!(run("Profit grew 35% in 2023.", prose), None);
        assert_eq!(run("Revenue in Norway grew 35% in 2023.", prose), None);
        let rows = "year: 2021; revenue: $30m\nyear: 2022; revenue: $40m\nyear: 2023; revenue: $50m";
        assert_eq!(run("Revenue grew 25% in 2023.", rows), holds);
        assert_eq!(run("Revenue grew 35%.", rows), None, "of which year?");
        let json = "{\"revenue_2022\": 40, \"revenue_2023\": 50}";
        assert_eq!(run("Revenue grew 25% in 2023.", json), holds);
        assert_eq!(
            run("2023年营收增长25%。", "2022年营收40亿元，2023年营收50亿元。").map(|f| f.0),
            Some(Outcome::Holds)
        );
        assert_eq!(run("Revenue rose by $15m in 2023.", prose).map(|found| found.0), Some(Outcome::Fails));
    }
}
