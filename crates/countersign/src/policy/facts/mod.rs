//! Where the outside world is asked, and about what (CALL-7).
//!
//! The core only reads which questions to ask of whom. Files and addresses are kept as the operator wrote them; the
//! runtime opens them. A plain list of endpoints is the exception: it needs no world and is compiled here.

/// Known endpoints, and whether a URL is one of them.
pub mod endpoints;
/// The tables as a person writes them.
pub(crate) mod raw;

use super::pattern::Pattern;
use super::rules::Fault;
use endpoints::Endpoints;
use raw::{OneOrMore, RawCustom, RawEndpoints, RawPermissions, RawRecords};
use serde::Deserialize;

pub use raw::RawFacts;

/// What becomes of a call whose fact nobody could check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Unanswered {
    /// It goes on with a warning.
    #[default]
    Warn,
    /// It is refused.
    Refuse,
}

/// What becomes of a URL at a host that the source does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Elsewhere {
    /// It is unknown: the tool is for the known endpoints alone.
    #[default]
    Refuse,
    /// It is none of the source's business: the tool is for the whole web.
    Ignore,
}

/// What is asked from the outside world.
#[derive(Debug, Clone, Default)]
pub struct FactsPolicy {
    /// What becomes of a call where no source is configured at all.
    pub unanswered: Unanswered,
    /// Who knows endpoints.
    pub endpoints: Vec<EndpointSource>,
    /// Who knows permissions.
    pub permissions: Vec<PermissionSource>,
    /// Who knows records.
    pub records: Vec<RecordSource>,
    /// Checkers of the user's own.
    pub custom: Vec<CustomSource>,
}

/// What all sources have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name, unique among its kind.
    pub name: String,
    /// How long an answer may take.
    pub deadline_ms: u64,
    /// How long an answer is kept; 0 is not at all.
    pub cache_s: u64,
    /// What becomes of a call that it could not answer for.
    pub unanswered: Unanswered,
}

/// The tools and arguments that a source is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    tools: Vec<Pattern>,
    /// Names or pointers (`/arguments/a/b`) of the arguments.
    pub arguments: Vec<String>,
}

/// A source of endpoints.
#[derive(Debug, Clone)]
pub struct EndpointSource {
    /// Name, deadline, cache.
    pub source: Source,
    /// Which calls it is asked about.
    pub about: About,
    /// What is known.
    pub known: KnownEndpoints,
    /// What becomes of other hosts.
    pub elsewhere: Elsewhere,
}

/// Where endpoints are known from.
#[derive(Debug, Clone)]
pub enum KnownEndpoints {
    /// A list in the policy: answered by the core itself.
    List(Endpoints),
    /// An OpenAPI document: answered by the runtime.
    Document(String),
}

/// A source of permissions.
#[derive(Debug, Clone)]
pub struct PermissionSource {
    /// Name, deadline, cache.
    pub source: Source,
    /// Where they are.
    pub from: PermissionsFrom,
}

/// Where permissions are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionsFrom {
    /// A JSON file.
    File(String),
    /// An address with `{user}` in it.
    Url(String),
}

/// A source of records.
#[derive(Debug, Clone)]
pub struct RecordSource {
    /// Name, deadline, cache.
    pub source: Source,
    /// Which calls it is asked about.
    pub about: About,
    /// Where they are.
    pub from: RecordsFrom,
}

/// Where records are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordsFrom {
    /// A column of a CSV file.
    Csv {
        /// The file.
        file: String,
        /// The column's header.
        column: String,
    },
    /// A list in a JSON file.
    Json {
        /// The file.
        file: String,
        /// Where in it.
        pointer: String,
        /// Which field of each object.
        field: Option<String>,
    },
    /// A query on a SQLite file.
    Sqlite {
        /// The file.
        file: String,
        /// The query with one parameter.
        query: String,
    },
    /// An address with `{value}` in it.
    Url(String),
}

/// A question for a checker of the user's own.
#[derive(Debug, Clone)]
pub struct CustomSource {
    /// Name, deadline, cache.
    pub source: Source,
    /// Which calls it is asked about.
    pub about: About,
    /// The question's template.
    pub question: String,
}

impl FactsPolicy {
    /// Puts a file's words over what is there. A source with a name that is already there takes its place.
    pub fn overlay(&mut self, raw: RawFacts) -> Result<(), Fault> {
        self.unanswered = raw.unanswered.unwrap_or(self.unanswered);
        let unanswered = self.unanswered;
        let endpoints = raw.endpoints.into_iter().map(|raw| raw.read(unanswered)).collect::<Result<_, _>>()?;
        let permissions = raw.permissions.into_iter().map(|raw| raw.read(unanswered)).collect::<Result<_, _>>()?;
        let records = raw.records.into_iter().map(|raw| raw.read(unanswered)).collect::<Result<_, _>>()?;
        let custom = raw.custom.into_iter().map(|raw| raw.read(unanswered)).collect::<Result<_, _>>()?;
        place(&mut self.endpoints, endpoints, |source| &source.source.name)?;
        place(&mut self.permissions, permissions, |source| &source.source.name)?;
        place(&mut self.records, records, |source| &source.source.name)?;
        place(&mut self.custom, custom, |source| &source.source.name)
    }
}

