//! `threadkeep`: parse, set up diagnostics, run, say how it went.

use std::process::ExitCode;

fn main() -> ExitCode {
    threadkeep::cli::main()
}
