//! Text that was streamed to the screen, and whether it can still be drawn again.

use super::super::canvas::{Canvas, columns, safe_lines};
use std::io::{self, Write};

/// The text of one message, as far as it was streamed.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    message: String,
    text: String,
    /// Whether the cursor still comes after it.
    open: bool,
    /// Whether something else was written in the middle of it.
    broken: bool,
}

impl Streamed {
    /// Begins a message.
    pub(super) fn begin(&mut self, message: &str) {
        *self = Self { message: message.to_owned(), text: String::new(), open: true, broken: false };
    }

    /// Adds what was written.
    pub(super) fn add(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.broken |= !self.open;
        self.open = true;
        self.text.push_str(text);
    }

    /// Whether the cursor still comes after it.
    pub(super) fn is_open(&self) -> bool {
        self.open && !self.text.is_empty()
    }

    /// Whether it is this message.
    pub(super) fn is_of(&self, message: &str) -> bool {
        !self.message.is_empty() && self.message == message
    }

    /// Whether a whole text begins as the streamed one.
    pub(super) fn fits(&self, whole: &str) -> bool {
        whole.starts_with(&self.text)
    }

    /// What of a whole text was not streamed.
    pub(super) fn rest_of<'t>(&self, whole: &'t str) -> &'t str {
        whole.strip_prefix(&self.text).unwrap_or_default()
    }

    /// Ends the line that the text is on.
    pub(super) fn end_line(&mut self, out: &mut impl Write) -> io::Result<()> {
        if !self.open {
            return Ok(());
        }
        self.open = false;
        if self.text.is_empty() || self.text.ends_with('\n') {
            return Ok(());
        }
        out.write_all(b"\n")?;
        out.flush()
    }

    /// Whether all of it is still on the screen.
    pub(super) fn can_be_drawn_again(&self, canvas: &Canvas) -> bool {
        let whole = self.open && !self.broken;
        whole && canvas.has_colours() && size().is_some_and(|(width, height)| self.rows(width) < height)
    }

    /// Takes it off the screen.
    pub(super) fn wipe(&mut self, out: &mut impl Write) -> io::Result<()> {
        let Some((width, _)) = size() else { return Ok(()) };
        let up = self.rows(width).saturating_sub(1);
        let climb = if up > 0 { format!("\x1b[{up}A") } else { String::new() };
        out.write_all(format!("\r{climb}\x1b[0J").as_bytes())
    }

    /// How many rows it takes.
    fn rows(&self, width: usize) -> usize {
        let width = width.max(1);
        let shown = safe_lines(&self.text);
        // A tab may take eight columns: better one row too many, and then it is not drawn again.
        shown.split('\n').map(|line| columns(&line.replace('\t', "        ")).div_ceil(width).max(1)).sum()
    }
}

/// The columns and rows of the terminal.
#[cfg(unix)]
fn size() -> Option<(usize, usize)> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    Some((usize::from(size.ws_col), usize::from(size.ws_row))).filter(|(width, height)| *width > 0 && *height > 0)
}

#[cfg(not(unix))]
fn size() -> Option<(usize, usize)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_as_a_terminal_breaks_them() {
        let mut streamed = Streamed::default();
        streamed.begin("m");
        for (text, rows) in [("abc", 1), ("\n", 2), ("天气预报天气", 3), ("\n\n", 5)] {
            streamed.add(text);
            assert_eq!(streamed.rows(10), rows, "{:?}", streamed.text);
        }
        streamed.end_line(&mut Vec::new()).unwrap();
        streamed.add("");
        assert!(!streamed.broken && streamed.is_of("m") && !streamed.is_of("n"));
        assert!(streamed.fits("abc\n天气预报天气\n\nmore") && !streamed.fits("abd"));
        assert_eq!(streamed.rest_of("abc\n天气预报天气\n\nmore"), "more");
    }
}
