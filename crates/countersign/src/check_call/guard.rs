//! Tools and a policy, compiled once and shared between threads.
//!
//! Names are indexed at once; a tool's schema is compiled when a call first needs it, so that a guard over ten
//! thousand tools costs no more than the few that are used.

use super::compile::{Schema, compile};
use super::declared_tool::DeclaredTool;
use super::effects::{Effects, effects_of};
use super::nearest::NameIndex;
use super::params::Param;
use super::prose::soft::without_samples;
use super::role::Roles;
use super::tool_purpose::ToolPurpose;
use crate::contract::{FREE_TEXT, Level, Mode, Takes, ToolSpec, checks};
use crate::conversation::index::Index;
use crate::parse::KnownTools;
use crate::policy::{ArgumentPolicy, Policy};
use crate::text::instructions::find_overreach;
use rustc_hash::FxHashMap;
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// The compiled tools and policy.
#[derive(Debug)]
pub struct Guard {
    policy: Arc<Policy>,
    registry: Option<Registry>,
}

/// The registered tools.
#[derive(Debug, Default)]
pub struct Registry {
    entries: Vec<Entry>,
    by_name: FxHashMap<String, usize>,
    by_alias: FxHashMap<String, usize>,
    names: OnceLock<NameIndex>,
    known: OnceLock<KnownTools>,
}

#[derive(Debug)]
struct Entry {
    spec: Arc<DeclaredTool>,
    tool: OnceLock<Tool>,
}

/// One tool, ready for checking.
#[derive(Debug)]
pub struct Tool {
    /// As it was declared.
    pub spec: Arc<DeclaredTool>,
    /// Its schema, compiled; `None` where nothing is known about the tool.
    pub schema: Option<Schema>,
    /// Its parameters.
    pub root: Param,
    /// What it does to the world.
    pub effects: Effects,
    /// Its level, where the policy gives it one.
    pub level: Option<Level>,
    /// Permissions that the caller must hold.
    pub permissions: Vec<String>,
    arguments: Vec<(String, ArgumentPolicy)>,
    modes: Vec<Mode>,
    line: OnceLock<Vec<Mode>>,
    text: OnceLock<String>,
    index: OnceLock<Index>,
    stated: OnceLock<Index>,
    overreach: OnceLock<Option<String>>,
}

impl Guard {
    /// Compiles tools and a policy. `None` means that nothing is known about the tools, an empty list that there are
    /// none.
    pub fn new(tools: Option<Vec<ToolSpec>>, policy: Arc<Policy>) -> Self {
        let registry = tools.map(|tools| Registry::new(tools, &policy));
        Self { policy, registry }
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The registered tools, where any are known.
    pub fn registry(&self) -> Option<&Registry> {
        self.registry.as_ref()
    }

    /// A registered tool, compiled.
    pub fn tool(&self, at: usize) -> Option<&Tool> {
        let entry = self.registry.as_ref()?.entries.get(at)?;
        Some(entry.tool.get_or_init(|| Tool::compile(Arc::clone(&entry.spec), &self.policy)))
    }

    /// Whether what a tool does cannot be undone.
    pub fn is_irreversible(&self, name: &str) -> bool {
        let at = self.registry.as_ref().and_then(|registry| registry.find(name));
        at.and_then(|at| self.tool(at)).is_some_and(|tool| tool.effects.irreversible)
    }

    /// A tool of which only the name is known.
    pub fn unknown_tool(&self, name: &str) -> Tool {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: String::new(),
            input: None,
            output: None,
            annotations: crate::contract::Annotations::default(),
            server_side: true,
            takes: Takes::Arguments,
        };
        Tool::compile(Arc::new(DeclaredTool::new(spec)), &self.policy)
    }
}

impl Registry {
    fn new(tools: Vec<ToolSpec>, policy: &Policy) -> Self {
        let mut registry = Self::default();
        for spec in tools {
            // The first definition of a name wins, as it does with every provider that accepts two.
            let at = registry.entries.len();
            registry.by_name.entry(spec.name.clone()).or_insert(at);
            for alias in policy.tool(&spec.name).flat_map(|tool| &tool.aliases) {
                registry.by_alias.entry(alias.clone()).or_insert(at);
            }
            registry.entries.push(Entry { spec: Arc::new(DeclaredTool::new(spec)), tool: OnceLock::new() });
        }
        registry
    }

    /// The place of a name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The place of an alias.
    pub fn find_alias(&self, name: &str) -> Option<usize> {
        self.by_alias.get(name).copied()
    }

    /// The declared tools, in order.
    pub fn specs(&self) -> impl ExactSizeIterator<Item = &DeclaredTool> {
        self.entries.iter().map(|entry| &*entry.spec)
    }

    /// The declared tool at a place.
    pub fn spec(&self, at: usize) -> Option<&DeclaredTool> {
        self.entries.get(at).map(|entry| &*entry.spec)
    }

    /// The digest of a tool's definition; empty where there is no such tool.
    pub fn digest(&self, name: &str) -> Arc<str> {
        let entry = self.find(name).and_then(|at| self.entries.get(at));
        entry.map_or_else(|| "".into(), |entry| entry.spec.digest())
    }

