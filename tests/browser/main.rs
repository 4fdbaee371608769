//! The page in a headless browser: playing, setting up, sharing, looking up; ignored where there is no browser.

#[macro_use]
#[path = "../support/harness.rs"]
mod harness;
mod lessons;
mod live;
mod playing;
mod practice;
mod settings;
mod tables;
#[path = "../support/visit/mod.rs"]
mod visit;

use std::path::Path;
use std::process::ExitCode;

use lessons::{lessons_are_offered_and_never_forced, the_rules_are_learned_in_ten_steps};
use live::{a_live_game_that_is_lost_is_reported, two_people_play_by_links};
use playing::{
    a_choice_is_not_pushed_aside_by_the_end_of_the_turn, a_link_carries_the_whole_game,
    a_phone_held_sideways_has_its_buttons_in_view, an_analysis_shows_lines_and_who_is_better,
    another_move_keeps_the_line_that_it_leaves, games_that_circle_are_drawn, links_leave_ones_own_game_alone,
    steps_are_taken_back_one_by_one, the_best_move_is_shown_and_not_played, the_board_is_turned_for_black,
    the_last_move_is_seen_to_move, the_list_of_moves_follows_the_game, the_list_of_moves_keeps_its_place,
};
use practice::{a_task_is_solved_after_a_wrong_move, draws_are_held_and_only_moves_are_found};
use serde_json::json;
use settings::{sounds_are_off_until_they_are_switched_on, the_page_speaks_french};
use tables::tables_are_looked_at_and_their_longest_win_is_opened;
use visit::{POOR_CONTRASTS, Page, SMALL, visit, visit_tables};

/// Keys as `WebDriver` writes them.
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const ARROW_LEFT: &str = "\u{e012}";
const ARROW_RIGHT: &str = "\u{e014}";
const ARROW_DOWN: &str = "\u{e015}";

/// The example of the ICGA page: White b2, f4, h4 and Black c4, d2, e2, g2, g4, i4.
const CHAIN: &str = "#position=9/2B2WBWB/9/1W1BB1B2/9_w";

/// A game on 3x3 in which both sides go wrong.
const REVIEWED: &str = "3x3 1. c2b2+ c3c2+ 2. b2c1- b3b2+ 3. a1a2 c2c3- 4. a2a3 b2c1-";

fn main() -> ExitCode {
    // No test: it writes the pictures of the documentation.
    if std::env::args().any(|argument| argument == "pictures") {
        pictures();
        return ExitCode::SUCCESS;
    }
    harness::run(
        visit::missing(),
        "FANORONA_BROWSER_TESTS",
        tests![
            a_chain_is_clicked_together_and_taken_back,
            approach_or_withdrawal_is_chosen_by_the_victim,
            clicks_that_are_refused_say_why,
            a_position_is_set_up,
            a_link_opens_a_position_with_its_values,
            starts_are_answered_by_a_search,
            the_start_is_proved,
            a_proof_is_offered_without_tables,
            tables_are_offered_built_and_used,
            what_is_proved_and_bounds_are_shown,
            colours_change_at_once_and_stay,
            the_computer_answers_and_the_game_survives_a_reload,
            a_draw_is_offered_from_a_position_that_was_linked_to,
            two_computers_play_until_they_are_stopped,
            a_search_is_watched_and_stopped,
            a_game_is_paused_while_a_move_is_on_its_way,
            exceeding_the_time_limit_loses,
            a_stone_is_sacrificed,
            the_board_is_played_by_keyboard,
            records_come_in_and_go_out,
            a_game_is_reviewed,
            a_server_that_is_gone_is_reported,
            a_phone_shows_all_of_it,
            everything_has_a_name_and_enough_contrast,
            the_last_move_is_seen_to_move,
            the_list_of_moves_follows_the_game,
            steps_are_taken_back_one_by_one,
            a_choice_is_not_pushed_aside_by_the_end_of_the_turn,
            links_leave_ones_own_game_alone,
            the_board_is_turned_for_black,
            the_best_move_is_shown_and_not_played,
            the_list_of_moves_keeps_its_place,
            a_phone_held_sideways_has_its_buttons_in_view,
            games_that_circle_are_drawn,
            another_move_keeps_the_line_that_it_leaves,
            a_link_carries_the_whole_game,
            an_analysis_shows_lines_and_who_is_better,
            sounds_are_off_until_they_are_switched_on,
            the_rules_are_learned_in_ten_steps,
            lessons_are_offered_and_never_forced,
            a_task_is_solved_after_a_wrong_move,
            draws_are_held_and_only_moves_are_found,
            two_people_play_by_links,
            a_live_game_that_is_lost_is_reported,
            the_page_speaks_french,
            tables_are_looked_at_and_their_longest_win_is_opened,
        ],
    )
}

