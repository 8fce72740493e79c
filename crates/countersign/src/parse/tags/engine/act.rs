//! What a tag does at its place: it opens, closes, belongs to the content, or was never a tag.

use super::{Ended, Fence, Held, Mode, TagEngine};
use crate::parse::event::{Event, Finish, Place, Span};
use crate::parse::markup::{Candidate, fold_name, lex_cut};
use crate::parse::tags::kinds;
use crate::parse::tags::mention::{is_listed, is_mention};
use crate::parse::tags::protocol::{Meaning, Spelling, What};
use crate::parse::tags::region::{Marked, Region};

impl TagEngine {
    /// A tag with a name that is known here.
    pub(super) fn tag(&mut self, candidate: Candidate, out: &mut Vec<Event>) {
        let span = Span::new(self.at, self.at + candidate.len);
        let open = self.region.as_ref();
        if open.is_some_and(|region| span.end > region.from.saturating_add(self.max_region)) {
            self.give_up_on_long(0, out);
            return;
        }
        let meaning = self.protocol.meaning(&candidate.name, open.map(|region| region.tag));
        match (meaning, self.mode) {
            (_, Mode::Reasoning(held)) => self.in_reasoning(&candidate, meaning, held, span, out),
            (None, _) if self.region.is_some() => self.namesake(&candidate, span, out),
            (None, _) => self.loose_field(&candidate, span, out),
            (Some(meaning), _) if self.region.is_some() => self.inside(candidate, meaning, span, out),
            (Some(meaning), _) => self.outside(candidate, meaning, span, out),
        }
    }

    /// While the model talks to itself only the end of that matters.
    fn in_reasoning(
        &mut self,
        candidate: &Candidate,
        meaning: Option<Meaning>,
        held: Held,
        span: Span,
        out: &mut Vec<Event>,
    ) {
        match meaning.map(|meaning| meaning.what) {
            Some(What::Reasoning) if candidate.closing => {
                self.mode = Mode::Reasoning(Held::Nothing);
                self.give_text(span.start, out);
                self.mode = Mode::Answer;
                self.give_markup(span.end, out);
            }
            Some(What::Tag(..)) if !candidate.closing => {
                if held == Held::Nothing {
                    self.mode = Mode::Reasoning(Held::From(span.start));
                }
                self.at = span.end;
            }
            _ => self.at = span.end,
        }
    }

    /// A tag while none is open.
    fn outside(&mut self, candidate: Candidate, meaning: Meaning, span: Span, out: &mut Vec<Event>) {
        match meaning.what {
            What::Field(_) => self.at = span.end,
            What::Reasoning => {
                self.give_text(span.start, out);
                self.give_markup(span.end, out);
                if candidate.closing {
                    self.mend(&kinds::STRAY, span, "", out);
                } else if !candidate.self_closing && self.mode == Mode::Answer {
                    self.mode = Mode::Reasoning(Held::Nothing);
                    self.quoting.clear();
                }
            }
            What::Tag(..) if candidate.odd.foreign && meaning.spelling == Spelling::Misspelt => self.at = span.end,
            What::Tag(..) if candidate.closing => {
                self.give_text(span.start, out);
                self.give_markup(span.end, out);
                self.mend(&kinds::STRAY, span, "", out);
            }
            What::Tag(tag, number) => {
                self.give_text(span.start, out);
                self.mend_writing(&candidate, meaning, span, out);
                let place = match (self.mode, self.fence) {
                    (Mode::Answer, Fence::None) => Place::Answer,
                    (Mode::Answer, _) => Place::Fence,
                    _ => Place::Reasoning,
                };
                let region = Region::open(tag, number, span.start, candidate, place);
                self.quoting.clear();
                self.at = span.end;
                if region.opening.self_closing && region.says_enough(&self.protocol) {
                    self.give_tag(region, span.end, span.end, Ended::Closed, out);
                } else {
                    self.region = Some(region);
                }
            }
        }
    }

