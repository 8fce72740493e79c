//! Tags of the answer, carried out: notes and materials are kept at once, errands are noted for later, and the reader is
//! told so in a sentence.

use super::ending::Ending;
use super::listen::TagKeeper;
use super::outbox::{Outbox, warning_with};
use crate::sessions::{Author, SessionError, Sessions, Thing};
use countersign::contract::{ContentType, EventType, Language};
use countersign::parse::TagRead;
use countersign::parse::tags::concierge;
use serde_json::{Value, json};

/// Keeps what the tags of an answer say.
pub(super) struct Keeper<'a> {
    pub(super) sessions: &'a Sessions,
    pub(super) session: &'a str,
    pub(super) outbox: &'a Outbox,
    pub(super) language: Language,
    /// How many more searches; none where nobody searches.
    pub(super) searches: Option<usize>,
    /// How many more tasks it can hand over.
    pub(super) tasks: usize,
    /// Tags that could not be carried out, by their place among all tags.
    pub(super) failed: Vec<usize>,
    pub(super) seen: usize,
}

#[async_trait::async_trait]
impl TagKeeper for Keeper<'_> {
    async fn keep(&mut self, tag: &TagRead) -> Result<String, Ending> {
        self.seen += 1;
        if !tag.complete {
            return self.fail(tag, self.word("it was cut off", "内容被截断")).await;
        }
        if concierge().lacks_content(tag) {
            return self.fail(tag, self.word("it has no content", "没有内容")).await;
        }
        let field = |name: &str| tag.fields.as_ref().and_then(|fields| fields.get(name)).and_then(Value::as_str);
        let content = field("content").unwrap_or_default();
        match tag.tag.as_str() {
            "create_note" => {
                let saved = self
                    .sessions
                    .save_note(self.session, Author::Agent, field("name").unwrap_or_default(), content)
                    .await;
                self.tell(tag, EventType::Note, saved).await
            }
            "save_material" => {
                let saved = self.sessions.save_material(self.session, Author::Agent, field("id"), None, content).await;
                self.tell(tag, EventType::Material, saved).await
            }
            "web_search" if self.searches == Some(0) => {
                self.fail(tag, self.word("this turn has searched enough", "本轮搜索次数已用完")).await
            }
            "web_search" if self.searches.is_none() => {
                self.fail(
                    tag,
                    self.word("no search is configured ([search] in the settings)", "未配置搜索（设置中的 [search]）"),
                )
                .await
            }
            "call_orchestrator" if self.tasks == 0 => {
                self.fail(tag, self.word("nobody can take the task", "没有可委派的对象")).await
            }
            "web_search" => {
                self.searches = self.searches.map(|left| left - 1);
                Ok(concierge().success(tag, self.language))
            }
            "call_orchestrator" => {
                self.tasks -= 1;
                Ok(concierge().success(tag, self.language))
            }
            _ => Ok(concierge().success(tag, self.language)),
        }
    }
}

impl Keeper<'_> {
    fn word(&self, en: &'static str, zh: &'static str) -> &'static str {
        if self.language == Language::Chinese { zh } else { en }
    }

    async fn tell(
        &mut self,
        tag: &TagRead,
        kind: EventType,
        saved: Result<Thing, SessionError>,
    ) -> Result<String, Ending> {
        match saved {
            Ok(thing) => {
                let fields = serde_json::to_value(&thing).unwrap_or_default();
                self.outbox.write(vec![self.outbox.event(kind, ContentType::Json, fields)]).await?;
                // What got its name from the store is told with it.
                let name = tag.name.clone().or(Some(thing.name).filter(|_| kind == EventType::Material));
                Ok(concierge().success(&TagRead { name, ..tag.clone() }, self.language))
            }
            Err(error) => self.fail(tag, &error.to_string()).await,
        }
    }

    /// A tag that could not be carried out: the reader is told why, and the turn goes on.
    async fn fail(&mut self, tag: &TagRead, reason: &str) -> Result<String, Ending> {
        self.failed.push(self.seen - 1);
        let more = json!({"tag": tag.tag});
        self.outbox.write(vec![warning_with("tag_failed", reason, more)]).await?;
        Ok(concierge().failure(tag, reason, self.language))
    }
}

/// Keeps nothing: for answers without tags.
pub(super) struct NoTags;

#[async_trait::async_trait]
impl TagKeeper for NoTags {
    async fn keep(&mut self, _: &TagRead) -> Result<String, Ending> {
        Ok(String::new())
    }
}
