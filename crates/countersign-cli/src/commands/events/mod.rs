//! `countersign events`: the events of a stream, and the shapes of what the server takes and answers, as a JSON Schema and as
//! TypeScript types.
//!
//! Both are written from tables, and the copies in `docs/` and in the console are held against them by a test.

/// The TypeScript types.
mod types;
/// The JSON Schema.
mod schema;

use super::print;
use crate::args::{EventsArgs, EventsCommand};
use crate::failure::Failure;

/// Prints one of them.
pub(crate) fn run(args: &EventsArgs) -> Result<u8, Failure> {
    let text = match args.command {
        EventsCommand::Schema => {
            let schema = serde_json::to_string_pretty(&schema::schema());
            format!("{}\n", schema.map_err(|error| Failure::Internal(error.to_string()))?)
        }
        EventsCommand::Types => types::types(),
    };
    print(&text).map(|()| 0)
}
