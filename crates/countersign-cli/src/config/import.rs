//! The configuration of another gateway, carried over: LiteLLM's YAML becomes our TOML.
//!
//! Models, addresses and the variables of keys are carried; a key itself never is. What has no counterpart here is named, so
//! that nobody believes it is still in force. What comes out is checked as if a person had written it.

use super::raw;
use super::valid::Config;
use crate::failure::Failure;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What was carried over.
#[derive(Debug)]
pub(crate) struct Imported {
    /// Our configuration.
    pub toml: String,
    /// What was not carried, and what to do instead.
    pub notes: Vec<String>,
}

/// An upstream that is being put together.
#[derive(Debug, PartialEq)]
struct Upstream {
    name: String,
    api: &'static str,
    url: String,
    key: Option<String>,
    models: Vec<String>,
    fallback: Option<String>,
}

/// Carries a LiteLLM configuration over.
pub(crate) fn import(text: &str) -> Result<Imported, Failure> {
    let read: Value =
        serde_norway::from_str(text).map_err(|error| Failure::unusable(format!("it is no YAML: {error}")))?;
    let Some(models) = read.get("model_list").and_then(Value::as_array) else {
        return Err(Failure::with_help(
            "it has no `model_list`",
            "give the configuration of a LiteLLM proxy, the file that `litellm --config` takes",
        ));
    };
    let mut notes = Vec::new();
    let mut upstreams: Vec<Upstream> = Vec::new();
    // Where a model was seen first: another place of the same model is asked when that one fails.
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    for model in models {
        if let Err(note) = add(model, &mut upstreams, &mut places, &mut notes) {
            notes.push(note);
        }
    }
    if upstreams.is_empty() {
        return Err(Failure::unusable(format!("no model of it can be carried over: {}", notes.join("; "))));
    }
    let mut toml = String::from("# Carried over from a LiteLLM configuration by `countersign config import`.\n");
    settings(&read, &mut toml, &mut notes);
    let retries = number(&read, "num_retries").filter(|retries| *retries > 0);
    upstreams.iter().for_each(|upstream| upstream.write(&mut toml, retries));
    // The variables of keys are the server's to look for; everything else must be right now.
    let unread = |error| Failure::Internal(format!("what was written cannot be read: {error:?}"));
    let mut raw = raw::parse(&toml).map_err(unread)?;
    raw.upstreams.values_mut().for_each(|upstream| upstream.api_key_env = None);
    raw.data_dir = Some(":memory:".to_owned());
    Config::of(raw).map_err(|wrong| Failure::unusable(format!("{}: {}", wrong.path, wrong.message)))?;
    Ok(Imported { toml, notes })
}

/// Adds one entry of `model_list`.
fn add(
    model: &Value,
    upstreams: &mut Vec<Upstream>,
    places: &mut BTreeMap<String, String>,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let alias = text(model, "model_name").unwrap_or_default();
    let params =
        model.get("litellm_params").and_then(Value::as_object).ok_or(format!("`{alias}` has no litellm_params"))?;
    let said = params.get("model").and_then(Value::as_str).ok_or(format!("`{alias}` names no model"))?;
    let (provider, real) = said.split_once('/').unwrap_or(("openai", said));
    let base = params.get("api_base").or_else(|| params.get("base_url")).and_then(Value::as_str);
    let (api, url) = address(provider, base).ok_or_else(|| {
        format!("`{alias}` ({said}) is not carried over: {provider} speaks neither OpenAI's nor Anthropic's dialect at an address that is known here; name an OpenAI-compatible one in `api_base`")
    })?;
    let wild = alias.contains('*') || real.contains('*');
    if alias != real && !wild {
        notes.push(format!(
            "`{alias}` is called `{real}` here: names are not translated, so clients must ask for `{real}`"
        ));
    }
    let key = key_variable(provider, params, alias, notes);
    let known = upstreams.iter().position(|one| one.api == api && one.url == url && one.key == key);
    let at = known.unwrap_or_else(|| {
        upstreams.push(Upstream {
            name: new_name(provider, upstreams),
            api,
            url,
            key,
            models: Vec::new(),
            fallback: None,
        });
        upstreams.len() - 1
    });
    if let Some(upstream) = upstreams.get_mut(at) {
        let name = upstream.name.clone();
        match places.get(real) {
            None => {
                places.insert(real.to_owned(), name);
                upstream.models.push(real.to_owned());
            }
            Some(first) if *first != name => set_fallback(upstreams, &first.clone(), &name, real, notes),
            Some(_) => {}
        }
    }
    let left = params.keys().filter(|key| !CARRIED.contains(&key.as_str()) && !is_secret(key));
    let left: Vec<&str> = left.map(String::as_str).collect();
    if !left.is_empty() {
        notes.push(format!("`{alias}`: {} stay behind; clients send such parameters themselves", left.join(", ")));
    }
    Ok(())
}

