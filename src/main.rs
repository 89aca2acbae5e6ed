//! The `kadmit` program.

use std::process::ExitCode;

// What one thread allocates another one frees, which few allocators are quick at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    kadmit::cli::main()
}
