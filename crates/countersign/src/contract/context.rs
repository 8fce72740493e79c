//! What the caller knows beside the conversation: who asks, what came before, what time it is.

use super::Language;
use serde_json::{Map, Value};

/// The `context` object of a request. It stays open, because policy rules may read any key of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context(pub Map<String, Value>);

impl Context {
    /// The caller's role: `user.role`, or the seed's `user_role`.
    pub fn role(&self) -> Option<&str> {
        self.user("role").and_then(Value::as_str).or_else(|| self.string("user_role"))
    }

    /// The permissions that the caller holds, where the context says so (`user.permissions`, `user.scopes`, `permissions`, `user_permissions`).
    pub fn permissions(&self) -> Option<Vec<&str>> {
        let listed = self.user("permissions").or_else(|| self.user("scopes")).or_else(|| self.0.get("permissions"));
        let listed = listed.or_else(|| self.0.get("user_permissions")).or_else(|| self.0.get("scopes"))?;
        Some(listed.as_array()?.iter().filter_map(Value::as_str).collect())
    }

    /// A field of the `user` object.
    pub fn user(&self, key: &str) -> Option<&Value> {
        self.0.get("user")?.as_object()?.get(key)
    }

    /// A string field.
    pub fn string(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    /// The time of the request, RFC 3339 or a date, as the caller gave it.
    pub fn now(&self) -> Option<&str> {
        self.string(NOW)
    }

    /// The time zone of whoever asks: an IANA name or an offset.
    pub fn timezone(&self) -> Option<&str> {
        self.string(TIMEZONE)
    }

    /// What was told beside the clock. Nobody chose the digits of a clock: they are no source for a number, and a zone's
    /// city is no source for a place.
    pub fn told(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().filter(|(key, _)| !matches!(key.as_str(), NOW | TIMEZONE)).map(|(_, value)| value)
    }

    /// Whether whoever runs the call does so with the numbers as they are written (`"numbers": "as_written"`). One beyond
    /// 64 bits is rounded in a verdict, but then it is not in the call that runs.
    pub fn keeps_numbers(&self) -> bool {
        self.string("numbers") == Some("as_written")
    }

    /// The language that the caller asked for.
    pub fn language(&self) -> Option<Language> {
        Language::from_name(self.string("language")?)
    }
}

/// The key of the time of a request.
pub const NOW: &str = "now";
/// The key of the time zone of a request.
pub const TIMEZONE: &str = "timezone";
