//! Why a command could not do its work, and the exit code that says so.
//!
//! What a model got wrong is never a failure: it is a finding in the output. A failure is about us, the caller's
//! arguments, or the machine.

use countersign_runtime::kb::KbError;
use std::io::{self, Write};
use std::path::Path;

/// A command that did not run to its end.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments, a file or the configuration cannot be used: exit 2.
    Unusable {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// A place in a file that cannot be used, shown with its line: exit 2.
    Pointed(Box<miette::Report>),
    /// Something broke on our side: exit 3.
    Internal(String),
    /// Whoever read our output has left: quiet, exit 0, as with every filter.
    ReaderLeft,
}

impl Failure {
    /// Something the caller can put right.
    pub(crate) fn unusable(message: impl Into<String>) -> Self {
        Self::Unusable { message: message.into(), help: None }
    }

    /// The same with advice.
    pub(crate) fn with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Unusable { message: message.into(), help: Some(help.into()) }
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(path: &Path, doing: &str, error: &io::Error) -> Self {
        Self::unusable(format!("cannot {doing} {}: {error}", path.display()))
    }

    /// Output that could not be written.
    pub(crate) fn writing(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ReaderLeft,
            _ => Self::Internal(format!("cannot write the output: {error}")),
        }
    }

    /// What happened, in one line, for the log of a server that goes on.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::Unusable { message, help: None } | Self::Internal(message) => message.clone(),
            Self::Unusable { message, help: Some(help) } => format!("{message} ({help})"),
            Self::Pointed(report) => match report.help() {
                Some(help) => format!("{report} ({help})"),
                None => report.to_string(),
            },
            Self::ReaderLeft => "the reader has left".to_owned(),
        }
    }

    /// Says on stderr what happened and gives the exit code.
    pub(crate) fn report(self) -> u8 {
        match self {
            Self::Unusable { message, help } => {
                complain(&message);
                if let Some(help) = help {
                    tell(&format!("  help: {help}"));
                }
                2
            }
            Self::Pointed(report) => {
                tell(format!("{report:?}").trim_end());
                2
            }
            Self::Internal(message) => {
                complain(&message);
                3
            }
            Self::ReaderLeft => 0,
        }
    }
}

/// A knowledge base that cannot be used.
impl From<KbError> for Failure {
    fn from(error: KbError) -> Self {
        match &error {
            KbError::Absent { .. } | KbError::Corrupted { .. } => {
                Self::with_help(error.to_string(), "`countersign kb build DIR` makes it from the documents")
            }
            _ => Self::unusable(error.to_string()),
        }
    }
}

/// One line on stderr, under our name.
pub(crate) fn complain(message: &str) {
    tell(&format!("countersign: {message}"));
}

/// One line on stderr. A stderr that is closed is no reason to fail.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
