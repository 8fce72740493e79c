//! A call made wrong, in one way at a time.
//!
//! Each mistake starts from a right call, so that what should be mended, and to what, is known.

use super::arguments::{argument, is_id};
use super::conversation::Tool;
use super::dice::Dice;
use super::fault::Fault;
use super::schema::{kind, properties, property, required};
use super::words::parts;
use serde_json::{Map, Value};

/// A call that is right, before anything is done to it.
#[derive(Debug, Clone)]
pub(super) struct Draft<'a> {
    /// The tool.
    pub(super) tool: &'a Tool,
    /// Its arguments.
    pub(super) arguments: Map<String, Value>,
    /// What the user asked.
    pub(super) question: &'a str,
}

/// A call as it is sent: whatever text stands for its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    /// The name.
    pub(super) name: String,
    /// The text of the arguments.
    pub(super) arguments: String,
}

impl<'a> Draft<'a> {
    /// A call of a tool.
    pub(super) const fn of(tool: &'a Tool, question: &'a str, arguments: Map<String, Value>) -> Self {
        Self { tool, arguments, question }
    }

    /// Whether the tool leaves room for a fault.
    pub(super) fn has_room_for(&self, fault: Fault) -> bool {
        match fault {
            Fault::Types => self.typed_field().is_some(),
            Fault::Enum => self.enum_field().is_some(),
            Fault::InventedId => self.id_field().is_some(),
            Fault::Missing | Fault::Stubborn => self.needed_field().is_some(),
            Fault::Json | Fault::Truncated | Fault::Cut => !self.arguments.is_empty(),
            _ => true,
        }
    }

    /// The call without a mistake.
    pub(super) fn right(&self) -> Call {
        Call { name: self.tool.name.clone(), arguments: Value::Object(self.arguments.clone()).to_string() }
    }

    /// The call with a mistake, where there is room for it.
    pub(super) fn wrong(&self, fault: Fault, dice: &Dice, declared: &[Tool]) -> Call {
        let mut draft = self.clone();
        let mut call = self.right();
        match fault {
            Fault::Name => call.name = misspelt_name(&self.tool.name, dice),
            Fault::UnknownTool => call.name = invented_name(dice, declared),
            Fault::Json => call.arguments = nearly_json(&self.arguments, dice),
            Fault::Types => draft.spoil_type(),
            Fault::Enum => draft.spoil_enum(),
            Fault::InventedId => draft.invent_id(dice),
            Fault::Missing | Fault::Stubborn => draft.leave_out(),
            _ => {}
        }
        if draft.arguments != self.arguments {
            call.arguments = Value::Object(draft.arguments).to_string();
        }
        call
    }

    /// A field with a value that can be of the wrong type: a number or a truth, else a text.
    fn typed_field(&self) -> Option<&str> {
        let schema = &self.tool.schema;
        let of = |kinds: &[&str]| {
            let has = |name: &&str| property(schema, name).is_some_and(|field| kinds.contains(&kind(field)));
            properties(schema).into_iter().filter(has).find(|name| self.arguments.contains_key(*name))
        };
        of(&["integer", "number", "boolean"]).or_else(|| of(&["string"]))
    }

    fn spoil_type(&mut self) {
        let Some(name) = self.typed_field().map(str::to_owned) else { return };
        let wrong = match self.arguments.get(&name).cloned().unwrap_or_default() {
            Value::String(text) => Value::Array(vec![Value::String(text)]),
            other => Value::String(other.to_string()),
        };
        self.arguments.insert(name, wrong);
    }

    /// A field with a choice of words that can be misspelt.
    fn enum_field(&self) -> Option<&str> {
        let long = |choice: &Value| choice.as_str().is_some_and(|word| word.chars().count() > 3);
        let choices = |name: &&str| property(&self.tool.schema, name)?.get("enum")?.as_array();
        properties(&self.tool.schema).into_iter().find(|name| choices(name).is_some_and(|list| list.iter().all(long)))
    }

