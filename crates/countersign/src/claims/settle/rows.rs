//! The rows of tables in a text: `city: Oslo; population: 709,037`, and the rows of a Markdown table under their header.
//!
//! A row reads like the fields of an object, so a number in it keeps the name of its column. What is no row is left to
//! be cut into sentences.

use crate::grounding::flatten::spoken_field;
use std::ops::Range;

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Prose.
    Prose(Range<usize>),
    /// A row, in words like those of an object, and where it is.
    Row(String, Range<usize>),
}

/// Cuts a text into rows and the prose between them.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut prose: Option<Range<usize>> = None;
    let mut table = Table::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let place = start..start + line.len();
        start = place.end;
        match table.row(line).or_else(|| read_key(line.trim())) {
            Some(words) => {
                found.extend(prose.take().map(Piece::Prose));
                let begin = place.start + (line.len() - line.trim_start().len());
                found.push(Piece::Row(words, begin..begin + line.trim().len()));
            }
            None => prose = Some(prose.map_or(place.start, |prose| prose.start)..place.end),
        }
    }
    found.extend(prose.map(Piece::Prose));
    found
}

/// A line of `name: value; name: value`, at least two of them.
fn read_key(line: &str) -> Option<String> {
    if !line.contains("; ") || line.len() > LONGEST {
        return None;
    }
    let (mut words, mut named, mut all) = (String::new(), 0, 0);
    for part in line.trim_end_matches(';').split("; ") {
        all += 1;
        match part.split_once(": ").filter(|(name, _)| is_name(name)) {
            Some((name, value)) => {
                named += 1;
                words.push_str(&spoken_field(name, value.trim()));
            }
            None => words.push_str(part),
        }
        words.push_str("; ");
    }
    (named >= 2 && named * 3 >= all * 2).then(|| words.trim_end().to_owned())
}

fn is_name(name: &str) -> bool {
    (1..=NAME).contains(&name.chars().count()) && !name.contains(['.', '。', '?', '!', '，', ',']) || is_path(name)
}

/// A path into an object: `sales.north.total`.
fn is_path(name: &str) -> bool {
    name.len() <= 2 * NAME && name.contains('.') && !name.contains(' ')
}

/// A Markdown table that is being read.
#[derive(Default)]
struct Table {
    header: Vec<String>,
    /// Whether the line under the header has come.
    open: bool,
}

impl Table {
    fn row(&mut self, line: &str) -> Option<String> {
        let cells = cells(line.trim());
        if cells.len() < 2 {
            *self = Self::default();
            return None;
        }
        let ruled = cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':' | ' ')));
        if ruled {
            self.open = !self.header.is_empty();
        } else if self.open {
            return Some(self.words(&cells));
        } else {
            self.header = cells.into_iter().map(str::to_owned).collect();
        }
        None
    }

    fn words(&self, cells: &[&str]) -> String {
        let mut words = String::new();
        for (at, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.is_empty()) {
            let name = self.header.get(at).map_or("", String::as_str);
            words.push_str(&if name.is_empty() { (*cell).to_owned() } else { spoken_field(name, cell) });
            words.push_str("; ");
        }
        words.trim_end().to_owned()
    }
}

/// The cells of a line with bars.
fn cells(line: &str) -> Vec<&str> {
    let barred = line.starts_with('|') && line.len() <= LONGEST;
    let inside = line.trim_start_matches('|').trim_end_matches('|');
    if barred { inside.split('|').map(|cell| cell.trim().trim_matches('*')).collect() } else { Vec::new() }
}

/// A longer name is a sentence.
const NAME: usize = 40;
/// A longer line is prose.
const LONGEST: usize = 4000;

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<String> {
        let row = |piece| if let Piece::Row(words, _) = piece { Some(words) } else { None };
        pieces(text).into_iter().filter_map(row).collect()
    }

    // CLAIM-3
    #[test]
    fn rows_keep_the_names_of_their_columns() {
        assert_eq!(rows("city: Oslo; population: 709,037; note: a"), ["city: Oslo; population: 709,037; note: a;"]);
        assert_eq!(rows("region: north; growth_percent: 25"), ["region: north; growth: 25 percent;"]);
        assert_eq!(rows("城市: 北京; 人口: 2189万"), ["城市: 北京; 人口: 2189万;"]);
        let table =
            "Sales by region.\n\n| Region | Sales |\n|---|---:|\n| North | **$40m** |\n| South | $20m |\n\nAll.";
        assert_eq!(rows(table), ["region: North; sales: $40m;", "region: South; sales: $20m;"]);
        assert!(matches!(pieces(table).last(), Some(Piece::Prose(range)) if table[range.clone()].trim() == "All."));
        for prose in ["We met; it rained: a lot.", "A | B", "Note: this; that", "", "|||||", "| a |\n|---|\n| b |"] {
            assert!(rows(prose).is_empty(), "{prose}");
        }
        for (words, place) in
            pieces(table).into_iter().filter_map(|p| if let Piece::Row(w, r) = p { Some((w, r)) } else { None })
        {
            assert!(table[place].starts_with('|') && !words.contains('|'));
        }
    }
}