fn a_chain_is_clicked_together_and_taken_back() {
    visit(None, async |page| {
        page.open(CHAIN).await;
        assert_eq!(page.label("b2").await, "b2, white stone, can move");
        assert_eq!(page.label("d2").await, "d2, black stone");
        page.point("b2").await;
        page.says("#status", "A capture is compulsory").await;
        assert!(page.label("c2").await.contains("approach captures d2 and e2"), "{}", page.label("c2").await);

        page.point("b1").await;
        page.says("#notice", "A capture is possible, so this paika is not allowed").await;

        page.point("c2").await;
        page.says("#status", "The chain can go on").await;
        assert!(page.label("b2").await.contains("visited in this turn"));
        assert_eq!(page.label("d2").await, "d2, empty");
        assert_eq!(page.label("e2").await, "e2, empty");
        assert_eq!(page.label("g2").await, "g2, black stone");
        page.point("c3").await;
        // Nothing can follow: the turn is over by itself.
        page.played(&["b2-c2A-c3A"]).await;
        page.says("#status", "Black to move").await;
        assert_eq!(page.label("c4").await, "c4, empty");

        page.click("#undo").await;
        page.says("#status", "White to move").await;
        assert!(page.label("d2").await.starts_with("d2, black stone"));
        page.click("#redo").await;
        page.says("#status", "Black to move").await;

        page.click("#to-start").await;
        page.says("#status", "White to move").await;
        page.drag("b2", "c2").await;
        page.says("#status", "The chain can go on").await;
        page.click("#undo-step").await;
        page.says("#status", "A capture is compulsory").await;
        page.drag("b2", "c2").await;
        page.click("#end-turn").await;
        page.played(&["b2-c2A"]).await;
        assert!(page.label("c4").await.starts_with("c4, black stone"));

        page.open(&format!("{CHAIN}&continuation=obligatory")).await;
        page.says("#rules-line", "chains must go on").await;
        page.point("b2").await;
        page.point("c2").await;
        page.says("#status", "The chain must go on").await;
        assert_eq!(page.value("document.getElementById('end-turn')").await, json!(null));
        page.point("c3").await;
        page.played(&["b2-c2A-c3A"]).await;

        // To the right, up, and to the right again.
        let zigzag = "#position=9/2B2WBWB/4B4/1W1BB1B2/9_w&directions";
        page.open(&format!("{zigzag}=once")).await;
        page.says("#rules-line", "no direction twice in a turn").await;
        page.point("b2").await;
        page.point("c2").await;
        page.point("c3").await;
        page.played(&["b2-c2A-c3A"]).await;
        page.open(&format!("{zigzag}=not-repeated")).await;
        page.point("b2").await;
        page.point("c2").await;
        page.point("c3").await;
        page.point("d3").await;
        page.played(&["b2-c2A-c3A-d3A"]).await;
    });
}

fn approach_or_withdrawal_is_chosen_by_the_victim() {
    visit(None, async |page| {
        page.open("").await;
        page.point("d3").await;
        page.point("e3").await;
        page.says("#status", "Approach or withdrawal?").await;
        assert!(page.label("c3").await.contains("choose capture by withdrawal"));
        assert!(page.label("f3").await.contains("choose capture by approach"));
        page.point("c3").await;
        page.played(&["d3-e3W"]).await;
        assert_eq!(page.label("c3").await, "c3, empty");
        assert!(page.label("f3").await.starts_with("f3, black stone"));

        page.click("#undo").await;
        page.says("#status", "White to move").await;
        page.point("d3").await;
        page.point("e3").await;
        page.click(".choice.approach").await;
        page.played(&["d3-e3A"]).await;
        assert_eq!(page.label("f3").await, "f3, empty");
    });
}

