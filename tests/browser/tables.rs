//! What a researcher looks at: tables, longest wins and proofs.

use serde_json::json;

use super::visit::{POOR_CONTRASTS, visit};

pub fn tables_are_looked_at_and_their_longest_win_is_opened() {
    visit(None, async |page| {
        page.open("").await;
        page.click("header a[href*='/tables']").await;
        page.says("#boards", "3x3").await;
        page.says("#boards", "values to 8 stones, depths to 8 stones").await;
        page.says("#slices", "Longest win").await;
        // The counts of 1v1 are those of the rules.
        let first = "[...document.querySelector('#slices tbody tr').cells].map(cell => cell.innerText)";
        let cells = page.value(first).await;
        assert_eq!((&cells[0], &cells[1], &cells[3]), (&json!("1v1"), &json!("72"), &json!("88.89%")), "{cells}");
        let rows = page.value("document.querySelectorAll('#slices tbody tr').length").await;
        assert_eq!(rows, json!(28));
        assert_eq!(page.value("document.querySelectorAll('#plies rect').length > 5").await, json!(true));
        assert_eq!(page.value(POOR_CONTRASTS).await, json!([]));
        // A proof does not exist yet, so nothing is said of any.
        assert_eq!(page.value("document.getElementById('proofs').closest('section').hidden").await, json!(true));
        // A zugzwang opens with either side to move, and is as bad as it says for both.
        page.says("#zugzwangs-count", "are zugzwangs").await;
        page.click("#zugzwangs li li:nth-child(2) a").await;
        page.says("#verdict", "Black to move loses").await;
        page.back().await;
        page.says("#longest", "a win in").await;
        let longest = page.value("document.querySelector('#longest a').innerText").await;
        let plies = longest.as_str().and_then(|text| text.rsplit(' ').nth(1)).expect("plies").to_owned();
        page.click("#longest a").await;
        page.says("#verdict", &format!("wins in {plies} plies")).await;
    });
}
