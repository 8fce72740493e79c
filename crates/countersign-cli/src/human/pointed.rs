//! A file that cannot be used, shown with the line that is wrong.

use crate::failure::Failure;
use countersign::policy::PolicyError;
use miette::{Diagnostic, LabeledSpan, NamedSource, Report, SourceCode};
use std::fmt;
use std::path::Path;

/// A policy that cannot be used, with the line that is wrong.
pub(crate) fn point_at(path: &Path, text: String, error: PolicyError) -> Failure {
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
