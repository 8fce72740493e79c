//! The cells of an .xlsx, sheet by sheet and row by row. A formula is told by the value that it had when it was saved.

use super::Sheets;
use super::numbers::{Epoch, Form};
use super::package::Package;
use super::xml::{Tag, Token, Xml};
use rustc_hash::FxHashMap;
use std::io::BufRead;

/// A sheet.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    name: String,
    is_hidden: bool,
    /// The relation that leads to its part.
    relation: String,
}

/// A row: cells that say something, each with its column from 0.
#[derive(Debug, Default)]
pub(super) struct Row {
    cells: Vec<(usize, String)>,
}

impl Sheet {
    /// Its name, and that it is hidden.
    pub(super) fn title(&self) -> String {
        if self.is_hidden { format!("{} (hidden sheet)", self.name) } else { self.name.clone() }
    }
}

impl Row {
    /// The cells apart by tabs, those that are empty too.
    pub(super) fn line(&self) -> String {
        self.spread().join("\t")
    }

    /// All cells up to the last. Far from the others, a cell says its own column.
    pub(super) fn spread(&self) -> Vec<String> {
        let mut spread: Vec<String> = Vec::new();
        let mut next = 0;
        for (column, text) in &self.cells {
            let gap = column.saturating_sub(next);
            if gap <= WIDEST_GAP {
                spread.extend(std::iter::repeat_n(String::new(), gap));
                spread.push(text.clone());
            } else {
                spread.push(format!("[{}] {text}", letters(*column)));
            }
            next = column + 1;
        }
        spread
    }
}

/// Reads the sheets of a workbook.
#[expect(clippy::redundant_closure, reason = "the functions themselves are not general enough in their lifetimes")]
pub(super) fn read(package: &mut Package<'_>, main: &str, into: &mut dyn Sheets) -> Result<(), String> {
    let relations = package.relations(main)?;
    let part = |kind: &str| relations.iter().find(|relation| relation.kind == kind).map(|found| found.target.clone());
    let (sheets, epoch) = package.with_part(main, |xml| read_workbook(xml))?.unwrap_or_default();
    let strings =
        package.with_part(&part("sharedStrings").unwrap_or_default(), |xml| read_strings(xml))?.unwrap_or_default();
    let forms = package.with_part(&part("styles").unwrap_or_default(), |xml| read_forms(xml))?.unwrap_or_default();
    let mut cells = Cells { strings, forms, epoch, left: MAX_CELLS, room: MAX_TEXT };
    for sheet in &sheets {
        let found = relations.iter().find(|relation| relation.id == sheet.relation && relation.kind == "worksheet");
        let Some(found) = found else { continue };
        into.sheet(sheet)?;
        package.with_part(&found.target, |xml| cells.read_sheet(xml, into))?;
    }
    Ok(())
}

/// What cells mean.
struct Cells {
    strings: Vec<String>,
    /// The form of each style.
    forms: Vec<Form>,
    epoch: Epoch,
    /// How many more are read.
    left: usize,
    /// How much text there is room for: many cells may share one long string.
    room: usize,
}

/// A cell that is being read.
#[derive(Default)]
struct Cell {
    column: usize,
    kind: String,
    style: usize,
    value: String,
    formula: String,
}

impl Cells {
    fn read_sheet<R: BufRead>(&mut self, xml: &mut Xml<R>, into: &mut dyn Sheets) -> Result<(), String> {
        let (mut row, mut cell, mut within) = (Row::default(), Cell::default(), Within::Nothing);
        loop {
            match xml.next()? {
                Token::Open(tag) => match tag.name() {
                    "row" => row = Row::default(),
                    "c" => {
                        let next = row.cells.last().map_or(0, |(column, _)| column + 1);
                        cell = Cell::of(&tag, next);
                    }
                    "v" | "t" => within = Within::Value,
                    "f" => within = Within::Formula,
                    // How Chinese and Japanese words are spoken is not part of them.
                    "rPh" => {
                        drop(tag);
                        xml.skip()?;
                    }
                    _ => {}
                },
                Token::Text(words) => match within {
                    Within::Value => push(&mut cell.value, &words),
                    Within::Formula => push(&mut cell.formula, &words),
                    Within::Nothing => {}
                },
                Token::Close(name) => match name.as_ref() {
                    "v" | "t" | "f" => within = Within::Nothing,
                    "c" => row.cells.extend(self.take(&cell)?),
                    "row" if !row.cells.is_empty() => into.row(&std::mem::take(&mut row))?,
                    _ => {}
                },
                Token::Other => {}
                Token::Over => return Ok(()),
            }
        }
    }

    /// A cell that says something, with its column.
    fn take(&mut self, cell: &Cell) -> Result<Option<(usize, String)>, String> {
        self.left = self.left.checked_sub(1).ok_or_else(|| format!("it has more than {MAX_CELLS} cells"))?;
        let text = self.show(cell);
        let room = self.room.checked_sub(text.len());
        self.room = room.ok_or_else(|| format!("it holds more than {} MiB of text", MAX_TEXT >> 20))?;
        Ok(Some((cell.column, text)).filter(|(_, text)| !text.is_empty()))
    }

