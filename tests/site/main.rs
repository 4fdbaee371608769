//! The page without a server, in a headless browser: `.ci/site` writes it, a plain file host serves it; ignored where there is no browser
//! or no Rust target for it.

#[macro_use]
#[path = "../support/harness.rs"]
mod harness;
mod host;
#[path = "../support/visit/mod.rs"]
mod visit;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;

use host::Host;
use serde_json::{Value, json};
use tempfile::TempDir;
use visit::{Page, visit_address};

/// The most bytes that come before the first move can be made.
const FIRST_LOAD: u64 = 1_500_000;

/// Positions of seven stones.
const SEVEN: [&str; 3] = ["5/1B1B1/1WW2/1W1W1/B4 w", "B3B/1B3/2W2/1W1W1/3W1 b", "W3W/5/BB1BB/5/2W2 w"];

/// The function of the page that sends requests, about to be called.
const SEND: &str =
    "import(document.querySelector('script').src.replace('main.js', 'connection.js')).then(({ send }) => send";

/// The database and the site that the tests share, in one folder.
static MADE: OnceLock<TempDir> = OnceLock::new();

fn main() -> ExitCode {
    let code = harness::run(
        missing(),
        "FANORONA_SITE_TESTS",
        tests![
            a_whole_game_is_played_against_the_computer,
            the_first_move_comes_soon,
            values_are_those_of_the_tables,
            a_search_is_stopped,
            a_game_is_reviewed_and_a_lesson_taken,
            what_needs_a_server_is_hidden,
            tables_are_looked_at,
            the_page_works_after_its_host_has_gone,
            a_kept_board_has_its_values_offline,
            damaged_and_missing_tables_are_reported,
            a_host_without_ranges_will_do,
            a_version_replaces_another_as_a_whole,
        ],
    );
    if let Some(made) = MADE.get() {
        fs::remove_dir_all(made.path()).expect("the folder is removed");
    }
    code
}

/// What the tests need and this machine does not have.
fn missing() -> Option<&'static str> {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let asked =
        Command::new(compiler).args(["--print", "target-libdir", "--target", "wasm32-unknown-unknown"]).output();
    let folder = asked.ok().and_then(|asked| String::from_utf8(asked.stdout).ok()).unwrap_or_default();
    let has_target = Path::new(folder.trim()).is_dir() && !folder.is_empty();
    let c_compiler = std::env::var("CC_wasm32_unknown_unknown").unwrap_or_else(|_| "clang".to_owned());
    let has_clang = Command::new(c_compiler).arg("--version").output().is_ok();
    let target = (!has_target).then_some("no Rust target wasm32-unknown-unknown");
    visit::missing().or(target).or((!has_clang).then_some("no clang on the path"))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn done(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("a program");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Writes a site with a page of that folder.
fn write_site(out: &Path, page: &Path) {
    let made = made();
    let mut site = Command::new(root().join(".ci/site"));
    site.arg(out).arg("--database").arg(made.join("db")).arg("--page").arg(page).args(["3x3:8", "5x5:7"]);
    done(&mut site);
}

/// The folder with the database.
fn made() -> PathBuf {
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
fn site() -> PathBuf {
    static WRITTEN: OnceLock<PathBuf> = OnceLock::new();
    let write = || {
        let out = made().join("site");
        write_site(&out, &root().join("src/server/page"));
        out
    };
    WRITTEN.get_or_init(write).clone()
}

/// A copy of the site that a test may change.
fn copy() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    done(Command::new("cp").arg("-r").arg(site().join(".")).arg(folder.path()));
    folder
}

/// The files of a folder and of those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The answer to a request of the page, as JSON with its status.
async fn answer(page: &Page, path: &str) -> (u64, Value) {
    let asked = format!("{SEND}({})).then(async (response) => [response.status, await response.json()])", json!(path));
    let found = page.value(&asked).await;
    (found[0].as_u64().expect("a status"), found[1].clone())
}

fn path_of(position: &str) -> String {
    format!("/api/{}?position={}", board_of(position), position.replace(' ', "_"))
}

fn board_of(position: &str) -> &'static str {
    if position.matches('/').count() == 4 { "5x5" } else { "3x3" }
}

/// What the program says of a position.
fn queried(position: &str) -> Value {
    let mut query = Command::new(env!("CARGO_BIN_EXE_fanorona"));
    let text = done(query.args(["query", position, "--json", "--db"]).arg(made().join("db")));
    serde_json::from_str(&text).expect("JSON")
}

/// Waits until the page can do without its host.
async fn is_kept(page: &Page) {
    page.until("the page is kept", "navigator.serviceWorker.controller !== null").await;
}

async fn keep(page: &Page, board: &str) {
    is_kept(page).await;
    page.click("#open-settings").await;
    page.click(&format!("[data-keep='{board}']")).await;
    let removable = format!("document.querySelector(\"[data-keep='{board}']\")?.innerText === 'Remove'");
    page.until("the board is kept", &removable).await;
    page.click("#appearance [data-close]").await;
}

