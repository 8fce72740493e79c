//! From a JSON Schema to its shapes.
//!
//! Every reachable part of the schema becomes one shape with a number, so that recursion through `$ref` is a number that
//! points back. There is no recursion here either: what is found on the way waits in a list. What is not understood fits
//! everything.

use super::choice::{Choice, alias_names};
use super::shape::{Field, Id, List, Object, Rest, Shape, Shapes};
use crate::text::fold::fold_name;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::rc::Rc;

/// Boils down `schema`, whose references point into `root`. The schema itself is shape 0.
pub(super) fn compile(schema: &Value, root: &Value) -> Shapes {
    let mut builder = Builder { root, ids: FxHashMap::default(), jobs: Vec::new() };
    builder.id(schema);
    let mut shapes = Vec::new();
    while let Some(job) = builder.jobs.get(shapes.len()).cloned() {
        // A schema that unfolds without end fits everything from there on.
        shapes.push(if shapes.len() >= MOST_SHAPES { Shape::Any } else { builder.build(job) });
    }
    Shapes::new(shapes)
}

/// One shape that is still to be built: the schemas that all apply, and one type if their list of types was split.
#[derive(Clone)]
struct Job<'s> {
    parts: Rc<[Part<'s>]>,
    only: Option<&'s str>,
}

/// One of the schemas that apply.
#[derive(Clone, Copy)]
enum Part<'s> {
    Whole(&'s Value),
    /// What it takes over stands beside it already.
    Flat(&'s Value),
    /// And its `anyOf` or `oneOf` was taken apart.
    Base(&'s Value),
    Null,
}

impl<'s> Part<'s> {
    fn map(self) -> Option<&'s Map<String, Value>> {
        match self {
            Self::Whole(schema) | Self::Flat(schema) | Self::Base(schema) => schema.as_object(),
            Self::Null => None,
        }
    }

    fn says(self, key: &str) -> Option<&'s Value> {
        self.map()?.get(key)
    }

    fn branches(self) -> Option<&'s [Value]> {
        match self {
            Self::Whole(_) | Self::Flat(_) => {
                ["anyOf", "oneOf"].iter().find_map(|key| self.says(key)?.as_array()).map(Vec::as_slice)
            }
            _ => None,
        }
    }
}

struct Builder<'s> {
    root: &'s Value,
    /// The numbers of schemas by their address in memory.
    ids: FxHashMap<usize, Id>,
    jobs: Vec<Job<'s>>,
}

impl<'s> Builder<'s> {
    /// The number of a schema's shape, which will be built.
    fn id(&mut self, schema: &'s Value) -> Id {
        let schema = self.follow(schema);
        let address = std::ptr::from_ref(schema).addr();
        if let Some(id) = self.ids.get(&address) {
            return *id;
        }
        let id = self.add(vec![Part::Whole(schema)], None);
        self.ids.insert(address, id);
        id
    }

    fn add(&mut self, parts: Vec<Part<'s>>, only: Option<&'s str>) -> Id {
        self.jobs.push(Job { parts: parts.into(), only });
        self.jobs.len() - 1
    }

