//! Holds one claim against one passage: it supports, it conflicts, or it says nothing about it.
//!
//! Support needs the value and the topic. A conflict is named only where the passage clearly speaks of the same thing:
//! the words around both numbers meet in both directions, the names, periods and sense are the same, there is one other
//! number of the same measure and nowhere the claimed one. In doubt the passage is silent: to call a true claim disputed
//! does more harm than to leave it open.

/// Rows of tables in a text.
mod rows;
/// A passage, read once.
pub mod passage;
/// Sentences that lean on the one before.
pub mod lean;
/// Whether two sentences speak of the same case.
pub(crate) mod scope;
/// A claim against a sentence.
mod sentence;
/// A claim against the fields of an object.
mod fields;
/// Links, versions and cited sources.
mod names;
/// Growth between two numbers of a passage.
pub mod computed;

use super::known::{Matter, Telling, implies};
use crate::contract::Claim;
use crate::grounding::flatten::Kind;
use crate::text::phrases::stands_free;
use passage::{Passage, Statement};
use std::ops::Range;

/// What a passage says of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Finding {
    /// It bears the claim out.
    Supports(Quote),
    /// It says otherwise.
    Conflicts(Quote),
    /// It says nothing about it.
    Silent,
}

/// The words of a passage that tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// The sentence, or the object in words.
    pub passage: String,
    /// Where it is in the passage's text, in bytes, where it does.
    pub place: Option<Range<usize>>,
    /// The value in it.
    pub says: String,
    /// How clearly, up to 1.
    pub strength: f64,
}

/// A claim with all that is needed to hold it against passages.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The claim.
    pub claim: &'a Claim,
    /// The claim, read.
    pub telling: &'a Telling,
    /// The message it is in.
    pub content: &'a str,
}

impl Subject<'_> {
    /// Its sentence.
    pub fn sentence(&self) -> &str {
        self.content.get(self.telling.around.place.clone()).unwrap_or_default()
    }
}

/// Holds a claim against a passage. A place that supports it wins over one that does not: the passage says both.
pub fn settle(subject: &Subject, passage: &Passage) -> Finding {
    let telling = subject.telling;
    if telling.around.sentence.asks {
        return Finding::Silent;
    }
    if let Matter::Name(name) = &telling.matter {
        return names::settle(subject, name, passage);
    }
    let mut support: Option<Quote> = None;
    let mut conflict: Option<Quote> = None;
    let near = passage.near(&telling.around.near);
    for statement in &near {
        let finding = match statement.kind {
            Kind::Sentence => sentence::settle(subject, statement, passage),
            Kind::Fields => fields::settle(subject, statement, &near, passage),
        };
        match finding {
            Finding::Supports(quote) => keep(&mut support, quote),
            Finding::Conflicts(quote) => keep(&mut conflict, quote),
            Finding::Silent => {}
        }
    }
    let said = || passage.statements.iter().any(|statement| says_it(subject, statement));
    match (support, conflict) {
        (Some(quote), _) => Finding::Supports(quote),
        (None, Some(quote)) if !said() => Finding::Conflicts(quote),
        _ => Finding::Silent,
    }
}

fn keep(best: &mut Option<Quote>, quote: Quote) {
    if best.as_ref().is_none_or(|best| quote.strength > best.strength) {
        *best = Some(quote);
    }
}

/// Whether the value is in a statement, whatever it is about: by its reading, or by the very words.
fn says_it(subject: &Subject, statement: &Statement) -> bool {
    let (mine, words) = (&subject.telling.matter, subject.claim.text.as_str());
    let verbatim = |at: usize| stands_free(&statement.text, &(at..at + words.len()));
    statement.values.iter().any(|(matter, _)| implies(matter, mine) || implies(mine, matter))
        || (!words.is_empty() && statement.text.match_indices(words).any(|(at, _)| verbatim(at)))
}