fn clicks_that_are_refused_say_why() {
    visit(None, async |page| {
        page.open("").await;
        for (point, why) in [
            ("a1", "A capture is possible, and the stone on a1 cannot make one"),
            ("a5", "The stone on a5 is Black's"),
            ("e3", "e3 is empty"),
        ] {
            page.point(point).await;
            page.says("#notice", why).await;
        }
        page.write("#typed", "a1-a2").await;
        page.click("#type-move button").await;
        page.says("#notice", "a1-a2").await;
        page.played(&[]).await;
        page.write("#typed", "f2e3A").await;
        page.click("#type-move button").await;
        page.played(&["f2-e3A"]).await;
    });
}

fn a_position_is_set_up() {
    visit(None, async |page| {
        page.open("").await;
        page.click("#open-editor").await;
        page.choose("#edit-columns", "3").await;
        page.until("the board is narrow", "document.querySelectorAll('[data-point]').length === 15").await;
        page.choose("#edit-rows", "3").await;
        page.until("the board is small", "document.querySelectorAll('[data-point]').length === 9").await;
        page.says("#edit-columns", "3").await;
        page.click("#edit-clear").await;
        page.point("b1").await;
        page.point("b2").await;
        page.point("a1").await;
        page.point("a1").await; // and away again
        page.click(".pill:has(#brush-black)").await;
        page.point("b3").await;
        let position = page.value("document.getElementById('edit-position').value").await;
        assert_eq!(position, json!("1B1/1W1/1W1 w"));
        page.click("#edit-use").await;
        page.says("#rules-line", "3x3").await;
        page.settled().await;
        assert_eq!(page.label("b3").await, "b3, black stone");
        page.says("#verdict", "White to move draws").await;
        page.click("#open-exchange").await;
        let link = page.value("document.getElementById('share-link').value").await;
        assert!(link.as_str().is_some_and(|link| link.ends_with("/#position=1B1/1W1/1W1_w")), "{link}");

        page.click("#exchange [data-close]").await;
        page.click("#open-editor").await;
        page.write("#edit-position", "4/4/4 w").await;
        page.keys(ENTER).await;
        page.says("#notice", "4x3").await;
        // What is wrong stays where it is, to be corrected.
        let kept = |text: &str| {
            let field = "document.getElementById('edit-position')";
            format!("{field}.value === '{text}' && {field}.ariaInvalid === 'true'")
        };
        page.until("the text is kept", &kept("4/4/4 w")).await;
        page.write("#edit-position", "nonsense").await;
        page.click("#edit-use").await;
        page.says("#notice", "is not a valid position").await;
        page.until("the editor is still there", &kept("nonsense")).await;
        assert_eq!(page.value("document.body.className.includes('editing')").await, json!(true));
        page.click("#edit-cancel").await;
        assert!(page.label("b1").await.starts_with("b1, white stone, can move"));
    });
}

