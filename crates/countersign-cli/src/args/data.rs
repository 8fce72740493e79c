//! The options of the commands around a server's data: `backup`, `restore` and `session`.

use super::{ConfigArgs, ServerArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The file to make; it must not exist
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub config: Box<ConfigArgs>,
}

/// `restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The backup
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub config: Box<ConfigArgs>,
}

/// `session`.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: SessionCommand,
}

/// What can be done with sessions.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// Write a session with its notes, materials and files to standard output
    #[command(after_help = "Example:\n  countersign session export ses_7b21 > session.json")]
    Export {
        /// The session
        #[arg(value_name = "ID")]
        id: String,
        #[command(flatten)]
        server: ServerArgs,
    },
    /// Take in a session that was exported; prints its name
    #[command(after_help = "Example:\n  countersign session import session.json")]
    Import {
        /// The exported session; `-` for standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        server: ServerArgs,
    },
}

pub(super) const BACKUP_HELP: &str = "The server may go on. What it has acknowledged before the backup begins is in it; only the owner may read the file.\n\n\
Examples:\n  countersign backup countersign-2026-11-18.zip\n  countersign backup /mnt/backups/countersign.zip --data-dir /var/lib/countersign";
pub(super) const RESTORE_HELP: &str = "Into a folder that does not exist or is empty. It is there whole or not at all.\n\n\
Example:\n  countersign restore countersign-2026-11-18.zip --data-dir /var/lib/countersign";
