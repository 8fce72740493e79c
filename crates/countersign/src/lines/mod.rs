//! JSON text in, a report out: what the command line, the server, the Python package and the wasm package share.
//!
//! Every face reads its requests here, so the same text gets the same report everywhere. The line's own words win over the
//! caller's defaults, and those over the policy. Nobody is asked about the world: a face that can ask reads the request
//! here and judges it with its asker.

/// Guards, compiled once for each list of tools.
pub mod guards;
/// A model's output while it comes.
pub mod stream;

use crate::check_call::Guard;
use crate::contract::{
    Answers, ConfidenceAssessment, Context, Language, Level, StepReport, ToolSpec, Verdict, VerificationLevel,
    VerificationReport,
};
use crate::conversation::Conversation;
use crate::inspect::claims::ClaimsReport;
use crate::inspect::parse::Reading;
use crate::inspect::{self, AnswerReport};
use crate::policy::Policy;
use crate::resolve::{KnownOfAnswer, examine_answer};
use crate::wire::WireError;
use crate::wire::claims::read_claims;
use crate::wire::outputs::{ParseRequest, read_parse};
use crate::wire::requests::{
    CheckRequest, ScoreRequest, StepRequest, ToolLine, VerifyRequest, read_score, read_verify,
};
use crate::{check_result, score};
use guards::Guards;
use serde_json::{Map, Value};
use std::sync::Arc;

/// What lines need not repeat.
#[derive(Debug, Clone, Default)]
pub struct Defaults {
    /// The registered tools; `None` where nothing is known of them.
    pub tools: Option<Vec<ToolSpec>>,
    /// What is known of the caller.
    pub context: Map<String, Value>,
    /// The language to answer in.
    pub language: Option<Language>,
    /// How strictly calls are checked.
    pub level: Option<Level>,
    /// How strictly results are verified.
    pub verification_level: Option<VerificationLevel>,
}

/// The engine for lines of JSON.
#[derive(Debug)]
pub struct Lines {
    policy: Arc<Policy>,
    guards: Guards,
    defaults: Defaults,
}

impl Lines {
    /// An engine by a policy and defaults.
    pub fn new(policy: Arc<Policy>, defaults: Defaults) -> Self {
        let fallback = Guard::new(defaults.tools.clone(), Arc::clone(&policy));
        let guards = Guards::new(fallback, Arc::clone(&policy));
        Self { policy, guards, defaults }
    }

    /// The rules in force.
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// What lines need not repeat.
    pub fn defaults(&self) -> &Defaults {
        &self.defaults
    }

    /// The guards of the lists of tools that were seen.
    pub fn guards(&self) -> &Guards {
        &self.guards
    }

    /// Judges the call of a line.
    pub fn check(&self, line: &str) -> Result<Verdict, WireError> {
        let (guard, mut request) = self.read_check(line)?;
        let conversation = Conversation::of(std::mem::take(&mut request.messages));
        Ok(inspect::check_in(&guard, &request, &conversation, &Answers::default()))
    }

    /// Verifies the result of a line.
    pub fn verify(&self, line: &str) -> Result<VerificationReport, WireError> {
        Ok(check_result::verify(&self.read_verify(line)?, &self.policy))
    }

    /// Scores the answer of a line.
    pub fn score(&self, line: &str) -> Result<ConfidenceAssessment, WireError> {
        Ok(score::assess(&read_score_line(line)?, &self.policy.score))
    }

    /// Judges the step of a line.
    pub fn step(&self, line: &str) -> Result<StepReport, WireError> {
        let (guard, request) = self.read_step(line)?;
        Ok(inspect::step(&guard, &request, &Answers::default()))
    }

