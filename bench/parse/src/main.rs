//! What the parser costs, beside its peers in the same run.
//!
//! `json` and `calls` time us and a peer in turns and print ratios: on a shared machine a time alone says little.
//! `repeat FORMAT TIMES` reads the output of one format and prints nothing, for a profile.
//! `families` and `protocols` list the hostile inputs and the ways to read them; `grow FAMILY PROTOCOL BYTES PIECE`
//! reads one of them once and prints nothing, so that `bench/parse/growth` can count its instructions under callgrind.
//! `stand FAMILY PROTOCOL BYTES PIECE` does the same and prints how long it took. A PIECE of 0 pushes all at once.

/// The documents: generated, the same in every run.
mod documents;
/// Two things timed in turns.
mod race;
/// JSON answers against serde_json, jsonrepair-rs and jiter.
mod json;
/// Calls in text, and prose, against tool-parser.
mod calls;
/// Hostile input of any length.
mod growth;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["json"] => json::run(),
        ["calls"] => calls::run(),
        ["repeat", format, times] => calls::repeat(format, number(times)),
        ["families"] => growth::FAMILIES.iter().for_each(|family| println!("{}", family.name)),
        ["protocols"] => growth::PROTOCOLS.iter().for_each(|protocol| println!("{protocol}")),
        ["grow", family, protocol, bytes, piece] => growth::read(family, protocol, number(bytes), number(piece)),
        ["stand", family, protocol, bytes, piece] => {
            let began = std::time::Instant::now();
            growth::read(family, protocol, number(bytes), number(piece));
            println!("{family}\t{protocol}\t{piece}\t{:.1}", began.elapsed().as_secs_f64() * 1e3);
        }
        _ => panic!("json | calls | repeat FORMAT TIMES | families | protocols | grow or stand FAMILY PROTOCOL BYTES PIECE"),
    }
}

fn number(text: &str) -> usize {
    text.parse().expect("a number of bytes")
}