fn a_link_opens_a_position_with_its_values() {
    visit(None, async |page| {
        // The example of the ICGA page, with the replies that it gives.
        page.open("#position=1B1/1W1/1W1_w").await;
        page.says("#verdict", "White to move draws").await;
        page.says("#verdict", "From the tables").await;
        let moves = "[...document.querySelectorAll('.move')].map(move => [move.querySelector('.notation').innerText, move.querySelector('.badge').ariaLabel])";
        let moves: Vec<(String, String)> = serde_json::from_value(page.value(moves).await).expect("moves and values");
        let (drawn, lost) = (["b1-a1", "b1-c1"], ["b2-a1", "b2-a2", "b2-a3", "b2-c1", "b2-c2", "b2-c3"]);
        let expected = drawn.map(|text| (text, "draw")).into_iter().chain(lost.map(|text| (text, "loss")));
        let expected: Vec<(String, String)> =
            expected.map(|(text, value)| (text.to_owned(), value.to_owned())).collect();
        assert_eq!(moves, expected);
        page.point("b2").await;
        page.until("the mark", "document.querySelector('.mark.target .value.loss') !== null").await;
        assert!(page.label("a1").await.ends_with("move here: loss"), "{}", page.label("a1").await);
        page.keys(ESCAPE).await;

        page.click(".switch:has(#show-values)").await;
        page.says("#verdict", "Values are hidden").await;
        assert_eq!(page.value("document.querySelectorAll('.play .value, .panels .badge').length").await, json!(0));
        page.click(".switch:has(#show-values)").await;
        page.says("#verdict", "White to move draws").await;

        for nonsense in ["#position=nonsense", "?position=1B1/1W1/1W9_w"] {
            page.open(nonsense).await;
            page.says("#notice", "is not a valid position").await;
        }
        for nonsense in ["&vela=red", "&moveLimit=5"] {
            page.open(&format!("#position=1B1/1W1/1W1_w{nonsense}")).await;
            page.says("#notice", if nonsense.contains("red") { "red" } else { "moveLimit" }).await;
        }
        page.says("#verdict", "White to move draws").await;

        // With depths there is a line to the end.
        page.open("#position=3/1B1/W1W_w").await;
        page.says("#verdict", "White to move").await;
        page.click("#best-line").await;
        page.until(
            "the line",
            "document.querySelectorAll('#line button').length > 0 && document.querySelector('.trail.best') !== null",
        )
        .await;

        page.open("#position=1B1/1W1/1W1_w&sacrifice=true").await;
        page.says("#verdict", "Values are hidden: tables do not cover sacrifices").await;
        assert_eq!(page.value("document.querySelectorAll('.move').length").await, json!(0));

        // A block goes with the link.
        page.open("#position=1B1/1W1/1W1_w&moves=b1x&sacrifice=true").await;
        page.says("#status", "The stone on b1 is a block").await;
        page.click("#open-exchange").await;
        let link = page.value("document.getElementById('share-link').value").await;
        assert!(
            link.as_str().is_some_and(|link| link.ends_with("/#position=1B1/1W1/1W1_w&moves=b1x&sacrifice=true")),
            "{link}"
        );
    });
}

fn starts_are_answered_by_a_search() {
    visit_tables(["5x5", "6"], None, async |page| {
        page.open("#position=BBBBB/BBBBB/BW1BW/WWWWW/WWWWW_w").await;
        if page.value("document.getElementById('search').hidden").await == json!(false) {
            // On a slow machine the first search is too short.
            page.click("#search").await;
        }
        page.says("#verdict", "White to move draws").await;
        page.says("#verdict", "Proved by a search").await;
        if page.value("document.getElementById('search').ariaPressed").await == json!("true") {
            page.click("#search").await;
        }
        // The start of 9x5 takes longer. Then there is an opinion.
        page.open("#position=BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW_w").await;
        page.says("#verdict", "a short search did not find it").await;
        page.click("#search").await;
        page.says("#verdict", "Searching").await;
        page.says("#verdict", "The computer prefers").await;
    });
}

fn the_start_is_proved() {
    visit(None, async |page| {
        page.open("#position=BBBBB/BBBBB/BW1BW/WWWWW/WWWWW_w").await;
        page.says("#build", "The value of the start takes tables to 8 stones, about").await;
        page.click("#start-proof").await;
        page.says("#build", "Proving the value of the start of 5x5").await;
        page.says("#verdict", "Draw, proved").await;
        page.says("#verdict", "Proved by the certificate 5x5").await;
        page.says("#moves", "proved").await;
        page.until("nothing more is offered", "document.getElementById('build').hidden").await;
        // Elsewhere there is no start to prove.
        page.open("#position=BB3/5/5/5/2WWW_w").await;
        assert_eq!(page.value("document.getElementById('start-proof')").await, json!(null));
    });
}

/// Offers no tables, as a machine that has all within its reach.
const NO_TABLES: &str = "(() => {
    const real = window.fetch;
    window.fetch = async (path, options) => {
        const response = await real(path, options);
        if (!/^.api.[0-9]+x[0-9]+.build/.test(path)) return response;
        const body = { ...await response.json(), offers: [], recommended: null };
        return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    };
    return true;
})()";

