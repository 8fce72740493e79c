//! The words of a .docx in reading order: headings, paragraphs, items of lists, rows of tables, notes, headers, footers.
//!
//! What was deleted while changes were tracked, and what is hidden, is left out: a reader of the document does not see it
//! either. Text boxes come before the paragraph that they are anchored in.

use super::package::{Package, Relation};
use super::styles::{Style, Styles, level, outline};
use super::xml::{Tag, Token, Xml};
use crate::kb::document::{Document, Headings, Nature, Writer};
use std::collections::BTreeSet;
use std::io::BufRead;
use std::sync::Arc;

/// Reads a document.
pub(super) fn read(package: &mut Package<'_>, main: &str) -> Result<Document, String> {
    let relations = package.relations(main)?;
    let part = |kind: &str| relations.iter().find(|relation| relation.kind == kind).map(|found| found.target.as_str());
    let styles = Styles::read(package, part("styles").unwrap_or_default(), part("numbering").unwrap_or_default())?;
    let mut story = Story { styles, writer: Writer::default(), ..Story::default() };
    story.read_around(package, &relations, "header", "Header: ")?;
    package.with_part(main, |xml| story.read_part(xml))?;
    for (kind, mark) in [("footnotes", ""), ("endnotes", "e")] {
        let Some(notes) = part(kind) else { continue };
        story.note_mark = mark;
        package.with_part(notes, |xml| story.read_part(xml))?;
    }
    story.prefix.clear();
    story.read_around(package, &relations, "footer", "Footer: ")?;
    Ok(story.writer.finish())
}

/// A document that is being told.
#[derive(Default)]
struct Story {
    styles: Styles,
    writer: Writer,
    headings: Headings,
    /// Paragraphs that are open: one in a text box stands inside another.
    open: Vec<Paragraph>,
    /// Tables that are open, the outermost first.
    tables: Vec<Table>,
    place: Place,
    /// What stands before the next paragraph: that it is a header, or the mark of a note.
    prefix: String,
    /// What tells marks of endnotes from those of footnotes.
    note_mark: &'static str,
    /// Headers and footers that were told: most documents have each of them several times.
    around: BTreeSet<String>,
}

#[derive(Default)]
struct Paragraph {
    text: String,
    style: Style,
}

#[derive(Default)]
struct Table {
    row: Vec<String>,
    /// The cell that is open.
    cell: Option<String>,
    /// How many columns it takes.
    span: usize,
}

/// Where in a paragraph we are.
#[derive(Default)]
struct Place {
    /// Among what is said of the paragraph.
    properties: bool,
    /// In words.
    words: bool,
    /// In words that are hidden.
    hidden: bool,
}

impl Story {
    /// Headers or footers, each once.
    fn read_around(
        &mut self,
        package: &mut Package<'_>,
        relations: &[Relation],
        kind: &str,
        prefix: &str,
    ) -> Result<(), String> {
        for relation in relations.iter().filter(|relation| relation.kind == kind) {
            let mut one = Self { styles: std::mem::take(&mut self.styles), ..Self::default() };
            package.with_part(&relation.target, |xml| one.read_part(xml))?;
            self.styles = one.styles;
            let said = one.writer.finish().text;
            let text = format!("{prefix}{}", said.split_whitespace().collect::<Vec<_>>().join(" "));
            if !said.trim().is_empty() && self.around.insert(text.clone()) {
                self.writer.block(&text, None, &Arc::from([]), Nature::Flows)?;
            }
        }
        Ok(())
    }

