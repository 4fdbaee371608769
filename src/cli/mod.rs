//! The command line: one file for each subcommand, and what they share.
//!
//! Results go to standard output, progress and logs to standard error. The exit status is 0 for success, 1 for an error, with
//! one line on standard error, 2 for invalid arguments, and 130 after an interrupt. `serve` ends by an interrupt with status 0.
//! A reader of standard output that goes before the end, such as `head`, ends the program with status 0 and no line.

#[macro_use]
mod output;

mod advice;
mod build;
mod build_progress;
mod check;
mod info;
mod interrupt;
mod knowledge_cache;
mod limits;
mod line;
mod matches;
mod options;
mod perft;
mod play;
mod processes;
mod progress;
mod proving;
mod query;
mod report;
mod reproduce;
mod review;
#[cfg(feature = "server")]
mod serve;
mod session;
mod solve;
mod stats;
mod stream;
mod uci;
mod values;
mod verify;
mod wording;

#[cfg(feature = "mpi")]
#[doc(hidden)]
pub use processes::run_together;

use clap::{Parser, Subcommand};

use limits::within_limits;
use output::{CliResult, Failure, printed};

/// Endgame databases and a solver for Fanorona: tables for boards of up to 64 points, games on boards up to 13x13
#[derive(Parser, Debug)]
#[command(name = "fanorona", version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Reproduce(reproduce::Arguments),
    Solve(solve::Arguments),
    Build(build::Arguments),
    Query(query::Arguments),
    Line(line::Arguments),
    Stats(stats::Arguments),
    Verify(verify::Arguments),
    Check(check::Arguments),
    Info(info::Arguments),
    Report(report::Arguments),
    #[cfg(feature = "server")]
    Serve(serve::Arguments),
    Perft(perft::Arguments),
    Play(play::Arguments),
    Review(review::Arguments),
    Uci(uci::Arguments),
    Match(Box<matches::Arguments>),
}

/// Runs the program with the arguments of the process, and ends it by `exit` with its status: here, or where an interrupt is
/// handled. Without a standard output nothing is begun, since its result would be lost.
pub fn main(exit: fn(i32) -> !, output_is_open: bool) -> ! {
    interrupt::exit_by(exit);
    if !output_is_open {
        note!(
            "fanorona: cannot write to standard output: it is closed; if nothing is to be printed, send it to /dev/null"
        );
        exit(1);
    }
    let result = match Arguments::try_parse() {
        Ok(arguments) => within_limits(|| arguments.command.run()),
        // Help, the version, or a usage error, whose status remains if it cannot be printed.
        Err(error) => {
            let result = printed(error.print());
            if error.use_stderr() { exit(error.exit_code()) } else { result }
        }
    };
    let (status, text) = match result {
        Ok(()) | Err(Failure::BrokenPipe) => exit(0),
        Err(Failure::Text(text)) => (1, text),
        Err(Failure::Interrupted(text)) => (interrupt::STATUS, text),
    };
    note!("fanorona: {text}");
    exit(status)
}

impl Command {
    fn run(self) -> CliResult {
        // Some commands save their work first, or end in another way.
        let handles_interrupts = match self {
            Self::Reproduce(_) | Self::Solve(_) | Self::Build(_) | Self::Play(_) | Self::Review(_) | Self::Match(_) => {
                true
            }
            #[cfg(feature = "server")]
            Self::Serve(_) => true,
            _ => false,
        };
        if !handles_interrupts {
            interrupt::ends_program("interrupted")?;
        }
        match self {
            Self::Reproduce(arguments) => reproduce::run(&arguments),
            Self::Solve(arguments) => solve::run(&arguments),
            Self::Build(arguments) => build::run(&arguments),
            Self::Line(arguments) => line::run(&arguments),
            Self::Query(arguments) => query::run(&arguments),
            Self::Stats(arguments) => stats::run(&arguments),
            Self::Verify(arguments) => verify::run(&arguments),
            Self::Check(arguments) => check::run(&arguments),
            Self::Info(arguments) => info::run(&arguments),
            Self::Report(arguments) => report::run(&arguments),
            #[cfg(feature = "server")]
            Self::Serve(arguments) => serve::run(&arguments),
            Self::Perft(arguments) => perft::run(&arguments),
            Self::Play(arguments) => play::run(&arguments),
            Self::Review(arguments) => review::run(&arguments),
            Self::Uci(arguments) => uci::run(&arguments),
            Self::Match(arguments) => matches::run(&arguments),
        }
    }
}
