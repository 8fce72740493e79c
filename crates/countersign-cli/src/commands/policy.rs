//! `countersign policy`: is a policy right, and what may stand in one.

use super::print;
use crate::args::{PolicyArgs, PolicyCommand};
use crate::engine::read_policy;
use crate::failure::Failure;
use countersign::policy::raw::RawPolicy;
use countersign::policy::{Policy, PolicyError};
use miette::{Diagnostic, LabeledSpan, NamedSource, Report, SourceCode};
use std::fmt;
use std::path::Path;

/// Checks a file or prints the schema.
pub fn run(args: PolicyArgs) -> Result<u8, Failure> {
    match args.command {
        PolicyCommand::Check { file } => {
            let policy = read_policy(&file)?;
            print(&summary(&file, &policy)).map(|()| 0)
        }
        PolicyCommand::Schema => {
            let schema = schemars::schema_for!(RawPolicy);
            let text = serde_json::to_string_pretty(&schema).map_err(|error| Failure::Internal(error.to_string()))?;
            print(&(text + "\n")).map(|()| 0)
        }
    }
}

fn summary(file: &Path, policy: &Policy) -> String {
    let level = format!("{:?}", policy.level).to_lowercase();
    let count = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    format!(
        "✔ {} can be used: level {level}, {}, {}, version {}\n",
        file.display(),
        count(policy.rules.len(), "rule", "rules"),
        count(policy.tools.len(), "tool entry", "tool entries"),
        policy.version
    )
}

/// A policy that cannot be used, with the line that is wrong.
pub fn point_at(path: &Path, text: String, error: PolicyError) -> Failure {
    let source = NamedSource::new(path.display().to_string(), text).with_language("toml");
    Failure::Pointed(Box::new(Report::new(Pointed { error, source })))
}

#[derive(Debug)]
struct Pointed {
    error: PolicyError,
    source: NamedSource<String>,
}

impl fmt::Display for Pointed {
    fn fmt(&self, words: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The parser's own list of keys is long; the suggestion says the same in fewer words.
        let message = &self.error.message;
        let short = if self.error.help.is_some() { message.split(", expected ").next() } else { None };
        words.write_str(short.unwrap_or(message))
    }
}

impl std::error::Error for Pointed {}

impl Diagnostic for Pointed {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.error.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.error.span.clone()?;
        Some(Box::new(std::iter::once(LabeledSpan::new(Some("here".to_owned()), span.start, span.len()))))
    }
}
