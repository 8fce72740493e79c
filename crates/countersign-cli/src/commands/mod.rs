//! One file for each command, and what those that judge lines have in common.

pub(crate) mod check;
pub(crate) mod verify;
pub(crate) mod score;
pub(crate) mod step;
pub(crate) mod parse;
pub(crate) mod claims;
pub(crate) mod factcheck;
pub(crate) mod calibrate;
pub(crate) mod kb;
pub(crate) mod serve;
pub(crate) mod demo;
pub(crate) mod chat;
pub(crate) mod tools;
pub(crate) mod mcp;
pub(crate) mod hook;
pub(crate) mod audit;
pub(crate) mod config;
pub(crate) mod keys;
pub(crate) mod review;
pub(crate) mod backup;
pub(crate) mod session;
pub(crate) mod doctor;
pub(crate) mod health;
pub(crate) mod events;
pub(crate) mod explain;
pub(crate) mod policy;
pub(crate) mod completions;
pub(crate) mod man;

use crate::args::{Format, OutputArgs};
use crate::failure::Failure;
use crate::human::canvas::Canvas;
use crate::human::summary;
use crate::lines::{Judge, Shape, Source, pipeline};
use countersign::contract::Language;
use std::io::{self, IsTerminal, Write};

/// What a run of lines needs beside its judge.
struct Run {
    sources: Vec<Source>,
    format: Format,
    canvas: Canvas,
    jobs: usize,
    /// What the lines are, for the summary.
    what: (&'static str, &'static str),
}

impl Run {
    fn new(
        sources: Vec<Source>,
        args: OutputArgs,
        language: Option<Language>,
        what: (&'static str, &'static str),
    ) -> Self {
        let canvas = Canvas::new(args.color, language);
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = args.jobs.map_or_else(cores, usize::from);
        Self { sources, format: format(args.format), canvas, jobs, what }
    }

    /// Judges every line and gives the exit code.
    fn go<J: Judge>(self, judge: &J) -> Result<u8, Failure> {
        let shape = match self.format {
            Format::Human => Shape::Human(self.canvas.clone()),
            Format::Jsonl => Shape::Lines,
            Format::Json => Shape::Items,
        };
        let tally = pipeline::run(judge, self.sources, &shape, self.jobs)?;
        if self.format == Format::Human {
            print(&summary::draw(self.canvas, &tally, self.what))?;
        }
        Ok(tally.exit_code())
    }
}

/// For people on a terminal, for programs elsewhere.
fn format(asked: Option<Format>) -> Format {
    asked.unwrap_or(if io::stdout().is_terminal() { Format::Human } else { Format::Jsonl })
}

/// Writes text to standard output.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| Failure::writing(&error))
}
