//! An operation of a document: where it is, what it takes, and where each argument goes.

use super::resolving::{followed, schema};
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// An operation that can be called.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operation {
    /// Its id, or one made from its method and path.
    pub(super) id: String,
    /// In capital letters.
    pub(super) method: reqwest::Method,
    /// With its parameters in braces.
    pub(super) path: String,
    /// What it is for.
    pub(super) about: String,
    /// Where the arguments go.
    pub(super) parameters: Vec<Parameter>,
    /// What is sent.
    pub(super) body: Body,
    /// The arguments, as a JSON Schema.
    pub(super) input: Value,
    /// What it answers, as a JSON Schema.
    pub(super) output: Option<Value>,
}

/// Where an argument goes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameter {
    /// The name of the argument.
    pub(super) argument: String,
    /// The name that the service knows.
    pub(super) name: String,
    /// Where it goes.
    pub(super) place: Spot,
    /// How a list is written.
    pub(super) lists: Lists,
}

/// A place for a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Spot {
    Path,
    Query,
    Header,
}

/// How the items of a list, or the fields of an object, are written in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lists {
    /// `a=1&a=2`.
    Repeated,
    /// `a=1,2`.
    Joined,
    /// `a[x]=1&a[y]=2`.
    Bracketed,
}

/// What is sent as JSON.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Body {
    /// Nothing.
    #[default]
    None,
    /// An object of these arguments; where it is not required, only when one is given.
    Fields {
        /// Which.
        names: Vec<String>,
        /// Whether it is.
        required: bool,
    },
    /// The argument of this name, as it is.
    Whole(String),
}

/// The operations of a document that can be called, and why others cannot.
pub(super) fn operations(document: &Value, kept: &[String]) -> (Vec<Operation>, Vec<String>) {
    let (mut known, mut left_out) = (Vec::new(), Vec::new());
    let paths = document.get("paths").and_then(Value::as_object);
    for (path, item) in paths.into_iter().flatten().filter(|(path, _)| path.starts_with('/')) {
        let item = followed(document, item);
        for method in METHODS {
            let Some(given) = item.get(method.to_ascii_lowercase()).filter(|given| given.is_object()) else { continue };
            match operation(document, path, method, item, given, kept) {
                Ok(operation) => known.push(operation),
                Err(why) => left_out.push(format!("{method} {path}: {why}")),
            }
        }
    }
    (known, left_out)
}

/// The id of an operation, which the operator names it by.
fn id(path: &str, method: &str, given: &Value) -> String {
    let named = given.get("operationId").and_then(Value::as_str).filter(|id| !id.is_empty());
    let made = || format!("{method}/{path}").to_ascii_lowercase();
    let made = || {
        made().split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_")
    };
    named.map_or_else(made, str::to_owned)
}

fn operation(
    document: &Value,
    path: &str,
    method: &str,
    item: &Value,
    given: &Value,
    kept: &[String],
) -> Result<Operation, String> {
    let id = id(path, method, given);
    let method = reqwest::Method::from_bytes(method.as_bytes()).map_err(|error| error.to_string())?;
    let mut arguments = Arguments::default();
    let declared = collect_declared(document, item, given);
    for parameter in &declared {
        arguments.parameter(document, parameter, kept)?;
    }
    for name in names(path)? {
        let known = |parameter: &Parameter| parameter.place == Spot::Path && parameter.name == name;
        if !arguments.parameters.iter().any(known) {
            return Err(format!("its path has {{{name}}}, but no parameter is called so"));
        }
    }
    arguments.body(document, given, &declared)?;
    let Arguments { parameters, body, properties, required, .. } = arguments;
    let input =
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let (about, output) = (about(given, &method, path), output(document, given));
    Ok(Operation { id, method, path: path.to_owned(), about, parameters, body, input, output })
}

