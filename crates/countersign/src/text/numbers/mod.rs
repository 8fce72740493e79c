//! Reads numbers with their units, and dates, so that two texts can be compared by what they say: 12.5% is 0.125,
//! 3.4亿 is 340,000,000, 零下21度 is −21 °C, "two" is 2, 三分之一 is a third.
//!
//! Only forms with one reading are read. An identifier (`B-41`), a version (`1.2.3`) and a clock (`12:30`) are no
//! numbers, and an ordinary word that holds a numeral (统一, 一些) is none either. Nothing here judges.

pub mod scan;
pub mod units;
pub(crate) mod numerals;
pub mod dates;
pub mod clocks;
pub mod quantities;

use dates::Date;
use quantities::Quantity;
use scan::Scan;

/// The numbers and dates of a text, each in order, without overlaps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Numbers {
    /// Numbers with their units.
    pub quantities: Vec<Quantity>,
    /// Dates and years.
    pub dates: Vec<Date>,
}

/// Reads a text once, from left to right.
pub fn numbers(text: &str) -> Numbers {
    let scan = Scan::new(text);
    let mut found = Numbers::default();
    let mut at = 0;
    while at < scan.len() {
        if let Some((date, next)) = dates::read(&scan, at) {
            found.dates.push(date);
            at = next;
        } else if let Some((quantity, next)) = quantities::read(&scan, at) {
            match found.quantities.last_mut() {
                Some(last) if continues(text, last, &quantity) => last.join(quantity),
                _ => found.quantities.push(quantity),
            }
            at = next;
        } else {
            at = scan.skip(at);
        }
    }
    found
}

/// Whether a number goes on with a smaller unit: "1 hour 20 minutes", 1小时20分钟, "5 ft 3 inches".
fn continues(text: &str, last: &Quantity, next: &Quantity) -> bool {
    let gap = text.get(last.range.end..next.range.start);
    let close = gap.is_some_and(|gap| matches!(gap.trim(), "" | "and" | "零" | "又"));
    let divisible = last.unit.is_some_and(|unit| matches!(unit, "s" | "m" | "kg" | "month"));
    close && divisible && last.unit == next.unit && last.factor() > next.factor() * 1.5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(f64, Option<&'static str>)> {
        numbers(text).quantities.iter().map(|q| ((q.value * 1e6).round() / 1e6, q.unit)).collect()
    }

    // SCORE-3
    #[test]
    fn numbers_are_read_with_their_units() {
        assert_eq!(values("grew 12.5% to $3.5B"), [(0.125, Some("ratio")), (3.5e9, Some("usd"))]);
        assert_eq!(values("营收３.4亿元，占三分之一"), [(3.4e8, Some("cny")), (0.333_333, None)]);
        assert_eq!(values("零下21度"), [(-21.0, Some("celsius"))]);
        assert_eq!(values("-6°C and 68 °F"), [(-6.0, Some("celsius")), (20.0, Some("celsius"))]);
        assert_eq!(values("1,234,567 people, twenty-five cats"), [(1_234_567.0, None), (25.0, None)]);
        assert_eq!(values("300 km per hour, 2 hours"), [(83.333_333, Some("m/s")), (7200.0, Some("s"))]);
        assert_eq!(values("百分之十二，三千五百人"), [(0.12, Some("ratio")), (3500.0, None)]);
        assert_eq!(values("two hundred and five thousand"), [(205_000.0, None)]);
        assert_eq!(values("1.5万亿元"), [(1.5e12, Some("cny"))]);
        assert_eq!(values("1 hour 20 minutes, 1小时20分钟"), [(4800.0, Some("s")), (4800.0, Some("s"))]);
        assert_eq!(values("5 km and 3 km"), [(5000.0, Some("m")), (3000.0, Some("m"))]);
    }

    #[test]
    fn what_is_no_number_stays_none() {
        for text in ["order B-41", "version 1.2.3", "at 12:30", "统一管理一些事", "COVID-19", "a 10.0.0.1 b", "v2"]
        {
            assert!(values(text).is_empty(), "{text}: {:?}", values(text));
        }
    }

    #[test]
    fn ranges_and_hedges_are_kept() {
        let range = &numbers("between 5 and 10 km").quantities[0];
        assert_eq!((range.value, range.upper, range.unit), (5000.0, Some(10_000.0), Some("m")));
        let range = &numbers("5-10%").quantities[0];
        assert_eq!((range.raw, range.upper, range.unit), (5.0, Some(0.1), Some("ratio")));
        assert_eq!(numbers("about 200 people").quantities[0].hedge, quantities::Hedge::About);
        assert_eq!(numbers("超过200人").quantities[0].hedge, quantities::Hedge::Over);
    }

    #[test]
    fn dates_fall_into_parts() {
        let parts = |text: &str| numbers(text).dates.iter().map(|d| (d.year, d.month, d.day)).collect::<Vec<_>>();
        assert_eq!(parts("born October 16, 1898"), [(Some(1898), Some(10), Some(16))]);
        assert_eq!(
            parts("16th Oct. 1898; 2024-03-05T10:00Z"),
            [(Some(1898), Some(10), Some(16)), (Some(2024), Some(3), Some(5))]
        );
        assert_eq!(
            parts("2024年3月5日，2023年，3月"),
            [(Some(2024), Some(3), Some(5)), (Some(2023), None, None), (None, Some(3), None)]
        );
        assert_eq!(parts("in 2019 and May 2020"), [(Some(2019), None, None), (Some(2020), Some(5), None)]);
        assert_eq!(parts("you may go"), []);
        assert_eq!(parts("the 2018–19 season; COLING'2020"), [(Some(2018), None, None), (Some(2020), None, None)]);
        assert_eq!(parts("2024-03"), [(Some(2024), Some(3), None)]);
    }

    #[test]
    fn hostile_text_is_read_to_its_end() {
        for text in
            ["-", "$", "1,", "零下", "百分之", "9".repeat(400).as_str(), "三分之", "1e999", "+-+-5", "５％％", "²"]
        {
            let _ = numbers(text);
        }
        assert!(numbers(&"1-".repeat(50_000)).quantities.len() <= 50_000);
    }
}
