//! A tag that is open: which fields were seen in it, and what it says once it is over.

use super::body::{clean, json_fields, json_text, labelled_fields, number, only_child, trim};
use super::kinds;
use super::protocol::{TagProtocol, TagRule};
use super::sentence::Values;
use super::window::Window;
use crate::parse::markup::Candidate;
use crate::parse::{Kind, Place, Span, TagRead};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

/// A tag that is open.
#[derive(Debug)]
pub(super) struct Region {
    /// Its rule, by its place in the protocol.
    pub(super) tag: usize,
    /// The number after its name.
    pub(super) number: Option<u64>,
    /// Where it begins.
    pub(super) from: usize,
    /// Where its content begins.
    pub(super) body: usize,
    /// The opening tag as it was written.
    pub(super) opening: Candidate,
    pub(super) place: Place,
    /// Where the fence around it ends, if its own closing never comes.
    pub(super) fence_end: Option<usize>,
    /// Whether a fence is open inside it.
    pub(super) inner_fence: bool,
    /// Where a closing begins that the end of the output cut off.
    pub(super) cut: Option<usize>,
    current: Option<usize>,
    since: usize,
    instance: usize,
    pieces: Vec<Piece>,
    /// Fields whose mark holds their value: `<id=3>`.
    given: Vec<(usize, String)>,
    /// How many elements are open in the content that bear a word of the tag's own name.
    pub(super) namesakes: usize,
    /// How many reasonings are open in the content.
    pub(super) thoughts: usize,
    /// Whether the content uses `<>` itself, so that `</>` belongs to it.
    pub(super) fragments: bool,
    /// What was seen of each field.
    seen: FxHashMap<usize, Seen>,
}

/// What was seen of one field.
#[derive(Debug, Clone, Default)]
struct Seen {
    /// Whether it was opened.
    opened: bool,
    /// How often it was opened as part of the content and not closed yet.
    literal: usize,
}

/// A stretch of content.
#[derive(Debug)]
struct Piece {
    /// The field it belongs to; none for bare text.
    field: Option<usize>,
    /// Counts how often a field was opened.
    instance: usize,
    span: Span,
}

/// What the opening or closing of a field did.
#[derive(Debug, PartialEq)]
pub(super) enum Marked {
    /// It is part of the content.
    Content,
    /// It opened or closed a field.
    Field,
    /// It opened or closed a field, with a repair.
    Mended(&'static Kind),
}

/// What a tag says, and what had to be mended for it.
pub(super) struct Said {
    pub(super) tag: TagRead,
    pub(super) mended: Vec<&'static Kind>,
    /// Whether nothing at all is in it.
    pub(super) empty: bool,
}

impl Region {
    /// A tag that opens at `from`.
    pub(super) fn open(tag: usize, number: Option<u64>, from: usize, opening: Candidate, place: Place) -> Self {
        let body = from + opening.len;
        Self {
            tag,
            number,
            from,
            body,
            opening,
            place,
            fence_end: None,
            inner_fence: false,
            cut: None,
            current: None,
            since: body,
            instance: 0,
            pieces: Vec::new(),
            given: Vec::new(),
            namesakes: 0,
            thoughts: 0,
            fragments: false,
            seen: FxHashMap::default(),
        }
    }

    /// Whether the opening tag alone says something.
    pub(super) fn says_something(&self, protocol: &TagProtocol) -> bool {
        let Some(rule) = protocol.rule(self.tag) else { return false };
        let fits = |name: &str| protocol.field(self.tag, name).is_some() || rule.is_text_from(name);
        self.opening.attributes.iter().any(|(name, value)| !value.is_empty() && fits(name))
            || (self.opening.value.is_some() && !rule.numbered)
            || (rule.fields.is_empty() && !rule.numbered && self.opening.bare_words().next().is_some())
    }

    /// Whether the opening tag alone says all that the tag is for.
    pub(super) fn says_enough(&self, protocol: &TagProtocol) -> bool {
        let bare = protocol.rule(self.tag).and_then(TagRule::bare_field);
        let is_content = |name: &str| bare.is_some() && protocol.field(self.tag, name) == bare;
        let given = self.opening.attributes.iter().any(|(name, value)| !value.is_empty() && is_content(name));
        given || (bare.is_none() && self.says_something(protocol))
    }

    /// Where the tag ends if its closing never comes and its content is already whole.
    pub(super) fn natural_end(&self, protocol: &TagProtocol) -> Option<usize> {
        let bare = protocol.rule(self.tag).and_then(TagRule::bare_field)?;
        let whole = self.current.is_none() && (self.has(bare) || self.says_enough(protocol));
        whole.then_some(self.since)
    }

    /// Whether a field is open.
    pub(super) fn open_field(&self) -> Option<usize> {
        self.current
    }