fn a_whole_game_is_played_against_the_computer() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        page.click("#open-new-game").await;
        page.choose("[name=columns]", "3").await;
        page.choose("[name=rows]", "3").await;
        page.choose("[name=black]", "computer").await;
        page.choose("[name=level_black]", "9").await;
        page.choose("[name=time]", "200").await;
        page.click("#start-game").await;
        page.says("#rules-line", "3x3").await;
        let rest = "(() => { const said = document.getElementById('status').innerText; return said.includes('White to move') || said.includes('wins') || said.includes('Draw'); })()";
        for _ in 0..100 {
            page.until("a move or the end", rest).await;
            page.settled().await;
            if page.value("document.getElementById('status').innerText.includes('to move')").await == json!(false) {
                break;
            }
            let before = page.moves().await.len();
            // The best one.
            page.click("#moves button").await;
            page.until("a move", &format!("document.querySelectorAll('#history .notation').length > {before}")).await;
        }
        // White wins from the start, and the tables know how.
        page.says("#status", "White wins").await;
        page.says("#history", "1–0").await;
    });
}

fn the_first_move_comes_soon() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        page.point("d3").await;
        page.point("e3").await;
        page.says("#status", "Approach or withdrawal?").await;
        let sent = host.sent();
        assert!(sent <= FIRST_LOAD, "{sent} bytes before the first move");
        assert!(sent > 100_000, "{sent} bytes are counted");
    });
}

fn values_are_those_of_the_tables() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        for position in SEVEN {
            page.open(&format!("#position={}", position.replace(' ', "_"))).await;
            page.says("#rules-line", "5x5").await;
            let known = queried(position);
            assert_eq!(answer(page, &path_of(position)).await, (200, known.clone()));
            let side = if position.ends_with('w') { "White" } else { "Black" };
            let verb = match known["value"].as_str().expect("a value") {
                "win" => "wins",
                "draw" => "draws",
                value => {
                    assert_eq!(value, "loss");
                    "loses"
                }
            };
            page.says("#verdict", &format!("{side} to move {verb}")).await;
        }
        assert!(host.parts() > 0, "tables are read by parts");
    });
}

fn a_search_is_stopped() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        page.click("#open-new-game").await;
        page.choose("[name=white]", "computer").await;
        page.choose("[name=black]", "person").await;
        page.choose("[name=level_white]", "9").await;
        page.choose("[name=time]", "30000").await;
        page.click("#start-game").await;
        page.says("#thinking", "thousand a second").await;
        page.click("#move-now").await;
        page.says("#status", "Black to move").await;
        page.until("one move", "document.querySelectorAll('#history .notation').length === 1").await;
        // The next search starts after the one that was ended.
        page.click("#search").await;
        page.until("three lines", "document.querySelectorAll('#line p').length === 3").await;
    });
}

fn a_game_is_reviewed_and_a_lesson_taken() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        page.click("#learn-accept").await;
        page.says("#lesson-place", "Step 1 of 10").await;
        page.settled().await;
        page.point("c3").await;
        page.point("c4").await;
        page.says("#lesson-verdict", "Right!").await;
        page.click("#lesson-leave").await;
        page.click("#open-exchange").await;
        page.write("#share-record", "3x3 1. c2b2+ c3c2+ 2. b2c1- b3b2+ 3. a1a2 c2c3- 4. a2a3 b2c1-").await;
        page.click("#use-record").await;
        page.says("#rules-line", "3x3").await;
        page.click("#review").await;
        page.says("#review-stop", "Close").await;
        page.says("#review-mistakes", "better").await;
    });
}

fn what_needs_a_server_is_hidden() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        page.click("#open-new-game").await;
        page.element("[name=black]").await;
        assert_eq!(page.value("document.querySelector('[value=friend]')").await, json!(null));
        assert_eq!(page.value("document.querySelector('[href*=openapi]')").await, json!(null));
        assert_eq!(page.value("document.getElementById('build').hidden").await, json!(true));
        assert_eq!(answer(page, "/api/build").await.0, 404);
        page.open("#live=abc").await;
        page.says("#notice", "Live games need a server").await;
    });
}

fn tables_are_looked_at() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        page.click("nav a.button").await;
        page.says("#boards", "values to 8 stones").await;
        page.says("#boards", "1 certificate").await;
        page.says("#slices", "2v1").await;
        page.click("#longest a").await;
        page.says("#verdict", "wins in").await;
    });
}

fn the_page_works_after_its_host_has_gone() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        is_kept(page).await;
        host.stop();
        page.open("#position=1B1/1W1/1W1_w").await;
        page.says("#rules-line", "3x3").await;
        // No table can be read, so there are none: values are searched for, and the computer plays.
        assert_eq!(answer(page, &path_of("1B1/1W1/1W1 w")).await.0, 404);
        page.click("#open-new-game").await;
        page.choose("[name=columns]", "5").await;
        page.choose("[name=black]", "computer").await;
        page.choose("[name=time]", "200").await;
        page.click("#start-game").await;
        page.says("#rules-line", "5x5").await;
        page.point("b2").await;
        page.point("c3").await;
        page.until("an answer", "document.querySelectorAll('#history .notation').length === 2").await;
        page.says("#status", "White to move").await;
    });
}

