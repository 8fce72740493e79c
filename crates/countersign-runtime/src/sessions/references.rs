//! What a message refers to (STREAM-5): only what is this session's reaches the model; the rest is listed as invalid.

use super::error::SessionError;
use super::kind::{Analysis, FileKind};
use super::session::{Session, Sessions};
use super::things::ThingKind;
use bytes::Bytes;
use countersign::contract::Language;
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

/// What follows a valid reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// Words.
    Text {
        /// What it is, for the model: `note "plan"`.
        title: String,
        /// What it says.
        content: String,
        /// What kind of file it is; none for notes and materials.
        kind: Option<FileKind>,
        /// How much of it this is.
        extent: Extent,
    },
    /// A picture.
    Picture {
        /// What its owner calls it.
        name: String,
        /// What it is, for the model.
        title: String,
        /// Its media type.
        media: String,
        /// Its bytes.
        bytes: Bytes,
    },
    /// A file whose content cannot be put in words.
    Opaque {
        /// What its owner calls it.
        name: String,
        /// What it is, for the model.
        title: String,
        /// What kind of file it is.
        kind: FileKind,
        /// Why not.
        why: String,
    },
}

/// How much of a file was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// So many of its lines.
    Lines {
        /// That were taken.
        shown: usize,
        /// That there are.
        of: usize,
    },
    /// So many of its bytes of text.
    Bytes {
        /// That were taken.
        shown: usize,
        /// That there are.
        of: usize,
    },
}

impl Given {
    /// What kind of file it is; none for notes and materials.
    pub const fn kind(&self) -> Option<FileKind> {
        match self {
            Self::Text { kind, .. } => *kind,
            Self::Picture { .. } => Some(FileKind::Image),
            Self::Opaque { kind, .. } => Some(*kind),
        }
    }

    /// What became of it.
    pub const fn analysis(&self) -> Analysis {
        match self {
            Self::Text { extent: Extent::Whole, .. } => Analysis::Text,
            Self::Text { .. } => Analysis::Cut,
            Self::Picture { .. } => Analysis::Picture,
            Self::Opaque { .. } => Analysis::Unreadable,
        }
    }

    /// What the model is told of it: what it is, how to read it, and its words. A picture itself is shown beside this.
    pub fn told(&self, language: Language) -> String {
        let chinese = language == Language::Chinese;
        let instruction = self.kind().map_or("", |kind| kind.instruction(language));
        match (self, chinese) {
            (Self::Text { title, content, extent, .. }, false) => {
                let told = format!("The user refers to {title}. {instruction}");
                format!("{}\n{content}{}", told.trim_end(), extent.told(language))
            }
            (Self::Text { title, content, extent, .. }, true) => {
                format!("用户引用了 {title}。{instruction}\n{content}{}", extent.told(language))
            }
            (Self::Picture { title, .. }, false) => format!("The user refers to {title}. {instruction}"),
            (Self::Picture { title, .. }, true) => format!("用户引用了 {title}。{instruction}"),
            (Self::Opaque { title, why, .. }, false) => {
                format!(
                    "The user refers to {title}. Its content cannot be shown: {why}. Say so; do not guess what is in it."
                )
            }
            (Self::Opaque { title, why, .. }, true) => {
                format!("用户引用了 {title}。其内容无法显示：{why}。请如实说明，不要猜测其中的内容。")
            }
        }
    }

    /// The same for a model that takes no pictures.
    #[must_use]
    pub fn unseen(&self) -> Self {
        match self {
            Self::Picture { name, title, .. } => {
                let why = "this model does not take pictures".to_owned();
                Self::Opaque { name: name.clone(), title: title.clone(), kind: FileKind::Image, why }
            }
            other => other.clone(),
        }
    }
}

impl Extent {
    fn told(self, language: Language) -> String {
        match (self, language == Language::Chinese) {
            (Self::Whole, _) => String::new(),
            (Self::Lines { shown, of }, false) => format!("\n[the file continues: {shown} of {of} lines are shown]"),
            (Self::Lines { shown, of }, true) => format!("\n[文件未完：共 {of} 行，显示了 {shown} 行]"),
            (Self::Bytes { shown, of }, false) => format!("\n[the file continues: {shown} of {of} bytes are shown]"),
            (Self::Bytes { shown, of }, true) => format!("\n[文件未完：共 {of} 字节，显示了 {shown} 字节]"),
        }
    }
}

