//! Messages: blocks that begin, go on and stop, and an end that says why.
//!
//! Blocks of calls are held and the others flow. Those that the server runs itself, and whatever is not known here, are
//! nobody's to judge and pass as they came. A stream that reports an error is over, and no call of it is released.

/// One event.
mod glance;
/// The blocks.
mod blocks;
/// The end of a message.
mod ending;

pub(in crate::gateway) use blocks::is_unknown_call;
pub(in crate::gateway) use ending::{is_limit, stop_reason};

use super::{Ended, Extend, Options, Rewriter, UnknownItems, remember};
use crate::gateway::held::{CallReader, Held, HeldCall, HeldChoice, Settled};
use crate::gateway::json::{Document, find};
use crate::gateway::sse::{Frame, Output};
use crate::gateway::wire::Fault;
use crate::models::TextScan;
use blocks::{Begun, Blocks, CallBlock, Kind, State, kind_of, write_start, write_text};
use bytes::Bytes;
use countersign::parse::Finish;
use countersign::parse::native::Dialect;
use ending::Ending;
use glance::{DeltaGlance, Glance, kept, pass_named};
use serde_json::{Value, json};

/// The rewriter.
pub(crate) struct Messages {
    options: Options,
    blocks: Blocks,
    /// The text that is being looked through.
    scanned: Option<Scanned>,
    reader: Option<CallReader>,
    /// The calls in order: those of the reader, and those from elsewhere.
    calls: Vec<Slot>,
    text: String,
    thoughts: Vec<Value>,
    ending: Ending,
    phase: Phase,
}

/// A text block whose text is looked through.
struct Scanned {
    at: usize,
    shown: u64,
    scan: TextScan,
    /// Its stop, which came while some of the text was held back.
    stop: Option<Bytes>,
}

/// A call's place among all.
enum Slot {
    /// The reader's next.
    Native,
    /// One that the reader does not know.
    Other(HeldCall),
}

/// How far the message is.
#[derive(PartialEq, Eq)]
enum Phase {
    Before,
    Begun,
    Over,
    Failed,
}

impl Messages {
    pub(super) fn new(options: Options) -> Self {
        Self {
            options,
            blocks: Blocks::default(),
            scanned: None,
            reader: None,
            calls: Vec::new(),
            text: String::new(),
            thoughts: Vec::new(),
            ending: Ending::default(),
            phase: Phase::Before,
        }
    }

    /// Whether the end of the message is held.
    fn holds(&self) -> bool {
        self.options.extend != Extend::No || self.has_calls()
    }

    /// Whether a call was seen, or text is held back that may become one.
    fn has_calls(&self) -> bool {
        let scanned = self.scanned.as_ref().is_some_and(|scanned| scanned.scan.is_holding());
        scanned || self.reader.is_some() || !self.calls.is_empty()
    }

    /// A piece of a block, which is what most frames are.
    fn delta(&mut self, glance: &Glance, frame: &Frame, out: &mut Output) -> Result<(), Fault> {
        let delta = glance.delta.as_ref().ok_or_else(unreadable)?;
        let Some(at) = self.blocks.find(glance.index()) else { return self.stray(delta, glance, out) };
        let Some(block) = self.blocks.get_mut(at) else { return Ok(()) };
        match (&mut block.kind, delta.kind()) {
            (Kind::Call(call), _) => {
                call.input = None;
                return self.read_call(at, frame);
            }
            (Kind::Foreign, _) => {}
            (Kind::Nameless, _) => return Ok(()),
            (_, "input_json_delta") => {
                self.spoil();
                return Ok(());
            }
            (Kind::Text, "text_delta") => {
                let scan = self.scanned.as_mut().filter(|scanned| scanned.at == at);
                if let Some(shown) = scan.and_then(|scanned| scanned.scan.push(delta.text())) {
                    remember(&mut self.text, &shown);
                    if !shown.is_empty() {
                        glance.pass_with(block.shown, "/delta/text", &shown, frame, out);
                    }
                    return Ok(());
                }
                remember(&mut self.text, delta.text());
            }
            (Kind::Thinking(thought), _) => {
                if let Some(thought) = self.thoughts.get_mut(*thought) {
                    think(thought, delta);
                }
            }
            _ => {}
        }
        if let Some(block) = self.blocks.get_mut(at) {
            glance.pass(block.shown, frame, out);
        }
        Ok(())
    }

