//! Responses: items begun, continued and done, each event numbered, and the whole response again at the end.
//!
//! What the client is to run is held; everything else flows, under numbers without gaps. The event that ends the answer repeats
//! all of it, so it is held from the first held call on, and then tells exactly what the client was shown. A stream
//! that fails or breaks off releases nothing.

/// The forms that are written.
pub(in crate::gateway) mod form;
/// What an event says.
mod event;
/// The calls that are held.
mod calls;
/// The items that are shown.
mod items;
/// The end, written.
mod closing;

pub(in crate::gateway) use calls::unknown_call;

use super::{Ended, Extend, Options, Rewriter, remember};
use crate::gateway::held::{Held, HeldChoice, Settled};
use crate::gateway::json::{Document, find, put};
use crate::gateway::sse::{Frame, Output};
use crate::gateway::wire::Fault;
use bytes::Bytes;
use calls::{Calls, MAX_ITEMS};
use countersign::parse::Finish;
use event::{Event, ITEM_ADDED, ITEM_DONE, TEXT_DELTA, TEXT_DONE};
use form::{Role, is_limit, put_text, text_of};
use items::{Numbers, Shown, Table, Whom};
use serde::Deserialize;
use serde_json::{Value, json};

/// The rewriter.
pub(crate) struct Responses {
    options: Options,
    table: Table,
    numbers: Numbers,
    calls: Calls,
    shown: Vec<Shown>,
    /// The text that was shown.
    text: String,
    /// Bytes of text and events that are kept.
    kept: usize,
    last: Option<Last>,
    failed: bool,
    /// An end mark, as it came.
    done: Option<Bytes>,
}

/// The event that ends the answer.
struct Last {
    event: Document,
    fate: Fate,
}

/// Whether the client has the last event.
enum Fate {
    Held,
    /// It waits as it came, because most answers stay as they are.
    Waits(Frame),
    Passed,
}

/// A frame, and its data.
struct Came<'a> {
    frame: &'a Frame,
    data: &'a Bytes,
}

impl Responses {
    pub(super) fn new(options: Options) -> Self {
        Self {
            options,
            table: Table::default(),
            numbers: Numbers::default(),
            calls: Calls::default(),
            shown: Vec::new(),
            text: String::new(),
            kept: 0,
            last: None,
            failed: false,
            done: None,
        }
    }

    fn take(&mut self, event: &Event, came: &Came, out: &mut Output) -> Result<(), Fault> {
        if event.is_failure() {
            // What is no call is not lost with those that are.
            self.end_texts(Finish::Cancelled, out);
            self.failed = true;
            return self.without_calls(event, came, out);
        }
        if event.is_last() {
            return self.take_last(event, came, out);
        }
        let unknown = self.options.unknown_items;
        if event.is_held(unknown) {
            return self.hold_item(event, came);
        }
        if event.is_piece_of_call() && !matches!(self.table.find(event), Some(Whom::Shown(_))) {
            return self.hold_arguments(event, came);
        }
        match event.lists_held(unknown) {
            true => self.without_calls(event, came, out),
            false => self.show(event, came, out),
        }
    }

    /// The item of a call, begun or done.
    fn hold_item(&mut self, event: &Event, came: &Came) -> Result<(), Fault> {
        self.numbers.shifted = true;
        let read = came.read()?;
        let item = read.value.get("item").unwrap_or(&Value::Null);
        let added = event.kind == ITEM_ADDED;
        let at = match if added { self.table.repeats(event) } else { self.table.find(event) } {
            Some(Whom::Held(at)) => Some(at),
            _ => self.calls.find(item).filter(|_| !added),
        };
        let at = match at {
            Some(at) => at,
            None => self.begin_call(event)?,
        };
        self.keep(came.data.len())?;
        self.calls.take_item(at, &event.kind, item);
        self.calls.keep_text(at, find(read.text(), "/item").unwrap_or_default());
        Ok(())
    }

