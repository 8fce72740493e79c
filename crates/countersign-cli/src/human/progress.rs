//! How far a build of a knowledge base is, on a terminal.

use countersign_runtime::kb::{Progress, Stage};
use indicatif::{ProgressBar, ProgressStyle};

/// A bar on stderr; on anything but a terminal it stays unseen.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar without a length yet.
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::no_length();
        let style = ProgressStyle::with_template("{msg:10} {wide_bar} {pos}/{len}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self(bar)
    }

    /// Shows how far a build is.
    pub(crate) fn show(&self, progress: Progress) {
        self.0.set_message(match progress.stage {
            Stage::Comparing => "comparing",
            Stage::Reading => "reading",
            _ => "writing",
        });
        self.0.set_length(progress.total as u64);
        self.0.set_position(progress.done as u64);
    }

    /// Takes it away.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
