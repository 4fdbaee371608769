//! What the browser keeps: the page and boards without their host, until a new version replaces them.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::answers::{SEVEN, answer, path_of, queried};
use super::host::Host;
use super::site::{done, files, root, site, write_site};
use super::visit::{Page, visit_address};

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

pub fn the_page_works_after_its_host_has_gone() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        is_kept(page).await;
        host.stop();
        page.open("#position=1B1/1W1/1W1_w").await;
        page.says("#rules-line", "3x3").await;
        // No table can be read, so there are none: values are searched for, and the computer plays.
        assert_eq!(answer(page, &path_of("1B1/1W1/1W1 w")).await.0, 404);
        page.new_game(&[("columns", "5"), ("black", "computer"), ("time", "200")]).await;
        page.says("#rules-line", "5x5").await;
        page.point("b2").await;
        page.point("c3").await;
        page.until("an answer", "document.querySelectorAll('#history .notation').length === 2").await;
        page.says("#status", "White to move").await;
    });
}

pub fn a_kept_board_has_its_values_offline() {
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

pub fn a_version_replaces_another_as_a_whole() {
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
