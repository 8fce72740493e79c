//! What comes out: text, markup, tags and repairs, each stretch of the input once.

use super::{Ended, Held, Mode, Step, TagEngine};
use crate::contract::Language;
use crate::parse::event::{Event, Finish, Kind, Place, Repair, Span};
use crate::parse::markup::{Candidate, split_number};
use crate::parse::tags::kinds;
use crate::parse::tags::protocol::{Meaning, Spelling, What};
use crate::parse::tags::region::Region;

impl TagEngine {
    /// What an open tag, or a reasoning, holds beyond the limit comes out as it was written. Without regard to how the
    /// input was split: a tag that is over within the limit was over before.
    pub(super) fn give_up_on_long(&mut self, slack: usize, out: &mut Vec<Event>) -> Step {
        let end = self.window.end();
        let max_region = self.max_region;
        let too_long = |from: usize| end > from.saturating_add(max_region).saturating_add(slack);
        if let Mode::Reasoning(Held::From(held)) = self.mode
            && too_long(held)
        {
            self.mode = Mode::Reasoning(Held::TooMuch);
            return Step::Go;
        }
        let Some(region) = self.region.take_if(|region| too_long(region.from)) else { return Step::Wait };
        self.quoting.clear();
        // At least the opening goes out, however small the limit: reading must get on.
        let end = self.window.floor(region.from.saturating_add(self.max_region)).max(region.body);
        let span = Span::new(region.from, end);
        let text = self.window.slice(span).to_owned();
        out.push(Event::Unrecovered { text, reason: "the tag is longer than the limit".to_owned(), span });
        self.given = span.end;
        self.at = span.end;
        Step::Go
    }

    /// Gives out a tag whose content ends at `end` and which itself ends at `over`.
    pub(super) fn give_tag(&mut self, region: Region, end: usize, over: usize, ended: Ended, out: &mut Vec<Event>) {
        let span = Span::new(region.from, over);
        let mut said = region.say(end, &self.protocol, &self.window);
        let lasting = self.protocol.tag(&said.tag.tag).is_some_and(|rule| rule.irreversible);
        said.tag.complete = match ended {
            Ended::Closed | Ended::ByNext => true,
            Ended::AtEnd(Finish::Stop | Finish::Unsaid) => !lasting,
            Ended::AtEnd(_) => false,
        };
        said.tag.unclosed = matches!(ended, Ended::AtEnd(_));
        if said.tag.complete && self.protocol.lacks_content(&said.tag) {
            said.mended.push(&kinds::NO_CONTENT);
        }
        if said.tag.place == Place::Reasoning {
            said.mended.push(&kinds::REASONING);
            self.mode = Mode::Answer;
        }
        match ended {
            Ended::Closed => {}
            Ended::ByNext => said.mended.push(&kinds::NESTED),
            Ended::AtEnd(_) => said.mended.push(&kinds::UNCLOSED),
        }
        self.had_fields |= said.tag.fields.is_some();
        self.listed = false;
        self.last_end = span.end;
        self.quoting.clear();
        let read_as = self.protocol.sentence(&said.tag, Language::of(&said.tag.words()));
        for kind in said.mended {
            self.mend(kind, span, &read_as, out);
        }
        self.given = span.end;
        self.at = span.end;
        out.push(Event::Tag { tag: said.tag, span });
    }

    /// Gives out text, or reasoning, up to a place.
    pub(super) fn give_text(&mut self, up_to: usize, out: &mut Vec<Event>) {
        let up_to = match self.mode {
            Mode::Reasoning(Held::From(held)) => up_to.min(held.max(self.given)),
            _ => up_to,
        };
        let span = Span::new(self.given, up_to);
        if span.start >= span.end {
            return;
        }
        let text = self.window.slice(span).to_owned();
        out.push(match self.mode {
            Mode::Answer => Event::Text { text, span },
            Mode::Reasoning(_) | Mode::Regained => Event::Reasoning { text, span },
        });
        self.given = up_to;
    }

    /// Gives out markup from where we are up to a place.
    pub(super) fn give_markup(&mut self, up_to: usize, out: &mut Vec<Event>) {
        let span = Span::new(self.given, up_to);
        out.push(Event::Markup { text: self.window.slice(span).to_owned(), span });
        self.given = up_to;
        self.at = up_to;
    }

    /// Reports how a tag was written.
    pub(super) fn mend_writing(&mut self, candidate: &Candidate, meaning: Meaning, span: Span, out: &mut Vec<Event>) {
        let name = match meaning.what {
            What::Tag(tag, _) => self.protocol.rule(tag).map(|rule| rule.name.clone()),
            _ => None,
        };
        let letters = |name: &str| -> String {
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        // Another name that the protocol knows is a slip that was foreseen.
        let is_other = |name: &String| letters(split_number(&candidate.name).0) != letters(name);
        let spelt = match meaning.spelling {
            Spelling::Misspelt => Some(&kinds::MISSPELT),
            Spelling::Folded if candidate.odd.case || candidate.odd.blank => None,
            Spelling::Folded if name.as_ref().is_some_and(is_other) => Some(&kinds::MISSPELT),
            Spelling::Folded => Some(&kinds::CASE),
            _ => None,
        };
        let numbered = match meaning.what {
            What::Tag(_, Some(number)) => {
                let plain = format!("{}{number}", split_number(&candidate.name).0);
                (plain != candidate.name).then_some(&kinds::NUMBER)
            }
            _ => None,
        };
        for kind in kinds::of(candidate.odd).chain(spelt).chain(numbered) {
            self.mend(kind, span, name.as_deref().unwrap_or_default(), out);
        }
    }

    pub(super) fn mend(&mut self, kind: &'static Kind, span: Span, after: &str, out: &mut Vec<Event>) {
        if self.repairs_left > 0 {
            self.repairs_left -= 1;
            out.push(Event::Repair(Repair::new(kind, span, self.window.slice(span), after)));
        }
    }
}
