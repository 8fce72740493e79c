//! How strict we are, and what a check may do with what it finds.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// How strictly a call is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Accepts with warnings what is neither denied nor dangerous.
    Lenient = 1,
    /// Repairs what is certain and refuses the rest.
    #[default]
    Moderate = 2,
    /// Refuses what is doubtful; repairs are only offered.
    Strict = 3,
}

impl Level {
    /// Reads a name in any case, or 3, 2, 1.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "strict" | "3" => Some(Self::Strict),
            "moderate" | "2" => Some(Self::Moderate),
            "lenient" | "1" => Some(Self::Lenient),
            _ => None,
        }
    }

    /// Its name, as policies and requests write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Moderate => "moderate",
            Self::Lenient => "lenient",
        }
    }
}

/// What a check may do with its findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Findings count in the decision.
    Enforce,
    /// Findings are shown and never refuse.
    Advise,
    /// Findings are recorded beside the verdict and change nothing.
    Shadow,
    /// The check does not run.
    Off,
}

impl Mode {
    /// Its name, as policies write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Advise => "advise",
            Self::Shadow => "shadow",
            Self::Off => "off",
        }
    }
}

/// How much it takes until a result is suspicious. An error is enough at every level, and so is a share of passed checks
/// below the level's threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VerificationLevel {
    /// One failed check, or below 0.8.
    High,
    /// Two failed checks, or below 0.6.
    #[default]
    Medium,
    /// Errors only, or below 0.4.
    Low,
}

impl VerificationLevel {
    /// The threshold of this level.
    pub fn threshold(self) -> f64 {
        match self {
            Self::High => 0.8,
            Self::Medium => 0.6,
            Self::Low => 0.4,
        }
    }

    /// The number of failed checks that makes a result suspicious.
    pub fn doubts(self) -> usize {
        match self {
            Self::High => 1,
            Self::Medium => 2,
            Self::Low => usize::MAX,
        }
    }

    /// Reads a name in any case, or the threshold itself.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.trim().to_ascii_lowercase().as_str() {
            "high" | "0.8" => Some(Self::High),
            "medium" | "0.6" => Some(Self::Medium),
            "low" | "0.4" => Some(Self::Low),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        deserialize_name(input, Self::from_name, "level must be strict, moderate or lenient (or 3, 2, 1)")
    }
}

impl<'de> Deserialize<'de> for VerificationLevel {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        deserialize_name(input, Self::from_name, "verification level must be high, medium or low (or 0.8, 0.6, 0.4)")
    }
}

fn deserialize_name<'de, D: Deserializer<'de>, T>(
    input: D,
    read: impl Fn(&str) -> Option<T>,
    wanted: &str,
) -> Result<T, D::Error> {
    let found = match Value::deserialize(input)? {
        Value::String(name) => name,
        other => other.to_string(),
    };
    read(&found).ok_or_else(|| serde::de::Error::custom(format!("{wanted}, not `{found}`")))
}
