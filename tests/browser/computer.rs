//! Games of the computer: its answers, its searches, offers of draws, and pauses.

use serde_json::json;

use super::ARROW_LEFT;
use super::visit::{Page, SMALL, visit, visit_tables};

pub fn the_computer_answers_and_the_game_survives_a_reload() {
    visit(None, async |page| {
        page.open("").await;
        page.new_game(&[("columns", "5"), ("black", "computer"), ("level_black", "1"), ("time", "200")]).await;
        page.says("#rules-line", "5x5").await;
        page.says("#seat-black", "Computer, level 1").await;
        page.point("b2").await;
        page.point("c3").await;
        page.until("an answer", "document.querySelectorAll('#history .notation').length === 2").await;
        page.says("#status", "White to move").await;
        let moves = page.moves().await;
        assert_eq!(moves[0], "b2-c3A");

        page.reload().await;
        assert_eq!(page.moves().await, moves);
        page.says("#rules-line", "5x5").await;
        page.says("#seat-black", "Computer, level 1").await;

        // Back to the person's turn, over the computer's; then another move, and an answer.
        page.keys(ARROW_LEFT).await;
        page.until("the start", "document.querySelectorAll('#history .undone').length === 2").await;
        page.says("#status", "White to move").await;
        page.type_move("c2-c3A").await;
        page.until("a move and an answer", "document.querySelectorAll('#history .notation').length === 4 && document.querySelectorAll('#history .undone').length === 2").await;
        page.says("#status", "White to move").await;
        // What was taken back is the variation.
        assert_eq!(page.value("document.querySelector('#history .notation').textContent").await, json!("c2-c3A"));

        page.click("#resign").await;
        page.click("#question .primary").await;
        page.says("#status", "Black wins").await;
        let row = page.value("document.querySelector('#counters [data-kind=person]').textContent").await;
        assert_eq!(row, json!("You against the computer1 played0 wins1 loss0 draws0 abandoned"));
        page.click("#again-vela").await;
        page.says("#rules-line", "vela for Black").await;
        page.says("#verdict", "tables do not cover vela").await;
    });
}

/// Begins a game with the computer on 5x5, and makes a move.
async fn begin_with_the_computer(page: &Page) {
    page.new_game(&[("columns", "5"), ("rows", "5"), ("black", "computer"), ("level_black", "1"), ("time", "200")])
        .await;
    page.says("#seat-black", "Computer, level 1").await;
    page.type_move("b2-c3A").await;
    page.until("an answer", "document.querySelectorAll('#history .notation').length === 2").await;
    page.says("#status", "White to move").await;
}

async fn resign(page: &Page) {
    page.click("#resign").await;
    page.click("#question .primary").await;
    page.says("#status", "Black wins: White has resigned").await;
}

pub fn a_game_in_two_windows_is_counted_once_and_not_lost() {
    visit(None, async |page| {
        let counted = async |words: &str| {
            let row = "document.querySelector('#counters [data-kind=person]').textContent";
            let what = format!("{row} === 'You against the computer{words}'");
            page.until("the games are counted", &what).await;
        };
        page.open("").await;
        begin_with_the_computer(page).await;
        let first = page.other_window().await;
        page.open("").await;
        page.says("#seat-black", "Computer, level 1").await;
        resign(page).await;
        counted("1 played0 wins1 loss0 draws0 abandoned").await;
        let second = page.switch(first).await;
        page.says("#status", "White to move").await;
        resign(page).await;
        counted("1 played0 wins1 loss0 draws0 abandoned").await;

        // Each window goes on with its own game, whatever the other one saves.
        begin_with_the_computer(page).await;
        let moves = page.moves().await;
        let first = page.switch(second).await;
        page.reload().await;
        page.says("#status", "Black wins: White has resigned").await;
        page.new_game(&[("columns", "3"), ("rows", "3"), ("black", "person")]).await;
        page.says("#rules-line", "3x3").await;
        page.settled().await;
        let second = page.switch(first).await;
        page.reload().await;
        assert_eq!(page.moves().await, moves);

        // A game that was abandoned in one window is finished in another.
        page.new_game(&[("columns", "5"), ("rows", "5"), ("black", "computer")]).await;
        counted("2 played0 wins1 loss0 draws1 abandoned").await;
        page.type_move("b2-c3A").await;
        page.until("an answer", "document.querySelectorAll('#history .notation').length === 2").await;
        let first = page.other_window().await;
        page.open("").await;
        page.new_game(&[("columns", "5"), ("rows", "5"), ("black", "computer")]).await;
        counted("3 played0 wins1 loss0 draws2 abandoned").await;
        page.switch(first).await;
        resign(page).await;
        counted("3 played0 wins2 losses0 draws1 abandoned").await;
        page.switch(second).await;
        counted("3 played0 wins2 losses0 draws1 abandoned").await;
        page.says("#rules-line", "3x3").await;
    });
}

