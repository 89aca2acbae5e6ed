//! The `kadmit` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    kadmit::cli::main()
}