    /// Examines the answer that ends a conversation, as a gateway does it. `None` where it is empty, or too long to be weighed.
    pub fn answer(&self, line: &str) -> Result<Option<AnswerReport>, WireError> {
        let mut parsed = ToolLine::parse(line).map_err(not_json)?;
        let guard = self.guards.of(parsed.tools)?;
        // A step without its call: the conversation has the calls.
        parsed.fields.entry("call").or_insert_with(|| Value::Object(Map::new()));
        let request = self.fill_step(parsed.step()?);
        let conversation = Conversation::of(request.check.messages);
        let known = KnownOfAnswer { logprobs: request.logprobs.as_deref().unwrap_or_default(), ..Default::default() };
        Ok(examine_answer(&guard, &conversation, &request.check.context, &known, &request.response))
    }

    /// Reads the output of a model.
    pub fn parse(&self, line: &str) -> Result<Reading, WireError> {
        let mut request = read_parse_line(line)?;
        request.tools = request.tools.or_else(|| self.defaults.tools.clone());
        inspect::parse::parse(&request, &self.policy)
    }

    /// Marks the claims of a message.
    pub fn claims(&self, line: &str) -> Result<ClaimsReport, WireError> {
        claims(line, &self.policy)
    }

    /// The call of a line, and the guard for its tools.
    pub fn read_check(&self, line: &str) -> Result<(Arc<Guard>, CheckRequest), WireError> {
        let line = ToolLine::parse(line).map_err(not_json)?;
        let guard = self.guards.of(line.tools)?;
        Ok((guard, self.fill_check(line.check()?)))
    }

    /// The result of a line.
    pub fn read_verify(&self, line: &str) -> Result<VerifyRequest, WireError> {
        let body = serde_json::from_str(line).map_err(not_json)?;
        let mut request = read_verify(&body)?;
        let known = |tool: &&ToolSpec| tool.name == request.call.name;
        request.tool = request.tool.or_else(|| self.defaults.tools.iter().flatten().find(known).cloned());
        request.level = request.level.or(self.defaults.verification_level);
        request.language = request.language.or(self.defaults.language);
        self.fill_context(&mut request.context);
        Ok(request)
    }

    /// The step of a line, and the guard for its tools.
    pub fn read_step(&self, line: &str) -> Result<(Arc<Guard>, StepRequest), WireError> {
        let parsed = ToolLine::parse(line).map_err(not_json)?;
        let guard = self.guards.of(parsed.tools)?;
        Ok((guard, self.fill_step(parsed.step()?)))
    }

    /// A request with the defaults where it says nothing itself.
    pub fn fill_check(&self, mut request: CheckRequest) -> CheckRequest {
        request.level = request.level.or(self.defaults.level);
        request.language = request.language.or(self.defaults.language);
        self.fill_context(&mut request.context);
        request
    }

    /// The same for a step.
    pub fn fill_step(&self, mut request: StepRequest) -> StepRequest {
        request.verification_level = request.verification_level.or(self.defaults.verification_level);
        request.check = self.fill_check(request.check);
        request
    }

    fn fill_context(&self, context: &mut Context) {
        for (key, value) in &self.defaults.context {
            context.0.entry(key.as_str()).or_insert_with(|| value.clone());
        }
    }
}

/// Marks the claims of a line.
pub fn claims(line: &str, policy: &Policy) -> Result<ClaimsReport, WireError> {
    let body = serde_json::from_str(line).map_err(not_json)?;
    Ok(inspect::claims::claims(read_claims(body)?, policy))
}

/// Reads the answer of a line.
pub fn read_score_line(line: &str) -> Result<ScoreRequest, WireError> {
    read_score(&serde_json::from_str(line).map_err(not_json)?)
}

/// Reads the output of a line.
pub fn read_parse_line(line: &str) -> Result<ParseRequest, WireError> {
    read_parse(&serde_json::from_str(line).map_err(not_json)?)
}

/// A line that is no JSON object. The column is kept; the line number is the input's, not the text's.
pub fn not_json(error: serde_json::Error) -> WireError {
    let text = error.to_string();
    let cause = text.split(" at line ").next().unwrap_or_default();
    let message = match error.column() {
        0 => format!("not a JSON object: {cause}"),
        column => format!("not a JSON object: {cause} at column {column}"),
    };
    WireError { message, param: None }
}
