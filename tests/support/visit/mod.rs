//! Starts the server, takes a headless browser, and looks at the page as a person would.
#![allow(dead_code)] // each test file uses some of it

pub mod browser;

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource, MouseActions, PointerAction};
use fantoccini::elements::Element;
use fantoccini::wd::WindowHandle;
use fantoccini::{Client, Locator};
use serde_json::{Value, json};

pub use browser::missing;
use browser::{Browser, Process, started};

/// How long the page may take for anything; much longer than it needs, for slow machines.
const PATIENCE: Duration = Duration::from_secs(30);
const INTERVAL: Duration = Duration::from_millis(15);

/// Pairs of colours, in each set and each theme, that differ less than the 4.5 : 1 that text needs (WCAG 2.1, 1.4.3) or the
/// 3 : 1 of what is not text (1.4.11).
pub const POOR_CONTRASTS: &str = include_str!("contrast.js");

/// The page in a browser.
pub struct Page {
    client: Client,
    address: String,
    server: RefCell<Option<Process>>,
}

/// What the server of most visits has: all tables of 3x3.
pub const SMALL: [&str; 2] = ["3x3", "8"];

/// Lets `look` visit the page of a server with [`SMALL`] tables. `size` is that of a phone's screen; without, there is a window
/// of 1280 x 900. Searches are cut off early: the page asks for one of two seconds at each position.
pub fn visit(size: Option<(u32, u32)>, look: impl AsyncFnOnce(&Page)) {
    visit_server(SMALL, &["--think", "200ms"], size, look);
}

/// The same with tables of a board, up to `stones` stones, and searches as long as the page asks for.
pub fn visit_tables(tables: [&str; 2], size: Option<(u32, u32)>, look: impl AsyncFnOnce(&Page)) {
    visit_server(tables, &[], size, look);
}

fn visit_server([board, stones]: [&str; 2], options: &[&str], size: Option<(u32, u32)>, look: impl AsyncFnOnce(&Page)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    build(board, stones, folder.path());
    let mut serve = Command::new(env!("CARGO_BIN_EXE_fanorona"));
    serve.args(["serve", "--bind", "127.0.0.1:0", "--db"]).arg(folder.path()).args(options);
    let listening = started(&mut serve, |line| line.starts_with("http").then(|| line.trim().to_owned()));
    let (server, address) = listening.unwrap_or_else(|said| panic!("{said}"));
    if size.is_some() {
        browse(Browser::start(size), address, Some(server), look).close().expect("the browser ends");
    } else {
        let look = async |page: &Page| {
            look(page).await;
            page.forget().await;
        };
        browse(Browser::idle(), address, Some(server), look).keep();
    }
}