    /// Arguments of a call, perhaps of one whose beginning was not told.
    fn hold_arguments(&mut self, event: &Event, came: &Came) -> Result<(), Fault> {
        self.numbers.shifted = true;
        let unaddressed = event.index.is_none() && event.id.trim().is_empty();
        let known = if unaddressed { self.table.last() } else { self.table.find(event) };
        let at = match known {
            Some(Whom::Held(at)) => at,
            _ => self.begin_call(event)?,
        };
        let mut value = came.read()?.value;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("type".to_owned(), event.kind.as_ref().into());
        }
        self.calls.take_arguments(at, &value);
        Ok(())
    }

    fn begin_call(&mut self, event: &Event) -> Result<usize, Fault> {
        if self.table.len() >= MAX_ITEMS {
            return Err(too_long());
        }
        let at = self.calls.begin(event.index);
        self.table.remember(event, Whom::Held(at));
        Ok(at)
    }

    /// Whatever is no call.
    fn show(&mut self, event: &Event, came: &Came, out: &mut Output) -> Result<(), Fault> {
        let at = match self.whom(event)? {
            // The client does not know the item that this is about.
            Some(Whom::Held(_)) => {
                self.numbers.shifted = true;
                return Ok(());
            }
            Some(Whom::Shown(at)) => at,
            None => return self.send_as_it_came(event, None, came, out),
        };
        match event.kind.as_ref() {
            TEXT_DELTA => return self.show_text(at, event, came, out),
            TEXT_DONE => self.read_late(at, event, came, out)?,
            _ => {}
        }
        let Some(item) = self.shown.get_mut(at) else { return Ok(()) };
        if item.holds(event) {
            self.numbers.shifted = true;
            item.waiting.push(came.read()?);
            return self.keep(came.data.len());
        }
        if self.kept + came.data.len() <= MAX_KEPT && matches!(event.kind.as_ref(), ITEM_ADDED | ITEM_DONE) {
            self.kept += came.data.len();
            item.keep(event, came.data);
        }
        let place = item.place;
        self.send_as_it_came(event, Some(place), came, out)
    }

    /// Who an event is about; an item that was not told of before gets its place.
    fn whom(&mut self, event: &Event) -> Result<Option<Whom>, Fault> {
        if !event.is_of_item() {
            return Ok(None);
        }
        let unaddressed = event.index.is_none() && event.id.trim().is_empty();
        let known = match event.kind.as_ref() {
            ITEM_ADDED => self.table.repeats(event),
            _ if unaddressed => self.table.last().filter(|whom| matches!(whom, Whom::Shown(_))),
            _ => self.table.find(event),
        };
        if known.is_some() {
            return Ok(known);
        }
        if self.table.len() >= MAX_ITEMS {
            return Err(too_long());
        }
        let place = self.numbers.place(event.index);
        let whom = Whom::Shown(self.shown.len());
        self.shown.push(Shown::new(&event.id, event.index, place));
        self.table.remember(event, whom);
        Ok(Some(whom))
    }

    /// A piece of text.
    fn show_text(&mut self, at: usize, event: &Event, came: &Came, out: &mut Output) -> Result<(), Fault> {
        let Some(item) = self.shown.get_mut(at) else { return Ok(()) };
        let place = item.place;
        let part = item.part(event.part, self.options.text_tools.as_ref());
        let scanned = part.is_some();
        let changed = part.and_then(|part| {
            let text = part.push(&event.delta)?;
            let data = String::from_utf8_lossy(came.data);
            let list = find(&data, LOGPROBS).filter(|list| list.starts_with('['));
            Some((text, part.measure(event.delta.len(), list)))
        });
        if scanned {
            self.keep(event.delta.len())?;
        }
        let Some((text, measured)) = changed else {
            remember(&mut self.text, &event.delta);
            return self.send_as_it_came(event, Some(place), came, out);
        };
        if text.is_empty() {
            self.numbers.shifted = true;
            return Ok(());
        }
        remember(&mut self.text, &text);
        let mut event = came.read()?;
        if let Some(fields) = event.value.as_object_mut() {
            put_text(fields, "delta", &text);
        }
        self.send_changed(event, measured.map(|list| (LOGPROBS, list)), Some(place), out);
        Ok(())
    }

    /// A text that comes as a whole, without pieces before it: calls may be in it as well.
    fn read_late(&mut self, at: usize, event: &Event, came: &Came, out: &mut Output) -> Result<(), Fault> {
        let Some(item) = self.shown.get_mut(at) else { return Ok(()) };
        let place = item.place;
        let Some(part) = item.part(event.part, self.options.text_tools.as_ref()).filter(|part| !part.begun) else {
            return Ok(());
        };
        let value = came.read()?.value;
        let changed = part.push(text_of(&value, "text"));
        remember(&mut self.text, changed.as_deref().unwrap_or(text_of(&value, "text")));
        self.keep(came.data.len())?;
        if let Some(text) = changed.filter(|text| !text.is_empty()) {
            self.send_ours(text_delta(&event.id, event.part, &text), place, out);
        }
        Ok(())
    }

    /// The last event: at once where nothing is to be said before it or in it.
    fn take_last(&mut self, event: &Event, came: &Came, out: &mut Output) -> Result<(), Fault> {
        let lists_held = event.lists_held(self.options.unknown_items);
        let holding = !self.calls.is_empty() || lists_held || self.shown.iter().any(Shown::is_holding);
        self.numbers.shifted |= lists_held;
        let fate = match self.options.extend {
            _ if holding || self.numbers.shifted => Fate::Held,
            Extend::Field => Fate::Held,
            Extend::Wait => Fate::Waits(Frame { start: usize::MAX, ..came.frame.clone() }),
            Extend::No => Fate::Passed,
        };
        let event = match fate {
            Fate::Held => came.read()?,
            Fate::Waits(_) => outline(event, came.data),
            Fate::Passed => {
                self.send_as_it_came(event, None, came, out)?;
                outline(event, came.data)
            }
        };
        self.last = Some(Last { event, fate });
        Ok(())
    }

    /// An event that repeats the response so far: no call in it has been decided.
    fn without_calls(&mut self, event: &Event, came: &Came, out: &mut Output) -> Result<(), Fault> {
        let unknown = self.options.unknown_items;
        if !event.lists_held(unknown) {
            return self.send_as_it_came(event, None, came, out);
        }
        let mut event = came.read()?;
        let items = event.value.pointer_mut("/response/output").and_then(Value::as_array_mut);
        items.ok_or_else(unreadable)?.retain(|item| !Role::of(item).is_held(unknown));
        self.send(event, None, out);
        Ok(())
    }

    /// Sends an event; only its numbers may change.
    fn send_as_it_came(
        &mut self,
        event: &Event,
        place: Option<u64>,
        came: &Came,
        out: &mut Output,
    ) -> Result<(), Fault> {
        if !self.numbers.shifted {
            self.numbers.passed(event.sequence);
            out.pass(came.frame);
            return Ok(());
        }
        let text = self.numbers.stamp_text(&String::from_utf8_lossy(came.data), place);
        match event.kind.as_ref() {
            _ if came.frame.event().is_some() => out.pass(&came.frame.with_data(&text)),
            kind => write_event(kind, &text, out),
        }
        Ok(())
    }

    /// Sends an event of ours about the item at a place.
    fn send_ours(&mut self, value: Value, place: u64, out: &mut Output) {
        self.send_with(value, None, place, out);
    }

    /// The same, with a text put into it at a JSON pointer.
    fn send_with(&mut self, mut value: Value, text: Option<(&str, String)>, place: u64, out: &mut Output) {
        self.numbers.shifted = true;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("output_index".to_owned(), place.into());
            fields.insert("sequence_number".to_owned(), 0.into());
        }
        self.send_changed(Document::new(value), text, Some(place), out);
    }

    fn send(&mut self, event: Document, place: Option<u64>, out: &mut Output) {
        self.send_changed(event, None, place, out);
    }

    fn send_changed(
        &mut self,
        mut event: Document,
        text: Option<(&str, String)>,
        place: Option<u64>,
        out: &mut Output,
    ) {
        if let Some(fields) = event.value.as_object_mut() {
            self.numbers.stamp(fields, place);
        }
        let (kind, written) = (text_of(&event.value, "type"), event.write());
        match text {
            Some((pointer, text)) => write_event(kind, &put(&written, &[(pointer.to_owned(), text)]), out),
            None => write_event(kind, &written, out),
        }
    }

    fn keep(&mut self, bytes: usize) -> Result<(), Fault> {
        self.kept += bytes;
        if self.kept > MAX_KEPT { Err(too_long()) } else { Ok(()) }
    }
}

