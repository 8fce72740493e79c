//! `countersign policy`: what the policy in force does, is a policy right, and what may be in one.

use super::print;
use crate::args::{PolicyArgs, PolicyCommand};
use crate::config::fill_in_policy;
use crate::engine::{load_policy, read_policy};
use crate::failure::Failure;
use crate::human;
use crate::human::canvas::Canvas;
use countersign::policy::Policy;
use countersign::policy::raw::RawPolicy;
use std::path::Path;

/// Checks a file or prints the schema.
pub(crate) fn run(args: PolicyArgs) -> Result<u8, Failure> {
    match args.command {
        PolicyCommand::Check { file } => {
            let policy = read_policy(&file)?;
            print(&summary(&file, &policy)).map(|()| 0)
        }
        PolicyCommand::Show { mut policy, color } => {
            fill_in_policy(&mut policy)?;
            let source = policy.file.as_ref().map_or_else(|| "built-in".to_owned(), |file| file.display().to_string());
            let policy = load_policy(&policy)?;
            print(&human::policy::draw(Canvas::new(color, None), &policy, &source)).map(|()| 0)
        }
        PolicyCommand::Schema => {
            let schema = schemars::schema_for!(RawPolicy);
            let text = serde_json::to_string_pretty(&schema).map_err(|error| Failure::Internal(error.to_string()))?;
            print(&(text + "\n")).map(|()| 0)
        }
    }
}

fn summary(file: &Path, policy: &Policy) -> String {
    let level = policy.level.name();
    let count = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    format!(
        "✔ {} can be used: level {level}, {}, {}, version {}\n",
        file.display(),
        count(policy.rules.len(), "rule", "rules"),
        count(policy.tools.len(), "tool entry", "tool entries"),
        policy.version
    )
}
