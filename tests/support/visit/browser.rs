//! A headless browser and its driver.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use fantoccini::error::CmdError;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// Names that the browser goes by.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A process that is ended with its owner.
pub struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program on the path.
fn program(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn browser() -> Option<PathBuf> {
    BROWSERS.iter().find_map(|name| program(name))
}

/// What a visit needs and this machine does not have.
pub fn missing() -> Option<&'static str> {
    match (browser(), program("chromedriver")) {
        (None, _) => Some("no Chromium on the path"),
        (_, None) => Some("no chromedriver on the path"),
        _ => None,
    }
}

/// Starts a process and waits for the line of its output from which `read` can tell where it listens; what it said instead, if
/// it ends before that.
pub fn started<T>(command: &mut Command, read: impl Fn(&str) -> Option<T>) -> Result<(Process, T), String> {
    let mut process = Process(command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("a program starts"));
    let mut output = BufReader::new(process.0.stdout.take().expect("its output"));
    let mut said = format!("{command:?} ended before it listened:\n");
    loop {
        let begin = said.len();
        if output.read_line(&mut said).expect("a line") == 0 {
            return Err(said);
        }
        if let Some(found) = read(&said[begin..]) {
            // Whatever else it says is read, so that it never waits for a reader.
            std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
            return Ok((process, found));
        }
    }
}

/// Starts the browser's driver. It asks for the port that it was given on IPv4 on IPv6 as well, where others may have that, and
/// ends then; so it has a few tries.
fn driver() -> (Process, u16) {
    let start = || {
        started(Command::new("chromedriver").arg("--port=0"), |line| {
            let rest = line.split("started successfully on port ").nth(1)?;
            rest.trim().trim_end_matches('.').parse().ok()
        })
    };
    let mut started = start();
    for _ in 0..4 {
        started = started.or_else(|_| start());
    }
    started.unwrap_or_else(|said| panic!("{said}"))
}

/// A browser, and its driver.
pub struct Browser {
    pub client: Client,
    pub runtime: Runtime,
    _driver: Process,
    _profile: TempDir,
}

/// Browsers with a large window that wait for their next visit: starting one takes three seconds of processor time.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// Closes the browsers that wait for a visit.
pub fn close_idle() {
    for browser in IDLE.lock().expect("no panic before").drain(..) {
        browser.close().expect("the browser ends");
    }
}

impl Browser {
    pub fn start(size: Option<(u32, u32)>) -> Self {
        let browser = browser().expect("a browser");
        let (driver, port) = driver();
        let profile = tempfile::tempdir().expect("a temporary folder");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities(&browser, &profile, size));
        let client = runtime.block_on(builder.connect(&format!("http://127.0.0.1:{port}"))).expect("a browser");
        Self { client, runtime, _driver: driver, _profile: profile }
    }

    /// One that waits, or else a new one, with a large window.
    pub fn idle() -> Self {
        let idle = IDLE.lock().expect("no panic before").pop();
        idle.unwrap_or_else(|| Self::start(None))
    }

    /// Keeps a browser with a large window for the next visit.
    pub fn keep(self) {
        IDLE.lock().expect("no panic before").push(self);
    }

    /// Closes the browser; the driver would leave it running.
    pub fn close(self) -> Result<(), CmdError> {
        self.runtime.block_on(self.client.close())
    }
}

fn capabilities(browser: &Path, profile: &TempDir, size: Option<(u32, u32)>) -> serde_json::Map<String, Value> {
    let mut arguments: Vec<String> = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1280,900",
        "--force-device-scale-factor=1",
    ]
    .map(str::to_owned)
    .into();
    arguments.push(format!("--user-data-dir={}", profile.path().display()));
    let mut options = json!({ "args": arguments, "binary": browser });
    if let Some((width, height)) = size {
        options["mobileEmulation"] = json!({ "deviceMetrics": { "width": width, "height": height, "pixelRatio": 2 } });
    }
    let Value::Object(map) = json!({ "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } }) else {
        unreachable!("an object");
    };
    map
}
