//! The rows of a data file.

/// The lines of a file that are neither blank nor remarks, without the blanks around them.
pub(crate) fn rows(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|row| !row.is_empty() && !row.starts_with('#'))
}
