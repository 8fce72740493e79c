//! `hook report`: what was refused, asked and noted.

use crate::args::{Format, ReportArgs};
use crate::commands::{format, print};
use crate::failure::Failure;
use crate::hook::home::Home;
use crate::hook::journal::{Line, read};
use std::collections::BTreeMap;

/// Shows the journal.
pub(super) fn run(args: &ReportArgs, home: &Home) -> Result<u8, Failure> {
    let lines = read(home);
    let last = lines.get(lines.len().saturating_sub(args.last)..).unwrap_or_default();
    if format(args.format) != Format::Human {
        for line in last {
            print(&format!("{}\n", serde_json::to_string(line).unwrap_or_default()))?;
        }
        return Ok(0);
    }
    if lines.is_empty() {
        print("nothing was refused, asked or noted so far\n")?;
        return Ok(0);
    }
    let mut counts: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for line in &lines {
        *counts.entry((line.ruling.as_str(), line.observed)).or_default() += 1;
    }
    for ((ruling, observed), count) in counts {
        let only = if observed { "  (only recorded)" } else { "" };
        print(&format!("{count:>6}  {ruling}{only}\n"))?;
    }
    for line in last {
        print(&draw(line))?;
    }
    Ok(0)
}

fn draw(line: &Line) -> String {
    let at =
        jiff::Timestamp::from_second(i64::try_from(line.at).unwrap_or(0)).map(|at| at.to_string()).unwrap_or_default();
    let subject = if line.subject.is_empty() { String::new() } else { format!(" {}", line.subject.replace('\n', " ")) };
    format!("\n{at}  {}  {}  {}{subject}\n  {}\n", line.agent, line.ruling, line.tool, line.reason)
}
