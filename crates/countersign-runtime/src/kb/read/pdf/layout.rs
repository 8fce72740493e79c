//! Where text is shown, and which blanks and lines follow from that.
//!
//! A PDF says where glyphs go, not where words and lines end. A step down is a new line, a large one a new paragraph; a
//! gap on the same line is a blank, unless it is between Chinese characters.

use countersign::contract::language::is_han;

/// A matrix as PDF writes it: `[a b c d e f]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix(pub(super) [f32; 6]);

impl Matrix {
    pub(super) const ONE: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// First this one, then the other.
    pub(super) fn then(self, Self(n): Self) -> Self {
        let Self([a, b, c, d, e, f]) = self;
        let [na, nb, nc, nd, ne, nf] = n;
        Self([
            a * na + b * nc,
            a * nb + b * nd,
            c * na + d * nc,
            c * nb + d * nd,
            e * na + f * nc + ne,
            e * nb + f * nd + nf,
        ])
    }

    pub(super) fn shift(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    fn place(self) -> (f32, f32) {
        (self.0[4], self.0[5])
    }

    /// How much larger things become.
    pub(super) fn scale(self) -> f32 {
        (self.0[0].powi(2) + self.0[1].powi(2)).sqrt()
    }
}

/// The text of a page as it grows.
#[derive(Debug, Default)]
pub(super) struct Layout {
    text: String,
    /// Where the last text ended, and how large it was.
    last: Option<(f32, f32, f32)>,
}

impl Layout {
    /// Shows a text at a place, `width` wide and `size` high.
    pub(super) fn show(&mut self, shown: &str, at: Matrix, width: f32, size: f32) {
        if shown.is_empty() {
            return;
        }
        let (x, y) = at.place();
        if let Some((end, line, height)) = self.last {
            let height = height.max(size).max(0.1);
            let down = (line - y).abs();
            if down > height * 1.9 {
                self.line("\n\n", shown);
            } else if down > height * 0.45 {
                self.line("\n", shown);
            } else if x - end > height * 0.18 || end - x > height * 4.0 {
                self.blank(shown);
            }
        }
        self.text.push_str(shown);
        self.last = Some((x + width, y, size));
    }

    /// A gap on the same line.
    fn blank(&mut self, next: &str) {
        let before = self.text.chars().next_back();
        let chinese = before.is_some_and(wide) && next.chars().next().is_none_or(wide);
        if !chinese && before.is_some_and(|c| !c.is_whitespace()) && !next.starts_with(char::is_whitespace) {
            self.text.push(' ');
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Ends a line. A word that was hyphenated at its end becomes whole again.
    fn line(&mut self, gap: &str, next: &str) {
        let hyphened = self.text.ends_with('-') && self.text.trim_end_matches('-').ends_with(char::is_alphabetic);
        if gap == "\n" && hyphened && next.starts_with(char::is_lowercase) {
            self.text.pop();
        } else {
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str(gap);
        }
    }
}

fn wide(c: char) -> bool {
    is_han(c) || matches!(c, '，' | '。' | '；' | '：' | '、' | '（' | '）' | '！' | '？' | '“' | '”')
}
