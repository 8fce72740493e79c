//! The registered tools, as far as reading calls needs them: which names are known, and what their parameters are.

use crate::contract::{RawSchema, ToolSpec, schema};
use crate::text::words::identifier_words;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// The tools the model was given.
#[derive(Debug)]
pub(super) struct Tools {
    known: Vec<Known>,
    exact: FxHashMap<String, usize>,
    /// The first bytes of their names.
    begins: [bool; 256],
    /// Names without case and separators; `None` where two tools fold alike.
    folded: FxHashMap<String, Option<usize>>,
}

#[derive(Debug)]
struct Known {
    name: String,
    schema: Option<RawSchema>,
    /// The parameters that the branches of its schema declare.
    branched: OnceLock<Option<Map<String, Value>>>,
    /// The words of its name.
    words: OnceLock<Vec<String>>,
}

/// A name as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// The registered name, or the written one without the marks of its format.
    pub name: String,
    /// Which tool, where it is registered.
    pub tool: Option<usize>,
    /// Whether the name was written otherwise: case, separators, one misspelt word.
    pub folded: bool,
}

/// How a registered name was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Right,
    Otherwise,
}

impl Known {
    fn words(&self) -> &[String] {
        self.words.get_or_init(|| identifier_words(&self.name))
    }
}

impl Tools {
    pub(super) fn of(tools: &[ToolSpec]) -> Self {
        let new = |tool: &ToolSpec| Known {
            name: tool.name.clone(),
            schema: tool.input.clone(),
            branched: OnceLock::new(),
            words: OnceLock::new(),
        };
        let known: Vec<Known> = tools.iter().map(new).collect();
        let exact = known.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        let mut folded: FxHashMap<String, Option<usize>> = FxHashMap::default();
        for (at, tool) in known.iter().enumerate() {
            folded.entry(fold(&tool.name)).and_modify(|seen| *seen = None).or_insert(Some(at));
        }
        let mut begins = [false; 256];
        for first in known.iter().filter_map(|tool| tool.name.bytes().next()) {
            if let Some(begins) = begins.get_mut(usize::from(first)) {
                *begins = true;
            }
        }
        Self { known, exact, begins, folded }
    }

    /// Whether a name begins with that byte.
    pub(super) fn may_begin(&self, byte: u8) -> bool {
        self.begins.get(usize::from(byte)).is_some_and(|begins| *begins)
    }

    /// Whether a name begins like that.
    pub(super) fn any_begins(&self, front: &str) -> bool {
        self.known.iter().any(|tool| tool.name.starts_with(front))
    }

    /// Whether a tool has exactly that name.
    pub(super) fn is_registered(&self, name: &str) -> bool {
        self.exact.contains_key(name)
    }

    /// Whether nothing is known about the tools.
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The tool whose name, but for case and separators, a tag has.
    pub(super) fn of_tag(&self, name: &str) -> Option<usize> {
        self.exact.get(name).copied().or_else(|| self.of_folded(name))
    }

    /// The tool whose name, but for case and separators, is this one.
    fn of_folded(&self, name: &str) -> Option<usize> {
        // Most tags are no tool's, and what they are is asked for each of them: short names are folded in place.
        let mut letters = [0; SHORT_NAME];
        if !name.is_ascii() || name.len() > letters.len() {
            return self.folded.get(&fold(name)).copied().flatten();
        }
        let kept = name.bytes().filter(u8::is_ascii_alphanumeric);
        let len = letters.iter_mut().zip(kept).map(|(to, from)| *to = from.to_ascii_lowercase()).count();
        let folded = letters.get(..len).and_then(|letters| std::str::from_utf8(letters).ok())?;
        self.folded.get(folded).copied().flatten()
    }

