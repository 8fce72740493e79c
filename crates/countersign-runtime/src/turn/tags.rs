//! Tags of the answer, carried out: notes and materials are kept, and the reader is told so in a sentence.

use super::ending::Ending;
use super::listen::TagKeeper;
use super::outbox::Outbox;
use crate::sessions::{SessionError, Sessions, Thing};
use countersign::contract::{ContentType, EventType, Language};
use countersign::parse::TagRead;
use countersign::parse::tags::concierge;
use serde_json::{Value, json};

/// Keeps what the tags of an answer say.
pub struct Keeper<'a> {
    pub(super) sessions: &'a Sessions,
    pub(super) session: &'a str,
    pub(super) outbox: &'a Outbox,
    pub(super) language: Language,
}

#[async_trait::async_trait]
impl TagKeeper for Keeper<'_> {
    async fn keep(&mut self, tag: &TagRead) -> Result<String, Ending> {
        if !tag.complete {
            return self.fail(tag, "it was cut off").await;
        }
        let field = |name: &str| tag.fields.as_ref().and_then(|fields| fields.get(name)).and_then(Value::as_str);
        let content = field("content").unwrap_or_default();
        match tag.tag.as_str() {
            "create_note" => {
                let saved = self.sessions.save_note(self.session, field("name").unwrap_or_default(), content).await;
                self.tell(tag, EventType::Note, saved).await
            }
            "save_material" => {
                let saved = self.sessions.save_material(self.session, field("id"), None, content).await;
                self.tell(tag, EventType::Material, saved).await
            }
            "call_orchestrator" | "web_search" => self.fail(tag, "this agent has no such helper").await,
            _ => Ok(tag.sentence.clone()),
        }
    }
}

impl Keeper<'_> {
    async fn tell(&self, tag: &TagRead, kind: EventType, saved: Result<Thing, SessionError>) -> Result<String, Ending> {
        match saved {
            Ok(thing) => {
                let fields = serde_json::to_value(&thing).unwrap_or_default();
                self.outbox.write(vec![self.outbox.event(kind, ContentType::Json, fields)]).await?;
                Ok(tag.sentence.clone())
            }
            Err(error) => self.fail(tag, &error.to_string()).await,
        }
    }

    /// A tag that could not be carried out: the reader is told why, and the turn goes on.
    async fn fail(&self, tag: &TagRead, reason: &str) -> Result<String, Ending> {
        let fields = json!({"code": "tag_failed", "tag": tag.tag, "message": reason});
        self.outbox.write(vec![self.outbox.event(EventType::Warning, ContentType::Json, fields)]).await?;
        Ok(concierge().failure(tag, reason, self.language))
    }
}
