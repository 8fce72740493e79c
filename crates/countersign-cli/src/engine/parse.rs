//! Reading what a model wrote: a line in, everything that is in it out.

use super::bad_line;
use crate::failure::Failure;
use crate::lines::BadLine;
use countersign::contract::ToolSpec;
use countersign::inspect::parse::{Reading, parse, parse_as, unknown_protocol};
use countersign::lines;
use countersign::parse::Protocol;
use countersign::parse::tags::TagProtocol;
use countersign::policy::Policy;
use countersign::wire::outputs::ParseRequest;
use std::path::Path;
use std::sync::Arc;

/// What lines need not repeat.
pub(crate) struct ParseDefaults {
    /// The tools.
    pub tools: Option<Vec<ToolSpec>>,
    /// How outputs are read.
    protocol: Option<String>,
    /// A protocol of tags that the user has written.
    own: Option<Arc<TagProtocol>>,
}

impl ParseDefaults {
    /// Checks the name of the protocol, or reads the file that holds one.
    pub(crate) fn new(tools: Option<Vec<ToolSpec>>, protocol: Option<String>) -> Result<Self, Failure> {
        let Some(name) = protocol else { return Ok(Self { tools, protocol: None, own: None }) };
        if Protocol::from_name(&name, None).is_some() {
            return Ok(Self { tools, protocol: Some(name), own: None });
        }
        if !name.ends_with(".toml") {
            let help = "a protocol of your own is a TOML file: `--protocol my-tags.toml`";
            return Err(Failure::with_help(unknown_protocol(&name).message, help));
        }
        let path = Path::new(&name);
        let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, "read", &error))?;
        let own = TagProtocol::from_toml(&text).map_err(|error| Failure::unusable(format!("{name}: {error}")))?;
        Ok(Self { tools, protocol: Some(own.name().to_owned()), own: Some(Arc::new(own)) })
    }

    /// Parses the output of a line.
    pub(crate) fn parse(&self, line: &str, policy: &Policy) -> Result<Reading, BadLine> {
        let mut request = read_parse_line(line)?;
        request.protocol = request.protocol.or_else(|| self.protocol.clone());
        request.tools = request.tools.or_else(|| self.tools.clone());
        let own = self.own.as_ref().filter(|own| request.protocol.as_deref() == Some(own.name()));
        match own {
            Some(own) => parse_as(&request, &Protocol::Tags(Arc::clone(own)), policy),
            None => parse(&request, policy),
        }
        .map_err(bad_line)
    }
}

/// Reads the output of a line.
pub(crate) fn read_parse_line(line: &str) -> Result<ParseRequest, BadLine> {
    lines::read_parse_line(line).map_err(bad_line)
}
