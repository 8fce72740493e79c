//! The dates and times that results speak of.

use super::argument::{Moment, read_moment};
use crate::text::mentions::Reading;
use serde_json::Value;

/// The dates and times in results.
pub(crate) fn moments_of(results: &[&Value]) -> Vec<Moment> {
    let mut found = Vec::new();
    let mut open: Vec<&Value> = results.to_vec();
    while let Some(value) = open.pop() {
        if found.len() >= MAX_MOMENTS || open.len() > MAX_OPEN {
            break;
        }
        match value {
            Value::String(text) if text.len() <= 40 => match read_moment(text) {
                Some(moment) => found.push(moment),
                None => found.extend(mentioned(text)),
            },
            Value::String(text) => found.extend(mentioned(text)),
            Value::Array(list) => open.extend(list),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    found
}

/// The dates and times that a text of a result speaks of.
fn mentioned(text: &str) -> Vec<Moment> {
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let reading = Reading::of(text);
    let days = reading.dates().filter_map(|(_, words)| words.resolve(None).first().map(|days| days.first));
    let mut found: Vec<Moment> = days.map(|date| Moment { date: Some(date), minutes: None, utc: false }).collect();
    found.extend(reading.clocks().map(|(_, clock)| Moment { date: None, minutes: Some(clock.minutes), utc: false }));
    found
}

const MAX_MOMENTS: usize = 200;
const MAX_OPEN: usize = 4000;
