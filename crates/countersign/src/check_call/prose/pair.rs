//! Which half of an ordered pair a parameter is: `start_date` and `end_date`, `min_price` and `max_price`.
//!
//! Only the name is read. Two halves belong together where the rest of their names is the same.

use crate::text::lists::word_list;
use crate::text::words::identifier_words;

/// One half of a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// Which pair: an index into [`PAIRS`].
    pub pair: usize,
    /// Which half.
    pub half: Half,
    /// The other words of the name: both halves have the same.
    pub stem: String,
    /// What the halves may be compared as.
    pub kind: Kind,
}

/// The half that comes first, or the one that comes second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Start, from, minimum.
    Low,
    /// End, to, maximum.
    High,
}

/// What a pair's values may be compared as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Dates only: numbers of such a pair may go round (hours of a night shift, months of a winter).
    Dates,
    /// Dates and numbers.
    Any,
}

/// The half that a name is, where it is one.
pub(crate) fn side(name: &str) -> Option<Side> {
    let words = identifier_words(name);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for (pair, (low, high, kind)) in PAIRS.iter().enumerate() {
        for (half, entries) in [(Half::Low, low), (Half::High, high)] {
            if let Some(stem) = entries.iter().find_map(|entry| without(&words, entry)) {
                let round = low.contains(&"start") && ROUND.iter().any(|word| words.contains(word));
                let kind = if round { Kind::Dates } else { *kind };
                return Some(Side { pair, half, stem, kind });
            }
        }
    }
    None
}

/// The name's other words, where the entry's words are in it side by side.
fn without(words: &[&str], entry: &str) -> Option<String> {
    let entry: Vec<&str> = entry.split(' ').collect();
    let at = words.windows(entry.len()).position(|window| window == entry)?;
    let rest = words.iter().enumerate().filter(|(place, _)| *place < at || *place >= at + entry.len());
    Some(rest.map(|(_, word)| *word).collect::<Vec<_>>().join(" "))
}

type Pair = (&'static [&'static str], &'static [&'static str], Kind);

/// The pairs, the more special first.
pub(crate) const PAIRS: &[Pair] = &[
    (&["check in", "checkin"], &["check out", "checkout"], Kind::Dates),
    (&["departure", "depart", "departing", "outbound"], &["return", "returning", "inbound"], Kind::Dates),
    (&["min", "minimum"], &["max", "maximum"], Kind::Any),
    (&["lower"], &["upper"], Kind::Any),
    (&["start", "starting", "begin", "beginning"], &["end", "ending", "finish", "stop"], Kind::Any),
    (&["from"], &["to"], Kind::Dates),
    (&["since", "after"], &["until", "before"], Kind::Dates),
    (&["pickup", "pick up"], &["dropoff", "drop off"], Kind::Dates),
];

/// What may start above its end: 22 to 6 o'clock, November to March, 350 to 10 degrees, a price that falls.
const ROUND: &[&str] = word_list!("check_call", "prose/pair/round");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_told_by_name() {
        // CALL-4
        let (low, high) = (side("startDate").unwrap(), side("end_date").unwrap());
        assert_eq!((low.pair, &low.stem, low.half, high.half), (high.pair, &high.stem, Half::Low, Half::High));
        assert_eq!(side("check_in_date").unwrap().pair, side("check-out-date").unwrap().pair);
        assert_eq!(side("start_hour").unwrap().kind, Kind::Dates);
        assert_eq!(side("min_price").unwrap().kind, Kind::Any);
        assert!(side("city").is_none() && side("story").is_none());
    }
}
