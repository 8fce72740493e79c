//! The cells of a text that is a table: a head of names, and rows with as many cells.

use super::fields::Field;

/// The cells of a table with the names of their columns, each row a record; none where the text is no table.
pub(crate) fn table_cells(text: &str) -> Option<Vec<Field>> {
    let head = text.lines().next().filter(|head| head.len() <= MAX_HEAD)?;
    let separator = [',', '\t', ';'].into_iter().find(|separator| head.contains(*separator))?;
    let names = cells(head, separator);
    if names.len() < 2 || !names.iter().all(|name| is_name(name)) {
        return None;
    }
    let rows: Vec<Vec<String>> = text
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .take(MAX_ROWS)
        .map(|line| cells(line, separator))
        .collect();
    if rows.is_empty() || rows.iter().any(|row| row.len() != names.len()) {
        return None;
    }
    let record = |(at, row): (usize, Vec<String>)| {
        let named = names.clone().into_iter().zip(row).filter(|(_, text)| !text.is_empty());
        named.map(move |(key, text)| Field { key, text, record: at + 1 }).collect::<Vec<_>>()
    };
    Some(rows.into_iter().enumerate().flat_map(record).collect())
}

/// Whether a cell names a column: a word or two, and no sentence.
fn is_name(cell: &str) -> bool {
    let letters = cell.chars().any(char::is_alphabetic);
    letters
        && cell.len() <= MAX_NAME
        && cell.split_whitespace().count() <= 3
        && !cell.contains(['.', ':', '!', '?', '。', '@'])
}

/// The cells of a line, without their quotes.
fn cells(line: &str, separator: char) -> Vec<String> {
    let mut found = vec![String::new()];
    let (mut quoted, mut letters) = (false, line.chars().peekable());
    while let Some(letter) = letters.next() {
        let Some(cell) = found.last_mut() else { return found };
        match letter {
            '"' if quoted && letters.next_if_eq(&'"').is_some() => cell.push('"'),
            '"' if quoted || cell.trim().is_empty() => quoted = !quoted,
            letter if letter == separator && !quoted => found.push(String::new()),
            letter => cell.push(letter),
        }
    }
    found.iter().map(|cell| cell.trim().to_owned()).collect()
}

const MAX_HEAD: usize = 400;
const MAX_NAME: usize = 40;
const MAX_ROWS: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    // TRUST-1
    #[test]
    fn cells_are_fields_of_their_rows() {
        let found =
            table_cells("role,name,mail\nclerk,Jo,jo@x.example\n\"head, acting\",\"An \"\"A\"\" Lee\",al@x.example\n")
                .unwrap();
        let cell = |at: usize| (found[at].key.as_str(), found[at].text.as_str(), found[at].record);
        assert_eq!(cell(2), ("mail", "jo@x.example", 1));
        assert_eq!(cell(3), ("role", "head, acting", 2));
        assert_eq!(cell(4), ("name", "An \"A\" Lee", 2));
        for text in ["Dear Ann, thank you.\nBest, Bo", "a,b", "name,mail\nJo,a@b,c", "one\ntwo", ""] {
            assert_eq!(table_cells(text), None, "{text}");
        }
    }
}
