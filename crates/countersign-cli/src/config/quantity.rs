//! Spans of time and sizes, as people write them: `10s`, `15m`, `30d`, `10MiB`. A bare number is seconds or bytes.

use std::time::Duration;

/// Reads a span of time.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no span of time; write it as 500ms, 10s, 15m, 2h or 30d");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let scale = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(wrong()),
    };
    Duration::try_from_secs_f64(number * scale).ok().filter(|span| *span <= LONGEST).ok_or_else(wrong)
}

/// Reads a size.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no size; write it as 512KiB, 10MiB, 2GiB or a number of bytes");
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let scale: f64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(wrong()),
    };
    let size = number * scale;
    // Above 2^53 a float would not say what was written.
    if size <= 9e15 { Ok(size as u64) } else { Err(wrong()) }
}

/// The number and the unit after it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    let number: f64 = number.parse().ok()?;
    Some((number, unit.trim()))
}

/// A hundred years: nothing that is waited for.
const LONGEST: Duration = Duration::from_secs(100 * 366 * 86_400);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_sizes_are_read_as_people_write_them() {
        assert_eq!(duration("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("1.5 m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        assert_eq!(bytes("10MiB"), Ok(10 * 1024 * 1024));
        assert_eq!(bytes("1 kB"), Ok(1000));
        assert_eq!(bytes("77"), Ok(77));
        for wrong in ["", "s", "-1s", "10 parsecs", "1e400d", "99999999999d"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "MiB", "-1", "9999999999GiB", "10 pages"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }
}
