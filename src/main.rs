//! The command line program; everything is in [`fanorona::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    fanorona::cli::main()
}
