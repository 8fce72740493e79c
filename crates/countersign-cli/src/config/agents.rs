//! Who answers in sessions: the built-in agents, changed and added to.

use super::checks::{Invalid, MOMENT, Valid, choice, span};
use super::raw_agents::{RawAgent, RawPrompt, RawPrompts};
use super::sources::{check_filled, check_name, count, patterns};
use countersign::policy::pattern::nearest;
use countersign_runtime::agents::{AgentSpec, Agents, Budget, Prompts, Protocol};
use std::collections::BTreeMap;
use std::path::Path;

/// Checks what was written, and lays it over the built-in agents.
pub(super) fn of(raw: BTreeMap<String, RawAgent>) -> Valid<Agents> {
    let mut agents = Agents::default();
    let names: Vec<String> = raw.keys().cloned().collect();
    for (name, raw) in raw {
        let at = format!("agents.{name}");
        check_name(&at, &name)?;
        if RESERVED.contains(&name.as_str()) {
            let message = format!("`{name}` is who speaks in events; an agent cannot be called that");
            return Err(Invalid { path: at.into(), message, help: Some("choose another name".to_owned()) });
        }
        let spec = agent(&at, agents.get(&name).map(|known| known.as_ref().clone()), &name, raw)?;
        agents.add(spec);
    }
    for name in &names {
        check_delegation(&agents, name)?;
    }
    Ok(agents)
}

fn agent(at: &str, known: Option<AgentSpec>, name: &str, raw: RawAgent) -> Valid<AgentSpec> {
    let protocol = match raw.protocol.as_deref() {
        None => known.as_ref().map_or(Protocol::React, |known| known.protocol),
        Some(word) => Protocol::ALL
            .into_iter()
            .find(|protocol| protocol.name() == word)
            .ok_or_else(|| choice(format!("{at}.protocol"), word, "`concierge`, `react` or `rewoo`"))?,
    };
    let plain = AgentSpec::new(name, protocol);
    let base = match known {
        Some(known) if known.protocol == protocol => known,
        Some(known) => AgentSpec { prompts: known.prompts, ..plain },
        None => plain,
    };
    // An orchestrator that works as a concierge does has nobody after it.
    let delegate = raw.delegate.or(base.delegate.filter(|delegate| delegate != name));
    if let Some(tools) = &raw.tools {
        patterns(&format!("{at}.tools"), tools)?;
    }
    if let Some(model) = &raw.model {
        check_filled(format!("{at}.model"), model)?;
    }
    let usual = Budget::default();
    Ok(AgentSpec {
        name: name.to_owned(),
        protocol,
        prompts: raw.prompt.map(|prompt| prompts(at, prompt)).transpose()?.unwrap_or(base.prompts),
        tools: raw.tools.unwrap_or(base.tools),
        model: raw.model.or(base.model),
        budget: Budget {
            rounds: count(format!("{at}.rounds"), raw.rounds, usual.rounds, MOST_ROUNDS)?,
            parallel: count(format!("{at}.parallel"), raw.parallel, usual.parallel, MOST_PARALLEL)?,
            time: match raw.time {
                Some(text) => span(format!("{at}.time"), &text, MOMENT)?,
                None => usual.time,
            },
        },
        delegate,
    })
}

fn prompts(at: &str, raw: RawPrompt) -> Valid<Prompts> {
    match raw {
        RawPrompt::File(file) => Ok(Prompts::same(&text(format!("{at}.prompt"), &file)?)),
        RawPrompt::Files(RawPrompts { en, zh }) => {
            let en = en.map(|file| text(format!("{at}.prompt.en"), &file)).transpose()?;
            let zh = zh.map(|file| text(format!("{at}.prompt.zh"), &file)).transpose()?;
            match (en, zh) {
                (Some(en), Some(zh)) => Ok(Prompts { en, zh }),
                (Some(one), None) | (None, Some(one)) => Ok(Prompts::same(&one)),
                (None, None) => Err(Invalid {
                    path: format!("{at}.prompt").into(),
                    message: "it names no file".to_owned(),
                    help: Some("write prompt = { en = \"FILE\", zh = \"FILE\" }".to_owned()),
                }),
            }
        }
    }
}

/// The text of a prompt file.
fn text(path: String, file: &str) -> Valid<String> {
    let wrong =
        |message: String, help: &str| Invalid { path: path.clone().into(), message, help: Some(help.to_owned()) };
    let size = std::fs::metadata(Path::new(file)).map_or(0, |file| file.len());
    if size > LONGEST_PROMPT {
        return Err(wrong(format!("{file} has {size} bytes; a prompt has at most {LONGEST_PROMPT}"), "shorten it"));
    }
    let text = std::fs::read_to_string(file)
        .map_err(|error| wrong(format!("cannot read {file}: {error}"), "the path is relative to the configuration"))?;
    if text.trim().is_empty() {
        return Err(wrong(format!("{file} is empty"), "write what the agent is told, or take `prompt` out"));
    }
    Ok(text)
}

/// Follows the delegates of an agent to their end.
fn check_delegation(agents: &Agents, name: &str) -> Valid<()> {
    let path = || format!("agents.{name}.delegate").into();
    let mut way = vec![name.to_owned()];
    let mut at = name.to_owned();
    while let Some(next) = agents.get(&at).and_then(|agent| agent.delegate.clone()) {
        if agents.get(&next).is_none() {
            let known: Vec<&str> = agents.names().collect();
            let help = match nearest(&next, &known) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are: {}", known.join(", ")),
            };
            let message = format!("`{next}` is no agent");
            return Err(Invalid { path: format!("agents.{at}.delegate").into(), message, help: Some(help) });
        }
        let seen = way.contains(&next);
        way.push(next.clone());
        if seen {
            let message = format!("it delegates in a circle: {}", way.join(" → "));
            return Err(Invalid { path: path(), message, help: Some("somebody must do the work".to_owned()) });
        }
        at = next;
    }
    Ok(())
}

/// Who speaks in events beside the agents.
const RESERVED: &[&str] = &["user", "countersign", "planner", "worker", "solver"];
const LONGEST_PROMPT: u64 = 256 * 1024;
const MOST_ROUNDS: usize = 100;
const MOST_PARALLEL: usize = 64;
