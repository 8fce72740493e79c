//! Where alerts go: an address that takes JSON in one of three forms, or people by e-mail.

use super::kind::TargetKind;
use super::mail::Mail;
use std::fmt;

/// A place that takes alerts.
#[derive(Clone, PartialEq, Eq)]
pub enum Target {
    /// An address that takes JSON.
    Hook {
        /// Its form.
        kind: TargetKind,
        /// Its address. Part of it is a secret.
        url: String,
    },
    /// People, by e-mail.
    Mail(Mail),
}

impl Target {
    /// The address of whoever takes messages for it.
    pub fn reached_at(&self) -> String {
        match self {
            Self::Hook { url, .. } => url.clone(),
            Self::Mail(mail) => format!("smtp://{}:{}", mail.server.host, mail.server.port),
        }
    }

    /// What of it must not be shown: an address with its key, or a password.
    pub fn secret(&self) -> Option<&str> {
        match self {
            Self::Hook { url, .. } => Some(url),
            Self::Mail(mail) => mail.server.login.as_ref().map(|(_, password)| password.as_str()),
        }
    }

    /// The word for its form.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Hook { kind, .. } => kind.name(),
            Self::Mail(_) => "email",
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ***", self.name())
    }
}
