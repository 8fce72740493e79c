//! The `json` protocol: an answer that should be one JSON value, aligned to a schema where one is given.

use super::align::align;
use super::event::{Engine, Event, Finish, ParseOptions, Span};
use super::json;
use serde_json::Value;

/// Reads one JSON answer. What is wanted may stand anywhere in the text, so nothing comes out before its end.
pub(super) struct ValueEngine {
    schema: Option<Value>,
    options: ParseOptions,
    text: String,
    /// How much came out as text because the answer was too long to keep.
    passed: Option<usize>,
}

impl ValueEngine {
    pub(super) fn new(schema: Option<Value>, options: ParseOptions) -> Self {
        Self { schema, options, text: String::new(), passed: None }
    }
}

impl Engine for ValueEngine {
    fn push(&mut self, text: &str, out: &mut Vec<Event>) {
        self.text.push_str(text);
        if self.passed.is_none() && self.text.len() > self.options.max_region {
            let mut cut = self.options.max_region;
            while !self.text.is_char_boundary(cut) {
                cut -= 1;
            }
            let rest = self.text.split_off(cut);
            let held = std::mem::replace(&mut self.text, rest);
            let reason = "the answer is longer than the limit".to_owned();
            out.push(Event::Unrecovered { text: held, reason, span: Span::new(0, cut) });
            self.passed = Some(cut);
        }
        if let Some(passed) = self.passed.filter(|_| !self.text.is_empty()) {
            let span = Span::new(passed, passed + self.text.len());
            out.push(Event::Text { text: std::mem::take(&mut self.text), span });
            self.passed = Some(span.end);
        }
    }

    fn finish(&mut self, _: Finish, out: &mut Vec<Event>) {
        if self.passed.is_some() {
            return;
        }
        let text = std::mem::take(&mut self.text);
        let whole = Span::new(0, text.len());
        if self.schema.is_none()
            && let Ok(value) = serde_json::from_str(&text)
        {
            return out.push(Event::Value { value, complete: true, span: whole });
        }
        let document = json::read(&text, &self.options);
        let (value, repairs, complete) = match &self.schema {
            Some(schema) => {
                let aligned = align(&text, &document, schema, &self.options);
                (aligned.value, aligned.repairs, aligned.complete)
            }
            None => (document.answer.clone(), Vec::new(), document.complete),
        };
        let Some(value) = value else {
            return push_text(&text, whole, out);
        };
        let found = document.values.first().zip(document.values.last());
        let span = found.map_or(whole, |(first, last)| Span::new(first.span.start, last.span.end.max(first.span.end)));
        let fence = fence_around(&text, span);
        push_text(&text, Span::new(0, fence.start), out);
        push_markup(&text, Span::new(fence.start, span.start), out);
        out.extend(document.repairs.into_iter().chain(repairs).take(self.options.max_repairs).map(Event::Repair));
        out.push(Event::Value { value, complete, span });
        push_markup(&text, Span::new(span.end, fence.end), out);
        push_text(&text, Span::new(fence.end, text.len()), out);
    }
}

/// The span with the fence that stands directly around it.
fn fence_around(text: &str, span: Span) -> Span {
    let before = text.get(..span.start).unwrap_or_default();
    let opening = before.trim_end().rfind("```").filter(|at| {
        let info = before.get(at + 3..).unwrap_or_default().trim();
        info.len() <= 16 && info.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    let after = text.get(span.end..).unwrap_or_default();
    let blank = after.len() - after.trim_start().len();
    let closing = after.trim_start().starts_with("```").then_some(span.end + blank + 3);
    match opening {
        Some(start) => Span::new(start, closing.unwrap_or(span.end)),
        None => span,
    }
}

fn push_markup(text: &str, span: Span, out: &mut Vec<Event>) {
    if let Some(marks) = text.get(span.start..span.end).filter(|marks| !marks.is_empty()) {
        out.push(Event::Markup { text: marks.to_owned(), span });
    }
}

fn push_text(text: &str, span: Span, out: &mut Vec<Event>) {
    if let Some(words) = text.get(span.start..span.end).filter(|words| !words.is_empty()) {
        out.push(Event::Text { text: words.to_owned(), span });
    }
}
