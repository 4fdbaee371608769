//! Calls of a server that fail once: it does not begin, and says why, or it goes on and answers right.

use std::process::Command;

use serde_json::Value;

use super::{PROGRAM, most_of_a_thread, prepared, spread};
use crate::program::{Place, Ran, says};
use crate::served::Server;

/// The calls, each with the error that it ends with. Not `recvfrom`: it takes signals too, from a socket that cannot fail.
const CALLS: [(&str, &str); 13] = [
    ("openat", "EIO"),
    ("read", "EIO"),
    ("statx", "EIO"),
    ("getdents64", "EIO"),
    ("lseek", "EIO"),
    ("clone3", "EAGAIN"),
    ("socket", "EMFILE"),
    ("bind", "EACCES"),
    ("listen", "EADDRINUSE"),
    ("accept4", "EMFILE"),
    ("writev", "EPIPE"),
    ("epoll_ctl", "ENOSPC"),
    ("shutdown", "EIO"),
];

/// What is asked, twice: what a fault left may show only then.
const PATHS: [&str; 3] = ["/api/3x3?position=3/3/W1B_w", "/api/tables", "/"];

/// The most calls of a kind that fail, from the first to the last.
const MOST: usize = 8;

/// How often it is asked again where it could not answer: a call fails once in each of its threads.
const PATIENCE: usize = 20;

pub fn a_server_goes_on() {
    let place = prepared(&["build 3x3 --stones 4", "solve 3x3 --stones 4"]);
    let log = tempfile::NamedTempFile::new().expect("a temporary file");
    let path = log.path().to_str().expect("a path");
    let names: Vec<&str> = CALLS.iter().map(|(call, _)| *call).collect();
    let server = begun(&place, &["-o", path, "-e", &format!("trace={}", names.join(","))])
        .unwrap_or_else(|ran| panic!("{}", ran.err));
    let expected = PATHS.map(|path| server.answer(path).expect("an answer"));
    assert!(expected.iter().all(|(status, _)| *status == 200));
    server.signal("TERM");
    assert_eq!(server.ends().code, Some(0));
    let trace = std::fs::read_to_string(path).expect("a trace");
    let (mut refused, mut broken, mut harmless) = (0, 0, 0);
    for (call, error) in CALLS {
        for number in spread(most_of_a_thread(&trace, call), MOST) {
            let fault = format!("inject={call}:error={error}:when={number}");
            let server = match begun(&place, &["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &fault]) {
                Ok(server) => server,
                // Before the program has begun.
                Err(ran) if ran.code != Some(1) => {
                    assert!(ran.err.contains("while loading shared libraries"), "{fault}: {:?} {}", ran.code, ran.err);
                    continue;
                }
                Err(ran) => {
                    says(&ran.err, &[]);
                    refused += 1;
                    continue;
                }
            };
            let mut failed = 0;
            for (path, expected) in PATHS.iter().zip(&expected).chain(PATHS.iter().zip(&expected)) {
                while let Some(failure) = failure(server.answer(path), expected, &fault) {
                    failed += 1;
                    assert!(failed < PATIENCE, "{fault}, {path}: {failure}");
                }
            }
            if failed > 0 {
                broken += 1;
            } else {
                harmless += 1;
            }
            // The signal that asks may be what the call has taken from it.
            server.signal("KILL");
            server.ends();
        }
    }
    println!("{refused} faults kept it from beginning, {broken} broke an answer, {harmless} did not matter");
    assert!(refused > 5 && broken > 3, "{refused} {broken}");
}

/// Starts a server under `strace`, which keeps out of its way: the child is the server.
fn begun(place: &Place, options: &[&str]) -> Result<Server, Ran> {
    let mut strace = Command::new("strace");
    strace.args(["-D", "-f", "-qq", "--seccomp-bpf"]).args(options).arg(PROGRAM).args([
        "serve",
        "--bind",
        "127.0.0.1:0",
    ]);
    Server::begun(strace.current_dir(place.path()).env_remove("RUST_BACKTRACE"))
}

/// Why an answer is not the one that is expected. A wrong one would be none of these.
fn failure(answer: Option<(u16, String)>, expected: &(u16, String), told: &str) -> Option<String> {
    let Some((status, body)) = answer else { return Some("the connection broke".to_owned()) };
    if status >= 500 {
        let told: Value = serde_json::from_str(&body).expect("JSON");
        return Some(told["error"]["message"].as_str().expect("a message").to_owned());
    }
    assert_eq!((status, &body), (expected.0, &expected.1), "{told}");
    None
}
