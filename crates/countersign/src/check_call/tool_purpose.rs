//! The telling words of a tool: what its name, its description and its schema say it is for. Read once for each tool.

use crate::contract::ToolSpec;
use crate::conversation::vocabulary::{Spoken, Topics, Vocabulary, key};
use crate::text::fold::fold;
use crate::text::words::identifier_words;
use std::sync::OnceLock;

/// The words of a tool.
#[derive(Debug)]
pub struct ToolPurpose {
    /// The words of its name.
    pub name: Vocabulary,
    /// The keys of its name's words, sorted, each once.
    pub name_keys: Vec<u64>,
    /// The words of its description.
    pub told: Vocabulary,
    /// The language of its description.
    pub spoken: Spoken,
    /// The fields of life that it belongs to.
    pub topics: Topics,
    /// Every word of its schema; read when somebody asks for them.
    schema: OnceLock<Vocabulary>,
}

impl ToolPurpose {
    /// Reads a tool.
    pub fn of(spec: &ToolSpec) -> Self {
        let words = identifier_words(&spec.name);
        let mut name = Vocabulary::default();
        words.iter().for_each(|word| name.add(word));
        let mut name_keys: Vec<u64> = words.iter().filter_map(|word| key(word)).collect();
        name_keys.sort_unstable();
        name_keys.dedup();
        let description = fold(&spec.description);
        let told = Vocabulary::of(&description);
        let topics = Topics::of(&name).with(&Topics::of(&told));
        Self { name, name_keys, told, spoken: Spoken::of(&description), topics, schema: OnceLock::new() }
    }

    /// The words of its schema: descriptions, values and the parts of its parameters' names.
    pub fn schema(&self, text: &str, parameters: &[String]) -> &Vocabulary {
        self.schema.get_or_init(|| {
            let mut words = Vocabulary::of(&fold(text));
            parameters.iter().flat_map(|name| identifier_words(name)).for_each(|word| words.add(&word));
            words
        })
    }

    /// The words of name and description, each once.
    pub fn all(&self) -> impl Iterator<Item = u64> {
        self.name.keys().chain(self.told.keys().filter(|key| !self.name.has(*key)))
    }
}
