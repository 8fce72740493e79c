//! XML as a flat run of tokens: no tree is built, so that nothing deep can hurt. Names are told without their prefix.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;
use std::io::BufRead;

/// A part that is read.
pub(super) struct Xml<R> {
    reader: Reader<R>,
    buffer: Vec<u8>,
    depth: usize,
    over: bool,
}

/// What comes next.
pub(super) enum Token<'x> {
    /// An element begins. One without content ends with the token after it.
    Open(Tag<'x>),
    /// An element ends.
    Close(Cow<'x, str>),
    /// Words.
    Text(Cow<'x, str>),
    /// Nothing that says something: a comment, an instruction.
    Other,
    /// The end of the part.
    Over,
}

/// The beginning of an element.
pub(super) struct Tag<'x>(BytesStart<'x>);

impl<R: BufRead> Xml<R> {
    pub(super) fn new(source: R) -> Self {
        let mut reader = Reader::from_reader(source);
        reader.config_mut().expand_empty_elements = true;
        Self { reader, buffer: Vec::new(), depth: 0, over: false }
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token<'_>, String> {
        self.buffer.clear();
        let event = self.reader.read_event_into(&mut self.buffer).map_err(|_| "the document is damaged".to_owned())?;
        Ok(match event {
            Event::Start(tag) | Event::Empty(tag) => {
                self.depth += 1;
                if self.depth > DEEPEST {
                    return Err("its elements stand too deep in each other".to_owned());
                }
                Token::Open(Tag(tag))
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                Token::Close(Cow::Owned(local(tag.name().as_ref()).to_owned()))
            }
            Event::Text(text) => Token::Text(text.xml10_content()),
            Event::CData(text) => Token::Text(text.xml10_content()),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(c)) => Token::Text(Cow::Owned(c.to_string())),
                _ => named(&reference.xml10_content()).map_or(Token::Other, |text| Token::Text(Cow::Borrowed(text))),
            },
            // Entities that are declared here could grow without end; office documents have none.
            Event::DocType(_) => return Err("it declares a document type, which no office document does".to_owned()),
            Event::Eof => {
                self.over = true;
                Token::Over
            }
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => Token::Other,
        })
    }

    /// The next element that begins; none at the end.
    pub(super) fn next_tag(&mut self) -> Result<Option<Tag<'static>>, String> {
        loop {
            match self.next()? {
                Token::Open(tag) => return Ok(Some(Tag(tag.0.into_owned()))),
                Token::Over => return Ok(None),
                _ => {}
            }
        }
    }

    /// The name of the next token, where it is the beginning of an element.
    pub(super) fn next_opening(&mut self) -> Result<Option<String>, String> {
        Ok(match self.next()? {
            Token::Open(tag) => Some(tag.name().to_owned()),
            _ => None,
        })
    }

    /// Passes over the rest of the element that has just begun.
    pub(super) fn skip(&mut self) -> Result<(), String> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside && !self.over {
            self.next()?;
        }
        Ok(())
    }

    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    pub(super) fn into_inner(self) -> R {
        self.reader.into_inner()
    }
}

impl Tag<'_> {
    /// Its name without prefix.
    pub(super) fn name(&self) -> &str {
        let whole = self.0.name().0;
        local(whole)
    }

    /// What an attribute says, by its name without prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<String> {
        // Looking for doubled names takes time in the square of their number.
        let mut all = self.0.attributes();
        let found = all.with_checks(false).flatten().find(|attribute| local(attribute.key.0) == name)?;
        Some(found.normalized_value(quick_xml::XmlVersion::default()).map(Cow::into_owned).unwrap_or_default())
    }

    /// Whether a switch is on: it is there, and does not say that it is off.
    pub(super) fn is_on(&self) -> bool {
        !self.attribute("val").is_some_and(|said| matches!(said.as_str(), "0" | "false" | "off"))
    }

    /// The number that its `val` says.
    pub(super) fn number(&self) -> Option<u32> {
        self.attribute("val")?.parse().ok()
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn named(entity: &str) -> Option<&'static str> {
    match entity {
        "amp" => Some("&"),
        "lt" => Some("<"),
        "gt" => Some(">"),
        "quot" => Some("\""),
        "apos" => Some("'"),
        _ => None,
    }
}

/// Documents of people stand a few dozen deep.
const DEEPEST: usize = 512;
