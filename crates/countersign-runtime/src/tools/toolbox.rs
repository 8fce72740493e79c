//! The tools that an agent has: what the sources offer right now, as far as the agent may use it.

use super::tool::Tool;
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Where tools come from.
#[async_trait]
pub trait ToolSource: Send + Sync {
    /// The tools it offers now. A source that cannot be asked offers what it offered last, and says why in the log; this
    /// never takes long.
    async fn tools(&self) -> Vec<Arc<Tool>>;
}

/// The tools of an agent, by name.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: BTreeMap<String, Arc<Tool>>,
}

impl Toolbox {
    /// The tools of some sources whose names fit one of the patterns. Where two have one name, the first stays.
    pub async fn gather(sources: &[Arc<dyn ToolSource>], patterns: &[String]) -> Self {
        let offered = futures_util::future::join_all(sources.iter().map(|source| source.tools())).await;
        let mut tools = BTreeMap::new();
        for tool in offered.into_iter().flatten() {
            if patterns.iter().any(|pattern| matches(pattern, &tool.name)) {
                tools.entry(tool.name.clone()).or_insert(tool);
            }
        }
        Self { tools }
    }

    /// Takes one out.
    pub fn remove(&mut self, name: &str) {
        self.tools.remove(name);
    }

    /// One of them.
    pub fn find(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.get(name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.values()
    }
}

/// Whether a name fits a pattern, where `*` stands for anything.
pub fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, fits) in [
            ("*", "anything", true),
            ("read_*", "read_file", true),
            ("read_*", "write_file", false),
            ("*file", "read_file", true),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abde", false),
            ("a", "a", true),
            ("a", "ab", false),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
