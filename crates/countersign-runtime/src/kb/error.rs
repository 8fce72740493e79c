//! Why a knowledge base cannot be built, opened or searched.

use std::path::Path;

/// What went wrong. The text names the folder or the index and says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KbError {
    /// The folder of documents cannot be read.
    #[error("cannot read the folder `{folder}`: {problem}; name a folder of documents")]
    Folder {
        /// As it was named.
        folder: String,
        /// What is wrong.
        problem: String,
    },
    /// There is no index at this place. Building makes one.
    #[error("there is no index at `{index}`; build it first")]
    Absent {
        /// The place.
        index: String,
    },
    /// An index is there, but it is not what was written. Building rebuilds it from the documents.
    #[error("the index at `{index}` is damaged: {problem}; build it again")]
    Corrupted {
        /// The place.
        index: String,
        /// What shows it.
        problem: String,
    },
    /// The index cannot be written.
    #[error("cannot write the index at `{index}`: {problem}; choose another place for it")]
    Unwritable {
        /// The place.
        index: String,
        /// What is wrong.
        problem: String,
    },
    /// The place for the index holds something else, which nobody wants to lose.
    #[error("`{index}` is a folder with other files in it; choose an empty place for the index")]
    Foreign {
        /// The place.
        index: String,
    },
    /// Another process builds at the same place and did not end in time. Trying again may help.
    #[error("another process is building the index at `{index}`; wait for it and try again")]
    Busy {
        /// The place.
        index: String,
    },
}

impl KbError {
    pub(super) fn corrupted(index: &Path, problem: impl ToString) -> Self {
        Self::Corrupted { index: index.display().to_string(), problem: problem.to_string() }
    }

    pub(super) fn unwritable(index: &Path, problem: impl ToString) -> Self {
        Self::Unwritable { index: index.display().to_string(), problem: problem.to_string() }
    }

    pub(super) fn folder(folder: &Path, problem: impl ToString) -> Self {
        Self::Folder { folder: folder.display().to_string(), problem: problem.to_string() }
    }
}
