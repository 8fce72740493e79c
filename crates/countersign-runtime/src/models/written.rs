//! Calls that a model wrote into its text, taken out of it while it flows.
//!
//! Open models write calls as text in a format of their own. Where the client declared tools, such a call becomes a
//! real one. Everything else stays the text it was, thoughts and fenced examples included, and leaves as soon as it
//! cannot be part of a call any more.

use countersign::parse::{Elsewhere, Event, Finish, KnownTools, ParseOptions, Parser, Place};
use serde_json::Value;
use std::ops::Range;

/// A call that was written into a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WrittenCall {
    /// Its id, where the format has one.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON; empty where they could not be read.
    pub written: String,
    /// Whether all of it was seen.
    pub complete: bool,
    /// Whether its closing mark was missing though the model had stopped.
    pub unclosed: bool,
}

/// Looks for calls in one text.
pub struct TextScan {
    parser: Option<Parser>,
    calls: Vec<WrittenCall>,
    /// The call that is being written, of those that count.
    open: Option<usize>,
    /// Whether what follows is the closing of a call.
    closing: bool,
    /// Bytes given to the parser and not yet seen in an event.
    pending: usize,
    /// Marks that may open a section of calls; without a call after them they are text.
    marks: String,
    /// How much of the text the events have covered so far.
    covered: usize,
    /// The places of the text that were taken out of it, in order.
    taken: Vec<Range<usize>>,
}

impl TextScan {
    /// A scan for the tools that were declared.
    pub fn new(tools: &KnownTools) -> Self {
        let mut options = ParseOptions::default();
        options.max_region = MAX_REGION;
        options.elsewhere = Elsewhere::Text;
        let parser = Some(Parser::knowing(tools, options));
        Self {
            parser,
            calls: Vec::new(),
            open: None,
            closing: false,
            pending: 0,
            marks: String::new(),
            covered: 0,
            taken: Vec::new(),
        }
    }

    /// Takes a piece of text and gives what may be shown now; `None` where that is exactly the piece.
    pub fn push(&mut self, text: &str) -> Option<String> {
        let before = self.pending;
        self.pending += text.len();
        let events = self.parser.as_mut().map(|parser| parser.push(text.as_bytes()));
        let shown = self.read(events.unwrap_or_default());
        (before != 0 || shown != text).then_some(shown)
    }

    /// Nothing more comes: gives the rest of the text.
    pub fn finish(&mut self, reason: Finish) -> String {
        let events = self.parser.take().map(|parser| parser.finish(reason));
        let mut shown = self.read(events.unwrap_or_default());
        shown.push_str(&std::mem::take(&mut self.marks));
        shown
    }

    /// How much text has come.
    pub fn length(&self) -> usize {
        self.covered + self.pending
    }

    /// Whether what is at a place of the text has been shown by now; none as long as that is open.
    pub fn is_shown(&self, place: &Range<usize>) -> Option<bool> {
        let decided = self.covered - self.marks.len();
        if place.start > decided || (place.start == decided && place.end > decided) {
            return None;
        }
        Some(!self.taken.iter().any(|taken| taken.start <= place.start && place.end <= taken.end && !place.is_empty()))
    }

    /// Whether a call was seen, or text is held back that may become one.
    pub fn is_holding(&self) -> bool {
        self.pending > 0 || !self.marks.is_empty() || self.has_calls()
    }

    /// Whether a call was seen.
    pub fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// The calls, once the text is over.
    pub fn take_calls(&mut self) -> Vec<WrittenCall> {
        std::mem::take(&mut self.calls)
    }

