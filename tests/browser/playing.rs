//! What a person does during games: takes steps back, follows long games, opens links, asks for help.

use serde_json::json;

use super::visit::{Page, visit};
use super::{ARROW_LEFT, CHAIN, ESCAPE};

/// A game with long chains, as a link.
const LONG_CHAINS: &str = "#position=BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW_w\
    &moves=e2-e3A,f4-e5W-e4A,d3-e3A-f4A-f3W-g3A,d4-e3A-f3A-f2A-g3W-h3A-h2A";

/// The opening of a game that circles; `n` times.
fn circles(n: usize) -> String {
    let moves = vec!["a1-a2,e5-e4,a2-a1,e4-e5"; n].join(",");
    format!("#position=4B/5/5/5/W4_w&repetition=false&moves={moves}")
}

/// Keeps all animations of stones in `window.moved`.
const KEEP_ANIMATIONS: &str = "(() => {
    window.moved = [];
    const real = Element.prototype.animate;
    Element.prototype.animate = function (...how) {
        const animation = real.apply(this, how);
        window.moved.push({ animation, stone: this });
        return animation;
    };
    return true;
})()";

pub fn the_last_move_is_seen_to_move() {
    visit(None, async |page| {
        page.open(CHAIN).await;
        page.value(KEEP_ANIMATIONS).await;
        page.type_move("b2-c2A-c3A").await;
        page.played(&["b2-c2A-c3A"]).await;
        let ended = "window.moved.length === 1 && window.moved[0].animation.playState === 'finished'";
        page.until("the stone has moved", ended).await;
        // It was not replaced by another on its way.
        assert_eq!(page.value("window.moved[0].stone.isConnected").await, json!(true));
    });
}

/// Whether the present move of the list is in view.
const IN_VIEW: &str = "(() => {
    const list = document.getElementById('history').getBoundingClientRect();
    const move = document.querySelector('#history [aria-current]').getBoundingClientRect();
    return move.top >= list.top && move.bottom <= list.bottom;
})()";

/// Whether parts of the list of moves overlap.
const OVERLAP: &str = "(() => {
    const boxes = [...document.querySelectorAll('#history .notation')].map(it => it.getBoundingClientRect());
    return boxes.some((a, i) => boxes.some((b, j) =>
        i < j && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
})()";

pub fn the_list_of_moves_follows_the_game() {
    visit(None, async |page| {
        page.open(&circles(20)).await;
        page.until("the last move is in view", IN_VIEW).await;
        for _ in 0..30 {
            page.keys(ARROW_LEFT).await;
        }
        page.until("earlier moves are current", "document.querySelectorAll('#history .undone').length === 30").await;
        page.until("the present move is in view", IN_VIEW).await;
        page.open(LONG_CHAINS).await;
        assert_eq!(page.moves().await.len(), 4);
        assert_eq!(page.value(OVERLAP).await, json!(false));
    });
}

pub fn steps_are_taken_back_one_by_one() {
    visit(None, async |page| {
        page.open(LONG_CHAINS).await;
        page.click("#undo").await;
        let three = ["e2-e3A", "f4-e5W-e4A", "d3-e3A-f4A-f3W-g3A"];
        page.says("#status", "Black to move").await;
        for point in ["d4", "e3", "f3"] {
            page.point(point).await;
        }
        let at = |point: &str| format!("document.querySelector('[data-point={point}]').ariaLabel.includes('selected')");
        page.until("two steps", &at("f3")).await;
        // A reload keeps them.
        page.reload().await;
        page.until("two steps again", &at("f3")).await;
        page.click("#undo").await;
        page.until("one step", &at("e3")).await;
        page.keys(ESCAPE).await;
        page.until("the stone is selected", &at("d4")).await;
        page.keys(ESCAPE).await;
        page.until("nothing is selected", "document.querySelector('.mark.selected') === null").await;
        // Only now it is a turn that is taken back.
        let undone = "document.querySelectorAll('#history .undone').length";
        assert_eq!(page.value(undone).await, json!(1));
        page.click("#undo").await;
        page.until("a turn is taken back", &format!("{undone} === 2")).await;
        assert_eq!(page.moves().await[..3], three);
    });
}

