//! The command line.

use countersign::check_call::Guard;
use countersign::contract::Answers;
use countersign::inspect;
use countersign::policy::Policy;
use countersign::wire::requests::read_check;
use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let Ok(body) = serde_json::from_str(&line) else { continue };
        match read_check(&body) {
            Ok(mut request) => {
                let guard = Guard::new(request.tools.take(), Policy::standard());
                let verdict = inspect::check(&guard, &request, &Answers::default());
                writeln!(out, "{}", serde_json::to_string(&verdict)?)?;
            }
            Err(error) => writeln!(out, "{}", serde_json::json!({"error": error.to_string()}))?,
        }
    }
    Ok(())
}
