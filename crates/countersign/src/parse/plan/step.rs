//! What a plan is: its steps, and what was wrong with it.

use serde::Serialize;
use serde_json::{Map, Value};

/// A plan as it was understood.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct PlanRead {
    /// The steps, in the order in which they were written. None of them waits for itself.
    pub steps: Vec<PlanStep>,
    /// What could not be used, and what else is worth a look.
    pub troubles: Vec<PlanTrouble>,
}

impl PlanRead {
    /// Tells of a trouble.
    pub(super) fn trouble(&mut self, code: Trouble, step: Option<&str>, at: usize, note: impl Into<String>) {
        self.troubles.push(PlanTrouble { code, step: step.map(str::to_owned), at, note: note.into() });
    }
}

/// One step.
#[derive(Default, Debug, Clone, PartialEq, Serialize)]
pub struct PlanStep {
    /// Its id, such as `#E1`.
    pub id: String,
    /// Why it is needed; empty where the model did not say.
    pub description: String,
    /// The tool; `LLM` for a step that asks the model itself. It need not be a known one.
    pub tool: String,
    /// Its arguments, with the references in them.
    pub arguments: Map<String, Value>,
    /// The steps of this plan that it waits for.
    pub depends_on: Vec<String>,
    /// References that no step of this plan answers. Such a step has nothing to run with.
    #[serde(skip)]
    pub missing: Vec<String>,
    /// Whether the end of its input was not seen: it must not run where it cannot be undone.
    #[serde(skip)]
    pub unclosed: bool,
}

/// Something that is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanTrouble {
    /// What kind of trouble.
    pub code: Trouble,
    /// The step, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Where, as a byte offset.
    pub at: usize,
    /// What it is, in one sentence.
    pub note: String,
}

/// Kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Trouble {
    /// The text holds no plan.
    NoPlan,
    /// A step names a tool that nobody knows. It stays in the plan.
    UnknownTool,
    /// A step needs a result that no step gives. It stays in the plan, with the reference among its `missing`.
    UnknownReference,
    /// A step with the id of an earlier one was left out.
    DuplicateId,
    /// A step that needs its own result was left out.
    SelfReference,
    /// A step that waits for itself through others was left out.
    Cycle,
    /// A step whose input could not be read without guessing was left out.
    UnreadableInput,
    /// A step's input has no end. It stays in the plan, marked `unclosed`.
    Unclosed,
    /// A step has input for a tool that takes none. The input was left out.
    UnusedInput,
    /// There were more steps than a plan may have; the rest were left out.
    TooManySteps,
}

impl Trouble {
    /// The code as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoPlan => "no_plan",
            Self::UnknownTool => "unknown_tool",
            Self::UnknownReference => "unknown_reference",
            Self::DuplicateId => "duplicate_id",
            Self::SelfReference => "self_reference",
            Self::Cycle => "cycle",
            Self::UnreadableInput => "unreadable_input",
            Self::Unclosed => "unclosed",
            Self::UnusedInput => "unused_input",
            Self::TooManySteps => "too_many_steps",
        }
    }
}
