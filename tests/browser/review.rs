//! The review of a game: its mistakes, better lines, and the graph.

use serde_json::json;

use super::visit::visit;

/// A game on 3x3 in which both sides go wrong.
const REVIEWED: &str = "3x3 1. c2b2+ c3c2+ 2. b2c1- b3b2+ 3. a1a2 c2c3- 4. a2a3 b2c1-";

pub fn a_game_is_reviewed() {
    visit(None, async |page| {
        page.open("").await;
        page.says("#status", "White to move").await;
        // A list of moves in the notation of Abstract Play.
        page.click("#open-exchange").await;
        page.write("#share-record", REVIEWED).await;
        page.click("#use-record").await;
        page.says("#rules-line", "3x3").await;
        assert_eq!(page.value("document.querySelector('nav a[href*=tables]').hash").await, json!("#3x3"));
        // It is there again after a lesson.
        let all = page.moves().await;
        page.click("#open-learn").await;
        page.says("#lesson-place", "Step 1 of").await;
        page.click("#lesson-leave").await;
        page.says("#rules-line", "3x3").await;
        assert_eq!((page.moves().await, all.len()), (all, 8));
        page.click("#review").await;
        // The tables of 3x3 have all values: no search, and the marks are facts.
        page.says("#review-summary", "White").await;
        page.says("#review-stop", "Close").await;
        page.says("#review-mistakes", "better").await;
        page.click("#review-mistakes button").await;
        page.says("#review-now", "Before").await;
        page.says("#review-now", "Better").await;
        page.says(".history [aria-current]", "?").await;
        let moves = "document.querySelectorAll('.history button').length";
        let before = page.value(moves).await;
        // A better line is stepped through. It stays as a variation when the game comes back.
        page.click("#review-now .line button").await;
        page.says("#review-return", "Back to the game").await;
        // The rest of the line is there to go on in, and to choose from.
        let last = "[...document.querySelectorAll('#review-now .line button')].at(-1)";
        assert_eq!(page.value("document.querySelectorAll('#review-now .line button').length > 1").await, json!(true));
        page.click("#redo").await;
        page.value(&format!("{last}.click()")).await;
        page.until("the line's end", "document.getElementById('redo').disabled").await;
        page.says("#review-now", "Better").await;
        page.click("#review-return").await;
        page.until(
            "the game is back",
            &format!("{moves} > {before} && document.getElementById('review-return').hidden"),
        )
        .await;
        // A click on the graph shows its move.
        page.value("document.querySelector('#review-graph .strip').dispatchEvent(new MouseEvent('click'))").await;
        page.until("the start is shown", "document.querySelector('.history [aria-current]') === null").await;
        // Beside a position to look at the review stays, and leads back.
        page.click("#open-exchange").await;
        page.write("#share-position", "5/1B3/5/2W2/5 w").await;
        page.click("#use-position").await;
        page.says("#rules-line", "5x5").await;
        page.value("document.querySelectorAll('#review-graph .strip')[2].dispatchEvent(new MouseEvent('click'))").await;
        page.says("#rules-line", "3x3").await;
        // A game that begins takes its place.
        page.new_game(&[("black", "person")]).await;
        page.until("the review is closed", "document.getElementById('review-panel').hidden").await;
    });
}
