//! New names for things: random, so that nobody guesses another's.

use std::fmt::Write;

/// A new name with a prefix that says what it names, such as `ses_…`: 128 random bits.
///
/// # Errors
/// Where the system has no randomness to give, which ends in a refusal and never in a name that can be guessed.
pub fn new_id(prefix: &str) -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)?;
    Ok(write_id(prefix, bytes))
}

/// The same for what is written often: the time in milliseconds, then 80 random bits. Such names lie beside each other
/// in an index, which then has one place to write and not one for each.
///
/// # Errors
/// As [`new_id`].
pub fn new_ordered_id(prefix: &str, now_millis: i64) -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)?;
    for (byte, time) in bytes.iter_mut().zip(now_millis.to_be_bytes().into_iter().skip(2)) {
        *byte = time;
    }
    Ok(write_id(prefix, bytes))
}

fn write_id(prefix: &str, bytes: [u8; 16]) -> String {
    let mut id = String::with_capacity(prefix.len() + 33);
    id.push_str(prefix);
    id.push('_');
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_new_and_ordered_ones_follow_the_clock() {
        assert_ne!(new_id("a").unwrap(), new_id("a").unwrap());
        let (one, two) =
            (new_ordered_id("a", 1_700_000_000_000).unwrap(), new_ordered_id("a", 1_700_000_000_001).unwrap());
        assert!(one < two && one.len() == two.len() && one.len() == new_id("a").unwrap().len());
        assert_ne!(new_ordered_id("a", 7).unwrap(), new_ordered_id("a", 7).unwrap());
    }
}