    /// What the tool at a place says it is for.
    pub fn purpose(&self, at: usize) -> Option<&ToolPurpose> {
        self.entries.get(at).map(|entry| entry.spec.purpose())
    }

    /// The tools as a reader of calls in text knows them; looked at when the first output needs it.
    pub fn known(&self) -> &KnownTools {
        self.known.get_or_init(|| KnownTools::of(&self.specs().map(|spec| spec.to_spec()).collect::<Vec<_>>()))
    }

    /// The names, indexed for near matches when the first unknown name needs it.
    pub fn names(&self) -> &NameIndex {
        self.names.get_or_init(|| NameIndex::new(self.specs().map(|spec| spec.name.as_str())))
    }
}

impl Tool {
    fn compile(spec: Arc<DeclaredTool>, policy: &Policy) -> Self {
        let schema = (!spec.server_side).then(|| compile(spec.input.as_ref(), &policy.limits));
        let mut root = schema.as_ref().map(|schema| Param::read(&schema.source)).unwrap_or_default();
        if let (Takes::Text, Some(text)) = (spec.takes, root.properties.get_mut(FREE_TEXT)) {
            // What a free text is for is said by its tool alone: a `shell` takes commands.
            text.roles = text.roles.and(Roles::of(&spec.name, &spec.description, None));
        }
        let modes = checks::names().map(|name| mode(name, &spec.name, policy)).collect();
        let effects = effects_of(&spec, policy);
        let special: Vec<_> = policy.tool(&spec.name).collect();
        let level = special.iter().find_map(|tool| tool.level);
        let permissions = special.iter().flat_map(|tool| tool.permissions.clone()).collect();
        let arguments = special.iter().flat_map(|tool| tool.arguments.clone()).collect();
        Self {
            schema,
            root,
            effects,
            level,
            permissions,
            arguments,
            modes,
            line: OnceLock::new(),
            text: OnceLock::new(),
            index: OnceLock::new(),
            stated: OnceLock::new(),
            overreach: OnceLock::new(),
            spec,
        }
    }

    /// The mode of a check on this tool.
    pub fn mode(&self, check: &str) -> Mode {
        let at = checks::names().position(|name| name == check);
        at.and_then(|at| self.modes.get(at)).copied().unwrap_or(Mode::Enforce)
    }

    /// The modes of the checks of the line, in their order; looked up once.
    pub fn line_modes(&self, names: impl Iterator<Item = &'static str>) -> &[Mode] {
        self.line.get_or_init(|| names.map(|name| self.mode(name)).collect())
    }

    /// What the policy says about an argument, by its name or its pointer (`/arguments/a/b`).
    pub fn argument(&self, pointer: &str) -> Option<&ArgumentPolicy> {
        if self.arguments.is_empty() {
            return None;
        }
        let last = pointer.rsplit('/').next().unwrap_or_default();
        self.arguments.iter().find(|(name, _)| name == pointer || name == last).map(|(_, argument)| argument)
    }

    /// What can be found in the tool's own text; indexed when the first value needs it.
    pub fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let mut index = Index::default();
            index.add_text(self.text());
            index
        })
    }

    /// The same without examples: what the tool gives for use, and not to show what a value looks like.
    pub fn stated(&self) -> &Index {
        self.stated.get_or_init(|| {
            let mut index = Index::default();
            index.add_text(&without_samples(&self.spec.description));
            if let Some(schema) = &self.schema {
                state(&schema.source, &mut index, 0);
            }
            index
        })
    }

    /// The sentence by which the tool's description gives orders beyond its use; looked for once.
    pub fn overreach(&self) -> Option<&str> {
        let find = || find_overreach(&self.spec.description).map(|found| found.sentence);
        self.overreach.get_or_init(find).as_deref()
    }

    /// Everything the tool says of itself, as one text: a value that is there is not fabricated.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let schema = self.spec.input.as_ref().map_or("", |schema| schema.0.get());
            format!("{}\n{}\n{schema}", self.spec.name, self.spec.description)
        })
    }
}

/// Adds what a schema states: its words without their samples, its defaults and its allowed values.
fn state(schema: &Value, index: &mut Index, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    match schema {
        Value::Object(map) => {
            for (key, value) in map.iter().filter(|(key, _)| !matches!(key.as_str(), "examples" | "example")) {
                match (key.as_str(), value) {
                    ("default" | "enum" | "const", value) => index.add_value(value),
                    ("description" | "title", Value::String(text)) => index.add_text(&without_samples(text)),
                    (_, value) => state(value, index, depth + 1),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|part| state(part, index, depth + 1)),
        _ => {}
    }
}

fn mode(check: &str, tool: &str, policy: &Policy) -> Mode {
    let special = policy.tool(tool).find_map(|tool| tool.checks.get(check));
    special.or_else(|| policy.checks.get(check)).copied().unwrap_or(Mode::Enforce)
}

const MAX_DEPTH: usize = 64;
