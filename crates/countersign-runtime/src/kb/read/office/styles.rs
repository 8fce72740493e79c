//! How paragraphs are styled and numbered: which styles are headings, and which lists have numbers.

use super::package::Package;
use super::xml::{Token, Xml};
use rustc_hash::FxHashMap;
use std::io::BufRead;

/// What a style says of its paragraphs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Style {
    /// The level of a heading, from 1.
    pub(super) heading: Option<u8>,
    /// The list, and the level in it, from 0.
    pub(super) list: Option<(u32, u8)>,
}

/// The styles and lists of a document.
#[derive(Debug, Default)]
pub(super) struct Styles {
    styles: FxHashMap<String, Style>,
    /// Which definition a list follows.
    lists: FxHashMap<u32, u32>,
    /// The levels of definitions that have bullets.
    bullets: FxHashMap<(u32, u8), bool>,
    /// How far each list has counted.
    counted: FxHashMap<(u32, u8), u32>,
}

impl Styles {
    /// Reads what the parts beside a main part say.
    pub(super) fn read(package: &mut Package<'_>, styles: &str, numbering: &str) -> Result<Self, String> {
        let mut read = Self::default();
        package.with_part(styles, |xml| read.read_styles(xml))?;
        package.with_part(numbering, |xml| read.read_lists(xml))?;
        Ok(read)
    }

    /// What the style of this name says.
    pub(super) fn of(&self, name: &str) -> Style {
        self.styles.get(name).copied().unwrap_or_else(|| Style { heading: heading(name), list: None })
    }

    /// What stands before the next item of a list: a bullet, or its number.
    pub(super) fn mark(&mut self, list: u32, level: u8) -> String {
        let indentation = "  ".repeat(usize::from(level));
        let definition = self.lists.get(&list).copied();
        let is_bullet = definition.and_then(|known| self.bullets.get(&(known, level))).copied().unwrap_or(true);
        if is_bullet {
            return format!("{indentation}- ");
        }
        self.counted.retain(|(other, deeper), _| *other != list || *deeper <= level);
        let number = self.counted.entry((list, level)).or_default();
        *number = number.saturating_add(1);
        format!("{indentation}{number}. ")
    }

    fn read_styles<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), String> {
        let (mut name, mut style, mut list) = (String::new(), Style::default(), (None, 0));
        loop {
            match xml.next()? {
                Token::Open(tag) => match tag.name() {
                    "style" => {
                        (name, style, list) =
                            (tag.attribute("styleId").unwrap_or_default(), Style::default(), (None, 0))
                    }
                    "name" => style.heading = style.heading.or_else(|| heading(&tag.attribute("val")?)),
                    "outlineLvl" => style.heading = outline(tag.number()).or(style.heading),
                    "numId" => list.0 = tag.number(),
                    "ilvl" => list.1 = level(tag.number()),
                    _ => {}
                },
                Token::Close(closed) if closed == "style" && self.styles.len() < MOST => {
                    style.list = list.0.filter(|list| *list != 0).map(|id| (id, list.1));
                    self.styles.insert(std::mem::take(&mut name), style);
                }
                Token::Over => return Ok(()),
                _ => {}
            }
        }
    }

    fn read_lists<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), String> {
        let (mut definition, mut at, mut list) = (None, 0, None);
        while let Some(tag) = xml.next_tag()? {
            let id = |name: &str| tag.attribute(name).and_then(|said| said.parse::<u32>().ok());
            match tag.name() {
                "abstractNum" => definition = id("abstractNumId"),
                "lvl" => at = level(id("ilvl")),
                "numFmt" => {
                    let is_bullet = tag.attribute("val").is_none_or(|said| said == "bullet" || said == "none");
                    if let Some(definition) = definition.filter(|_| self.bullets.len() < MOST) {
                        self.bullets.insert((definition, at), is_bullet);
                    }
                }
                "num" => list = id("numId"),
                "abstractNumId" => {
                    if let (Some(list), Some(definition), true) = (list, tag.number(), self.lists.len() < MOST) {
                        self.lists.insert(list, definition);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The level of a heading that an outline says, from 0; 9 is ordinary text.
pub(super) fn outline(said: Option<u32>) -> Option<u8> {
    said.and_then(|level| u8::try_from(level).ok()).filter(|level| *level < 9).map(|level| level + 1)
}

/// A level of a list.
pub(super) fn level(said: Option<u32>) -> u8 {
    said.and_then(|level| u8::try_from(level).ok()).unwrap_or_default().min(DEEPEST_LIST)
}

/// The level in the name of a style: `heading 2`, `Heading2`, `Title`.
fn heading(name: &str) -> Option<u8> {
    let name = name.trim().to_lowercase();
    if name == "title" {
        return Some(1);
    }
    let level = name.strip_prefix("heading")?.trim().parse::<u8>().ok()?;
    (1..=9).contains(&level).then_some(level)
}

const DEEPEST_LIST: u8 = 8;
/// No document has more styles or lists.
const MOST: usize = 10_000;