    fn read_part<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), String> {
        loop {
            let step = match xml.next()? {
                Token::Open(tag) => self.open(&tag),
                Token::Close(name) => {
                    self.close(&name)?;
                    Step::On
                }
                Token::Text(words) => {
                    if self.place.words && !self.place.hidden {
                        self.say(&words);
                    }
                    Step::On
                }
                Token::Other => Step::On,
                Token::Over => return Ok(()),
            };
            if step == Step::Over {
                xml.skip()?;
            }
        }
    }

    fn open(&mut self, tag: &Tag<'_>) -> Step {
        match tag.name() {
            name if UNSEEN.contains(&name) => return Step::Over,
            "footnote" | "endnote" if tag.attribute("type").is_some_and(|kind| kind != "normal") => return Step::Over,
            "footnote" | "endnote" => {
                self.prefix = format!("[^{}{}]: ", self.note_mark, tag.attribute("id").unwrap_or_default());
            }
            "p" => {
                self.open.push(Paragraph::default());
                self.place = Place::default();
            }
            "tbl" => self.tables.push(Table::default()),
            "tc" => self.with_table(|table| (table.cell, table.span) = (Some(String::new()), 1)),
            "gridSpan" => {
                let span = tag.number().and_then(|span| usize::try_from(span).ok()).unwrap_or(1);
                self.with_table(|table| table.span = span.clamp(1, WIDEST_SPAN));
            }
            "pPr" => self.place.properties = true,
            "r" => self.place.hidden = false,
            "t" => self.place.words = true,
            _ if self.place.properties => self.set_property(tag),
            "vanish" => self.place.hidden = tag.is_on(),
            _ if self.place.hidden => {}
            "tab" => self.say("\t"),
            "br" | "cr" => self.say("\n"),
            "noBreakHyphen" => self.say("-"),
            "footnoteReference" => self.say(&format!("[^{}]", tag.attribute("id").unwrap_or_default())),
            "endnoteReference" => self.say(&format!("[^e{}]", tag.attribute("id").unwrap_or_default())),
            _ => {}
        }
        Step::On
    }

    /// What is said of the paragraph that is open.
    fn set_property(&mut self, tag: &Tag<'_>) {
        let said = tag.attribute("val").unwrap_or_default();
        let styled = self.styles.of(&said);
        let Some(style) = self.open.last_mut().map(|paragraph| &mut paragraph.style) else { return };
        match tag.name() {
            "pStyle" => *style = Style { heading: style.heading.or(styled.heading), list: style.list.or(styled.list) },
            "outlineLvl" => style.heading = outline(tag.number()).or(style.heading),
            "ilvl" => style.list = Some((style.list.map_or(0, |(list, _)| list), level(tag.number()))),
            "numId" => style.list = tag.number().map(|list| (list, style.list.map_or(0, |(_, level)| level))),
            _ => {}
        }
    }

    fn close(&mut self, name: &str) -> Result<(), String> {
        match name {
            "t" => self.place.words = false,
            "pPr" => self.place.properties = false,
            "r" => self.place.hidden = false,
            "p" => return self.end_paragraph(),
            "tc" => self.with_table(|table| {
                let cell = table.cell.take().unwrap_or_default();
                table.row.push(cell);
                (1..table.span).for_each(|_| table.row.push(String::new()));
                table.row.truncate(WIDEST_ROW);
            }),
            "tr" => return self.end_row(),
            "tbl" => drop(self.tables.pop()),
            _ => {}
        }
        Ok(())
    }

    fn say(&mut self, words: &str) {
        if let Some(paragraph) = self.open.last_mut() {
            paragraph.text.push_str(words);
        }
    }

    fn with_table(&mut self, change: impl FnOnce(&mut Table)) {
        if let Some(table) = self.tables.last_mut() {
            change(table);
        }
    }

    fn end_paragraph(&mut self) -> Result<(), String> {
        let Some(Paragraph { text, style }) = self.open.pop() else { return Ok(()) };
        let text = text.trim();
        if text.is_empty() {
            return Ok(());
        }
        if let Some(cell) = self.tables.last_mut().and_then(|table| table.cell.as_mut()) {
            join(cell, text);
            return Ok(());
        }
        let prefix = std::mem::take(&mut self.prefix);
        match style {
            Style { heading: Some(level), .. } => {
                self.headings.enter(level, text);
                let title = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let marks = "#".repeat(usize::from(level.min(6)));
                self.writer.block(&format!("{marks} {prefix}{title}"), None, &self.headings.path(), Nature::Flows)
            }
            Style { list: Some((list, level)), .. } if list != 0 => {
                let mark = self.styles.mark(list, level);
                self.writer.block(&format!("{mark}{prefix}{text}"), None, &self.headings.path(), Nature::Flows)
            }
            _ => self.writer.block(&format!("{prefix}{text}"), None, &self.headings.path(), Nature::Flows),
        }
    }

    /// A row of the outermost table is a line; one of a table in a cell is part of that cell.
    fn end_row(&mut self) -> Result<(), String> {
        let Some(table) = self.tables.last_mut() else { return Ok(()) };
        let row = std::mem::take(&mut table.row);
        if row.iter().all(String::is_empty) {
            return Ok(());
        }
        let line = row.join(" | ");
        let outer = self.tables.len().checked_sub(2).and_then(|at| self.tables.get_mut(at));
        match outer.and_then(|table| table.cell.as_mut()) {
            Some(cell) => {
                join(cell, &line);
                Ok(())
            }
            None => self.writer.block(&format!("| {line} |"), None, &self.headings.path(), Nature::Stands),
        }
    }
}

/// Whether an element is read.
#[derive(PartialEq)]
enum Step {
    On,
    /// It is passed over.
    Over,
}

/// Adds a paragraph to a cell, on one line.
fn join(cell: &mut String, text: &str) {
    if !cell.is_empty() {
        cell.push(' ');
    }
    cell.push_str(&text.split_whitespace().collect::<Vec<_>>().join(" "));
}

/// What a reader of the document does not see: what was deleted or moved away, how things were before, codes of fields,
/// and the copy of a text box for old programs.
const UNSEEN: [&str; 11] = [
    "del",
    "moveFrom",
    "delText",
    "instrText",
    "delInstrText",
    "Fallback",
    "sectPr",
    "rPrChange",
    "pPrChange",
    "tblPrChange",
    "trPrChange",
];
/// More columns than a table of a document can have.
const WIDEST_SPAN: usize = 63;
const WIDEST_ROW: usize = 1024;
