//! `countersign audit`: recorded traces in, a report out.

/// The files that are read.
mod found;
/// What was found before.
mod baseline;
/// What --fail-on says.
mod limit;
/// Everything that was found, within bounds.
mod summary;
/// A file, read record by record into conversations.
mod input;
/// How a report is written.
mod formats;
/// One reads, several judge, one collects.
mod pipeline;

use crate::args::AuditArgs;
use crate::config;
use crate::engine::read_policy;
use crate::failure::Failure;
use baseline::Baseline;
use countersign::audit::Auditor;
use countersign::policy::Policy;
use formats::Writer;
use limit::Limit;
use std::path::Path;
use summary::Summary;

/// Judges the traces and writes the report.
pub(crate) fn run(mut args: AuditArgs) -> Result<u8, Failure> {
    let limit = Limit::read(&args.fail_on)?;
    // A policy that was named is compared; one that the folder has anyway is only used.
    let compared = args.policy.file.is_some() || args.against.is_some();
    config::fill_in_policy(&mut args.policy)?;
    let auditor = Auditor::new(open_policy(args.policy.file.as_deref())?);
    let other = compared.then(|| open_policy(args.against.as_deref())).transpose()?.map(Auditor::new);
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?.unwrap_or_default();
    let Some(files) = found::files(&args)? else { return Ok(0) };
    let mut writer = Writer::open(&args)?;
    let mut summary = Summary::new(baseline, limit);
    let work = pipeline::Work { auditor: &auditor, other: other.as_ref(), sample: args.sample, jobs: jobs(&args) };
    pipeline::run(&files, &work, &mut summary, &mut writer)?;
    if summary.conversations == 0 {
        let first = summary.problems.first().map(|problem| problem.sentence()).unwrap_or_default();
        return Err(Failure::with_help(
            format!("no trace found in {} file(s). {first}", files.len()),
            "`countersign audit --help` lists the formats; each is told by its content",
        ));
    }
    writer.finish(&summary)?;
    if let Some(path) = &args.write_baseline {
        summary.seen.write(path)?;
    }
    Ok(u8::from(summary.failed))
}

fn open_policy(file: Option<&Path>) -> Result<Policy, Failure> {
    file.map_or_else(|| Ok(Policy::standard().as_ref().clone()), read_policy)
}

fn jobs(args: &AuditArgs) -> usize {
    args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}
