//! The one door to the engine: everything the commands ask of it, with the defaults of the command line filled in.
//!
//! How lines are read stands in the engine (`lines`), where every face finds it; here are the files that the command line
//! names, and who is asked about the world.

pub(crate) mod parse;
pub(crate) mod claims;
pub(crate) mod factcheck;
pub(crate) mod explained;

use crate::args::{BaseArgs, GuardArgs, PolicyFile};
use crate::failure::Failure;
use crate::human::pointed::point_at;
use crate::lines::BadLine;
use countersign::check_call::Guard;
use countersign::check_call::watch::{Nobody, Watch};
use countersign::contract::{
    ConfidenceAssessment, Language, Level, StepReport, ToolSpec, Verdict, VerificationLevel, VerificationReport,
};
use countersign::conversation::Conversation;
use countersign::lines::{self, Defaults, Lines, not_json};
use countersign::policy::Policy;
use countersign::wire::WireError;
use countersign::wire::requests::{CheckRequest, ScoreRequest, StepRequest, ToolLine, VerifyRequest};
use countersign::wire::tools::read_tools;
use countersign::{inspect, score};
use countersign_runtime::Asker;
use explained::{Explained, Stopwatch};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// The engine with the defaults of the command line.
pub(crate) struct Engine {
    lines: Lines,
    /// Who answers questions about the world; nobody where the policy names no source.
    asker: Option<Asker>,
}

impl Engine {
    /// An engine for calls.
    pub(crate) fn for_calls(args: &GuardArgs, verification_level: Option<VerificationLevel>) -> Result<Self, Failure> {
        Self::open(&args.base, args.level, verification_level)
    }

    /// An engine for results.
    pub(crate) fn for_results(args: &BaseArgs, verification_level: Option<VerificationLevel>) -> Result<Self, Failure> {
        Self::open(args, None, verification_level)
    }

    fn open(
        args: &BaseArgs,
        level: Option<Level>,
        verification_level: Option<VerificationLevel>,
    ) -> Result<Self, Failure> {
        let policy = load_policy(&args.policy)?;
        let tools = args.tools.as_deref().map(load_tools).transpose()?;
        let context = args.context.as_deref().map(read_context).transpose()?.unwrap_or_default();
        let asker = open_sources(&policy, &args.policy)?;
        let defaults = Defaults { tools, context, language: args.language, level, verification_level };
        Ok(Self { lines: Lines::new(policy, defaults), asker })
    }

    /// An engine for calls by a policy that stands in no file.
    pub(crate) fn of_text(policy: Policy, tools: Option<&Path>) -> Result<Self, Failure> {
        let asker = open_sources(&policy, &PolicyFile { file: None })?;
        let defaults = Defaults { tools: tools.map(load_tools).transpose()?, ..Defaults::default() };
        Ok(Self { lines: Lines::new(Arc::new(policy), defaults), asker })
    }

    /// An engine by a policy alone; nobody answers its questions about the world.
    pub(crate) fn of_policy(policy: Arc<Policy>) -> Self {
        Self { lines: Lines::new(policy, Defaults::default()), asker: None }
    }

    /// The rules in force.
    pub(crate) fn policy(&self) -> &Arc<Policy> {
        self.lines.policy()
    }

    /// Whether judging a call may ask files, databases or the network.
    pub(crate) fn asks_outside(&self) -> bool {
        self.asker.is_some()
    }

    /// The guard for tools as they were written; tools that cannot be read count as not known.
    pub(crate) fn guard(&self, tools: Option<&str>) -> Arc<Guard> {
        self.lines.guards().of_text(tools)
    }

    /// Judges the call of a line.
    pub(crate) fn check(&self, line: &str) -> Result<Verdict, BadLine> {
        self.check_watched(line, &mut Nobody)
    }

    /// The same, with the way there and what it cost.
    pub(crate) fn explain(&self, line: &str) -> Result<Explained, BadLine> {
        let mut watch = Stopwatch::default();
        let verdict = self.check_watched(line, &mut watch)?;
        let line = watch.line(&verdict);
        Ok(Explained { verdict, line })
    }

