//! `fanorona report`: the page, the short text and the JSON agree with the tables, and what cannot be done is refused.

use std::collections::BTreeMap;
use std::fs;

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::Value;

use crate::program::{Place, keys};

/// Tables of 5x5 with depths to three stones and without to four, of 3x3 under two rule sets, and certificates of 3x3.
fn filled() -> Place {
    let place = Place::new();
    place.run("build 5x5 --stones 3 --metric both").done();
    place.run("build 5x5 --stones 4").done();
    place.run("build 3x3 --stones 4 --diagonals centre --stalemate draw").done();
    fs::create_dir_all(place.path().join("db/certificates")).expect("a folder");
    place.run("solve 3x3 --certificate db/certificates/3x3.proof").done();
    place.run("solve 3x3 --position BBB/3/WWW_b --certificate db/certificates/other.proof").done();
    for name in ["3x3", "other"] {
        let record = place.path().join(format!("db/certificates/{name}.proof.checked"));
        fs::remove_file(record).expect("a record");
    }
    fs::write(place.path().join("db/certificates/notes.txt"), "no certificate").expect("a file");
    place
}

fn parse(text: &str) -> Document<'_> {
    Document::parse_with_options(text, ParsingOptions { allow_dtd: true, ..ParsingOptions::default() }).expect("XML")
}

fn named<'a>(node: Node<'a, 'a>, name: &'a str, class: &'a str) -> Vec<Node<'a, 'a>> {
    let named = node.descendants().filter(|node| node.tag_name().name() == name);
    named.filter(|node| class.is_empty() || node.attribute("class") == Some(class)).collect()
}

fn text_of(node: Node<'_, '_>) -> String {
    node.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect()
}

/// The cells of the body of a table, row by row.
fn rows(section: Node<'_, '_>, class: &str) -> Vec<Vec<String>> {
    let mut tables = section.descendants().filter(|node| node.attribute("class") == Some(class));
    let body = tables.find(|node| node.has_tag_name("table")).map(|table| named(table, "tbody", "")[0]);
    let rows = body.map_or(Vec::new(), |body| named(body, "tr", ""));
    rows.into_iter().map(|row| named(row, "td", "").into_iter().map(text_of).collect()).collect()
}

fn section<'a>(document: &'a Document<'_>, id: &str) -> Node<'a, 'a> {
    document.descendants().find(|node| node.attribute("id") == Some(id)).expect("a section")
}

fn digits(text: &str) -> u64 {
    text.replace(' ', "").parse().expect("a number")
}

#[allow(clippy::cast_precision_loss)] // a share
fn percent(part: u64, all: u64) -> f64 {
    100.0 * part as f64 / all as f64
}

/// The number of links to positions. Each opens on the board, under the rules of its section; other links stay in the page, and
/// nothing runs.
fn links(document: &Document<'_>) -> usize {
    let mut positions = 0;
    for node in document.descendants().filter(Node::is_element) {
        for attribute in node.attributes() {
            assert!(!["src", "data", "style"].contains(&attribute.name()) && !attribute.name().starts_with("on"));
            if attribute.name() == "href" {
                if let Some(link) = attribute.value().strip_prefix("http://board.test/#position=") {
                    let (position, rules) = link.split_once('&').unwrap_or((link, ""));
                    assert_eq!(position.replace('_', " "), text_of(node));
                    let section = node.ancestors().find(|node| node.has_tag_name("section"));
                    let folder = section.and_then(|section| section.attribute("id")).unwrap_or_default();
                    assert_eq!(rules, if folder.contains("centre") { "diagonals=centre&stalemate=draw" } else { "" });
                    positions += 1;
                } else {
                    let target = attribute.value().strip_prefix('#').expect("a place in the page");
                    section(document, target);
                }
            }
        }
    }
    positions
}