impl About {
    /// Whether a tool is meant.
    pub fn tool(&self, name: &str) -> bool {
        self.tools.iter().any(|pattern| pattern.matches(name))
    }

    fn read(tools: Vec<String>, arguments: Option<OneOrMore>) -> Self {
        let arguments = match arguments {
            Some(OneOrMore::One(one)) => vec![one],
            Some(OneOrMore::More(more)) => more,
            None => Vec::new(),
        };
        Self { tools: tools.into_iter().map(Pattern::new).collect(), arguments }
    }

    /// The same where no tool named means every tool, and an argument must be named.
    fn anywhere(name: &str, tools: Vec<String>, arguments: Option<OneOrMore>) -> Result<Self, Fault> {
        let tools = if tools.is_empty() { vec!["*".to_owned()] } else { tools };
        let about = Self::read(tools, arguments);
        if about.arguments.is_empty() {
            let help = "say which argument holds the value: `argument = \"customer_id\"`";
            return Err(fault(name, format!("the source `{name}` names no argument"), help));
        }
        Ok(about)
    }
}

/// Whether a held permission is the required one, or stands for it: `delete:*` covers `delete:database`.
pub fn covers(held: &str, required: &str) -> bool {
    held == required || (held.contains('*') && Pattern::new(held).matches(required))
}

impl RawEndpoints {
    fn read(self, unanswered: Unanswered) -> Result<EndpointSource, Fault> {
        let name = self.name;
        let known = match (self.known.is_empty(), self.openapi) {
            (false, None) => KnownEndpoints::List(Endpoints::of(self.known.iter().map(String::as_str))),
            (true, Some(file)) => KnownEndpoints::Document(file),
            _ => return Err(one_of(&name, "`known = [\"https://…\"]` or `openapi = \"api.yaml\"`")),
        };
        let source = Source::read(&name, (self.deadline_ms, self.cache_s, KEPT_S), self.unanswered, unanswered)?;
        let about = About::read(self.tools, self.argument);
        Ok(EndpointSource { source, about, known, elsewhere: self.elsewhere })
    }
}

impl RawPermissions {
    fn read(self, unanswered: Unanswered) -> Result<PermissionSource, Fault> {
        let name = self.name;
        let from = match (self.file, self.url) {
            (Some(file), None) => PermissionsFrom::File(file),
            (None, Some(url)) => PermissionsFrom::Url(address(&name, url, "{user}")?),
            _ => return Err(one_of(&name, "`file = \"permissions.json\"` or `url = \"https://…/{user}\"`")),
        };
        // A permission that was taken away must not live on in a cache unless the operator says so.
        let source = Source::read(&name, (self.deadline_ms, self.cache_s, 0), self.unanswered, unanswered)?;
        Ok(PermissionSource { source, from })
    }
}

impl RawRecords {
    fn read(self, unanswered: Unanswered) -> Result<RecordSource, Fault> {
        let name = self.name;
        let about = About::anywhere(&name, self.tools, self.argument)?;
        let from = match (self.csv, self.json, self.sqlite, self.url) {
            (Some(file), None, None, None) => {
                let column = self.column.ok_or_else(|| lacks(&name, "column", "`column = \"id\"`"))?;
                RecordsFrom::Csv { file, column }
            }
            (None, Some(file), None, None) => {
                RecordsFrom::Json { file, pointer: self.pointer.unwrap_or_default(), field: self.field }
            }
            (None, None, Some(file), None) => {
                let query = self.query.filter(|query| query.contains('?') || query.contains(':'));
                let example = "`query = \"select 1 from customers where id = ?1\"`";
                RecordsFrom::Sqlite { file, query: query.ok_or_else(|| lacks(&name, "query with `?1`", example))? }
            }
            (None, None, None, Some(url)) => RecordsFrom::Url(address(&name, url, "{value}")?),
            _ => return Err(one_of(&name, "`csv`, `json`, `sqlite` or `url`")),
        };
        let source = Source::read(&name, (self.deadline_ms, self.cache_s, KEPT_S), self.unanswered, unanswered)?;
        Ok(RecordSource { source, about, from })
    }
}

impl RawCustom {
    fn read(self, unanswered: Unanswered) -> Result<CustomSource, Fault> {
        let name = self.name;
        let about = About::anywhere(&name, self.tools, self.argument)?;
        if self.question.trim().is_empty() {
            return Err(lacks(&name, "question", "`question = \"is {value} a postal code of {city}?\"`"));
        }
        let source = Source::read(&name, (self.deadline_ms, self.cache_s, KEPT_S), self.unanswered, unanswered)?;
        Ok(CustomSource { source, about, question: self.question })
    }
}

