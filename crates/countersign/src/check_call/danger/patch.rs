//! The paths of a patch in the format that models are taught for `apply_patch`: its text names the files it changes.

use super::path;
use super::text::Text;
use crate::contract::Finding;

/// The finding on a patch that changes a file it should not.
pub(crate) fn find(text: &Text<'_>) -> Option<Finding> {
    if !text.text.contains(BEGIN) {
        return None;
    }
    let named = |line: &str| FILES.iter().find_map(|mark| line.trim_end().strip_prefix(mark).map(str::to_owned));
    text.text.lines().filter_map(named).find_map(|file| path::find_at(text, file.trim()))
}

const BEGIN: &str = "*** Begin Patch";
const FILES: &[&str] = &["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
