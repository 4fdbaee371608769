//! The command line program; everything but its beginning and its end is in [`fanorona::cli`].

fn main() -> ! {
    fanorona::cli::main(std::process::exit, output::is_open())
}

#[cfg(unix)]
mod output {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    // Before `main` the runtime opens /dev/null in place of a closed standard output, and what is printed would be lost. So a
    // function that runs when the program is loaded looks first; it is marked `unsafe`, as such code has to be, makes one system call
    // and stores a word.
    ctor::declarative::ctor! {
        #[ctor(unsafe)]
        fn look() {
            CLOSED.store(rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_err(), Ordering::Relaxed);
        }
    }

    /// Whether the program began with a standard output.
    pub fn is_open() -> bool {
        !CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(not(unix))]
mod output {
    /// Whether the program began with a standard output: not known here.
    pub fn is_open() -> bool {
        true
    }
}
