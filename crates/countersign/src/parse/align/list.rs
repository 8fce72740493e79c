//! Lists: item by item, or a list of one out of a single value.

use super::fitted::{Fit, Marks, Mend, Node};
use super::fitter::{Fitter, Manner};
use super::kinds;
use super::shape::{Id, List};
use serde_json::Value;
use std::rc::Rc;

impl<'a> Fitter<'a> {
    /// Fits a value to a list.
    pub(super) fn list(&mut self, id: Id, list: &List, value: &'a Value) -> Option<Fit<'a>> {
        match value {
            Value::Array(items) => Some(self.items(list, items, value)),
            _ if !list.typed => Some(self.anything(value)),
            Value::Null if self.manner != Manner::Arguments => {
                let marks = Marks { composite: true, list: true, emptied: true, ..Marks::default() };
                let empty = Fit::made(Value::Array(Vec::new()), value, &kinds::DEFAULT, 5.0);
                Some(Fit { marks, ..empty })
            }
            Value::Null => None,
            _ => {
                self.fit_held_list(id, value).or_else(|| self.wrap(list, value)).or_else(|| self.inner_list(id, value))
            }
        }
    }

    /// The items, each fitted. Those that do not fit are left out of an answer and kept in a call.
    fn items(&mut self, list: &List, items: &'a [Value], value: &'a Value) -> Fit<'a> {
        let (mut fits, mut mends) = (Vec::with_capacity(items.len()), Vec::new());
        let (mut cost, mut parts) = (0.0, 0.0);
        let (mut pristine, mut unchanged, mut misfit) = (true, true, false);
        for (index, item) in items.iter().enumerate() {
            let fit = match list.first.get(index).copied().or(list.items) {
                Some(shape) => self.part(shape, item),
                None => Some(Rc::new(Fit::same(item))),
            };
            match fit {
                Some(fit) => {
                    parts += fit.cost;
                    pristine &= fit.pristine;
                    misfit |= fit.misfit;
                    unchanged &= fit.is_unchanged();
                    fits.push(fit);
                }
                None => {
                    cost += 1.0 + float(index);
                    (pristine, unchanged) = (false, false);
                    mends.push(Mend::of(&kinds::DROPPED, item));
                }
            }
        }
        let marks =
            Marks { composite: true, list: true, emptied: fits.is_empty() && !items.is_empty(), ..Marks::default() };
        let node = if unchanged { Node::Same(value) } else { Node::List(fits) };
        Fit { node, cost: cost + 10.0 * parts, pristine, misfit, marks, mends }
    }

    /// The list that a string holds as JSON.
    fn fit_held_list(&mut self, id: Id, value: &'a Value) -> Option<Fit<'a>> {
        let held = self.decoded(value).filter(|held| held.is_array())?;
        let inner = self.fit(id, held)?;
        (!inner.marks.emptied).then(|| Fit::instead(inner, value, &kinds::DECODED, 2.0))
    }

    /// A list of one.
    fn wrap(&mut self, list: &List, value: &'a Value) -> Option<Fit<'a>> {
        let item = match list.first.first().copied().or(list.items) {
            Some(shape) => self.fit(shape, value)?,
            None => Rc::new(Fit::same(value)),
        };
        let marks = Marks { composite: true, list: true, wrapped: true, ..Marks::default() };
        let (cost, misfit) = (1.0 + 10.0 * item.cost, item.misfit);
        Some(Fit {
            node: Node::List(vec![item]),
            cost,
            pristine: false,
            misfit,
            marks,
            mends: vec![Mend::of(&kinds::WRAPPED, value)],
        })
    }

    /// The list under an object's only key.
    fn inner_list(&mut self, id: Id, value: &'a Value) -> Option<Fit<'a>> {
        let fields = value.as_object().filter(|fields| fields.len() == 1 && self.manner != Manner::Arguments)?;
        let inner = fields.values().next().filter(|inner| inner.is_array())?;
        let fit = self.fit(id, inner).filter(|fit| !fit.marks.emptied)?;
        Some(Fit::instead(fit, value, &kinds::UNWRAPPED, 5.0))
    }
}

/// An index as a cost. It grows with the place in the list: a list that is wrong from its end on is the better one.
fn float(index: usize) -> f64 {
    u32::try_from(index).map_or(f64::from(u32::MAX), f64::from)
}
