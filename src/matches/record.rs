//! The file with the records of all games of a match, from which it continues.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files::{regular_file, sync_folder_of, try_lock};
use crate::game::{GameRequest, parse_record};

use super::play::PlayedGame;

/// How the tag Event of a game begins.
pub const EVENT: &str = "match, ";

/// Why the records cannot be read or written.
#[derive(Debug, Error)]
pub enum RecordFileError {
    /// The operating system refuses.
    #[error("cannot {what} {}: {source}", .path.display())]
    Io {
        /// What was attempted.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another match uses it.
    #[error("another program uses {}; give another file", .0.display())]
    InUse(PathBuf),
    /// A record is not one.
    #[error("{}, game {number} of the file: {why}", .path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Which one, from 1.
        number: usize,
        /// What is wrong.
        why: String,
    },
}

/// The file, which no other match can use meanwhile.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
}

impl RecordFile {
    /// Opens a file, or makes it, and reads its games. A last one that is incomplete is removed from the file: it was being
    /// written when the program was killed.
    ///
    /// # Errors
    /// [`RecordFileError`].
    pub fn open(path: &Path) -> Result<(Self, Vec<GameRequest>), RecordFileError> {
        let failed = |what, source| RecordFileError::Io { what, path: path.to_owned(), source };
        let file = regular_file(path)
            .and_then(|path| File::options().create(true).truncate(false).read(true).write(true).open(path));
        let mut file = file.map_err(|error| failed("open", error))?;
        if !try_lock(&file).map_err(|error| failed("lock", error))? {
            return Err(RecordFileError::InUse(path.to_owned()));
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| failed("read", error))?;
        let mut games = Vec::new();
        let (mut complete, parts) = (0, split(&text));
        for (index, part) in parts.iter().enumerate() {
            let is_last = index + 1 == parts.len();
            match parse_record(part) {
                Ok(parsed) if part.ends_with('\n') => games.push(parsed.game),
                _ if is_last && is_begun(part) => break,
                parsed => {
                    let why = parsed.err().map_or("its last line has no end".to_owned(), |error| error.to_string());
                    return Err(RecordFileError::Record { path: path.to_owned(), number: index + 1, why });
                }
            }
            complete += part.len() as u64;
        }
        if complete < text.len() as u64 {
            file.set_len(complete).map_err(|error| failed("shorten", error))?;
        }
        file.seek(SeekFrom::End(0)).map_err(|error| failed("read", error))?;
        sync_folder_of(path).map_err(|error| failed("synchronise", error))?;
        Ok((Self { path: path.to_owned(), file }, games))
    }

    /// Appends a game, which is on disk afterwards.
    ///
    /// # Errors
    /// [`RecordFileError::Io`].
    pub fn append(&mut self, played: &PlayedGame) -> Result<(), RecordFileError> {
        let fault = played.fault.as_ref().map_or(String::new(), |(side, fault)| {
            // A comment ends with its first brace.
            format!("{{{}: {}}}\n", side.name(), fault.replace(['{', '}'], "'"))
        });
        let text = format!("{}{fault}\n", played.game.record());
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|source| RecordFileError::Io { what: "write", path: self.path.clone(), source })
    }
}

/// Whether a text is the beginning of the record of a game in a match.
fn is_begun(text: &str) -> bool {
    let beginning = format!("[Event \"{EVENT}");
    text.starts_with(&beginning) || beginning.starts_with(text)
}

/// The records of a text, each with the lines up to the next: it begins with its tags.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut at, mut in_tags) = (Vec::new(), 0, 0, true);
    for line in text.split_inclusive('\n') {
        let is_tag = line.starts_with('[');
        if is_tag && !in_tags {
            parts.push(&text[begin..at]);
            begin = at;
        }
        if !line.trim().is_empty() {
            in_tags = is_tag;
        }
        at += line.len();
    }
    if begin < text.len() {
        parts.push(&text[begin..]);
    }
    parts
}
