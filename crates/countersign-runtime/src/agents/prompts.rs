//! What agents are told: texts in files, in English and Chinese.

use countersign::contract::Language;

/// A text in two languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompts {
    /// In English.
    pub en: String,
    /// In Chinese.
    pub zh: String,
}

impl Prompts {
    /// One text for both.
    pub fn same(text: &str) -> Self {
        Self { en: text.to_owned(), zh: text.to_owned() }
    }

    /// The text for a conversation.
    pub fn of(&self, language: Language) -> &str {
        match language {
            Language::Chinese => &self.zh,
            _ => &self.en,
        }
    }

    /// The built-in role of assistants.
    pub fn assistant() -> Self {
        Self { en: ASSISTANT_EN.to_owned(), zh: ASSISTANT_ZH.to_owned() }
    }

    /// The built-in role of the orchestrator.
    pub fn orchestrator() -> Self {
        Self { en: ORCHESTRATOR_EN.to_owned(), zh: ORCHESTRATOR_ZH.to_owned() }
    }
}

/// How a concierge writes its tags.
pub const fn concierge(language: Language) -> &'static str {
    match language {
        Language::Chinese => include_str!("../../prompts/concierge.zh.md"),
        _ => include_str!("../../prompts/concierge.en.md"),
    }
}

/// How a plan is written.
pub const fn planner(language: Language) -> &'static str {
    match language {
        Language::Chinese => include_str!("../../prompts/planner.zh.md"),
        _ => include_str!("../../prompts/planner.en.md"),
    }
}

/// How an answer is made from evidence.
pub const fn solver(language: Language) -> &'static str {
    match language {
        Language::Chinese => include_str!("../../prompts/solver.zh.md"),
        _ => include_str!("../../prompts/solver.en.md"),
    }
}

const ASSISTANT_EN: &str = include_str!("../../prompts/assistant.en.md");
const ASSISTANT_ZH: &str = include_str!("../../prompts/assistant.zh.md");
const ORCHESTRATOR_EN: &str = include_str!("../../prompts/orchestrator.en.md");
const ORCHESTRATOR_ZH: &str = include_str!("../../prompts/orchestrator.zh.md");
