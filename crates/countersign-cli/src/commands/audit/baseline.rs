//! What was found before: fingerprints and how often each was seen. Lines and files are no part of them, so a trace may be
//! moved or grow without its findings becoming new.

use crate::failure::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Fingerprints.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Baseline {
    version: u32,
    findings: BTreeMap<String, usize>,
}

impl Baseline {
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, "read", &error))?;
        serde_json::from_str(&text).map_err(|error| {
            let help = "a baseline is written by `countersign audit … --write-baseline FILE`";
            Failure::with_help(format!("{} is no baseline: {error}", path.display()), help)
        })
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), Failure> {
        let whole = Self { version: 1, findings: self.findings.clone() };
        let text = serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n";
        std::fs::write(path, text).map_err(|error| Failure::file(path, "write", &error))
    }

    pub(super) fn add(&mut self, fingerprint: &str) {
        *self.findings.entry(fingerprint.to_owned()).or_default() += 1;
    }

    /// Whether a finding was seen before; each counts as often as it was seen.
    pub(super) fn take(&mut self, fingerprint: &str) -> bool {
        match self.findings.get_mut(fingerprint) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}