/// The names in braces of a path.
fn names(path: &str) -> Result<Vec<&str>, String> {
    let mut names = Vec::new();
    let mut rest = path;
    while let Some((_, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').ok_or("its path has a brace that does not close")?;
        names.push(name);
        rest = after;
    }
    Ok(names)
}

/// The parameters of an operation: its own, and those of its path that it does not change.
fn collect_declared<'d>(document: &'d Value, item: &'d Value, given: &'d Value) -> Vec<&'d Value> {
    let listed = |value: &'d Value| value.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let key = |parameter: &Value| (parameter.get("name").cloned(), parameter.get("in").cloned());
    let mut seen = HashSet::new();
    let all = listed(given).chain(listed(item)).map(|parameter| followed(document, parameter));
    all.filter(|parameter| parameter.is_object() && seen.insert(format!("{:?}", key(parameter)))).collect()
}

fn about(given: &Value, method: &reqwest::Method, path: &str) -> String {
    let word = |name: &str| given.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let (summary, description) = (word("summary"), word("description").filter(|text| word("summary") != Some(text)));
    let words: Vec<&str> = summary.into_iter().chain(description).collect();
    let told: String = words.join("\n\n").chars().take(LONGEST_ABOUT).collect();
    format!("{told} ({method} {path})").trim().to_owned()
}

/// The schema of what it answers when all is well.
fn output(document: &Value, given: &Value) -> Option<Value> {
    let responses = given.get("responses")?.as_object()?;
    let fine = |status: &str| status.starts_with('2');
    let (_, response) = responses.iter().find(|(status, _)| fine(status))?;
    let response = followed(document, response);
    let content = response.get("content").and_then(json_media).and_then(|media| media.get("schema"));
    let given = content.or_else(|| response.get("schema"))?;
    Some(schema(document, given)).filter(|schema| schema.get("type").is_some())
}

/// The part of a `content` that is JSON.
fn json_media(content: &Value) -> Option<&Value> {
    let is_json = |name: &str| {
        let name = name.split(';').next().unwrap_or_default().trim();
        name == "application/json" || name.ends_with("+json") || name == "*/*" || name == "application/*"
    };
    content.as_object()?.iter().find(|(name, _)| is_json(name)).map(|(_, media)| media)
}

#[derive(Default)]
struct Arguments {
    parameters: Vec<Parameter>,
    body: Body,
    properties: Map<String, Value>,
    required: Vec<String>,
}

impl Arguments {
    fn parameter(&mut self, document: &Value, given: &Value, kept: &[String]) -> Result<(), String> {
        let word = |name: &str| given.get(name).and_then(Value::as_str).unwrap_or_default();
        let (name, required) = (word("name"), given.get("required").and_then(Value::as_bool) == Some(true));
        let place = match word("in") {
            "path" => Spot::Path,
            "query" => Spot::Query,
            // What the operator or the protocol says is not for the model to change.
            "header" if is_reserved(name, kept) => return Ok(()),
            "header" => Spot::Header,
            "cookie" if required => return Err(format!("it needs the cookie {name:?}, which cannot be sent")),
            "formData" if required => return Err("it takes a form, and only JSON can be sent".to_owned()),
            _ => return Ok(()),
        };
        let clash = self.properties.contains_key(name);
        let argument = if clash { format!("{}_{name}", word("in")) } else { name.to_owned() };
        let content = given.get("content").and_then(json_media).and_then(|media| media.get("schema"));
        // In version 2 the parameter is its own schema.
        let shape = given.get("schema").or(content).map_or_else(|| old_schema(given), Value::clone);
        let mut shape = schema(document, &shape);
        if let (Value::Object(shape), Some(about)) = (&mut shape, given.get("description")) {
            shape.entry("description").or_insert_with(|| about.clone());
        }
        self.add(&argument, shape, required || place == Spot::Path);
        self.parameters.push(Parameter { argument, name: name.to_owned(), place, lists: lists(given) });
        Ok(())
    }

