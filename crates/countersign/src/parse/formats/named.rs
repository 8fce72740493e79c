//! Calls that begin their line with the name of their tool: `>>>get_weather` above its arguments, `get_weather[ARGS]{…}`.

use super::FormatEngine;
use super::State;
use super::line::Opener;
use super::payload::Trust;
use super::region::{Closer, Region};
use super::step::Step;
use super::table::Way;
use super::word::is_name;
use crate::parse::markup::Input;

impl FormatEngine {
    /// Whether the line that begins at `at` may begin with such a call.
    pub(super) fn may_name(&self, at: usize) -> bool {
        let Some(byte) = self.buffer.byte(at) else { return false };
        self.allows(Way::Line) && (byte == b'>' || self.tools.may_begin(byte))
    }

    /// What to do where a line begins; none where nothing of that kind stands there.
    pub(super) fn named_line(&self, at: usize) -> Option<Step> {
        if self.verbatim || self.reasoning.is_some() || self.line.fence().is_some() || !self.may_name(at) {
            return None;
        }
        let text = self.buffer.from(at);
        let wait = || (self.input == Input::Open).then_some(Step::Wait);
        let arrows = text.len() - text.trim_start_matches('>').len();
        if arrows > 0 && arrows != ARROWS {
            return if arrows < ARROWS && arrows == text.len() { wait() } else { None };
        }
        let rest = text.get(arrows..).unwrap_or_default();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if after.is_empty() {
            let may = self.tools.any_begins(name) || (arrows > 0 && TO_ALL.starts_with(name));
            return if may { wait() } else { None };
        }
        if arrows > 0 && name == TO_ALL && after.starts_with('\n') {
            return Some(Step::Boundary(arrows + end + 1));
        }
        let registered = self.tools.is_registered(name) || (self.tools.is_empty() && arrows > 0 && is_name(name));
        if !registered {
            return None;
        }
        if arrows == 0 && after.starts_with('[') {
            return match after.strip_prefix(ARGS) {
                Some(_) => Some(self.enter(at, end + ARGS.len(), Closer::Token, name)),
                None if ARGS.starts_with(after) => wait(),
                None => None,
            };
        }
        // Above its arguments: behind the arrows anywhere, without them only where the output begins.
        let below = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n'));
        let below = below.filter(|_| arrows > 0 || at == 0)?;
        match below.trim_start().chars().next() {
            None if below.len() <= MOST_BLANKS => wait(),
            Some('{') => {
                let body = arrows + end + (after.len() - below.trim_start().len());
                Some(self.enter(at, body, Closer::Balance, name))
            }
            _ => None,
        }
    }

    fn enter(&self, at: usize, skip: usize, closer: Closer, name: &str) -> Step {
        let region = Region::new(at, at + skip, closer, Trust::Marked, self.place()).named(name.to_owned());
        Step::Enter(State::Region(Box::new(region)), Opener::Plain)
    }
}

/// How many arrows stand before a name.
const ARROWS: usize = 3;
/// To whom a message goes that is no call.
const TO_ALL: &str = "all";
/// What stands between a name and its arguments.
const ARGS: &str = "[ARGS]";
/// More blanks than this are not waited for.
const MOST_BLANKS: usize = 64;
