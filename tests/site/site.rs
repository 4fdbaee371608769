//! The site and its database, which all tests share, and copies of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use super::visit;

/// The database and the site that the tests share, in one folder.
pub static MADE: OnceLock<TempDir> = OnceLock::new();

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn done(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("a program");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Writes a site with a page of that folder.
pub fn write_site(out: &Path, page: &Path) {
    let made = made();
    let mut site = Command::new(root().join(".ci/site"));
    site.arg(out).arg("--database").arg(made.join("db")).arg("--page").arg(page).args(["3x3:8", "5x5:7"]);
    done(&mut site);
}

/// The folder with the database.
pub fn made() -> PathBuf {
    let make = || {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = folder.path().join("db");
        visit::build("3x3", "8", &database);
        visit::build("5x5", "7", &database);
        done(Command::new(env!("CARGO_BIN_EXE_fanorona")).args(["solve", "3x3", "--db"]).arg(&database));
        folder
    };
    MADE.get_or_init(make).path().to_owned()
}

/// The site, which no test changes.
pub fn site() -> PathBuf {
    static WRITTEN: OnceLock<PathBuf> = OnceLock::new();
    let write = || {
        let out = made().join("site");
        write_site(&out, &root().join("src/server/page"));
        out
    };
    WRITTEN.get_or_init(write).clone()
}

/// A copy of the site that a test may change.
pub fn copy() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    done(Command::new("cp").arg("-r").arg(site().join(".")).arg(folder.path()));
    folder
}

/// The files of a folder and of those in it.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}
