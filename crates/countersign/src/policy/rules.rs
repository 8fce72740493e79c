//! Rules on calls: CEL expressions, compiled once, with a bound on what they may cost.

use super::Effect;
use super::pattern::Pattern;
use crate::contract::Context;
use cel::common::ast::Expr;
use cel::{Context as Scope, Env, ExecutionError, Program, Value as Cel};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

/// Why something in a policy cannot be used: the word to point at, what is wrong, what to do.
pub type Fault = (String, String, Option<String>);

/// One `[[rules]]` table.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RawRule {
    /// A name for reports.
    pub name: String,
    /// Name patterns of the tools that it is about; all where absent.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Effects of the tools that it is about; all where absent.
    #[serde(default)]
    pub effects: Vec<Effect>,
    /// The condition, in CEL, over `tool`, `arguments`, `user` and `context`; always where absent.
    #[serde(default)]
    pub when: Option<String>,
    /// What happens then.
    pub effect: RuleEffect,
    /// Why, in a sentence for people.
    pub reason: String,
    /// The same in Chinese.
    #[serde(default)]
    pub reason_zh: Option<String>,
}

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RuleEffect {
    /// The call is rejected at every level.
    Deny,
    /// A person decides.
    Review,
    /// The call goes on with a warning.
    Warn,
}

/// A compiled rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// What it does.
    pub effect: RuleEffect,
    /// Why, in English and where given in Chinese.
    pub reason: (String, Option<String>),
    tools: Vec<Pattern>,
    effects: Vec<Effect>,
    when: Option<Condition>,
}

/// A compiled CEL expression that gives true or false.
#[derive(Debug, Clone)]
pub struct Condition {
    program: Arc<Program>,
    source: String,
    /// The variables that the expression reads; nothing else is put together for it.
    reads: Vec<String>,
    /// What it gives where the context is empty, if it reads nothing but the caller and the context.
    for_nobody: Option<bool>,
}

impl Rule {
    /// Compiles a rule.
    pub fn compile(raw: RawRule) -> Result<Self, Fault> {
        let when = raw.when.as_deref().map(Condition::compile).transpose()?;
        if let Some(name) = when.iter().flat_map(|when| &when.reads).find(|name| !VARIABLES.contains(&name.as_str())) {
            let help = match super::pattern::nearest(name, VARIABLES) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the variables are {}", VARIABLES.join(", ")),
            };
            return Err((name.clone(), format!("unknown variable `{name}` in rule `{}`", raw.name), Some(help)));
        }
        Ok(Self {
            name: raw.name,
            effect: raw.effect,
            reason: (raw.reason, raw.reason_zh),
            tools: raw.tools.into_iter().map(Pattern::new).collect(),
            effects: raw.effects,
            when,
        })
    }

    /// Whether the rule is about a tool at all. Cheap, so that most calls evaluate no expression.
    pub fn is_about(&self, tool: &str, effects: &[Effect]) -> bool {
        (self.tools.is_empty() || self.tools.iter().any(|pattern| pattern.matches(tool)))
            && (self.effects.is_empty() || self.effects.iter().any(|effect| effects.contains(effect)))
    }

    /// Whether the rule's condition holds; `variable` gives each variable that it reads.
    pub fn holds(&self, context: &Context, variable: impl Fn(&str) -> Option<Value>) -> Result<bool, String> {
        match &self.when {
            None => Ok(true),
            Some(Condition { for_nobody: Some(holds), .. }) if context.0.is_empty() => Ok(*holds),
            Some(condition) => condition.holds_with(variable),
        }
    }
}

impl Condition {
    /// Compiles an expression and refuses one that could cost more than its input's size squared.
    pub fn compile(source: &str) -> Result<Self, Fault> {
        let fault = |message: String, help: Option<String>| (first_line(source), message, help);
        if source.len() > MAX_SOURCE {
            return Err(fault(
                format!("the expression is longer than {MAX_SOURCE} bytes"),
                Some("split it into several rules".into()),
            ));
        }
        let program = Program::compile(source)
            .map_err(|errors| fault(format!("not a CEL expression: {}", errors.to_string().trim()), None))?;
        if loops(&program.expression().expr) > MAX_LOOPS {
            return Err(fault(
                "the expression nests more than two loops".into(),
                Some("use at most two of all, exists, map and filter inside each other".into()),
            ));
        }
        let reads = program.references().variables().iter().map(|name| (*name).to_owned()).collect();
        let mut condition = Self { program: Arc::new(program), source: source.to_owned(), reads, for_nobody: None };
        if condition.reads.iter().all(|name| name == "user" || name == "context") {
            let nobody = Context::default();
            let variable = |name: &str| if name == "user" { Some(user_variable(&nobody)) } else { Some(json!({})) };
            condition.for_nobody = condition.holds_with(variable).ok();
        }
        Ok(condition)
    }

