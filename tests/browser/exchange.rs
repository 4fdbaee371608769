//! What comes in and goes out: positions that are set up, and records of games.

use serde_json::json;

use super::ENTER;
use super::visit::visit;

pub fn a_position_is_set_up() {
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
        // Keys are not for the game behind it, and a link closes it.
        page.click("#edit-cancel").await;
        assert!(page.label("b1").await.starts_with("b1, white stone, can move"));
        page.click("#open-editor").await;
        assert_eq!(page.value("document.getElementById('open-exchange').disabled").await, json!(true));
        page.value("location.hash = 'position=1B1/1W1/1W1_b'").await;
        page.says("#status", "Black to move").await;
        assert_eq!(page.value("document.body.className.includes('editing')").await, json!(false));
        // A link that would open another game than it says is refused.
        for (link, why) in [("position=1B1/1W1/1W1_w&repetition=yes", "repetition=yes"), ("positon=3", "no position")] {
            page.value(&format!("location.hash = '{link}'")).await;
            page.says("#notice", why).await;
            page.says("#notice", "Copy the whole link again").await;
        }
        page.value("location.hash = 'position=1B1/1W1/1W1_w&moves=b1-'").await;
        page.says("#notice", "The link is damaged or incomplete: move 1 of the game").await;
        page.value("location.hash = 'live=12'").await;
        page.says("#notice", "The link is damaged or incomplete: a key of a live game").await;
    });
}

pub fn records_come_in_and_go_out() {
    visit(None, async |page| {
        page.open("").await;
        page.type_move("d3-e3A").await;
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
        page.open("#position=4B/5/5/5/W4_w&repetition=false&vela=white").await;
        page.says("#rules-line", "no draw by repetition").await;
        page.value(&paste).await;
        page.says("#rules-line", "3x3, standard rules").await;
        // A list of moves may begin with a position.
        page.click("#open-exchange").await;
        page.write("#share-record", "5/5/2W2/5/3B1 w c3-b2").await;
        page.click("#use-record").await;
        page.played(&["c3-b2"]).await;
        // The clock of a game that is opened waits.
        page.click("#open-exchange").await;
        page.write("#share-record", "[Board \"3x3\"]\n[Rules \"move-time 1000\"]\n\n1. c2-b2A *").await;
        page.click("#use-record").await;
        page.played(&["c2-b2A"]).await;
        page.says("#pause", "Continue").await;
        tokio::time::sleep(std::time::Duration::from_millis(1_500)).await;
        page.says("#status", "Black to move").await;
        page.click("#pause").await;
        page.says("#status", "White wins: Black has exceeded the time").await;
        page.open("#position=5/5/2W2/5/2B2_b").await;
        page.says("#rules-line", "5x5").await;
        page.says("#status", "Black to move").await;
    });
}
