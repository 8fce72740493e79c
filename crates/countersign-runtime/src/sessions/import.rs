//! A session that was taken out elsewhere, taken in: its events, notes, materials and files, whole or not at all.
//!
//! What a file says is somebody's word. It is checked for its form, becomes a session of whoever brings it, and is in the audit
//! as brought in. Reviews and approvals do not come along: nothing that was released there is released here.

use super::error::SessionError;
use super::files::FileMeta;
use super::known::read_message;
use super::session::{NewSession, Session, Sessions};
use super::things::{Author, ThingKind, check_id, key};
use crate::ids::new_id;
use crate::store::{Append, Appended, Applied, Change, Claimed, Entry, Kind, Record, TurnMark};
use crate::stream::{Draft, now_millis, timestamp};
use bytes::Bytes;
use countersign::contract::{ContentType, EventId, EventType};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// What is taken in.
#[derive(Debug)]
pub struct Import {
    /// The name that it had.
    pub session_id: String,
    /// When it was made, in RFC 3339.
    pub created_at: String,
    /// Its events, as they were taken out.
    pub events: Vec<Value>,
    /// Its notes and materials: `{id, name, content, author?, created_at?}`.
    pub things: Vec<(ThingKind, Value)>,
    /// Its files with their content.
    pub files: Vec<(FileMeta, Bytes)>,
}

/// What was taken in.
#[derive(Debug)]
pub struct Imported {
    /// The session.
    pub session: Session,
    /// How many events it has.
    pub events: usize,
}

impl Sessions {
    /// Takes a session in. It keeps its name where nobody has it; else it gets a new one, and so does each file.
    pub async fn import(&self, new: NewSession, import: Import) -> Result<Imported, SessionError> {
        let now = now_millis();
        let session_id = self.free_name(&import.session_id).await?;
        let mut renamed = HashMap::from([(import.session_id.clone(), session_id.clone())]);
        let mut changes = Vec::new();
        for (meta, bytes) in &import.files {
            let (change, file_id) = self.file_change(&session_id, meta, bytes, now).await?;
            renamed.insert(meta.file_id.clone(), file_id);
            changes.push(change);
        }
        for (kind, thing) in &import.things {
            changes.push(thing_change(&session_id, *kind, thing, now)?);
        }
        let mut drafts = read_events(import.events, &renamed)?;
        drafts.extend(end_of_turn(&drafts));
        let session = Session {
            session_id: session_id.clone(),
            agent: new.agent,
            user: new.user,
            caller: new.caller,
            model: new.model,
            tools: new.tools,
            context: new.context,
            created_at: moment(&import.created_at, now),
        };
        changes.push(session_change(&session));
        changes.push(audit(&session, &import.session_id, drafts.len(), import.files.len(), now)?);
        self.append_all(&session_id, &drafts).await?;
        // The log is there before the session can be found; without the session nobody sees the log.
        match self.records.apply(changes).await {
            Ok(Applied::Done) => Ok(Imported { session, events: drafts.len() }),
            Ok(Applied::Conflict(_)) => {
                self.hub.remove(&session_id).await?;
                Err(SessionError::Changed { what: "session" })
            }
            Err(error) => {
                self.hub.remove(&session_id).await?;
                Err(error.into())
            }
        }
    }

    /// The name that a session had, where it is a name and nobody has it; else a new one.
    async fn free_name(&self, wanted: &str) -> Result<String, SessionError> {
        let is_free = is_name(wanted, "ses_")
            && self.records.get(Kind::Session, wanted).await?.is_none()
            && self.hub.head(wanted).await?.seq == 0;
        if is_free { Ok(wanted.to_owned()) } else { Ok(new_id("ses")?) }
    }

