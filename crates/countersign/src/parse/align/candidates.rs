//! Which of the values in an answer was meant.
//!
//! What stands in a fence goes before what stands in prose, and that before what the model thought aloud. Among equals
//! the best fit wins, then the first. A list may also be all of them together. The text itself is a candidate for
//! whatever can be said in words.

use super::Aligned;
use super::fitted::{Fit, better};
use super::fitter::{Fitter, Held, Manner};
use super::shape::{Shape, Shapes};
use crate::parse::event::{ParseOptions, Span};
use crate::parse::json::{Document, Found};
use serde_json::Value;
use std::rc::Rc;

/// One value that may be the answer.
struct Candidate {
    value: Value,
    span: Span,
    complete: bool,
}

/// Picks the answer.
pub fn pick(text: &str, document: &Document, shapes: &Shapes, options: &ParseOptions) -> Aligned {
    if let Some(value) = raw(text, document, shapes) {
        return Aligned { value: Some(value), repairs: Vec::new(), complete: document.complete };
    }
    for tier in tiers(text, document, shapes) {
        if let Some(aligned) = best(&tier, shapes, options, Manner::Answer) {
            return aligned;
        }
    }
    // What was cut may lack what had not come yet.
    for mut tier in tiers(text, document, shapes) {
        tier.retain(|candidate| !candidate.complete);
        if let Some(aligned) = best(&tier, shapes, options, Manner::Cut) {
            return aligned;
        }
    }
    Aligned { value: None, repairs: Vec::new(), complete: document.complete }
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
    Some(Value::String(text.to_owned()))
}

/// The candidates, those that are more likely meant first.
fn tiers(text: &str, document: &Document, shapes: &Shapes) -> Vec<Vec<Candidate>> {
    let whole = Span::new(text.len() - text.trim_start().len(), text.trim_end().len());
    // A scalar in the middle of a sentence is a word of it.
    let meant = |found: &&Found| {
        found.fenced
            || found.value.is_array()
            || found.value.is_object()
            || (found.span.start <= whole.start && found.span.end >= whole.end)
    };
    let values: Vec<&Found> = document.values.iter().filter(meant).collect();
    let of = |is: fn(&Found) -> bool| together(values.iter().copied().filter(|found| is(found)).collect());
    let fenced = of(|found| found.fenced && !found.reasoning);
    let plain = of(|found| !found.fenced && !found.reasoning);
    let thought = of(|found| found.reasoning);
    let said = vec![said(text, whole)];
    let structured = !shapes.reaches(0, |shape| !matches!(shape, Shape::Object(_) | Shape::List(_)));
    if structured { vec![fenced, plain, thought, said] } else { vec![fenced, plain, said, thought] }
}

/// The values one by one, then as one list.
fn together(values: Vec<&Found>) -> Vec<Candidate> {
    let one = |found: &&Found| Candidate { value: found.value.clone(), span: found.span, complete: found.complete };
    let mut candidates: Vec<Candidate> = values.iter().map(one).collect();
    if let ([first, .., last], true) = (values.as_slice(), values.len() > 1) {
        candidates.push(Candidate {
            value: Value::Array(values.iter().map(|found| found.value.clone()).collect()),
            span: Span::new(first.span.start, last.span.end),
            complete: values.iter().all(|found| found.complete),
        });
    }
    candidates
}

/// The text, without what the model thought aloud before it.
fn said(text: &str, whole: Span) -> Candidate {
    let thought = ["</think>", "</thinking>", "</reasoning>"].iter();
    let after = thought.filter_map(|tag| text.rfind(tag).map(|at| at + tag.len())).max();
    let answer = after.and_then(|after| text.get(after..)).filter(|answer| !answer.trim().is_empty());
    Candidate { value: Value::String(answer.unwrap_or(text).to_owned()), span: whole, complete: true }
}

fn best(tier: &[Candidate], shapes: &Shapes, options: &ParseOptions, manner: Manner) -> Option<Aligned> {
    let held: Vec<Held> = tier.iter().map(|candidate| Held::new(&candidate.value, options)).collect();
    let mut best: Option<(&Candidate, Fitter<'_>, Rc<Fit<'_>>)> = None;
    for (candidate, held) in tier.iter().zip(&held) {
        let mut fitter = Fitter::new(shapes, held, manner);
        let Some(fit) = fitter.fit(0, &candidate.value) else { continue };
        if best.as_ref().is_none_or(|(_, _, best)| better(&fit, best)) {
            best = Some((candidate, fitter, fit));
        }
    }
    let (candidate, fitter, fit) = best?;
    let (value, repairs) = fitter.write(&fit, candidate.span, options);
    Some(Aligned { value: Some(value), repairs, complete: candidate.complete })
}
