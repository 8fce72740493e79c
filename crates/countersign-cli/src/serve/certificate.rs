//! Until when a certificate holds: the one thing that people want to know of it before a browser tells them.
//!
//! Only as much DER is read as leads to the end of the validity. What cannot be read is `None`: TLS itself decides whether a
//! certificate can be used, this only warns.

use jiff::Timestamp;

/// The end of a certificate's validity.
pub(crate) fn not_after(certificate: &[u8]) -> Option<Timestamp> {
    let mut outer = Der(Der(certificate).inside(SEQUENCE)?);
    let mut fields = Der(outer.inside(SEQUENCE)?);
    if fields.tag()? == VERSION {
        fields.inside(VERSION)?;
    }
    // The serial number, the algorithm and the issuer are in front of the validity.
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        fields.inside(tag)?;
    }
    let mut validity = Der(fields.inside(SEQUENCE)?);
    validity.next()?;
    let (tag, text) = validity.next()?;
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    match tag {
        UTC_TIME => {
            // RFC 5280: years from 1950 to 2049.
            let century = if text.get(..2)?.parse::<u8>().ok()? < 50 { "20" } else { "19" };
            moment(&format!("{century}{text}"))
        }
        GENERALIZED_TIME => moment(text),
        _ => None,
    }
}

/// `20261118143000` as a time.
fn moment(digits: &str) -> Option<Timestamp> {
    let part = |from: usize, to: usize| digits.get(from..to).filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
    let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, 14)?);
    format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z").parse().ok()
}

/// What is left of some DER.
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    fn tag(&self) -> Option<u8> {
        self.0.first().copied()
    }

    /// The next value, which must have this tag.
    fn inside(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next().filter(|(found, _)| *found == tag).map(|(_, value)| value)
    }

    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, mut rest) = rest.split_first()?;
        let mut length = usize::from(first);
        if first >= 0x80 {
            let (digits, after) = rest.split_at_checked(usize::from(first & 0x7f))?;
            if digits.len() > 4 {
                return None;
            }
            length = digits.iter().fold(0, |sum, digit| sum << 8 | usize::from(*digit));
            rest = after;
        }
        let (value, after) = rest.split_at_checked(length)?;
        self.0 = after;
        Some((tag, value))
    }
}

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

#[cfg(test)]
mod tests {
    use super::*;

    fn made(year: i32) -> Vec<u8> {
        let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 2, 3);
        let key = rcgen::KeyPair::generate().unwrap();
        params.self_signed(&key).unwrap().der().to_vec()
    }

    // SERVE-3
    #[test]
    fn the_end_of_a_certificate_is_read_in_both_forms() {
        for (year, end) in [(2027, "2027-02-03T00:00:00Z"), (2061, "2061-02-03T00:00:00Z")] {
            assert_eq!(not_after(&made(year)), Some(end.parse().unwrap()));
        }
    }

    #[test]
    fn what_is_no_certificate_is_none() {
        let whole = made(2027);
        for end in 0..whole.len().min(200) {
            assert_eq!(not_after(&whole[..end]), None);
        }
        for wrong in [&[][..], &[0x30], &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff], &[0x30, 0x80], &[0x30, 0xff, 1]] {
            assert_eq!(not_after(wrong), None);
        }
        for (text, fits) in [("20261118143000", true), ("2026111814300", false), ("2026+118143000", false), ("", false)]
        {
            assert_eq!(moment(text).is_some(), fits, "{text}");
        }
    }
}
