//! Practice, as a player does it: right and wrong moves, hints, the next task, what was solved.

use serde_json::{Value, json};

use super::lessons::click_steps;
use super::visit::{POOR_CONTRASTS, Page, visit};

/// The board with tables, as the page names it.
const BOARD: &str =
    r#"["3x3",{"diagonals":"corner","continuation":"optional","directions":"not-repeated","stalemate":"loss"}]"#;

/// The moves of the position that is shown, best first, with their values.
const MOVES: &str = "(async () => {
    const game = JSON.parse(localStorage['fanorona.game']);
    const moves = game.lines[game.line].moves.slice(0, game.at);
    const ask = async (path, options) => (await fetch(path, options)).json();
    const body = JSON.stringify({ board: game.board, position: game.position, moves });
    const view = await ask('/api/game', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return view.result ? [] : (await ask(`/api/${game.board}?position=${view.position.replace(' ', '_')}`)).moves;
})()";

/// How many moves the position that is shown has behind it.
const PLY: &str = "JSON.parse(localStorage['fanorona.game']).at";

/// Shows the practice on the board that has tables.
async fn practise(page: &Page) {
    page.open("").await;
    page.click("#open-practice").await;
    page.says("#practice-verdict", "no tables of 9x5").await;
    // Who may not build with the button beside it has the command.
    page.says("#practice-verdict", ": fanorona build 9x5 --stones").await;
    page.until("a build", "document.getElementById('practice-start-build') !== null").await;
    page.until("the boards", "document.querySelectorAll('#practice-board option').length === 2").await;
    page.choose("#practice-board", BOARD).await;
    page.says("#practice-task", "Win.").await;
    page.settled().await;
}

/// The texts of the best and the worst move of the position that is shown.
async fn best_and_worst(page: &Page) -> [String; 2] {
    let moves = page.value(MOVES).await;
    let moves = moves.as_array().expect("moves");
    [moves.first(), moves.last()].map(|it| it.expect("a move")["move"].as_str().expect("a text").to_owned())
}

/// Plays best moves until the task is solved.
async fn solve(page: &Page) {
    let over = "document.getElementById('practice-next').innerText === 'Next task'";
    let turn = "document.getElementById('practice-hint') !== null";
    loop {
        page.until("a turn or the end", &format!("{over} || {turn}")).await;
        if page.value(over).await == json!(true) {
            return;
        }
        let before = page.value(PLY).await;
        let [best, _] = best_and_worst(page).await;
        click_steps(page, &best).await;
        let played = format!("{PLY} > {before}");
        page.until("the move is played", &played).await;
    }
}

/// What was solved of a kind: easy, medium, hard.
async fn solved(page: &Page, row: usize) -> Value {
    page.value(&format!(
        "[...document.querySelectorAll('#practice-solved tbody tr')[{row}].cells].map(cell => cell.innerText)"
    ))
    .await
}

pub fn a_task_is_solved_after_a_wrong_move() {
    visit(None, async |page| {
        practise(page).await;
        // Nothing gives the answer away.
        assert_eq!(page.value("document.querySelectorAll('#board .value').length").await, json!(0));
        assert_eq!(page.value(POOR_CONTRASTS).await, json!([]));
        let [_, worst] = best_and_worst(page).await;
        click_steps(page, &worst).await;
        page.says("#practice-verdict", "That throws the win away").await;
        // The computer answers right moves only.
        assert_eq!(page.moves().await, [worst]);
        page.reload().await;
        page.says("#practice-verdict", "That throws the win away").await;
        page.click("#practice-back").await;
        page.until("another try", "document.getElementById('practice-hint') !== null").await;
        solve(page).await;
        page.says("#practice-verdict", "Solved.").await;
        assert_eq!(solved(page, 0).await, json!(["Win", "1 (0)", "–", "–"]));

        // A reload keeps the task, and what was solved.
        page.reload().await;
        page.says("#practice-verdict", "Solved.").await;
        assert_eq!(solved(page, 0).await, json!(["Win", "1 (0)", "–", "–"]));
        page.click("#practice-next").await;
        page.until("the next task", "document.getElementById('practice-hint') !== null").await;
        page.click("#practice-hint").await;
        page.says("#practice-verdict", "Best move").await;
        page.until("the arrow", "document.querySelector('.trail.best') !== null").await;

        page.click("#practice-clear").await;
        assert_eq!(solved(page, 0).await, json!(["Win", "–", "–", "–"]));
        page.click("#practice-leave").await;
        page.says("#rules-line", "9x5").await;
        assert_eq!(page.value("document.body.classList.contains('practising')").await, json!(false));

        // A build that is begun in practice is shown, and stopped, where all builds are. How it has ended stays.
        page.click("#open-practice").await;
        page.click("#practice-start-build").await;
        page.says("#practice-build", "Building tables of 9x5 to").await;
        page.says("#build", "Building tables of 9x5 to").await;
        page.click("#stop-build").await;
        page.says("#build", "The build was stopped. What is finished is kept").await;
        page.says("#practice-build", "The build was stopped. What is finished is kept").await;
    });
}

pub fn draws_are_held_and_only_moves_are_found() {
    visit(Some((390, 844)), async |page| {
        practise(page).await;
        let fits = "document.documentElement.scrollWidth <= 390 && \
            document.querySelector('.frame').getBoundingClientRect().bottom <= window.innerHeight";
        assert_eq!(page.value(fits).await, json!(true));
        page.choose("#practice-kind", "only").await;
        page.says("#practice-task", "Find it.").await;
        solve(page).await;
        page.says("#practice-verdict", "Solved at the first try!").await;
        assert_eq!(solved(page, 2).await, json!(["Find the only move", "1 (1)", "–", "–"]));

        page.choose("#practice-kind", "draw").await;
        page.says("#practice-task", "Hold the draw for 8 moves").await;
        let [_, worst] = best_and_worst(page).await;
        click_steps(page, &worst).await;
        page.says("#practice-verdict", "That gives the draw away").await;
        page.click("#practice-better").await;
        page.says("#practice-verdict", "Best move").await;
        page.until("the arrow", "document.querySelector('.trail.best') !== null").await;
        solve(page).await;
        page.says("#practice-verdict", "Solved.").await;
        assert_eq!(solved(page, 1).await, json!(["Hold the draw", "1 (0)", "–", "–"]));

        // Three against five has its own tasks.
        page.choose("#practice-kind", "win").await;
        page.says("#practice-task", "Win.").await;
        page.click(".switch:has(#practice-five)").await;
        page.says("#practice-choice", "Telo noho dimy").await;
        page.until("eight stones", "document.querySelectorAll('#board .stone').length === 8").await;
        page.reload().await;
        page.until("eight stones", "document.querySelectorAll('#board .stone').length === 8").await;
        page.until("the switch", "document.getElementById('practice-five')?.checked").await;
    });
}