    /// Evaluates the expression over these variables.
    pub fn holds(&self, variables: &Map<String, Value>) -> Result<bool, String> {
        self.holds_with(|name| variables.get(name).cloned())
    }

    /// Evaluates the expression; `variable` is asked only for what the expression reads.
    pub fn holds_with(&self, variable: impl Fn(&str) -> Option<Value>) -> Result<bool, String> {
        let mut scope = Scope::with_env(Arc::clone(&STANDARD));
        for name in &self.reads {
            if let Some(value) = variable(name) {
                scope.add_variable(name.clone(), &value).map_err(|error| error.to_string())?;
            }
        }
        match self.program.execute(&scope) {
            Ok(Cel::Bool(holds)) => Ok(holds),
            Ok(other) => Err(format!("`{}` gives {:?}, not true or false", self.source, other.type_of())),
            Err(ExecutionError::NoSuchKey(key)) => Err(format!("`{}` reads `{key}`, which is absent", self.source)),
            Err(error) => Err(format!("`{}`: {error}", self.source)),
        }
    }
}

/// The `user` variable: what the context says, with the common keys always there.
pub fn user_variable(context: &Context) -> Value {
    let mut user = json!({"role": "", "id": "", "tenant": "", "scopes": [], "permissions": []});
    if let (Some(user), Some(known)) = (user.as_object_mut(), context.0.get("user").and_then(Value::as_object)) {
        user.extend(known.clone());
    }
    if let (Some(user), Some(role)) = (user.as_object_mut(), context.role()) {
        user.insert("role".into(), role.trim().to_lowercase().into());
    }
    user
}

/// How many loops stand inside each other.
fn loops(expression: &Expr) -> usize {
    match expression {
        Expr::Comprehension(c) => {
            let inner = [&c.loop_step, &c.loop_cond, &c.result, &c.accu_init]
                .into_iter()
                .map(|e| loops(&e.expr))
                .max()
                .unwrap_or(0);
            (1 + inner).max(loops(&c.iter_range.expr))
        }
        Expr::Call(call) => {
            let target = call.target.as_ref().map_or(0, |target| loops(&target.expr));
            call.args.iter().map(|arg| loops(&arg.expr)).max().unwrap_or(0).max(target)
        }
        Expr::List(list) => list.elements.iter().map(|item| loops(&item.expr)).max().unwrap_or(0),
        Expr::Select(select) => loops(&select.operand.expr),
        _ => 0,
    }
}

fn first_line(source: &str) -> String {
    source.lines().next().unwrap_or_default().to_owned()
}

/// The standard functions of CEL, put together once: that costs more than most expressions.
static STANDARD: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));

const VARIABLES: &[&str] = &["tool", "arguments", "user", "context"];
const MAX_SOURCE: usize = 4096;
const MAX_LOOPS: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(source: &str) -> Result<bool, String> {
        let variables = json!({"user": {"role": "viewer", "age": 3}, "arguments": {"amount": 12.5, "to": ["a", "b"]}});
        Condition::compile(source).unwrap().holds(variables.as_object().unwrap())
    }

    #[test]
    fn expressions_are_evaluated_and_bounded() {
        assert_eq!(holds("user.role == 'viewer' && arguments.amount > 10.0"), Ok(true));
        assert_eq!(holds("arguments.to.exists(x, x == 'c')"), Ok(false));
        assert!(holds("user.missing == 1").unwrap_err().contains("missing"));
        assert!(holds("user.age").unwrap_err().contains("not true or false"));
        assert!(Condition::compile("user.role ==").is_err());
        let nested = "arguments.to.all(a, arguments.to.all(b, arguments.to.all(c, true)))";
        assert!(Condition::compile(nested).unwrap_err().1.contains("loops"));
    }
}