#[test]
fn the_page_is_complete_and_agrees_with_stats() {
    let place = filled();
    let said = place.run("report --html page.html --server http://board.test/").done();
    assert!(said.starts_with("page.html: ") && said.lines().count() == 1, "{said}");
    let page = fs::read_to_string(place.path().join("page.html")).expect("a page");
    let document = parse(&page);

    // Nothing comes from elsewhere, and nothing runs.
    let outside = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    let outside = outside.replace("href=\"http://board.test/#position=", "").replace("at http://board.test/.", "");
    for word in ["http:", "https:", "//", "@import", "url(", "<script", "<link", "<img", "<iframe", "onload"] {
        assert!(!outside.contains(word), "{word}");
    }
    assert!(links(&document) > 0);
    for (folder, arguments, size) in
        [("5x5", "5x5", 5), ("3x3", "3x3", 3), ("3x3-centre-draw", "3x3 --diagonals centre --stalemate draw", 3)]
    {
        let stats = place.run(&format!("stats {arguments} --json")).json();
        let section = section(&document, folder);
        let slices = stats["slices"].as_array().expect("a list");
        let listed = rows(section, "slices");
        assert_eq!(listed.len(), slices.len() + 1, "{folder}");
        let sum = slices.iter().chain([&stats["totals"]]);
        for (row, slice) in listed.iter().zip(sum) {
            if let (Some(mover), Some(opponent)) = (slice["mover"].as_u64(), slice["opponent"].as_u64()) {
                assert_eq!(row[0], format!("{mover}v{opponent}"));
            }
            let counts: Vec<u64> = row[1..5].iter().map(|cell| digits(cell)).collect();
            let expected = ["positions", "wins", "draws", "losses"].map(|name| slice[name].as_u64().expect("a number"));
            assert_eq!(counts, expected, "{folder} {}", row[0]);
            for (cell, count) in row[5..8].iter().zip(&expected[1..]) {
                let share: f64 = cell.strip_suffix(" %").expect("a share").parse().expect("a number");
                assert!((share - percent(*count, expected[0])).abs() < 0.0051, "{folder} {row:?}");
            }
        }
        assert_eq!(named(section, "figure", "shares").len(), 1);

        let with_depths: Vec<&Value> = slices.iter().filter(|slice| !slice["depths"].is_null()).collect();
        let charts = named(section, "figure", "depths");
        assert_eq!(charts.len(), usize::from(!with_depths.is_empty()), "{folder}");
        let listed = rows(section, "longest");
        assert_eq!(listed.len(), with_depths.len());
        let mut longest: BTreeMap<u64, u64> = BTreeMap::new();
        for (row, slice) in listed.iter().zip(&with_depths) {
            for (name, cells) in [("longest_win", &row[1..3]), ("longest_loss", &row[3..5])] {
                let found = &slice["depths"][name];
                let plies = found["plies"].as_u64().map_or(String::new(), |plies| plies.to_string());
                assert_eq!(cells, [plies.as_str(), found["position"].as_str().unwrap_or_default()]);
            }
            let stones = slice["mover"].as_u64().unwrap() + slice["opponent"].as_u64().unwrap();
            let plies = slice["depths"]["longest_win"]["plies"].as_u64().unwrap_or(0);
            longest.entry(stones).and_modify(|most| *most = plies.max(*most)).or_insert(plies);
        }
        let pictures = named(section, "figure", "board");
        assert_eq!(pictures.len(), longest.len(), "{folder}");
        for (picture, (stones, plies)) in pictures.into_iter().zip(longest.iter().rev()) {
            let caption = text_of(named(picture, "figcaption", "")[0]);
            let position = text_of(named(picture, "code", "")[0]);
            assert!(caption.contains(&format!("wins in {plies} plies")), "{caption}");
            for (class, stone) in [("white", 'W'), ("black", 'B')] {
                assert_eq!(named(picture, "circle", class).len(), position.matches(stone).count(), "{position}");
            }
            assert_eq!(named(picture, "circle", "").len() as u64, *stones);
            assert_eq!(named(picture, "text", "column").len(), size);
            assert!(text_of(named(picture, "title", "")[0]).contains(&position));
        }
        if folder == "5x5" {
            assert_eq!(longest.len(), 2);
            // One point for each number of plies that a win takes.
            let wins: std::collections::BTreeSet<&str> =
                with_depths.iter().flat_map(|slice| keys(&slice["depths"]["wins"])).collect();
            let dots = named(charts[0], "circle", "");
            assert_eq!(dots.iter().filter(|dot| dot.attribute("fill") == Some("#0072B2")).count(), wins.len());
        }
    }

    let results = rows(document.root_element(), "results");
    let first: Vec<[&str; 3]> = results.iter().map(|row| [&row[0], &row[1], &row[2]].map(String::as_str)).collect();
    let other_rules = "diagonals centre, continuation optional, stalemate draw";
    assert_eq!(first, [["3x3", "default", "White wins (tables)"], ["3x3", other_rules, ""], ["5x5", "default", ""]]);
    let certificates = rows(document.root_element(), "certificates");
    assert_eq!(certificates.len(), 2);
    assert_eq!(certificates[0][..5], ["db/certificates/3x3.proof", "3x3", "default", "start", "White wins (claimed)"]);
    assert_eq!(certificates[1][3], "BBB/3/WWW b");
    assert!(page.contains("fanorona check FILE"));

    // The same database makes the same page, which replaces the one before.
    fs::write(place.path().join("page.html"), "something else").expect("a file");
    let before = place.files();
    let json = place.run("report --html page.html --server http://board.test/ --json").json();
    assert_eq!(json, place.run("report --json").json());
    assert_eq!(fs::read_to_string(place.path().join("page.html")).expect("a page"), page);
    assert_eq!(place.files(), before);
}

