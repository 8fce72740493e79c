//! Which steps wait for which: ids, references, and what cannot be carried out.

use super::MOST_STEPS;
use super::arguments::{self, Given};
use super::draft::Draft;
use super::reference::{id, references};
use super::step::{PlanRead, PlanStep, Trouble};
use crate::parse::event::ParseOptions;
use crate::parse::formats::KnownTools;
use serde_json::{Map, Value};

/// A step with the numbers that it waits for.
struct Waiting {
    number: u32,
    at: usize,
    step: PlanStep,
    needs: Vec<u32>,
}

/// Makes the plan of what was written.
pub(super) fn settle(drafts: Vec<Draft>, tools: &KnownTools, options: &ParseOptions, read: &mut PlanRead) {
    let drafts = number_drafts(drafts, read);
    let numbers: Vec<u32> = drafts.iter().map(|(number, _)| *number).collect();
    let mut waiting = Vec::new();
    for (number, draft) in drafts {
        let after = draft.after.clone();
        let Some((at, step)) = step(number, draft, tools, options, read) else { continue };
        let mut needs = find_needed(&step.arguments, &numbers);
        after.into_iter().for_each(|number| add(&mut needs, number));
        waiting.push(Waiting { number, at, step, needs });
    }
    let waiting = without_cycles(waiting, read);
    let known: Vec<u32> = waiting.iter().map(|step| step.number).collect();
    for Waiting { at, mut step, needs, .. } in waiting {
        let (there, gone): (Vec<u32>, Vec<u32>) = needs.into_iter().partition(|number| known.contains(number));
        step.depends_on = there.into_iter().map(id).collect();
        step.missing = gone.into_iter().map(id).collect();
        for missing in &step.missing {
            let note = format!("{} needs {missing}, and no step of this plan gives it", step.id);
            read.trouble(Trouble::UnknownReference, Some(&step.id), at, note);
        }
        read.steps.push(step);
    }
}

/// Every step with its number: the one it was given, else the first free one from its place on. Of two with one number
/// the second is left out.
fn number_drafts(drafts: Vec<Draft>, read: &mut PlanRead) -> Vec<(u32, Draft)> {
    let mut taken: Vec<u32> = drafts.iter().filter_map(|draft| draft.number).collect();
    let mut found: Vec<(u32, Draft)> = Vec::new();
    for (place, draft) in (1..).zip(drafts) {
        if found.len() == MOST_STEPS {
            let note = format!("a plan has at most {MOST_STEPS} steps; what follows was left out");
            read.trouble(Trouble::TooManySteps, None, draft.at, note);
            break;
        }
        let number = draft.number.unwrap_or_else(|| (place..).find(|free| !taken.contains(free)).unwrap_or(place));
        if found.iter().any(|(known, _)| *known == number) {
            let name = id(number);
            let note = format!("{name} was given twice; the second, for {}, was left out", draft.tool);
            read.trouble(Trouble::DuplicateId, Some(&name), draft.at, note);
            continue;
        }
        taken.push(number);
        found.push((number, draft));
    }
    found
}

/// One step, held against the tools; none where its input cannot be used.
fn step(
    number: u32,
    draft: Draft,
    tools: &KnownTools,
    options: &ParseOptions,
    read: &mut PlanRead,
) -> Option<(usize, PlanStep)> {
    let (name, at) = (id(number), draft.at);
    let (tool, schema) = tools.named(&draft.tool);
    let asks_model = schema.is_none() && tool.eq_ignore_ascii_case(MODEL);
    let tool = if asks_model { MODEL.to_owned() } else { tool };
    if schema.is_none() && !asks_model && tools.any() {
        read.trouble(Trouble::UnknownTool, Some(&name), at, format!("{name} names {tool}, which is no known tool"));
    }
    let given = match asks_model {
        true => arguments::of_model(draft.input),
        false => arguments::of_tool(draft.input, schema.unwrap_or(&Value::Null), options),
    };
    let arguments = match given {
        Given::Arguments(arguments) => arguments,
        Given::Unused => {
            let note = format!("{name} has input, and {tool} takes none; the input was left out");
            read.trouble(Trouble::UnusedInput, Some(&name), at, note);
            Map::new()
        }
        Given::Unreadable => {
            let note =
                format!("the input of {name} for {tool} could not be read without guessing; the step was left out");
            read.trouble(Trouble::UnreadableInput, Some(&name), at, note);
            return None;
        }
    };
    if draft.unclosed {
        read.trouble(Trouble::Unclosed, Some(&name), at, format!("the input of {name} has no closing bracket"));
    }
    let step = PlanStep {
        id: name,
        description: draft.description,
        tool,
        arguments,
        depends_on: Vec::new(),
        missing: Vec::new(),
        unclosed: draft.unclosed,
    };
    Some((at, step))
}

/// The numbers that arguments name, each once. Where a small letter was written, something else may be meant: it counts
/// only where there is such a step.
fn find_needed(arguments: &Map<String, Value>, numbers: &[u32]) -> Vec<u32> {
    let mut needs = Vec::new();
    let mut open: Vec<&Value> = arguments.values().rev().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                let meant = references(text).filter(|found| found.plain || numbers.contains(&found.number));
                meant.for_each(|found| add(&mut needs, found.number));
            }
            Value::Array(items) => open.extend(items.iter().rev()),
            Value::Object(object) => open.extend(object.values().rev()),
            _ => {}
        }
    }
    needs
}

fn add(needs: &mut Vec<u32>, number: u32) {
    if needs.len() < MOST_NEEDS && !needs.contains(&number) {
        needs.push(number);
    }
}

/// The steps without those that wait for themselves.
fn without_cycles(steps: Vec<Waiting>, read: &mut PlanRead) -> Vec<Waiting> {
    let reach = reach(&steps);
    let mut kept = Vec::new();
    for (place, step) in steps.into_iter().enumerate() {
        let own = &step.step.id;
        if step.needs.contains(&step.number) {
            let note = format!("{own} needs its own result; it was left out");
            read.trouble(Trouble::SelfReference, Some(own), step.at, note);
        } else if reach.get(place).is_some_and(|reached| reached & (1 << place) != 0) {
            let note = format!("{own} waits for itself through {}; it was left out", list_numbers(&step.needs));
            read.trouble(Trouble::Cycle, Some(own), step.at, note);
        } else {
            kept.push(step);
        }
    }
    kept
}

fn list_numbers(numbers: &[u32]) -> String {
    numbers.iter().map(|number| id(*number)).collect::<Vec<_>>().join(", ")
}

/// For each step the steps that it waits for in the end, as bits by place.
fn reach(steps: &[Waiting]) -> Vec<u64> {
    let place = |number: &u32| steps.iter().position(|step| step.number == *number);
    let bits = |step: &Waiting| step.needs.iter().filter_map(place).fold(0_u64, |bits, place| bits | 1 << place);
    let mut reach: Vec<u64> = steps.iter().map(bits).collect();
    for middle in 0..steps.len() {
        let further = reach.get(middle).copied().unwrap_or_default();
        for bits in &mut reach {
            if *bits & (1 << middle) != 0 {
                *bits |= further;
            }
        }
    }
    reach
}

/// The tool of a step that asks the model itself.
const MODEL: &str = "LLM";
/// References of one step that are followed.
const MOST_NEEDS: usize = 64;
