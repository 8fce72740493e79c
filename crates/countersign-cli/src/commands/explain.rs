//! `countersign explain`: what a finding code means and what to do about it.

use super::print;
use crate::args::ExplainArgs;
use crate::engine::load_policy;
use crate::failure::Failure;
use crate::human::canvas::{Canvas, Paint};
use crate::human::page;
use countersign::contract::{Code, codes};
use countersign::parse::{Kind, repair_kinds};
use std::fs;
use std::path::Path;

/// Prints one page, the list of codes, or writes all pages into a folder.
pub(crate) fn run(args: ExplainArgs) -> Result<u8, Failure> {
    if let Some(folder) = args.write {
        return write_pages(&folder).map(|()| 0);
    }
    let mut canvas = Canvas::new(args.color, None);
    match args.code.as_deref() {
        None => list(&mut canvas),
        Some(id) => match repair(id) {
            Some(kind) => draw_repair(&mut canvas, kind),
            None => page::draw(&mut canvas, find(id)?, load_policy(&args.policy)?.as_ref()),
        },
    }
    print(&canvas.finish()).map(|()| 0)
}

/// The kind of repair with that code.
fn repair(id: &str) -> Option<&'static Kind> {
    let id = id.trim().to_ascii_lowercase();
    repair_kinds().find(|kind| kind.code == id)
}

fn draw_repair(canvas: &mut Canvas, kind: &Kind) {
    let code = canvas.paint(Paint::Bold, kind.code);
    canvas.line(&format!("{code}  {}", kind.note));
    canvas.line("");
    canvas.line(&format!("A repair that `countersign parse` makes and reports. Confidence {:.2}.", kind.confidence));
}

/// The code of a name, in any case; an unknown one names the nearest.
fn find(id: &str) -> Result<&'static Code, Failure> {
    let id = id.trim().to_ascii_lowercase();
    if let Some(code) = codes::find(&id) {
        return Ok(code);
    }
    // Many remember only the last part: `wrong-type` for `call.wrong-type`.
    let likeness = |code: &Code| {
        let short = code.id.split_once('.').map_or(code.id, |(_, short)| short);
        strsim::jaro_winkler(&id, code.id).max(strsim::jaro_winkler(&id, short))
    };
    let mut near: Vec<(f64, &str)> = codes::all().map(|code| (likeness(code), code.id)).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = near.iter().filter(|(likeness, _)| *likeness > 0.75).take(3).map(|(_, id)| *id).collect();
    let help = match near.as_slice() {
        [] => "`countersign explain` lists every code".to_owned(),
        near => format!("did you mean {}?", near.join(" or ")),
    };
    Err(Failure::with_help(format!("there is no code `{id}`"), help))
}

fn list(canvas: &mut Canvas) {
    let wide = codes::all().map(|code| code.id.len()).max().unwrap_or(0);
    for code in codes::all() {
        let id = canvas.paint(Paint::Bold, &format!("{:<wide$}", code.id));
        canvas.line(&format!("{id}  {}", code.title));
    }
}

/// Writes `<code>.md` for every code and `README.md` as their index; pages of codes that are gone are removed.
fn write_pages(folder: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| Failure::file(folder, "write", &error);
    fs::create_dir_all(folder).map_err(failed)?;
    let pages = pages();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && !pages.iter().any(|(page, _)| *page == name) {
            fs::remove_file(folder.join(name)).map_err(failed)?;
        }
    }
    for (name, text) in pages {
        fs::write(folder.join(name), text).map_err(failed)?;
    }
    Ok(())
}

fn pages() -> Vec<(String, String)> {
    let all: Vec<&Code> = codes::all().collect();
    let mut pages: Vec<(String, String)> =
        all.iter().map(|code| (format!("{}.md", code.id), page::markdown(code))).collect();
    pages.push(("README.md".to_owned(), page::index(&all)));
    pages.push(("repairs.md".to_owned(), repairs_page()));
    pages
}

/// The repairs of the parser, one row each.
fn repairs_page() -> String {
    let mut page = String::from(
        "# Repairs\n\nWhat `countersign parse` mends in a model's output. Every mend is reported in `repairs` with its code, its place and \
         what it made of it. A call is only built on mends that are surer than 0.5.\n\n| code | what | confidence |\n|---|---|---|\n",
    );
    for kind in repair_kinds() {
        page.push_str(&format!("| `{}` | {} | {:.2} |\n", kind.code, kind.note, kind.confidence));
    }
    page
}
