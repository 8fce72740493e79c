//! Times of day: `14:25`, `2:25 pm`, `9am`, `T14:25:00Z`, 下午2点25分, 8点半.
//!
//! Only forms that can hardly be anything else are read: an hour alone needs "am", "pm" or a word for the part of
//! the day beside it.

use super::scan::Scan;
use std::ops::Range;

/// A time of day as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    /// Where it is, in bytes.
    pub range: Range<usize>,
    /// Minutes since midnight.
    pub minutes: u16,
    /// Whether the half of the day is known.
    pub sure: bool,
    /// Whether a zone is written after it.
    pub zoned: bool,
}

impl Clock {
    /// Whether two times may be the same: the half of the day counts where both know it, the hour where no zone is
    /// written.
    pub fn agrees(&self, other: &Clock) -> bool {
        let apart = self.minutes.abs_diff(other.minutes);
        let zoned = (self.zoned || other.zoned) && apart.is_multiple_of(30);
        let halves = !(self.sure && other.sure) && apart == HALF;
        apart == 0 || halves || zoned
    }

    /// Minutes from one time to the other, forwards.
    pub fn until(&self, other: &Clock) -> u16 {
        (other.minutes + 2 * HALF - self.minutes) % (2 * HALF)
    }
}

/// The times of day of a text, in order.
pub fn clocks(text: &str) -> Vec<Clock> {
    let mut found = Vec::new();
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return found;
    }
    let scan = Scan::new(text);
    let mut at = 0;
    while at < scan.len() {
        if !scan.digit(at) {
            at += 1;
            continue;
        }
        let (clock, next) = match read(&scan, at) {
            Some((clock, next)) => (Some(clock), next),
            None => (None, past_digits(&scan, at)),
        };
        found.extend(clock);
        at = next;
    }
    found
}

fn past_digits(scan: &Scan, mut at: usize) -> usize {
    while scan.digit(at) {
        at += 1;
    }
    at
}

fn read(scan: &Scan, at: usize) -> Option<(Clock, usize)> {
    let stamp = matches!(scan.before(at), Some('T' | 't')) && at >= 2 && scan.digit(at - 2);
    let glued = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '.' | '$' | '€' | '£' | '¥' | '_' | '+' | '#');
    if !stamp && scan.before(at).is_some_and(glued) {
        return None;
    }
    let (hour, width, end) = scan.digits(at).filter(|(hour, width, _)| *hour <= 24 && *width <= 2)?;
    let (minute, end, written) = minutes(scan, end)?;
    let (half, end) = half_of_day(scan, at, end);
    let zoned = matches!(scan.at(end), Some('Z' | 'z')) || (stamp && matches!(scan.at(end), Some('+' | '-')));
    if (!written && half.is_none()) || (half.is_some() && hour > 12 && !written) {
        return None;
    }
    let hour = match half {
        Some(true) if hour < 12 => hour + 12,
        Some(false) if hour == 12 => 0,
        _ => hour % 24,
    };
    let minutes = u16::try_from(hour * 60 + minute).ok()?;
    let sure = half.is_some() || hour > 12 || hour == 0 || stamp || (width == 2 && hour < 10);
    Some((Clock { range: scan.bytes(at..end), minutes, sure, zoned }, end))
}

/// The minutes after an hour, the place after them and their seconds, and whether they were written.
fn minutes(scan: &Scan, end: usize) -> Option<(u64, usize, bool)> {
    let two = |at: usize| scan.digits(at).filter(|(value, width, _)| *value < 60 && *width == 2);
    match scan.at(end) {
        Some(':') => {
            let (minute, _, end) = two(end + 1)?;
            let seconds = two(end + 1).filter(|_| scan.at(end) == Some(':')).map_or(end, |(.., end)| end);
            let fraction = scan.at(seconds) == Some('.') && scan.digit(seconds + 1);
            Some((minute, if fraction { past_digits(scan, seconds + 1) } else { seconds }, true))
        }
        Some('点') if scan.at(end + 1) == Some('半') => Some((30, end + 2, true)),
        Some('点' | '时') => match two(end + 1) {
            Some((minute, _, next)) => Some((minute, next + usize::from(scan.at(next) == Some('分')), true)),
            None => Some((0, end + 1, false)),
        },
        _ => Some((0, end, false)),
    }
}

/// Whether "pm" comes after (true), "am" (false), or a Chinese word for it before.
fn half_of_day(scan: &Scan, at: usize, end: usize) -> (Option<bool>, usize) {
    let from = scan.past_blanks(end);
    let (word, behind) = scan.word(from);
    let dotted = scan.at(behind) == Some('.') && matches!(scan.at(behind + 1), Some('m' | 'M'));
    match word.as_str() {
        "am" => return (Some(false), behind),
        "pm" => return (Some(true), behind),
        "a" if dotted => return (Some(false), behind + 2),
        "p" if dotted => return (Some(true), behind + 2),
        _ => {}
    }
    let han = matches!(scan.before(end), Some('点' | '分' | '半' | '时')) || scan.at(end - 1) == Some(':');
    let before = |word: &str| scan.starts(at.saturating_sub(2), word) && at >= 2;
    let digits = scan.before(end).is_some_and(|c| c.is_ascii_digit());
    match () {
        () if !han && !digits => (None, end),
        () if ["下午", "晚上", "傍晚", "中午"].iter().any(|word| before(word)) => (Some(true), end),
        () if ["上午", "早上", "凌晨", "清晨", "早晨"].iter().any(|word| before(word)) => (Some(false), end),
        () => (None, end),
    }
}

/// Minutes of half a day.
const HALF: u16 = 720;

#[cfg(test)]
mod tests {
    use super::*;

    // SCORE-3
    #[test]
    fn times_of_day_are_read_in_their_forms() {
        let minutes = |text: &str| clocks(text).iter().map(|clock| clock.minutes).collect::<Vec<_>>();
        assert_eq!(minutes("at 14:25, i.e. 2:25 pm or 2:25 p.m."), [865, 865, 865]);
        assert_eq!(minutes("2026-05-03T14:25:00Z, 9am"), [865, 540]);
        assert_eq!(minutes("下午2点25分发车，早上8点到，8点半开门"), [865, 480, 510]);
        assert_eq!(minutes("ratio 16:9, 3点建议, 12:345, 1.14:25, 24/7, $5:30"), Vec::<u16>::new());
        assert!(clocks("2:25")[0].agrees(&clocks("14:25")[0]));
        assert!(!clocks("2:25 am")[0].agrees(&clocks("14:25")[0]));
    }
}