    /// A piece of a block that never began. Text gets the beginning that it lacks; nothing else can be placed.
    fn stray(&mut self, delta: &DeltaGlance, glance: &Glance, out: &mut Output) -> Result<(), Fault> {
        match delta.kind() {
            "input_json_delta" => self.spoil(),
            "text_delta" => {
                let block = Begun::of(json!({"type": "text", "text": delta.text()}));
                self.begin(glance.index(), &block, None, out)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Arguments came whose call is not known: no open call can be sure of its own.
    fn spoil(&mut self) {
        if let Some(reader) = &mut self.reader {
            reader.take(&json!({
                "type": "content_block_delta", "index": u64::MAX,
                "delta": {"type": "input_json_delta", "partial_json": ""},
            }));
        }
    }

    /// Gives a piece of a call to the reader, which knows blocks by their place.
    fn read_call(&mut self, at: usize, frame: &Frame) -> Result<(), Fault> {
        let mut event = Document::read(&frame.data().unwrap_or_default()).ok_or_else(unreadable)?.value;
        if let Some(fields) = event.as_object_mut() {
            fields.insert("index".to_owned(), at.into());
            fields.insert("type".to_owned(), "content_block_delta".into());
        }
        if let Some(reader) = &mut self.reader {
            reader.take(&event);
        }
        Ok(())
    }

    /// A block begins. Its frame is passed where there is one and nothing in it changes.
    fn begin(
        &mut self,
        index: Option<u64>,
        begun: &Begun,
        passed: Option<(&Glance, &Frame)>,
        out: &mut Output,
    ) -> Result<(), Fault> {
        let block = &begun.block;
        if self.blocks.is_repeat(index, block) {
            return Ok(());
        }
        // Another block proves that the text before it was not cut.
        self.finish_text(Finish::Stop, out);
        let kind = match kind_of(block) {
            "tool_use" => return self.begin_call(index, begun),
            kind if is_unknown_call(kind) && self.options.unknown_items == UnknownItems::Refuse => {
                self.blocks.begin(index, Kind::Nameless).ok_or_else(too_many)?;
                let id = block.get("id").and_then(Value::as_str).map(str::to_owned);
                self.calls.push(Slot::Other(HeldCall::unknown(kind, id, block)));
                return Ok(());
            }
            "text" => Kind::Text,
            "thinking" | "redacted_thinking" => {
                self.thoughts.push(block.clone());
                Kind::Thinking(self.thoughts.len() - 1)
            }
            _ => Kind::Foreign,
        };
        let is_text = matches!(kind, Kind::Text);
        let at = self.blocks.begin(index, kind).ok_or_else(too_many)?;
        let shown = self.blocks.get_mut(at).map_or(0, |block| block.shown);
        let changed = if is_text { self.begin_text(at, shown, block) } else { None };
        match (changed, passed) {
            (Some(text), Some((glance, frame))) => glance.pass_with(shown, "/content_block/text", &text, frame, out),
            (Some(text), None) => write_start(shown, &json!({"type": "text", "text": text}), out),
            (None, Some((glance, frame))) => glance.pass(shown, frame, out),
            (None, None) => write_start(shown, block, out),
        }
        Ok(())
    }

    /// A text begins, with its first words where a server puts them here. Gives them where they change.
    fn begin_text(&mut self, at: usize, shown: u64, block: &Value) -> Option<String> {
        let text = block.get("text").and_then(Value::as_str).unwrap_or_default();
        let scan = self.options.text_tools.as_ref().map(TextScan::new);
        let scanned = scan.map(|scan| self.scanned.insert(Scanned { at, shown, scan, stop: None }));
        let changed = scanned.filter(|_| !text.is_empty()).and_then(|scanned| scanned.scan.push(text));
        remember(&mut self.text, changed.as_deref().unwrap_or(text));
        changed
    }

    fn begin_call(&mut self, index: Option<u64>, begun: &Begun) -> Result<(), Fault> {
        let block = &begun.block;
        if self.calls.len() >= MAX_CALLS {
            return Err(too_many());
        }
        let told = |key: &str| block.get(key).and_then(Value::as_str).map(str::to_owned);
        let Some(name) = told("name").filter(|name| !name.trim().is_empty()) else {
            // The reader skips a call without a name, but the model should hear of it.
            self.blocks.begin(index, Kind::Nameless).ok_or_else(too_many)?;
            self.calls.push(Slot::Other(HeldCall { id: told("id"), complete: true, ..HeldCall::default() }));
            return Ok(());
        };
        let call = CallBlock { id: told("id"), input: begun.input() };
        let at = self.blocks.begin(index, Kind::Call(call)).ok_or_else(too_many)?;
        self.calls.push(Slot::Native);
        let begun = json!({"type": "tool_use", "id": told("id"), "name": name, "input": {}});
        let reader = self.reader.get_or_insert_with(|| CallReader::new(Dialect::Anthropic));
        reader.take(&json!({"type": "content_block_start", "index": at, "content_block": begun}));
        Ok(())
    }

    /// A block stops.
    fn stop(&mut self, glance: &Glance, frame: &Frame, out: &mut Output) {
        let Some(at) = self.blocks.find(glance.index()) else { return };
        let Some(block) = self.blocks.get_mut(at).filter(|block| block.state == State::Open) else { return };
        block.state = State::Stopped;
        let shown = block.shown;
        if block.kind.is_held() {
            return;
        }
        if let Some(scanned) = self.scanned.as_mut().filter(|scanned| scanned.at == at) {
            if scanned.scan.is_holding() {
                scanned.stop = Some(kept(|out| glance.pass(shown, frame, out)));
                return;
            }
            self.scanned = None;
        }
        glance.pass(shown, frame, out);
    }

    /// Ends the text that is looked through: what was held back of it is shown, and its stop behind it.
    fn finish_text(&mut self, finish: Finish, out: &mut Output) {
        let Some(mut scanned) = self.scanned.take() else { return };
        let rest = scanned.scan.finish(finish);
        remember(&mut self.text, &rest);
        write_text(scanned.shown, &rest, out);
        self.calls.extend(scanned.scan.take_calls().into_iter().map(HeldCall::from).map(Slot::Other));
        if let Some(stop) = scanned.stop {
            out.write(&stop);
        }
    }

    /// The message begins, once. Blocks that are in it already are treated like all others.
    fn begin_message(&mut self, mut event: Document, frame: &Frame, out: &mut Output) -> Result<(), Fault> {
        if std::mem::replace(&mut self.phase, Phase::Begun) != Phase::Before {
            return Ok(());
        }
        self.ending.count(event.value.pointer("/message/usage"));
        let content = event.value.pointer_mut("/message/content").and_then(Value::as_array_mut).map(std::mem::take);
        let content = content.unwrap_or_default();
        if content.is_empty() {
            pass_named(frame, out);
            return Ok(());
        }
        out.event("message_start", &event.write());
        for (place, block) in content.into_iter().enumerate() {
            let text = find(event.text(), &format!("/message/content/{place}")).unwrap_or_default().to_owned();
            self.begin(None, &Begun { block, text }, None, out)?;
            let last = self.blocks.find(None).and_then(|at| self.blocks.get_mut(at));
            let index = last.filter(|block| !block.kind.is_held()).map(|block| block.shown);
            self.finish_text(Finish::Stop, out);
            index.into_iter().for_each(|index| blocks::write_stop(index, out));
        }
        Ok(())
    }

    /// The calls, once the message is over.
    fn take_calls(&mut self, finish: Finish) -> Vec<HeldCall> {
        let Some(mut reader) = self.reader.take() else {
            return self.calls.drain(..).filter_map(Slot::other).collect();
        };
        for (at, block) in self.blocks.iter_mut() {
            let Kind::Call(call) = &mut block.kind else { continue };
            if let Some(input) = call.input.take() {
                let delta = json!({"type": "input_json_delta", "partial_json": input});
                reader.take(&json!({"type": "content_block_delta", "index": at, "delta": delta}));
            }
        }
        // A limit that was met behind the last call has cut none of them.
        let cut = finish == Finish::Length && self.blocks.ends_with_call();
        let reason = if finish == Finish::Length && !cut { Some("tool_use") } else { self.ending.reason() };
        reader.take(&json!({"type": "message_delta", "delta": {"stop_reason": reason}}));
        reader.done();
        let mut native = reader.finish(if cut { Finish::Length } else { Finish::Stop }).into_iter();
        let calls = self.calls.drain(..).filter_map(|slot| slot.other().or_else(|| native.next()));
        calls.map(with_arguments).collect()
    }

    /// An event that is read whole.
    fn whole(
        &mut self,
        event: Document,
        glance: Option<&Glance>,
        frame: &Frame,
        out: &mut Output,
    ) -> Result<(), Fault> {
        let fields = event.value.as_object().ok_or_else(unreadable)?;
        let kind = fields.get("type").and_then(Value::as_str).or_else(|| frame.event()).unwrap_or_default();
        match kind {
            "error" => self.fail(frame, out),
            "message_start" => return self.begin_message(event, frame, out),
            "content_block_start" => {
                let block = fields.get("content_block").cloned().unwrap_or_default();
                let text = find(event.text(), "/content_block").unwrap_or_default().to_owned();
                let index = fields.get("index").and_then(Value::as_u64);
                return self.begin(index, &Begun { block, text }, glance.map(|glance| (glance, frame)), out);
            }
            // Pieces that are not written as pieces are: whatever they say, it would be lost or misread.
            "content_block_delta" | "content_block_stop" => return Err(unreadable()),
            "message_delta" => {
                self.ending.read(&event.value);
                match self.holds() {
                    true => return self.ending.hold_delta(frame),
                    false => pass_named(frame, out),
                }
            }
            "message_stop" => {
                self.phase = Phase::Over;
                match self.holds() {
                    true => self.ending.hold_stop(frame),
                    false => pass_named(frame, out),
                }
            }
            _ => out.pass(frame),
        }
        Ok(())
    }

    /// The upstream says that it failed. Text that was held back is shown before that.
    fn fail(&mut self, frame: &Frame, out: &mut Output) {
        self.finish_text(Finish::Cancelled, out);
        self.phase = Phase::Failed;
        out.pass(frame);
    }

    /// An event, seen as far as it decides what is done with it.
    fn read(
        &mut self,
        glance: Option<&Glance>,
        document: Option<Document>,
        frame: &Frame,
        out: &mut Output,
    ) -> Result<(), Fault> {
        let kind = glance.map_or("", |glance| glance.kind(frame));
        match (kind, glance) {
            ("content_block_delta", Some(glance)) => return self.delta(glance, frame, out),
            ("content_block_stop", Some(glance)) => {
                self.stop(glance, frame, out);
                return Ok(());
            }
            _ => {}
        }
        let data = || frame.data().unwrap_or_default();
        let document = document.or_else(|| Document::read(&data())).ok_or_else(unreadable)?;
        match document.cleaned {
            true => self.whole(document.clone(), glance, &frame.with_data(document.text()), out),
            false => self.whole(document, glance, frame, out),
        }
    }
}

impl Rewriter for Messages {
    fn frame(&mut self, frame: &Frame, out: &mut Output) -> Result<(), Fault> {
        // Behind its end a message has nothing to say; some servers add the end mark of another dialect.
        if self.is_over() {
            return Ok(());
        }
        if frame.event() == Some("error") {
            self.fail(frame, out);
            return Ok(());
        }
        let Some(data) = frame.data() else {
            out.pass(frame);
            return Ok(());
        };
        if data.trim_ascii() == b"[DONE]" {
            return Ok(());
        }
        if let Some(glance) = Glance::of(&data) {
            return self.read(Some(&glance), None, frame, out);
        }
        // It holds what JSON does not have, or a key twice: then it is read with patience, and passed as it came.
        let mut document = Document::read(&data).ok_or_else(unreadable)?;
        let frame = if std::mem::take(&mut document.cleaned) { &frame.with_data(document.text()) } else { frame };
        let plain = document.value.to_string();
        self.read(Glance::of(plain.as_bytes()).as_ref(), Some(document), frame, out)
    }

    fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over | Phase::Failed)
    }

    fn end(&mut self, ended: Ended, out: &mut Output) -> Result<Held, Fault> {
        if self.phase == Phase::Failed {
            return Ok(Held::default());
        }
        if let (Ended::Broken(why), true) = (&ended, self.phase != Phase::Over) {
            self.finish_text(Finish::Cancelled, out);
            return Err(Fault::cut(why));
        }
        if self.ending.reason().is_none() && (self.phase != Phase::Over || self.has_calls()) {
            self.finish_text(Finish::Cancelled, out);
            return Err(Fault::cut("it ended without saying why"));
        }
        let at_limit = self.ending.reason().is_some_and(is_limit);
        let finish = if at_limit { Finish::Length } else { Finish::Stop };
        self.finish_text(finish, out);
        self.ending.shown = self.text.clone();
        self.ending.has_calls = self.has_calls();
        let calls = self.take_calls(finish);
        let text = std::mem::take(&mut self.text);
        let thoughts = self.thoughts.drain(..).filter(|thought| !thought.is_null()).collect();
        let has_more = self.blocks.iter_mut().any(|(_, block)| matches!(block.kind, Kind::Foreign));
        let choice = HeldChoice { index: 0, calls, text, thoughts, at_limit, has_more };
        Ok(Held { choices: vec![choice], usage: self.ending.usage() })
    }

    fn close(&mut self, settled: &Settled, out: &mut Output) {
        if self.phase != Phase::Failed {
            self.ending.write(settled, &mut self.blocks, out);
        }
    }
}

impl Slot {
    fn other(self) -> Option<HeldCall> {
        match self {
            Self::Native => None,
            Self::Other(call) => Some(call),
        }
    }
}

/// A whole call without pieces has the empty input that its beginning tells.
pub(in crate::gateway) fn with_arguments(mut call: HeldCall) -> HeldCall {
    if call.complete && !call.overlong && call.written.trim().is_empty() {
        call.written = "{}".to_owned();
    }
    call
}

/// Adds to a thought. One that is too long to be repeated as it was is not repeated at all.
fn think(thought: &mut Value, delta: &DeltaGlance) {
    let Some(fields) = thought.as_object_mut() else { return };
    match delta.kind() {
        "thinking_delta" => match fields.entry("thinking").or_insert_with(|| "".into()) {
            Value::String(text) if text.len() + delta.thinking().len() <= MAX_THOUGHT => {
                text.push_str(delta.thinking());
            }
            _ => *thought = Value::Null,
        },
        "signature_delta" => drop(fields.insert("signature".to_owned(), delta.signature().into())),
        _ => {}
    }
}

fn unreadable() -> Fault {
    Fault::new(502, "upstream_unreadable", "the upstream sent something that is no part of a message")
}

fn too_many() -> Fault {
    Fault::new(502, "upstream_unreadable", "the upstream sent more blocks than a message can have")
}

/// More calls than any message has; the reader keeps no more.
const MAX_CALLS: usize = 4096;
/// The longest thought that is remembered.
const MAX_THOUGHT: usize = 4 << 20;