    /// What a schema's reference points to, unless the schema says more than that.
    fn follow(&self, mut schema: &'s Value) -> &'s Value {
        for _ in 0..MOST_HOPS {
            let Some(target) = self.target(schema) else { return schema };
            if SHAPING.iter().any(|key| schema.get(key).is_some()) {
                return schema;
            }
            schema = target;
        }
        &ANYTHING
    }

    fn target(&self, schema: &'s Value) -> Option<&'s Value> {
        let pointer = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
        self.root.pointer(pointer)
    }

    fn build(&mut self, job: Job<'s>) -> Shape {
        let mut parts = Vec::new();
        for part in job.parts.iter().copied() {
            match part {
                Part::Null => return Shape::Null,
                Part::Whole(schema) => self.flatten(schema, &mut parts),
                flat => parts.push(flat),
            }
        }
        if let Some(only) = job.only {
            return self.compile_typed(&parts, only);
        }
        if parts.iter().any(|part| part.says("nullable") == Some(&Value::Bool(true))) && !is_nulled(&job) {
            let bare = self.add(job.parts.iter().copied().chain([Part::Base(&Value::Null)]).collect(), None);
            return Shape::Union(vec![bare, self.add(vec![Part::Null], None)]);
        }
        self.join_parts(parts)
    }

    /// A schema and everything that it takes over by `allOf` and by a reference beside other words.
    fn flatten(&self, schema: &'s Value, out: &mut Vec<Part<'s>>) {
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            if out.len() >= MOST_PARTS {
                return;
            }
            out.push(Part::Flat(schema));
            let referred = self.target(schema).into_iter();
            let all = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
            let more: Vec<_> = referred.chain(all).map(|schema| self.follow(schema)).collect();
            open.extend(more.into_iter().rev());
        }
    }

    /// The shape that all parts together describe.
    fn join_parts(&mut self, parts: Vec<Part<'s>>) -> Shape {
        if parts.iter().any(|part| matches!(part, Part::Flat(Value::Bool(false)))) {
            return Shape::Never;
        }
        let aliases = parts.iter().find_map(|part| part.says("x-alias"));
        if let Some(only) = parts.iter().find_map(|part| part.says("const")) {
            return Shape::Choice(Choice::new(std::iter::once(only), aliases));
        }
        if let Some(values) = parts.iter().find_map(|part| part.says("enum")?.as_array()) {
            return Shape::Choice(Choice::new(values.iter(), aliases));
        }
        if let Some(union) = self.union(&parts) {
            return union;
        }
        match parts.iter().find_map(|part| part.says("type")) {
            Some(Value::String(only)) => self.compile_typed(&parts, only),
            Some(Value::Array(several)) => {
                let several = several.iter().filter_map(Value::as_str);
                Shape::Union(several.map(|only| self.add(parts.clone(), Some(only))).collect())
            }
            _ if has(&parts, &["properties", "additionalProperties", "propertyNames", "required"]) => {
                Shape::Object(self.object(&parts))
            }
            _ if has(&parts, &["items", "prefixItems"]) => Shape::List(self.list(&parts)),
            _ => Shape::Any,
        }
    }

    /// The branches of the first `anyOf` or `oneOf`, each together with what is said beside it.
    fn union(&mut self, parts: &[Part<'s>]) -> Option<Shape> {
        let at = parts.iter().position(|part| part.branches().is_some())?;
        let branches = parts.get(at)?.branches()?;
        let (base, shaped): (Vec<_>, Vec<_>) = (
            parts.iter().enumerate().map(|(index, part)| if index == at { bare(*part) } else { *part }).collect(),
            branches.iter().map(|branch| is_shaped(self.follow(branch))).collect(),
        );
        if !shaped.contains(&true) {
            let based = self.add(base, None);
            return Some(Shape::Union(vec![based]));
        }
        let fielded = has(&base, &["properties", "items", "anyOf", "oneOf"]) && base.len() < MOST_PARTS;
        let ids = branches.iter().zip(shaped).map(|(branch, shaped)| match (fielded, shaped) {
            (false, true) => self.id(branch),
            (_, false) => self.add(base.clone(), None),
            (true, true) => {
                let branch = Part::Whole(self.follow(branch));
                self.add(base.iter().copied().chain([branch]).collect(), None)
            }
        });
        Some(Shape::Union(ids.collect()))
    }

    fn compile_typed(&mut self, parts: &[Part<'s>], only: &str) -> Shape {
        match only {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "integer" => Shape::Integer,
            "number" => Shape::Number,
            "string" => Shape::Text,
            "array" => Shape::List(self.list(parts)),
            "object" => Shape::Object(self.object(parts)),
            _ => Shape::Any,
        }
    }

    fn list(&mut self, parts: &[Part<'s>]) -> List {
        let items = parts.iter().find_map(|part| part.says("items"));
        let first = parts.iter().find_map(|part| part.says("prefixItems")).or(items).and_then(Value::as_array);
        let first = first.into_iter().flatten().map(|schema| self.id(schema)).collect();
        let further = parts.iter().find_map(|part| part.says("additionalItems"));
        let items = items.filter(|items| !items.is_array()).or(further).map(|schema| self.id(schema));
        List { first, items, typed: has(parts, &["type"]) }
    }

    fn object(&mut self, parts: &[Part<'s>]) -> Object {
        let mut fields: Vec<Field> = Vec::new();
        let mut by_name: FxHashMap<String, usize> = FxHashMap::default();
        let listed = parts.iter().filter_map(|part| part.says("properties")?.as_object()).flatten();
        for (name, schema) in listed.take(MOST_FIELDS) {
            if !by_name.contains_key(name) {
                by_name.insert(name.clone(), fields.len());
                let default = schema.get("default").cloned();
                fields.push(Field { name: name.clone(), shape: self.id(schema), required: false, default });
            }
        }
        let required = parts.iter().filter_map(|part| part.says("required")?.as_array()).flatten();
        for name in required.filter_map(Value::as_str) {
            let field = by_name.get(name).and_then(|index| fields.get_mut(*index));
            field.into_iter().for_each(|field| field.required = true);
        }
        let by_folded = name_fields(parts, &fields, &mut by_name);
        let keys = parts.iter().find_map(|part| part.says("propertyNames")).map(|schema| self.id(schema));
        Object { by_folded, rest: self.rest(parts), keys, typed: has(parts, &["type"]), fields, by_name }
    }

    fn rest(&mut self, parts: &[Part<'s>]) -> Rest {
        if has(parts, &["patternProperties"]) {
            return Rest::Open;
        }
        match parts.iter().find_map(|part| part.says("additionalProperties")) {
            Some(Value::Bool(true)) => Rest::Open,
            Some(Value::Bool(false)) => Rest::Closed,
            Some(schema @ Value::Object(_)) => Rest::Of(self.id(schema)),
            None if !has(parts, &["properties"]) => Rest::Open,
            _ => Rest::Unsaid,
        }
    }
}

/// Adds the aliases to the names, and gives the folded forms of both.
fn name_fields(
    parts: &[Part<'_>],
    fields: &[Field],
    by_name: &mut FxHashMap<String, usize>,
) -> FxHashMap<String, Option<usize>> {
    let mut names: Vec<(String, usize)> = by_name.iter().map(|(name, index)| (name.clone(), *index)).collect();
    for (index, field) in fields.iter().enumerate() {
        let outside = parts.iter().filter_map(|part| part.says("x-alias")?.get(&field.name));
        let inside = parts.iter().filter_map(|part| part.says("properties")?.get(&field.name)?.get("x-alias"));
        let inside = inside.filter(|alias| alias.is_string());
        for alias in outside.chain(inside).flat_map(alias_names) {
            by_name.entry(alias.trim().to_owned()).or_insert(index);
            names.push((alias.to_owned(), index));
        }
    }
    let mut folded: FxHashMap<String, Option<usize>> = FxHashMap::default();
    for (name, index) in names {
        let entry = folded.entry(fold_name(&name)).or_insert(Some(index));
        if *entry != Some(index) {
            *entry = None;
        }
    }
    folded.remove("");
    folded
}

/// A part without the branches that are being taken apart.
fn bare(part: Part<'_>) -> Part<'_> {
    match part {
        Part::Whole(schema) | Part::Flat(schema) => Part::Base(schema),
        other => other,
    }
}

/// Whether `nullable` was split off this job already: the mark is a part that says nothing.
fn is_nulled(job: &Job<'_>) -> bool {
    job.parts.iter().any(|part| matches!(part, Part::Base(Value::Null)))
}

/// Whether a schema says what a value is, and not only what it must not be.
fn is_shaped(schema: &Value) -> bool {
    schema.is_boolean() || SHAPING.iter().chain(&["$ref"]).any(|key| schema.get(key).is_some())
}

fn has(parts: &[Part<'_>], keys: &[&str]) -> bool {
    parts.iter().any(|part| match part {
        Part::Base(_) => keys.iter().any(|key| !matches!(*key, "anyOf" | "oneOf") && part.says(key).is_some()),
        _ => keys.iter().any(|key| part.says(key).is_some()),
    })
}

/// The schema that everything fits.
static ANYTHING: Value = Value::Bool(true);

/// The words of a schema that say what a value is.
const SHAPING: [&str; 11] = [
    "type",
    "properties",
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
    "enum",
    "const",
    "additionalProperties",
    "nullable",
];

/// A chain of references longer than this runs in a circle.
const MOST_HOPS: usize = 64;

/// More schemas than this do not apply to one place.
const MOST_PARTS: usize = 64;

/// More shapes than this come only from a schema that unfolds into itself.
const MOST_SHAPES: usize = 20_000;

/// More fields than this are not looked at in one object.
const MOST_FIELDS: usize = 4096;
