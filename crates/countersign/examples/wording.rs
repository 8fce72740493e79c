//! What is weighed in each row of standard input (JSON lines), one window a line: the input of `bench/wording/learn`.
//! The first argument says for which question: `orders`, `results`, `answers` or `claims`.

use serde_json::Value;
use std::io::{BufRead, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let what = std::env::args().nth(1).unwrap_or_default();
    let mut out = std::io::BufWriter::new(stdout().lock());
    for (row, line) in stdin().lock().lines().enumerate() {
        let read: Value = serde_json::from_str(&line?)?;
        for mut window in countersign::training::weighed(&what, &read) {
            if let Some(window) = window.as_object_mut() {
                window.insert("row".to_owned(), row.into());
            }
            writeln!(out, "{window}")?;
        }
    }
    out.flush()
}