impl Source {
    fn read(
        name: &str,
        (deadline_ms, cache_s, kept): (Option<u64>, Option<u64>, u64),
        own: Option<Unanswered>,
        common: Unanswered,
    ) -> Result<Self, Fault> {
        if name.trim().is_empty() {
            return Err(fault("[[facts", "a source of facts has no name".into(), "give it one: `name = \"api\"`"));
        }
        let deadline_ms = deadline_ms.unwrap_or(DEADLINE_MS);
        if !(1..=MAX_DEADLINE_MS).contains(&deadline_ms) {
            let message = format!("the deadline of `{name}` is not within 1 and {MAX_DEADLINE_MS} ms");
            return Err(fault(name, message, "a call waits that long; use a second or two"));
        }
        let name = name.to_owned();
        Ok(Self { name, deadline_ms, cache_s: cache_s.unwrap_or(kept), unanswered: own.unwrap_or(common) })
    }
}

/// Puts new sources beside the old ones, or in the place of those with the same name.
fn place<T>(old: &mut Vec<T>, new: Vec<T>, name: impl Fn(&T) -> &str) -> Result<(), Fault> {
    for (at, source) in new.iter().enumerate() {
        if new.iter().take(at).any(|earlier| name(earlier) == name(source)) {
            let message = format!("two sources are called `{}`", name(source));
            return Err(fault(name(source), message, "give each its own name"));
        }
    }
    old.retain(|source| !new.iter().any(|later| name(later) == name(source)));
    old.extend(new);
    Ok(())
}

fn address(name: &str, url: String, variable: &str) -> Result<String, Fault> {
    let web = url.starts_with("http://") || url.starts_with("https://");
    if web && url.contains(variable) {
        return Ok(url);
    }
    let message = format!("the address of `{name}` is not usable");
    Err(fault(&url, message, &format!("begin with http:// or https:// and put `{variable}` where the value goes")))
}

fn one_of(name: &str, wanted: &str) -> Fault {
    fault(
        name,
        format!("the source `{name}` does not say where its facts stand"),
        &format!("give exactly one of {wanted}"),
    )
}

fn lacks(name: &str, what: &str, example: &str) -> Fault {
    fault(name, format!("the source `{name}` has no {what}"), &format!("add {example}"))
}

fn fault(word: &str, message: String, help: &str) -> Fault {
    (word.to_owned(), message, Some(help.to_owned()))
}

const DEADLINE_MS: u64 = 2_000;
const MAX_DEADLINE_MS: u64 = 60_000;
/// How long answers are kept where the policy does not say.
const KEPT_S: u64 = 60;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    fn facts(text: &str) -> FactsPolicy {
        Policy::from_toml(text).unwrap().facts
    }

    #[test]
    fn sources_are_read_with_their_defaults() {
        // CALL-7
        let facts = facts(
            r#"
            [[facts.endpoints]]
            name = "api"
            tools = ["api_*"]
            known = ["https://example.com/api/v1"]
            [[facts.permissions]]
            name = "perms"
            file = "permissions.json"
            [[facts.records]]
            name = "customers"
            argument = ["customer_id", "client"]
            sqlite = "crm.db"
            query = "select 1 from customers where id = ?1"
            unanswered = "refuse"
            "#,
        );
        assert!(facts.endpoints[0].about.tool("api_call") && !facts.endpoints[0].about.tool("search"));
        assert_eq!(facts.permissions[0].source.cache_s, 0, "a permission is not kept");
        assert!(facts.records[0].about.tool("anything"));
        assert_eq!(facts.records[0].source.unanswered, Unanswered::Refuse);
        assert_eq!(facts.records[0].about.arguments, ["customer_id", "client"]);
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_help() {
        // CALL-7
        for (text, word) in [
            ("[[facts.endpoints]]\nname = \"a\"\n", "known"),
            ("[[facts.endpoints]]\nknown = [\"/a\"]\n", "name"),
            ("[[facts.permissions]]\nname = \"p\"\nurl = \"ftp://x/{user}\"\n", "http://"),
            ("[[facts.records]]\nname = \"r\"\ncsv = \"a.csv\"\ncolumn = \"id\"\n", "argument"),
            ("[[facts.records]]\nname = \"r\"\nargument = \"id\"\ncsv = \"a.csv\"\n", "column"),
            ("[[facts.records]]\nname = \"r\"\nargument = \"id\"\nsqlite = \"a\"\nquery = \"select 1\"\n", "?1"),
            ("[[facts.custom]]\nname = \"c\"\nargument = \"id\"\n", "question"),
            ("[[facts.permissions]]\nname = \"p\"\nfile = \"a\"\ndeadline_ms = 0\n", "second"),
            (
                "[[facts.permissions]]\nname = \"p\"\nfile = \"a\"\n[[facts.permissions]]\nname = \"p\"\nfile = \"b\"\n",
                "own name",
            ),
        ] {
            let error = Policy::from_toml(text).unwrap_err();
            assert!(error.help.clone().unwrap_or_default().contains(word), "{text}: {error:?}");
        }
        assert!(Policy::from_toml("[facts]\nendpoint = []\n").unwrap_err().help.unwrap().contains("endpoints"));
    }
}
