//! One file for each command, and what those that judge lines have in common.

pub mod check;
pub mod verify;
pub mod score;
pub mod step;
pub mod parse;
pub mod claims;
pub mod factcheck;
pub mod calibrate;
pub mod kb;
pub mod serve;
pub mod demo;
pub mod chat;
pub mod tools;
pub mod config;
pub mod keys;
pub mod review;
pub mod doctor;
pub mod health;
pub mod events;
pub mod explain;
pub mod policy;
pub mod completions;
pub mod man;

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
