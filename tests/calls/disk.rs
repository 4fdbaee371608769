//! What is on disk after system calls, as `strace -y` prints them, if power fails at any moment.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The calls that matter.
pub const CALLS: &str = "openat,write,writev,pwrite64,pwritev,ftruncate,fsync,fdatasync,rename,mkdir,unlink";

/// The files below a folder.
pub struct Disk {
    folder: PathBuf,
    /// Files with content that is not on disk.
    contents: BTreeSet<PathBuf>,
    /// Files and folders with a name that is not on disk.
    names: BTreeSet<PathBuf>,
    /// How many files got another name.
    pub renamed: usize,
}

/// Files that hold nothing, or that only this process needs.
fn does_not_matter(path: &Path) -> bool {
    let name = path.file_name().expect("a name").to_string_lossy();
    name.ends_with(".lock") || name.ends_with(".tmp")
}

impl Disk {
    /// All that is there is on disk.
    pub fn new(folder: &Path) -> Self {
        let folder = folder.canonicalize().expect("a folder");
        Self { folder, contents: BTreeSet::new(), names: BTreeSet::new(), renamed: 0 }
    }

    /// Takes over a line of the trace.
    pub fn call(&mut self, line: &str) {
        // The number of the thread comes first. The second half of a call that another thread interrupted says nothing new.
        let rest = line.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
        let Some((call, arguments)) = rest.split_once('(') else { return };
        if arguments.contains(" = -1 ") {
            return;
        }
        match call {
            "openat" if arguments.contains("O_CREAT") => {
                let file = self.named(arguments, 0);
                self.contents.insert(file.clone());
                self.names.insert(file);
            }
            "write" | "writev" | "pwrite64" | "pwritev" | "ftruncate" => {
                let file = opened(arguments);
                if file.starts_with(&self.folder) {
                    self.contents.insert(file);
                }
            }
            "fsync" | "fdatasync" => {
                let synchronised = opened(arguments);
                self.contents.remove(&synchronised);
                self.names.retain(|name| name.parent() != Some(&synchronised));
            }
            "mkdir" => _ = self.names.insert(self.named(arguments, 0)),
            "rename" => {
                let (from, to) = (self.named(arguments, 0), self.named(arguments, 1));
                assert!(!self.contents.contains(&from), "renamed before its content is on disk: {line}");
                self.names.remove(&from);
                self.names.insert(to);
                self.renamed += 1;
            }
            "unlink" => {
                let file = self.named(arguments, 0);
                self.contents.remove(&file);
                self.names.remove(&file);
                if !does_not_matter(&file) {
                    let lacking: Vec<_> = self.names.iter().filter(|name| !does_not_matter(name)).collect();
                    assert!(lacking.is_empty(), "removed before {lacking:?} are on disk: {line}");
                }
            }
            _ => {}
        }
    }

    /// The file with the name that is the string number `number` of the arguments.
    fn named(&self, arguments: &str, number: usize) -> PathBuf {
        self.folder.join(arguments.split('"').nth(1 + 2 * number).expect("a name"))
    }

    /// Asserts that these files are on disk.
    pub fn holds(&self, files: &[PathBuf], what: &str) {
        for file in files.iter().map(|file| self.folder.join(file)).filter(|file| !does_not_matter(file)) {
            assert!(!self.contents.contains(&file), "{what}: the content of {} is not on disk", file.display());
            let lacking = file.ancestors().find(|path| self.names.contains(*path));
            assert!(lacking.is_none(), "{what}: the name of {} is not on disk", lacking.unwrap_or(&file).display());
        }
    }
}

/// The file that is open under the number that the arguments begin with.
fn opened(arguments: &str) -> PathBuf {
    let path = arguments.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    path.map(|(path, _)| PathBuf::from(path)).unwrap_or_default()
}
