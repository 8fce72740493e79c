//! What lines are read from: files, standard input, or one call from the command line.

use crate::failure::Failure;
use std::fs::File;
use std::io::{self, Cursor, IsTerminal, Read};
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes that are being read.
pub(crate) type Input = Box<dyn Read + Send>;

/// One input, opened when its turn comes.
#[derive(Debug)]
pub(crate) enum Source {
    /// Standard input.
    Stdin,
    /// A file, with the name that answers carry where there are several.
    File(PathBuf, Option<Arc<str>>),
    /// Text from the command line.
    Text(String),
}

impl Source {
    /// The inputs that the arguments name. Every file is looked at now, so that a wrong name costs no work.
    pub(crate) fn of(files: Vec<PathBuf>) -> Result<Vec<Self>, Failure> {
        if files.is_empty() {
            return Self::stdin().map(|stdin| vec![stdin]);
        }
        let several = files.len() > 1;
        let open = |path: PathBuf| {
            if path.as_os_str() == "-" {
                return Self::stdin();
            }
            let found = std::fs::metadata(&path).map_err(|error| Failure::file(&path, "read", &error))?;
            if found.is_dir() {
                return Err(Failure::unusable(format!("{} is a folder; name its files", path.display())));
            }
            let name = several.then(|| Arc::from(path.display().to_string()));
            Ok(Self::File(path, name))
        };
        files.into_iter().map(open).collect()
    }

    fn stdin() -> Result<Self, Failure> {
        if io::stdin().is_terminal() {
            return Err(Failure::with_help(
                "nothing to read",
                "name a file of JSON lines, or pipe lines into standard input; `--help` shows what a line looks like",
            ));
        }
        Ok(Self::Stdin)
    }

    /// How many bytes there are, where that is known.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Self::Stdin => None,
            Self::File(path, _) => {
                std::fs::metadata(path).ok().filter(|found| found.is_file()).map(|found| found.len())
            }
            Self::Text(text) => Some(text.len() as u64),
        }
    }

    /// Opens it, with the name that answers carry.
    pub(crate) fn open(self) -> Result<(Input, Option<Arc<str>>), Failure> {
        Ok(match self {
            Self::Stdin => (Box::new(io::stdin()), None),
            Self::File(path, name) => {
                let file = File::open(&path).map_err(|error| Failure::file(&path, "read", &error))?;
                (Box::new(file), name)
            }
            Self::Text(text) => (Box::new(Cursor::new(text)), None),
        })
    }
}
