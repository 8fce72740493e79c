//! A coding agent's call: the command that it runs, the files that it changes.

use crate::text::lists::word_list;
use serde_json::{Map, Value};

/// What a call does, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed<'a> {
    /// It runs a command line.
    Runs(&'a str),
    /// It writes or removes a file.
    Changes(&'a str),
}

/// A call.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// Its id.
    pub id: Option<String>,
    /// The tool as the agent calls it.
    pub name: String,
    /// The arguments.
    pub arguments: Map<String, Value>,
    /// The tool of an MCP server.
    pub is_mcp: bool,
}

impl Call {
    /// A call by its name and arguments, which may be an object or a string of JSON.
    pub fn new(name: &str, arguments: Option<&Value>) -> Self {
        let arguments = match arguments {
            Some(Value::Object(fields)) => fields.clone(),
            Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_else(|_| {
                // A patch or a command that is no object.
                Map::from_iter([("command".to_owned(), Value::String(text.clone()))])
            }),
            _ => Map::new(),
        };
        let arguments = join_command(arguments);
        let is_mcp = ["mcp__", "mcp_", "MCP:"].iter().any(|prefix| name.starts_with(prefix));
        Self { id: None, name: name.to_owned(), arguments, is_mcp }
    }

    /// What the call does to commands and files.
    pub fn deeds(&self) -> Vec<Deed<'_>> {
        if self.is_mcp {
            return Vec::new();
        }
        if let Some(line) = self.command() {
            return if self.is_patch() { patched(line) } else { vec![Deed::Runs(line)] };
        }
        let name = self.name.to_ascii_lowercase();
        let writes = WRITERS.iter().any(|writer| name.contains(writer)) && !READERS.contains(&name.as_str());
        let views = self.arguments.get("command").and_then(Value::as_str) == Some("view");
        let paths = PATHS.iter().filter_map(|key| self.arguments.get(*key)?.as_str());
        paths.filter(|_| writes && !views).map(Deed::Changes).collect()
    }

    /// The command line of a call that runs one, or the patch of one that applies it.
    pub fn command(&self) -> Option<&str> {
        let name = self.name.to_ascii_lowercase();
        let runs = SHELLS.contains(&name.as_str()) || self.is_patch();
        COMMANDS.iter().filter(|_| runs).find_map(|key| self.arguments.get(*key)?.as_str())
    }

    /// The path of a call that changes a file.
    pub fn changed(&self) -> Vec<String> {
        let path = |deed: Deed<'_>| if let Deed::Changes(path) = deed { Some(path.to_owned()) } else { None };
        self.deeds().into_iter().filter_map(path).collect()
    }

    /// Whether the call applies a patch.
    pub fn is_patch(&self) -> bool {
        self.name.to_ascii_lowercase().contains("patch")
    }
}

/// A command that is a list of words, as a line: the script of `bash -lc`, or the words with quotes around them.
fn join_command(mut arguments: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(words)) = arguments.get("command") else { return arguments };
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let line = match words.as_slice() {
        [shell, "-c" | "-lc" | "-ic", script] if shell.ends_with("sh") => (*script).to_owned(),
        words => words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" "),
    };
    arguments.insert("command".to_owned(), Value::String(line));
    arguments
}

fn quote(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// The files of a patch.
fn patched(patch: &str) -> Vec<Deed<'_>> {
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/"];
    let path =
        |line: &'_ str| -> Option<usize> { marks.iter().find(|mark| line.starts_with(**mark)).map(|mark| mark.len()) };
    let named = patch.lines().filter_map(|line| line.get(path(line)?..));
    named.map(|path| Deed::Changes(path.trim())).collect()
}

const SHELLS: &[&str] = word_list!("coding", "call/shells");
const COMMANDS: &[&str] = &["command", "cmd", "command_line", "input", "patch", "patchText", "script"];
const WRITERS: &[&str] = &["write", "edit", "replace", "create", "delete", "insert", "patch", "notebook"];
/// Tools with such a word that write no file.
const READERS: &[&str] = &["todowrite", "todo_write", "taskcreate", "taskupdate", "notebookread", "write_todos"];
const PATHS: &[&str] =
    &["file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "filename", "file"];
