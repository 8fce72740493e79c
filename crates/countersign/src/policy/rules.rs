//! Rules on calls: CEL expressions, compiled once, with a bound on what they may cost.

use super::Effect;
use super::pattern::Pattern;
use crate::contract::Context;
use cel::common::ast::{ComprehensionExpr, EntryExpr, Expr, IdedEntryExpr};
use cel::{Context as Scope, Env, ExecutionError, ParseErrors, Program, Value as Cel};
use serde::{Deserialize, Serialize, Serializer};
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

impl RuleEffect {
    /// Its name, as policies write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Review => "review",
            Self::Warn => "warn",
        }
    }
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
    /// How many loops stand inside each other.
    loops: u32,
    /// What it gives where the context is empty, if it reads nothing but the caller and the context.
    for_nobody: Option<bool>,
}

impl Rule {
    /// Compiles a rule.
    pub fn compile(raw: RawRule) -> Result<Self, Fault> {
        let named = |(word, message, help): Fault| (word, format!("rule `{}`: {message}", raw.name), help);
        let compile = |source: &str| Condition::compile(source, VARIABLES).map_err(named);
        let when = raw.when.as_deref().map(compile).transpose()?;
        Ok(Self {
            name: raw.name,
            effect: raw.effect,
            reason: (raw.reason, raw.reason_zh),
            tools: raw.tools.into_iter().map(Pattern::new).collect(),
            effects: raw.effects,
            when,
        })
    }

    /// The tools that it is about; all where empty.
    pub fn tools(&self) -> &[Pattern] {
        &self.tools
    }

    /// The effects of the tools that it is about; all where empty.
    pub fn effects(&self) -> &[Effect] {
        &self.effects
    }

    /// Its condition, as it was written; always where absent.
    pub fn when(&self) -> Option<&str> {
        self.when.as_ref().map(|condition| condition.source.as_str())
    }

    /// Whether its condition asks for the calls that were made before.
    pub fn reads_previous_calls(&self) -> bool {
        self.when.as_ref().is_some_and(Condition::reads_previous_calls)
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
            Some(condition @ Condition { for_nobody: Some(holds), .. }) if condition.sees_nobody(context) => Ok(*holds),
            Some(condition) => condition.holds_with(variable),
        }
    }
}

impl Condition {
    /// Compiles an expression over these variables. Refuses what it could not evaluate later (another variable, an
    /// unknown function) and loops inside each other that could cost more than the square of the input.
    pub fn compile(source: &str, variables: &[&str]) -> Result<Self, Fault> {
        let fault = |message: String, help: &str| (first_line(source), message, Some(help.to_owned()));
        if source.len() > MAX_SOURCE {
            return Err(fault(
                format!("the expression is longer than {MAX_SOURCE} bytes"),
                "split it into several rules",
            ));
        }
        let program = Program::compile(source).map_err(|errors| syntax(source, &errors))?;
        let mut seen = Seen::default();
        seen.walk(&program.expression().expr, &mut Vec::new(), 0);
        if seen.loops > MAX_LOOPS {
            return Err(fault(
                "the expression nests more than two loops".into(),
                "use at most two of all, exists, map and filter inside each other",
            ));
        }
        unknown("function", &seen.functions, FUNCTIONS)?;
        unknown("variable", &seen.variables, variables)?;
        let (program, source, loops) = (Arc::new(program), source.to_owned(), seen.loops);
        let mut condition = Self { program, source, reads: seen.variables, loops, for_nobody: None };
        let only_context = condition.reads.iter().all(|name| name == "user" || name == "context");
        if only_context && !condition.reads_previous_calls() {
            let nobody = Context::default();
            let variable = |name: &str| if name == "user" { Some(user_variable(&nobody)) } else { Some(json!({})) };
            condition.for_nobody = condition.holds_with(variable).ok();
        }
        Ok(condition)
    }

