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
    passed: usize,
}

impl ValueEngine {
    pub(super) fn new(schema: Option<Value>, options: ParseOptions) -> Self {
        Self { schema, options, text: String::new(), passed: 0 }
    }
}

impl Engine for ValueEngine {
    fn push(&mut self, text: &str, out: &mut Vec<Event>) {
        if self.passed == 0 && self.text.len() + text.len() <= self.options.max_region {
            self.text.push_str(text);
            return;
        }
        let held = std::mem::take(&mut self.text) + text;
        let span = Span::new(self.passed, self.passed + held.len());
        self.passed = span.end;
        out.push(Event::Unrecovered { text: held, reason: "the answer is longer than the limit".to_owned(), span });
    }

    fn finish(&mut self, _: Finish, out: &mut Vec<Event>) {
        let text = std::mem::take(&mut self.text);
        let document = json::read(&text, &self.options);
        let (value, repairs, complete) = match &self.schema {
            Some(schema) => {
                let aligned = align(&text, &document, schema, &self.options);
                (aligned.value, aligned.repairs, aligned.complete)
            }
            None => (document.answer.clone(), Vec::new(), document.complete),
        };
        let whole = Span::new(0, text.len());
        let Some(value) = value else {
            return push_text(&text, whole, out);
        };
        let found = document.values.first().zip(document.values.last());
        let span = found.map_or(whole, |(first, last)| Span::new(first.span.start, last.span.end.max(first.span.end)));
        push_text(&text, Span::new(0, span.start), out);
        out.extend(document.repairs.into_iter().chain(repairs).take(self.options.max_repairs).map(Event::Repair));
        out.push(Event::Value { value, complete, span });
        push_text(&text, Span::new(span.end, text.len()), out);
    }
}

fn push_text(text: &str, span: Span, out: &mut Vec<Event>) {
    if let Some(words) = text.get(span.start..span.end).filter(|words| !words.is_empty()) {
        out.push(Event::Text { text: words.to_owned(), span });
    }
}
