//! Readers of recorded traces meet anything: no panic, whatever the bytes, and no line that is not there.

use countersign::audit::Auditor;
use countersign::policy::Policy;
use countersign::traces::readers::reader;
use countersign::traces::{Format, Record, tell};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

const FORMATS: &[Format] = &[
    Format::ClaudeCode,
    Format::Codex,
    Format::GeminiCli,
    Format::Requests,
    Format::Otlp,
    Format::Countersign,
    Format::Langfuse,
    Format::Langsmith,
    Format::OpenaiAgents,
    Format::Inspect,
    Format::Tau2,
];

fn read_with_all(lines: &[String]) {
    let auditor = Auditor::new(Policy::standard().as_ref().clone());
    for format in FORMATS {
        let (mut reader, mut traces) = (reader(*format), Vec::new());
        for (at, line) in lines.iter().enumerate() {
            let _ = tell(line);
            let _ = reader.read(&Record { text: line, line: at as u64 + 1 }, &mut traces);
        }
        traces.extend(reader.finish());
        for trace in &traces {
            auditor.audit(trace);
        }
    }
}

fn recorded() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/traces");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

// AUDIT-1: every reader takes every other format's records, and none panics.
#[test]
fn every_reader_survives_every_format() {
    let lines: Vec<String> = recorded().iter().flat_map(|text| text.lines().map(str::to_owned)).collect();
    read_with_all(&lines);
    read_with_all(&recorded());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    // AUDIT-1: any bytes, and lines with pieces taken out.
    #[test]
    fn any_bytes_are_survived(text in "\\PC{0,200}", which in 0usize..1000, from in 0.0f64..1.0, length in 1usize..60) {
        read_with_all(&[text]);
        let all = recorded();
        let file = &all[which % all.len()];
        let start = file.floor_char_boundary((file.len() as f64 * from) as usize);
        let end = file.ceil_char_boundary((start + length).min(file.len()));
        let cut = format!("{}{}", &file[..start], &file[end..]);
        read_with_all(&cut.lines().map(str::to_owned).collect::<Vec<_>>());
    }
}