    async fn file_change(
        &self,
        session: &str,
        meta: &FileMeta,
        bytes: &Bytes,
        now: i64,
    ) -> Result<(Change, String), SessionError> {
        let taken = !is_name(&meta.file_id, "file_") || self.records.get(Kind::File, &meta.file_id).await?.is_some();
        let file_id = if taken { new_id("file")? } else { meta.file_id.clone() };
        let created_at = moment(&meta.created_at, now);
        let kept = FileMeta {
            file_id: file_id.clone(),
            size: bytes.len() as u64,
            created_at: timestamp(created_at),
            ..meta.clone()
        };
        let record = Record {
            kind: Kind::File,
            id: file_id.clone(),
            parent: session.to_owned(),
            state: meta.name.clone(),
            created_at,
            version: 1,
            body: serde_json::to_value(&kept).unwrap_or_default(),
        };
        Ok((Change::Insert(record, Some(bytes.clone())), file_id))
    }

    /// Writes events with the times that they had.
    async fn append_all(&self, session: &str, drafts: &[(Draft, i64)]) -> Result<(), SessionError> {
        let log = self.hub.log();
        let Claimed::Held(lease) = log.claim(session, &self.hub.options.owner).await? else {
            return Err(SessionError::Changed { what: "session" });
        };
        let mut after = lease.seq;
        for part in drafts.chunks(BATCH) {
            let number = |((draft, at), seq): (&(Draft, i64), u64)| -> Entry {
                draft.entry(session, EventId { epoch: lease.epoch, seq }, *at)
            };
            let entries: Vec<Entry> = part.iter().zip(after + 1..).map(number).collect();
            let next = after + entries.len() as u64;
            let append = Append { run: session.into(), epoch: lease.epoch, after, entries, turn: TurnMark::Keep };
            if log.append(append).await? != Appended::Done {
                return Err(SessionError::Changed { what: "session" });
            }
            after = next;
        }
        Ok(())
    }
}

/// The events as they are written here, each with its time.
fn read_events(events: Vec<Value>, renamed: &HashMap<String, String>) -> Result<Vec<(Draft, i64)>, SessionError> {
    if events.len() > MOST_EVENTS {
        return Err(unusable("events", format!("a session has at most {MOST_EVENTS} events")));
    }
    let now = now_millis();
    let read = |(at, event): (usize, Value)| {
        read_event(event, renamed, now).map_err(|why| unusable("events", format!("`events[{at}]` {why}")))
    };
    events.into_iter().enumerate().map(read).collect()
}

fn read_event(event: Value, renamed: &HashMap<String, String>, now: i64) -> Result<(Draft, i64), String> {
    let Value::Object(mut event) = event else { return Err("is no object".to_owned()) };
    if event.contains_key("unreadable") {
        return Err("could not be read when it was taken out".to_owned());
    }
    let word = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let name = word("event_type");
    let kind = EventType::from_name(&name).filter(|kind| *kind != EventType::Reset);
    let kind = kind.ok_or_else(|| format!("has the event_type {name:?}, which is not known here"))?;
    let source = word("agent_source");
    if source.is_empty() || source.chars().count() > LONGEST_SOURCE {
        return Err(format!("needs an `agent_source` of at most {LONGEST_SOURCE} characters"));
    }
    let at = word("timestamp").parse::<Timestamp>();
    let at = at.map_err(|_| "needs a `timestamp` as in 2026-11-18T12:00:00Z".to_owned())?.as_millisecond().min(now);
    let Some(Value::Object(mut payload)) = event.remove("payload") else {
        return Err("needs a `payload`, an object".to_owned());
    };
    let content = payload.shift_remove("content_type").unwrap_or_default();
    let content: ContentType =
        serde_json::from_value(content).map_err(|_| "has a `content_type` that is not known here".to_owned())?;
    rename(&mut payload, renamed);
    if kind == EventType::Message && read_message(&payload).is_none() {
        return Err("is a message without a `message_id`, a `content` or readable `claims`".to_owned());
    }
    Ok((Draft { kind, source: source.into(), content, fields: payload }, at))
}