#[test]
fn text_and_json_agree() {
    let place = filled();
    let before = place.files();
    let json = place.run("report --json").json();
    let text = place.run("report").done();
    assert!(text.contains("White wins (claimed)") && text.contains("fanorona check db/certificates/FILE\n"), "{text}");
    assert_eq!(place.files(), before);
    assert_eq!(keys(&json), ["boards", "certificates", "unused", "unusable"].into());
    assert_eq!(json["unused"], Value::Array(Vec::new()));
    let boards = json["boards"].as_array().expect("a list");
    assert_eq!(boards.len(), 3);
    let stats = place.run("stats 5x5 --json").json();
    for name in ["board", "rules", "stones", "slices", "totals"] {
        assert_eq!(boards[2][name], stats[name], "{name}");
    }
    // No board has a field twice, which a parser does not notice.
    let raw = place.run("report --json").done();
    let (raw, _) = raw.split_once("\n  \"certificates\":").expect("certificates after the boards");
    for name in ["board", "rules", "stones", "depth_stones", "start", "slices", "totals"] {
        assert_eq!(raw.matches(&format!("\n      \"{name}\":")).count(), boards.len(), "{name}");
    }
    assert_eq!((&boards[2]["stones"], &boards[2]["depth_stones"]), (&4.into(), &3.into()));
    let certificates = json["certificates"].as_array().expect("a list");
    assert_eq!(certificates.len(), 2);
    for (certificate, start) in certificates.iter().zip([true, false]) {
        let file = certificate["file"].as_str().expect("a path");
        let checked = place.run(&format!("check {file} --json")).json();
        assert_eq!(certificate["positions"], checked["safe"].as_u64().unwrap() + checked["won"].as_u64().unwrap());
        let claim = &checked["claims"][0];
        assert_eq!((&certificate["value"], &certificate["position"]), (&claim["value"], &claim["position"]));
        let length = fs::metadata(place.path().join(file)).expect("a file").len();
        assert_eq!(certificate["checked"], false);
        assert_eq!((&certificate["bytes"], &certificate["is_start"]), (&length.into(), &start.into()));
    }

    let text = place.run("report").done();
    let longest = stats["slices"].as_array().expect("a list").iter();
    let longest = longest.filter_map(|slice| slice["depths"]["longest_win"]["plies"].as_u64()).max().expect("a win");
    let line = text.lines().find(|line| line.trim_start().starts_with("5x5")).expect("a line for the board");
    assert!(line.contains("4 stones") && line.contains("3 stones") && line.contains(&format!("{longest} plies")));
    assert!(text.contains("White wins (proved)") && !text.contains("fanorona check"), "{text}");
    assert!(text.contains("Proved values depend on the tables"), "{text}");
}

#[test]
fn what_cannot_be_reported_is_refused() {
    let place = Place::new();
    place.run("report --html page.html").fails_silently(&["db", "build the tables first"]);
    fs::create_dir_all(place.path().join("db/5x5")).expect("a folder");
    for command in ["report", "report --json", "report --html page.html"] {
        place.run(command).fails_silently(&["no tables in db", "fanorona build"]);
    }
    assert!(place.files().is_empty());

    place.run("build 3x3 --stones 2").done();
    fs::create_dir_all(place.path().join("folder")).expect("a folder");
    let before = place.files();
    for path in ["nowhere/page.html", "folder", ".", "db/3x3/1v1.wdl/page.html"] {
        place.run(&format!("report --html {path}")).fails_silently(&[path, "cannot write the page", "--html"]);
    }
    assert_eq!(place.files(), before);
    place.run("report --html page.html").done();
    assert!(place.has("page.html"));

    // A table that is damaged is named, and the other boards are reported.
    place.run("build 5x5 --stones 2").done();
    fs::write(place.path().join("db/3x3/1v1.wdl"), "nothing").expect("a file");
    let why = ["1v1.wdl", "build again"];
    place.run("report --html other.html").fails(&why);
    let page = fs::read_to_string(place.path().join("other.html")).expect("a page");
    assert!(page.contains("1v1.wdl") && page.contains("5x5"), "{page}");
    let ran = place.run("report");
    assert!(ran.out.contains("5x5"), "{}", ran.out);
    ran.fails(&why);
    let ran = place.run("report --json");
    let json: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((ran.code, json["unusable"].as_array().map(Vec::len)), (Some(1), Some(1)));
    place.run("report --html - --json").fails_silently(&["the page or for JSON", "--html"]);
    let ran = place.run("report --html -");
    assert!(ran.out.trim_start().starts_with("<!DOCTYPE html>") && !place.has("-"), "{}", ran.out);
    ran.fails(&why);
    // So is damage that only a look-up of the start meets.
    let place = Place::new();
    place.run("build 3x3 --stones 8").done();
    for entry in fs::read_dir(place.path().join("db/3x3")).expect("a folder") {
        let path = entry.expect("a file").path();
        let mut bytes = fs::read(&path).expect("a table");
        if let Some(last) = bytes.last_mut() {
            *last ^= 255;
        }
        fs::write(&path, bytes).expect("a table");
    }
    place.run("report").fails(&["3x3", "is damaged"]);
}