pub fn a_choice_is_not_pushed_aside_by_the_end_of_the_turn() {
    visit(None, async |page| {
        page.open("#position=2BBW/1B2B/2B2/1B3/5_w").await;
        page.point("e5").await;
        page.point("d4").await;
        page.until("the turn may end", "document.querySelector('#choices .primary')?.id === 'end-turn'").await;
        page.point("c4").await;
        page.until("a choice", "document.querySelectorAll('.choice').length === 2").await;
        assert_eq!(page.value("document.querySelector('#choices .primary')").await, json!(null));
        page.keys(ESCAPE).await;
        page.until("the turn may end", "document.querySelector('#choices .primary')?.id === 'end-turn'").await;
    });
}

/// Begins a game of two people, and makes a move.
async fn begin_own_game(page: &Page) {
    page.new_game(&[("white", "person"), ("black", "person")]).await;
    page.until("the dialog has closed", "document.querySelector('dialog[open]') === null").await;
    page.type_move("d3-e3A").await;
    page.played(&["d3-e3A"]).await;
}

pub fn links_leave_ones_own_game_alone() {
    visit(None, async |page| {
        page.open("").await;
        begin_own_game(page).await;
        for position in ["1B1/1W1/1W1_w", "1B1/1W1/2W_w"] {
            page.value(&format!("location.hash = 'position={position}'")).await;
            page.says("#rules-line", "3x3").await;
            page.says("#aside", "Your own game is saved").await;
            page.settled().await;
            page.click("#moves .move").await;
            page.until("a move", "document.querySelectorAll('#history .notation').length === 1").await;
            page.settled().await;
        }
        page.click("#return").await;
        page.played(&["d3-e3A"]).await;
        page.says("#rules-line", "9x5").await;
        page.until("nothing is put aside", "document.getElementById('aside').hidden").await;
        // Nor does a position that was set up.
        page.click("#open-editor").await;
        page.write("#edit-position", "1B1/1W1/1W1 w").await;
        page.click("#edit-use").await;
        page.says("#aside", "Your own game is saved").await;
        let abandoned = "document.querySelector('#counters [data-kind=people]').textContent.includes('0 abandoned')";
        assert_eq!(page.value(abandoned).await, json!(true));
        // A new game of one's own does.
        begin_own_game(page).await;
        page.until("nothing is put aside", "document.getElementById('aside').hidden").await;
        assert_eq!(page.value(abandoned).await, json!(false));
    });
}

pub fn the_board_is_turned_for_black() {
    visit(None, async |page| {
        page.open("").await;
        let below = "document.querySelector('[data-point=a5] rect').getBoundingClientRect().y > \
            document.querySelector('[data-point=a1] rect').getBoundingClientRect().y";
        for (white, black, turned) in [("computer", "person", true), ("person", "computer", false)] {
            page.new_game(&[("white", white), ("black", black), ("time", "200")]).await;
            page.until("the person is at the bottom", &format!("({below}) === {turned}")).await;
        }
    });
}

pub fn the_best_move_is_shown_and_not_played() {
    visit(None, async |page| {
        page.open("#position=1B1/1W1/1W1_w").await;
        page.click("#best-move").await;
        page.says("#notice", "Best move: b1-").await;
        page.until("an arrow", "document.querySelector('.trail.best') !== null").await;
        page.played(&[]).await;
        page.keys(" ").await;
        page.until("no arrow", "document.querySelector('.trail.best') === null").await;
        page.played(&[]).await;
    });
}

pub fn the_list_of_moves_keeps_its_place() {
    visit(None, async |page| {
        page.open("").await;
        let place = "(() => { const { top, bottom } = document.getElementById('history').getBoundingClientRect(); return [top, bottom]; })()";
        let before = page.value(place).await;
        for position in ["1B1/1W1/1W1_w", "BB3/5/5/5/2WWW_w", "3/3/W1B_w&sacrifice=true"] {
            page.value(&format!("location.hash = 'position={position}'")).await;
            page.until(
                "the position is there",
                &format!(
                    "document.querySelectorAll('[data-point]').length === {}",
                    if position.starts_with("BB") { 25 } else { 9 }
                ),
            )
            .await;
            assert_eq!(page.value(place).await, before);
            page.settled().await;
            assert_eq!(page.value(place).await, before);
        }
    });
}

