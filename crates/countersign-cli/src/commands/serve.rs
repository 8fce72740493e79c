//! `countersign serve`: the server.

use crate::args::ServeArgs;
use crate::config;
use crate::failure::Failure;
use crate::serve;

/// Runs the server until it is told to end.
pub(crate) fn run(args: ServeArgs) -> Result<u8, Failure> {
    serve::run(config::load(&args.config)?)
}
