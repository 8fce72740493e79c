//! Logs of requests and answers, one a line.

use super::Reader;
use crate::traces::exchange;
use crate::traces::form::{Format, Trace};
use crate::traces::linker::Linker;
use crate::traces::record::Record;
use serde_json::Value;

/// A log.
pub(super) struct Requests(Linker);

impl Default for Requests {
    fn default() -> Self {
        Self(Linker::new(Format::Requests))
    }
}

impl Reader for Requests {
    fn read(&mut self, record: &Record<'_>, out: &mut Vec<Trace>) -> Result<(), String> {
        let value = record.value()?;
        let exchange = exchange::read(&value).ok_or("holds no conversation")?;
        out.extend(self.0.add(exchange, id_of(&value), record));
        Ok(())
    }

    fn finish(&mut self) -> Vec<Trace> {
        self.0.finish()
    }
}

fn id_of(value: &Value) -> Option<String> {
    let ids = ["conversation_id", "session_id", "custom_id", "request_id", "id"];
    ids.iter().find_map(|key| value.get(*key)?.as_str()).map(str::to_owned)
}
