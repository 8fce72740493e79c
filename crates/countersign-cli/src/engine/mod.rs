//! The one door to the engine: everything the commands ask of it, with the defaults of the command line filled in.
//!
//! A line's own words win over the command line, the command line over the policy. Tools are compiled once for each
//! list of tools that is seen, because most lines repeat the list of the line before.

pub(crate) mod guards;
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
    Answers, ConfidenceAssessment, Context, Language, Level, StepReport, ToolSpec, Verdict, VerificationLevel,
    VerificationReport,
};
use countersign::conversation::Conversation;
use countersign::policy::Policy;
use countersign::wire::WireError;
use countersign::wire::requests::{
    CheckRequest, ScoreRequest, StepRequest, ToolLine, VerifyRequest, read_score, read_verify,
};
use countersign::wire::tools::read_tools;
use countersign::{check_result, inspect, score};
use countersign_runtime::Asker;
use explained::{Explained, Stopwatch};
use guards::Guards;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// The engine with the defaults of the command line.
pub(crate) struct Engine {
    policy: Arc<Policy>,
    tools: Option<Vec<ToolSpec>>,
    guards: Guards,
    /// Who answers questions about the world; nobody where the policy names no source.
    asker: Option<Asker>,
    context: Map<String, Value>,
    language: Option<Language>,
    level: Option<Level>,
    verification_level: Option<VerificationLevel>,
}

impl Engine {
    /// An engine for calls.
    pub(crate) fn for_calls(args: &GuardArgs, verification_level: Option<VerificationLevel>) -> Result<Self, Failure> {
        Ok(Self { level: args.level, ..Self::for_results(&args.base, verification_level)? })
    }

    /// An engine for results.
    pub(crate) fn for_results(args: &BaseArgs, verification_level: Option<VerificationLevel>) -> Result<Self, Failure> {
        let policy = load_policy(&args.policy)?;
        let tools = args.tools.as_deref().map(load_tools).transpose()?;
        let context = args.context.as_deref().map(read_context).transpose()?.unwrap_or_default();
        let guards = Guards::new(Guard::new(tools.clone(), Arc::clone(&policy)), Arc::clone(&policy));
        let asker = open_sources(&policy, &args.policy)?;
        Ok(Self { policy, tools, guards, asker, context, language: args.language, level: None, verification_level })
    }

    /// An engine by a policy alone; nobody answers its questions about the world.
    pub(crate) fn of_policy(policy: Arc<Policy>) -> Self {
        let guards = Guards::new(Guard::new(None, Arc::clone(&policy)), Arc::clone(&policy));
        Self {
            policy,
            tools: None,
            guards,
            asker: None,
            context: Map::new(),
            language: None,
            level: None,
            verification_level: None,
        }
    }

    /// The rules in force.
    pub(crate) fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// Whether judging a call may ask files, databases or the network.
    pub(crate) fn asks_outside(&self) -> bool {
        self.asker.is_some()
    }

    /// The guard for tools as they were written; tools that cannot be read count as not known.
    pub(crate) fn guard(&self, tools: Option<&str>) -> Arc<Guard> {
        self.guards.of_text(tools)
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
        let line = ToolLine::parse(line).map_err(not_json)?;
        let guard = self.guards.of(line.tools).map_err(bad_line)?;
        let mut request = self.fill_check(line.check().map_err(bad_line)?);
        let conversation = Conversation::of(std::mem::take(&mut request.messages));
        Ok(countersign_runtime::judge_watched(&guard, &request, &conversation, self.asker.as_ref(), watch))
    }

    /// Reads the call of a line, to show it.
    pub(crate) fn read_check(&self, line: &str) -> Result<CheckRequest, BadLine> {
        ToolLine::parse(line).map_err(not_json)?.check().map_err(bad_line)
    }

    /// Verifies the result of a line.
    pub(crate) fn verify(&self, line: &str) -> Result<VerificationReport, BadLine> {
        let request = self.read_verify(line)?;
        Ok(check_result::verify(&request, &self.policy))
    }