    /// A tag while one is open.
    fn inside(&mut self, candidate: Candidate, meaning: Meaning, span: Span, out: &mut Vec<Event>) {
        let Some(region) = &mut self.region else { return };
        match meaning.what {
            What::Field(field) => {
                let Some(rule) = self.protocol.rule(region.tag) else { return };
                let inline = candidate.value.as_deref().or_else(|| candidate.attribute("value"));
                let marked = match (candidate.closing, inline.filter(|value| !value.is_empty())) {
                    (true, _) => region.field_closes(field, span, rule),
                    (false, Some(value)) => region.field_given(field, value, span),
                    (false, None) => region.field_opens(field, span, rule, &self.window),
                };
                if candidate.self_closing && region.open_field() == Some(field) {
                    region.field_closes(field, Span::at(span.end), rule);
                }
                if marked != Marked::Content {
                    self.mend_writing(&candidate, meaning, span, out);
                }
                if let Marked::Mended(kind) = marked {
                    self.mend(kind, span, "", out);
                }
                self.at = span.end;
            }
            What::Reasoning if candidate.closing && region.thoughts == 0 => self.unclosed(span.start, None, out),
            What::Reasoning => {
                let open = region.thoughts + usize::from(!candidate.closing && !candidate.self_closing);
                region.thoughts = open - usize::from(candidate.closing);
                self.at = span.end;
            }
            What::Tag(tag, number) => {
                let again = tag == region.tag && number == region.number;
                let slashed = candidate.self_closing && candidate.attributes.is_empty();
                if candidate.closing || (slashed && again) {
                    self.mend_writing(&candidate, meaning, span, out);
                    if !again || slashed {
                        self.close(span, out);
                    } else if let Some(region) = self.region.take() {
                        self.give_tag(region, span.start, span.end, Ended::Closed, out);
                    }
                } else if is_escaped_on_purpose(&region.opening, &candidate) {
                    self.at = span.end;
                } else {
                    self.unclosed(span.start, None, out);
                }
            }
        }
    }

    /// A word of the open tag's own name: `</search>` closes `<web_search>`, unless `<search>` was opened in the content.
    fn namesake(&mut self, candidate: &Candidate, span: Span, out: &mut Vec<Event>) {
        self.at = span.end;
        let Some(region) = &mut self.region else { return };
        if !candidate.closing {
            region.namesakes += usize::from(!candidate.self_closing);
        } else if region.namesakes > 0 {
            region.namesakes -= 1;
        } else {
            self.close(span, out);
        }
    }

    /// Closes what is open by a closing that does not say what it closes.
    pub(super) fn close(&mut self, span: Span, out: &mut Vec<Event>) {
        self.mend(&kinds::MISMATCH, span, "", out);
        if let Some(region) = self.region.take() {
            self.give_tag(region, span.start, span.end, Ended::Closed, out);
        }
    }

    /// `</>`: closes the innermost thing that is open.
    pub(super) fn close_innermost(&mut self, span: Span, out: &mut Vec<Event>) {
        if span.end > self.region.as_ref().map_or(0, |region| region.from).saturating_add(self.max_region) {
            self.give_up_on_long(0, out);
            return;
        }
        let Some(region) = &mut self.region else { return };
        match (region.open_field(), self.protocol.rule(region.tag)) {
            (Some(field), Some(rule)) => {
                region.field_closes(field, span, rule);
                self.at = span.end;
                self.mend(&kinds::MISMATCH, span, "", out);
            }
            _ => self.close(span, out),
        }
    }

    /// A field that is outside all tags: text, except for a closing that is left over from a tag.
    fn loose_field(&mut self, candidate: &Candidate, span: Span, out: &mut Vec<Event>) {
        let name = fold_name(&candidate.name);
        let opened = self.loose_fields.iter().position(|open| *open == name);
        match (candidate.closing, opened) {
            (true, None) if self.had_fields => {
                self.give_text(span.start, out);
                self.give_markup(span.end, out);
                return self.mend(&kinds::STRAY, span, "", out);
            }
            (true, Some(at)) => {
                self.loose_fields.swap_remove(at);
            }
            (false, _) if self.loose_fields.len() < MOST_LOOSE => self.loose_fields.push(name),
            _ => {}
        }
        self.at = span.end;
    }

