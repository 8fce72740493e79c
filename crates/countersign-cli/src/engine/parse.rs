//! Reading what a model wrote: a line in, everything that is in it out.

use super::{bad_line, not_json};
use crate::failure::Failure;
use crate::lines::BadLine;
use countersign::contract::ToolSpec;
use countersign::inspect::parse::{Reading, parse, unknown_protocol};
use countersign::parse::Protocol;
use countersign::policy::Policy;
use countersign::wire::outputs::{ParseRequest, read_parse};

/// What lines need not repeat.
pub struct ParseDefaults {
    /// The tools.
    pub tools: Option<Vec<ToolSpec>>,
    /// How outputs are read.
    pub protocol: Option<String>,
}

impl ParseDefaults {
    /// Checks the name of the protocol.
    pub fn new(tools: Option<Vec<ToolSpec>>, protocol: Option<String>) -> Result<Self, Failure> {
        match protocol.as_deref().filter(|name| Protocol::from_name(name, None).is_none()) {
            Some(name) => Err(Failure::unusable(unknown_protocol(name).message)),
            None => Ok(Self { tools, protocol }),
        }
    }

    /// Parses the output of a line.
    pub fn parse(&self, line: &str, policy: &Policy) -> Result<Reading, BadLine> {
        let mut request = read_parse_line(line)?;
        request.protocol = request.protocol.or_else(|| self.protocol.clone());
        request.tools = request.tools.or_else(|| self.tools.clone());
        parse(&request, policy).map_err(bad_line)
    }
}

/// Reads the output of a line.
pub fn read_parse_line(line: &str) -> Result<ParseRequest, BadLine> {
    let body = serde_json::from_str(line).map_err(not_json)?;
    read_parse(&body).map_err(bad_line)
}
