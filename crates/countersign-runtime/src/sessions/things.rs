//! Notes and materials: what an agent or a user keeps in a session.

use super::error::SessionError;
use super::session::Sessions;
use crate::ids::new_id;
use crate::store::{Applied, Change, Kind, Order, Query, Record};
use crate::stream::timestamp;
use serde::Serialize;
use serde_json::json;

/// What a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThingKind {
    /// A note, which has a name.
    Note,
    /// A material, which has a number.
    Material,
}

impl ThingKind {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Material => "material",
        }
    }

    pub(super) const fn kind(self) -> Kind {
        match self {
            Self::Note => Kind::Note,
            Self::Material => Kind::Material,
        }
    }
}

/// Who wrote a thing. What an agent wrote is no evidence for what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// Somebody at the console, or an application by the API.
    Person,
    /// An agent of the session, by a tag or a tool.
    Agent,
}

impl Author {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
        }
    }
}

/// A note or a material.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Thing {
    /// Its name in the session.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it says.
    pub content: String,
    /// When it was made, in RFC 3339.
    pub created_at: String,
    /// Who wrote it.
    #[serde(skip)]
    pub author: Author,
}

impl Sessions {
    /// Keeps a note. One with the same name is kept beside it.
    pub async fn save_note(
        &self,
        session: &str,
        author: Author,
        name: &str,
        content: &str,
    ) -> Result<Thing, SessionError> {
        check_content(content)?;
        let id = new_id("note")?;
        let name = if name.trim().is_empty() { "note" } else { name.trim() };
        let thing = new_thing(&id, name, content, author);
        self.save(ThingKind::Note, Vec::new(), session, thing).await
    }

    /// Keeps a material under its number; without one, under the next that is free. The same number again replaces it.
    pub async fn save_material(
        &self,
        session: &str,
        author: Author,
        id: Option<&str>,
        name: Option<&str>,
        content: &str,
    ) -> Result<Thing, SessionError> {
        check_content(content)?;
        let given = id.map(str::trim).filter(|id| !id.is_empty());
        if let Some(id) = given {
            check_id(id)?;
            // In one step with what takes its place: a crash in between must not cost the old one.
            let gone = vec![Change::Delete { kind: Kind::Material, id: key(session, id) }];
            let thing = new_thing(id, &material_name(id, name), content, author);
            return self.save(ThingKind::Material, gone, session, thing).await;
        }
        for _ in 0..TRIES {
            let id = self.next_number(session).await?;
            let thing = new_thing(&id, &material_name(&id, name), content, author);
            match self.save(ThingKind::Material, Vec::new(), session, thing).await {
                Err(SessionError::Changed { .. }) => {}
                other => return other,
            }
        }
        Err(SessionError::Changed { what: "material" })
    }

    async fn next_number(&self, session: &str) -> Result<String, SessionError> {
        let taken = self.things(ThingKind::Material, session).await?;
        let highest = taken.iter().filter_map(|thing| thing.id.parse::<u64>().ok()).max().unwrap_or(0);
        Ok((highest + 1).to_string())
    }

    async fn save(
        &self,
        kind: ThingKind,
        mut changes: Vec<Change>,
        session: &str,
        thing: Thing,
    ) -> Result<Thing, SessionError> {
        let created_at = self.next_moment();
        let Thing { id, name, content, author, .. } = &thing;
        let record = Record {
            kind: kind.kind(),
            id: key(session, id),
            parent: session.to_owned(),
            state: name.clone(),
            created_at,
            version: 1,
            body: json!({"id": id, "name": name, "content": content, "author": author.name()}),
        };
        changes.push(Change::Insert(record, None));
        match self.records.apply(changes).await? {
            Applied::Done => Ok(Thing { created_at: timestamp(created_at), ..thing }),
            Applied::Conflict(_) => Err(SessionError::Changed { what: kind.name() }),
        }
    }

    /// The notes or materials of a session, the oldest first.
    pub async fn things(&self, kind: ThingKind, session: &str) -> Result<Vec<Thing>, SessionError> {
        let query = Query { parent: Some(session), limit: MAX_THINGS, ..Query::default() };
        Ok(self.records.list(kind.kind(), query).await?.iter().map(read).collect())
    }

    /// One note or material, by its id.
    pub async fn thing(&self, kind: ThingKind, session: &str, id: &str) -> Result<Thing, SessionError> {
        let record = self.records.get(kind.kind(), &key(session, id)).await?;
        record.as_ref().map(read).ok_or_else(|| SessionError::missing(kind.name(), id))
    }

    /// The newest note or material with a name.
    pub async fn thing_named(&self, kind: ThingKind, session: &str, name: &str) -> Result<Thing, SessionError> {
        let order = Order::NewestFirst;
        let query = Query { parent: Some(session), state: Some(name), limit: 1, order, ..Query::default() };
        let found = self.records.list(kind.kind(), query).await?;
        found.first().map(read).ok_or_else(|| SessionError::missing(kind.name(), name))
    }

    /// Removes a note or material.
    pub async fn remove_thing(&self, kind: ThingKind, session: &str, id: &str) -> Result<(), SessionError> {
        self.thing(kind, session, id).await?;
        self.records.apply(vec![Change::Delete { kind: kind.kind(), id: key(session, id) }]).await?;
        Ok(())
    }
}

pub(super) fn key(session: &str, id: &str) -> String {
    format!("{session}/{id}")
}

fn material_name(id: &str, name: Option<&str>) -> String {
    name.filter(|name| !name.trim().is_empty()).map_or_else(|| format!("material{id}"), |name| name.trim().to_owned())
}

/// What says nothing is not kept.
fn check_content(content: &str) -> Result<(), SessionError> {
    if content.trim().is_empty() {
        let message = "`content` is empty: nothing was kept".to_owned();
        return Err(SessionError::Unusable { field: "content", message });
    }
    Ok(())
}

/// An id is part of an address: what would break one is refused.
pub(super) fn check_id(id: &str) -> Result<(), SessionError> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    if id.chars().count() <= MAX_ID && id.chars().all(plain) && !id.starts_with('.') {
        return Ok(());
    }
    let message = format!("a material's id has up to {MAX_ID} letters, digits, `-`, `_`, `.`");
    Err(SessionError::Unusable { field: "id", message })
}

fn new_thing(id: &str, name: &str, content: &str, author: Author) -> Thing {
    let (id, name, content) = (id.to_owned(), name.to_owned(), content.to_owned());
    Thing { id, name, content, created_at: String::new(), author }
}

fn read(record: &Record) -> Thing {
    let field = |name: &str| record.body.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
    // Who wrote what was kept before authors were is not known, so it counts as an agent's.
    let author = if field("author") == Author::Person.name() { Author::Person } else { Author::Agent };
    let created_at = timestamp(record.created_at);
    Thing { id: field("id"), name: field("name"), content: field("content"), created_at, author }
}

/// How many things of a session are listed.
const MAX_THINGS: usize = 10_000;
/// How long an id may be.
const MAX_ID: usize = 64;
/// How often the next number is tried.
const TRIES: usize = 8;
