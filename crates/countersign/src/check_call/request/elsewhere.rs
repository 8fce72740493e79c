//! The hour of another place: "ten in the morning for her, not for us". Nobody here can count where she is, but the same hour where
//! the user is cannot be meant.

use super::argument::{Argument, Moment};
use super::asked::Asked;
use super::slip::{Says, Slip, Strength};
use super::trace::MINUTES_OF_A_DAY;
use crate::contract::codes::meaning::OTHER_DATE;
use crate::localized;
use crate::text::cues::Cue;
use crate::text::mentions::clock::Clock;
use crate::text::mentions::{Mention, Reading};

/// Finds hours that were told for another place and sent as those of the user's own.
pub(crate) fn find(asked: &Asked<'_>, slips: &mut Vec<Slip>) {
    let own = asked.subject.context.now().and_then(offset_of).filter(|_| !asked.has_borrowed_clock());
    let Some((own, (said, clock))) = own.zip(told(asked.last)) else { return };
    for argument in &asked.arguments {
        let Some((moment, offset)) = zoned(asked, argument, own) else { continue };
        let Some(minutes) = moment.minutes else { continue };
        // The same moment on the user's own clock.
        let here = (i32::from(minutes) - offset + own).rem_euclid(MINUTES_OF_A_DAY);
        if !u16::try_from(here).is_ok_and(|here| clock.is(here)) {
            continue;
        }
        let (key, hour, minute) = (argument.node.key, here / 60, here % 60);
        let evidence = localized!(
            asked.subject.language,
            "the user said \"{said}\", which is the time of another place; `{key}` is {hour:02}:{minute:02} where the user is",
            "用户说的是“{said}”，是另一地的时间；而 `{key}` 是用户所在地的 {hour:02}:{minute:02}"
        );
        let hint = localized!(
            asked.subject.language,
            "count the time in the zone of the place that was named",
            "请按所说地点的时区换算时间"
        );
        slips.push(Slip::on(asked, argument, &OTHER_DATE, Strength::Strong, Says { evidence, hint }));
    }
}

/// The one time of day that was told by the clock of somebody elsewhere, as it was said.
fn told(reading: &Reading) -> Option<(&str, Clock)> {
    let mut clocks = reading.clocks().filter(|(mention, _)| !mention.excluded);
    let (mention, clock) = clocks.next().filter(|_| clocks.next().is_none())?;
    // "A table at seven for her" is no other time; "for her, not for us" is.
    let denied = Cue::named("not-for-us").stands_in(&reading.lower) && stands_beside(reading, mention, "for-them");
    (denied || stands_beside(reading, mention, "their-time")).then(|| (reading.text(mention), clock))
}

/// Whether a word of a list stands before a time of day or behind it, in the same part of the sentence.
fn stands_beside(reading: &Reading, mention: &Mention, list: &str) -> bool {
    let before = reading.lower.get(..mention.range.start).unwrap_or_default();
    let behind = reading.lower.get(mention.range.end..).unwrap_or_default();
    let before = before.rsplit(BORDERS).next().unwrap_or_default();
    let behind = behind.split(BORDERS).next().unwrap_or_default();
    let near = behind.get(..behind.floor_char_boundary(NEAR)).unwrap_or_default();
    let led = before.get(before.ceil_char_boundary(before.len().saturating_sub(NEAR))..).unwrap_or_default();
    Cue::named(list).stands_in(near) || Cue::named(list).chinese.iter().any(|word| led.contains(word))
}

/// A moment that says in which zone it is, or beside which the call names the user's own, with its distance from UTC in minutes.
fn zoned(asked: &Asked<'_>, argument: &Argument<'_>, own: i32) -> Option<(Moment, i32)> {
    let moment = argument.moment()?;
    let zone = asked.subject.context.timezone();
    let beside = || {
        asked.arguments.iter().any(|other| {
            let names = other.is_named(&["timezone", "zone", "tz"]);
            names && zone.is_some_and(|zone| other.text().is_some_and(|text| text.eq_ignore_ascii_case(zone)))
        })
    };
    let offset = offset_of(argument.node.value.as_str()?).or_else(|| beside().then_some(own));
    offset.map(|offset| (moment, offset))
}

/// How far the zone of a written moment is from UTC, in minutes: `…T10:00:00+02:00`, `…Z`.
fn offset_of(text: &str) -> Option<i32> {
    let (_, time) = text.trim().split_once(['T', 't', ' '])?;
    if time.ends_with(['Z', 'z']) {
        return Some(0);
    }
    let at = time.rfind(['+', '-'])?;
    let (hours, minutes) = time.get(at + 1..)?.split_once(':')?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    let offset = (0..=14).contains(&hours).then_some(hours * 60 + minutes % 60)?;
    Some(if time.get(at..=at) == Some("-") { -offset } else { offset })
}

/// What ends a part of a sentence.
const BORDERS: [char; 11] = [',', '.', ';', '!', '?', '(', '，', '。', '；', '！', '（'];
/// Whose clock it is stands close to the time.
const NEAR: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_read() {
        for (text, offset) in [
            ("2027-07-06T10:00:00+02:00", Some(120)),
            ("2027-07-06T10:00:00-03:30", Some(-210)),
            ("2027-07-06T08:00:00Z", Some(0)),
            ("2027-07-06T08:00", None),
            ("2027-07-06", None),
            ("T+", None),
            ("T-99:99", None),
        ] {
            assert_eq!(offset_of(text), offset, "{text}");
        }
    }
}
