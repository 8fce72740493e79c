//! One server of a client's configuration: how it is started, with a guard in front of it or without.

use std::path::Path;

/// How a program is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Start {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// How a server stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A guard is in front of it.
    Guarded,
    /// Nothing is.
    Open,
    /// It is reached over HTTP by the client itself.
    Remote,
}

/// What the guard is started with.
#[derive(Debug, Clone)]
pub(crate) struct Guarding {
    /// Our own program.
    pub program: String,
    /// Options before the server's own command.
    pub options: Vec<String>,
}

impl Start {
    /// Whether a guard of ours is in front.
    pub(crate) fn is_guarded(&self) -> bool {
        let ours = Path::new(&self.command).file_stem().is_some_and(|stem| stem == "countersign");
        ours && self.args.first().is_some_and(|first| first == "mcp") && self.args.iter().any(|arg| arg == "--")
    }

    /// With a guard in front.
    pub(crate) fn guarded(&self, name: &str, guarding: &Guarding) -> Self {
        let mut args = vec!["mcp".to_owned(), "--name".to_owned(), name.to_owned()];
        args.extend(guarding.options.iter().cloned());
        args.extend(["--".to_owned(), self.command.clone()]);
        args.extend(self.args.iter().cloned());
        Self { command: guarding.program.clone(), args }
    }

    /// As it was before; `None` where nothing of ours is in front.
    pub(crate) fn unguarded(&self) -> Option<Self> {
        let behind = self.args.iter().position(|arg| arg == "--").filter(|_| self.is_guarded())?;
        let (command, args) = self.args.get(behind + 1..)?.split_first()?;
        Some(Self { command: command.clone(), args: args.to_vec() })
    }
}

/// What is done to a file.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// A guard is put in front of each server.
    Guard(Guarding),
    /// Every guard is taken out.
    Unguard,
    /// Nothing; it is only looked at.
    Look,
}

impl Change {
    /// The server after the change; `None` where it stays.
    pub(crate) fn apply(&self, name: &str, start: &Start) -> Option<Start> {
        match self {
            Self::Guard(guarding) if !start.is_guarded() => Some(start.guarded(name, guarding)),
            Self::Unguard => start.unguarded(),
            _ => None,
        }
    }
}

/// A file with its servers, and its text after the change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    /// The servers after the change: name, standing, whether it was changed.
    pub servers: Vec<(String, Standing, bool)>,
    /// The text after the change.
    pub text: String,
}
