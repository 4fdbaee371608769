//! How a person moves: by clicks, by dragging and by typing; what cannot be played is refused with its reason.

use serde_json::json;

use super::CHAIN;
use super::visit::visit;

pub fn a_chain_is_clicked_together_and_taken_back() {
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

pub fn approach_or_withdrawal_is_chosen_by_the_victim() {
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

pub fn clicks_that_are_refused_say_why() {
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
        page.type_move("a1-a2").await;
        page.says("#notice", "a1-a2").await;
        page.played(&[]).await;
        page.type_move("f2e3A").await;
        page.played(&["f2-e3A"]).await;
    });
}

pub fn a_stone_is_sacrificed() {
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
        // It does not come back in a game that begins here.
        page.click("#open-editor").await;
        let position = page.value("document.getElementById('edit-position').value").await;
        assert_eq!(position, json!("9/2B3BWB/9/1W1BB1B2/9 b"));
    });
}

pub fn a_server_that_is_gone_is_reported() {
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
