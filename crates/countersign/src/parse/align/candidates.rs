//! Which of the values in an answer was meant.
//!
//! What is in a fence goes before what is in prose, and that before what the model thought aloud. Among equals
//! the best fit wins, then the first. A list may also be all of them together. The text itself is a candidate for
//! whatever can be said in words.

use super::Aligned;
use super::blocks::{Blocks, blocks};
use super::fitted::{Fit, better};
use super::fitter::{Fitter, Held, Manner};
use super::shape::{Shape, Shapes};
use crate::parse::event::{ParseOptions, Span};
use crate::parse::json::{Document, Found};
use serde_json::Value;
use std::borrow::Cow;
use std::rc::Rc;

/// One value that may be the answer.
struct Candidate<'d> {
    value: Cow<'d, Value>,
    span: Span,
    complete: bool,
}

/// What a value is asked to be.
#[derive(Clone, Copy)]
struct Ask<'c> {
    shapes: &'c Shapes,
    blocks: &'c Blocks<'c>,
    options: &'c ParseOptions,
}

/// Picks the answer. A tier that has a value with something of the schema in it is better than an earlier one whose
/// value only could be taken for it.
pub(super) fn pick(text: &str, document: &Document, shapes: &Shapes, options: &ParseOptions) -> Aligned {
    if let (Shape::Any, Some(answer)) = (shapes.shape(0), &document.answer) {
        return Aligned { value: Some(answer.clone()), repairs: Vec::new(), complete: document.complete };
    }
    if let Some(value) = raw(text, document, shapes) {
        return Aligned { value: Some(value), repairs: Vec::new(), complete: true };
    }
    let tiers = tiers(text, document, shapes);
    let blocks = blocks(text, document);
    let ask = Ask { shapes, blocks: &blocks, options };
    let mut hollow = None;
    for tier in &tiers {
        match best(tier.iter(), ask, Manner::Answer) {
            Some((found, false)) => return found,
            Some((found, true)) => hollow = hollow.or(Some(found)),
            None => {}
        }
    }
    // What was cut may lack what had not come yet.
    let cut = |tier: &Vec<Candidate<'_>>| best(tier.iter().filter(|candidate| !candidate.complete), ask, Manner::Cut);
    let found = tiers.iter().find_map(cut).map(|(found, _)| found).or(hollow);
    found.unwrap_or_else(|| Aligned { value: None, repairs: Vec::new(), complete: document.complete })
}

/// The text itself, where a string is wanted.
fn raw(text: &str, document: &Document, shapes: &Shapes) -> Option<Value> {
    let text_only = match shapes.shape(0) {
        Shape::Text => true,
        Shape::Union(branches) => {
            branches.iter().all(|branch| matches!(shapes.shape(*branch), Shape::Text | Shape::Null))
        }
        _ => false,
    };
    if !text_only || (document.answer == Some(Value::Null) && shapes.takes_null(0)) {
        return None;
    }
    // Beside null a string is a value among others: its quotes are not part of it.
    match document.values.as_slice() {
        [Found { value: value @ Value::String(_), complete: true, .. }] if shapes.takes_null(0) => Some(value.clone()),
        _ => Some(Value::String(text.to_owned())),
    }
}

/// The candidates, those that are more likely meant first.
fn tiers<'d>(text: &'d str, document: &'d Document, shapes: &Shapes) -> Vec<Vec<Candidate<'d>>> {
    let whole = Span::new(text.len() - text.trim_start().len(), text.trim_end().len());
    // A scalar in the middle of a sentence is a word of it.
    let meant = |found: &&Found| {
        found.fenced
            || found.value.is_array()
            || found.value.is_object()
            || (found.span.start <= whole.start && found.span.end >= whole.end)
    };
    let values: Vec<&Found> = document.values.iter().filter(meant).collect();
    let of = |is: fn(&Found) -> bool| together(&values.iter().copied().filter(|found| is(found)).collect::<Vec<_>>());
    let fenced = of(|found| found.fenced && !found.reasoning);
    let plain = of(|found| !found.fenced && !found.reasoning);
    let thought = of(|found| found.reasoning);
    let said = vec![read_said(text, whole)];
    let structured = !shapes.reaches(0, |shape| !matches!(shape, Shape::Object(_) | Shape::List(_)));
    if structured { vec![fenced, plain, thought, said] } else { vec![fenced, plain, said, thought] }
}

/// The values one by one, then as one list.
fn together<'d>(values: &[&'d Found]) -> Vec<Candidate<'d>> {
    let one = |found: &&'d Found| Candidate {
        value: Cow::Borrowed(&found.value),
        span: found.span,
        complete: found.complete,
    };
    let mut candidates: Vec<Candidate<'d>> = values.iter().map(one).collect();
    if let [first, .., last] = values {
        candidates.push(Candidate {
            value: Cow::Owned(values.iter().map(|found| found.value.clone()).collect()),
            span: Span::new(first.span.start, last.span.end),
            complete: values.iter().all(|found| found.complete),
        });
    }
    candidates
}

/// The text, without what the model thought aloud before it.
fn read_said(text: &str, whole: Span) -> Candidate<'_> {
    let thought = ["</think>", "</thinking>", "</reasoning>"].iter();
    let after = thought.filter_map(|tag| text.rfind(tag).map(|at| at + tag.len())).max();
    let answer = after.and_then(|after| text.get(after..)).filter(|answer| !answer.trim().is_empty());
    Candidate { value: Cow::Owned(Value::String(answer.unwrap_or(text).to_owned())), span: whole, complete: true }
}

/// The best fit among candidates of the same rank, and whether it has nothing of the schema in it.
fn best<'c>(
    candidates: impl Iterator<Item = &'c Candidate<'c>>,
    ask: Ask<'c>,
    manner: Manner,
) -> Option<(Aligned, bool)> {
    let held =
        |candidate: &'c Candidate<'c>| (candidate, Held::new(&candidate.value, ask.options).with_blocks(ask.blocks));
    let held: Vec<(&Candidate<'_>, Held<'_>)> = candidates.map(held).collect();
    let mut best: Option<(&Candidate<'_>, Fitter<'_>, Rc<Fit<'_>>)> = None;
    for (candidate, held) in &held {
        let mut fitter = Fitter::new(ask.shapes, held, manner);
        let Some(fit) = fitter.fit(0, &candidate.value) else { continue };
        if best.as_ref().is_none_or(|(_, _, best)| better(&fit, best)) {
            best = Some((candidate, fitter, fit));
        }
    }
    let (candidate, fitter, fit) = best?;
    let (value, repairs) = fitter.write(&fit, candidate.span, ask.options);
    let hollow = fit.marks.defaulted || fit.marks.emptied || fit.marks.implied_text;
    Some((Aligned { value: Some(value), repairs, complete: candidate.complete }, hollow))
}
