//! What two people do who play a live game by links, in two windows.

use serde_json::json;

use super::visit::{Page, visit};
use super::{ENTER, ESCAPE};

/// Begins a live game as White, with ten minutes for each move; returns the link for Black, from its `#` on.
async fn invite(page: &Page) -> String {
    page.open("").await;
    page.click("#open-new-game").await;
    page.choose("[name=black]", "friend").await;
    page.click("#rule-clocked").await;
    page.write("[name=seconds]", "600").await;
    page.click("#start-game").await;
    page.until("the links", "document.getElementById('invite').open").await;
    let link = page.value("document.getElementById('invite-friend').value").await;
    page.click("#invite [data-close]").await;
    page.says("#live", "Waiting until Black opens the link.").await;
    let link = link.as_str().expect("a link").to_owned();
    link[link.find('#').expect("a fragment")..].to_owned()
}

/// Loses the next request for the view of a game.
const BROKEN: &str = "(() => {
    const real = window.fetch;
    window.fetch = (path, options) => {
        if (!String(path).endsWith('/game')) return real(path, options);
        window.fetch = real;
        return Promise.reject(new TypeError('lost'));
    };
    return true;
})()";

pub fn two_people_play_by_links() {
    visit(None, async |page| {
        let link = invite(page).await;
        // Nobody gets help, and White may begin.
        page.says("#verdict", "Values are hidden during a live game.").await;
        page.click("#open-new-game").await;
        let helps = "['#best-move', '#open-editor', '#open-exchange', '[name=here]'].map(it => document.querySelector(it).disabled)";
        assert_eq!(page.value(helps).await, json!([true, true, true, true]));
        page.click("#new-game [data-close]").await;
        let white = page.other_window().await;
        page.open(&link).await;
        page.says("#live", "You play Black against a friend.").await;
        page.says("#status", "White to move.").await;
        assert_eq!(page.value("document.getElementById('seat-black').classList.contains('below')").await, json!(true));
        page.point("e5").await;
        page.says("#notice", "It is White's turn").await;
        page.value(BROKEN).await;
        let black = page.switch(white).await;
        page.says("#live", "You play White against a friend.").await;
        page.point("f2").await;
        page.point("e3").await;
        page.played(&["f2-e3A"]).await;
        let white = page.switch(black).await;
        // The page asks again by itself.
        page.says("#notice", "The server does not respond").await;
        page.played(&["f2-e3A"]).await;
        // After a reload the page has the game again, and Black can only move at its end.
        page.reload().await;
        page.played(&["f2-e3A"]).await;
        page.says("#live", "You play Black").await;
        page.click("#undo").await;
        page.says("#status", "White to move.").await;
        let clock = "document.getElementById('clock-black')";
        page.until(
            "Black's clock runs on",
            &format!("{clock}.matches('.running') && {clock}.innerText.startsWith('9:')"),
        )
        .await;
        page.write("#typed", "f4-f3A").await;
        page.keys(ENTER).await;
        page.says("#notice", "game is at turn").await;
        page.point("f2").await;
        page.says("#notice", "earlier position of a live game").await;
        page.keys(ESCAPE).await;
        page.click("#redo").await;
        page.says("#status", "Black to move. A capture is compulsory").await;
        page.click("#offer-draw").await;
        page.says("#live", "You have offered a draw.").await;
        // Who looks at something else comes back.
        page.value("location.hash = 'position=1B1/1W1/1W1_w'").await;
        page.says("#live", "Your live game goes on.").await;
        page.says("#rules-line", "3x3").await;
        page.click("#live-return").await;
        page.played(&["f2-e3A"]).await;
        page.says("#live", "You have offered a draw.").await;
        page.click("#open-learn").await;
        page.says("#live", "Your live game goes on.").await;
        page.click("#lesson-leave").await;
        page.played(&["f2-e3A"]).await;
        page.says("#live", "You have offered a draw.").await;
        let black = page.switch(white).await;
        page.says("#live", "Black offers a draw.").await;
        page.click("#live-decline").await;
        page.says("#live", "You play White against a friend.").await;
        let white = page.switch(black).await;
        page.says("#live", "You play Black against a friend.").await;
        page.click("#resign").await;
        page.click("#question .primary").await;
        page.says("#status", "White wins: Black has resigned.").await;
        page.switch(white).await;
        page.says("#status", "White wins: Black has resigned.").await;
        page.until("it is a game like others", "document.getElementById('live').hidden && location.hash === ''").await;
        page.click("#review-again").await;
        page.says("#review-panel", "Review").await;
        page.click("#open-new-game").await;
        // There is no best move after the end.
        assert_eq!(page.value(helps).await, json!([true, false, false, false]));
    });
}

pub fn a_live_game_that_is_lost_is_reported() {
    visit(None, async |page| {
        // A key that the server does not have leaves the visitor with an own game.
        page.open(&format!("#live={}", "0".repeat(32))).await;
        page.says("#notice", "There is no live game with this key").await;
        page.says("#rules-line", "9x5").await;
        invite(page).await;
        page.stop_server();
        page.says("#live", "The connection is lost.").await;
        page.point("f2").await;
        page.point("e3").await;
        page.says("#notice", "The server does not respond").await;
        page.says("#status", "White to move").await;
        page.played(&[]).await;
    });
}
