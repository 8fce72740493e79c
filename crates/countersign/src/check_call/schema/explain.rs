//! What the schema's errors mean, in our words: what was expected, what was seen, how to mend it.

use super::mend::{self, Mended, kind_of};
use super::rename;
use crate::check_call::compile::Schema;
use crate::check_call::guard::Tool;
use crate::check_call::params::Param;
use crate::check_call::secrets::redact;
use crate::contract::codes::call::{
    BAD_FORMAT, BAD_LENGTH, BAD_PATTERN, BAD_SCHEMA, MISSING_FIELD, NO_VARIANT, NOT_IN_ENUM, OUT_OF_RANGE,
    UNKNOWN_FIELD, WRONG_TYPE,
};
use crate::contract::patch::escape;
use crate::contract::{Code, Finding, Language, PatchOp};
use crate::conversation::Conversation;
use crate::localized;
use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Everything needed to explain the errors of one call.
#[derive(Debug)]
pub(crate) struct Explainer<'a> {
    /// The tool.
    pub tool: &'a Tool,
    /// The arguments, a JSON object.
    pub arguments: &'a Value,
    /// What was said before.
    pub said: &'a Conversation,
    /// The language to speak.
    pub language: Language,
}

/// The finding for a schema that cannot be used.
pub(crate) fn bad_schema(schema: &Schema, language: Language) -> Finding {
    let fault = schema.fault.as_deref().unwrap_or_default();
    let evidence = localized!(language, "the tool's schema cannot be used: {fault}", "工具的 schema 无法使用：{fault}");
    Finding::new(&BAD_SCHEMA, "/arguments", evidence)
}

