//! `countersign policy`: is a policy right, and what may stand in one.

use super::print;
use crate::args::{PolicyArgs, PolicyCommand};
use crate::engine::read_policy;
use crate::failure::Failure;
use countersign::policy::Policy;
use countersign::policy::raw::RawPolicy;
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
