//! Names: patterns in which `*` stands for anything, and the nearest of some known ones.

/// A pattern such as `delete_*` or `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// A pattern from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether a name matches. Linear in the name for each `*`.
    pub fn matches(&self, name: &str) -> bool {
        let mut parts = self.0.split('*');
        let Some(first) = parts.next() else { return false };
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        if !self.0.contains('*') {
            return rest.is_empty();
        }
        let mut parts = parts.peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return rest.ends_with(part);
            }
            match rest.find(part) {
                Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
                None => return false,
            }
        }
        true
    }

    /// The text of the pattern.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The nearest of some names, where one is near enough to be meant.
pub fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let best =
        names.iter().map(|known| (strsim::jaro_winkler(name, known), *known)).max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 > 0.8).then_some(best.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        let matches = |pattern: &str, name: &str| Pattern::new(pattern).matches(name);
        assert!(matches("*", "anything") && matches("delete_*", "delete_file") && matches("*_file", "delete_file"));
        assert!(matches("a*c*e", "abcde") && matches("exact", "exact") && matches("a*", "a"));
        assert!(!matches("exact", "exactly") && !matches("a*c", "abd") && !matches("a*a", "a") && !matches("", "x"));
    }
}