pub fn a_phone_held_sideways_has_its_buttons_in_view() {
    visit(Some((844, 390)), async |page| {
        page.open("").await;
        let in_view = |selector: &str| {
            format!("document.querySelector('{selector}').getBoundingClientRect().bottom <= window.innerHeight")
        };
        for selector in ["#board", "#undo", "#best-move", "#status"] {
            assert_eq!(page.value(&in_view(selector)).await, json!(true), "{selector}");
        }
        page.point("d3").await;
        page.point("e3").await;
        page.until("a choice", "document.querySelectorAll('.choice').length === 2").await;
        for selector in ["#undo-step", ".choice.approach", ".choice.withdrawal", "#best-move"] {
            assert_eq!(page.value(&in_view(selector)).await, json!(true), "{selector}");
        }
        assert_eq!(page.value("document.documentElement.scrollWidth <= 844").await, json!(true));
        page.value("localStorage.setItem('fanorona.settings', JSON.stringify({ language: 'fr' }))").await;
        page.reload().await;
        page.says("#open-new-game", "Nouvelle partie").await;
        for selector in ["#board", "#bar", "#undo", "#best-move", "#status"] {
            assert_eq!(page.value(&in_view(selector)).await, json!(true), "{selector}");
        }
    });
    visit(Some((667, 375)), async |page| {
        for language in ["en", "fr"] {
            page.open("").await;
            page.value(&format!(
                "localStorage.setItem('fanorona.settings', JSON.stringify({{ language: '{language}' }}))"
            ))
            .await;
            page.reload().await;
            let fits = "document.documentElement.scrollWidth <= 667 && \
                document.querySelector('#bar').getBoundingClientRect().bottom <= window.innerHeight";
            assert_eq!(page.value(fits).await, json!(true), "{language}");
            let rows =
                "new Set([...document.querySelectorAll('nav > *')].map(it => it.getBoundingClientRect().top)).size";
            assert_eq!(page.value(rows).await, json!(1), "{language}");
        }
    });
}

pub fn games_that_circle_are_drawn() {
    visit(None, async |page| {
        page.open("#position=4B/5/5/5/W4_w").await;
        for text in ["a1-a2", "e5-e4", "a2-a1", "e4-e5"].into_iter().cycle().take(8) {
            page.type_move(text).await;
            page.until("the move is taken", "document.getElementById('typed').value === ''").await;
        }
        page.says("#status", "Draw").await;
        page.says("#history", "½–½").await;
    });
}

pub fn exceeding_the_time_limit_loses() {
    visit(None, async |page| {
        page.open("").await;
        page.click("#open-new-game").await;
        page.click("#rule-clocked").await;
        page.write("[name=seconds]", "0.4").await;
        page.choose("[name=black]", "person").await;
        page.click("#start-game").await;
        page.says("#status", "Black wins").await;
        page.says("#history", "0–1").await;
        page.click("#again").await;
        page.says("#clock-white", "0.").await;
    });
}

/// Types a move and waits until it is taken.
async fn make_move(page: &Page, text: &str) {
    page.type_move(text).await;
    page.until("the move is taken", "document.getElementById('typed').value === ''").await;
    page.settled().await;
}