impl Rewriter for Responses {
    fn frame(&mut self, frame: &Frame, out: &mut Output) -> Result<(), Fault> {
        // Nothing that comes behind the end is part of the answer.
        if self.is_over() {
            return Ok(());
        }
        let Some(data) = frame.data().filter(|data| !data.trim_ascii().is_empty()) else {
            out.pass(frame);
            return Ok(());
        };
        if data.trim_ascii() == b"[DONE]" {
            self.done = Some(frame.raw.clone());
            return Ok(());
        }
        if let Some(event) = Event::glance(&data) {
            return self.take(&event, &Came { frame, data: &data }, out);
        }
        // Of an unusual form, or with a key twice, or with what JSON does not have: it is read with patience.
        let read = Document::read(&data).filter(|read| read.value.is_object()).ok_or_else(unreadable)?;
        let clean = read.cleaned.then(|| frame.with_data(read.text()));
        let frame = clean.as_ref().unwrap_or(frame);
        let event = Event::of_value(&read.value, frame.event());
        self.take(&event, &Came { frame, data: &frame.data().unwrap_or_default() }, out)
    }

    fn is_over(&self) -> bool {
        self.failed || self.last.is_some() || self.done.is_some()
    }

    fn end(&mut self, ended: Ended, out: &mut Output) -> Result<Held, Fault> {
        if self.failed {
            return Ok(Held::default());
        }
        let Some(last) = &self.last else {
            self.end_texts(Finish::Cancelled, out);
            return Err(match ended {
                Ended::Broken(why) => Fault::cut(&why),
                Ended::Clean => Fault::cut("it ended without saying why"),
            });
        };
        let response = ended_response(&last.event.value);
        let cut = text_of(&response, "status") == "incomplete";
        let finish = if cut { Finish::Length } else { Finish::Stop };
        let mut calls = self.calls.finish(&response, finish, self.options.unknown_items);
        calls.extend(self.end_texts(finish, out));
        self.numbers.shifted |= !calls.is_empty();
        self.show_unseen(&response, out);
        let choice = HeldChoice {
            index: 0,
            calls,
            text: self.text.clone(),
            thoughts: self.thoughts(&response),
            at_limit: cut && is_limit(&response),
            has_more: self.shown.iter().any(|item| !matches!(item.kind.as_str(), "message" | "reasoning" | "")),
        };
        Ok(Held { choices: vec![choice], usage: response.get("usage").filter(|usage| usage.is_object()).cloned() })
    }

