//! Units and currencies that people and parameters name, with what one of each is in the base of its dimension.
//!
//! The words are in `data/units.tsv` and `data/currencies.tsv`. Nothing here reads numbers.

use super::rows::rows;
use crate::contract::language::is_han;
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// A unit of measure.
#[derive(Debug, PartialEq)]
pub struct Unit {
    /// What it measures: `time`, `temperature`, `mass`.
    pub dimension: &'static str,
    /// The base that texts are compared in: `s`, `kg`, `byte`.
    pub base: &'static str,
    /// What one of it is in the base of its dimension.
    pub factor: f64,
    /// What zero of it is.
    pub offset: f64,
    /// The word that it is shown with.
    pub name: &'static str,
}

impl Unit {
    /// A number of this unit in the base of its dimension.
    pub fn to_base(&self, number: f64) -> f64 {
        number * self.factor + self.offset
    }

    /// A number of this unit in another one of the same dimension.
    pub fn convert(&self, number: f64, to: &Unit) -> Option<f64> {
        (self.dimension == to.dimension).then(|| (self.to_base(number) - to.offset) / to.factor)
    }

    /// A difference of so many of this unit in another one: five degrees less, wherever zero is.
    pub fn step(&self, number: f64, to: &Unit) -> Option<f64> {
        (self.dimension == to.dimension).then_some(number * self.factor / to.factor)
    }
}

/// The unit that a whole word names; a short word (`s`, `h`, `g`) counts only where `short` says so.
pub fn unit(word: &str, short: Short) -> Option<&'static Unit> {
    let (unit, is_short) = TABLE.units.get(word)?;
    (!is_short || short == Short::Counts).then_some(*unit)
}

/// The area whose sides are one of a length: square feet.
pub fn squared(side: &Unit) -> Option<&'static Unit> {
    measured("area", side.to_base(1.0).powi(2))
}

/// The volume whose edges are one of a length: cubic feet.
pub fn cubed(edge: &Unit) -> Option<&'static Unit> {
    measured("volume", edge.to_base(1.0).powi(3) * LITRES)
}

/// The unit of a dimension that is so much of its base.
fn measured(dimension: &str, wanted: f64) -> Option<&'static Unit> {
    let mut units = UNITS.iter().map(|(unit, _)| unit).filter(|unit| unit.dimension == dimension);
    units.find(|unit| (unit.to_base(1.0) / wanted - 1.0).abs() < 0.001)
}

/// Whether short words count as units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Short {
    /// Right behind a number, or as the last word of a name.
    Counts,
    /// Anywhere else.
    Ignored,
}

/// The unit that a word names in a text that states facts: `percent` and the `C` of "21 C" are read there too.
pub(crate) fn stated_unit(word: &str) -> Option<&'static Unit> {
    let share_or_degrees = |unit: &&Unit| matches!(unit.dimension, "ratio" | "temperature");
    TABLE.stated.get(word).copied().or_else(|| unit(word, Short::Counts).filter(share_or_degrees))
}

/// The words that are units in texts that state facts.
pub(crate) fn stated_units() -> impl Iterator<Item = (&'static str, &'static Unit)> {
    UNITS.iter().flat_map(|(unit, words)| {
        let stated = words.iter().filter(|word| word.reader != Reader::Asked);
        stated.map(move |word| (word.text, unit))
    })
}

/// The same, of those that are written in Chinese.
pub(crate) fn stated_signs() -> &'static [(&'static str, &'static Unit)] {
    &TABLE.stated_signs
}

/// The longest unit without letters of the Latin alphabet that a text begins with.
pub fn unit_at(text: &str) -> Option<(&'static Unit, usize)> {
    longest(&TABLE.unit_signs, text)
}

/// The currency that a whole word names: its code, or its family's name.
pub fn currency(word: &str) -> Option<&'static str> {
    TABLE.currencies.get(word).copied()
}

/// The longest currency sign or Chinese word that a text begins with.
pub fn currency_at(text: &str) -> Option<(&'static str, usize)> {
    longest(&TABLE.currency_signs, text)
}

/// Whether two currencies may be the same: `$` is any dollar, ¥ is two currencies.
pub fn same_currency(one: &str, other: &str) -> bool {
    let family = |code: &str| TABLE.families.get(code).copied().filter(|family| !family.is_empty());
    one == other
        || family(one).is_some_and(|shared| (shared == one && family(other) == Some(shared)) || (shared == other))
}

/// Whether a word is the code of a currency, not only the name of a family.
pub fn is_currency_code(word: &str) -> bool {
    word.len() == 3 && TABLE.families.contains_key(word)
}

