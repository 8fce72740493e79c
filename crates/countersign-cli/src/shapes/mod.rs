//! The shapes of what the server takes and answers, as tables: one line a field, one file a group.
//!
//! The TypeScript types, the JSON Schema of the events and `/openapi.json` are written from them, and tests hold real
//! requests and answers against them. They describe and never decide: what is sent is said by the code that sends it.

/// Claims, as they are in messages.
mod claims;
/// What the engine says of calls, results and texts.
mod engine;
/// What waits for people.
mod people;
/// The audit, and what is counted from it.
mod audit;
/// What the gateway carried.
mod traffic;
/// Sessions, the console and the server itself.
mod service;
/// What routes take.
mod requests;
/// A shape as a JSON Schema.
mod json_schema;

pub(crate) use json_schema::{Place, describe};

/// A shape with a name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// What it is made of.
    pub form: Form,
}

/// What a shape is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    /// One of these words.
    Words(&'static [&'static str]),
    /// One of these words, or one of the user's own.
    OpenWords(fn() -> Vec<&'static str>),
    /// An object with these fields.
    Fields(&'static [Field]),
    /// An object with these fields, and whatever else there is to say.
    Open(&'static [Field]),
    /// Another shape, and these fields: one that is there already says more here.
    Extends(&'static str, &'static [Field]),
}

/// A field of a shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub holds: Held,
    /// Whether it is always there.
    pub presence: Presence,
    /// What it says; nothing where its name says it.
    pub about: &'static str,
}

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Held {
    /// A string.
    Text,
    /// A number.
    Number,
    /// True or false.
    Truth,
    /// Anything.
    Anything,
    /// An object.
    Object,
    /// The arguments of a call: nothing about what a model writes is certain.
    Arguments,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A shape with a name.
    Named(&'static str),
    /// A list.
    List(&'static Held),
    /// An object whose fields all hold this, whatever they are called.
    Map(&'static Held),
    /// This, or null.
    OrNull(&'static Held),
    /// One of these.
    AnyOf(&'static [Held]),
}

pub(crate) use countersign::contract::payload::Presence;

/// All shapes, each after those that it is made of.
pub(crate) fn all() -> impl Iterator<Item = &'static Shape> {
    let answers = [claims::SHAPES, engine::SHAPES, people::SHAPES, audit::SHAPES, traffic::SHAPES, service::SHAPES];
    answers.into_iter().chain([requests::SHAPES]).flatten()
}

/// The fields of a shape, with those of the one that it extends; what it says itself wins.
pub(crate) fn fields(shape: &Shape) -> Vec<&'static Field> {
    let (base, own) = match shape.form {
        Form::Words(_) | Form::OpenWords(_) => return Vec::new(),
        Form::Fields(own) | Form::Open(own) => (None, own),
        Form::Extends(base, own) => (all().find(|shape| shape.name == base), own),
    };
    let said = |field: &&Field| !own.iter().any(|known| known.name == field.name);
    let inherited = base.map(fields).unwrap_or_default().into_iter().filter(said);
    inherited.collect::<Vec<_>>().into_iter().chain(own).collect()
}

const fn words(name: &'static str, about: &'static str, words: &'static [&'static str]) -> Shape {
    Shape { name, about, form: Form::Words(words) }
}

const fn object(name: &'static str, about: &'static str, fields: &'static [Field]) -> Shape {
    Shape { name, about, form: Form::Fields(fields) }
}

const fn always(name: &'static str, holds: Held, about: &'static str) -> Field {
    Field { name, holds, presence: Presence::Always, about }
}

const fn sometimes(name: &'static str, holds: Held, about: &'static str) -> Field {
    Field { name, holds, presence: Presence::Sometimes, about }
}

const TEXT_OR_NULL: Held = Held::OrNull(&Held::Text);
const NUMBER_OR_NULL: Held = Held::OrNull(&Held::Number);
const TEXTS: Held = Held::List(&Held::Text);

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn names(held: Held, found: &mut Vec<&'static str>) {
        match held {
            Held::Named(name) => found.push(name),
            Held::List(inner) | Held::Map(inner) | Held::OrNull(inner) => names(*inner, found),
            Held::AnyOf(several) => several.iter().for_each(|one| names(*one, found)),
            _ => {}
        }
    }

    // STREAM-1: every shape is known under one name, and is made of shapes that are known.
    #[test]
    fn shapes_are_made_of_known_shapes() {
        let mut known = BTreeSet::new();
        for shape in all() {
            let mut used = Vec::new();
            fields(shape).iter().for_each(|field| names(field.holds, &mut used));
            if let Form::Extends(base, _) = shape.form {
                used.push(base);
            }
            for name in used {
                assert!(known.contains(name), "{} uses {name}, which is not above it", shape.name);
            }
            assert!(known.insert(shape.name), "{} is there twice", shape.name);
        }
    }
}