    /// A field whose mark holds its value.
    pub(super) fn field_given(&mut self, field: usize, value: &str, span: Span) -> Marked {
        self.turn_to(None, span);
        self.seen_field(field).opened = true;
        self.given.push((field, trim(value).to_owned()));
        Marked::Mended(&kinds::ATTRIBUTE)
    }

    /// Whether there are only blanks in it, up to `end`.
    pub(super) fn holds_nothing(&self, end: usize, window: &Window) -> bool {
        let blank = |span: Span| trim(window.slice(span)).is_empty();
        self.pieces.iter().all(|piece| blank(piece.span)) && blank(Span::new(self.since, end.max(self.since)))
    }

    /// A field opens. Inside the content it is content where that field was seen already.
    pub(super) fn field_opens(&mut self, field: usize, span: Span, rule: &TagRule, window: &Window) -> Marked {
        let in_bare = self.current.is_some() && self.current == rule.bare_field();
        if in_bare && self.current != Some(field) && self.has(field) {
            self.seen_field(field).literal += 1;
            return Marked::Content;
        }
        let kind = match self.current {
            Some(current) if current == field && trim(window.slice(Span::new(self.since, span.start))).is_empty() => {
                Some(&kinds::DOUBLED_FIELD)
            }
            Some(_) => Some(&kinds::UNCLOSED_FIELD),
            None if self.has(field) => Some(&kinds::DOUBLED_FIELD),
            None => None,
        };
        self.turn_to(Some(field), span);
        self.seen_field(field).opened = true;
        self.instance += 1;
        kind.map_or(Marked::Field, Marked::Mended)
    }

    /// A field closes. The wrong closing ends a short field; the content goes on to its own.
    pub(super) fn field_closes(&mut self, field: usize, span: Span, rule: &TagRule) -> Marked {
        let seen = self.seen_field(field);
        if seen.literal > 0 {
            seen.literal -= 1;
            return Marked::Content;
        }
        let current = self.current;
        let stays = current.is_some() && current != Some(field) && current == rule.bare_field();
        self.turn_to(if stays { current } else { None }, span);
        if current == Some(field) { Marked::Field } else { Marked::Mended(&kinds::MISMATCH) }
    }

    /// What the tag says when it ends at `end`.
    pub(super) fn say(mut self, end: usize, protocol: &TagProtocol, window: &Window) -> Said {
        self.turn_to(None, Span::at(end));
        let mut said = Said { tag: TagRead::default(), mended: Vec::new(), empty: false };
        let Some(rule) = protocol.rule(self.tag) else { return said };
        said.tag.tag.clone_from(&rule.name);
        said.tag.place = self.place;
        said.tag.number = self.number.or_else(|| self.read_number(rule, &mut said.mended));
        if rule.fields.is_empty() {
            let text = self.text(end, rule, window, &mut said.mended);
            said.empty = text.is_empty();
            said.tag.text = Some(text);
        } else {
            let fields = self.fields(rule, protocol, window, &mut said.mended);
            said.empty = fields.is_empty();
            said.tag.fields = Some(fields);
            let called = rule.called.as_ref();
            said.tag.name = called.and_then(|called| called.say_all(&Values { tag: &said.tag, reason: None }));
        }
        said
    }

    /// Ends the current stretch before a mark and goes on after it with another field.
    fn turn_to(&mut self, field: Option<usize>, mark: Span) {
        let span = Span::new(self.since, mark.start);
        if self.current.is_some() || span.start < span.end {
            self.pieces.push(Piece { field: self.current, instance: self.instance, span });
        }
        self.current = field;
        self.since = mark.end;
    }

    fn has(&self, field: usize) -> bool {
        self.seen.get(&field).is_some_and(|seen| seen.opened)
    }

    fn seen_field(&mut self, field: usize) -> &mut Seen {
        self.seen.entry(field).or_default()
    }

    fn read_number(&self, rule: &TagRule, mended: &mut Vec<&'static Kind>) -> Option<u64> {
        if !rule.numbered {
            return None;
        }
        let attribute = |(name, value): &(String, String)| rule.is_number_from(name).then(|| number(value)).flatten();
        let bare = || self.opening.bare_words().find_map(number);
        let value = self.opening.value.as_deref().and_then(number);
        let found = value.or_else(|| self.opening.attributes.iter().find_map(attribute)).or_else(bare);
        mended.extend(found.map(|_| &kinds::NUMBER));
        found
    }

    /// The text of a tag without fields: its content, else what its attributes say.
    fn text(&self, end: usize, rule: &TagRule, window: &Window, mended: &mut Vec<&'static Kind>) -> String {
        let body = window.slice(Span::new(self.body, end));
        if let Some(text) = json_text(body, rule) {
            mended.push(&kinds::BODY);
            return text;
        }
        if let Some(inner) = only_child(body, rule) {
            mended.push(&kinds::BODY);
            return clean(inner);
        }
        let text = clean(body);
        if !text.is_empty() {
            return text;
        }
        let attribute =
            self.opening.attributes.iter().find(|(name, value)| !value.is_empty() && rule.is_text_from(name));
        let value = self.opening.value.as_ref().filter(|_| !rule.numbered);
        let words = self.bare_words(rule, window);
        let Some(found) = attribute.map(|(_, value)| value.as_str()).or(value.map(String::as_str)).or(words) else {
            return text;
        };
        mended.push(&kinds::ATTRIBUTE);
        trim(found).to_owned()
    }

