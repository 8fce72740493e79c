//! The numbers of a conversation, by their digits: `1,234.50` is `1234.5`.

use super::tokens::each_number;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::Hasher;

/// The numbers. Only hashes are kept, and the values that were said last.
#[derive(Debug, Default, Clone)]
pub struct Numbers {
    exact: FxHashSet<u64>,
    significant: FxHashSet<u64>,
    recent: Vec<f64>,
}

impl Numbers {
    /// Adds the numbers of a folded text.
    pub fn add(&mut self, folded: &str) {
        each_number(folded, |text| self.add_number(text));
    }

    fn add_number(&mut self, text: &str) {
        let Some(number) = Number::read(text) else { return };
        self.exact.insert(number.exact);
        self.significant.insert(number.significant);
        if self.recent.last() != Some(&number.value) {
            self.recent.push(number.value);
            if self.recent.len() > 2 * MAX_RECENT {
                self.recent.drain(..MAX_RECENT);
            }
        }
    }

    /// Whether a number stands there.
    pub fn has_number(&self, number: &Number) -> bool {
        self.exact.contains(&number.exact)
    }

    /// Whether a number stands there at any power of ten: `7%` for 0.07, `1.2k` for 1200, `3万` for 30000.
    pub fn has_digits(&self, number: &Number) -> bool {
        self.significant.contains(&number.significant)
    }

    /// Whether the number that is smaller by a power of ten stands there: 30 for 30000 at the power 3.
    pub fn has_shifted(&self, number: &Number, power: i32) -> bool {
        self.exact.contains(&at_scale(number.significant, number.scale.saturating_sub(power)))
    }

    /// The numbers said last, the newest last.
    pub fn recent(&self) -> &[f64] {
        let from = self.recent.len().saturating_sub(MAX_RECENT);
        self.recent.get(from..).unwrap_or_default()
    }

    /// Whether there is no number at all.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }
}

/// A number, however it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Number {
    /// Its value, without sign.
    pub value: f64,
    /// What one step of its last written digit is worth.
    pub place: f64,
    exact: u64,
    significant: u64,
    scale: i32,
}

impl Number {
    /// Reads `1,234.50`, `007`, `8.854e-12`. A sign is ignored.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim_start_matches(['-', '+']);
        let mut digits = [0u8; MAX_DIGITS];
        let (mut length, mut point, mut exponent) = (0usize, None, 0i32);
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                b'0'..=b'9' => {
                    *digits.get_mut(length)? = byte;
                    length += 1;
                }
                b'.' if point.is_none() => point = Some(length),
                b',' => {}
                b'e' => {
                    exponent = text.get(at + 1..)?.parse().ok()?;
                    break;
                }
                _ => return None,
            }
        }
        let digits = digits.get(..length).filter(|digits| !digits.is_empty())?;
        let whole = point.unwrap_or(length) as i32 + exponent;
        let leading = digits.iter().take_while(|digit| **digit == b'0').count();
        let trailing = digits.iter().rev().take_while(|digit| **digit == b'0').count();
        let core = digits.get(leading..length.saturating_sub(trailing)).unwrap_or_default();
        let scale = if core.is_empty() { 0 } else { whole - leading as i32 };
        let mut value = 0f64;
        for digit in core {
            value = value * 10.0 + f64::from(digit - b'0');
        }
        value *= 10f64.powi(scale - core.len() as i32);
        let place = 10f64.powi(whole - length as i32);
        let mut hasher = FxHasher::default();
        hasher.write(core);
        let significant = hasher.finish();
        Some(Self { value, place, exact: at_scale(significant, scale), significant, scale })
    }

    /// A whole number.
    pub fn whole(value: u64) -> Option<Self> {
        Self::read(&value.to_string())
    }
}

/// The hash of digits at a power of ten.
fn at_scale(significant: u64, scale: i32) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(significant);
    hasher.write_i32(scale);
    hasher.finish()
}

const MAX_RECENT: usize = 48;
const MAX_DIGITS: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::tokens::{Run, runs};
    use crate::text::fold::fold;
    use proptest::prelude::*;

    fn numbers(text: &str) -> Numbers {
        let mut numbers = Numbers::default();
        numbers.add(&fold(text));
        numbers
    }

    #[test]
    fn numbers_are_one_however_written() {
        // CALL-8
        let said = numbers("Pay $1,234.50 and 7% on 2023-05-09, 3万, then 1,2,3 at 2023.10.1");
        let has = |text: &str| said.has_number(&Number::read(text).unwrap());
        for known in ["1234.5", "7", "2023", "5", "9", "3", "10", "2"] {
            assert!(has(known), "{known}");
        }
        assert!(!has("1234") && !has("70") && !has("30000") && !has("12"));
        assert!(said.has_digits(&Number::read("0.07").unwrap()) && said.has_digits(&Number::read("30000").unwrap()));
        assert!(!said.has_digits(&Number::read("31000").unwrap()));
        let ten_thousands = Number::read("30000").unwrap();
        assert!(said.has_shifted(&ten_thousands, 4) && !said.has_shifted(&ten_thousands, 3));
        assert!((Number::read("8.854e-12").unwrap().value / 8.854e-12 - 1.0).abs() < 1e-9);
        assert_eq!(Number::read("1.2.3"), None);
    }

    #[test]
    fn hostile_numbers_end() {
        let long = "9".repeat(100_000);
        assert!(numbers(&long).is_empty());
        assert!(!numbers(&"1,".repeat(10_000)).is_empty());
    }

    proptest! {
        // CALL-8: what is found without reading the words is what stands between them.
        #[test]
        fn numbers_are_those_among_the_words(text in "[a-z0-9 .,é北京пр-]{0,60}") {
            let among: Vec<&str> =
                runs(&text).into_iter().filter_map(|run| if let Run::Number(number) = run { Some(number) } else { None }).collect();
            let mut alone = Vec::new();
            each_number(&text, |number| alone.push(number));
            prop_assert_eq!(alone, among);
        }
    }
}
