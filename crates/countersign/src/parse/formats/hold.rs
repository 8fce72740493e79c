//! Calls after words on their line: what follows them tells whether they are meant.
//!
//! `Let me look. <tool_call>…</tool_call>` ends with its call. `Write <tool_call>…</tool_call> to call it.` goes on, so
//! the call was only spoken of. Until that is known the events are held; a call that is spoken of leaves as the text
//! it is. What is known to be spoken of beforehand is not held at all: it is followed to its end and leaves as it comes.

use super::line::{Opener, Standing};
use super::{Flow, FormatEngine};
use crate::parse::event::Event;

/// What is held.
#[derive(Debug, Default)]
pub(super) struct Hold {
    phase: Phase,
    events: Vec<Event>,
    /// Where it begins.
    start: usize,
    /// How many calls there were before.
    calls: usize,
    /// Where the last call or marker of it ends.
    pub end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    Nothing,
    /// Something is held, because it stands like that.
    Open(Standing),
    /// It is what it looks like.
    Meant,
    /// It is text.
    Text,
}

impl Hold {
    /// Why something is held; none where nothing is.
    pub(super) fn standing(&self) -> Option<Standing> {
        match self.phase {
            Phase::Open(standing) => Some(standing),
            _ => None,
        }
    }

    /// What is held is what it looks like.
    pub(super) fn keep(&mut self) {
        if self.standing().is_some() {
            self.phase = Phase::Meant;
        }
    }
}

impl FormatEngine {
    /// Does one step; its events are held back while something is held.
    pub(super) fn held(&mut self, out: &mut Vec<Event>, step: impl Fn(&mut Self, &mut Vec<Event>) -> Flow) -> Flow {
        let Some(standing) = self.hold.standing() else { return step(self, out) };
        let mut events = std::mem::take(&mut self.hold.events);
        let flow = step(self, &mut events);
        if standing == Standing::Mention {
            self.calls = self.hold.calls;
            give_as_text(std::mem::take(&mut events), out);
        }
        match std::mem::take(&mut self.hold.phase) {
            Phase::Nothing => {}
            open @ Phase::Open(_) => (self.hold.phase, self.hold.events) = (open, events),
            Phase::Meant => out.append(&mut events),
            Phase::Text => give_as_text(events, out),
        }
        flow
    }

    /// Where a call or a marker that begins at `at` stands.
    pub(super) fn standing(&mut self, opener: Opener, at: usize) -> Standing {
        self.read_line(at);
        if self.reasoning.is_some() || self.line.fence().is_some() {
            return Standing::Free;
        }
        self.line.standing(opener)
    }

    /// Holds what begins now, unless its place says that it is meant.
    pub(super) fn hold(&mut self, standing: Standing, at: usize) {
        if standing != Standing::Free {
            self.hold.phase = Phase::Open(standing);
            (self.hold.start, self.hold.end, self.hold.calls) = (at, at, self.calls);
        }
    }

    /// Whether what is followed now is only spoken of.
    pub(super) fn is_mention(&self) -> bool {
        self.hold.standing() == Some(Standing::Mention)
    }

    /// Whether what is held can be decided by what is before `until`, where something may begin.
    pub(super) fn settle(&mut self, until: usize) -> Settled {
        let between = self.buffer.piece(self.buffer.scan, until);
        let words = until - between.trim_start_matches(BLANKS).len();
        if words - self.hold.end.min(words) > MOST_BLANKS {
            self.hold.keep();
        } else if words < until {
            self.words_follow(words);
        } else {
            return Settled::NotYet;
        }
        Settled::Yes
    }

    /// Whether what begins at `at` goes on with what is held. Otherwise that is settled, and `at` is looked at again.
    pub(super) fn goes_on_holding(&mut self, standing: Standing, opener: Opener, at: usize) -> bool {
        self.read_line(at);
        if at > self.limit(self.hold.start) {
            // As much is held as may be: nobody is told of calls that may be none.
            self.words_follow(at);
        } else if standing == Standing::InSentence
            && self.line.is_fresh()
            && self.line.standing(opener) == Standing::Free
        {
            self.hold.keep();
        } else {
            return true;
        }
        false
    }

    /// A line ends after what is held.
    pub(super) fn line_ends(&mut self) {
        match self.hold.standing() {
            Some(Standing::AfterSentence) => self.hold.keep(),
            Some(Standing::Mention) if self.line.is_fresh() => self.hold.keep(),
            _ => {}
        }
    }

    /// What is held is followed by words: calls in it are only spoken of.
    pub(super) fn words_follow(&mut self, at: usize) {
        // A marker in the middle of a sentence is spoken of, even where it is no call.
        let spoken = self.hold.standing() == Some(Standing::InSentence) && !self.line.is_fresh();
        if self.is_mention() || spoken || self.calls > self.hold.calls {
            self.hold.phase = Phase::Text;
            self.calls = self.hold.calls;
            if !self.line.is_fresh() {
                self.line.after_words(at);
            }
        } else {
            self.hold.phase = Phase::Meant;
        }
    }
}

/// Whether it is known what becomes of what is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Settled {
    Yes,
    NotYet,
}

/// The same stretch as text.
fn give_as_text(events: Vec<Event>, out: &mut Vec<Event>) {
    for event in events {
        let Some(span) = event.covered() else { continue };
        out.extend(read_written(event).map(|text| Event::Text { text, span }));
    }
}

/// What was written where an event stands.
fn read_written(event: Event) -> Option<String> {
    match event {
        Event::Text { text, .. }
        | Event::Reasoning { text, .. }
        | Event::Markup { text, .. }
        | Event::Unrecovered { text, .. } => Some(text),
        Event::ArgDelta { delta, .. } => Some(delta),
        _ => None,
    }
}

/// More blanks than this are not waited for.
const MOST_BLANKS: usize = 64;

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