    /// The name without what formats put around it, held against the registered ones.
    pub(super) fn resolve(&self, raw: &str) -> Named {
        let bare = bare_name(raw);
        let last = bare.rsplit(['.', '/']).next().unwrap_or(bare);
        if let Some(&at) = [raw.trim(), bare, last].iter().find_map(|name| self.exact.get(*name)) {
            return self.name_tool(at, Written::Right);
        }
        if !bare.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | ' ')) {
            return Named { name: bare.to_owned(), tool: None, folded: false };
        }
        let other = Some(last).filter(|last| last.len() < bare.len());
        match self.of_folded(bare).or_else(|| self.of_folded(other?)) {
            Some(at) => self.name_tool(at, Written::Otherwise),
            None => self
                .by_number(bare)
                .or_else(|| {
                    let words = self.known.iter().map(Known::words);
                    nearest(&identifier_words(bare), words).map(|at| self.name_tool(at, Written::Otherwise))
                })
                .unwrap_or_else(|| Named { name: bare.to_owned(), tool: None, folded: false }),
        }
    }

    /// A bare number names the tool where there is only one: some models write the call's number instead.
    fn by_number(&self, bare: &str) -> Option<Named> {
        let number = !bare.is_empty() && bare.bytes().all(|byte| byte.is_ascii_digit());
        (number && self.known.len() == 1).then(|| self.name_tool(0, Written::Otherwise))
    }

    fn name_tool(&self, at: usize, written: Written) -> Named {
        let name = self.known.get(at).map(|tool| tool.name.clone()).unwrap_or_default();
        Named { name, tool: Some(at), folded: written == Written::Otherwise }
    }

    /// Whether a tool can be called without arguments.
    pub(super) fn requires_nothing(&self, at: usize) -> bool {
        let schema = self.schema(at);
        schema.is_object() && schema.get("required").and_then(Value::as_array).is_none_or(Vec::is_empty)
    }

    /// Arguments that were wrapped once too often, `{"arguments": {…}}`, unwrapped, where the tool declares no such
    /// parameter.
    pub(super) fn unwrap_arguments(&self, tool: Option<usize>, mut given: Map<String, Value>) -> Map<String, Value> {
        let only = given.keys().next().filter(|_| given.len() == 1);
        let Some(key) = only.and_then(|key| WRAPPERS.iter().find(|wrapper| *wrapper == key)) else { return given };
        let Some(declared) = tool.and_then(|tool| self.properties(tool)) else { return given };
        let wraps = !declared.contains_key(*key);
        let fits = |inner: &Map<String, Value>| !inner.is_empty() && inner.keys().all(|key| declared.contains_key(key));
        if !wraps || !given.get(*key).and_then(Value::as_object).is_some_and(fits) {
            return given;
        }
        match given.shift_remove(*key) {
            Some(Value::Object(inner)) => inner,
            _ => given,
        }
    }

    /// The schema of a tool's arguments; `null` where there is none.
    pub(super) fn schema(&self, at: usize) -> &Value {
        self.known.get(at).and_then(|tool| tool.schema.as_ref()).map_or(&Value::Null, |schema| schema.0.value())
    }

    /// What is declared of a parameter: by its name, or for all that have no other declaration.
    pub(super) fn parameter(&self, at: usize, name: &str) -> Option<&Value> {
        let schema = self.schema(at);
        self.properties(at).and_then(|known| known.get(name)).or_else(|| {
            let branches = schema::branches(schema, schema);
            branches.into_iter().find_map(|branch| branch.get("additionalProperties").filter(|rest| rest.is_object()))
        })
    }

    /// Whether arguments lack one that the tool requires.
    pub(super) fn lacks_required(&self, at: usize, given: &Map<String, Value>) -> bool {
        let required = self.schema(at).get("required").and_then(Value::as_array);
        required.is_some_and(|all| all.iter().filter_map(Value::as_str).any(|name| !given.contains_key(name)))
    }

    /// The declared parameters of a tool, also those of the branches of its schema.
    pub(super) fn properties(&self, at: usize) -> Option<&Map<String, Value>> {
        let schema = self.schema(at);
        if BRANCHING.iter().any(|word| schema.get(*word).is_some()) {
            return self.known.get(at)?.branched.get_or_init(|| declared(schema)).as_ref();
        }
        schema.get("properties").and_then(Value::as_object)
    }
}

/// The properties of a schema and of its branches; one that several branches declare takes what any of them takes.
fn declared(schema: &Value) -> Option<Map<String, Value>> {
    let mut found: Option<Map<String, Value>> = None;
    for branch in schema::branches(schema, schema) {
        let Some(properties) = branch.get("properties").and_then(Value::as_object) else { continue };
        let known = found.get_or_insert_default();
        for (name, property) in properties {
            match known.get_mut(name) {
                None => {
                    known.insert(name.clone(), property.clone());
                }
                Some(other) if other == property => {}
                Some(other) => *other = json!({"anyOf": [other.take(), property]}),
            }
        }
    }
    found
}

/// Takes off what formats put around a name: quotes, `functions.`, `:3`.
fn bare_name(raw: &str) -> &str {
    let name = raw.trim().trim_matches(|c: char| matches!(c, '"' | '\'' | '`' | '*' | '“' | '”') || c.is_whitespace());
    let name = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    match name.rsplit_once(':') {
        Some((front, number)) if !front.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            front.trim_end()
        }
        _ => name,
    }
}

/// A name without case and separators.
pub(super) fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The one name that differs by a slip inside one long word, where there is only one. A short word may be another word
/// (`get`, `set`), so it is never taken for a slip.
pub(super) fn near<'n>(written: &str, names: impl Iterator<Item = &'n str>) -> Option<usize> {
    let names: Vec<Vec<String>> = names.map(identifier_words).collect();
    nearest(&identifier_words(written), names.iter().map(Vec::as_slice))
}

fn nearest<'n>(written: &[String], names: impl Iterator<Item = &'n [String]>) -> Option<usize> {
    let mut found = names.enumerate().filter(|(_, name)| slip(written, name));
    let (at, _) = found.next()?;
    found.next().is_none().then_some(at)
}

fn slip(written: &[String], known: &[String]) -> bool {
    if written.len() != known.len() {
        return false;
    }
    let mut differing = written.iter().zip(known).filter(|(written, known)| written != known);
    let Some((written, known)) = differing.next() else { return false };
    if differing.next().is_some() || known.len() < 4 || written.chars().next() != known.chars().next() {
        return false;
    }
    let allowed = if known.len() < 6 { 1 } else { 2 };
    written.len().abs_diff(known.len()) <= allowed && strsim::osa_distance(written, known) <= allowed
}

/// Names that are folded in place.
const SHORT_NAME: usize = 64;
/// The keywords that lead to other schemas.
const BRANCHING: [&str; 4] = ["allOf", "anyOf", "oneOf", "$ref"];
/// What arguments are wrapped in once too often.
const WRAPPERS: &[&str] = &["arguments", "input", "parameters", "properties", "args", "params"];
/// Namespaces that formats put before a name.
const PREFIXES: &[&str] = &["functions.", "function.", "tools.", "tool.", "default_api.", "multi_tool_use."];
