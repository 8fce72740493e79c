//! What a gateway costs, part by part; `run.py` beside this crate starts the parts and prints the table.
//!
//! - `stub ADDRESS`: an upstream that answers at once, as cheaply as can be.
//! - `bare ADDRESS UPSTREAM`: a pass-through of axum and reqwest that checks nothing: the floor of this stack.
//! - `load TARGET CASE CONCURRENCY SECONDS|xCOUNT [HEADER…]`: a closed loop that checks every answer.
//! - `streams TARGET COUNT SECONDS`: many slow streams at once, every byte checked.
//! - `outage TARGET UPSTREAM SECONDS`: an upstream that dies and comes back, seen by the clients.
//!
//! Each prints one line of JSON. Nothing here is part of the product.

/// Requests, and what the upstream answers to them.
mod cases;
/// The upstream.
mod stub;
/// The proxy that checks nothing.
mod bare;
/// A connection of a client, and one answer read from it.
mod client;
/// Whether an answer says what the upstream said.
mod meaning;
/// The closed loop.
mod load;
/// Many slow streams.
mod streams;
/// An upstream that dies and comes back.
mod outage;

type Fallible<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// As in the product: the bare proxy must not lose by its allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Fallible<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["stub", address] => alone()?.block_on(stub::run(address)),
        // Workers by TOKIO_WORKER_THREADS, as the product takes them.
        ["bare", address, upstream] => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            runtime.block_on(bare::run(address, upstream))
        }
        ["load", target, case, concurrency, until, headers @ ..] => {
            alone()?.block_on(load::run(target, case, concurrency.parse()?, load::Until::read(until)?, headers))
        }
        ["streams", target, count, seconds, headers @ ..] => {
            alone()?.block_on(streams::run(target, count.parse()?, seconds.parse()?, headers))
        }
        ["outage", target, upstream, seconds, headers @ ..] => {
            alone()?.block_on(outage::run(target, upstream, seconds.parse()?, headers))
        }
        ["cases"] => {
            println!("{}", cases::NAMES.join(" "));
            Ok(())
        }
        _ => {
            eprintln!("countersign-bench-gateway stub|bare|load|streams|outage|cases …; see src/main.rs");
            std::process::exit(2);
        }
    }
}

/// One thread: what is measured has two cores to share with us.
fn alone() -> Fallible<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_current_thread().enable_all().build()?)
}
