//! Choices and names that look like chance and are none: all follow from a hash.
//!
//! A demonstration has to be repeatable, so nothing here reads a clock or rolls real dice.

use sha2::{Digest, Sha256};

/// Answers to "which one?", the same for the same beginnings.
#[derive(Debug, Clone)]
pub(super) struct Dice {
    state: [u8; 32],
}

impl Dice {
    /// Dice that depend on a seed and some texts, and on the borders between the texts.
    pub(super) fn new(seed: u64, texts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        hash.update(seed.to_be_bytes());
        for text in texts {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text.as_bytes());
        }
        Self { state: hash.finalize().into() }
    }

    /// A number for a label.
    pub(super) fn roll(&self, label: &str) -> u64 {
        self.bytes(label).iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
    }

    /// One of several.
    pub(super) fn pick<'a, T>(&self, label: &str, from: &'a [T]) -> Option<&'a T> {
        let count = u64::try_from(from.len()).ok().filter(|count| *count > 0)?;
        from.get(usize::try_from(self.roll(label) % count).ok()?)
    }

    /// A name: the prefix and 24 hexadecimal digits.
    pub(super) fn id(&self, prefix: &str, label: &str) -> String {
        let digits: String = self.bytes(label).iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        format!("{prefix}{digits}")
    }

    /// A moment in seconds, some time in 2024: clients want one, and it must not come from a clock.
    pub(super) fn moment(&self) -> u64 {
        YEAR_2024 + self.roll("moment") % SECONDS_OF_A_YEAR
    }

    fn bytes(&self, label: &str) -> [u8; 32] {
        Sha256::new().chain_update(self.state).chain_update(label.as_bytes()).finalize().into()
    }
}

const YEAR_2024: u64 = 1_704_067_200;
const SECONDS_OF_A_YEAR: u64 = 31_536_000;