fn a_kept_board_has_its_values_offline() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        keep(page, "5x5").await;
        host.stop();
        page.reload().await;
        for position in SEVEN {
            assert_eq!(answer(page, &path_of(position)).await, (200, queried(position)));
        }
        page.click("#open-settings").await;
        page.says("#keep-boards", "kept for use offline").await;
        // What is removed is not there any more.
        page.click("[data-keep='5x5']").await;
        page.until("it is removed", "document.querySelector(\"[data-keep='5x5']\")?.innerText === 'Keep'").await;
        page.reload().await;
        assert_eq!(answer(page, &path_of(SEVEN[0])).await.0, 404);
    });
}

/// The tables of a slice of 5x5 in a site: of its values, and of its depths.
fn tables(folder: &Path, slice: &str) -> Vec<PathBuf> {
    let begin = format!("{slice}.");
    let is_named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin));
    let found: Vec<PathBuf> = files(&folder.join("db/5x5")).into_iter().filter(is_named).collect();
    assert!(!found.is_empty(), "{slice}");
    found
}

fn damaged_and_missing_tables_are_reported() {
    // Positions without a capture, which tables store themselves.
    let [damaged, missing, whole] = ["BB3/5/5/3W1/2W1W w", "BBB2/5/5/3W1/2W1W w", "B4/5/5/3W1/2W1W w"];
    let folder = copy();
    for path in tables(folder.path(), "3v2") {
        let mut bytes = fs::read(&path).expect("a table");
        let first = bytes[125..133].try_into().expect("eight bytes");
        // All blocks, of which the first begins here.
        bytes[usize::try_from(u64::from_le_bytes(first)).expect("an offset")..].fill(0);
        fs::write(&path, bytes).expect("a file");
    }
    for path in tables(folder.path(), "3v3") {
        fs::remove_file(path).expect("a table");
    }
    let host = Host::of(folder.path());
    visit_address(host.url(), None, async |page| {
        page.open(&format!("#position={}", damaged.replace(' ', "_"))).await;
        page.says("#verdict", "3v2").await;
        for (position, slice) in [(damaged, "3v2"), (missing, "3v3")] {
            let (status, body) = answer(page, &path_of(position)).await;
            let message = body["error"]["message"].as_str().unwrap_or_default();
            assert!(status == 500 && message.contains(slice), "{status}, {body}");
        }
        // The others are as good as before.
        assert_eq!(answer(page, &path_of(whole)).await, (200, queried(whole)));
    });
}

fn a_host_without_ranges_will_do() {
    let host = Host::of(&site());
    host.refuse_ranges();
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        for position in SEVEN {
            assert_eq!(answer(page, &path_of(position)).await, (200, queried(position)));
        }
        assert_eq!(host.parts(), 0);
    });
}

fn a_version_replaces_another_as_a_whole() {
    let changed = tempfile::tempdir().expect("a temporary folder");
    let page_files = changed.path().join("page");
    done(Command::new("cp").arg("-r").arg(root().join("src/server/page")).arg(&page_files));
    let index = fs::read_to_string(page_files.join("index.html")).expect("a page");
    fs::write(page_files.join("index.html"), index.replace("<h1>Fanorona</h1>", "<h1>Fanorona, second</h1>"))
        .expect("a page");
    let second = changed.path().join("second");
    write_site(&second, &page_files);
    // The same, not all of which has arrived at the host.
    let partial = changed.path().join("partial");
    done(Command::new("cp").arg("-r").arg(&second).arg(&partial));
    let part = files(&partial).into_iter().find(|path| path.ends_with("panel.js")).expect("a part of the page");
    fs::remove_file(&part).expect("a file");
    fs::remove_file(part.with_extension("js.gz")).expect("a file");

    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        keep(page, "5x5").await;
        host.change(&partial);
        let update =
            "navigator.serviceWorker.ready.then((registration) => registration.update()).then(() => true, () => false)";
        page.value(update).await;
        let over =
            "navigator.serviceWorker.ready.then(({ installing, waiting }) => installing === null && waiting === null)";
        page.until("the update has failed", over).await;
        page.reload().await;
        page.says("h1", "Fanorona").await;
        assert_eq!(page.value("document.querySelector('h1').innerText").await, json!("Fanorona"));

        host.change(&second);
        page.value(update).await;
        page.says("#new-version", "A new version").await;
        // Until it is used, all of the page is of the first version.
        assert_eq!(page.value("document.querySelector('h1').innerText").await, json!("Fanorona"));
        page.click("#new-version button").await;
        page.says("h1", "Fanorona, second").await;
        let caches = "caches.keys().then((names) => names.length)";
        // The page and the kept tables of this version, and nothing of the other.
        page.until("the old version is gone", &format!("{caches}.then((count) => count === 2)")).await;
        host.stop();
        page.open(&format!("#position={}", SEVEN[0].replace(' ', "_"))).await;
        page.says("h1", "Fanorona, second").await;
        assert_eq!(answer(page, &path_of(SEVEN[0])).await, (200, queried(SEVEN[0])));
    });
}