pub fn a_search_is_watched_and_stopped() {
    visit_tables(SMALL, None, async |page| {
        page.open("").await;
        page.begin_a_search().await;
        // The computer thinks on after a reload.
        page.reload().await;
        page.stop_a_search().await;
        page.until("the end of the search", "document.getElementById('thinking').hidden").await;
        page.until("one move", "document.querySelectorAll('#history .notation').length === 1").await;
    });
}

pub fn a_draw_is_offered_from_a_position_that_was_linked_to() {
    visit(None, async |page| {
        page.open("#position=1B1/1W1/1W1_w").await;
        page.says("#rules-line", "3x3").await;
        page.click("#open-new-game").await;
        page.click("[name=here]").await;
        page.choose("[name=black]", "computer").await;
        page.choose("[name=level_black]", "9").await;
        page.click("#start-game").await;
        page.says("#seat-black", "Computer, level 9").await;
        assert!(page.label("b2").await.starts_with("b2, white stone, can move"));
        // A line is looked at beside the game.
        page.click("#best-line").await;
        page.until("a line", "document.querySelectorAll('#line button').length > 1").await;
        page.value("[...document.querySelectorAll('#line button')].at(-1).click()").await;
        page.says("#aside", "Your own game is saved").await;
        page.click("#return").await;
        page.says("#seat-black", "Computer, level 9").await;
        page.until("the own game", "document.getElementById('aside').hidden").await;
        // By the tables it is a draw.
        page.click("#offer-draw").await;
        page.says("#status", "Draw").await;
        page.says("#history", "½–½").await;

        page.click("#again").await;
        page.says("#status", "White to move").await;
        // This loses, and the computer knows how.
        page.point("b2").await;
        page.point("a3").await;
        page.until("an answer", "document.querySelectorAll('#history .notation').length === 2").await;
        page.says("#status", "Black wins").await;
        assert_eq!(page.moves().await, ["b2-a3", "b3-b2A-c1W"]);
    });
}

/// Begins a game of two computers that is not over soon.
async fn start_computers(page: &Page) {
    page.open("").await;
    page.new_game(&[
        ("columns", "13"),
        ("rows", "13"),
        ("white", "computer"),
        ("level_white", "1"),
        ("black", "computer"),
        ("level_black", "1"),
        ("time", "200"),
    ])
    .await;
}

pub fn two_computers_play_until_they_are_stopped() {
    visit(None, async |page| {
        start_computers(page).await;
        page.until("some moves", "document.querySelectorAll('#history .notation').length >= 3").await;
        page.click("#pause").await;
        page.says("#pause", "Continue").await;
        page.settled().await;
        let moves = page.moves().await;
        page.says("#status", "the computer is paused").await;
        page.reload().await;
        assert_eq!(page.moves().await, moves);
        page.says("#status", "the computer is paused").await;
        page.click("#pause").await;
        page.until("more moves", &format!("document.querySelectorAll('#history .notation').length > {}", moves.len()))
            .await;
    });
}

/// Holds back what the server says of a move until `release` is called.
const HELD: &str = "(() => {
    const real = window.fetch;
    const held = new Promise((resolve) => { window.release = resolve; });
    window.fetch = async (path, options) => {
        if (String(path).endsWith('/game')) {
            window.waits = true;
            await held;
        }
        return real(path, options);
    };
    return true;
})()";

pub fn a_game_is_paused_while_a_move_is_on_its_way() {
    visit(None, async |page| {
        start_computers(page).await;
        page.until("a move", "document.querySelectorAll('#history .notation').length >= 1").await;
        page.value(HELD).await;
        page.until("a move on its way", "window.waits === true").await;
        page.click("#pause").await;
        page.says("#pause", "Continue").await;
        let before = page.moves().await;
        page.value("window.release()").await;
        page.until("the move", &format!("document.querySelectorAll('#history .notation').length > {}", before.len()))
            .await;
        page.settled().await;
        page.says("#pause", "Continue").await;
        page.says("#status", "the computer is paused").await;
        assert_eq!(page.moves().await.len(), before.len() + 1);
    });
}
