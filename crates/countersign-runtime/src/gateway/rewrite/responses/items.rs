//! The items that the client sees, what it has seen of them, and the numbers under which it sees them.
//!
//! Clients put items into a list in the order of their coming and look them up by their place, so places have no gaps.
//! As long as nothing was held back the upstream's own numbers stand.

use super::event::{Event, ITEM_ADDED, ITEM_DONE, PART_DONE, TEXT_DONE};
use super::form::{Role, put_text, text_of};
use crate::gateway::json::Document;
use crate::gateway::rewrite::measured::{Measured, of_shown};
use crate::gateway::top::{Member, members};
use crate::models::TextScan;
use bytes::Bytes;
use countersign::parse::KnownTools;
use serde_json::{Map, Value};

/// Who an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whom {
    /// An item that the client sees.
    Shown(usize),
    /// A call that is held.
    Held(usize),
}

/// Finds who an event is about.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: Vec<(String, Option<u64>, Whom)>,
}

impl Table {
    /// By id and place, else by id, else by place: some servers send another id with every event. The latest counts.
    pub(super) fn find(&self, event: &Event) -> Option<Whom> {
        let id = Some(event.id.as_ref()).filter(|id| !id.trim().is_empty());
        let mut best = None;
        for (known, index, whom) in self.entries.iter().rev() {
            let same_id = id == Some(known.as_str());
            let same_index = event.index.is_some() && event.index == *index;
            let rank = u8::from(same_id) * 2 + u8::from(same_index);
            if rank == 3 {
                return Some(*whom);
            }
            if rank > best.map_or(0, |(rank, _)| rank) {
                best = Some((rank, *whom));
            }
        }
        best.map(|(_, whom)| whom)
    }

    /// Remembers who is meant by an id and a place.
    pub(super) fn remember(&mut self, event: &Event, whom: Whom) {
        self.entries.push((event.id.clone().into_owned(), event.index, whom));
    }

    /// Whether an event repeats the beginning of an item that is known.
    pub(super) fn repeats(&self, event: &Event) -> Option<Whom> {
        let same = |(id, index, _): &&(String, Option<u64>, Whom)| {
            !id.trim().is_empty() && *id == event.id && *index == event.index
        };
        self.entries.iter().rev().find(same).map(|(_, _, whom)| *whom)
    }

    /// The one that was begun last.
    pub(super) fn last(&self) -> Option<Whom> {
        self.entries.last().map(|(_, _, whom)| *whom)
    }

    /// How many are known.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// The numbers that the client sees.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// The next event's.
    pub(super) next: u64,
    /// The next item's.
    places: u64,
    /// Whether something was held back, so that the upstream's numbers do not fit any more.
    pub(super) shifted: bool,
}

impl Numbers {
    /// The place of a new item.
    pub(super) fn place(&mut self, index: Option<u64>) -> u64 {
        let place = index.filter(|_| !self.shifted).unwrap_or(self.places);
        self.places = self.places.max(place.saturating_add(1));
        place
    }

    /// An event went out as it came.
    pub(super) fn passed(&mut self, sequence: Option<u64>) {
        self.next = sequence.unwrap_or(self.next).saturating_add(1);
    }

    /// Puts its numbers into an event that is written again. Fields that a server leaves out stay out.
    pub(super) fn stamp(&mut self, event: &mut Map<String, Value>, place: Option<u64>) {
        let sequence = event.get("sequence_number").and_then(Value::as_u64).filter(|_| !self.shifted);
        let sequence = sequence.unwrap_or(self.next);
        for (key, number) in [("sequence_number", Some(sequence)), ("output_index", place)] {
            if let (Some(known), Some(number)) = (event.get_mut(key), number) {
                *known = number.into();
            }
        }
        self.next = sequence.saturating_add(1);
    }

    /// Puts its numbers into the text of an event that goes on as it came in all else.
    pub(super) fn stamp_text(&mut self, text: &str, place: Option<u64>) -> String {
        let sequence = self.next;
        self.next = sequence.saturating_add(1);
        let mut written = String::with_capacity(text.len() + 16);
        let mut copied = 0;
        for Member { key, value, .. } in members(text).unwrap_or_default() {
            let number = match key.as_ref() {
                "sequence_number" => Some(sequence),
                "output_index" => place,
                _ => None,
            };
            if let (Some(number), Some(kept)) = (number, text.get(copied..value.start)) {
                written.push_str(kept);
                written.push_str(&number.to_string());
                copied = value.end;
            }
        }
        written.push_str(text.get(copied..).unwrap_or_default());
        written
    }
}

/// An item that the client sees.
#[derive(Default)]
pub(super) struct Shown {
    /// Its place.
    pub(super) place: u64,
    /// Its id and its place, as the upstream gave them.
    id: String,
    index: Option<u64>,
    /// Its type, once told.
    pub(super) kind: String,
    /// The event that began it, and the one that ended it.
    added: Option<Bytes>,
    done: Option<Bytes>,
    /// The texts in which calls are looked for.
    pub(super) parts: Vec<Part>,
    /// Events that wait until it is known what is shown of its text.
    pub(super) waiting: Vec<Document>,
}

impl Shown {
    /// An item, as the upstream tells of it, at its place for the client.
    pub(super) fn new(id: &str, index: Option<u64>, place: u64) -> Self {
        Self { place, id: id.to_owned(), index, ..Self::default() }
    }

