//! A process that answers line by line, within time limits.

use std::io::{BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{fmt, io};

use crate::board::excerpt;
use crate::files::lines_of;

/// How soon an interrupt is noticed.
const INTERRUPT: Duration = Duration::from_millis(50);

/// Unread lines that are kept; a process that prints more has to wait.
const UNREAD: usize = 1024;

/// How long a process may take to end by itself.
const ENDING: Duration = Duration::from_millis(500);

/// Why a process gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// It has ended: its status, and the first and the last line that it wrote on standard error.
    Ended(String),
    /// It took longer than this.
    Late(Duration),
    /// The match was interrupted.
    Interrupted,
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(how) => write!(f, "the engine ended ({how})"),
            Self::Late(after) => write!(f, "no answer within {:.1} s", after.as_secs_f64()),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// A running process, which is ended when this is dropped.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// The first and the last line on its standard error.
    complaint: Arc<Mutex<[String; 2]>>,
    errors: JoinHandle<()>,
}

impl Process {
    /// Starts a command. Of its standard error the first and the last line are kept.
    pub fn start(command: &[String]) -> io::Result<Self> {
        let (program, arguments) =
            command.split_first().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "there is no command"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        {
            // Ctrl-C at the terminal is for the match, not for the engines.
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let mut child = command.spawn()?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (sender, lines) = sync_channel(UNREAD);
        let complaint: Arc<Mutex<[String; 2]>> = Arc::default();
        let kept = complaint.clone();
        // Both threads end with the process, or with what it has started, so nobody waits for them.
        thread::Builder::new().name("engine".to_owned()).spawn(move || {
            each_line(output, |line| sender.send(line).is_ok());
        })?;
        let errors = thread::Builder::new().name("engine errors".to_owned()).spawn(move || {
            each_line(errors, |line| {
                let line = line.trim();
                if !line.is_empty() {
                    let [first, last] = &mut *kept.lock().unwrap_or_else(PoisonError::into_inner);
                    line.clone_into(if first.is_empty() { first } else { last });
                }
                true
            });
        })?;
        Ok(Self { child, input, lines, complaint, errors })
    }

    /// Writes a line.
    pub fn say(&mut self, line: &str) -> Result<(), NoAnswer> {
        let written = self.input.as_mut().map(|input| input.write_all(format!("{line}\n").as_bytes()));
        match written {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended()),
        }
    }

    /// Reads the next line; gives up when `patience` has passed since the question.
    pub fn line(&mut self, asked: Instant, patience: Duration, stop: &AtomicBool) -> Result<String, NoAnswer> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(NoAnswer::Interrupted);
            }
            let left = patience.saturating_sub(asked.elapsed());
            if left.is_zero() {
                return Err(NoAnswer::Late(patience));
            }
            match self.lines.recv_timeout(left.min(INTERRUPT)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Waits a moment for the process to end, and ends it otherwise.
    fn ended(&mut self) -> NoAnswer {
        // Closing its input asks it to end.
        self.input = None;
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if begun.elapsed() < ENDING => thread::sleep(Duration::from_millis(2)),
                _ => {
                    kill(&mut self.child);
                    let _ = self.child.wait();
                    break "it closed its output".to_owned();
                }
            }
        };
        while !self.errors.is_finished() && begun.elapsed() < ENDING {
            thread::sleep(Duration::from_millis(2));
        }
        let complaint = self.complaint.lock().unwrap_or_else(PoisonError::into_inner);
        let said = complaint.iter().filter(|line| !line.is_empty()).map(|line| format!(": {}", excerpt(line)));
        NoAnswer::Ended(format!("{status}{}", said.collect::<String>()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An engine in the middle of a search reads this at once.
        let _ = self.say("stop\nquit");
        self.ended();
    }
}

/// Ends a process and what it has started. If it has ended meanwhile there is nothing to do.
fn kill(child: &mut Child) {
    // All of them are in the group that began with it.
    #[cfg(all(unix, feature = "cli"))]
    let _ = rustix::process::kill_process_group(rustix::process::Pid::from_child(child), rustix::process::Signal::KILL);
    let _ = child.kill();
}

/// Calls `visit` with each line of a pipe until it is false.
fn each_line(pipe: Option<impl io::Read>, visit: impl FnMut(String) -> bool) {
    let lines = pipe.into_iter().flat_map(|pipe| lines_of(BufReader::new(pipe)));
    // A pipe that cannot be read has no more lines; lines that are too long are skipped.
    let _ = lines.map_while(Result::ok).filter_map(Result::ok).all(visit);
}
