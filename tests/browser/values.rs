//! Values of positions: from tables, searches and certificates, and what builds and proves those that are missing.

use serde_json::json;

use super::ESCAPE;
use super::visit::{POOR_CONTRASTS, visit, visit_tables};

pub fn a_link_opens_a_position_with_its_values() {
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

pub fn starts_are_answered_by_a_search() {
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

pub fn the_start_is_proved() {
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

pub fn a_proof_is_offered_without_tables() {
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

pub fn tables_are_offered_built_and_used() {
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

pub fn what_is_proved_and_bounds_are_shown() {
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
        // Black sees the same bounds from the other side, after the same words.
        show("white does not lose", "1B1/1W1/1W1_b", "White does not lose, proved").await;
        page.says("#status", "Black to move").await;
        page.settled().await;
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