    /// The id that the upstream gave it.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Keeps the item as the client sees it.
    pub(super) fn keep(&mut self, event: &Event, data: &Bytes) {
        match event.kind.as_ref() {
            ITEM_ADDED => self.added = Some(data.clone()),
            ITEM_DONE => self.done = Some(data.clone()),
            _ => return,
        }
        self.kind = event.item.clone().into_owned();
    }

    /// The text of that number.
    pub(super) fn part(&mut self, number: u64, tools: Option<&KnownTools>) -> Option<&mut Part> {
        let tools = tools?;
        let at = self.parts.iter().position(|part| part.number == number).unwrap_or(self.parts.len());
        if at == self.parts.len() && at < MAX_PARTS {
            let scan = TextScan::new(tools);
            self.parts.push(Part { number, scan, shown: String::new(), begun: false, measured: Measured::default() });
        }
        self.parts.get_mut(at)
    }

    /// Whether an event must wait because text is held back that it would tell.
    pub(super) fn holds(&self, event: &Event) -> bool {
        let mut holding = self.parts.iter().filter(|part| part.scan.is_holding());
        match event.kind.as_ref() {
            ITEM_DONE => holding.next().is_some(),
            TEXT_DONE | PART_DONE => holding.any(|part| part.number == event.part),
            _ => false,
        }
    }

    /// Whether any of its text is held back, or was taken out.
    pub(super) fn is_holding(&self) -> bool {
        !self.waiting.is_empty() || self.parts.iter().any(|part| part.scan.is_holding())
    }

    /// Puts the text that was shown into an event or an item that tells it as a whole.
    pub(super) fn put_shown(&self, event: &mut Value) {
        for part in self.parts.iter().filter(|part| part.begun) {
            let number = event.get("content_index").and_then(Value::as_u64).unwrap_or(0);
            let path = match text_of(event, "type") {
                TEXT_DONE | PART_DONE if number != part.number => continue,
                TEXT_DONE => String::new(),
                PART_DONE => "/part".to_owned(),
                ITEM_DONE => format!("/item/content/{}", part.number),
                _ => format!("/content/{}", part.number),
            };
            let Some(fields) = event.pointer_mut(&path).and_then(Value::as_object_mut) else { continue };
            let Some(text) = fields.get("text").and_then(Value::as_str) else { continue };
            // What was measured of the text that is shown stays.
            let measured = fields.get("logprobs").and_then(Value::as_array);
            let measured = measured.map(|list| of_shown(list, text.len(), &part.scan));
            put_text(fields, "text", &part.shown);
            if let (Some(measured), Some(place)) =
                (measured, fields.get_mut("logprobs").filter(|_| part.scan.is_holding()))
            {
                *place = Value::Array(measured);
            }
        }
    }

    /// The item as the client has seen it. `listed` are the items of the finished response.
    pub(super) fn item(&self, listed: &[Value]) -> Option<Value> {
        let read = |data: &Option<Bytes>| -> Option<Value> {
            Document::read(data.as_ref()?)?.value.get_mut("item").map(Value::take)
        };
        let found = || listed.iter().enumerate().find(|(at, item)| self.is(item, *at)).map(|(_, item)| item.clone());
        let mut item = read(&self.done).or_else(found).or_else(|| read(&self.added))?;
        self.put_shown(&mut item);
        Some(item)
    }

    /// Whether an item of the finished response is this one. A call is not: it would come back unchecked.
    pub(super) fn is(&self, item: &Value, at: usize) -> bool {
        let id = text_of(item, "id");
        let same_kind = self.kind.is_empty() || text_of(item, "type") == self.kind;
        let shown = match Role::of(item) {
            Role::Shown => true,
            Role::Unknown => !self.kind.is_empty(),
            Role::Call => false,
        };
        shown && same_kind && ((!id.is_empty() && id == self.id) || self.index.unwrap_or(self.place) == at as u64)
    }

    /// The item as it was when it was done.
    pub(super) fn keep_done(&mut self, event: &Document) {
        self.kind = event.value.get("item").map(|item| text_of(item, "type")).unwrap_or_default().to_owned();
        self.done = Some(Bytes::from(event.write().into_owned()));
    }
}

/// A text in which calls are looked for.
pub(super) struct Part {
    /// Its number in the item.
    pub(super) number: u64,
    /// What looks for them.
    pub(super) scan: TextScan,
    /// What the client has seen.
    pub(super) shown: String,
    /// Whether any of it has come.
    pub(super) begun: bool,
    /// Log-probabilities of what is held back.
    pub(super) measured: Measured,
}

impl Part {
    /// Takes a piece and gives what may be shown now; `None` where that is exactly the piece.
    pub(super) fn push(&mut self, text: &str) -> Option<String> {
        self.begun = true;
        let shown = Some(text).filter(|text| !text.is_empty()).and_then(|text| self.scan.push(text));
        self.shown.push_str(shown.as_deref().unwrap_or(text));
        shown
    }

    /// Takes what was measured of the piece that came last, and gives that of what is shown now.
    pub(super) fn measure(&mut self, length: usize, list: Option<&str>) -> Option<String> {
        if let Some(list) = list {
            self.measured.take(self.scan.length().saturating_sub(length)..self.scan.length(), list);
        }
        self.measured.shown(&self.scan)
    }
}

/// More texts than any item has.
const MAX_PARTS: usize = 1024;
