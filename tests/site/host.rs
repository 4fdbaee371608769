//! A plain static file host, as the site is put on: files of a folder, ranges, compressed copies; no more.

use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// What the threads of a host share.
struct Shared {
    folder: Mutex<PathBuf>,
    ranges: AtomicBool,
    stopped: AtomicBool,
    sent: AtomicU64,
    partial: AtomicU64,
}

/// A host on a port of this machine.
pub struct Host {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Host {
    /// Serves a folder.
    pub fn of(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let shared = Arc::new(Shared {
            folder: Mutex::new(folder.to_owned()),
            ranges: AtomicBool::new(true),
            stopped: AtomicBool::new(false),
            sent: AtomicU64::new(0),
            partial: AtomicU64::new(0),
        });
        let theirs = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if theirs.stopped.load(Ordering::SeqCst) {
                    return;
                }
                let (stream, shared) = (stream.expect("a connection"), theirs.clone());
                // A browser that goes away is no fault of the host.
                thread::spawn(move || shared.answer(&stream).or_else(|_| stream.shutdown(Shutdown::Both)));
            }
        });
        Self { address, shared }
    }

    /// Where its folder is.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Serves another folder from now on.
    pub fn change(&self, folder: &Path) {
        folder.clone_into(&mut self.shared.folder.lock().expect("no panic"));
    }

    /// Sends whole files from now on, whatever range is asked for.
    pub fn refuse_ranges(&self) {
        self.shared.ranges.store(false, Ordering::SeqCst);
    }

    /// The bytes of all bodies so far, but those that the service worker keeps for later.
    pub fn sent(&self) -> u64 {
        self.shared.sent.load(Ordering::SeqCst)
    }

    /// How often a part of a file was sent.
    pub fn parts(&self) -> u64 {
        self.shared.partial.load(Ordering::SeqCst)
    }

    /// Goes away.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // The last connection ends the thread that waits for one, and with it the port.
        let _ = TcpStream::connect(self.address);
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop();
    }
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("wasm") => "application/wasm",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

/// The first and the last byte that `bytes=a-b` asks for, of so many.
fn range(asked: &str, length: usize) -> Option<(usize, usize)> {
    let (first, last) = asked.strip_prefix("bytes=")?.split_once('-')?;
    let first: usize = first.parse().ok()?;
    let last = if last.is_empty() { length } else { last.parse::<usize>().ok()? + 1 };
    (first < length).then_some((first, last.min(length)))
}

impl Shared {
    /// Answers requests until the connection ends.
    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        let mut lines = BufReader::new(stream).lines();
        loop {
            let Some(request) = lines.next() else { return Ok(()) };
            let request = request?;
            let mut headers = HashMap::new();
            for line in lines.by_ref() {
                let line = line?;
                let Some((name, value)) = line.split_once(": ") else { break };
                headers.insert(name.to_lowercase(), value.to_owned());
            }
            if self.stopped.load(Ordering::SeqCst) {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            self.send(stream, &request, &headers)?;
        }
    }

    fn send(&self, mut stream: &TcpStream, request: &str, headers: &HashMap<String, String>) -> io::Result<()> {
        let (method, rest) = request.split_once(' ').unwrap_or_default();
        let path = rest.split([' ', '?']).next().unwrap_or_default().trim_start_matches('/');
        let name = if path.is_empty() { "index.html" } else { path };
        let file = self.folder.lock().expect("no panic").join(name);
        let header = |name: &str| headers.get(name).map(String::as_str).unwrap_or_default();
        let zipped = file.with_file_name(format!("{}.gz", file.file_name().unwrap_or_default().display()));
        let body = match (name.contains(".."), header("accept-encoding").contains("gzip")) {
            (true, _) => None,
            (_, true) if zipped.is_file() => Some((fs::read(zipped)?, "Content-Encoding: gzip\r\n")),
            _ => fs::read(&file).ok().map(|body| (body, "")),
        };
        let Some((body, encoding)) = body else {
            return stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        };
        let asked = if self.ranges.load(Ordering::SeqCst) { range(header("range"), body.len()) } else { None };
        let (status, part) = match asked {
            Some((first, last)) => {
                self.partial.fetch_add(1, Ordering::SeqCst);
                let line = format!("206 Partial Content\r\nContent-Range: bytes {first}-{}/{}", last - 1, body.len());
                (line, &body[first..last])
            }
            None => ("200 OK".to_owned(), &body[..]),
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\n{encoding}Content-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\n\r\n",
            kind(name),
            part.len()
        )?;
        if method == "HEAD" {
            return Ok(());
        }
        if !header("referer").ends_with("/service_worker.js") {
            self.sent.fetch_add(part.len() as u64, Ordering::SeqCst);
        }
        stream.write_all(part)
    }
}
