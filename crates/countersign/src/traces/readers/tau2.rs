//! Results of tau2 (a simulation with its messages), and of its first version (a task with its trajectory).

use super::Reader;
use crate::traces::exchange::Exchange;
use crate::traces::form::{Format, Trace};
use crate::traces::linker::Linker;
use crate::traces::record::Record;
use crate::wire::messages::read_message;
use serde_json::Value;

/// Results.
pub(super) struct Tau2;

impl Reader for Tau2 {
    fn read(&mut self, record: &Record<'_>, out: &mut Vec<Trace>) -> Result<(), String> {
        let runs = record.elements(Some("simulations")).or_else(|| record.elements(None));
        for run in runs.unwrap_or_else(|| vec![*record]) {
            let value = run.value()?;
            let said = ["messages", "traj"].iter().find_map(|key| value.get(*key)?.as_array());
            let Some(said) = said else { continue };
            let word = |key: &str| value.get(key).map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
            let id = match (word("task_id"), word("trial")) {
                (Some(task), Some(trial)) => Some(format!("task {task}, trial {trial}")),
                (task, _) => task.map(|task| format!("task {task}")).or_else(|| word("id")),
            };
            // Tools of the simulated user are no calls of the agent.
            let of_agent = |message: &&Value| message.get("requestor").and_then(Value::as_str) != Some("user");
            let messages =
                said.iter().filter(of_agent).map(without_user_calls).filter_map(|message| read_message(&message));
            let exchange = Exchange { messages: messages.collect(), ..Exchange::default() };
            let mut linker = Linker::new(Format::Tau2);
            out.extend(linker.add(exchange, id, &run));
            out.extend(linker.finish());
        }
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        Vec::new()
    }
}

fn without_user_calls(message: &Value) -> Value {
    let mut message = message.clone();
    let by_user = message.get("role").and_then(Value::as_str) == Some("user");
    if let Some(calls) = message.get_mut("tool_calls").filter(|_| by_user) {
        *calls = Value::Null;
    }
    if let (Some(failed), Some(fields)) = (message.get("error").and_then(Value::as_bool), message.as_object_mut()) {
        fields.insert("is_error".to_owned(), failed.into());
    }
    message
}
