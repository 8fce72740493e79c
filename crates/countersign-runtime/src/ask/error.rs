//! Why a source cannot be used, or did not answer.

/// What went wrong with a source of facts. The text is fit for a client: it names what the policy names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// A file of the policy cannot be read or understood. Trying again helps once it is mended.
    #[error("cannot use `{file}`: {problem}; check the path and the file in `[facts]`")]
    File {
        /// As the policy names it.
        file: String,
        /// What is wrong.
        problem: String,
    },
    /// The policy asks for something that the source cannot do.
    #[error("the source `{name}` cannot be used: {problem}; mend it in `[facts]`")]
    Source {
        /// Its name.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// A service did not answer as it should. Trying again may help.
    #[error("{problem}; look at the service")]
    Service {
        /// What is wrong.
        problem: String,
    },
    /// A question of a kind that this checker does not answer.
    #[error("this checker does not answer such questions; register another one for them")]
    OtherQuestion,
    /// What a checker of the user's own says.
    #[error("{0}")]
    Own(String),
}