    fn close(&mut self, settled: &Settled, out: &mut Output) {
        if !self.failed {
            self.write_settled(settled, out);
        }
        if let Some(done) = self.done.take() {
            out.write(&done);
        }
    }

    fn sequence(&self) -> u64 {
        self.numbers.next
    }
}

impl Came<'_> {
    fn read(&self) -> Result<Document, Fault> {
        let mut event = Document::read(self.data).ok_or_else(unreadable)?;
        if let (Some(name), Some(fields)) = (self.frame.event(), event.value.as_object_mut())
            && !fields.contains_key("type")
        {
            fields.insert("type".to_owned(), name.into());
        }
        Ok(event)
    }
}

/// The response of the last event, with a status that the event's name does not contradict.
fn ended_response(event: &Value) -> Value {
    let mut response = event.get("response").filter(|response| response.is_object()).cloned().unwrap_or(json!({}));
    if text_of(event, "type") == "response.incomplete"
        && let Some(fields) = response.as_object_mut()
    {
        fields.insert("status".to_owned(), "incomplete".into());
    }
    response
}

/// What must be known of a last event that the client has: reading all of it would be for nothing.
fn outline(event: &Event, data: &[u8]) -> Document {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Outline {
        response: Ends,
    }
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Ends {
        status: Value,
        incomplete_details: Value,
        usage: Value,
    }
    let response = match serde_json::from_slice::<Outline>(data) {
        Ok(Outline { response: Ends { status, incomplete_details, usage } }) => {
            json!({"status": status, "incomplete_details": incomplete_details, "usage": usage})
        }
        // Something in it is no JSON: then it is read with patience.
        Err(_) => Document::read(data)
            .and_then(|mut read| read.value.get_mut("response").map(Value::take))
            .unwrap_or_default(),
    };
    Document::new(json!({"type": event.kind, "response": response}))
}

/// An event under its name.
fn write_event(kind: &str, text: &str, out: &mut Output) {
    match kind {
        // A name is one line.
        kind if kind.is_empty() || kind.contains(['\n', '\r']) => out.data(text),
        kind => out.event(kind, text),
    }
}

fn text_delta(id: &str, part: u64, text: &str) -> Value {
    json!({"type": TEXT_DELTA, "item_id": id, "content_index": part, "delta": text, "logprobs": []})
}

fn unreadable() -> Fault {
    Fault::new(502, "upstream_unreadable", "the upstream sent something that is no part of a responses stream")
}

fn too_long() -> Fault {
    Fault::new(502, "upstream_too_long", "the upstream's answer is longer than is held")
}

/// Where the log-probabilities of a piece of text stand.
const LOGPROBS: &str = "/logprobs";
/// The most bytes of text and events that are kept of one answer.
const MAX_KEPT: usize = 64 << 20;