/// Names that have changed, wherever a value is one.
fn rename(fields: &mut Map<String, Value>, renamed: &HashMap<String, String>) {
    fields.values_mut().for_each(|value| rename_value(value, renamed));
}

fn rename_value(value: &mut Value, renamed: &HashMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(new) = renamed.get(text.as_str()) {
                text.clone_from(new);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename_value(item, renamed)),
        Value::Object(fields) => rename(fields, renamed),
        _ => {}
    }
}

/// The end of a turn that ran when the session was taken out: nobody goes on with it here.
fn end_of_turn(drafts: &[(Draft, i64)]) -> Option<(Draft, i64)> {
    let after = drafts.iter().rev().take_while(|(draft, _)| !draft.kind.is_terminal());
    let of_turn = |draft: &Draft| match draft.kind {
        EventType::Message => draft.fields.get("role").is_some_and(|role| role == "user"),
        kind => !matches!(kind, EventType::ClaimsUpdated | EventType::Warning | EventType::Note),
    };
    let (_, at) = after.filter(|(draft, _)| of_turn(draft)).max_by_key(|(_, at)| *at)?;
    let fields = json!({"reason": "imported", "message": "this turn was running when the session was exported"});
    Some((Draft::new(EventType::Lost, "countersign", ContentType::Json, fields), *at))
}

fn thing_change(session: &str, kind: ThingKind, thing: &Value, now: i64) -> Result<Change, SessionError> {
    let word = |name: &str| thing.get(name).and_then(Value::as_str).unwrap_or_default();
    let (id, name, content) = (word("id"), word("name"), word("content"));
    let wrong = |why: &str| unusable(kind.name(), format!("a {} {why}", kind.name()));
    if id.is_empty() || name.is_empty() || content.trim().is_empty() {
        return Err(wrong("needs an `id`, a `name` and a `content`"));
    }
    check_id(id)?;
    // Who wrote it is known where the file says that a person did; an agent's words are no evidence.
    let author = if word("author") == Author::Person.name() { Author::Person } else { Author::Agent };
    Ok(Change::Insert(
        Record {
            kind: kind.kind(),
            id: key(session, id),
            parent: session.to_owned(),
            state: name.to_owned(),
            created_at: moment(word("created_at"), now),
            version: 1,
            body: json!({"id": id, "name": name, "content": content, "author": author.name()}),
        },
        None,
    ))
}

fn session_change(session: &Session) -> Change {
    let record = Record {
        kind: Kind::Session,
        id: session.session_id.clone(),
        parent: session.caller.clone(),
        state: String::new(),
        created_at: session.created_at,
        version: 1,
        body: serde_json::to_value(session).unwrap_or_default(),
    };
    Change::Insert(record, None)
}

fn audit(session: &Session, was: &str, events: usize, files: usize, now: i64) -> Result<Change, SessionError> {
    let body = json!({
        "action": "session.imported", "session_id": session.session_id, "caller": session.caller, "was": was,
        "events": events, "files": files, "at": timestamp(now),
    });
    let (parent, state) = (session.session_id.clone(), "session.imported".to_owned());
    let record = Record { kind: Kind::Audit, id: new_id("aud")?, parent, state, created_at: now, version: 1, body };
    Ok(Change::Insert(record, None))
}

/// A time that was written, if it is one and not in the future; else now.
fn moment(text: &str, now: i64) -> i64 {
    text.parse::<Timestamp>().map_or(now, |at| at.as_millisecond().min(now))
}

/// Whether a word is a name that a server made: a prefix and 32 digits.
fn is_name(word: &str, prefix: &str) -> bool {
    let digits = word.strip_prefix(prefix).unwrap_or_default();
    digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
}

fn unusable(field: &'static str, message: String) -> SessionError {
    SessionError::Unusable { field, message }
}

const DIGITS: usize = 32;
const LONGEST_SOURCE: usize = 200;
/// So many events are taken in at most.
const MOST_EVENTS: usize = 200_000;
/// So many are written at once.
const BATCH: usize = 200;
