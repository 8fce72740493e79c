//! Whether a claim of a later message says what an earlier one said: the same, rounded, or in other words.
//!
//! The value decides first, the words around it second: two different things may both be 25%. A rare exact value
//! (12.57%, a link) is known again by itself; a round small one (2, 10%) needs the same words around it. It looks one
//! way only: "about 12%" repeats 12.5%, but 12.5% says more than "about 12%" did. It never guesses from a name alone.

/// Numbers in their base unit.
pub(crate) mod amount;
/// Dates as spans of days.
pub(crate) mod moment;
/// Links, versions and sources by name.
pub(crate) mod named;
/// The words around a claim.
pub(crate) mod surroundings;
/// What a number is of, beside words that do not say it.
pub(crate) mod topic;

use crate::contract::{Claim, ClaimKind};
use crate::text::stems::{Key, key, root};
use amount::Amount;
use moment::Moment;
use named::Name;
use surroundings::{Surroundings, around};

/// A claim, read so that it can be compared.
#[derive(Debug, Clone)]
pub struct Telling {
    /// What it says.
    pub matter: Matter,
    /// How many digits or words tell it from others; a round small number has one.
    pub rarity: u8,
    /// What is counted, by stem.
    pub noun: Vec<Key>,
    /// The words around it.
    pub around: Surroundings,
}

/// What a claim says, in a form that can be compared.
#[derive(Debug, Clone, PartialEq)]
pub enum Matter {
    /// A number with its measure.
    Amount(Amount),
    /// A date or a span of time.
    Moment(Moment),
    /// A link, a version, a source, a comparison in words.
    Name(Name),
}

/// Whether the sender of the later message was given the earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handed {
    /// It was: the value is likely to come from there.
    Given,
    /// It was not, as far as anybody knows.
    Elsewhere,
}

/// Reads the claims of one message.
pub fn tellings(content: &str, claims: &[Claim]) -> Vec<Telling> {
    let surroundings = around(content, claims);
    claims.iter().zip(surroundings).map(|(claim, around)| Telling::new(claim, around)).collect()
}

/// How surely a later claim repeats an earlier one, up to 1; absent where it does not.
pub fn repeats(later: &Telling, earlier: &Telling, handed: Handed) -> Option<f64> {
    if !implies(&earlier.matter, &later.matter) || later.around.other_period(&earlier.around) {
        return None;
    }
    let other_noun = !later.noun.is_empty() && !earlier.noun.is_empty() && apart(&later.noun, &earlier.noun);
    let foreign = later.around.language != earlier.around.language;
    let rarity = later.rarity.min(earlier.rarity).saturating_sub(u8::from(other_noun && !foreign));
    let likeness = later.around.likeness(&earlier.around);
    let needed = match (handed, rarity) {
        (Handed::Given, 3..) => 0.0,
        (Handed::Given, 2) => 0.2,
        (Handed::Given, _) => 0.34,
        (Handed::Elsewhere, 4..) => 0.2,
        (Handed::Elsewhere, 3) => 0.34,
        (Handed::Elsewhere, 2) => 0.5,
        (Handed::Elsewhere, _) => 0.65,
    };
    // Across languages no word can meet, so the value must do: exact enough, and handed over.
    let translated = foreign && handed == Handed::Given && rarity >= 2;
    let bare = handed == Handed::Given && rarity >= 2 && (later.around.is_bare() || earlier.around.is_bare());
    (likeness >= needed || translated || bare).then_some(0.5 * likeness + 0.1 * f64::from(rarity.min(5)))
}

/// Whether what an earlier claim says bears out the later one.
pub fn implies(earlier: &Matter, later: &Matter) -> bool {
    match (earlier, later) {
        (Matter::Amount(earlier), Matter::Amount(later)) => later.follows_from(earlier),
        (Matter::Moment(earlier), Matter::Moment(later)) => later.holds(earlier),
        (Matter::Name(earlier), Matter::Name(later)) => later.is_like(earlier),
        _ => false,
    }
}

