//! Before a tool runs: every check on a call, in order.
//!
//! A `guard::Guard` is compiled once from tools and a policy. `line::check` runs a call through the line: the
//! name must resolve, the arguments must be an object, certain repairs are made, and then every check of
//! `CHECKS` looks at what would really run. A check returns findings; it never decides.

/// Secrets by their shape, and how they are cut from what we say.
pub mod secrets;
/// What an argument is for.
pub mod role;
/// What a tool does to the world.
pub mod effects;
/// Which known name is meant.
pub(crate) mod nearest;
/// Whether a rename only changes the spelling.
pub(crate) mod spelling;
/// Constraints that stand only in the words of a description.
pub(crate) mod prose;
/// The parameters of a tool, as the checks need them.
pub(crate) mod params;
/// A schema, closed: what the tool does not name is an error.
pub(crate) mod close;
/// A schema, compiled.
pub(crate) mod compile;
/// What a tool says it is for.
pub(crate) mod tool_purpose;
/// What a tool does.
pub(crate) mod tool_deeds;
/// A tool as it was declared, and what is read out of its words.
pub(crate) mod declared_tool;
/// Tools and policy, compiled.
pub(crate) mod guard;
/// What a check sees, and what it may say.
pub(crate) mod subject;
/// The name.
pub(crate) mod name;
/// The arguments as an object.
pub(crate) mod arguments;
/// The arguments against the schema.
pub(crate) mod schema;
/// What the values mean.
pub(crate) mod meaning;
/// What the call could break.
pub(crate) mod danger;
/// Who asks, and whether they may.
pub(crate) mod permission;
/// Whether the call does what the user asked for.
pub(crate) mod action;
/// Whether the values are the ones that were asked for.
pub(crate) mod request;
/// Where the values come from.
pub(crate) mod provenance;
/// Whether anything in the conversation asks for this tool.
pub(crate) mod relevance;
/// Whose words move the call.
pub(crate) mod trust;
/// What the outside world says.
pub mod facts;
/// Steps that must come first.
pub mod steps;
/// What was called before.
pub(crate) mod repeat;
/// Somebody who watches the line.
pub mod watch;
/// The line itself.
pub mod line;
/// A conversation's calls and results, put right before they go upstream.
pub mod history;

pub use guard::Guard;
pub use line::{Checked, Request, check};
pub use watch::Watch;

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    secrets::build_tables();
    role::build_tables();
    prose::build_tables();
    meaning::build_tables();
    danger::build_tables();
    request::build_tables();
    provenance::build_tables();
    facts::build_tables();
    trust::build_tables();
}
