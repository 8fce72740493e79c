//! Notes and materials of the session that the call belongs to, and of no other.

use super::super::order::Order;
use super::super::tool::{Ran, Runner, ToolContext, ToolTrouble};
use crate::sessions::{Author, SessionError, Sessions, Thing, ThingKind};
use async_trait::async_trait;
use serde_json::{Value, json};

/// Keeps a note or a material.
pub(super) struct Keep {
    pub(super) sessions: Sessions,
    pub(super) kind: ThingKind,
}

#[async_trait]
impl Runner for Keep {
    async fn run(&self, order: &Order, place: &ToolContext) -> Result<Ran, ToolTrouble> {
        let word = |name: &str| word(order.arguments().get(name));
        let content = word("content").unwrap_or_default();
        let saved = match self.kind {
            ThingKind::Note => {
                self.sessions
                    .save_note(&place.session, Author::Agent, &word("name").unwrap_or_default(), &content)
                    .await
            }
            ThingKind::Material => {
                self.sessions.save_material(&place.session, Author::Agent, word("id").as_deref(), None, &content).await
            }
        };
        match saved {
            Ok(Thing { id, name, created_at, .. }) => {
                Ok(Ran::of(json!({"id": id, "name": name, "created_at": created_at})))
            }
            Err(SessionError::Unusable { message, .. }) => Ok(Ran::failed(message)),
            // A store that breaks off may have kept it.
            Err(SessionError::Store(error)) => Err(ToolTrouble::Unknown(error.to_string())),
            Err(error) => Err(ToolTrouble::Failed(error.to_string())),
        }
    }
}

/// Lists the notes or the materials.
pub(super) struct List {
    pub(super) sessions: Sessions,
    pub(super) kind: ThingKind,
}

#[async_trait]
impl Runner for List {
    async fn run(&self, _order: &Order, place: &ToolContext) -> Result<Ran, ToolTrouble> {
        let things = self.sessions.things(self.kind, &place.session).await;
        let things = things.map_err(|error| ToolTrouble::Failed(error.to_string()))?;
        let listed: Vec<Value> = things.iter().rev().take(LISTED).map(render).collect();
        Ok(Ran::of(json!({"count": things.len(), "items": listed})))
    }
}

fn render(thing: &Thing) -> Value {
    let mut content: String = thing.content.chars().take(TOLD).collect();
    if content.len() < thing.content.len() {
        content.push('…');
    }
    json!({"id": thing.id, "name": thing.name, "content": content, "created_at": thing.created_at})
}

/// A model writes a number where an id is asked for.
fn word(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// How many are listed.
const LISTED: usize = 100;
/// How much of each is told, in characters.
const TOLD: usize = 2_000;
