//! Runs the program in its own folder, and checks what it prints.
#![allow(dead_code)] // each test file uses some of it

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A folder in which the program is run; its database is `db` in there.
pub struct Place {
    folder: TempDir,
}

/// What a run left.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn has(&self, file: &str) -> bool {
        self.path().join(file).exists()
    }

    /// Every file below the folder, by its path in there.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        let (mut files, mut folders) = (BTreeSet::new(), vec![self.path().to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("a file").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path.strip_prefix(self.path()).expect("a path in the folder").to_owned());
                }
            }
        }
        files
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fanorona"));
        command.current_dir(self.path()).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program with arguments that have no spaces.
    pub fn run(&self, arguments: &str) -> Ran {
        self.run_with(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    pub fn run_with(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).spawn().expect("the program"))
    }

    pub fn run_on(&self, arguments: &str, input: &[u8]) -> Ran {
        let mut command = self.command(&arguments.split_whitespace().collect::<Vec<_>>());
        let mut child = command.stdin(Stdio::piped()).spawn().expect("the program");
        let mut stdin = child.stdin.take().expect("a pipe");
        let input = input.to_vec();
        // A pipe holds only so much: one side writes while the other reads.
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let ran = Ran::of(child);
        writer.join().expect("a writer").expect("the program reads all of its input");
        ran
    }
}

impl Ran {
    /// What a run left that may have been broken off deep inside.
    pub fn of_any(child: Child) -> Self {
        let output = child.wait_with_output().expect("the program ends");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    pub fn of(child: Child) -> Self {
        let ran = Self::of_any(child);
        assert!(!ran.err.contains("panicked") && !ran.err.contains("RUST_BACKTRACE"), "a panic: {}", ran.err);
        ran
    }

    /// Asserts success; hands out what was printed.
    pub fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self.out
    }

    pub fn json(self) -> Value {
        serde_json::from_str(&self.done()).expect("JSON")
    }

    /// Asserts exit status 1 and a last line of standard error that says all of `words`; nothing else stands there but
    /// lines of progress.
    pub fn fails(&self, words: &[&str]) {
        assert_eq!(self.code, Some(1), "{}{}", self.out, self.err);
        says(&self.err, words);
    }

    /// The same, and nothing but that line on standard error.
    pub fn fails_at_once(&self, words: &[&str]) {
        self.fails(words);
        assert_eq!(self.err.lines().count(), 1, "{}", self.err);
    }

    /// The same, and nothing on standard output.
    pub fn fails_silently(&self, words: &[&str]) {
        self.fails_at_once(words);
        assert_eq!(self.out, "", "{}", self.err);
    }

    /// Asserts that the arguments were refused.
    pub fn misused(&self, words: &[&str]) {
        assert_eq!(self.code, Some(2), "{}{}", self.out, self.err);
        assert!(self.out.is_empty() && self.err.starts_with("error: "), "{}{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "{word:?} is missing: {}", self.err);
        }
    }
}

/// The fields of an object.
pub fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Makes a named pipe, which nobody reads or writes.
#[cfg(unix)]
pub fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
}

/// Names and contents of the files in a folder; none where there is no folder. What `verify` records, and what is locked beside a search, is
/// no part of what is built.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path());
    entries
        .filter(|path| {
            path.is_file() && !path.ends_with("VERIFIED") && path.extension().is_none_or(|name| name != "lock")
        })
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).expect("a file")))
        .collect()
}

/// Compares folders without printing what is in the files.
pub fn assert_same_files(left: &BTreeMap<String, Vec<u8>>, right: &BTreeMap<String, Vec<u8>>) {
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
    for (name, bytes) in left {
        assert!(bytes == &right[name], "{name} differs");
    }
}

/// Asserts that a text has one line of the program's own, the last one, that says all of `words`.
pub fn says(err: &str, words: &[&str]) {
    let own = err.lines().filter(|line| line.starts_with("fanorona: ")).count();
    let last = err.lines().last().unwrap_or_default();
    assert!(own == 1 && last.starts_with("fanorona: "), "{err}");
    for word in words {
        assert!(last.contains(word), "{word:?} is missing: {last}");
    }
}

pub fn is_temporary(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "tmp")
}

pub fn has_no_temporary(place: &Place) {
    let mut left = place.files();
    left.retain(|file| is_temporary(file));
    assert!(left.is_empty(), "left over: {left:?}");
}

/// The files of an undisturbed build.
pub fn built(arguments: &str, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let place = Place::new();
    place.run(arguments).done();
    files(&place.path().join(folder))
}

/// What tables there are is sound: as far as they are complete, verified; each as in an undisturbed build.
pub fn is_intact(place: &Place, database: &str, expected: &BTreeMap<String, Vec<u8>>) {
    let left = files(&place.path().join(database).join("5x5"));
    for (name, bytes) in left.iter().filter(|(name, _)| name.contains('v') && !name.contains("scratch")) {
        assert!(expected.get(name) == Some(bytes), "{name} is not what it should be");
    }
    if left.contains_key("1v1.wdl") {
        place.run(&format!("verify 5x5 --full --db {database}")).done();
    }
}

/// Sends a signal to a program that runs.
#[cfg(unix)]
pub fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().expect("a shell").success());
}