    /// Whether a context tells the expression nothing: it is empty, or holds a clock that the expression does not read.
    fn sees_nobody(&self, context: &Context) -> bool {
        let reads_clock = || self.reads.iter().any(|name| name == "context");
        context.0.is_empty() || (context.told().next().is_none() && !reads_clock())
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
                self.check_bound(&value)?;
                scope.add_variable(name.clone(), Plain(&value)).map_err(|error| error.to_string())?;
            }
        }
        match self.program.execute(&scope) {
            Ok(Cel::Bool(holds)) => Ok(holds),
            Ok(other) => Err(format!("`{}` gives {:?}, not true or false", self.source, other.type_of())),
            Err(ExecutionError::NoSuchKey(key)) => Err(format!("`{}` reads `{key}`, which is absent", self.source)),
            Err(error) => Err(format!("`{}`: {error}", self.source)),
        }
    }

    /// Refuses a value whose lists would keep the expression's loops busy for too long.
    fn check_bound(&self, value: &Value) -> Result<(), String> {
        if self.loops == 0 {
            return Ok(());
        }
        let widest = widest(value);
        match widest.checked_pow(self.loops).is_some_and(|steps| steps <= MAX_STEPS) {
            true => Ok(()),
            false => {
                Err(format!("`{}` would take more than {MAX_STEPS} steps over a list of {widest} entries", self.source))
            }
        }
    }

    fn reads_previous_calls(&self) -> bool {
        self.source.contains("previous_calls")
    }
}

/// A JSON value as CEL takes it. A whole number is an `int` where it fits, so that it can be added to the numbers of an
/// expression, which are.
struct Plain<'a>(&'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(whole), ..) => serializer.serialize_i64(whole),
                (_, Some(whole), _) => serializer.serialize_u64(whole),
                (_, _, Some(number)) => serializer.serialize_f64(number),
                _ => serializer.collect_str(number),
            },
            Value::Array(list) => serializer.collect_seq(list.iter().map(Plain)),
            Value::Object(map) => serializer.collect_map(map.iter().map(|(key, value)| (key, Plain(value)))),
            other => other.serialize(serializer),
        }
    }
}

/// What an expression uses of what is around it.
#[derive(Default)]
struct Seen {
    variables: Vec<String>,
    functions: Vec<String>,
    loops: u32,
}

impl Seen {
    /// Walks an expression; `own` are the names that the loops around it gave.
    fn walk(&mut self, expression: &Expr, own: &mut Vec<String>, loops: u32) {
        self.loops = self.loops.max(loops);
        match expression {
            Expr::Ident(name) if !own.contains(name) && !TYPES.contains(&name.as_str()) => {
                note(&mut self.variables, name);
            }
            Expr::Call(call) => {
                // Operators are functions with names that nobody can write.
                if call.func_name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    note(&mut self.functions, &call.func_name);
                }
                let target = call.target.iter().map(|target| &target.expr);
                target.chain(call.args.iter().map(|arg| &arg.expr)).for_each(|part| self.walk(part, own, loops));
            }
            Expr::Comprehension(comprehension) => self.walk_loop(comprehension, own, loops),
            Expr::List(list) => list.elements.iter().for_each(|item| self.walk(&item.expr, own, loops)),
            Expr::Select(select) => self.walk(&select.operand.expr, own, loops),
            Expr::Map(map) => self.walk_entries(&map.entries, own, loops),
            Expr::Struct(fields) => self.walk_entries(&fields.entries, own, loops),
            _ => {}
        }
    }

    fn walk_loop(&mut self, comprehension: &ComprehensionExpr, own: &mut Vec<String>, loops: u32) {
        self.walk(&comprehension.iter_range.expr, own, loops);
        let outer = own.len();
        own.extend([comprehension.iter_var.clone(), comprehension.accu_var.clone()]);
        own.extend(comprehension.iter_var2.clone());
        let parts = [&comprehension.accu_init, &comprehension.loop_cond, &comprehension.loop_step];
        parts.into_iter().for_each(|part| self.walk(&part.expr, own, loops + 1));
        self.walk(&comprehension.result.expr, own, loops);
        own.truncate(outer);
    }

    fn walk_entries(&mut self, entries: &[IdedEntryExpr], own: &mut Vec<String>, loops: u32) {
        for entry in entries {
            match &entry.expr {
                EntryExpr::MapEntry(entry) => {
                    self.walk(&entry.key.expr, own, loops);
                    self.walk(&entry.value.expr, own, loops);
                }
                EntryExpr::StructField(field) => self.walk(&field.value.expr, own, loops),
            }
        }
    }
}