/// The references of a message, told apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct References {
    /// Those of this session.
    pub valid: Vec<Reference>,
    /// The others, each with the reason.
    pub invalid: Vec<Invalid>,
    /// What follows the valid ones, in their order.
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
                    if let Some(kind) = given.kind() {
                        self.count_analysis(kind, given.analysis());
                    }
                    told.given.push(given);
                    told.valid.push(reference);
                }
                Err(error @ (SessionError::Store(_) | SessionError::Write(_))) => return Err(error),
                Err(_) => told.invalid.push(Invalid { reference, reason: "not_in_this_session" }),
            }
        }
        Ok(told)
    }

    /// Counts what became of a file that a model should see.
    pub fn count_analysis(&self, kind: FileKind, outcome: Analysis) {
        self.hub.options.metrics.analyses.of([kind.name(), outcome.name()]).add_one();
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
        let title = format!("{} \"{}\"", kind.name(), thing.name);
        Ok(Given::Text { title, content: thing.content, kind: None, extent: Extent::Whole })
    }

    pub(super) async fn file_behind(&self, here: &str, reference: &Reference) -> Result<Given, SessionError> {
        let meta = match (&reference.id, &reference.name) {
            (Some(id), _) => self.file(here, id).await?,
            (None, Some(name)) => self.file_named(here, name).await?,
            (None, None) => return Err(SessionError::missing("file", "")),
        };
        let bytes = self.file_bytes(&meta.file_id).await?;
        let title = format!("file \"{}\" ({})", meta.name, meta.r#type);
        let kind = FileKind::of_media(&meta.r#type);
        if kind == FileKind::Image {
            return Ok(picture(meta.name, title, meta.r#type, bytes));
        }
        // A PDF or an office document takes its time to read.
        let read = tokio::task::spawn_blocking(move || words(kind, &bytes)).await;
        let read = read.unwrap_or_else(|_| Err("it could not be read".to_owned()));
        Ok(match read {
            Ok((content, extent)) => Given::Text { title, content, kind: Some(kind), extent },
            Err(why) => Given::Opaque { name: meta.name, title, kind, why },
        })
    }
}

/// A picture, where models take such.
fn picture(name: String, title: String, media: String, bytes: Bytes) -> Given {
    if PICTURES.contains(&media.as_str()) {
        return Given::Picture { name, title, media, bytes };
    }
    let why = "models take pictures as PNG, JPEG, GIF or WebP".to_owned();
    Given::Opaque { name, title, kind: FileKind::Image, why }
}

/// The words of a file, as many as are put before a model, or why there are none.
fn words(kind: FileKind, bytes: &[u8]) -> Result<(String, Extent), String> {
    let text = crate::kb::text_of(bytes)?;
    if text.trim().is_empty() {
        return Err("the file is empty".to_owned());
    }
    Ok(clip(kind, text))
}

/// The beginning of a text. What consists of lines is cut between two of them.
fn clip(kind: FileKind, mut text: String) -> (String, Extent) {
    if text.len() <= MAX_TEXT {
        return (text, Extent::Whole);
    }
    let of_bytes = text.len();
    let room = text.floor_char_boundary(MAX_TEXT);
    let line = text
        .get(..room)
        .and_then(|front| front.rfind('\n'))
        .filter(|_| matches!(kind, FileKind::Table | FileKind::Office));
    let of = text.lines().count();
    text.truncate(line.unwrap_or(room));
    let extent = match line {
        Some(_) => Extent::Lines { shown: text.lines().count(), of },
        None => Extent::Bytes { shown: text.len(), of: of_bytes },
    };
    (text, extent)
}

/// Pictures that models take.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// How much of a file is put before a model, in bytes.
const MAX_TEXT: usize = 256 * 1024;
