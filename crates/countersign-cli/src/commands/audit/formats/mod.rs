//! How a report is written. What can be written conversation by conversation is; the rest is written at the end.

mod human;
mod json;
mod sarif;
mod junit;
mod github;
mod html;

use super::summary::Summary;
use crate::args::{AuditArgs, AuditFormat};
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use countersign::audit::Report;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// Where the report goes, and how.
pub(super) struct Writer {
    format: AuditFormat,
    canvas: Canvas,
    out: Box<dyn Write>,
    begun: bool,
}

impl Writer {
    /// Opens the output.
    pub(super) fn open(args: &AuditArgs) -> Result<Self, Failure> {
        let out: Box<dyn Write> = match &args.output {
            Some(path) => {
                let file = File::create(path).map_err(|error| Failure::file(path, "write", &error))?;
                Box::new(BufWriter::new(file))
            }
            None => Box::new(BufWriter::new(io::stdout())),
        };
        Ok(Self { format: args.format, canvas: Canvas::new(args.color, None), out, begun: false })
    }

    /// One conversation.
    pub(super) fn conversation(&mut self, file: &str, report: &Report) -> Result<(), Failure> {
        match self.format {
            AuditFormat::Jsonl => self.write(&json::conversation(file, report)),
            AuditFormat::Junit => {
                let begin = if self.begun { "" } else { junit::BEGIN };
                self.begun = true;
                self.write(&format!("{begin}{}", junit::suite(file, report)))
            }
            _ => Ok(()),
        }
    }

    /// The rest.
    pub(super) fn finish(mut self, summary: &Summary) -> Result<(), Failure> {
        let text = match self.format {
            AuditFormat::Human => human::draw(self.canvas.clone(), summary),
            AuditFormat::Json => json::whole(summary),
            AuditFormat::Jsonl => json::end(summary),
            AuditFormat::Sarif => sarif::draw(summary),
            AuditFormat::Junit => junit::END.to_owned(),
            AuditFormat::Github => github::draw(summary),
            AuditFormat::Html => html::draw(summary),
        };
        self.write(&text)?;
        self.out.flush().map_err(|error| Failure::writing(&error))
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.out.write_all(text.as_bytes()).map_err(|error| Failure::writing(&error))
    }
}
