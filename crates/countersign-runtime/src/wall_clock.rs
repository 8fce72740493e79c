//! What time it is for whoever asks, told to the engine with each call that is judged live.
//!
//! The engine reads no clock, and "tomorrow" is a date only where a request says what time it is. The gateway and hosted
//! turns say it here, once for an answer or a turn, and it is kept with the request that the verdicts were made on:
//! judged again, the request gives the same verdicts. What a caller has said is never changed. `countersign check` and
//! `POST /v1/check` fill in nothing, because a row must be judged tomorrow as it is today.

use countersign::contract::context::{NOW, TIMEZONE};
use jiff::Timestamp;
use jiff::fmt::temporal::DateTimeParser;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};

/// Says in a context what time it is, unless it says so itself: `now` in the caller's zone where that is known, else in
/// the server's, which is then named as `timezone` where it has a name.
pub fn fill_in(context: &mut Map<String, Value>, at: i64) {
    fill_in_from(context, at, TimeZone::try_system().ok());
}

fn fill_in_from(context: &mut Map<String, Value>, at: i64, server: Option<TimeZone>) {
    let said = |key: &str| context.get(key).filter(|value| !value.is_null());
    // A zone of ours beside a time of theirs could contradict it.
    if said(NOW).is_some() {
        return;
    }
    let stated = said(TIMEZONE).cloned();
    let callers = stated.as_ref().and_then(Value::as_str).and_then(find_zone);
    if let (None, Some(name)) = (stated, server.as_ref().and_then(TimeZone::iana_name)) {
        context.insert(TIMEZONE.to_owned(), name.into());
    }
    let zone = callers.or(server).unwrap_or(TimeZone::UTC);
    let instant = Timestamp::from_millisecond(at).unwrap_or(Timestamp::UNIX_EPOCH);
    let now = instant.to_zoned(zone).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    context.insert(NOW.to_owned(), now.into());
}

/// The zone of a name or an offset. One that the system does not know is no reason to refuse a call.
fn find_zone(name: &str) -> Option<TimeZone> {
    DateTimeParser::new().parse_time_zone(name.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::offset;
    use serde_json::json;

    fn filled(context: Value, server: Option<TimeZone>) -> Value {
        let mut context = context.as_object().cloned().unwrap_or_default();
        fill_in_from(&mut context, 1_773_477_000_750, server);
        Value::Object(context)
    }

    // MEANING-3
    #[test]
    fn the_servers_time_is_told_where_nobody_told_one() {
        let utc = "2026-03-14T08:30:00+00:00";
        assert_eq!(filled(json!({}), Some(TimeZone::UTC)), json!({"timezone": "UTC", "now": utc}));
        assert_eq!(filled(json!({"now": null}), None), json!({"now": utc}));
        let nameless = Some(TimeZone::fixed(offset(-5)));
        let told = json!({"user_role": "viewer", "now": "2026-03-14T03:30:00-05:00"});
        assert_eq!(filled(json!({"user_role": "viewer"}), nameless), told);
    }

    // MEANING-3
    #[test]
    fn what_the_caller_told_stays() {
        for told in [json!({"now": "2020-01-01T00:00:00Z"}), json!({"now": "2020-01-01", "timezone": "Asia/Tokyo"})] {
            assert_eq!(filled(told.clone(), Some(TimeZone::UTC)), told);
        }
        let zone = json!({"timezone": "+08:00", "now": "2026-03-14T16:30:00+08:00"});
        assert_eq!(filled(json!({"timezone": "+08:00"}), Some(TimeZone::UTC)), zone);
        let unknown = json!({"timezone": "Nowhere/Else", "now": "2026-03-14T08:30:00+00:00"});
        assert_eq!(filled(json!({"timezone": "Nowhere/Else"}), Some(TimeZone::UTC)), unknown);
    }
}
