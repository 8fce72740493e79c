//! New names for things: random, so that nobody guesses another's.

use std::fmt::Write;

/// A new name with a prefix that says what it names, such as `ses_…`: 128 random bits.
///
/// # Errors
/// Where the system has no randomness to give, which ends in a refusal and never in a name that can be guessed.
pub fn new_id(prefix: &str) -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)?;
    let mut id = String::with_capacity(prefix.len() + 33);
    id.push_str(prefix);
    id.push('_');
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    Ok(id)
}
