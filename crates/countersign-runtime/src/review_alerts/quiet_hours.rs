//! When somebody is not to be disturbed: from one time of the day to another, where they live.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// A part of every day, such as 22:00-07:00, in a time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuietHours {
    from: Time,
    until: Time,
    zone: TimeZone,
}

impl QuietHours {
    /// Reads `22:00-07:00` and a zone such as `Europe/Oslo`.
    pub fn read(hours: &str, zone: &str) -> Result<Self, String> {
        let wrong = || format!("`{hours}` are no hours; write them as 22:00-07:00");
        let (from, until) = hours.split_once('-').ok_or_else(wrong)?;
        let (from, until) = (time(from).ok_or_else(wrong)?, time(until).ok_or_else(wrong)?);
        if from == until {
            return Err(format!("`{hours}` has no end; leave the channel out to tell nobody"));
        }
        let zone = TimeZone::get(zone)
            .map_err(|_| format!("`{zone}` is no time zone that this machine knows; write it as Europe/Oslo or UTC"))?;
        Ok(Self { from, until, zone })
    }

    /// When they end, where they hold at a moment.
    pub fn end_after(&self, now: Timestamp) -> Option<Timestamp> {
        let here = now.to_zoned(self.zone.clone());
        let time = here.time();
        let over_midnight = self.from > self.until;
        let holds = match over_midnight {
            true => time >= self.from || time < self.until,
            false => time >= self.from && time < self.until,
        };
        if !holds {
            return None;
        }
        let tomorrow = over_midnight && time >= self.from;
        let day = if tomorrow { here.date().checked_add(1.day()).ok()? } else { here.date() };
        // On the day that the clocks change, a time that does not exist is the next one that does.
        day.to_datetime(self.until).to_zoned(self.zone.clone()).ok().map(|end| end.timestamp())
    }
}

fn time(text: &str) -> Option<Time> {
    let (hour, minute) = text.trim().split_once(':')?;
    let digits = |part: &str| part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(hour) || !digits(minute) {
        return None;
    }
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    // SERVE-2: a night goes over midnight, in the zone of whoever sleeps.
    #[test]
    fn a_night_ends_in_the_morning_of_its_zone() {
        let night = QuietHours::read("22:00-07:00", "Asia/Shanghai").unwrap();
        // 22:30 and 03:00 in Shanghai, which is eight hours ahead.
        assert_eq!(night.end_after(at("2026-11-18T14:30:00Z")), Some(at("2026-11-18T23:00:00Z")));
        assert_eq!(night.end_after(at("2026-11-18T19:00:00Z")), Some(at("2026-11-18T23:00:00Z")));
        assert_eq!(night.end_after(at("2026-11-18T23:00:00Z")), None);
        assert_eq!(night.end_after(at("2026-11-18T13:59:59Z")), None);
        let lunch = QuietHours::read("12:00-13:30", "UTC").unwrap();
        assert_eq!(lunch.end_after(at("2026-11-18T12:00:00Z")), Some(at("2026-11-18T13:30:00Z")));
        assert_eq!(lunch.end_after(at("2026-11-18T13:30:00Z")), None);
    }

    // SERVE-2: the night in which the clocks change ends all the same.
    #[test]
    fn the_clocks_may_change_in_the_night() {
        let night = QuietHours::read("22:00-02:30", "Europe/Oslo").unwrap();
        // On 2026-03-29 there is no 02:30 in Oslo: the clocks go from 02:00 to 03:00.
        let end = night.end_after(at("2026-03-28T22:00:00Z")).unwrap();
        assert!(end > at("2026-03-29T00:59:59Z") && end <= at("2026-03-29T01:30:00Z"), "{end}");
    }

    #[test]
    fn what_are_no_hours_is_refused() {
        for wrong in ["", "22-07", "22:00", "24:00-07:00", "22:00-22:00", "22:0x-7:00"] {
            assert!(QuietHours::read(wrong, "UTC").is_err(), "{wrong}");
        }
        assert!(QuietHours::read("22:00-07:00", "Mars/Base").unwrap_err().contains("time zone"));
    }
}
