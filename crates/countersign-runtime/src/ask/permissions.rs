//! Permissions that people hold, from a file or over HTTP.
//!
//! A user who is not listed holds nothing; a list that cannot be read is not an empty list.

use super::file::{Watched, document};
use super::web::{Address, odd_status};
use super::{AskError, FactChecker};
use countersign::contract::{Answer, Question};
use countersign::policy::facts::{PermissionsFrom, covers};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// Opens a source of permissions.
pub(super) fn open(from: &PermissionsFrom, base: &Path, deadline: Duration) -> Result<Box<dyn FactChecker>, AskError> {
    Ok(match from {
        PermissionsFrom::File(file) => Box::new(Listed { users: Watched::open(base, file, document)? }),
        PermissionsFrom::Url(url) => Box::new(Served { address: Address::new(url, deadline) }),
    })
}

/// `{"alice": ["read"]}`, `{"alice": {"permissions": ["read"]}}`, either under `users`, or a list with `id`.
struct Listed {
    users: Watched<Value>,
}

impl FactChecker for Listed {
    fn answer(&self, question: &Question) -> Result<Answer, AskError> {
        let Question::Permission { user, permission, .. } = question else { return Err(AskError::OtherQuestion) };
        let document = self.users.current()?;
        let users = document.get("users").unwrap_or(&document);
        let entry = match users {
            Value::Object(map) => map.get(user),
            Value::Array(list) => list.iter().find(|entry| is_called(entry, user)),
            _ => None,
        };
        match entry {
            None => Ok(no("the user is not listed")),
            Some(entry) => read_held(entry, permission)
                .ok_or_else(|| AskError::Own("the user's entry in the list of permissions is not a list".into())),
        }
    }
}

/// A service that answers with a list, with `true` or `false`, or with 404.
struct Served {
    address: Address,
}

impl FactChecker for Served {
    fn answer(&self, question: &Question) -> Result<Answer, AskError> {
        let Question::Permission { user, permission, .. } = question else { return Err(AskError::OtherQuestion) };
        let page = self.address.fetch(&[("user", user), ("permission", permission)])?;
        match page.status {
            200 => {}
            404 | 410 => return Ok(no("the user is not known")),
            status => return Err(odd_status(status)),
        }
        let strange = || AskError::Service { problem: "the service did not answer with a list of permissions".into() };
        let body: Value = serde_json::from_slice(&page.body).map_err(|_| strange())?;
        let allowed = body.as_bool().or_else(|| body.get("allowed").and_then(Value::as_bool));
        match allowed.filter(|_| self.address.has("permission")) {
            Some(true) => Ok(Answer::Yes),
            Some(false) => Ok(Answer::No { nearest: None, note: None }),
            None => read_held(&body, permission).ok_or_else(strange),
        }
    }
}

/// Whether a list, or the list in an object, holds a permission. `None` where there is no list.
fn read_held(entry: &Value, permission: &str) -> Option<Answer> {
    let list = entry.as_array().or_else(|| LISTS.iter().find_map(|key| entry.get(*key)?.as_array()))?;
    let holds = list.iter().filter_map(Value::as_str).any(|held| covers(held, permission));
    Some(if holds { Answer::Yes } else { Answer::No { nearest: None, note: None } })
}

fn is_called(entry: &Value, user: &str) -> bool {
    let name = ["id", "user", "user_id", "name"].iter().find_map(|key| entry.get(*key));
    match name {
        Some(Value::String(name)) => name == user,
        Some(Value::Number(number)) => number.to_string() == *user,
        _ => false,
    }
}

fn no(note: &str) -> Answer {
    Answer::No { nearest: None, note: Some(note.to_owned()) }
}

const LISTS: &[&str] = &["permissions", "scopes"];
