//! Hosted agents against a real server, all on this machine: how they stand many sessions, how soon a tool starts after
//! the model's last byte, and what a turn costs in processor time.
//!
//! `countersign-bench-agents BINARY sessions SESSIONS TURNS | tool-start TURNS [REMARK] | cost TURNS`. Each starts servers of
//! its own on free ports, and ends them. Every stream is read to its end and checked: one terminal event, then `[DONE]`.

mod cost;
mod figures;
mod scripted;
mod server;
mod sessions;
mod tool_start;
mod turn;

type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Fallible<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        [binary, "sessions", count, turns] => sessions::run(binary, count.parse()?, turns.parse()?).await,
        [binary, "tool-start", turns] => tool_start::run(binary, turns.parse()?).await,
        [binary, "cost", turns] => cost::run(binary, turns.parse()?).await,
        _ => {
            eprintln!("countersign-bench-agents BINARY sessions SESSIONS TURNS | tool-start TURNS | cost TURNS");
            std::process::exit(2);
        }
    }
}