    /// What a cell shows, on one line.
    fn show(&self, cell: &Cell) -> String {
        let value = cell.value.trim();
        if value.is_empty() && !cell.formula.is_empty() {
            // Whoever wrote the file has not calculated it.
            return one_line(&format!("={}", cell.formula));
        }
        match cell.kind.as_str() {
            "s" => {
                let shared = value.parse::<usize>().ok().and_then(|at| self.strings.get(at));
                shared.map(|text| one_line(text)).unwrap_or_default()
            }
            "b" => if value == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "" | "n" if !value.is_empty() => {
                self.forms.get(cell.style).copied().unwrap_or_default().show(value, self.epoch)
            }
            _ => one_line(value),
        }
    }
}

impl Cell {
    fn of(tag: &Tag<'_>, next: usize) -> Self {
        let said = |name: &str| tag.attribute(name);
        Self {
            column: said("r").and_then(|place| column(&place)).unwrap_or(next),
            kind: said("t").unwrap_or_default(),
            style: said("s").and_then(|style| style.parse().ok()).unwrap_or_default(),
            value: String::new(),
            formula: String::new(),
        }
    }
}

#[derive(Clone, Copy)]
enum Within {
    Nothing,
    Value,
    Formula,
}

fn read_workbook<R: BufRead>(xml: &mut Xml<R>) -> Result<(Vec<Sheet>, Epoch), String> {
    let (mut sheets, mut epoch) = (Vec::new(), Epoch::Year1900);
    while let Some(tag) = xml.next_tag()? {
        let said = |name: &str| tag.attribute(name).unwrap_or_default();
        match tag.name() {
            "workbookPr" if matches!(said("date1904").as_str(), "1" | "true") => epoch = Epoch::Year1904,
            "sheet" if sheets.len() < MOST_SHEETS => {
                let is_hidden = said("state").to_lowercase().contains("hidden");
                sheets.push(Sheet { name: one_line(&said("name")), is_hidden, relation: said("id") });
            }
            _ => {}
        }
    }
    Ok((sheets, epoch))
}

/// The words that cells share.
fn read_strings<R: BufRead>(xml: &mut Xml<R>) -> Result<Vec<String>, String> {
    let (mut strings, mut words, mut within) = (Vec::new(), String::new(), false);
    loop {
        match xml.next()? {
            Token::Open(tag) => match tag.name() {
                "si" => words.clear(),
                "t" => within = true,
                "rPh" => {
                    drop(tag);
                    xml.skip()?;
                }
                _ => {}
            },
            Token::Text(text) if within => push(&mut words, &text),
            Token::Close(name) => match name.as_ref() {
                "t" => within = false,
                "si" if strings.len() < MAX_CELLS => strings.push(std::mem::take(&mut words)),
                _ => {}
            },
            Token::Over => return Ok(strings),
            _ => {}
        }
    }
}

/// The form of each style of a cell.
fn read_forms<R: BufRead>(xml: &mut Xml<R>) -> Result<Vec<Form>, String> {
    let mut own: FxHashMap<u32, Form> = FxHashMap::default();
    let (mut forms, mut of_cells) = (Vec::new(), false);
    loop {
        match xml.next()? {
            Token::Open(tag) => {
                let id = tag.attribute("numFmtId").and_then(|id| id.parse::<u32>().ok());
                match (tag.name(), id) {
                    ("numFmt", Some(id)) if own.len() < MOST_STYLES => {
                        own.insert(id, Form::of_code(&tag.attribute("formatCode").unwrap_or_default()));
                    }
                    ("cellXfs", _) => of_cells = true,
                    ("xf", id) if of_cells && forms.len() < MOST_STYLES => {
                        let id = id.unwrap_or_default();
                        forms.push(own.get(&id).copied().unwrap_or_else(|| Form::built_in(id)));
                    }
                    _ => {}
                }
            }
            Token::Close(name) if name == "cellXfs" => of_cells = false,
            Token::Over => return Ok(forms),
            _ => {}
        }
    }
}

/// The column of a place such as `AB12`, from 0.
fn column(place: &str) -> Option<usize> {
    let letters = place.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let number =
        letters.fold(0usize, |number, letter| number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    number.checked_sub(1).filter(|column| *column < WIDEST_SHEET)
}

/// The letters of a column.
fn letters(column: usize) -> String {
    let (mut rest, mut name) = (column + 1, Vec::new());
    while rest > 0 {
        name.push(char::from(b'A' + u8::try_from((rest - 1) % 26).unwrap_or_default()));
        rest = (rest - 1) / 26;
    }
    name.iter().rev().collect()
}

/// Adds words to a cell, as many as a cell can hold.
fn push(cell: &mut String, words: &str) {
    let room = LONGEST_CELL.saturating_sub(cell.len());
    cell.push_str(words.get(..words.floor_char_boundary(room)).unwrap_or(words));
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\r', '\t']).map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// A cell holds 32,767 characters.
const LONGEST_CELL: usize = 128 * 1024;
/// A sheet has 16,384 columns.
const WIDEST_SHEET: usize = 16_384;
/// So many empty cells in a row are written as such.
const WIDEST_GAP: usize = 20;
const MAX_CELLS: usize = 4_000_000;
const MAX_TEXT: usize = 64 << 20;
const MOST_SHEETS: usize = 1_000;
const MOST_STYLES: usize = 65_536;