    fn read(&mut self, events: Vec<Event>) -> String {
        let mut shown = String::new();
        for event in events {
            let (before, shown_before) = (self.covered, shown.len() + self.marks.len());
            if let Some(span) = event.covered() {
                self.pending = self.pending.saturating_sub(span.end - span.start);
                self.covered += span.end - span.start;
            }
            match event {
                Event::CallStart { name, id, place: Place::Answer, .. } => {
                    self.take(before - self.marks.len()..before);
                    self.marks.clear();
                    self.start(name, id);
                    continue;
                }
                Event::CallEnd { complete, unclosed, arguments, .. } if self.open.is_some() => {
                    self.end(complete, unclosed, arguments.map(Value::Object));
                }
                Event::ArgDelta { delta, .. } => self.written(&delta, &mut shown),
                Event::Markup { text, .. } if self.open.is_some() || (self.closing && !is_thought(&text)) => {}
                Event::Markup { text, .. } if !is_thought(&text) => self.marks.push_str(&text),
                // Blanks between a section's mark and its first call belong to neither.
                Event::Text { text, .. } if !self.marks.is_empty() && text.trim().is_empty() => {
                    self.marks.push_str(&text);
                }
                Event::Text { text, .. }
                | Event::Reasoning { text, .. }
                | Event::Markup { text, .. }
                | Event::Unrecovered { text, .. } => {
                    self.closing = false;
                    shown.push_str(&std::mem::take(&mut self.marks));
                    shown.push_str(&text);
                }
                // What came before was thought, so none of it was called.
                Event::Repair(repair) if repair.ends_unopened_thought() => self.calls.clear(),
                _ => {}
            }
            if shown.len() + self.marks.len() == shown_before {
                self.take(before..self.covered);
            }
        }
        shown
    }

    /// Notes that a place of the text is not shown.
    fn take(&mut self, place: Range<usize>) {
        match self.taken.last_mut() {
            Some(last) if last.end == place.start => last.end = place.end,
            _ if place.is_empty() => {}
            _ => self.taken.push(place),
        }
    }

    fn start(&mut self, name: String, id: Option<String>) {
        self.open = Some(self.calls.len());
        self.calls.push(WrittenCall { id, name, ..WrittenCall::default() });
    }

    fn written(&mut self, delta: &str, shown: &mut String) {
        match self.open.and_then(|at| self.calls.get_mut(at)) {
            Some(call) => call.written.push_str(delta),
            // A call in a fence or a thought is none: it stays what it is.
            None => {
                shown.push_str(&std::mem::take(&mut self.marks));
                shown.push_str(delta);
            }
        }
    }

    fn end(&mut self, complete: bool, unclosed: bool, arguments: Option<Value>) {
        if let Some(call) = self.open.take().and_then(|at| self.calls.get_mut(at)) {
            call.complete = complete;
            call.unclosed = unclosed;
            // What counts is what was understood. Where the writing is JSON that says just that, it stays.
            let said = |arguments: &Value| serde_json::from_str::<Value>(&call.written).is_ok_and(|v| v == *arguments);
            match arguments {
                Some(arguments) if said(&arguments) => {}
                Some(arguments) => call.written = arguments.to_string(),
                None => call.written.clear(),
            }
        }
        self.closing = true;
    }
}

fn is_thought(markup: &str) -> bool {
    markup.contains("think") || markup.contains("reason")
}

/// The longest call in a text that is waited for; what is longer is text.
const MAX_REGION: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use countersign::wire::tools::read_tools;

    fn run(text: &str, size: usize, finish: Finish) -> (String, Vec<WrittenCall>) {
        let tools = read_tools(r#"[{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]"#).unwrap();
        let mut scan = TextScan::new(&KnownTools::of(&tools));
        let mut shown = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let cut = (size.min(rest.len())..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap();
            let (piece, more) = rest.split_at(cut);
            shown.push_str(&scan.push(piece).unwrap_or_else(|| piece.to_owned()));
            rest = more;
        }
        shown.push_str(&scan.finish(finish));
        (shown, scan.take_calls())
    }

    // PARSE-3, PARSE-4, PARSE-5
    #[test]
    fn calls_leave_the_text_and_all_else_stays() {
        let call = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>";
        for size in 1..40 {
            let (shown, calls) =
                run(&format!("A <b> & {{x}} <think>{call}</think> now.\n{call} done"), size, Finish::Stop);
            assert_eq!(shown, format!("A <b> & {{x}} <think>{call}</think> now.\n done"), "{size}");
            assert_eq!(calls.len(), 1);
            assert_eq!(calls[0].written, r#"{"city": "Paris"}"#);
            assert!(calls[0].complete);
        }
        let fenced = "Like this:\n```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n```\n";
        assert_eq!(run(fenced, 3, Finish::Stop), (fenced.to_owned(), vec![]));
        let (_, calls) = run("<tool_call>{\"name\": \"get_weather\", \"argu", 5, Finish::Length);
        assert!(calls.iter().all(|call| !call.complete));
    }
}
