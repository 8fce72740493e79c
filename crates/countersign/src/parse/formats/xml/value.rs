//! What a parameter's text is worth: layout taken off, tags inside read, the rest typed by its schema.

use super::super::FormatEngine;
use super::super::elements;
use super::super::tag::{MARK, Means};
use super::super::tools::near;
use super::{Call, Parameter, Xml};
use crate::contract::schema;
use crate::parse::align;
use serde_json::Value;

impl FormatEngine {
    pub(super) fn end_parameter(&self, xml: &mut Xml, end: usize) {
        let Some(call) = &mut xml.call else { return };
        let Some(parameter) = call.parameter.take() else { return };
        let raw = self.buffer.piece(parameter.from, end.max(parameter.from));
        let raw = raw.strip_suffix(MARK).unwrap_or(raw);
        let raw = without_half_closing(raw);
        if parameter.means == Means::Key {
            call.broken |= call.key.is_some();
            call.key = Some(raw.trim().to_owned());
            return;
        }
        let name = self.parameter_name(call, &parameter.name);
        let value = self.value_of(call, &parameter, &name, raw);
        // The mark of the dialect inside a text: tags that do not fit together.
        call.broken |= !parameter.nesting.holds_call() && value.as_str().is_some_and(|text| text.contains(MARK));
        call.arguments.insert(name, value);
    }

    pub(super) fn parameter_name(&self, call: &Call, written: &str) -> String {
        let known = call.named.tool.and_then(|tool| self.tools.properties(tool));
        let same = |key: &&String| key.eq_ignore_ascii_case(written);
        let Some(known) = known.filter(|known| !known.contains_key(written)) else { return written.to_owned() };
        let free = |key: &&String| !call.arguments.contains_key(*key);
        let slip = || near(written, known.keys().map(String::as_str)).and_then(|at| known.keys().nth(at)).filter(free);
        known.keys().find(same).or_else(slip).cloned().unwrap_or_else(|| written.to_owned())
    }

    fn value_of(&self, call: &Call, parameter: &Parameter, name: &str, raw: &str) -> Value {
        let none = Value::Null;
        let root = call.named.tool.map_or(&none, |tool| self.tools.schema(tool));
        let known = call.named.tool.and_then(|tool| self.tools.parameter(tool, name));
        let schema = known.unwrap_or(&none);
        if parameter.text == Some(true) {
            return Value::from(raw);
        }
        if parameter.text == Some(false) {
            return align::from_text(raw.trim(), &none, root, &self.options);
        }
        let marked = call.marked && raw.contains(MARK) && !parameter.nesting.holds_call();
        let tags = marked || (raw.trim_start().starts_with('<') && wants_structure(schema, root));
        if tags && let Some(value) = elements::read(raw, schema, root, &self.options) {
            return value;
        }
        let raw = unwrap_cdata(raw).unwrap_or_else(|| trim_value(raw, call, parameter, schema));
        if schema.is_null()
            && let Some(value) = python_literal(raw)
        {
            return value;
        }
        align::from_text(raw, schema, root, &self.options)
    }
}

/// A value without the rest of a closing whose bracket was lost.
fn without_half_closing(raw: &str) -> &str {
    let rest = raw.trim_end().strip_suffix("/parameter>").filter(|rest| rest.ends_with(['\n', ' ']));
    rest.unwrap_or(raw)
}

fn wants_structure(schema: &Value, root: &Value) -> bool {
    schema::takes(schema, root, "object") || schema::takes(schema, root, "array")
}

fn python_literal(raw: &str) -> Option<Value> {
    match raw.trim() {
        "True" => Some(Value::Bool(true)),
        "False" => Some(Value::Bool(false)),
        "None" => Some(Value::Null),
        _ => None,
    }
}

fn unwrap_cdata(raw: &str) -> Option<&str> {
    raw.trim().strip_prefix("<![CDATA[")?.strip_suffix("]]>")
}

/// The value without the line breaks that only lay the tags out.
fn trim_value<'t>(raw: &'t str, call: &Call, parameter: &Parameter, schema: &Value) -> &'t str {
    if call.exact && parameter.means != Means::Other {
        return raw;
    }
    if call.marked {
        return raw;
    }
    if schema.is_null() && parameter.means == Means::Parameter {
        return raw.trim();
    }
    let Some(inner) = raw.strip_prefix("\r\n").or_else(|| raw.strip_prefix('\n')) else {
        let single = !raw.contains('\n');
        let spaced = raw.starts_with(' ') && raw.ends_with(' ') && raw.trim().len() + 2 == raw.len();
        return if single && (parameter.means == Means::Other || spaced) { raw.trim() } else { raw };
    };
    inner.strip_suffix("\r\n").or_else(|| inner.strip_suffix('\n')).unwrap_or(inner)
}