fn a_proof_is_offered_without_tables() {
    visit(None, async |page| {
        page.open("#position=1B1/1W1/1W1_w").await;
        page.value(NO_TABLES).await;
        page.value("location.hash = 'position=BBBBB/BBBBB/BW1BW/WWWWW/WWWWW_w'").await;
        page.says("#build", "The value of the start takes").await;
        let shown = "['start-proof', 'start-build', 'build-stones'].map(id => document.getElementById(id) !== null)";
        assert_eq!(page.value(shown).await, json!([true, false, false]));
        page.value("location.hash = 'position=BB3/5/5/5/2WWW_w'").await;
        page.until("nothing is offered elsewhere", "document.getElementById('build').hidden").await;
    });
}

fn tables_are_offered_built_and_used() {
    visit(None, async |page| {
        page.open("#position=BB3/5/5/5/2WWW_w").await;
        page.says("#build", "Tables to 5 stones have the value of this position").await;
        let chosen = page.value("document.getElementById('build-stones').value").await;
        assert_eq!(chosen, json!("5"));
        page.click("#start-build").await;
        page.says("#verdict", "From the tables").await;
        page.until("nothing more is offered", "document.getElementById('build').hidden").await;
        let open = "[...document.querySelectorAll('.move .badge')].some(badge => badge.ariaLabel === 'unknown')";
        assert_eq!(page.value(open).await, json!(false));

        // A long build shows how far it is, also after a reload, and can be stopped.
        page.open("#position=BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW_w").await;
        page.says("#build", "44 stones, too many for tables here").await;
        let longest = page.value("[...document.getElementById('build-stones').options].at(-1).value").await;
        let longest = longest.as_str().expect("a number of stones");
        let building = format!("Building tables of 9x5 to {longest} stones");
        page.choose("#build-stones", longest).await;
        page.click("#start-build").await;
        page.says("#build", &building).await;
        page.says("#build", "left").await;
        page.reload().await;
        page.says("#build", &building).await;
        page.until("it goes on", "document.querySelector('#build progress')?.value > 0").await;
        page.click("#stop-build").await;
        page.says("#build", "The build was stopped. What is finished is kept").await;
    });
}

/// Answers look-ups as a database with a certificate would.
const PROVED: &str = "(() => {
    const real = window.fetch;
    const known = (value, source) => ({ value, source, dtw: null, proof: source === 'proof' ? '3x3' : null });
    window.fetch = async (path, options) => {
        const response = await real(path, options);
        if (!/^.api.(3x3[?]|search)/.test(path)) return response;
        const body = await response.json();
        const moves = ['white does not lose', 'black does not lose', 'draw', 'win', 'unknown'];
        body.moves.forEach((move, i) => Object.assign(move, known(moves[i] ?? 'loss', i === 4 ? null : 'proof')));
        Object.assign(body, known(window.value, 'proof'));
        return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    };
    return true;
})()";

fn what_is_proved_and_bounds_are_shown() {
    visit(None, async |page| {
        page.open("").await;
        page.value(PROVED).await;
        let show = async |value: &str, position: &str, words: &str| {
            page.value(&format!("window.value = {}", json!(value))).await;
            page.value(&format!("location.hash = 'position={position}'")).await;
            page.says("#verdict", words).await;
            page.says("#verdict", "Proved by the certificate 3x3.").await;
        };
        show("draw", "1B1/1W1/1W1_w", "Draw, proved").await;
        let badges = "[...document.querySelectorAll('.move .badge')].slice(0, 6).map(badge => badge.ariaLabel)";
        let seen = ["draw or better", "draw or worse", "draw", "win", "unknown", "loss"];
        assert_eq!(page.value(badges).await, json!(seen));
        let texts = "[...document.querySelectorAll('.move .badge text')].slice(0, 6).map(text => text.textContent)";
        assert_eq!(page.value(texts).await, json!(["D+", "D−", "D", "W", "?", "L"]));
        page.says("#moves", "proved").await;
        show("win", "1B1/1W1/W2_w", "White to move wins, proved").await;
        show("white does not lose", "1B1/1W1/2W_w", "White does not lose, proved").await;
        // Black sees the same bounds from the other side.
        show("white does not lose", "1B1/1W1/1W1_b", "White does not lose, proved").await;
        let badge = "document.querySelector('.headline .badge').ariaLabel";
        assert_eq!(page.value(badge).await, json!("draw or worse"));
        let badges = badges.replace("slice(0, 6)", "slice(0, 2)");
        page.until(
            "marks",
            &format!("JSON.stringify({badges}) === JSON.stringify(['draw or worse', 'draw or better'])"),
        )
        .await;
        let poor = page.value(POOR_CONTRASTS).await;
        assert_eq!(poor, json!([]));
    });
}