/// A second place of a model: asked when the first one fails. Requests are not spread over several.
fn set_fallback(upstreams: &mut [Upstream], first: &str, second: &str, model: &str, notes: &mut Vec<String>) {
    if let Some(upstream) = upstreams.iter_mut().find(|one| one.name == first && one.fallback.is_none()) {
        upstream.fallback = Some(second.to_owned());
        notes.push(format!(
            "`{model}` is at `{first}`, and at `{second}` where that one fails: requests are not spread over both"
        ));
    }
}

/// Where a provider is, and which dialect it speaks.
fn address(provider: &str, base: Option<&str>) -> Option<(&'static str, String)> {
    let base = base.map(|base| base.trim_end_matches('/').to_owned());
    let (api, usual) = match provider {
        "anthropic" => ("anthropic", Some("https://api.anthropic.com")),
        "openai" | "text-completion-openai" => ("openai", Some("https://api.openai.com/v1")),
        "ollama" | "ollama_chat" => {
            let base = base.unwrap_or_else(|| "http://127.0.0.1:11434".to_owned());
            return Some(("openai", if base.ends_with("/v1") { base } else { format!("{base}/v1") }));
        }
        "openrouter" => ("openai", Some("https://openrouter.ai/api/v1")),
        "groq" => ("openai", Some("https://api.groq.com/openai/v1")),
        "mistral" => ("openai", Some("https://api.mistral.ai/v1")),
        "deepseek" => ("openai", Some("https://api.deepseek.com/v1")),
        "together_ai" => ("openai", Some("https://api.together.xyz/v1")),
        "xai" => ("openai", Some("https://api.x.ai/v1")),
        "hosted_vllm" | "vllm" | "lm_studio" | "llamafile" | "litellm_proxy" | "openai_like" | "custom_openai" => {
            ("openai", None)
        }
        _ => return None,
    };
    let url = base.or_else(|| usual.map(str::to_owned))?;
    // Anthropic's clients add the version themselves.
    let url = if api == "anthropic" { url.trim_end_matches("/v1").to_owned() } else { url };
    Some((api, url))
}

/// The variable of a key. A key that is written out is not copied.
fn key_variable(provider: &str, params: &Map<String, Value>, alias: &str, notes: &mut Vec<String>) -> Option<String> {
    let usual = format!("{}_API_KEY", provider.to_ascii_uppercase());
    match params.get("api_key").and_then(Value::as_str) {
        Some(text) => match text.strip_prefix("os.environ/") {
            Some(name) => Some(name.to_owned()),
            None => {
                notes.push(format!("the key of `{alias}` is written out in the file and was not copied: put it into the variable {usual}"));
                Some(usual)
            }
        },
        // What LiteLLM reads by itself.
        None if KEYED.contains(&provider) => Some(usual),
        None => None,
    }
}

/// What is said beside the models.
fn settings(read: &Value, toml: &mut String, notes: &mut Vec<String>) {
    if let Some(seconds) = number(read, "request_timeout") {
        let _ = write!(toml, "\n[upstream]\ntimeout = \"{seconds}s\"\n");
    }
    for (table, known) in TABLES {
        let Some(fields) = read.get(*table).and_then(Value::as_object) else { continue };
        for name in fields.keys().filter(|name| !matches!(name.as_str(), "num_retries" | "request_timeout")) {
            let advice =
                known.iter().find(|(key, _)| key == name).map_or("it has no counterpart here", |(_, advice)| advice);
            notes.push(format!("{table}.{name} stays behind: {advice}"));
        }
    }
    let others = read.as_object().into_iter().flat_map(Map::keys);
    let others = others.filter(|name| *name != "model_list" && !TABLES.iter().any(|(table, _)| table == name));
    notes.extend(others.map(|name| format!("`{name}` stays behind: it has no counterpart here")));
}

impl Upstream {
    fn write(&self, toml: &mut String, retries: Option<u64>) {
        let quote = |word: &str| toml::Value::String(word.to_owned()).to_string();
        // Writing to a string cannot fail.
        let _ = write!(toml, "\n[upstreams.{}]\napi = {}\nurl = {}\n", self.name, quote(self.api), quote(&self.url));
        if let Some(key) = &self.key {
            let _ = writeln!(toml, "api_key_env = {}", quote(key));
        }
        let models: Vec<String> = self.models.iter().map(|model| quote(model)).collect();
        let _ = writeln!(toml, "models = [{}]", models.join(", "));
        if let Some(retries) = retries {
            let _ = writeln!(toml, "retries = {retries}");
        }
        if let Some(fallback) = &self.fallback {
            let _ = writeln!(toml, "fallback = {}", quote(fallback));
        }
    }
}

