//! The registered tools, as far as reading calls needs them: which names are known, and what their parameters are.

use crate::contract::{RawSchema, ToolSpec};
use crate::text::words::identifier_words;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::sync::OnceLock;

/// The tools the model was given.
#[derive(Debug)]
pub(super) struct Tools {
    known: Vec<Known>,
    exact: FxHashMap<String, usize>,
    /// Names without case and separators; `None` where two tools fold alike.
    folded: FxHashMap<String, Option<usize>>,
}

#[derive(Debug)]
struct Known {
    name: String,
    raw: Option<RawSchema>,
    schema: OnceLock<Value>,
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

impl Tools {
    pub(super) fn of(tools: &[ToolSpec]) -> Self {
        let new = |tool: &ToolSpec| Known { name: tool.name.clone(), raw: tool.input.clone(), schema: OnceLock::new() };
        let known: Vec<Known> = tools.iter().map(new).collect();
        let exact = known.iter().enumerate().map(|(at, tool)| (tool.name.clone(), at)).collect();
        let mut folded: FxHashMap<String, Option<usize>> = FxHashMap::default();
        for (at, tool) in known.iter().enumerate() {
            folded.entry(fold(&tool.name)).and_modify(|seen| *seen = None).or_insert(Some(at));
        }
        Self { known, exact, folded }
    }

    /// Whether nothing is known about the tools.
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The tool whose name, but for case and separators, a tag has.
    pub(super) fn of_tag(&self, name: &str) -> Option<usize> {
        self.exact.get(name).copied().or_else(|| self.folded.get(&fold(name)).copied().flatten())
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
        match [bare, last].iter().find_map(|name| self.folded.get(&fold(name)).copied().flatten()) {
            Some(at) => self.name_tool(at, Written::Otherwise),
            None => self
                .by_number(bare)
                .or_else(|| {
                    near(bare, self.known.iter().map(|tool| tool.name.as_str()))
                        .map(|at| self.name_tool(at, Written::Otherwise))
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

    /// The schema of a tool's arguments; `null` where there is none.
    pub(super) fn schema(&self, at: usize) -> &Value {
        let Some(tool) = self.known.get(at) else { return &Value::Null };
        tool.schema.get_or_init(|| {
            tool.raw.as_ref().and_then(|raw| serde_json::from_str(raw.0.get()).ok()).unwrap_or_default()
        })
    }

    /// The declared parameters of a tool.
    pub(super) fn properties(&self, at: usize) -> Option<&Map<String, Value>> {
        self.schema(at).get("properties").and_then(Value::as_object)
    }
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
    let words = identifier_words(written);
    let mut found = names.enumerate().filter(|(_, name)| slip(&words, &identifier_words(name)));
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

/// Namespaces that formats put before a name.
const PREFIXES: &[&str] = &["functions.", "function.", "tools.", "tool.", "default_api.", "multi_tool_use."];