impl Explainer<'_> {
    /// One finding for each error, in the order of the schema; what the default allows is none.
    pub(crate) fn findings(&self, validator: &Validator) -> Vec<Finding> {
        let mut found: Vec<Finding> = Vec::new();
        for error in validator.iter_errors(self.arguments) {
            self.explain(&error, &mut found, 0);
            if found.len() >= MAX_ERRORS {
                break;
            }
        }
        self.settle(&mut found);
        found
    }

    /// Findings that say the same in other words are said once, and two repairs that want one place are none.
    fn settle(&self, found: &mut Vec<Finding>) {
        let moves = |finding: &Finding| -> Vec<String> {
            let patch = finding
                .correction
                .iter()
                .filter(|correction| correction.certain)
                .flat_map(|correction| &correction.patch);
            patch.filter(|op| op.from.is_some()).map(|op| op.path.clone()).collect()
        };
        let filled: Vec<String> = found.iter().flat_map(moves).collect();
        for finding in found.iter_mut() {
            let contested = moves(finding).iter().any(|path| filled.iter().filter(|other| *other == path).count() > 1);
            if let Some(correction) = finding.correction.as_mut().filter(|_| contested) {
                correction.certain = false;
            }
        }
        // A renamed key also fills the field that seemed to be missing.
        let filled: Vec<String> = found.iter().flat_map(moves).collect();
        found.retain(|finding| !(finding.code.is(&MISSING_FIELD) && filled.contains(&finding.pointer)));
        let chosen: Vec<String> = found
            .iter()
            .filter(|finding| finding.code.is(&NOT_IN_ENUM))
            .map(|finding| finding.pointer.clone())
            .collect();
        found.retain(|finding| !(finding.code.is(&WRONG_TYPE) && chosen.contains(&finding.pointer)));
        found.dedup_by(|a, b| a.code.is(b.code) && a.pointer == b.pointer);
    }

    fn explain(&self, error: &ValidationError<'_>, found: &mut Vec<Finding>, depth: usize) {
        let path = error.instance_path().as_str();
        let (value, param) = self.at(path);
        if param.and_then(|param| param.default.as_ref()).is_some_and(|default| default == value) {
            return;
        }
        let place = format!("/arguments{path}");
        match error.kind() {
            Kind::Required { property } => {
                found.extend(property.as_str().map(|name| self.missing(&place, name, param)))
            }
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                let unknown = unexpected.iter().take(MAX_ERRORS).enumerate();
                found.extend(unknown.filter_map(|(at, key)| {
                    self.unknown(&place, key, value, param, param.filter(|_| at < MAX_RENAMES))
                }));
            }
            Kind::PropertyNames { error } => {
                let key = error.instance().as_str().map(str::to_owned);
                let renames = param.filter(|_| found.len() < MAX_RENAMES);
                found.extend(key.and_then(|key| self.unknown(&place, &key, value, param, renames)));
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } if depth < MAX_VARIANTS => {
                self.variants(error, context, found, depth)
            }
            kind => found.push(self.plain(kind, error, place, value, param)),
        }
    }

    /// The value and the parameter at a place of the arguments.
    fn at(&self, path: &str) -> (&Value, Option<&Param>) {
        let value = self.arguments.pointer(path).unwrap_or(&Value::Null);
        let mut param = Some(&self.tool.root);
        for step in path.split('/').skip(1) {
            let key = if step.contains('~') {
                step.replace("~1", "/").replace("~0", "~").into()
            } else {
                Cow::Borrowed(step)
            };
            param = param.and_then(|param| param.property(&key).or(param.items.as_deref()));
        }
        (value, param)
    }

    fn missing(&self, place: &str, name: &str, object: Option<&Param>) -> Finding {
        let pointer = format!("{place}/{}", escape(name));
        let evidence = localized!(self.language, "required argument `{name}` is missing", "缺少必填参数 `{name}`");
        let finding = Finding::new(&MISSING_FIELD, pointer.clone(), evidence);
        match object.and_then(|object| object.property(name)).and_then(|param| param.default.clone()) {
            Some(default) => {
                let note = localized!(
                    self.language,
                    "add `{name}`; its default is {default}",
                    "补上 `{name}`，默认值为 {default}"
                );
                finding.propose(note, vec![PatchOp::add(pointer, default)])
            }
            None => finding.hint(localized!(
                self.language,
                "add `{name}`, or ask the user for it",
                "补上 `{name}`，或向用户询问"
            )),
        }
    }

    /// A key that the tool does not know; `renames` is where a near name is looked for.
    fn unknown(
        &self,
        place: &str,
        key: &str,
        object: &Value,
        param: Option<&Param>,
        renames: Option<&Param>,
    ) -> Option<Finding> {
        let empty = Map::new();
        let siblings = object.as_object().unwrap_or(&empty);
        let value = siblings.get(key).unwrap_or(&Value::Null);
        // A part that failed leaves the keys of the other parts unseen; they are known all the same.
        if param.is_some_and(|param| param.property(key).is_some()) {
            return None;
        }
        let pointer = format!("{place}/{}", escape(key));
        let evidence = localized!(self.language, "the tool has no argument `{key}`", "工具没有参数 `{key}`");
        let finding = Finding::new(&UNKNOWN_FIELD, pointer.clone(), evidence);
        if let Some((name, certain)) = renames.and_then(|param| rename::find(key, value, param, siblings, self.said)) {
            let note = localized!(self.language, "`{key}` is called `{name}`", "`{key}` 应为 `{name}`");
            let patch = vec![PatchOp::rename(pointer, format!("{place}/{}", escape(name)))];
            return Some(if certain { finding.mend(note, patch) } else { finding.propose(note, patch) });
        }
        let names: Vec<String> =
            param.into_iter().flat_map(|param| &param.order).take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        Some(match names.is_empty() {
            true => finding.hint(localized!(
                self.language,
                "leave it out; the tool takes no arguments here",
                "请去掉它，此处不接受参数"
            )),
            false => finding.hint(localized!(
                self.language,
                "leave it out; the arguments are {names}",
                "请去掉它，允许的参数：{names}"
            )),
        })
    }

    /// Several forms were allowed and none fits: the errors of the form that was meant, else that none fits.
    fn variants(
        &self,
        error: &ValidationError<'_>,
        forms: &[Vec<ValidationError<'static>>],
        found: &mut Vec<Finding>,
        depth: usize,
    ) {
        let path = error.instance_path().as_str();
        let wrong_type = |form: &&Vec<ValidationError<'static>>| {
            form.iter().any(|e| matches!(e.kind(), Kind::Type { .. }) && e.instance_path().as_str() == path)
        };
        let fitting: Vec<_> = forms.iter().filter(|form| !wrong_type(form)).collect();
        if let [form] = fitting.as_slice() {
            form.iter().for_each(|error| self.explain(error, found, depth + 1));
            return;
        }
        let (value, param) = self.at(path);
        let place = format!("/arguments{path}");
        if fitting.is_empty() {
            found.push(self.wrong_type(place, value, param));
        } else if let Some(mended) =
            param.filter(|param| !param.allowed.is_empty()).and_then(|param| mend::choose(value, param, self.said))
        {
            found.push(self.attach_repair(
                Finding::new(&NOT_IN_ENUM, place.clone(), self.describe_seen(&error.to_string(), value)),
                place,
                mended,
            ));
        } else {
            found.push(Finding::new(&NO_VARIANT, place, self.describe_seen(&error.to_string(), value)));
        }
    }

    fn plain(
        &self,
        kind: &Kind,
        error: &ValidationError<'_>,
        place: String,
        value: &Value,
        param: Option<&Param>,
    ) -> Finding {
        match kind {
            Kind::Type { .. } => self.wrong_type(place, value, param),
            Kind::Enum { options } => self.not_in_enum(place, value, param, options),
            Kind::Constant { expected_value } => self.not_in_enum(place, value, param, expected_value),
            Kind::Minimum { limit } | Kind::ExclusiveMinimum { limit } => {
                self.out_of_range(place, value, param, localized!(self.language, "at least {limit}", "不小于 {limit}"))
            }
            Kind::Maximum { limit } | Kind::ExclusiveMaximum { limit } => {
                self.out_of_range(place, value, param, localized!(self.language, "at most {limit}", "不大于 {limit}"))
            }
            Kind::MultipleOf { multiple_of } => self.out_of_range(
                place,
                value,
                None,
                localized!(self.language, "a multiple of {multiple_of}", "{multiple_of} 的倍数"),
            ),
            Kind::Format { format } => self.explain_asked(
                &BAD_FORMAT,
                place,
                value,
                &localized!(self.language, "format `{format}`", "格式 `{format}`"),
            ),
            Kind::Pattern { pattern } => self.explain_asked(
                &BAD_PATTERN,
                place,
                value,
                &localized!(self.language, "pattern `{pattern}`", "模式 `{pattern}`"),
            ),
            Kind::MinLength { .. }
            | Kind::MaxLength { .. }
            | Kind::MinItems { .. }
            | Kind::MaxItems { .. }
            | Kind::UniqueItems
            | Kind::MinProperties { .. }
            | Kind::MaxProperties { .. }
            | Kind::AdditionalItems { .. }
            | Kind::UnevaluatedItems { .. } => Finding::new(&BAD_LENGTH, place, short(&error.to_string())),
            _ => Finding::new(&NO_VARIANT, place, short(&error.to_string())),
        }
    }

    fn wrong_type(&self, place: String, value: &Value, param: Option<&Param>) -> Finding {
        let types = param.map(|param| param.types.join(" | ")).filter(|types| !types.is_empty());
        let types = types.unwrap_or_else(|| localized!(self.language, "another type", "其他类型"));
        let (kind, shown) = (kind_of(value), show(value));
        let evidence =
            localized!(self.language, "expected {types}, got {kind} {shown}", "应为 {types}，实际是 {kind} {shown}");
        let finding = Finding::new(&WRONG_TYPE, place.clone(), evidence);
        match param.and_then(|param| mend::convert(value, param, self.said)) {
            Some(mended) => self.attach_repair(finding, place, mended),
            None => finding.hint(localized!(self.language, "send a value of type {types}", "请给出 {types} 类型的值")),
        }
    }

    fn not_in_enum(&self, place: String, value: &Value, param: Option<&Param>, options: &Value) -> Finding {
        let shown = show(value);
        let allowed = short(&options.to_string());
        let evidence =
            localized!(self.language, "{shown} is not one of {allowed}", "{shown} 不在允许的值 {allowed} 中");
        let finding = Finding::new(&NOT_IN_ENUM, place.clone(), evidence);
        match param.and_then(|param| mend::choose(value, param, self.said)) {
            Some(mended) => self.attach_repair(finding, place, mended),
            None => finding.hint(localized!(self.language, "use one of {allowed}", "请使用 {allowed} 之一")),
        }
    }

    fn out_of_range(&self, place: String, value: &Value, param: Option<&Param>, wanted: String) -> Finding {
        let evidence =
            localized!(self.language, "{value} is out of range; it must be {wanted}", "{value} 超出范围，应{wanted}");
        let finding = Finding::new(&OUT_OF_RANGE, place.clone(), evidence);
        match param.and_then(|param| mend::clamp(value, param)) {
            Some(mended) => self.attach_repair(finding, place, mended),
            None => finding.hint(localized!(self.language, "use a value that is {wanted}", "请使用{wanted}的值")),
        }
    }

    fn explain_asked(&self, code: &'static Code, place: String, value: &Value, wanted: &str) -> Finding {
        let shown = show(value);
        let evidence = localized!(self.language, "{shown} does not have {wanted}", "{shown} 不符合{wanted}");
        Finding::new(code, place, evidence).hint(localized!(self.language, "write it in {wanted}", "请按{wanted}书写"))
    }

    fn attach_repair(&self, finding: Finding, place: String, mended: Mended) -> Finding {
        let shown = show(&mended.value);
        let patch = vec![PatchOp::replace(place, mended.value)];
        if mended.certain {
            finding.mend(localized!(self.language, "read as {shown}", "按 {shown} 处理"), patch)
        } else {
            finding.propose(localized!(self.language, "perhaps {shown} was meant", "可能是 {shown}"), patch)
        }
    }

    fn describe_seen(&self, message: &str, value: &Value) -> String {
        let (message, shown) = (short(message), show(value));
        localized!(
            self.language,
            "{shown} fits none of the allowed forms: {message}",
            "{shown} 不符合任何允许的形式：{message}"
        )
    }
}

/// A value for a sentence: without secrets, and short. A secret is cut before the text is, so that no part of it is left.
fn show(value: &Value) -> String {
    short(&redact(&value.to_string()))
}

fn short(text: &str) -> String {
    let text = &*redact(text);
    match text.char_indices().nth(MAX_SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

const MAX_ERRORS: usize = 200;
const MAX_RENAMES: usize = 20;
const MAX_VARIANTS: usize = 4;
const MAX_NAMES: usize = 12;
const MAX_SHOWN: usize = 160;
