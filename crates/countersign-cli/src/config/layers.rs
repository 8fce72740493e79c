//! The file, the variables and the flags, one over the other, and who said what.
//!
//! Each layer is laid over the one before as plain TOML, so that all three go through the same checks; a value that
//! cannot be used is shown where it was written: a line of the file, a variable or a flag.

use super::checks::Invalid;
use super::keys::{self, Form, KEYS, Key};
use super::raw::{self, RawConfig};
use super::valid::Config;
use crate::args::{ConfigArgs, PolicyFile};
use crate::failure::Failure;
use crate::human::pointed::point_at;
use countersign::policy::PolicyError;
use countersign::policy::pattern::nearest;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Reads the configuration of a command.
pub(crate) fn load(args: &ConfigArgs) -> Result<Config, Failure> {
    Layers::read(args, &|name| std::env::var(name).ok())?.config()
}

/// Gives a command without a policy the one of the configuration, so that it judges as a server in this folder does.
pub(crate) fn fill_in_policy(policy: &mut PolicyFile) -> Result<(), Failure> {
    if policy.file.is_none() {
        let layers = Layers::read(&ConfigArgs::default(), &|name| std::env::var(name).ok())?;
        policy.file = layers.raw()?.policy.map(PathBuf::from);
    }
    Ok(())
}

/// The layers, put together.
#[derive(Debug)]
pub(crate) struct Layers {
    file: Option<(PathBuf, String)>,
    table: Table,
    /// Where each setting that somebody set comes from.
    sources: BTreeMap<&'static str, String>,
}

/// A look at the environment.
pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Layers {
    /// Reads the three layers.
    pub(crate) fn read(args: &ConfigArgs, environment: Environment<'_>) -> Result<Self, Failure> {
        let mut layers = Self { file: None, table: Table::new(), sources: BTreeMap::new() };
        if let Some(path) = find_file(args, environment) {
            layers.read_file(path)?;
        }
        for key in KEYS {
            let heard = key.variables.iter().find_map(|name| Some((name, environment(name)?)));
            if let Some((name, text)) = heard.filter(|(_, text)| !text.trim().is_empty()) {
                layers.lay(key, &text, name)?;
            }
        }
        for (path, text) in args.flags().map_err(Failure::unusable)? {
            let key = keys::find(&path).ok_or_else(|| unknown(&path))?;
            layers.lay(key, &text, key.flag.unwrap_or("--set"))?;
        }
        Ok(layers)
    }

    fn read_file(&mut self, path: PathBuf) -> Result<(), Failure> {
        let text = std::fs::read_to_string(&path).map_err(|error| Failure::file(&path, "read", &error))?;
        raw::parse(&text).map_err(|error| point_at(&path, text.clone(), error))?;
        self.table = text.parse().map_err(|error: toml::de::Error| Failure::unusable(error.to_string()))?;
        for key in KEYS {
            if value_at(&self.table, key.path).is_some() {
                self.sources.insert(key.path, path.display().to_string());
            }
        }
        // What the file names lies beside the file, wherever the server was started.
        let folder = path.parent().unwrap_or(Path::new(""));
        for (section, value) in &mut self.table {
            for place in PATHS {
                let mut parts = place.split('.');
                if parts.next() == Some(section.as_str()) {
                    lay_beside(value, parts, folder);
                }
            }
        }
        self.file = Some((path, text));
        Ok(())
    }

    /// Lays one value over what was there.
    fn lay(&mut self, key: &'static Key, text: &str, source: &str) -> Result<(), Failure> {
        let value = read_value(key, text).map_err(|wrong| Failure::unusable(format!("{source}: {wrong}")))?;
        let (table, name) = match key.path.split_once('.') {
            None => (&mut self.table, key.path),
            Some((section, name)) => {
                let section = self.table.entry(section).or_insert_with(|| Value::Table(Table::new()));
                // The file was checked before: a section is a table.
                let Value::Table(section) = section else { return Ok(()) };
                (section, name)
            }
        };
        table.insert(name.to_owned(), value);
        self.sources.insert(key.path, source.to_owned());
        Ok(())
    }

    /// The file, where there is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_ref().map(|(path, _)| path.as_path())
    }

    /// Where a setting comes from, or the table that it is in; `None` where the default holds.
    pub(crate) fn source(&self, path: &str) -> Option<&str> {
        let found = self.sources.get(path).map(String::as_str);
        found.or_else(|| self.source(path.rsplit_once('.')?.0))
    }

    /// What was written, all layers in one.
    pub(crate) fn raw(&self) -> Result<RawConfig, Failure> {
        self.table.clone().try_into().map_err(|error: toml::de::Error| Failure::unusable(error.to_string()))
    }

    /// The settings as valid types.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        let mut config = Config::of(self.raw()?).map_err(|wrong| self.blame(wrong))?;
        config.file = self.file().map(Path::to_owned);
        Ok(config)
    }

    /// A value that cannot be used, shown where it was written.
    fn blame(&self, wrong: Invalid) -> Failure {
        // A table that lacks a key was written by whoever wrote its other keys.
        let inside = |path: &&str| path.strip_prefix(&*wrong.path).is_some_and(|rest| rest.starts_with('.'));
        let written = || self.sources.keys().copied().find(inside).and_then(|path| self.source(path));
        let source = self.source(&wrong.path).or_else(written).unwrap_or(&wrong.path);
        match &self.file {
            Some((path, text)) if source == path.display().to_string() => {
                let message = format!("{}: {}", wrong.path, wrong.message);
                let error = PolicyError { message, help: wrong.help, span: place(text, &wrong.path) };
                point_at(path, text.clone(), error)
            }
            _ => Failure::Unusable { message: format!("{source}: {}", wrong.message), help: wrong.help.clone() },
        }
    }
}

