//! Plans as models write them: steps that name a tool, its input, and the results of other steps (`#E1`).
//!
//! A plan is read in its classic form (`Plan: why`, `#E1 = tool[input]`) and as JSON, with what models do to both:
//! numbering, fences, full-width signs, missing lines, broken JSON. Reading never fails and takes linear time. What could
//! not be used is a trouble with its place, and nothing is guessed: of two steps with one id the second is left out, and
//! steps that wait for each other are left out together. Nothing is run here, and no result is ever read as a reference.

/// What a plan is.
mod step;
/// `#E1` in a text.
mod reference;
/// A step as it was written.
mod draft;
/// Where a line of a plan really begins.
mod line;
/// What is in the brackets of a step.
mod body;
/// `Plan: why` and `#E1 = tool[input]`.
mod classic;
/// Plans that are JSON.
mod listed;
/// From bare input to arguments.
mod arguments;
/// Which steps wait for which.
mod order;
/// Results in the place of references.
mod filling;

use super::event::ParseOptions;
use super::formats::KnownTools;
use draft::Draft;

pub use filling::fill;
pub use reference::{Citation, citations};
pub use step::{PlanRead, PlanStep, PlanTrouble, Trouble};

/// Reads a plan. Tools are known by their names, also slightly misspelt ones, and a bare input goes to the parameter that
/// their schema asks for.
pub fn plan(text: &str, tools: &KnownTools) -> PlanRead {
    let options = ParseOptions::default();
    let spoken = classic::behind_reasoning(text);
    let mut read = PlanRead::default();
    let drafts = drafts_of(text, spoken, tools, &options, &mut read.troubles);
    match drafts {
        Some(drafts) => order::settle(drafts, tools, &options, &mut read),
        None => read.trouble(Trouble::NoPlan, None, 0, "the text holds no plan: write lines such as #E1 = tool[input]"),
    }
    read
}

/// The steps as they were written; none where there is no plan, which is something else than an empty one.
fn drafts_of(
    text: &str,
    spoken: usize,
    tools: &KnownTools,
    options: &ParseOptions,
    troubles: &mut Vec<PlanTrouble>,
) -> Option<Vec<Draft>> {
    let listed = || listed::drafts(text, options);
    if line::unfenced(text.get(spoken..).unwrap_or_default()).starts_with(['{', '[', '［', '｛'])
        && let Some(drafts) = listed()
    {
        return Some(drafts);
    }
    let written = classic::drafts(text, spoken, tools, options, troubles);
    if !written.is_empty() {
        return Some(written);
    }
    listed().or_else(|| classic::says_none(text, spoken).then(Vec::new))
}

/// The most steps of a plan. What is more is left out, with a trouble.
const MOST_STEPS: usize = 32;