/// Builds tables, values and depths.
pub fn build(board: &str, stones: &str, database: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fanorona"));
    command.args(["build", board, "--stones", stones, "--metric", "both", "--db"]).arg(database);
    let built = command.output().expect("the program");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// Lets `look` visit the page at an address, with a new browser.
pub fn visit_address(address: String, size: Option<(u32, u32)>, look: impl AsyncFnOnce(&Page)) {
    browse(Browser::start(size), address, None, look).close().expect("the browser ends");
}

/// Lets `look` visit the page at an address. If that fails, the browser is closed.
fn browse(browser: Browser, address: String, server: Option<Process>, look: impl AsyncFnOnce(&Page)) -> Browser {
    let page = Page { client: browser.client.clone(), address, server: RefCell::new(server) };
    match catch_unwind(AssertUnwindSafe(|| browser.runtime.block_on(look(&page)))) {
        Ok(()) => browser,
        Err(panic) => {
            // What went wrong on the page says more than a browser that does not end.
            let _ = browser.close();
            resume_unwind(panic)
        }
    }
}

impl Page {
    /// Opens the page at a fragment of its address, and waits until there is a game.
    pub async fn open(&self, fragment: &str) {
        self.client.goto(&format!("{}{fragment}", self.address)).await.expect("the page opens");
        self.until("the board is there", "document.querySelectorAll('#board .stone').length > 0").await;
        self.settled().await;
    }

    /// Goes back to the page before.
    pub async fn back(&self) {
        self.client.back().await.expect("the page before");
    }

    /// Reloads the page.
    pub async fn reload(&self) {
        self.client.refresh().await.expect("the page opens again");
        self.until("the board is there", "document.querySelectorAll('#board .stone').length > 0").await;
        self.settled().await;
    }

    /// Opens another window and goes on in it; returns the one before.
    pub async fn other_window(&self) -> WindowHandle {
        let other = self.client.new_window(false).await.expect("a window");
        self.switch(other.handle).await
    }

    /// Goes on in that window; returns the one before.
    pub async fn switch(&self, window: WindowHandle) -> WindowHandle {
        let before = self.client.window().await.expect("a window");
        self.client.switch_to_window(window).await.expect("the window");
        before
    }

    /// Waits until no request is running.
    pub async fn settled(&self) {
        let quiet = "!document.body.classList.contains('busy') && verdict.ariaBusy !== 'true'";
        self.until("the page is at rest", quiet).await;
    }

    /// The value of an expression in the page.
    pub async fn value(&self, expression: &str) -> Value {
        let script = format!("const verdict = document.getElementById('verdict'); return {expression};");
        self.client.execute(&script, vec![]).await.unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    /// Waits until an expression is true in the page.
    pub async fn until(&self, what: &str, expression: &str) {
        let start = Instant::now();
        while self.value(expression).await != json!(true) {
            if start.elapsed() > PATIENCE {
                let status = self.value("document.body.innerText").await;
                panic!(
                    "{what}: not after {PATIENCE:?}: {expression}\nThe page says:\n{}",
                    status.as_str().unwrap_or("")
                );
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Waits until an element says some words.
    pub async fn says(&self, selector: &str, words: &str) {
        let (selector, quoted) = (json!(selector), json!(words));
        let expression = format!("(document.querySelector({selector})?.innerText ?? '').includes({quoted})");
        self.until(&format!("{selector} says {words:?}"), &expression).await;
    }

    pub async fn element(&self, selector: &str) -> Element {
        let found = self.client.wait().at_most(PATIENCE).for_element(Locator::Css(selector)).await;
        found.unwrap_or_else(|error| panic!("{selector}: {error}"))
    }

    /// Clicks the middle of an element, after scrolling it to where nothing covers it.
    pub async fn click(&self, selector: &str) {
        self.element(selector).await;
        self.value(&format!("document.querySelector({}).scrollIntoView({{ block: 'center' }})", json!(selector))).await;
        self.element(selector).await.click().await.unwrap_or_else(|error| panic!("clicking {selector}: {error}"));
    }

    /// Clicks a point of the board.
    pub async fn point(&self, name: &str) {
        self.click(&format!("[data-point={name}]")).await;
    }

    /// Drags from one point to another.
    pub async fn drag(&self, from: &str, to: &str) {
        let [from, to] = [self.center(from).await, self.center(to).await];
        let moved =
            |(x, y), milliseconds| PointerAction::MoveTo { duration: Some(Duration::from_millis(milliseconds)), x, y };
        let actions = MouseActions::new("mouse".to_owned())
            .then(moved(from, 0))
            .then(PointerAction::Down { button: 0 })
            .then(moved(to, 60))
            .then(PointerAction::Up { button: 0 });
        self.client.perform_actions(actions).await.expect("dragging");
    }

    async fn center(&self, point: &str) -> (f64, f64) {
        let (x, y, width, height) =
            self.element(&format!("[data-point={point}] rect")).await.rectangle().await.expect("a place");
        let scrolled = self.value("window.scrollY").await.as_f64().expect("a number");
        (x + width / 2.0, y + height / 2.0 - scrolled)
    }

    /// Presses keys where the focus is.
    pub async fn keys(&self, keys: &str) {
        let active = self.client.active_element().await.expect("an element with the focus");
        active.send_keys(keys).await.expect("keys are pressed");
    }

    /// Writes into a field, over all that was in it.
    pub async fn write(&self, selector: &str, text: &str) {
        let all = "\u{e009}a\u{e000}"; // Control and a
        self.element(selector).await.send_keys(&format!("{all}{text}")).await.expect("the field takes text");
    }

    pub async fn choose(&self, selector: &str, value: &str) {
        self.element(selector).await.select_by_value(value).await.unwrap_or_else(|e| panic!("{selector}: {e}"));
    }

    /// Starts a game from the dialog, with other choices in some of its fields.
    pub async fn new_game(&self, choices: &[(&str, &str)]) {
        self.click("#open-new-game").await;
        for (field, value) in choices {
            self.choose(&format!("[name={field}]"), value).await;
        }
        self.click("#start-game").await;
    }

    /// Types a move.
    pub async fn type_move(&self, text: &str) {
        self.write("#typed", text).await;
        self.click("#type-move button").await;
    }

    /// Has the computer think for half a minute, and sees its search.
    pub async fn begin_a_search(&self) {
        self.new_game(&[("white", "computer"), ("black", "person"), ("level_white", "9"), ("time", "30000")]).await;
        self.says("#thinking", "thousand a second").await;
    }

    /// Sees a search, and has the computer move at once.
    pub async fn stop_a_search(&self) {
        self.says("#thinking", "thousand a second").await;
        self.click("#move-now").await;
        self.says("#status", "Black to move").await;
    }

    /// What a point is called.
    pub async fn label(&self, point: &str) -> String {
        let element = self.element(&format!("[data-point={point}]")).await;
        element.attr("aria-label").await.expect("an answer").expect("a label")
    }

    /// The moves in the list, of all lines.
    pub async fn moves(&self) -> Vec<String> {
        let moves =
            self.value("[...document.querySelectorAll('#history .notation')].map(move => move.innerText)").await;
        serde_json::from_value(moves).expect("texts")
    }

    /// Waits until these are the moves that led to the position.
    pub async fn played(&self, moves: &[&str]) {
        let list = "[...document.querySelectorAll('#history .notation:not(.undone)')].map(move => move.innerText)";
        self.until(
            &format!("the moves are {moves:?}"),
            &format!("JSON.stringify({list}) === {}", json!(json!(moves).to_string())),
        )
        .await;
        self.settled().await;
    }

    /// Gives up what the visit leaves: windows but one, the page, and what it stored.
    async fn forget(&self) {
        self.value("localStorage.clear()").await;
        let mut windows = self.client.windows().await.expect("windows");
        let kept = windows.pop().expect("a window");
        for window in windows {
            self.client.switch_to_window(window).await.expect("the window");
            self.client.close_window().await.expect("the window is closed");
        }
        self.client.switch_to_window(kept).await.expect("the window");
        self.value("sessionStorage.clear()").await;
        self.client.goto("about:blank").await.expect("an empty page");
    }

    /// Ends the server.
    pub fn stop_server(&self) {
        self.server.take();
    }

    /// Keeps a picture of the window.
    pub async fn picture(&self, path: &Path) {
        std::fs::write(path, self.client.screenshot().await.expect("a picture")).expect("a file");
    }
}
