//! CSV and TSV: each row is a passage, written as `header: value; header: value`, so that a value keeps its meaning.

use crate::kb::document::{Document, Nature, Writer};
use std::sync::Arc;

/// Reads a table.
pub(super) fn read(text: &str) -> Result<Document, String> {
    let mut rows = csv::ReaderBuilder::new()
        .delimiter(delimiter(text))
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut writer = Writer::default();
    let mut headers: Option<Vec<String>> = None;
    let none: Arc<[String]> = Arc::from([]);
    for row in rows.records() {
        let row = row.map_err(|error| format!("it is no table: {error}"))?;
        if headers.is_none() {
            let names = is_header(row.iter());
            headers = Some(if names { row.iter().map(label).collect() } else { Vec::new() });
            if names {
                continue;
            }
        }
        let line = row.position().and_then(|place| usize::try_from(place.line()).ok());
        writer.block(&write_row(row.iter(), headers.as_deref().unwrap_or_default()), line, &none, Nature::Stands)?;
    }
    Ok(writer.finish())
}

/// A row as `header: value; header: value`.
pub(super) fn write_row<'c>(row: impl Iterator<Item = &'c str>, headers: &[String]) -> String {
    let mut text = String::new();
    for (at, cell) in row.enumerate() {
        let cell = cell.trim();
        if cell.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str("; ");
        }
        if let Some(header) = headers.get(at).filter(|header| !header.is_empty()) {
            text.push_str(header);
            text.push_str(": ");
        }
        text.push_str(cell);
    }
    text
}

/// The first row names the columns where no cell of it is a number.
pub(super) fn is_header<'c>(row: impl Iterator<Item = &'c str> + Clone) -> bool {
    let number = |cell: &str| cell.trim().replace([',', '%', '$', '¥'], "").parse::<f64>().is_ok();
    !row.clone().any(number) && row.clone().any(|cell| !cell.trim().is_empty())
}

/// A header, as it is written with every row.
pub(super) fn label(cell: &str) -> String {
    cell.trim().chars().take(MAX_LABEL).collect()
}

/// The sign that stands most often in the first line.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let count = |sign: u8| first.bytes().filter(|byte| *byte == sign).count();
    [b',', b'\t', b';', b'|'].into_iter().rev().max_by_key(|sign| count(*sign)).unwrap_or(b',')
}

/// A longer header says nothing more, and would be written with every row.
const MAX_LABEL: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<(String, usize)> {
        let document = read(text).unwrap();
        document.blocks.iter().map(|b| (document.text[b.range.clone()].to_owned(), b.line)).collect()
    }

    // CLAIM-3
    #[test]
    fn a_row_keeps_its_headers() {
        assert_eq!(
            rows("city,population,note\nOslo,\"709,037\",\"a; \"\"b\"\"\"\nBergen,,x\n"),
            [
                ("city: Oslo; population: 709,037; note: a; \"b\"".to_owned(), 2),
                ("city: Bergen; note: x".to_owned(), 3)
            ]
        );
        assert_eq!(rows("城市\t人口\n北京\t2189万\n")[0].0, "城市: 北京; 人口: 2189万");
        assert_eq!(rows("1,2\n3,4\n")[0].0, "1; 2");
    }

    #[test]
    fn ragged_tables_are_read() {
        assert_eq!(rows("a;b\n1\n1;2;3\n\n").len(), 2);
        assert!(rows("").is_empty() && rows("\"unclosed\nrow").is_empty());
    }
}