    /// The words between the brackets of a tag that has nothing else, as they were written.
    fn bare_words<'w>(&self, rule: &TagRule, window: &'w Window) -> Option<&'w str> {
        let only_words = self.opening.attributes.iter().all(|(_, value)| value.is_empty());
        if rule.numbered || !only_words || self.opening.attributes.is_empty() {
            return None;
        }
        let written = window.slice(Span::new(self.from, self.body));
        let (_, behind) = written.split_once(self.opening.raw_name.as_str())?;
        Some(behind.trim_end_matches(['>', '＞', '/', '／', ' ']).trim_start_matches([':', '：', ' ']))
    }

    /// The fields: what attributes, children and bare text say.
    fn fields(
        &self,
        rule: &TagRule,
        protocol: &TagProtocol,
        window: &Window,
        mended: &mut Vec<&'static Kind>,
    ) -> Map<String, Value> {
        let bare_field = rule.bare_field();
        let mut values: Vec<Option<String>> = vec![None; rule.fields.len()];
        self.attribute_values(rule, protocol, &mut values, mended);
        for (field, value) in self.given.iter().cloned().chain(self.children(window)) {
            let Some(known) = values.get_mut(field) else { continue };
            match known {
                None => *known = Some(value),
                // Nothing that the content says is lost; of two names the first stands.
                Some(known) if Some(field) == bare_field && !value.is_empty() && *known != value => {
                    if !known.is_empty() {
                        known.push('\n');
                    }
                    known.push_str(&value);
                }
                Some(known) if known.is_empty() => *known = value,
                Some(_) => mended.push(&kinds::DOUBLED_FIELD),
            }
        }
        let bare = self.bare_text(window);
        if !trim(&bare).is_empty() {
            self.bare_values(&bare, rule, protocol, &mut values, mended);
        }
        let named = rule.fields.iter().zip(values);
        named.filter_map(|(field, value)| Some((field.name.clone(), Value::String(value?)))).collect()
    }

    fn attribute_values(
        &self,
        rule: &TagRule,
        protocol: &TagProtocol,
        values: &mut [Option<String>],
        mended: &mut Vec<&'static Kind>,
    ) {
        let attributes = self.opening.attributes.iter().filter(|(_, value)| !value.is_empty());
        let placed = attributes.map(|(name, value)| (protocol.field(self.tag, name), value));
        let first = rule.fields.iter().position(|field| !field.bare);
        let value = self.opening.value.iter().map(|value| (first, value));
        for (field, value) in placed.chain(value) {
            if let Some(known) = field.and_then(|field| values.get_mut(field)).filter(|known| known.is_none()) {
                *known = Some(trim(value).to_owned());
                mended.push(&kinds::ATTRIBUTE);
            }
        }
    }

    /// Bare text is the content, unless it takes itself apart or there is a content already.
    fn bare_values(
        &self,
        bare: &str,
        rule: &TagRule,
        protocol: &TagProtocol,
        values: &mut [Option<String>],
        mended: &mut Vec<&'static Kind>,
    ) {
        let nothing_yet = values.iter().all(Option::is_none);
        let apart = json_fields(bare, self.tag, protocol).or_else(|| labelled_fields(bare, self.tag, protocol));
        if let Some(fields) = apart.filter(|_| nothing_yet) {
            mended.push(&kinds::BODY);
            for (field, value) in fields {
                if let Some(known) = values.get_mut(field) {
                    *known = Some(value);
                }
            }
            return;
        }
        let Some(content) = rule.bare_field().and_then(|field| values.get_mut(field)) else { return };
        match content {
            Some(known) if !known.is_empty() => mended.push(&kinds::STRAY_TEXT),
            _ => {
                mended.push(&kinds::BARE);
                *content = Some(clean(bare));
            }
        }
    }

    /// What each field holds, in the order they were opened.
    fn children(&self, window: &Window) -> Vec<(usize, String)> {
        let mut children: Vec<(usize, usize, String)> = Vec::new();
        for piece in &self.pieces {
            let Some(field) = piece.field else { continue };
            let text = window.slice(piece.span);
            match children.last_mut() {
                Some((last, instance, written)) if *last == field && *instance == piece.instance => {
                    written.push_str(text)
                }
                _ => children.push((field, piece.instance, text.to_owned())),
            }
        }
        children.into_iter().map(|(field, _, written)| (field, clean(&written))).collect()
    }

    fn bare_text(&self, window: &Window) -> String {
        self.pieces.iter().filter(|piece| piece.field.is_none()).map(|piece| window.slice(piece.span)).collect()
    }
}
