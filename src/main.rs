//! The command line program; everything but its end is in [`fanorona::cli`].

fn main() -> ! {
    fanorona::cli::main(std::process::exit)
}
