//! A database in a store, without files: the answers are those from the disk, byte for byte.
#![cfg(feature = "cli")]

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use axum::Router;
use fanorona::server::{Settings, router};
use fanorona::table::{Access, Database, Store, StoredFile};

use crate::program::Place;
use crate::server::{get, post, service};

/// Files in memory, by their paths.
#[derive(Debug)]
struct InMemory(BTreeMap<PathBuf, Vec<u8>>);

impl InMemory {
    /// The files of a folder and of the folders in it.
    fn of(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(open) = folders.pop() {
            for entry in open.read_dir().expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = Path::new("store").join(path.strip_prefix(folder).expect("a path inside"));
                    files.insert(name, std::fs::read(&path).expect("a file"));
                }
            }
        }
        Self(files)
    }

    fn database(self) -> Database {
        Database { folder: "store".into(), access: Access::Store(Arc::new(self)) }
    }
}

impl Store for InMemory {
    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        let below = self.0.keys().filter_map(|path| path.strip_prefix(folder).ok()?.iter().next()?.to_str());
        let mut names: Vec<String> = below.map(str::to_owned).collect();
        names.dedup();
        if names.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(names) }
    }

    fn changed(&self, folder: &Path) -> io::Result<SystemTime> {
        self.names(folder).map(|_| SystemTime::UNIX_EPOCH)
    }

    fn open(&self, file: &Path) -> io::Result<Box<dyn StoredFile>> {
        let bytes = self.0.get(file).ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(bytes.clone()))
    }
}

/// All of 3x3 with depths, 5x3 to five stones with some depths, and a certificate.
fn database() -> Place {
    let place = Place::new();
    place.run("build 3x3 --stones 9 --metric both").done();
    place.run("build 5x3 --stones 4 --metric both").done();
    place.run("build 5x3 --stones 5").done();
    place.run("solve 3x5 --stones 4").done();
    place
}

const READ: [&str; 16] = [
    "/api/tables",
    "/api/3x3?position=1B1/1W1/1W1_w",
    "/api/3x3?position=BBB/B1W/WWW_w",
    "/api/3x3/line?position=1B1/3/WW1_b",
    "/api/3x3/stats",
    "/api/3x3/zugzwangs",
    "/api/3x3/start",
    "/api/3x3/certificates",
    "/api/5x3?position=1BB2/5/W3W_w",
    "/api/5x3/line?position=1BB2/5/W3W_w",
    "/api/5x3/stats",
    "/api/3x5?position=BBB/BBB/B1W/WWW/WWW_w",
    "/api/3x5/certificates",
    "/api/3x5/line?position=BBB/BBB/B1W/WWW/WWW_w",
    "/api/9x5?position=1B1",
    "/api/9x5/stats?diagonals=up",
];

const POSTED: [(&str, &str); 5] = [
    ("/api/practice", r#"{"board": "3x3", "kind": "win", "difficulty": "easy", "seed": 7}"#),
    ("/api/practice", r#"{"board": "5x3", "kind": "any", "difficulty": "easy"}"#),
    ("/api/search", r#"{"board": "3x3", "position": "BBB/B1W/WWW w"}"#),
    ("/api/game/reply", r#"{"board": "3x3", "moves": ["c2-b2A"], "level": 10, "time": 50}"#),
    ("/api/game/draw", r#"{"board": "3x3", "moves": ["c2-b2A"], "level": 10, "time": 50}"#),
];

async fn assert_same(disk: &Router, store: &Router) {
    for path in READ {
        let (one, other) = (get(disk, path).await, get(store, path).await);
        assert_eq!((one.status, &one.body), (other.status, &other.body), "{path}");
    }
    for (path, body) in POSTED {
        let (one, other) = (post(disk, path, body).await, post(store, path, body).await);
        assert_eq!((one.status, &one.body), (other.status, &other.body), "{path} {body}");
    }
}

#[tokio::test]
async fn a_store_answers_as_the_disk_does() {
    let place = database();
    let folder = place.path().join("db");
    let store = router(Settings::new(InMemory::of(&folder).database()));
    assert_same(&service(&folder), &store).await;
}

#[tokio::test]
async fn damaged_and_missing_files_of_a_store_are_errors_and_no_values() {
    let place = database();
    let intact = InMemory::of(&place.path().join("db"));
    let table = Path::new("store/3x3/1v2.wdl");
    for cut in [true, false] {
        let mut files = intact.0.clone();
        let bytes = files.get_mut(table).expect("a table");
        let end = bytes.len() - 1;
        if cut {
            bytes.truncate(end);
        } else {
            bytes[end] ^= 1;
        }
        let service = router(Settings::new(InMemory(files).database()));
        get(&service, "/api/3x3?position=1B1/1W1/1W1_b").await.fails(500, &["a table cannot be used"]);
    }
    // Without the table its positions are as unknown as with a folder that lacks it.
    let folder = place.path().join("db");
    std::fs::remove_file(folder.join("3x3/1v2.wdl")).expect("a table");
    let store = router(Settings::new(InMemory::of(&folder).database()));
    assert_same(&service(&folder), &store).await;
}