    /// The open tag was not closed up to `limit`: by another tag, or by the end of the output.
    pub(super) fn unclosed(&mut self, limit: usize, finish: Option<Finish>, out: &mut Vec<Event>) {
        let Some(region) = self.region.take() else { return };
        self.quoting.clear();
        let limit = region.cut.unwrap_or(limit);
        let opening = Span::new(region.from, region.body);
        let body = self.window.slice(Span::new(region.body, limit));
        let before = self.window.before(region.from);
        let listed = is_listed(body);
        let mentioned = self.listed
            || listed
            || self.mode == Mode::Regained
            || is_mention(before, body)
            || is_comparison(before, &region.opening, body);
        if region.opening.self_closing {
            let (body, end) = (region.body, region.body);
            return self.give_tag(region, body, end, Ended::Closed, out);
        }
        self.listed = listed && finish.is_none();
        if mentioned {
            self.at = region.body;
            return;
        }
        let alone = before.is_empty() || before.trim_end_matches([' ', '\t']).ends_with('\n');
        let natural = region.natural_end(&self.protocol).filter(|end| *end <= limit);
        let stop =
            natural.or(region.fence_end).unwrap_or_else(|| limit - if finish.is_none() { dangling(body) } else { 0 });
        // Blanks before a closing that was cut off belong to the tag.
        let end = if self.window.slice(Span::new(stop, limit)).trim().is_empty() { limit } else { stop };
        let kept = finish.is_some_and(Finish::is_cut);
        if !kept && !region.says_something(&self.protocol) && region.holds_nothing(end, &self.window) {
            self.at = opening.end;
            let says_words = region.opening.bare_words().next().is_some();
            if !says_words && (alone || finish.is_none() || self.last_end == opening.start) {
                self.give_text(opening.start, out);
                self.give_markup(opening.end, out);
                self.mend(&kinds::EMPTY, opening, "", out);
            }
            return;
        }
        let over = if region.cut.is_some() && end == limit { self.window.end() } else { end };
        self.give_tag(region, end, over, finish.map_or(Ended::ByNext, Ended::AtEnd), out);
    }

    /// A tag that the end of the output cut off: part of the markup, never of the content.
    pub(super) fn cut_tag(&mut self, out: &mut Vec<Event>) -> bool {
        let Some(name) = lex_cut(self.window.rest(self.at), &self.bounds) else { return false };
        let span = Span::new(self.at, self.window.end());
        let open = self.region.as_ref().map(|region| region.tag);
        let known = !name.name.is_empty() && self.protocol.begins_like(&name.name, open);
        if matches!(self.mode, Mode::Reasoning(_)) {
            return false;
        }
        if let Some(region) = &mut self.region {
            if !known && !name.name.is_empty() {
                return false;
            }
            region.cut = Some(span.start);
            self.at = span.end;
            return true;
        }
        if !known || name.name.len() < SHORTEST_CUT {
            return false;
        }
        self.give_text(span.start, out);
        if name.closing {
            self.give_markup(span.end, out);
            self.mend(&kinds::CUT, span, "", out);
        } else {
            let text = self.window.slice(span).to_owned();
            let reason = "the output ends inside the opening of a tag".to_owned();
            out.push(Event::Unrecovered { text, reason, span });
            self.given = span.end;
            self.at = span.end;
        }
        true
    }
}

/// Whether an opening that is never closed is no tag at all: `Set<web_search> s`, `a<confirm1 then`.
fn is_comparison(before: &str, opening: &Candidate, after: &str) -> bool {
    let glued = before.ends_with(|c: char| c.is_ascii_alphanumeric());
    glued && (!opening.terminated || after.starts_with([' ', '(', ')', ';', ',', '>']))
}

/// Whether an opening inside a tag was written otherwise than the tag itself, so that it is spoken of.
fn is_escaped_on_purpose(outer: &Candidate, inner: &Candidate) -> bool {
    (inner.odd.entity && !outer.odd.entity) || (inner.odd.foreign && !outer.odd.foreign)
}

/// The bytes at the end of a content that announce what follows it: the mark of the next item of a list.
fn dangling(body: &str) -> usize {
    let Some((_, last)) = body.rsplit_once('\n') else { return 0 };
    let mark = last.trim();
    let number = mark.trim_end_matches(['.', ')', '、', '）', ':', '：']);
    let numbered = number.len() < mark.len() && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if numbered || matches!(mark, "-" | "*" | "•" | "+" | "**" | ">") { last.len() } else { 0 }
}

/// A shorter beginning of a name at the end of the output may be anything.
const SHORTEST_CUT: usize = 3;

/// More fields than this outside all tags are not told apart.
const MOST_LOOSE: usize = 64;