#[test]
fn certificates_alone_are_reported() {
    let place = filled();
    for folder in ["5x5", "3x3", "3x3-centre-draw"] {
        fs::remove_dir_all(place.path().join("db").join(folder)).expect("a folder");
    }
    place.run("report --html page.html").done();
    let page = fs::read_to_string(place.path().join("page.html")).expect("a page");
    let document = parse(&page);
    let results = rows(document.root_element(), "results");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0][..4], ["3x3", "default", "White wins (claimed)", ""]);
    assert!(named(document.root_element(), "section", "").is_empty());
    assert!(place.run("report").done().contains("White wins (claimed)"));
}

#[test]
fn certificates_that_are_not_used_are_listed_with_the_reason() {
    let place = Place::new();
    place.run("build 3x3 --stones 3").done();
    fs::create_dir_all(place.path().join("db/certificates")).expect("a folder");
    place.run("solve 3x3 --certificate db/certificates/3x3.proof").done();
    let file = place.path().join("db/certificates/3x3.proof");
    let whole = fs::read(&file).expect("a certificate");
    assert!(place.run("report").done().contains("White wins (proved)"));
    // The record is there, but a table is not: the report claims no more than other commands use.
    let table = place.path().join("db/3x3/2v1.wdl");
    let bytes = fs::read(&table).expect("a table");
    fs::remove_file(&table).expect("a table");
    let text = place.run("report").done();
    let why = "certificate db/certificates/3x3.proof is not used: there is no table 2v1 in db/3x3";
    assert!(text.contains("White wins (claimed)") && text.contains(why) && !text.contains("proved"), "{text}");
    let json = place.run("report --json").json();
    assert_eq!(
        (&json["certificates"][0]["checked"], json["unused"].as_array().map(Vec::len)),
        (&false.into(), Some(1))
    );
    fs::write(&table, bytes).expect("a file");
    // Damaged: everything else is still reported.
    let mut damaged = whole.clone();
    damaged[60] ^= 1;
    fs::write(&file, &damaged).expect("a file");
    fs::write(place.path().join("db/certificates/bad.proof"), "nothing").expect("a file");
    let text = place.run("report").done();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("not used: ")).collect();
    let expected = [
        "not used: db/certificates/3x3.proof is refused: its checksum does not match, so it is damaged; copy it again, or \
         write a new one",
        "not used: db/certificates/bad.proof is refused: it is not a Fanorona certificate; give the path of one",
    ];
    assert_eq!(lines, expected, "{text}");
    assert!(
        text.lines().any(|line| {
            let starts = line.trim_start().starts_with("3x3  default");
            starts && line.contains("18 150") && line.contains("White wins (tables)")
        }),
        "{text}"
    );
    let json = place.run("report --html page.html --json").json();
    assert_eq!(json["unused"][1]["file"], "db/certificates/bad.proof");
    let page = fs::read_to_string(place.path().join("page.html")).expect("a page");
    let items = parse(&page).descendants().filter(|node| node.has_tag_name("li")).map(text_of).collect::<Vec<_>>();
    assert_eq!(items, expected);
}

#[cfg(unix)]
#[test]
fn names_of_files_command_no_terminal() {
    let place = Place::new();
    fs::create_dir_all(place.path().join("db/certificates")).expect("a folder");
    place.run("solve 3x3 --stones 0 --certificate first.proof").done();
    for name in ["\u{1b}[31mred.proof", "\u{7}bell.proof"] {
        fs::copy(place.path().join("first.proof"), place.path().join("db/certificates").join(name)).expect("a copy");
        let mut cut = fs::read(place.path().join("first.proof")).expect("a file");
        cut.pop();
        fs::write(place.path().join("db/certificates").join(format!("cut{name}")), cut).expect("a file");
    }
    place.run("report --html page.html").done();
    let page = fs::read_to_string(place.path().join("page.html")).expect("a page");
    assert!(text_of(parse(&page).root()).contains("[31mred.proof"));
    for ran in [place.run("report"), place.run_with(&["check", "db/certificates/\u{1b}[31mred.proof"])] {
        let all = format!("{}{}", ran.out, ran.err);
        assert!(all.contains("[31mred.proof") || ran.code == Some(0), "{all}");
        assert!(!all.contains(|character: char| character.is_control() && character != '\n'), "{all:?}");
    }
}
