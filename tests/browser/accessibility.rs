//! What lets everybody use the page: the keyboard, small screens, names for screen readers, and contrast.

use serde_json::json;

use super::visit::{POOR_CONTRASTS, visit};
use super::{ARROW_DOWN, ARROW_LEFT, ARROW_RIGHT, CHAIN, ENTER, ESCAPE, TAB};

pub fn the_board_is_played_by_keyboard() {
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
        // A button that is disabled or replaced by its click hands the focus on.
        page.type_move("b2-c2A").await;
        page.played(&["b2-c2A"]).await;
        page.value("document.querySelector('#undo').focus()").await;
        page.keys(ENTER).await;
        page.until("the focus is on the other button", "document.activeElement.id === 'redo'").await;
        page.value("document.querySelector('#history button').focus()").await;
        page.keys(ENTER).await;
        page.until("the focus is on the move", "document.activeElement.ariaCurrent === 'step'").await;
    });
}

pub fn a_phone_shows_all_of_it() {
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

pub fn everything_has_a_name_and_enough_contrast() {
    visit(None, async |page| {
        page.open("#position=1B1/1W1/1W1_w").await;
        page.says("#verdict", "White to move draws").await;
        let nameless = "[...document.querySelectorAll('button, input, select, textarea, [role=button]')].filter(it => !(it.ariaLabel || it.innerText || it.labels?.length || it.textContent.trim())).map(it => it.outerHTML)";
        assert_eq!(page.value(nameless).await, json!([]));
        let poor = page.value(POOR_CONTRASTS).await;
        assert_eq!(poor, json!([]));
    });
}