/// The quote of a statement for a value in it.
fn quote(statement: &Statement, value: &Range<usize>, strength: f64) -> Quote {
    let says = statement.text.get(value.clone()).unwrap_or_default().trim().to_owned();
    let passage = statement.row.as_ref().unwrap_or(&statement.text).clone();
    Quote { passage, place: statement.place.clone(), says, strength }
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    scope::build_tables();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::known::tellings;
    use crate::claims::known::tests::{claim, value};
    use crate::contract::{ClaimKind, ClaimValue};

    fn held(content: &str, marked: &str, kind: ClaimKind, value: ClaimValue, passage: &str) -> Finding {
        let claim = claim(content, marked, kind, value);
        let telling = tellings(content, std::slice::from_ref(&claim)).remove(0);
        settle(&Subject { claim: &claim, telling: &telling, content }, &Passage::read(passage, []))
    }

    fn percent(content: &str, marked: &str, passage: &str) -> Finding {
        let number: f64 = marked.trim_end_matches('%').parse().unwrap();
        let precision = if marked.contains('.') { 0.0005 } else { 0.005 };
        held(content, marked, ClaimKind::Percentage, value(number / 100.0, "ratio", precision), passage)
    }

    fn name(finding: &Finding) -> &'static str {
        match finding {
            Finding::Supports(_) => "supports",
            Finding::Conflicts(_) => "conflicts",
            Finding::Silent => "silent",
        }
    }

    // CLAIM-3
    #[test]
    fn a_passage_supports_the_value_with_its_topic() {
        for (content, marked, passage) in [
            ("Revenue grew 25% in 2023.", "25%", "In 2023, the company's revenue grew by 25%. Costs fell."),
            (
                "Compressed air for divers is 79% nitrogen.",
                "79%",
                "Divers use compressed air, which is 21% oxygen, 79% nitrogen.",
            ),
            ("Revenue grew 12% in 2023.", "12%", "Revenue growth reached 12.3% in 2023."),
            ("2023年营收增长25%。", "25%", "公司2023年营收同比增长25%，利润下降。"),
            ("The unemployment rate was 4.1%.", "4.1%", "{\"unemployment_rate\": 4.1, \"unit\": \"percent\"}"),
            ("Revenue grew 25%.", "25%", "{\"revenue_growth_percent\": 25, \"quarter\": \"Q3\"}"),
        ] {
            let found = percent(content, marked, passage);
            assert_eq!(name(&found), "supports", "{content} | {passage}");
        }
    }

    // CLAIM-3
    #[test]
    fn a_passage_conflicts_where_it_clearly_speaks_of_the_same() {
        for (content, marked, passage) in [
            ("Revenue grew 30% in 2023.", "30%", "In 2023, revenue grew by 25%."),
            ("2023年营收增长30%。", "30%", "公司2023年营收同比增长25%。"),
            ("Revenue rose 30% in 2023.", "30%", "In 2023, the company's revenue grew by 25%."),
            ("Churn fell to 30%.", "30%", "{\"churn_percent\": 25}"),
            ("Revenue growth was 30%.", "30%", "{\"revenue_growth_percent\": 25}"),
        ] {
            let found = percent(content, marked, passage);
            assert_eq!(name(&found), "conflicts", "{content} | {passage}");
            let Finding::Conflicts(quote) = found else { continue };
            assert!(quote.says.contains("25"), "{quote:?}");
        }
        let height = |number: f64| value(number, "m", 0.5);
        let content = "The Eiffel Tower is 300 m tall.";
        let passage = "Paris is large. The Eiffel Tower is 330 metres tall.";
        let found = held(content, "300 m", ClaimKind::Quantity, height(300.0), passage);
        let Finding::Conflicts(quote) = found else { panic!("{found:?}") };
        assert_eq!(quote.place.map(|place| &passage[place]), Some("The Eiffel Tower is 330 metres tall."));
        let year = |date: &str| ClaimValue { date: Some(date.into()), ..ClaimValue::default() };
        let content = "The Golden Gate Bridge opened in 1939.";
        let passage = "The Golden Gate Bridge opened in 1937.";
        assert_eq!(name(&held(content, "1939", ClaimKind::Date, year("1939"), passage)), "conflicts");
    }

    // CLAIM-3
    #[test]
    fn a_passage_about_another_case_is_silent() {
        for (content, marked, passage) in [
            ("Revenue grew 30% in 2023.", "30%", "In 2022, revenue grew by 25%."),
            ("Revenue grew 30%.", "30%", "Revenue is expected to grow 25%."),
            ("Revenue grew 30%.", "30%", "Revenue grew 25% in Ohio."),
            ("Revenue grew 30% in Q3.", "30%", "Revenue grew 25% in Q2."),
            ("第三季度营收增长30%。", "30%", "第二季度营收增长25%。"),
            ("Churn fell 25%.", "25%", "Revenue grew 25% and churn fell 10%."),
            ("Staff costs rose 25%.", "25%", "Revenue rose 25% in the north."),
            ("Revenue grew 30%.", "30%", "Revenue grew 25%, or 30% at constant currency."),
            ("Revenue grew 30%.", "30%", "Revenue did not grow 25%."),
            ("Average prices rose 30%.", "30%", "Prices rose 25%."),
            ("Did revenue grow 30%?", "30%", "Revenue grew 25%."),
            ("Revenue grew over 20%.", "20%", "Revenue grew 35%."),
            ("Timber exports from Norway rose 30%.", "30%", "Copper exports from Norway rose 25%."),
            ("Revenue grew 30%.", "30%", "Online revenue grew 25%."),
            ("Online revenue grew 30%.", "30%", "Revenue grew 25%."),
            ("Churn fell to 30%.", "30%", "Churn fell 25%."),
            ("Churn fell 30%.", "30%", "{\"churn_percent\": 6}"),
            ("出口增长30%。", "30%", "进口增长25%。"),
            ("Tea sales in Wales grew 30%.", "30%", "Tea sales in Scotland grew 25%."),
            (
                "Growth was 30%.",
                "30%",
                "[{\"region\": \"north\", \"growth_percent\": 25}, {\"region\": \"south\", \"growth_percent\": 20}]",
            ),
        ] {
            let mut found = percent(content, marked, passage);
            if content.contains("over 20%") {
                let over = ClaimValue { bound: Some(crate::contract::Bound::Over), ..value(0.2, "ratio", 0.005) };
                found = held(content, marked, ClaimKind::Percentage, over, passage);
            }
            assert_eq!(name(&found), "silent", "{content} | {passage}: {found:?}");
        }
    }

    #[test]
    fn names_are_found_or_not() {
        let url = |passage: &str| {
            held(
                "See https://www.example.com/a/ for it.",
                "https://www.example.com/a/",
                ClaimKind::Url,
                ClaimValue::default(),
                passage,
            )
        };
        assert_eq!(name(&url("docs: http://example.com/a and more")), "supports");
        assert_eq!(name(&url("docs: http://example.com/abc and more")), "silent");
        let version = |passage: &str| {
            let value = ClaimValue { of: Some("Python".into()), ..ClaimValue::default() };
            held("Python 3.12 added it.", "Python 3.12", ClaimKind::Version, value, passage)
        };
        assert_eq!(name(&version("New in Python 3.12: it.")), "supports");
        assert_eq!(name(&version("New in Python 3.12.1: it.")), "silent");
        let cited = "According to the Gartner report, cloud spending grew.";
        let cite = |passage: &str| {
            held(cited, "According to the Gartner report", ClaimKind::Citation, ClaimValue::default(), passage)
        };
        assert_eq!(name(&cite("Gartner: cloud spending grew again this year.")), "supports");
        assert_eq!(name(&cite("Forrester: cloud spending grew again this year.")), "silent");
    }

    #[test]
    fn a_comparison_turned_round_conflicts() {
        let more = |passage: &str| {
            let content = "Copper is more reactive than iron.";
            name(&held(content, "more reactive than", ClaimKind::Comparison, ClaimValue::default(), passage))
        };
        assert_eq!(more("Copper is more reactive than iron."), "supports");
        assert_eq!(more("Iron is more reactive than copper."), "conflicts");
        assert_eq!(
            more("Iron and copper are reactive metals, more so than gold, which is often found pure."),
            "silent"
        );
    }

    #[test]
    fn hostile_passages_are_read_to_their_end() {
        for passage in
            ["", "{", "[[[[", "9".repeat(5000).as_str(), "根据".repeat(5000).as_str(), "$".repeat(9000).as_str()]
        {
            let _ = percent("Revenue grew 25%.", "25%", passage);
        }
        let long = "Revenue grew 25% in May. ".repeat(20_000);
        assert_eq!(name(&percent("Revenue grew 25% in May.", "25%", &long)), "supports");
    }
}
