//! Which claim is checked first: what costs most if it is wrong, and what can be checked best.
//!
//! Money, shares, sources and statistics before bare counts, dates and comparisons; exact before rounded, large before
//! small, asserted before wondered. Only the order follows from it: a claim of little worth is still checked.

use super::known::{Matter, Telling};
use crate::contract::{Claim, ClaimKind};
use crate::grounding::statuses::conditional;

/// The order in which claims are checked, as places in the lists; the same input gives the same order.
pub fn order(claims: &[(&Claim, &Telling, &str)]) -> Vec<usize> {
    let mut ranked: Vec<(f64, usize)> =
        claims.iter().enumerate().map(|(at, (claim, telling, content))| (worth(claim, telling, content), at)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().map(|(_, at)| at).collect()
}

/// How much it is worth to check a claim of a message, beside others.
pub fn worth(claim: &Claim, telling: &Telling, content: &str) -> f64 {
    let kind = match claim.kind {
        ClaimKind::Currency | ClaimKind::Percentage => 60.0,
        ClaimKind::Citation | ClaimKind::Statistic => 50.0,
        ClaimKind::Own(_) => 40.0,
        ClaimKind::Quantity => 30.0,
        ClaimKind::Version | ClaimKind::Url => 25.0,
        ClaimKind::Date | ClaimKind::Comparison => 20.0,
    };
    let exact = f64::from(telling.rarity.min(5));
    let hedged = telling.amount().is_some_and(|amount| amount.bound.is_some());
    let size = match &telling.matter {
        Matter::Amount(amount) => amount.high.abs().max(1.0).log10().min(12.0) / 4.0,
        _ => 0.0,
    };
    let sentence = content.get(telling.around.place.clone()).unwrap_or_default();
    let wondered = telling.around.sentence.asks || conditional(sentence);
    kind + exact + size - f64::from(u8::from(hedged)) - if wondered { 15.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::known::tellings;
    use crate::claims::known::tests::{claim, value};

    // CLAIM-3
    #[test]
    fn money_and_shares_come_before_counts_and_dates() {
        let text = "In 2023 the chain ran 214 stores, sold $3.41m and grew 10%. Would it reach $9m?";
        let year = crate::contract::ClaimValue { date: Some("2023".into()), ..Default::default() };
        let claims = [
            claim(text, "2023", ClaimKind::Date, year),
            claim(text, "214 stores", ClaimKind::Quantity, value(214.0, "", 0.5)),
            claim(text, "$3.41m", ClaimKind::Currency, value(3.41e6, "USD", 5e3)),
            claim(text, "10%", ClaimKind::Percentage, value(0.1, "ratio", 0.005)),
            claim(text, "$9m", ClaimKind::Currency, value(9e6, "USD", 5e5)),
        ];
        let tellings = tellings(text, &claims);
        let all: Vec<_> = claims.iter().zip(&tellings).map(|(claim, telling)| (claim, telling, text)).collect();
        let order: Vec<&str> = order(&all).into_iter().map(|at| claims[at].text.as_str()).collect();
        assert_eq!(order, ["$3.41m", "10%", "$9m", "214 stores", "2023"]);
    }
}