    fn check_watched<W: Watch>(&self, line: &str, watch: &mut W) -> Result<Verdict, BadLine> {
        let (guard, mut request) = self.lines.read_check(line).map_err(bad_line)?;
        let conversation = Conversation::of(std::mem::take(&mut request.messages));
        Ok(countersign_runtime::judge_watched(&guard, &request, &conversation, self.asker.as_ref(), watch))
    }

    /// Reads the call of a line, to show it.
    pub(crate) fn read_check(&self, line: &str) -> Result<CheckRequest, BadLine> {
        ToolLine::parse(line).map_err(not_json).and_then(ToolLine::check).map_err(bad_line)
    }

    /// Verifies the result of a line.
    pub(crate) fn verify(&self, line: &str) -> Result<VerificationReport, BadLine> {
        self.lines.verify(line).map_err(bad_line)
    }

    /// Reads the result of a line.
    pub(crate) fn read_verify(&self, line: &str) -> Result<VerifyRequest, BadLine> {
        self.lines.read_verify(line).map_err(bad_line)
    }

    /// Judges the step of a line.
    pub(crate) fn step(&self, line: &str) -> Result<StepReport, BadLine> {
        let (guard, request) = self.lines.read_step(line).map_err(bad_line)?;
        Ok(countersign_runtime::judge_step(&guard, &request, self.asker.as_ref()))
    }

    /// Reads the step of a line, to show it.
    pub(crate) fn read_step(&self, line: &str) -> Result<StepRequest, BadLine> {
        ToolLine::parse(line).map_err(not_json).and_then(ToolLine::step).map_err(bad_line)
    }

    /// The language that a step is answered in.
    pub(crate) fn step_language(&self, request: &StepRequest) -> Language {
        inspect::step_language(&self.lines.fill_step(request.clone()), self.lines.policy())
    }

    /// The language that a call is answered in.
    pub(crate) fn check_language(&self, request: &CheckRequest) -> Language {
        inspect::check_language(&self.lines.fill_check(request.clone()), self.lines.policy())
    }
}

/// Scores the answer of a line.
pub(crate) fn score_line(line: &str, policy: &Policy) -> Result<ConfidenceAssessment, BadLine> {
    Ok(score::assess(&read_score_line(line)?, &policy.score))
}

/// Reads the answer of a line.
pub(crate) fn read_score_line(line: &str) -> Result<ScoreRequest, BadLine> {
    lines::read_score_line(line).map_err(bad_line)
}

/// Reads a policy, or takes the one that ships.
pub(crate) fn load_policy(args: &PolicyFile) -> Result<Arc<Policy>, Failure> {
    args.file.as_deref().map_or_else(|| Ok(Policy::standard()), |path| read_policy(path).map(Arc::new))
}

/// Reads a policy file. What is wrong in it is shown with its line.
pub(crate) fn read_policy(path: &Path) -> Result<Policy, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, "read", &error))?;
    Policy::from_toml(&text).map_err(|error| point_at(path, text, error))
}

/// Opens what the policy asks about the world. Its files lie beside it.
pub(crate) fn open_sources(policy: &Policy, args: &PolicyFile) -> Result<Option<Asker>, Failure> {
    let base = args.file.as_deref().and_then(Path::parent).unwrap_or(Path::new("."));
    let asker = Asker::from_policy(policy, base).map_err(|error| Failure::unusable(error.to_string()))?;
    Ok(Some(asker).filter(|asker| !asker.is_empty()))
}

/// Reads a file of tools.
pub(crate) fn load_tools(path: &Path) -> Result<Vec<ToolSpec>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, "read", &error))?;
    read_tools(text.trim_start_matches('\u{feff}')).map_err(|error| {
        let help = "a tools file is a JSON array of definitions, or an MCP answer `{\"tools\": [...]}`";
        Failure::with_help(format!("{}: {error}", path.display()), help)
    })
}

/// Reads what is known about the caller.
pub(crate) fn read_context(json: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(json).map_err(|error| Failure::unusable(format!("--context must be a JSON object: {error}")))
}

/// A request that cannot be read.
pub(crate) fn bad_line(error: WireError) -> BadLine {
    BadLine(error.message)
}