    fn spoil_enum(&mut self) {
        let Some(name) = self.enum_field().map(str::to_owned) else { return };
        if let Value::String(word) = self.present(&name) {
            self.arguments.insert(name, Value::String(misspelt(&word)));
        }
    }

    fn id_field(&self) -> Option<&str> {
        let ids = properties(&self.tool.schema).into_iter().filter(|name| is_id(name));
        ids.min_by_key(|name| !self.arguments.contains_key(*name))
    }

    /// An id that looks like one and is none: of the question's own kind where it has one.
    fn invent_id(&mut self, dice: &Dice) {
        let Some(name) = self.id_field().map(str::to_owned) else { return };
        let number = 100_000 + dice.roll("invented id") % 900_000;
        let present = self.present(&name);
        let text = present.as_str().unwrap_or_default();
        let stem: String = text.chars().take_while(|c| !c.is_ascii_digit()).collect();
        let wrong = match &present {
            Value::Number(_) => Value::from(number),
            _ if stem.len() < text.len() && !stem.contains(char::is_whitespace) => format!("{stem}{number}").into(),
            _ => format!("{}_{number}", parts(&name).first().cloned().unwrap_or_default()).into(),
        };
        self.arguments.insert(name, wrong);
    }

    fn needed_field(&self) -> Option<&str> {
        required(&self.tool.schema).into_iter().rfind(|name| self.arguments.contains_key(*name))
    }

    fn leave_out(&mut self) {
        if let Some(name) = self.needed_field().map(str::to_owned) {
            self.arguments.shift_remove(&name);
        }
    }

    /// The value of a field, made where it was left out.
    fn present(&self, name: &str) -> Value {
        let made = || argument(&self.tool.schema, name, self.question);
        self.arguments.get(name).cloned().or_else(made).unwrap_or_default()
    }
}

/// Arguments as far as they come when the answer is cut.
pub(super) fn cut_short(arguments: &str) -> String {
    let kept = (arguments.chars().count() * 2 / 3).max(1);
    arguments.chars().take(kept).collect()
}

/// `get_weather` as `getWeather`, or with a letter too few.
fn misspelt_name(name: &str, dice: &Dice) -> String {
    let parts = parts(name);
    if parts.len() < 2 || dice.roll("misspelling").is_multiple_of(2) {
        return misspelt(name);
    }
    let capital = |part: &String| {
        let mut letters = part.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    let first = parts.first().cloned().unwrap_or_default();
    let camel = parts.iter().skip(1).map(capital).fold(first, |name, part| name + &part);
    if camel == name { misspelt(name) } else { camel }
}

/// A word with a letter too few, near its end, where writers and models lose one.
fn misspelt(word: &str) -> String {
    let count = word.chars().count();
    if count < 4 {
        return format!("{word}s");
    }
    word.chars().enumerate().filter(|(at, _)| *at != count - 2).map(|(_, c)| c).collect()
}

fn invented_name(dice: &Dice, declared: &[Tool]) -> String {
    let free: Vec<&str> =
        INVENTED.iter().copied().filter(|name| declared.iter().all(|tool| tool.name != *name)).collect();
    dice.pick("invented tool", &free).map_or_else(|| dice.id("tool_", "invented tool"), |name| (*name).to_owned())
}

/// JSON as models write it: quotes of the wrong kind, a comma too many, a bracket too few.
fn nearly_json(arguments: &Map<String, Value>, dice: &Dice) -> String {
    let text = Value::Object(arguments.clone()).to_string();
    let open = text.strip_suffix('}').unwrap_or(&text);
    let plain = !text.contains('\'') && !text.contains('\\');
    match dice.roll("json") % 3 {
        0 if plain => text.replace('"', "'"),
        1 => open.to_owned(),
        _ => format!("{open},}}"),
    }
}

const INVENTED: [&str; 4] = ["query_knowledge_graph", "run_autopilot", "summon_assistant", "resolve_everything"];
