//! The file with the records of all games of a match, from which it continues.

use std::fs::File;
use std::io::{self, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files::{raise_limit, regular_file, sync_folder_of, try_lock};
use crate::game::{GameRequest, Records, parse_record};

use super::play::PlayedGame;

/// How the tag Event of a game begins.
pub const EVENT: &str = "match, ";

/// Why the records cannot be read or written.
#[derive(Debug, Error)]
pub enum RecordFileError {
    /// The operating system refuses.
    #[error("cannot {what} {}: {source}{}", .path.display(), raise_limit(source).unwrap_or("; check the path, the permissions and the space on the disk"))]
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
        let real = regular_file(path).map_err(|error| failed("open", error))?;
        let file = File::options().create(true).truncate(false).read(true).write(true).open(&real);
        let mut file = file.map_err(|error| failed("open", error))?;
        if !try_lock(&file).map_err(|error| failed("lock", error))? {
            return Err(RecordFileError::InUse(path.to_owned()));
        }
        let length = file.metadata().map_err(|error| failed("read", error))?.len();
        let mut games = Vec::new();
        let mut complete = 0;
        let mut records = Records::of(BufReader::new(&file));
        while let Some(part) = records.next() {
            let part = part.map_err(|error| failed("read", error))?;
            match read_part(&part) {
                Ok(game) => games.push(game),
                Err(_) if records.is_at_end() && is_begun(&part) => break,
                Err(why) => {
                    return Err(RecordFileError::Record { path: path.to_owned(), number: games.len() + 1, why });
                }
            }
            complete += part.len() as u64;
        }
        if complete < length {
            file.set_len(complete).map_err(|error| failed("shorten", error))?;
        }
        file.seek(SeekFrom::End(0)).map_err(|error| failed("read", error))?;
        sync_folder_of(&real).map_err(|error| failed("synchronise", error))?;
        Ok((Self { path: path.to_owned(), file }, games))
    }

    /// Appends a game, which is on disk afterwards; or nothing, if that fails, so that another game can follow.
    ///
    /// # Errors
    /// [`RecordFileError::Io`].
    pub fn append(&mut self, played: &PlayedGame) -> Result<(), RecordFileError> {
        let fault = played.fault.as_ref().map_or(String::new(), |(side, fault)| {
            // A comment ends with its first brace.
            format!("{{{}: {}}}\n", side.name(), fault.replace(['{', '}'], "'"))
        });
        let text = format!("{}{fault}\n", played.game.record());
        let written = self.file.stream_position().and_then(|end| {
            let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
            written.inspect_err(|_| _ = self.file.set_len(end).and_then(|()| self.file.seek(SeekFrom::Start(end))))
        });
        written.map_err(|source| RecordFileError::Io { what: "write", path: self.path.clone(), source })
    }
}

/// The game of a part of a file, or what is wrong with it.
fn read_part(part: &[u8]) -> Result<GameRequest, String> {
    let text = str::from_utf8(part).map_err(|_| "it is not UTF-8 text")?;
    if !text.ends_with('\n') {
        return Err("its last line has no line break".to_owned());
    }
    parse_record(text).map(|parsed| parsed.game).map_err(|error| error.to_string())
}

/// Whether a text is an incomplete record of a match: a complete one has an empty line after its tags and one after the moves, whatever
/// follows.
fn is_begun(text: &[u8]) -> bool {
    let beginning = format!("[Event \"{EVENT}").into_bytes();
    let begins = text.starts_with(&beginning) || beginning.starts_with(text);
    begins && text.windows(2).filter(|&pair| pair == b"\n\n").count() < 2
}