    fn body(&mut self, document: &Value, given: &Value, declared: &[&Value]) -> Result<(), String> {
        let in_body = |parameter: &&&Value| parameter.get("in").and_then(Value::as_str) == Some("body");
        let old = declared.iter().find(in_body).copied();
        let Some(given) = old.or_else(|| given.get("requestBody").map(|body| followed(document, body))) else {
            return Ok(());
        };
        let required = given.get("required").and_then(Value::as_bool) == Some(true);
        let media = given.get("content").map(json_media);
        let shape = match (media, given.get("schema")) {
            (Some(Some(media)), _) => media.get("schema").cloned().unwrap_or_else(|| json!({})),
            (Some(None), _) if required => return Err("its body is not JSON".to_owned()),
            (None, Some(shape)) => shape.clone(),
            _ => return Ok(()),
        };
        let shape = schema(document, &shape);
        match self.fields(&shape) {
            Some(fields) => {
                let needed = shape.get("required").and_then(Value::as_array).into_iter().flatten();
                let needed: HashSet<&str> = needed.filter_map(Value::as_str).filter(|_| required).collect();
                for (name, field) in &fields {
                    self.add(name, field.clone(), needed.contains(name.as_str()));
                }
                let names = fields.into_iter().map(|(name, _)| name).collect();
                self.body = Body::Fields { names, required };
            }
            None => {
                let argument = if self.properties.contains_key("body") { "request_body" } else { "body" };
                self.add(argument, shape, required);
                self.body = Body::Whole(argument.to_owned());
            }
        }
        Ok(())
    }

    /// The fields of a body that can stand beside the parameters.
    fn fields(&self, shape: &Value) -> Option<Vec<(String, Value)>> {
        let closed = !matches!(shape.get("additionalProperties"), Some(Value::Object(_) | Value::Bool(true)));
        let plain = COMPOSED.iter().all(|word| shape.get(word).is_none());
        let fields = shape.get("properties")?.as_object()?;
        let clash = fields.keys().any(|name| self.properties.contains_key(name));
        (closed && plain && !clash && !fields.is_empty())
            .then(|| fields.iter().map(|(name, field)| (name.clone(), field.clone())).collect())
    }

    fn add(&mut self, name: &str, shape: Value, required: bool) {
        self.properties.insert(name.to_owned(), shape);
        if required {
            self.required.push(name.to_owned());
        }
    }
}

/// The schema of a parameter of version 2.
fn old_schema(given: &Value) -> Value {
    let own = |name: &str| !matches!(name, "name" | "in" | "required" | "collectionFormat" | "description");
    let fields = given.as_object().into_iter().flatten().filter(|(name, _)| own(name));
    Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
}

fn lists(given: &Value) -> Lists {
    let word = |name: &str| given.get(name).and_then(Value::as_str);
    let explode = given.get("explode").and_then(Value::as_bool);
    match (word("style"), word("collectionFormat"), explode) {
        (Some("deepObject"), ..) => Lists::Bracketed,
        (_, Some("multi"), _) => Lists::Repeated,
        (_, Some(_), _) | (_, None, Some(false)) => Lists::Joined,
        // Version 2 has its types in the parameter itself, and joins.
        _ if given.get("schema").is_none() && given.get("content").is_none() => Lists::Joined,
        _ => Lists::Repeated,
    }
}

fn is_reserved(name: &str, kept: &[String]) -> bool {
    let same = |other: &str| other.eq_ignore_ascii_case(name);
    RESERVED.iter().any(|other| same(other)) || kept.iter().any(|other| same(other))
}

const METHODS: &[&str] = &["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"];
const COMPOSED: &[&str] = &["allOf", "anyOf", "oneOf", "not", "if"];
/// Headers that are no argument: the protocol's, and those that say who asks.
const RESERVED: &[&str] = &[
    "accept",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "idempotency-key",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
];
const LONGEST_ABOUT: usize = 1_000;