fn note(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// The first of some names that is not known.
fn unknown(kind: &str, used: &[String], known: &[&str]) -> Result<(), Fault> {
    let Some(name) = used.iter().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
    let help = match super::pattern::nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the {kind}s are {}", known.join(", ")),
    };
    Err((name.clone(), format!("unknown {kind} `{name}`"), Some(help)))
}

/// A fault that points at the rest of the line from where the expression cannot be read.
fn syntax(source: &str, errors: &ParseErrors) -> Fault {
    let message = format!("not a CEL expression: {}", errors.to_string().trim());
    let place = errors.errors.first().and_then(|error| {
        let line = source.lines().nth(usize::try_from(error.pos.0).ok()?.checked_sub(1)?)?;
        line.get(usize::try_from(error.pos.1).ok()?.checked_sub(1)?..).filter(|rest| !rest.is_empty())
    });
    (place.map_or_else(|| first_line(source), str::to_owned), message, None)
}

/// The number of entries of the longest list or map in a value.
fn widest(value: &Value) -> u64 {
    let (own, inner): (usize, u64) = match value {
        Value::Array(list) => (list.len(), list.iter().map(widest).max().unwrap_or(0)),
        Value::Object(map) => (map.len(), map.values().map(widest).max().unwrap_or(0)),
        _ => (0, 0),
    };
    inner.max(own as u64)
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

fn first_line(source: &str) -> String {
    source.lines().next().unwrap_or_default().to_owned()
}

/// Builds the tables of this module.
pub(crate) fn build_tables() {
    LazyLock::force(&STANDARD);
}

/// The standard functions of CEL, put together once: that costs more than most expressions.
static STANDARD: LazyLock<Arc<Env>> = LazyLock::new(|| Arc::new(Env::stdlib()));

const VARIABLES: &[&str] = &["tool", "arguments", "user", "context"];
/// The functions that an expression may call; `has`, `all`, `exists`, `exists_one`, `map` and `filter` are macros.
const FUNCTIONS: &[&str] = &[
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "bool",
    "type",
    "dyn",
];
/// Names of types, as `type` gives them.
const TYPES: &[&str] = &["int", "uint", "double", "bool", "string", "bytes", "list", "map", "null_type", "type"];
const MAX_SOURCE: usize = 4096;
const MAX_LOOPS: u32 = 2;
/// How many steps the loops of one expression may take: a list of a million entries, or a thousand by a thousand.
const MAX_STEPS: u64 = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(source: &str) -> Result<bool, String> {
        let variables = json!({"user": {"role": "viewer", "age": 3}, "arguments": {"amount": 12.5, "to": ["a", "b"]}});
        Condition::compile(source, VARIABLES).unwrap().holds(variables.as_object().unwrap())
    }

    #[test]
    fn expressions_are_evaluated_and_bounded() {
        // CALL-5
        assert_eq!(holds("user.role == 'viewer' && arguments.amount > 10.0"), Ok(true));
        assert!(holds("user.missing == 1").unwrap_err().contains("missing"));
        assert!(holds("user.age").unwrap_err().contains("not true or false"));
        assert!(Condition::compile("user.role ==", VARIABLES).is_err());
        let nested = "arguments.to.all(a, arguments.to.all(b, arguments.to.all(c, true)))";
        assert!(Condition::compile(nested, VARIABLES).unwrap_err().1.contains("loops"));
    }

    #[test]
    fn the_standard_macros_and_functions_work_in_rules() {
        // CALL-5
        for (source, holds_so) in [
            ("arguments.to.exists(x, x == 'a')", true),
            ("arguments.to.exists(x, x == 'c')", false),
            ("arguments.to.all(x, size(x) == 1)", true),
            ("arguments.to.exists_one(x, x == 'b')", true),
            ("arguments.to.map(x, x + '!') == ['a!', 'b!']", true),
            ("arguments.to.filter(x, x != 'a') == ['b']", true),
            ("arguments.to.map(x, x == 'a', x) == ['a']", true),
            ("has(arguments.to) && !has(arguments.cc)", true),
            ("arguments.exists(key, key == 'amount')", true),
            ("arguments.to.exists(x, arguments.to.exists(y, x != y))", true),
            ("arguments.items.all(item, item.price < 10 && item.tags.exists(tag, tag.startsWith('n')))", true),
            ("'b' in arguments.to && !('z' in arguments.to)", true),
            ("'role' in user", true),
            ("size(arguments.to) == 2 && user.role.contains('iew') && user.role.endsWith('er')", true),
            ("user.role.matches('^v.*r$')", true),
            ("int('3') == user.age && double(3) == 3.0 && string(user.age) == '3'", true),
            ("type(user.role) == string", true),
            ("user.age + 1 == 4 && user.age * 2 > 5 && arguments.items[0].price - 1 == 2", true),
            ("arguments.amount > 20.0 ? false : true", true),
        ] {
            let raw: RawRule =
                serde_json::from_value(json!({"name": "r", "when": source, "effect": "deny", "reason": "x"})).unwrap();
            let rule = Rule::compile(raw).unwrap_or_else(|fault| panic!("{source}: {fault:?}"));
            let variables = json!({"user": {"role": "viewer", "age": 3}, "arguments": {"amount": 12.5, "to": ["a", "b"],
                "items": [{"price": 3, "tags": ["new", "x"]}]}});
            let context = Context(Map::from_iter([("a".to_owned(), json!(1))]));
            let found = rule.holds(&context, |name| variables.get(name).cloned());
            assert_eq!(found, Ok(holds_so), "{source}");
        }
    }

    #[test]
    fn what_cannot_be_evaluated_is_refused_at_load_and_in_its_place() {
        // CALL-5
        let fault = |when: &str| {
            let text = format!(
                "# tol, y and sise stand here too\n[[rules]]\nname = \"r\"\nwhen = '{when}'\neffect = \"deny\"\nreason = \"x\"\n"
            );
            let error = crate::policy::Policy::from_toml(&text).unwrap_err();
            let span = error.span.clone().unwrap();
            assert!(text[..span.start].contains("when = '"), "{error:?}");
            assert!(error.message.contains("rule `r`"), "{error:?}");
            (text[span].to_owned(), error.message, error.help.unwrap_or_default())
        };
        let (word, message, help) = fault("tol.name == \"a\"");
        assert_eq!((word.as_str(), help.as_str()), ("tol", "did you mean `tool`?"));
        assert!(message.contains("unknown variable"));
        // The name that a loop gives is known inside it, and only there.
        assert_eq!(fault("arguments.to.exists(x, x == y)").0, "y");
        assert_eq!(fault("arguments.to.exists(y, true) || y == 1").1, "rule `r`: unknown variable `y`");
        let (word, message, help) = fault("sise(arguments.to) == 1");
        assert_eq!((word.as_str(), help.as_str()), ("sise", "did you mean `size`?"));
        assert!(message.contains("unknown function"));
        assert_eq!(fault("timestamp(context.now) > timestamp(\"2026-01-01T00:00:00Z\")").0, "timestamp");
        assert!(fault("arguments.to.exists(x)").1.contains("function"));
        assert!(fault("user.role == (").1.contains("not a CEL expression"));
    }

    #[test]
    fn a_huge_list_is_refused_before_it_is_walked() {
        // CALL-5
        let over = |source: &str, entries: usize| {
            let variables = json!({"arguments": {"to": (0..entries).collect::<Vec<_>>()}});
            Condition::compile(source, VARIABLES).unwrap().holds(variables.as_object().unwrap())
        };
        assert_eq!(over("arguments.to.all(x, x >= 0)", 2_000), Ok(true));
        assert_eq!(over("size(arguments.to.map(x, x + 1)) == 2000", 2_000), Ok(true));
        assert_eq!(over("arguments.to.all(x, arguments.to.exists(y, y == x))", 60), Ok(true));
        let begun = std::time::Instant::now();
        let refused = over("arguments.to.all(x, arguments.to.all(y, x >= 0 && y >= 0))", 50_000).unwrap_err();
        assert!(refused.contains("1000000 steps") && refused.contains("50000 entries"), "{refused}");
        assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
        // Without a loop nothing is walked.
        assert_eq!(over("size(arguments.to) == 50000", 50_000), Ok(true));
    }
}