    /// Reads the result of a line.
    pub(crate) fn read_verify(&self, line: &str) -> Result<VerifyRequest, BadLine> {
        let body = serde_json::from_str(line).map_err(not_json)?;
        let mut request = read_verify(&body).map_err(bad_line)?;
        let known = |tool: &&ToolSpec| tool.name == request.call.name;
        request.tool = request.tool.or_else(|| self.tools.iter().flatten().find(known).cloned());
        request.level = request.level.or(self.verification_level);
        request.language = request.language.or(self.language);
        self.fill_context(&mut request.context);
        Ok(request)
    }

    /// Judges the step of a line.
    pub(crate) fn step(&self, line: &str) -> Result<StepReport, BadLine> {
        let parsed = ToolLine::parse(line).map_err(not_json)?;
        let guard = self.guards.of(parsed.tools).map_err(bad_line)?;
        let request = self.fill_step(parsed.step().map_err(bad_line)?);
        Ok(self.judge_step(&guard, &request))
    }

    /// Where the engine asks something and there is somebody to ask, the step is judged again with the answers.
    fn judge_step(&self, guard: &Guard, request: &StepRequest) -> StepReport {
        let ask = self.asker.as_ref().map(|asker| (asker, inspect::check(guard, &request.check, &Answers::default())));
        let answers = match ask {
            Some((asker, verdict)) if !verdict.unanswered.is_empty() => asker.answer_all(&verdict.unanswered),
            _ => Answers::default(),
        };
        inspect::step(guard, request, &answers)
    }

    /// Reads the step of a line, to show it.
    pub(crate) fn read_step(&self, line: &str) -> Result<StepRequest, BadLine> {
        ToolLine::parse(line).map_err(not_json)?.step().map_err(bad_line)
    }

    /// The language that a step is answered in.
    pub(crate) fn step_language(&self, request: &StepRequest) -> Language {
        inspect::step_language(&self.fill_step(request.clone()), &self.policy)
    }

    /// The language that a call is answered in.
    pub(crate) fn check_language(&self, request: &CheckRequest) -> Language {
        inspect::check_language(&self.fill_check(request.clone()), &self.policy)
    }

    fn fill_check(&self, mut request: CheckRequest) -> CheckRequest {
        request.level = request.level.or(self.level);
        request.language = request.language.or(self.language);
        self.fill_context(&mut request.context);
        request
    }

    fn fill_step(&self, mut request: StepRequest) -> StepRequest {
        request.verification_level = request.verification_level.or(self.verification_level);
        request.check = self.fill_check(request.check);
        request
    }

    fn fill_context(&self, context: &mut Context) {
        for (key, value) in &self.context {
            context.0.entry(key.as_str()).or_insert_with(|| value.clone());
        }
    }
}

/// Scores the answer of a line.
pub(crate) fn score_line(line: &str, policy: &Policy) -> Result<ConfidenceAssessment, BadLine> {
    let request = read_score_line(line)?;
    Ok(score::assess(&request, &policy.score))
}

/// Reads the answer of a line.
pub(crate) fn read_score_line(line: &str) -> Result<ScoreRequest, BadLine> {
    let body = serde_json::from_str(line).map_err(not_json)?;
    read_score(&body).map_err(bad_line)
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

fn read_context(json: &str) -> Result<Map<String, Value>, Failure> {
    serde_json::from_str(json).map_err(|error| Failure::unusable(format!("--context must be a JSON object: {error}")))
}

/// A line that is no JSON object. The column is kept; the line number is the input's, not the text's.
fn not_json(error: serde_json::Error) -> BadLine {
    let text = error.to_string();
    let cause = text.split(" at line ").next().unwrap_or_default();
    match error.column() {
        0 => BadLine(format!("not a JSON object: {cause}")),
        column => BadLine(format!("not a JSON object: {cause} at column {column}")),
    }
}

fn bad_line(error: WireError) -> BadLine {
    BadLine(error.message)
}
