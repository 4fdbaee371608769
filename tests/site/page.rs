//! What a visitor of the page does: plays, searches, reviews, learns; and what needs a server is not there.

use serde_json::json;

use super::answers::answer;
use super::host::Host;
use super::site::site;
use super::visit::visit_address;

/// The most bytes that come before the first move can be made.
const FIRST_LOAD: u64 = 1_500_000;

pub fn a_whole_game_is_played_against_the_computer() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        page.new_game(&[("columns", "3"), ("rows", "3"), ("black", "computer"), ("level_black", "9"), ("time", "200")])
            .await;
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

pub fn the_first_move_comes_soon() {
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

pub fn a_search_is_stopped() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        page.begin_a_search().await;
        page.stop_a_search().await;
        page.until("one move", "document.querySelectorAll('#history .notation').length === 1").await;
        // The next search starts after the one that was ended.
        page.click("#search").await;
        page.until("three lines", "document.querySelectorAll('#line p').length === 3").await;
    });
}

pub fn a_game_is_reviewed_and_a_lesson_taken() {
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

pub fn what_needs_a_server_is_hidden() {
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