/// A name that no other upstream has.
fn new_name(provider: &str, upstreams: &[Upstream]) -> String {
    let plain: String = provider.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let taken = |name: &str| upstreams.iter().any(|upstream| upstream.name == name);
    let numbered = (2..).map(|number| format!("{plain}-{number}"));
    std::iter::once(plain.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(plain)
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// A number that LiteLLM takes in two tables.
fn number(read: &Value, name: &str) -> Option<u64> {
    ["litellm_settings", "router_settings"].iter().find_map(|table| read.get(*table)?.get(name)?.as_u64())
}

fn is_secret(name: &str) -> bool {
    ["key", "secret", "token", "password"].iter().any(|word| name.contains(word)) && name != "max_tokens"
}

const CARRIED: &[&str] = &["model", "api_base", "base_url", "api_key"];
const KEYED: &[&str] = &["openai", "anthropic", "openrouter", "groq", "mistral", "deepseek", "xai"];
/// Tables of the file, and what to do instead of what they say.
const TABLES: &[(&str, &[(&str, &str)])] = &[
    (
        "general_settings",
        &[
            ("master_key", "make keys with `countersign keys create`, or set COUNTERSIGN_API_KEYS"),
            ("database_url", "set stores.postgres_url for a record that several nodes share"),
            ("alerting", "set [alerts] for messages to Slack, Feishu or a webhook"),
        ],
    ),
    (
        "litellm_settings",
        &[
            (
                "fallbacks",
                "one model is not asked in another's place; `fallback` of an upstream asks another place for the same model",
            ),
            (
                "success_callback",
                "set telemetry.otlp_endpoint: traces go to any OpenTelemetry collector, Langfuse among them",
            ),
            ("failure_callback", "set telemetry.otlp_endpoint and [alerts]"),
            ("callbacks", "set telemetry.otlp_endpoint: traces go to any OpenTelemetry collector, Langfuse among them"),
            ("drop_params", "requests pass byte for byte; nothing is dropped"),
        ],
    ),
    ("router_settings", &[("routing_strategy", "requests are not spread over several places")]),
];

#[cfg(test)]
mod tests {
    use super::*;

    const YAML: &str = "
model_list:
  - model_name: gpt-4o
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY, rpm: 60 }
  - model_name: smart
    litellm_params: { model: anthropic/claude-sonnet-4-5, api_key: sk-ant-written-out }
  - model_name: qwen
    litellm_params: { model: hosted_vllm/qwen, api_base: 'http://gpu-1:8000/v1' }
  - model_name: qwen
    litellm_params: { model: hosted_vllm/qwen, api_base: 'http://gpu-2:8000/v1/' }
  - model_name: llama3
    litellm_params: { model: ollama_chat/llama3 }
  - model_name: bedrock-one
    litellm_params: { model: bedrock/anthropic.claude-v2, aws_region_name: eu }
litellm_settings: { num_retries: 2, request_timeout: 30, success_callback: [langfuse], fallbacks: [{gpt-4o: [smart]}] }
general_settings: { master_key: sk-1234 }
guardrails: []
";

    // SERVE-7
    #[test]
    fn models_are_carried_and_the_rest_is_named() {
        let Imported { toml, notes } = import(YAML).unwrap();
        let read: toml::Table = toml.parse().unwrap();
        let upstreams = read["upstreams"].as_table().unwrap();
        let field = |name: &str, key: &str| upstreams[name].get(key).map(ToString::to_string);
        assert_eq!(field("openai", "url").as_deref(), Some("\"https://api.openai.com/v1\""));
        assert_eq!(field("openai", "api_key_env").as_deref(), Some("\"OPENAI_API_KEY\""));
        assert_eq!(field("anthropic", "api").as_deref(), Some("\"anthropic\""));
        assert_eq!(field("hosted-vllm", "fallback").as_deref(), Some("\"hosted-vllm-2\""));
        assert_eq!(field("hosted-vllm-2", "url").as_deref(), Some("\"http://gpu-2:8000/v1\""));
        assert_eq!(field("ollama-chat", "url").as_deref(), Some("\"http://127.0.0.1:11434/v1\""));
        assert_eq!(field("ollama-chat", "retries").as_deref(), Some("2"));
        assert_eq!(read["upstream"]["timeout"].as_str(), Some("30s"));
        assert!(!toml.contains("sk-"), "{toml}");
        let notes = notes.join("\n");
        for said in [
            "put it into the variable ANTHROPIC_API_KEY",
            "clients must ask for `claude-sonnet-4-5`",
            "bedrock",
            "`gpt-4o`: rpm stay",
            "master_key",
            "success_callback",
            "`guardrails` stays behind",
            "fallbacks",
            "requests are not spread over both",
        ] {
            assert!(notes.contains(said), "{said} in {notes}");
        }
        assert!(!notes.contains("sk-"), "{notes}");
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        for (yaml, why) in [
            ("a: [", "no YAML"),
            ("a: 1", "no `model_list`"),
            ("model_list: []", "no model of it"),
            ("model_list: [7, {model_name: x}]", "has no litellm_params"),
        ] {
            assert!(import(yaml).unwrap_err().sentence().contains(why), "{yaml}");
        }
    }
}