fn colours_change_at_once_and_stay() {
    visit(None, async |page| {
        page.open("").await;
        let fill = "getComputedStyle(document.querySelector('#board .stone.black .body')).fill";
        let before = page.value(fill).await;
        page.click("#open-settings").await;
        page.click(".swatch:has(#colours-distinct)").await;
        page.until("other stones", &format!("{fill} !== {before}")).await;
        let after = page.value(fill).await;
        page.click(".swatch:has(#theme-dark)").await;
        page.until("a dark page", "getComputedStyle(document.body).backgroundColor === 'rgb(21, 23, 26)'").await;
        page.reload().await;
        assert_eq!(page.value(fill).await, after);
        assert_eq!(page.value("getComputedStyle(document.body).backgroundColor").await, json!("rgb(21, 23, 26)"));
    });
}

fn the_computer_answers_and_the_game_survives_a_reload() {
    visit(None, async |page| {
        page.open("").await;
        page.click("#open-new-game").await;
        page.choose("[name=columns]", "5").await;
        page.choose("[name=black]", "computer").await;
        page.choose("[name=level_black]", "1").await;
        page.choose("[name=time]", "200").await;
        page.click("#start-game").await;
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
        page.write("#typed", "c2-c3A").await;
        page.click("#type-move button").await;
        page.until("a move and an answer", "document.querySelectorAll('#history .notation').length === 4 && document.querySelectorAll('#history .undone').length === 2").await;
        page.says("#status", "White to move").await;

        page.click("#resign").await;
        page.click("#question .primary").await;
        page.says("#status", "Black wins").await;
        let row = page.value("document.querySelector('#counters [data-kind=person]').textContent").await;
        assert_eq!(row, json!("You against the computer1 played0 wins1 losses0 draws0 abandoned"));
        page.click("#again-vela").await;
        page.says("#rules-line", "vela for Black").await;
        page.says("#verdict", "tables do not cover vela").await;
    });
}

fn a_search_is_watched_and_stopped() {
    visit_tables(SMALL, None, async |page| {
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
        page.until("the end of the search", "document.getElementById('thinking').hidden").await;
        page.until("one move", "document.querySelectorAll('#history .notation').length === 1").await;
    });
}

fn a_draw_is_offered_from_a_position_that_was_linked_to() {
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
    page.click("#open-new-game").await;
    page.choose("[name=columns]", "13").await;
    page.choose("[name=rows]", "13").await;
    for side in ["white", "black"] {
        page.choose(&format!("[name={side}]"), "computer").await;
        page.choose(&format!("[name=level_{side}]"), "1").await;
    }
    page.choose("[name=time]", "200").await;
    page.click("#start-game").await;
}

