//! What a message refers to (STREAM-5): only what is this session's reaches the model; the rest is listed as invalid.

use super::error::SessionError;
use super::session::{Session, Sessions};
use super::things::ThingKind;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// What is referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceType {
    /// A note.
    Note,
    /// A material.
    Material,
    /// A file.
    File,
}

/// A reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// To what.
    pub r#type: ReferenceType,
    /// Its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whose; this session's where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// What stands behind a valid reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// Words.
    Text {
        /// What it is, for the model: `note "plan"`.
        title: String,
        /// What it says.
        content: String,
    },
    /// A picture.
    Picture {
        /// Its media type.
        media: String,
        /// Its bytes.
        bytes: Bytes,
    },
    /// A file whose content cannot be put in words.
    Opaque {
        /// What it is, for the model.
        title: String,
    },
}

/// The references of a message, told apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct References {
    /// Those of this session.
    pub valid: Vec<Reference>,
    /// The others, each with the reason.
    pub invalid: Vec<Invalid>,
    /// What stands behind the valid ones, in their order.
    pub given: Vec<Given>,
}

/// A reference that leads nowhere from here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Invalid {
    /// As it came.
    #[serde(flatten)]
    pub reference: Reference,
    /// Why.
    pub reason: &'static str,
}

impl Sessions {
    /// Tells the references of a message apart. A store that fails fails the call: a reference is not invalid because
    /// we could not look.
    pub async fn resolve(
        &self,
        session: &Session,
        references: Vec<Reference>,
        files: Vec<String>,
    ) -> Result<References, SessionError> {
        let file = |id| Reference { r#type: ReferenceType::File, id: Some(id), name: None, session_id: None };
        let mut told = References::default();
        for reference in references.into_iter().chain(files.into_iter().map(file)) {
            match self.behind(session, &reference).await {
                Ok(given) => {
                    told.given.push(given);
                    told.valid.push(reference);
                }
                Err(error @ (SessionError::Store(_) | SessionError::Write(_))) => return Err(error),
                Err(_) => told.invalid.push(Invalid { reference, reason: "not_in_this_session" }),
            }
        }
        Ok(told)
    }

    async fn behind(&self, session: &Session, reference: &Reference) -> Result<Given, SessionError> {
        let here = &session.session_id;
        if reference.session_id.as_ref().is_some_and(|there| there != here) {
            return Err(SessionError::Foreign { what: "reference" });
        }
        match reference.r#type {
            ReferenceType::Note => self.thing_behind(ThingKind::Note, here, reference).await,
            ReferenceType::Material => self.thing_behind(ThingKind::Material, here, reference).await,
            ReferenceType::File => self.file_behind(here, reference).await,
        }
    }

    async fn thing_behind(&self, kind: ThingKind, here: &str, reference: &Reference) -> Result<Given, SessionError> {
        let thing = match (&reference.id, &reference.name) {
            (Some(id), _) => self.thing(kind, here, id).await?,
            (None, Some(name)) => self.thing_named(kind, here, name).await?,
            (None, None) => return Err(SessionError::missing(kind.name(), "")),
        };
        Ok(Given::Text { title: format!("{} \"{}\"", kind.name(), thing.name), content: thing.content })
    }

    async fn file_behind(&self, here: &str, reference: &Reference) -> Result<Given, SessionError> {
        let meta = match (&reference.id, &reference.name) {
            (Some(id), _) => self.file(here, id).await?,
            (None, Some(name)) => self.file_named(here, name).await?,
            (None, None) => return Err(SessionError::missing("file", "")),
        };
        let bytes = self.file_bytes(&meta.file_id).await?;
        let title = format!("file \"{}\" ({})", meta.name, meta.r#type);
        if meta.r#type.starts_with("image/") && meta.r#type != "image/svg+xml" {
            return Ok(Given::Picture { media: meta.r#type, bytes });
        }
        // A PDF takes its time to read.
        let text = tokio::task::spawn_blocking(move || crate::kb::text_of(&bytes)).await;
        Ok(match text {
            Ok(Some(content)) => Given::Text { title, content: clipped(content) },
            _ => Given::Opaque { title },
        })
    }
}

/// The beginning of a text, as much as is put before a model.
fn clipped(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push_str("\n[the file goes on]");
    }
    text
}

/// How much of a file is put before a model, in bytes.
const MAX_TEXT: usize = 256 * 1024;
