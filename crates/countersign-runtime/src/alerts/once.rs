//! Which alerts are said: the first of its kind and subject, and then one a minute with the count of those between.

use super::{Alert, AlertKind};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// What was said when.
#[derive(Default)]
pub(super) struct Once {
    said: HashMap<(AlertKind, String), Said>,
}

struct Said {
    at: Instant,
    suppressed: u64,
}

/// What becomes of an alert.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ruling {
    /// It is said.
    Say {
        /// How often it was raised and not said since the last time.
        suppressed: u64,
    },
    /// It is counted.
    Count,
}

impl Once {
    /// Rules on an alert at a time.
    pub(super) fn rule(&mut self, alert: &Alert, now: Instant, quiet: Duration) -> Ruling {
        if self.said.len() >= MAX_SUBJECTS {
            self.said.retain(|_, said| now.saturating_duration_since(said.at) < quiet);
            if self.said.len() >= MAX_SUBJECTS {
                return Ruling::Count;
            }
        }
        let said = self.said.entry((alert.kind, alert.subject.clone()));
        match said {
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(Said { at: now, suppressed: 0 });
                Ruling::Say { suppressed: 0 }
            }
            std::collections::hash_map::Entry::Occupied(mut place) => {
                let said = place.get_mut();
                if now.saturating_duration_since(said.at) < quiet {
                    said.suppressed += 1;
                    return Ruling::Count;
                }
                said.at = now;
                Ruling::Say { suppressed: std::mem::take(&mut said.suppressed) }
            }
        }
    }
}

/// More subjects than that within a minute are a flood: new ones are not said.
const MAX_SUBJECTS: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    fn alert(kind: AlertKind, subject: &str) -> Alert {
        Alert { kind, subject: subject.to_owned(), text: String::new() }
    }

    // SERVE-2: deduplicated, and the next one says how many there were.
    #[test]
    fn the_same_alert_is_said_once_a_minute() {
        let (mut once, start, quiet) = (Once::default(), Instant::now(), Duration::from_secs(60));
        let limit = alert(AlertKind::OverLimit, "key_1");
        assert_eq!(once.rule(&limit, start, quiet), Ruling::Say { suppressed: 0 });
        assert_eq!(once.rule(&limit, start + Duration::from_secs(59), quiet), Ruling::Count);
        assert_eq!(once.rule(&alert(AlertKind::OverLimit, "key_2"), start, quiet), Ruling::Say { suppressed: 0 });
        assert_eq!(once.rule(&alert(AlertKind::StoreAway, "key_1"), start, quiet), Ruling::Say { suppressed: 0 });
        assert_eq!(once.rule(&limit, start + Duration::from_secs(61), quiet), Ruling::Say { suppressed: 1 });
        assert_eq!(once.rule(&limit, start + Duration::from_secs(122), quiet), Ruling::Say { suppressed: 0 });
    }

    #[test]
    fn a_flood_of_subjects_takes_bounded_memory() {
        let (mut once, now) = (Once::default(), Instant::now());
        for n in 0..3 * MAX_SUBJECTS {
            once.rule(&alert(AlertKind::TurnFailed, &n.to_string()), now, Duration::from_secs(60));
        }
        assert!(once.said.len() <= MAX_SUBJECTS);
    }
}
