//! The page in a headless browser: playing, setting up, sharing, looking up; ignored where there is no browser.

mod accessibility;
mod computer;
mod exchange;
#[macro_use]
#[path = "../support/harness.rs"]
mod harness;
mod lessons;
mod live;
mod moves;
mod playing;
mod practice;
mod review;
mod settings;
mod tables;
mod values;
#[path = "../support/visit/mod.rs"]
mod visit;

use std::path::Path;
use std::process::ExitCode;

use accessibility::{
    a_phone_shows_all_of_it, everything_has_a_name_and_enough_contrast, the_board_is_played_by_keyboard,
};
use computer::{
    a_draw_is_offered_from_a_position_that_was_linked_to, a_game_in_two_windows_is_counted_once_and_not_lost,
    a_game_is_paused_while_a_move_is_on_its_way, a_search_is_watched_and_stopped,
    the_computer_answers_and_the_game_survives_a_reload, two_computers_play_until_they_are_stopped,
};
use exchange::{a_position_is_set_up, records_come_in_and_go_out};
use lessons::{lessons_are_offered_and_never_forced, the_rules_are_learned_in_ten_steps};
use live::{a_live_game_that_is_lost_is_reported, two_people_play_by_links};
use moves::{
    a_chain_is_clicked_together_and_taken_back, a_server_that_is_gone_is_reported, a_stone_is_sacrificed,
    approach_or_withdrawal_is_chosen_by_the_victim, clicks_that_are_refused_say_why,
};
use playing::{
    a_choice_is_not_pushed_aside_by_the_end_of_the_turn, a_link_carries_the_whole_game,
    a_phone_held_sideways_has_its_buttons_in_view, an_analysis_shows_lines_and_who_is_better,
    another_move_keeps_the_line_that_it_leaves, exceeding_the_time_limit_loses, games_that_circle_are_drawn,
    links_leave_ones_own_game_alone, steps_are_taken_back_one_by_one, the_best_move_is_shown_and_not_played,
    the_board_is_turned_for_black, the_last_move_is_seen_to_move, the_list_of_moves_follows_the_game,
    the_list_of_moves_keeps_its_place,
};
use practice::{a_task_is_solved_after_a_wrong_move, draws_are_held_and_only_moves_are_found};
use review::a_game_is_reviewed;
use settings::{colours_change_at_once_and_stay, sounds_are_off_until_they_are_switched_on, the_page_speaks_french};
use tables::tables_are_looked_at_and_their_longest_win_is_opened;
use values::{
    a_link_opens_a_position_with_its_values, a_proof_is_offered_without_tables, starts_are_answered_by_a_search,
    tables_are_offered_built_and_used, the_start_is_proved, what_is_proved_and_bounds_are_shown,
};
use visit::{SMALL, visit_tables};

/// Keys as `WebDriver` writes them.
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const ARROW_LEFT: &str = "\u{e012}";
const ARROW_RIGHT: &str = "\u{e014}";
const ARROW_DOWN: &str = "\u{e015}";

/// The example of the ICGA page: White b2, f4, h4 and Black c4, d2, e2, g2, g4, i4.
const CHAIN: &str = "#position=9/2B2WBWB/9/1W1BB1B2/9_w";

fn main() -> ExitCode {
    // No test: it writes the pictures of the documentation.
    let code = if std::env::args().any(|argument| argument == "pictures") {
        pictures();
        ExitCode::SUCCESS
    } else {
        run()
    };
    visit::browser::close_idle();
    code
}

fn run() -> ExitCode {
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
            a_game_in_two_windows_is_counted_once_and_not_lost,
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