fn longest<T: Copy>(signs: &[(&'static str, T)], text: &str) -> Option<(T, usize)> {
    signs.iter().find(|(sign, _)| text.starts_with(sign)).map(|(sign, found)| (*found, sign.len()))
}

struct Table {
    stated: FxHashMap<&'static str, &'static Unit>,
    stated_signs: Vec<(&'static str, &'static Unit)>,
    units: FxHashMap<&'static str, (&'static Unit, bool)>,
    unit_signs: Vec<(&'static str, &'static Unit)>,
    currencies: FxHashMap<&'static str, &'static str>,
    currency_signs: Vec<(&'static str, &'static str)>,
    families: FxHashMap<&'static str, &'static str>,
}

/// The litres of a cubic metre.
const LITRES: f64 = 1000.0;

/// A word of a unit.
struct UnitWord {
    text: &'static str,
    /// Whether it counts only right behind a number or as the last word of a name.
    short: bool,
    reader: Reader,
}

/// Where a word is a unit.
#[derive(PartialEq, Eq)]
enum Reader {
    Everyone,
    /// Only in what people ask for.
    Asked,
    /// Only in texts that state facts.
    Stated,
}

impl UnitWord {
    /// Reads a word with its marks.
    fn read(marked: &'static str) -> Self {
        let unmarked = marked.strip_prefix('~').unwrap_or(marked);
        let (text, reader) = match unmarked.strip_prefix(['?', '!']) {
            Some(text) if unmarked.starts_with('?') => (text, Reader::Asked),
            Some(text) => (text, Reader::Stated),
            None => (unmarked, Reader::Everyone),
        };
        Self { text, short: marked.starts_with('~'), reader }
    }
}

static UNITS: LazyLock<Vec<(Unit, Vec<UnitWord>)>> = LazyLock::new(|| {
    let read = rows(include_str!("data/units.tsv")).filter_map(|row| {
        let mut columns = row.split('\t');
        let (dimension, base) = (columns.next()?, columns.next()?);
        let (factor, offset) = (columns.next()?.parse().ok()?, columns.next()?.parse().ok()?);
        let words: Vec<UnitWord> = columns.next()?.split('|').map(UnitWord::read).collect();
        let name = words.first()?.text;
        Some((Unit { dimension, base, factor, offset, name }, words))
    });
    read.collect()
});

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let latin = |word: &&str| word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'/' | b'.' | b'$'));
    let mut table = Table {
        stated: stated_units().collect(),
        stated_signs: stated_units().filter(|(word, _)| word.starts_with(is_han)).collect(),
        units: FxHashMap::default(),
        unit_signs: Vec::new(),
        currencies: FxHashMap::default(),
        currency_signs: Vec::new(),
        families: FxHashMap::default(),
    };
    for (unit, words) in UNITS.iter() {
        let asked = || words.iter().filter(|word| word.reader != Reader::Stated);
        table.units.extend(asked().map(|word| (word.text, (unit, word.short))));
        table.unit_signs.extend(asked().filter(|word| !latin(&word.text)).map(|word| (word.text, unit)));
    }
    for row in rows(include_str!("data/currencies.tsv")) {
        let mut columns = row.split('\t');
        let (Some(code), Some(words)) = (columns.next(), columns.next()) else { continue };
        table.families.insert(code, columns.next().unwrap_or_default());
        table.currencies.extend(words.split('|').map(|word| (word, code)));
        let signs = words.split('|').filter(|word| !latin(word) || word.ends_with('$'));
        table.currency_signs.extend(signs.map(|word| (word, code)));
    }
    table.unit_signs.sort_by_key(|(sign, _)| std::cmp::Reverse(sign.len()));
    table.currency_signs.sort_by_key(|(sign, _)| std::cmp::Reverse(sign.len()));
    table
});

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&UNITS);
    LazyLock::force(&TABLE);
}

#[cfg(test)]
mod tests {
    use super::*;

    // MEANING-1
    #[test]
    fn units_convert_within_their_dimension() {
        let named = |word| unit(word, Short::Counts).unwrap();
        let near = |a: Option<f64>, b: f64| (a.unwrap() - b).abs() < 0.05;
        assert!(near(named("fahrenheit").convert(70.0, named("celsius")), 21.1));
        assert!(near(named("minutes").convert(10.0, named("s")), 600.0));
        assert!(near(named("斤").convert(3.0, named("kg")), 1.5));
        assert!(near(named("mph").convert(60.0, named("kmh")), 96.56));
        assert!(named("kg").convert(1.0, named("ml")).is_none());
        assert!(unit("s", Short::Ignored).is_none() && unit("sofa", Short::Counts).is_none());
        assert_eq!(unit_at("公斤米").map(|(unit, end)| (unit.name, end)), Some(("kg", "公斤".len())));
    }

    #[test]
    fn signs_stand_for_their_family() {
        let code = |word| currency(word).unwrap();
        assert!(same_currency(code("$"), code("usd")) && same_currency(code("cad"), code("dollars")));
        assert!(!same_currency(code("usd"), code("cad")) && !same_currency(code("€"), code("$")));
        assert!(same_currency(code("¥"), code("jpy")) && !same_currency(code("元"), code("yen")));
        assert_eq!(currency_at("us$5").map(|found| found.0), Some("usd"));
        assert!(is_currency_code("chf") && !is_currency_code("dollar"));
    }

    #[test]
    fn every_word_stands_once() {
        for reader in [Reader::Asked, Reader::Stated] {
            let mut seen = std::collections::HashSet::new();
            let read = |word: &&UnitWord| word.reader == Reader::Everyone || word.reader == reader;
            for word in UNITS.iter().flat_map(|(_, words)| words.iter().filter(read)) {
                assert!(seen.insert(word.text), "{} stands twice", word.text);
            }
        }
        assert!(UNITS.len() > 40 && TABLE.families.len() > 30);
    }
}
