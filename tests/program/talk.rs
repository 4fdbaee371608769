//! A program that one talks with line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::program::Place;

/// The engine as another program sees it.
pub struct Talk {
    pub child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _place: Place,
}

impl Talk {
    pub fn new() -> Self {
        let place = Place::new();
        let mut child = place.command(&["uci"]).stdin(Stdio::piped()).spawn().expect("the program");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output, _place: place }
    }

    pub fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the program listens");
    }

    /// Reads until a line that begins so, and returns that line.
    pub fn read_until(&mut self, beginning: &str) -> String {
        self.lines_until(beginning).pop().expect("the last line")
    }

    /// Reads until a line that begins so; that line is the last.
    pub fn lines_until(&mut self, beginning: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("a line"), 0, "no {beginning} after {lines:?}");
            lines.push(line.trim_end().to_owned());
            if line.starts_with(beginning) {
                return lines;
            }
        }
    }
}