impl Telling {
    fn new(claim: &Claim, around: Surroundings) -> Self {
        let matter = Matter::of(claim);
        let rarity = match &matter {
            Matter::Amount(amount) => amount.digits(),
            Matter::Moment(moment) => moment.parts(),
            Matter::Name(name) => name.rarity(),
        };
        let noun = claim.value.as_ref().and_then(|value| value.of.as_deref()).map(stems_of).unwrap_or_default();
        Self { matter, rarity, noun, around }
    }

    /// The number, where the claim is one.
    pub fn amount(&self) -> Option<&Amount> {
        match &self.matter {
            Matter::Amount(amount) => Some(amount),
            _ => None,
        }
    }

    /// Under which keys the claim is kept, so that claims that may repeat it are found without looking at all.
    pub fn shelves(&self) -> Vec<u64> {
        match &self.matter {
            Matter::Amount(amount) => vec![amount.shelf()],
            Matter::Moment(moment) => moment.shelves(),
            Matter::Name(name) => name.keys.iter().copied().take(4).collect(),
        }
    }

    /// The keys under which claims that it may repeat are kept.
    pub fn shelves_to_search(&self) -> Vec<u64> {
        match &self.matter {
            Matter::Amount(amount) => amount.shelves_around(),
            Matter::Moment(moment) => moment.shelves(),
            Matter::Name(name) => name.keys.iter().copied().take(4).collect(),
        }
    }
}

impl Matter {
    /// What a claim says. A value that cannot be read leaves its words.
    pub fn of(claim: &Claim) -> Self {
        let value = claim.value.as_ref();
        let date = || value.and_then(|value| value.date.as_deref()).and_then(Moment::read).map(Self::Moment);
        let amount = || value.and_then(Amount::of_value).map(Self::Amount);
        let found = match claim.kind {
            ClaimKind::Url | ClaimKind::Version | ClaimKind::Citation => None,
            ClaimKind::Date => date(),
            _ => amount().or_else(date),
        };
        found.unwrap_or_else(|| Self::Name(Name::of(claim)))
    }
}

fn stems_of(words: &str) -> Vec<Key> {
    let words = crate::text::words::terms(words);
    words.iter().map(|word| key(&root(word))).collect()
}

