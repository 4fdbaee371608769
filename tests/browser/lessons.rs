//! The rules in ten steps, as a visitor goes through them.

use serde_json::json;

use super::visit::{Page, visit};

/// The steps of a move: points, and `A` or `W` where it captures.
fn steps(text: &str) -> Vec<(&str, Option<&str>)> {
    text.split('-').map(|step| (&step[..2], step.get(2..).filter(|letter| !letter.is_empty()))).collect()
}

/// Clicks a move together.
pub async fn click_steps(page: &Page, text: &str) {
    for (point, letter) in steps(text) {
        page.point(point).await;
        let Some(letter) = letter else { continue };
        let chosen = format!(".choice.{}", if letter == "A" { "approach" } else { "withdrawal" });
        if page.value("document.querySelector('.choice') !== null").await == json!(true) {
            page.click(&chosen).await;
        }
    }
    if page.value("document.getElementById('end-turn') !== null").await == json!(true) {
        page.click("#end-turn").await;
    }
}

/// Clicks the move of a step of the lessons.
async fn click_move(page: &Page, text: &str) {
    click_steps(page, text).await;
    page.until("the move is played", "document.getElementById('lesson-again') !== null").await;
}

pub fn the_rules_are_learned_in_ten_steps() {
    visit(None, async |page| {
        page.open("").await;
        page.says("#learn-offer", "New to Fanorona?").await;
        page.click("#learn-accept").await;
        let goals = "import('/assets/lessons.js').then(({ LESSONS }) => LESSONS.map(({ moves }) => moves ?? []))";
        let goals: Vec<Vec<String>> = serde_json::from_value(page.value(goals).await).expect("moves");
        assert_eq!(goals.len(), 10);
        for (number, moves) in goals.iter().enumerate() {
            page.says("#lesson-place", &format!("Step {} of 10", number + 1)).await;
            page.settled().await;
            // Nothing gives the answer away.
            assert_eq!(page.value("document.querySelectorAll('#board .value').length").await, json!(0));
            // Every goal can be reached as it says; the first one by any move.
            let any = ["c3-c4".to_owned()];
            for (tried, goal) in (if moves.is_empty() { &any[..] } else { moves }).iter().enumerate() {
                if tried > 0 {
                    page.click("#lesson-again").await;
                    page.until("the step again", "document.getElementById('lesson-again') === null").await;
                }
                click_move(page, goal).await;
                page.says("#lesson-verdict", "Right!").await;
            }
            page.click("#lesson-buttons .primary").await;
        }
        page.until("the end", "!document.body.classList.contains('learning')").await;
        // The last one leads to a game against a newcomer.
        page.says("#rules-line", "5x5").await;
        page.says("#seat-black", "Computer, level 1").await;
        page.reload().await;
        assert_eq!(page.value("document.getElementById('learn-offer').hidden").await, json!(true));
    });
}

pub fn lessons_are_offered_and_never_forced() {
    visit(Some((390, 844)), async |page| {
        page.open("").await;
        // One may play at once.
        page.click("#learn-play").await;
        page.says("#rules-line", "9x5").await;
        page.says("#seat-black", "Computer, level 1").await;
        page.until("no offer", "document.getElementById('learn-offer').hidden").await;
    });
    visit(Some((390, 844)), async |page| {
        page.open("").await;
        page.click("#learn-decline").await;
        page.until("no offer", "document.getElementById('learn-offer').hidden").await;
        page.reload().await;
        assert_eq!(page.value("document.getElementById('learn-offer').hidden").await, json!(true));
        page.type_move("d3-e3A").await;
        page.played(&["d3-e3A"]).await;

        // Another move than that of the step is legal, and can be tried again.
        page.click("#open-learn").await;
        page.click("#lesson-next").await;
        page.says("#lesson-place", "Step 2 of 10").await;
        click_move(page, "c3-c4").await;
        page.says("#lesson-verdict", "That was a straight line").await;
        page.reload().await;
        page.says("#lesson-place", "Step 2 of 10").await;
        page.click("#lesson-again").await;
        page.until("the step again", "document.getElementById('lesson-again') === null").await;
        let fits = "document.documentElement.scrollWidth <= 390 && \
            document.querySelector('.frame').getBoundingClientRect().bottom <= window.innerHeight";
        assert_eq!(page.value(fits).await, json!(true));
        // Whoever leaves is back in the own game.
        page.click("#lesson-leave").await;
        page.played(&["d3-e3A"]).await;
        page.click("#open-learn").await;
        page.says("#lesson-place", "Step 1 of 10").await;
    });
}
