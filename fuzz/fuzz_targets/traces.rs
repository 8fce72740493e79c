//! Arbitrary bytes as a recorded trace: told, read by the reader of its format, and judged.
#![no_main]

use countersign::audit::Auditor;
use countersign::policy::Policy;
use countersign::traces::readers::reader;
use countersign::traces::{Record, tell};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static AUDITOR: LazyLock<Auditor> = LazyLock::new(|| Auditor::new(Policy::standard().as_ref().clone()));

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let Some(format) = text.lines().find_map(tell) else { return };
    let (mut reader, mut traces) = (reader(format), Vec::new());
    for (at, line) in text.lines().enumerate() {
        let _ = reader.read(&Record { text: line, line: at as u64 + 1 }, &mut traces);
    }
    traces.extend(reader.finish());
    for trace in &traces {
        AUDITOR.audit(trace);
    }
});
