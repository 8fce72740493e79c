//! `countersign man`: the manual page, with every command on it.

use super::print;
use crate::args::{Cli, ManArgs};
use crate::failure::Failure;
use clap::CommandFactory;
use clap_mangen::Man;

/// Prints the page of the program, then the pages of its commands.
pub(crate) fn run(_: ManArgs) -> Result<u8, Failure> {
    let mut page = Vec::new();
    let mut root = Cli::command();
    root.build();
    let failed = |error: std::io::Error| Failure::Internal(error.to_string());
    Man::new(root.clone()).render(&mut page).map_err(failed)?;
    for command in root.get_subcommands() {
        let title = format!(".SH COMMAND {}\n", command.get_name().to_uppercase());
        page.extend_from_slice(title.as_bytes());
        let man = Man::new(command.clone());
        man.render_description_section(&mut page).map_err(failed)?;
        man.render_options_section(&mut page).map_err(failed)?;
    }
    print(&String::from_utf8_lossy(&page)).map(|()| 0)
}