fn two_computers_play_until_they_are_stopped() {
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

fn a_game_is_paused_while_a_move_is_on_its_way() {
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

fn exceeding_the_time_limit_loses() {
    visit(None, async |page| {
        page.open("").await;
        page.click("#open-new-game").await;
        page.click("#rule-clocked").await;
        page.write("[name=milliseconds]", "400").await;
        page.choose("[name=black]", "person").await;
        page.click("#start-game").await;
        page.says("#status", "Black wins").await;
        page.says("#history", "0–1").await;
        page.click("#again").await;
        page.says("#clock-white", "0.").await;
    });
}

fn a_stone_is_sacrificed() {
    visit(None, async |page| {
        page.open("#position=9/2B2WBWB/9/1W1BB1B2/9_w&sacrifice=true").await;
        page.click("#sacrifice").await;
        page.says("#status", "Choose the stone to sacrifice").await;
        page.point("c4").await;
        page.says("#notice", "no stone on c4 that you can sacrifice").await;
        page.point("f4").await;
        page.played(&["f4x"]).await;
        assert!(
            page.label("f4").await.starts_with("f4, white stone, sacrificed, a block"),
            "{}",
            page.label("f4").await
        );
        page.says("#status", "The stone on f4 is a block").await;
    });
}

fn the_board_is_played_by_keyboard() {
    visit(None, async |page| {
        page.open(CHAIN).await;
        page.click("#learn-decline").await;
        page.value("document.querySelector('#open-help').focus()").await;
        page.keys(TAB).await;
        // The board is the next stop; its middle point has the focus first.
        page.until("the focus is on the board", "document.activeElement.dataset.point === 'e3'").await;
        for _ in 0..3 {
            page.keys(ARROW_LEFT).await;
        }
        page.keys(ARROW_DOWN).await;
        page.until("the focus follows", "document.activeElement.dataset.point === 'b2'").await;
        let ring = "getComputedStyle(document.activeElement.querySelector('.ring')).stroke !== 'none'";
        page.until("the focus is seen", ring).await;
        page.keys(ENTER).await;
        page.says("#status", "A capture is compulsory").await;
        assert!(page.label("b2").await.ends_with("selected"));
        page.keys(ARROW_RIGHT).await;
        page.until("victims are marked", "document.querySelectorAll('.mark.victim.sure').length === 2").await;
        page.keys(ENTER).await;
        page.says("#status", "The chain can go on").await;
        page.keys(ESCAPE).await;
        page.keys(ESCAPE).await;
        page.until("nothing is selected", "document.querySelector('.mark.selected') === null").await;
        page.keys("f").await;
        let x = |point| format!("document.querySelector('[data-point={point}] rect').getBoundingClientRect().x");
        page.until("the board is flipped", &format!("{} > {}", x("a1"), x("i5"))).await;
        page.until("the focus stays", "document.activeElement.dataset.point === 'c2'").await;
    });
}

fn a_game_is_reviewed() {
    visit(None, async |page| {
        page.open("").await;
        page.says("#status", "White to move").await;
        // A list of moves in the notation of Abstract Play.
        page.click("#open-exchange").await;
        page.write("#share-record", REVIEWED).await;
        page.click("#use-record").await;
        page.says("#rules-line", "3x3").await;
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
        page.click("#review-return").await;
        page.until(
            "the game is back",
            &format!("{moves} > {before} && document.getElementById('review-return').hidden"),
        )
        .await;
        // A click on the graph shows its move.
        page.value("document.querySelector('#review-graph .strip').dispatchEvent(new MouseEvent('click'))").await;
        page.until("the start is shown", "document.querySelector('.history [aria-current]') === null").await;
        page.click("#review-stop").await;
        page.until("the review is closed", "document.getElementById('review-panel').hidden").await;
    });
}

fn records_come_in_and_go_out() {
    visit(None, async |page| {
        page.open("").await;
        page.write("#typed", "d3-e3A").await;
        page.click("#type-move button").await;
        page.played(&["d3-e3A"]).await;
        page.click("#open-exchange").await;
        let record = page.value("document.getElementById('share-record').value").await;
        let record = record.as_str().expect("a record").to_owned();
        assert!(record.contains("[Board \"9x5\"]") && record.contains("1. d3-e3A"), "{record}");
        page.write("#share-record", "nonsense").await;
        page.click("#use-record").await;
        page.says("#notice", "Line 1 of the record").await;

        let file = tempfile::Builder::new().suffix(".pgn").tempfile().expect("a temporary file");
        std::fs::write(file.path(), record.replace("d3-e3A", "f2-e3A")).expect("a file");
        page.element("#record-file").await.send_keys(file.path().to_str().unwrap()).await.expect("a file is chosen");
        page.played(&["f2-e3A"]).await;
        assert_eq!(page.value("document.querySelector('dialog[open]')").await, json!(null));

        // Pasted anywhere.
        let paste = format!(
            "(() => {{ const data = new DataTransfer(); data.setData('text', {}); document.body.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true }})); return true; }})()",
            json!("1B1/1W1/1W1 w")
        );
        page.value(&paste).await;
        page.says("#rules-line", "3x3").await;
        page.open("#position=5/5/2W2/5/2B2_b").await;
        page.says("#rules-line", "5x5").await;
        page.says("#status", "Black to move").await;
    });
}

fn a_server_that_is_gone_is_reported() {
    visit(None, async |page| {
        page.open(CHAIN).await;
        page.stop_server();
        page.point("b2").await;
        page.point("c2").await;
        page.click("#end-turn").await;
        page.says("#notice", "The server does not respond").await;
        page.says("#status", "White to move").await;
        page.played(&[]).await;
    });
}

fn a_phone_shows_all_of_it() {
    visit(Some((360, 740)), async |page| {
        page.open("").await;
        let fits = "document.documentElement.scrollWidth <= 360";
        assert_eq!(page.value(fits).await, json!(true));
        // However long a build takes.
        page.says("#build", "Build").await;
        let long = "document.querySelector('#build-stones').options[0].textContent = 'x'.repeat(80)";
        page.value(long).await;
        assert_eq!(page.value(fits).await, json!(true));
        page.point("d3").await;
        page.point("e3").await;
        page.click(".choice.withdrawal").await;
        page.played(&["d3-e3W"]).await;
        page.click("#open-new-game").await;
        assert_eq!(
            page.value(
                "document.querySelector('#new-game').scrollWidth <= document.querySelector('#new-game').clientWidth"
            )
            .await,
            json!(true)
        );
        page.choose("[name=columns]", "13").await;
        page.choose("[name=rows]", "13").await;
        page.choose("[name=black]", "person").await;
        page.click("#start-game").await;
        page.says("#rules-line", "13x13").await;
        assert_eq!(page.value(fits).await, json!(true));
        // The least size of a target, by WCAG 2.2.
        let least = "Math.min(...[...document.querySelectorAll('.point rect')].map(point => point.getBoundingClientRect().width))";
        let least = page.value(least).await.as_f64().expect("a number");
        assert!(least >= 24.0, "points are {least} wide");
    });
}

fn everything_has_a_name_and_enough_contrast() {
    visit(None, async |page| {
        page.open("#position=1B1/1W1/1W1_w").await;
        page.says("#verdict", "White to move draws").await;
        let nameless = "[...document.querySelectorAll('button, input, select, textarea, [role=button]')].filter(it => !(it.ariaLabel || it.innerText || it.labels?.length || it.textContent.trim())).map(it => it.outerHTML)";
        assert_eq!(page.value(nameless).await, json!([]));
        let poor = page.value(POOR_CONTRASTS).await;
        assert_eq!(poor, json!([]));
    });
}

/// Makes the pictures of the documentation: `cargo test --release --test browser -- pictures`.
fn pictures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    visit_tables(["9x5", "5"], None, async |page| {
        page.open("#position=6B2/3W5/9/W5W2/2B6_w").await;
        page.click("#learn-decline").await;
        page.says("#verdict", "White to move wins in 11 plies").await;
        page.point("d4").await;
        page.until("values are marked", "document.querySelector('.mark.target .value.win') !== null").await;
        page.picture(&folder.join("page.png")).await;
    });
    visit_tables(SMALL, Some((390, 530)), async |page| {
        page.open(CHAIN).await;
        page.click("#learn-decline").await;
        page.click("#open-settings").await;
        page.click(".swatch:has(#theme-dark)").await;
        page.click("#appearance [data-close]").await;
        page.point("b2").await;
        page.point("c2").await;
        page.says("#status", "The chain can go on").await;
        page.until(
            "the stone has come",
            "document.getElementById('board').getAnimations({ subtree: true }).length === 0",
        )
        .await;
        page.value("scrollTo(0, 0)").await;
        page.picture(&folder.join("page-phone.png")).await;
    });
}