pub fn another_move_keeps_the_line_that_it_leaves() {
    visit(None, async |page| {
        page.open("").await;
        for text in ["e2-e3A", "f4-e5W-e4A", "d3-e3A"] {
            make_move(page, text).await;
        }
        page.click("#undo").await;
        page.says("#status", "White to move").await;
        make_move(page, "d3-e3A-f4A").await;
        page.played(&["e2-e3A", "f4-e5W-e4A", "d3-e3A-f4A"]).await;
        page.says("#history", "(2. d3-e3A-f4A)").await;
        for _ in 0..2 {
            page.click("#undo").await;
            page.settled().await;
        }
        make_move(page, "f4-e5W").await;
        page.says("#history", "(1… f4-e5W)").await;
        // The record has the line that is shown, and the others as variations.
        page.click("#open-exchange").await;
        let record = "document.getElementById('share-record').value.replaceAll(/\\s+/g, ' ')";
        let variation = "'1. e2-e3A f4-e5W (1... f4-e5W-e4A 2. d3-e3A'";
        page.until("all lines", &format!("{record}.includes({variation})")).await;
        // It opens with all of them.
        page.click("#use-record").await;
        page.says("#history", "(1… f4-e5W-e4A").await;
        page.click("#open-exchange").await;
        page.until("the same lines", &format!("{record}.includes({variation})")).await;
        page.click("#exchange [data-close]").await;
        page.click("#return").await;
        page.until("the own game", "document.getElementById('aside').hidden").await;
        // A move that was played before goes on with its line, also after a reload.
        page.reload().await;
        page.click("#undo").await;
        page.says("#status", "Black to move").await;
        make_move(page, "f4e5We4A").await;
        page.click("#to-end").await;
        page.until("the first line", "document.querySelector('#history [aria-current]').innerText === 'd3-e3A'").await;
        assert_eq!(page.moves().await.len(), 5);
        // A click goes to a variation.
        page.click("#history .variation .notation").await;
        page.until("the variation", "document.querySelector('#history [aria-current]').innerText === 'f4-e5W'").await;
        page.says("#status", "White to move").await;
    });
}

pub fn a_link_carries_the_whole_game() {
    visit(None, async |page| {
        page.open(LONG_CHAINS).await;
        let moves = page.moves().await;
        page.click("#resign").await;
        page.click("#question .primary").await;
        page.says("#status", "has resigned").await;
        page.click("#open-exchange").await;
        page.click(".switch:has(#share-whole)").await;
        let link = "document.getElementById('share-link').value";
        page.until("a longer link", &format!("{link}.includes('&moves=e2-e3A,f4-e5W-e4A,')")).await;
        let link = page.value(link).await;
        let fragment = link.as_str().and_then(|link| link.find('#').map(|at| link[at..].to_owned())).expect("a link");
        page.click("#exchange [data-close]").await;
        page.click("#to-start").await;
        page.settled().await;
        page.open(&fragment).await;
        page.until("another page", "location.hash === ''").await;
        page.played(&moves.iter().map(String::as_str).collect::<Vec<_>>()).await;
        page.says("#status", "has resigned").await;
    });
}

pub fn an_analysis_shows_lines_and_who_is_better() {
    visit(None, async |page| {
        page.open("#position=BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW_w").await;
        page.until("nothing is known", "document.getElementById('bar').ariaLabel === 'Evaluation: unknown'").await;
        page.click("#search").await;
        page.until("three lines", "document.querySelectorAll('#line p').length === 3").await;
        page.says("#verdict", "The computer prefers").await;
        page.until("an evaluation", "document.getElementById('bar').ariaLabel !== 'Evaluation: unknown'").await;
        let firsts = "[...document.querySelectorAll('#line p')].map(line => line.querySelector('.notation').innerText)";
        let firsts: Vec<String> = serde_json::from_value(page.value(firsts).await).expect("moves");
        assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2], "{firsts:?}");
        // It goes on at the next position, and a click plays a line.
        page.click("#line p:nth-child(2) .notation").await;
        page.played(&[&firsts[1]]).await;
        let lines = "Math.min(3, document.querySelectorAll('#moves li').length)";
        let shown = format!("{lines} > 0 && document.querySelectorAll('#line p').length === {lines}");
        page.until("as many lines as there are moves, at most three", &shown).await;
        page.open("#position=1B1/1W1/1W1_w").await;
        page.until("a draw", "document.getElementById('bar').ariaLabel === 'Evaluation: even'").await;
        page.open("#position=3/1B1/W1W_w").await;
        page.until("a value", "document.getElementById('bar').ariaLabel.includes('better')").await;
    });
}