/// The file to read: the one that was named, else `countersign.toml` in the current folder. An empty name stands for no
/// file at all.
fn find_file(args: &ConfigArgs, environment: Environment<'_>) -> Option<PathBuf> {
    let named = args.config.clone().or_else(|| environment("COUNTERSIGN_CONFIG").map(PathBuf::from));
    match named {
        Some(path) => Some(path).filter(|path| !path.as_os_str().is_empty()),
        None => Some(PathBuf::from(USUAL_FILE)).filter(|path| path.is_file()),
    }
}

/// A text from outside, in the form that the setting has.
fn read_value(key: &Key, text: &str) -> Result<Value, String> {
    Ok(match key.form {
        Form::Text | Form::Secret => Value::String(text.trim().to_owned()),
        Form::Number => Value::Integer(text.trim().parse().map_err(|_| format!("`{text}` is no whole number"))?),
        Form::Truth => Value::Boolean(text.trim().parse().map_err(|_| format!("`{text}` must be `true` or `false`"))?),
        Form::Texts | Form::Secrets => {
            let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
            Value::Array(words.map(|word| Value::String(word.to_owned())).collect())
        }
        Form::Tables | Form::Named | Form::Hidden => return Err(format!("`{}` can only be set in the file", key.path)),
    })
}

fn value_at<'a>(table: &'a Table, path: &str) -> Option<&'a Value> {
    match path.split_once('.') {
        None => table.get(path),
        Some((section, name)) => table.get(section)?.get(name),
    }
}

/// Lays the file that a value names beside a folder. `*` stands for every key; addresses stay as they are.
fn lay_beside<'p>(value: &mut Value, mut parts: impl Iterator<Item = &'p str> + Clone, folder: &Path) {
    match (parts.next(), value) {
        (None, Value::String(text)) if text != ":memory:" && !text.contains("://") && !text.trim().is_empty() => {
            *text = folder.join(&*text).display().to_string();
        }
        (Some("*"), Value::Table(table)) => {
            table.iter_mut().for_each(|(_, value)| lay_beside(value, parts.clone(), folder));
        }
        (Some(name), Value::Table(table)) => {
            table.get_mut(name).into_iter().for_each(|value| lay_beside(value, parts.clone(), folder));
        }
        _ => {}
    }
}

/// Where a setting's value is in the text; where it is absent, the table that it belongs to.
fn place(text: &str, path: &str) -> Option<std::ops::Range<usize>> {
    let table = toml::de::DeTable::parse(text).ok()?;
    let mut parts = path.split('.');
    let mut found = table.get_ref().get(parts.next()?)?;
    for part in parts {
        match found.get_ref().get(part) {
            Some(inner) => found = inner,
            None => break,
        }
    }
    Some(found.span())
}

fn unknown(path: &str) -> Failure {
    let paths: Vec<&str> = KEYS.iter().map(|key| key.path).collect();
    let help = match nearest(path, &paths) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`countersign config docs` lists every key".to_owned(),
    };
    Failure::with_help(format!("--set: unknown key `{path}`"), help)
}

/// Settings that name a place on the disk.
const PATHS: &[&str] = &[
    "data_dir",
    "policy",
    "tools",
    "knowledge_base",
    "server.tls_certificate",
    "server.tls_key",
    "mcp.*.cwd",
    "openapi.*.document",
    "agents.*.prompt",
    "agents.*.prompt.*",
];

/// What a configuration is called where nobody says otherwise.
const USUAL_FILE: &str = "countersign.toml";
