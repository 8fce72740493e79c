//! To be written.
use super::{Ended, Options, Rewriter};
use crate::gateway::held::{Held, Settled};
use crate::gateway::sse::{Frame, Output};
use crate::gateway::wire::Fault;

/// The rewriter.
pub struct Responses {
    _options: Options,
}

impl Responses {
    pub(super) fn new(options: Options) -> Self {
        Self { _options: options }
    }
}

impl Rewriter for Responses {
    fn frame(&mut self, frame: &Frame, out: &mut Output) -> Result<(), Fault> {
        out.pass(frame);
        Ok(())
    }

    fn is_over(&self) -> bool {
        false
    }

    fn end(&mut self, _ended: Ended, _out: &mut Output) -> Result<Held, Fault> {
        Ok(Held::default())
    }

    fn close(&mut self, _settled: &Settled, _out: &mut Output) {}
}
