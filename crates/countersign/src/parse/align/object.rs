//! Objects: keys matched to fields, what is missing, what is too much, and objects out of other things.

use super::fitted::{Fit, Marks, Mend, Node};
use super::fitter::{Fitter, Manner};
use super::kinds;
use super::scalar::Extent;
use super::shape::{Field, Id, Object, Rest, Shape};
use crate::text::fold::fold_name;
use serde_json::{Map, Value};
use std::rc::Rc;

/// The fields of an object as they are put together.
struct Parts<'a> {
    fields: Vec<(&'a str, Rc<Fit<'a>>)>,
    mends: Vec<Mend<'a>>,
    cost: f64,
    pristine: bool,
    misfit: bool,
    /// Whether the value need not be written again.
    unchanged: bool,
    /// Whether a field came from the value and not from a default.
    said: bool,
}

/// A key of the value and what it holds.
type Entry<'a> = (&'a str, &'a Value);

impl<'a> Fitter<'a> {
    /// Fits a value to an object.
    pub(super) fn object(&mut self, id: Id, object: &'a Object, value: &'a Value) -> Option<Fit<'a>> {
        if !value.is_object() && !object.typed {
            return Some(self.anything(value));
        }
        match value {
            Value::Object(fields) => {
                self.fields(object, fields, value).or_else(|| self.inner_object(id, fields, value))
            }
            Value::String(_) if self.decoded(value).is_some() => {
                let held = self.decoded(value)?;
                let inner = self.fit(id, held)?;
                Some(Fit::instead(inner, value, &kinds::DECODED, 2.0))
            }
            Value::Array(items) if self.manner == Manner::Arguments => {
                let [only] = items.as_slice() else { return None };
                let fit = only.is_object().then(|| self.fit(id, only)).flatten()?;
                Some(Fit::instead(fit, value, &kinds::ONE_OF_LIST, 1.0))
            }
            Value::Array(items) => {
                let best = self.best_of(id, items.iter().filter(|item| item.is_object()));
                let best = best.map(|best| Fit::instead(best, value, &kinds::ONE_OF_LIST, 1.0));
                let implied = self.fit_implied(object, value);
                match (best, implied) {
                    (Some(best), Some(implied)) => Some(if best.cost < implied.cost { best } else { implied }),
                    (best, implied) => best.or(implied),
                }
            }
            _ => self.fit_implied(object, value),
        }
    }

    /// The value for the only field of an object.
    fn fit_implied(&mut self, object: &'a Object, value: &'a Value) -> Option<Fit<'a>> {
        let [field] = object.fields.as_slice() else { return None };
        let text = matches!(self.shapes.shape(field.shape), Shape::Text);
        // An empty list says nothing that a text could be.
        let says_nothing = text && value.as_array().is_some_and(Vec::is_empty);
        if self.manner == Manner::Arguments || says_nothing {
            return None;
        }
        let inner = self.fit(field.shape, value)?;
        let marks = Marks { composite: true, implied_text: text, ..Marks::default() };
        let (cost, misfit) = (10.0 * (inner.cost + 2.0), inner.misfit);
        let mends = vec![Mend::of(&kinds::IMPLIED_KEY, value)];
        Some(Fit { node: Node::Object(vec![(&field.name, inner)]), cost, pristine: false, misfit, marks, mends })
    }

    /// The object under another object's only key.
    fn inner_object(&mut self, id: Id, fields: &'a Map<String, Value>, value: &'a Value) -> Option<Fit<'a>> {
        if self.manner != Manner::Answer || fields.len() != 1 {
            return None;
        }
        let inner = fields.values().next().filter(|inner| inner.is_object())?;
        let fit = self.fit(id, inner)?;
        Some(Fit::instead(fit, value, &kinds::UNWRAPPED, 5.0))
    }

    /// The fields of an object, matched, fitted and filled.
    fn fields(&mut self, object: &'a Object, fields: &'a Map<String, Value>, value: &'a Value) -> Option<Fit<'a>> {
        let (matched, extra) = match_key(object, fields, self.manner);
        let none = matched.iter().all(Option::is_none);
        if none
            && !extra.is_empty()
            && matches!(object.rest, Rest::Unsaid | Rest::Closed)
            && object.fields.iter().all(|field| field.required)
            && let Some(implied) = self.fit_implied(object, value)
        {
            return Some(implied);
        }
        let mut parts = Parts {
            fields: Vec::new(),
            mends: Vec::new(),
            cost: 0.0,
            pristine: true,
            misfit: false,
            unchanged: true,
            said: false,
        };
        for (field, entry) in object.fields.iter().zip(&matched) {
            match entry {
                Some(entry) => self.present(field, *entry, value, &mut parts)?,
                None => self.absent(field, value, &mut parts)?,
            }
        }
        for (key, inner) in extra {
            let name = self.allowed_key(object, key).filter(|name| !fields.contains_key(*name));
            if name.is_some() {
                parts.mend(Mend::key(&kinds::KEY, key), 0.1);
            }
            self.extra(object, (name.unwrap_or(key), inner), &mut parts);
        }
        let map = object.fields.is_empty() && self.manner != Manner::Arguments;
        let cost = parts.cost + if map { 1.0 } else { 0.0 };
        let defaulted = !parts.said && !object.fields.is_empty();
        let marks = Marks { composite: true, defaulted, ..Marks::default() };
        let node = if parts.unchanged { Node::Same(value) } else { Node::Object(parts.fields) };
        Some(Fit { node, cost, pristine: parts.pristine, misfit: parts.misfit, marks, mends: parts.mends })
    }

    /// A field that is there.
    fn present(
        &mut self,
        field: &'a Field,
        (key, inner): Entry<'a>,
        whole: &'a Value,
        parts: &mut Parts<'a>,
    ) -> Option<()> {
        if key != field.name {
            parts.mend(Mend::key(&kinds::KEY, key), 0.1);
        }
        match self.part(field.shape, inner) {
            Some(fit) => {
                parts.said = true;
                parts.take(&field.name, fit);
            }
            None => {
                parts.mend(Mend::of(&kinds::DROPPED, inner), 20.0);
                match self.fallback(field.shape) {
                    Some(empty) => parts.fill(&field.name, empty, whole),
                    None if self.manner == Manner::Cut => parts.fill(&field.name, Value::Null, whole),
                    None if field.required => return None,
                    None => {}
                }
            }
        }
        Some(())
    }

    /// A field that is not there: its default, null, an empty container, nothing, or the end of this shape.
    fn absent(&mut self, field: &'a Field, whole: &'a Value, parts: &mut Parts<'a>) -> Option<()> {
        if self.manner == Manner::Arguments {
            parts.misfit |= field.required;
            parts.pristine &= !field.required;
            return Some(());
        }
        if let Some(default) = &field.default {
            parts.mend(Mend::key(&kinds::DEFAULT, &field.name), 10.0);
            parts.fill(&field.name, default.clone(), whole);
        } else if self.shapes.takes_null(field.shape) {
            // Absent and null say the same here, so that nothing is mended.
            parts.cost += 10.0;
            parts.fill(&field.name, Value::Null, whole);
        } else if field.required {
            let (kind, empty) = match (self.fallback(field.shape), self.manner) {
                (Some(empty), _) => (&kinds::DEFAULT, empty),
                (None, Manner::Cut) => (&kinds::MISSING, Value::Null),
                (None, _) => return None,
            };
            parts.mend(Mend::key(kind, &field.name), 1000.0);
            parts.fill(&field.name, empty, whole);
        }
        Some(())
    }

    /// A key that the schema does not name.
    fn extra(&mut self, object: &'a Object, (key, inner): Entry<'a>, parts: &mut Parts<'a>) {
        let keep = self.manner == Manner::Arguments;
        let known = object.keys.is_none_or(|keys| self.names_key(keys, key));
        let fit = match object.rest {
            Rest::Of(shape) if known => self.part(shape, inner),
            Rest::Open if known => Some(Rc::new(Fit::same(inner))),
            Rest::Unsaid if known && keep => Some(Rc::new(Fit::same(inner))),
            _ if keep => Some(Rc::new(Fit::misfit(inner))),
            _ => None,
        };
        match fit {
            Some(fit) => {
                parts.said = true;
                let cost = parts.cost;
                parts.take(key, fit);
                // A map is weighed by itself and not by what it holds, once something in it fits.
                parts.cost = if object.fields.is_empty() && !keep { cost } else { parts.cost };
            }
            None => {
                let named = matches!(object.rest, Rest::Unsaid | Rest::Closed);
                let kind = if named { &kinds::EXTRA_KEY } else { &kinds::DROPPED };
                parts.mend(Mend::key(kind, key), 1.0);
            }
        }
    }

    /// The key that the schema of the keys allows and that this one means, where it is written otherwise.
    fn allowed_key(&self, object: &'a Object, key: &str) -> Option<&'a str> {
        let Shape::Choice(choice) = self.shapes.shape(object.keys?) else { return None };
        let (name, extent) = choice.read(key)?;
        let whole = extent == Extent::Whole && self.manner != Manner::Arguments;
        name.as_str().filter(|name| whole && *name != key)
    }

    /// Whether a key is one that the schema of the keys allows.
    fn names_key(&self, keys: Id, key: &str) -> bool {
        let shapes = self.shapes;
        shapes.reaches(keys, |shape| match shape {
            Shape::Choice(choice) => choice.read(key).is_some(),
            Shape::Never => false,
            _ => true,
        })
    }

    /// What stands for a value that is not there or cannot be read.
    fn fallback(&self, id: Id) -> Option<Value> {
        let shapes = self.shapes;
        if shapes.takes_null(id) {
            return Some(Value::Null);
        }
        if shapes.reaches(id, |shape| matches!(shape, Shape::List(_))) {
            return Some(Value::Array(Vec::new()));
        }
        let map = shapes.reaches(id, |shape| matches!(shape, Shape::Object(object) if object.fields.is_empty()));
        map.then(|| Value::Object(Map::new()))
    }
}

impl<'a> Parts<'a> {
    fn take(&mut self, name: &'a str, fit: Rc<Fit<'a>>) {
        self.cost += 10.0 * fit.cost;
        self.pristine &= fit.pristine;
        self.misfit |= fit.misfit;
        self.unchanged &= fit.is_unchanged();
        self.fields.push((name, fit));
    }

    fn mend(&mut self, mend: Mend<'a>, cost: f64) {
        self.mends.push(mend);
        self.cost += cost;
        self.pristine = false;
        self.unchanged = false;
    }

    /// Puts in what the value does not say.
    fn fill(&mut self, name: &'a str, filling: Value, whole: &'a Value) {
        self.unchanged = false;
        let fit = Fit { node: Node::Made(filling), mends: Vec::new(), ..Fit::same(whole) };
        self.fields.push((name, Rc::new(fit)));
    }
}

/// The keys that belong to fields, and the others. A key as the schema writes it goes before one that only folds alike.
/// In a call, a key is renamed only where the call is wrong without it.
fn match_key<'a>(
    object: &Object,
    fields: &'a Map<String, Value>,
    manner: Manner,
) -> (Vec<Option<Entry<'a>>>, Vec<Entry<'a>>) {
    let mut matched: Vec<Option<Entry<'a>>> = vec![None; object.fields.len()];
    let named = |key: &str| object.fields.get(*object.by_name.get(key)?).filter(|field| field.name == key);
    for (key, value) in fields {
        if named(key).is_some() {
            let slot = object.by_name.get(key.as_str()).and_then(|index| matched.get_mut(*index));
            slot.into_iter().for_each(|slot| *slot = Some((key.as_str(), value)));
        }
    }
    let mut extra = Vec::new();
    for (key, value) in fields.iter().filter(|(key, _)| named(key).is_none()) {
        let index = object.by_name.get(key.trim()).copied();
        let index = index.or_else(|| object.by_folded.get(&fold_name(key)).copied().flatten());
        let wanted = |index: &usize| {
            let required = object.fields.get(*index).is_some_and(|field| field.required);
            manner != Manner::Arguments || required || object.rest == Rest::Closed
        };
        match index.filter(wanted).and_then(|index| matched.get_mut(index)) {
            Some(slot @ None) => *slot = Some((key, value)),
            _ => extra.push((key.as_str(), value)),
        }
    }
    (matched, extra)
}