/// Whether two lists share nothing.
fn apart(a: &[Key], b: &[Key]) -> bool {
    !a.iter().any(|key| b.contains(key))
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    named::build_tables();
    topic::build_tables();
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::contract::{Bound, ClaimStatus, ClaimValue, Language};

    /// A claim built by hand: the first place of `text` in `content`, with a value.
    pub(crate) fn claim(content: &str, text: &str, kind: ClaimKind, value: ClaimValue) -> Claim {
        let start = content.find(text).unwrap_or_else(|| panic!("`{text}` stands in `{content}`"));
        let utf16_start = content[..start].encode_utf16().count();
        Claim {
            id: None,
            start,
            end: start + text.len(),
            utf16_start,
            utf16_end: utf16_start + text.encode_utf16().count(),
            text: text.to_owned(),
            kind,
            value: Some(value),
            language: Language::of(content),
            status: ClaimStatus::Pending,
            verify_note: None,
            source: None,
        }
    }

    pub(crate) fn value(number: f64, unit: &str, precision: f64) -> ClaimValue {
        let unit = Some(unit.to_owned()).filter(|unit| !unit.is_empty());
        ClaimValue { number: Some(number), unit, precision: Some(precision), ..ClaimValue::default() }
    }

    fn telling(content: &str, text: &str, kind: ClaimKind, value: ClaimValue) -> Telling {
        tellings(content, &[claim(content, text, kind, value)]).remove(0)
    }

    fn ratio(content: &str, text: &str, number: f64, precision: f64) -> Telling {
        telling(content, text, ClaimKind::Percentage, value(number, "ratio", precision))
    }

    // CLAIM-2
    #[test]
    fn a_value_is_known_again_in_other_words() {
        let exact = ratio("Revenue grew 12.5% last year.", "12.5%", 0.125, 0.0005);
        let eighth = ClaimValue { precision: None, ..value(0.125, "ratio", 0.0) };
        let eighth = telling("Revenue grew by one eighth.", "one eighth", ClaimKind::Percentage, eighth);
        let about = ClaimValue { bound: Some(Bound::About), ..value(0.12, "ratio", 0.005) };
        let about = telling("营收增长约12%。", "12%", ClaimKind::Percentage, about);
        assert!(repeats(&eighth, &exact, Handed::Elsewhere).is_some());
        assert!(repeats(&about, &exact, Handed::Given).is_some(), "a translation of what was handed over");
        assert!(repeats(&about, &exact, Handed::Elsewhere).is_none(), "no word meets across languages");
        assert!(repeats(&exact, &about, Handed::Given).is_none(), "12.5% says more than about 12%");
    }

    #[test]
    fn two_things_with_the_same_number_are_two() {
        let revenue = ratio("Revenue rose 25% in Europe.", "25%", 0.25, 0.005);
        let churn = ratio("Customer churn fell 25%.", "25%", 0.25, 0.005);
        let again = ratio("So revenue rose by 25%.", "25%", 0.25, 0.005);
        for handed in [Handed::Given, Handed::Elsewhere] {
            assert!(repeats(&again, &revenue, handed).is_some());
            assert!(repeats(&again, &churn, handed).is_none());
        }
        let old = ratio("Revenue rose 25% in 2021.", "25%", 0.25, 0.005);
        let new = ratio("Revenue rose 25% in 2023.", "25%", 0.25, 0.005);
        assert!(repeats(&new, &old, Handed::Given).is_none(), "another year");
    }

    #[test]
    fn money_counts_dates_and_links_are_known_again() {
        let short = telling("The deal is worth $3.5B.", "$3.5B", ClaimKind::Currency, value(3.5e9, "USD", 5e7));
        let long = "The deal is worth 3.5 billion dollars.";
        let long = telling(long, "3.5 billion dollars", ClaimKind::Currency, value(3.5e9, "USD", 5e7));
        assert!(repeats(&long, &short, Handed::Elsewhere).is_some());
        let yi = telling("用户达到3.4亿。", "3.4亿", ClaimKind::Quantity, value(3.4e8, "", 5e6));
        let million =
            telling("It has 340 million users.", "340 million users", ClaimKind::Quantity, value(3.4e8, "", 5e5));
        assert!(repeats(&million, &yi, Handed::Given).is_some());
        let date = |content: &str, text: &str, date: &str| {
            let value = ClaimValue { date: Some(date.into()), ..ClaimValue::default() };
            telling(content, text, ClaimKind::Date, value)
        };
        let day = date("The bridge opened on 5 March 2024.", "5 March 2024", "2024-03-05");
        let year = date("The bridge opened in 2024.", "2024", "2024");
        assert!(repeats(&year, &day, Handed::Given).is_some());
        assert!(repeats(&day, &year, Handed::Given).is_none(), "the day is new");
        let url = |text: &str| {
            let content = format!("See {text} for more.");
            telling(&content, text, ClaimKind::Url, ClaimValue::default())
        };
        let (a, b) = (url("https://www.example.com/a/"), url("http://Example.com/a#top"));
        assert!(repeats(&a, &b, Handed::Elsewhere).is_some());
        assert!(repeats(&a, &url("https://example.com/b"), Handed::Given).is_none());
    }

    #[test]
    fn versions_and_sources_are_known_by_name() {
        let version = |content: &str, text: &str, of: Option<&str>| {
            let value = ClaimValue { of: of.map(str::to_owned), ..ClaimValue::default() };
            telling(content, text, ClaimKind::Version, value)
        };
        let a = version("Python 3.12 is out.", "Python 3.12", Some("Python"));
        let b = version("We use version 3.12 here.", "version 3.12", None);
        let c = version("Node 3.12 is old.", "Node 3.12", Some("Node"));
        assert!(implies(&a.matter, &b.matter) && !implies(&a.matter, &c.matter));
        let cited = |content: &str, text: &str| telling(content, text, ClaimKind::Citation, ClaimValue::default());
        let a = cited("According to the Gartner 2024 report, growth slows.", "According to the Gartner 2024 report");
        let b = cited("Gartner's report says growth slows.", "Gartner's report says");
        let c = cited("According to the World Bank, growth slows.", "According to the World Bank");
        assert!(implies(&a.matter, &b.matter) && !implies(&a.matter, &c.matter));
    }
}
