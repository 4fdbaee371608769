//! What a person sets: colours, sounds and the language.

use std::collections::BTreeSet;

use serde_json::json;

use super::visit::{Page, visit};

pub fn colours_change_at_once_and_stay() {
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

pub fn sounds_are_off_until_they_are_switched_on() {
    visit(None, async |page| {
        page.open("").await;
        let count = "(() => {
            window.sounds = 0;
            const real = AudioContext.prototype.createOscillator;
            AudioContext.prototype.createOscillator = function () { window.sounds += 1; return real.apply(this); };
            return true;
        })()";
        page.value(count).await;
        page.point("f2").await;
        page.point("e3").await;
        page.played(&["f2-e3A"]).await;
        assert_eq!(page.value("window.sounds").await, json!(0));
        page.click("#open-settings").await;
        page.click(".switch:has(#sounds)").await;
        page.until("a sample", "window.sounds === 1").await;
        page.click("#appearance [data-close]").await;
        page.point("f3").await;
        page.point("f2").await;
        page.until("a step and a capture", "window.sounds >= 3").await;
    });
}

/// Every text of the page that has words.
const TEXTS: &str = r"(() => {
    const found = new Set();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) found.add(texts.currentNode.data.trim().replaceAll(/\s+/g, ' '));
    for (const name of ['aria-label', 'title', 'placeholder']) {
        for (const node of document.querySelectorAll(`[${name}]`)) found.add(node.getAttribute(name));
    }
    return [...found].filter((text) => /\p{L}{3}/u.test(text));
})()";

/// Goes through the page, and collects its texts.
async fn texts(page: &Page) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut collect = async || {
        page.settled().await;
        let texts: Vec<String> = serde_json::from_value(page.value(TEXTS).await).expect("texts");
        found.extend(texts);
    };
    page.open("#position=BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW_w").await;
    page.says("#rules-line", "9x5").await;
    collect().await;
    for point in ["d3", "e3", "c3"] {
        page.point(point).await;
        collect().await;
    }
    page.until("a move", "document.querySelectorAll('#history .notation').length === 1").await;
    page.point("a1").await;
    page.until("a notice", "document.getElementById('notice').innerText !== ''").await;
    collect().await;
    for dialog in ["new-game", "exchange", "settings", "help"] {
        page.click(&format!("#open-{dialog}")).await;
        collect().await;
        page.click("dialog[open] [data-close]").await;
    }
    page.click("#open-editor").await;
    collect().await;
    page.click("#edit-cancel").await;
    for fragment in
        ["#position=1B1/1W1/1W1_w", "#position=3/1B1/W1W_w", "#position=1B1/1W1/1W1_w&moves=b1x&sacrifice=true"]
    {
        page.open(fragment).await;
        collect().await;
    }
    page.click("#resign").await;
    collect().await;
    page.click("#question .primary").await;
    page.until("the end", "!document.getElementById('after').hidden").await;
    collect().await;
    found
}

pub fn the_page_speaks_french() {
    visit(None, async |page| {
        page.open("").await;
        let english = texts(page).await;
        page.click("#open-settings").await;
        page.click(".swatch:has(#language-fr)").await;
        page.until("another language", "document.documentElement.lang === 'fr'").await;
        page.until("the board is there", "document.querySelectorAll('#board .stone').length > 0").await;
        page.says("#open-new-game", "Nouvelle partie").await;
        let french = texts(page).await;
        // What is the same in both languages, or is no language.
        let same: BTreeSet<&str> = [
            "Fanorona",
            "English",
            "Français",
            "Pause",
            "Tables",
            "Position",
            "Vela",
            "paika",
            "8 – expert",
            "3x3, sacrifices",
            "Home",
            "End",
            "Esc",
            "Tab",
            "Enter",
            "Space",
        ]
        .into();
        let left: Vec<&String> = english
            .intersection(&french)
            .filter(|text| !same.contains(text.as_str()) && !text.contains("JavaScript"))
            .collect();
        assert!(left.is_empty(), "not translated: {left:#?}");
        assert!(french.len() > 200, "{}", french.len());
        // What the server says is translated too.
        for (text, said) in [("a1-a2", "a1-a2 n'est pas permis : a2 est occupé"), ("hello", "n'est pas un coup")] {
            page.open("#position=BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW_w").await;
            page.says("#rules-line", "9x5").await;
            page.type_move(text).await;
            page.says("#notice", said).await;
        }
        page.value("location.hash = 'position=1B1/1W1/1W1_w&moves=b1-'").await;
        page.says("#notice", "Le lien est abîmé ou incomplet : coup 1 de la partie : \"b1-\" n'est pas un coup").await;
        page.click("#open-exchange").await;
        for (record, said) in [
            ("[Board \"3x3\"] 1. c2-b2A", "la partie écrite finit sans score"),
            ("[Board \"3x3\"] (1. c2-b2A) *", "une variante suit le coup qu'elle remplace"),
        ] {
            page.write("#share-record", record).await;
            page.click("#use-record").await;
            page.says("#notice", &format!("Ligne 1 de la partie écrite : {said}")).await;
        }
        page.click("#exchange [data-close]").await;
        // And back.
        page.click("#open-settings").await;
        page.click(".swatch:has(#language-en)").await;
        page.says("#open-new-game", "New game").await;
    });
}
