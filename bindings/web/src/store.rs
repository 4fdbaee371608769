//! A database whose files a worker of the page reads.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fanorona::table::{ByteSource, Store, StoredFile};
use js_sys::{Error, Function, Uint8Array};
use serde::Deserialize;
use wasm_bindgen::{JsCast, JsValue};

/// The folder of the database, with which all paths begin.
pub const DATABASE: &str = "db";

thread_local! {
    /// The function of the page that reads a part of a file: its path in the database, the first byte, and the number of bytes.
    static READ: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// A file that there is.
#[derive(Deserialize)]
struct Listed {
    path: PathBuf,
    bytes: u64,
}

/// The files of a list, by their paths.
#[derive(Debug)]
pub struct Remote(BTreeMap<PathBuf, u64>);

impl Remote {
    /// The files of a list in JSON, which `read` reads.
    pub fn new(list: &str, read: Function) -> Result<Self, serde_json::Error> {
        let files: Vec<Listed> = serde_json::from_str(list)?;
        READ.set(Some(read));
        Ok(Self(files.into_iter().map(|Listed { path, bytes }| (Path::new(DATABASE).join(path), bytes)).collect()))
    }

    /// The files below a folder.
    fn below(&self, folder: &Path) -> impl Iterator<Item = &Path> {
        self.0.keys().filter_map(move |path| path.strip_prefix(folder).ok())
    }
}

impl Store for Remote {
    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let firsts = self.below(folder).filter_map(|path| path.iter().next());
        let mut names: Vec<String> = firsts.map(|name| name.to_string_lossy().into_owned()).collect();
        names.dedup();
        if names.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(names) }
    }

    fn changed(&self, folder: &Path) -> io::Result<SystemTime> {
        // Nothing changes while the page is open.
        if self.below(folder).next().is_some() {
            Ok(SystemTime::UNIX_EPOCH)
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn open(&self, file: &Path) -> io::Result<Box<dyn StoredFile>> {
        let length = *self.0.get(file).ok_or(io::ErrorKind::NotFound)?;
        let path = file.strip_prefix(DATABASE).unwrap_or(file).to_string_lossy().into_owned();
        Ok(Box::new(RemoteFile { path, length }))
    }
}

/// A file that is read by parts.
#[derive(Debug)]
struct RemoteFile {
    path: String,
    length: u64,
}

impl ByteSource for RemoteFile {
    fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, range: Range<u64>) -> io::Result<Cow<'_, [u8]>> {
        let (start, end) = (range.start.min(self.length), range.end.min(self.length));
        if start >= end {
            return Ok(Cow::default());
        }
        // Files are much smaller than what a number of JavaScript holds.
        #[allow(clippy::cast_precision_loss)]
        let [start, count] = [start, end - start].map(|number| JsValue::from(number as f64));
        let read = READ.with_borrow(|read| {
            let read = read.as_ref().ok_or(io::ErrorKind::NotConnected)?;
            read.call3(&JsValue::NULL, &self.path.as_str().into(), &start, &count).map_err(|error| failure(&error))
        })?;
        Ok(read.unchecked_into::<Uint8Array>().to_vec().into())
    }
}

/// An error of the page, with its sentence.
fn failure(error: &JsValue) -> io::Error {
    let message = error.dyn_ref::<Error>().map_or_else(|| format!("{error:?}"), |error| error.message().into());
    io::Error::other(message)
}
