//! The commands that count: `fanorona stats`, `info` and `perft`.

use std::fs;

use serde_json::Value;

use crate::program::{Place, keys};
use crate::tables::{placements, placements_to, with_tables};

#[test]
fn stats_add_up_to_all_placements() {
    let place = with_tables();
    let stats = place.run("stats 5x5 --json").json();
    assert_eq!(keys(&stats), ["board", "rules", "stones", "slices", "totals"].into());
    assert_eq!(stats["board"], "5x5");
    let rules = serde_json::json!({ "diagonals": "corner", "continuation": "optional", "directions": "not-repeated", "stalemate": "loss" });
    assert_eq!(stats["rules"], rules);
    let slices = stats["slices"].as_array().expect("a list");
    let number = |object: &Value, key: &str| object[key].as_u64().expect("a number");
    let names: Vec<(u64, u64)> = slices.iter().map(|s| (number(s, "mover"), number(s, "opponent"))).collect();
    assert_eq!(names, [(1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (2, 2)]);
    let counts = ["positions", "wins", "draws", "losses", "quiet", "bytes"];
    for slice in slices {
        assert!(keys(slice).is_superset(&counts.into()));
        let (mover, opponent) = (number(slice, "mover"), number(slice, "opponent"));
        let formula = placements(25, usize::try_from(mover).unwrap(), usize::try_from(opponent).unwrap());
        assert_eq!(number(slice, "positions"), formula);
        assert_eq!(["wins", "draws", "losses"].map(|key| number(slice, key)).iter().sum::<u64>(), formula);
        assert!(number(slice, "quiet") < formula);
        let file = place.path().join(format!("db/5x5/{mover}v{opponent}.wdl"));
        assert_eq!(number(slice, "bytes"), fs::metadata(file).expect("a table").len());
    }
    assert_eq!(keys(&stats["totals"]), [&counts[..], &["depth_bytes"]].concat().into_iter().collect());
    for key in counts {
        assert_eq!(number(&stats["totals"], key), slices.iter().map(|slice| number(slice, key)).sum::<u64>());
    }
    assert_eq!(number(&stats["totals"], "positions"), placements_to(25, 4));
    place.run("stats 5x5 --histogram").fails_silently(&["there are no depth tables in db/5x5; build "]);
    let text = place.run("stats 5x5").done();
    assert!(text.lines().last().is_some_and(|line| line.contains("191 500")), "{text}");
    assert!(text.contains(": complete up to 4 stones."), "{text}");
    fs::remove_file(place.path().join("db/5x5/2v2.wdl")).expect("a table");
    assert!(place.run("stats 5x5").done().contains(": complete up to 3 stones."));
}

#[test]
fn zugzwangs_are_counted_in_all_slices_that_can_be() {
    let place = Place::new();
    place.run("build 3x3 --slice 3v2").done();
    let stats = place.run("stats 3x3 --zugzwangs --json").json();
    let slices = stats["slices"].as_array().expect("a list");
    assert!(slices.len() == 8 && slices.iter().all(|slice| slice["zugzwangs"]["count"].is_u64()), "{stats}");
    place.run("stats 3x3 --zugzwangs --histogram --csv").fails_silently(&["--zugzwangs", "--histogram"]);
}

#[test]
fn info_lists_every_board_and_rule_set() {
    let place = Place::new();
    fs::create_dir(place.path().join("db")).unwrap();
    assert!(place.run("info").done().contains("no tables"));
    assert_eq!(place.run("info --json").json(), Value::Array(Vec::new()));
    place.run("build 5x5 --stones 3").done();
    place.run("build 3x5 --stones 2 --diagonals centre --stalemate draw").done();
    // Folders of other kinds are not looked at.
    for name in ["notes", "4x4", "5x5-other", "05x5"] {
        fs::create_dir(place.path().join("db").join(name)).unwrap();
    }
    let info = place.run("info --json").json();
    let found: Vec<_> = info.as_array().expect("a list").iter().map(|one| (&one["board"], &one["positions"])).collect();
    assert_eq!(found, [(&"3x5".into(), &placements_to(15, 2).into()), (&"5x5".into(), &placements_to(25, 3).into())]);
    assert_eq!(info[0]["rules"]["diagonals"], "centre");
    assert_eq!((&info[1]["stones"], &info[1]["slices"]), (&3.into(), &3.into()));
    let text = place.run("info").done();
    assert!(text.contains("5x5") && text.contains("centre, optional, not-repeated, draw"), "{text}");
    // Depths whose values are gone are something, too.
    place.run("build 3x3 --stones 2 --metric both").done();
    fs::remove_file(place.path().join("db/3x3/1v1.wdl")).unwrap();
    let info = place.run("info --json").json();
    assert_eq!(
        (&info[0]["board"], &info[0]["stones"], &info[0]["depth_stones"]),
        (&"3x3".into(), &0.into(), &0.into())
    );
    assert_eq!(info[0]["depth_slices"], 1);
    // What is lacking is built as it says.
    let place = Place::new();
    place.run("build 3x3 --stones 3").done();
    place.run("stats 3x3 --histogram").fails(&["no depth tables", "fanorona build 3x3 --stones 3 --metric both"]);
    place.run("build 3x3 --stones 3 --metric both").done();
    place.run("stats 3x3 --histogram").done();
}

#[test]
fn perft_numbers() {
    let place = Place::new();
    assert_eq!(place.run("perft 9x5 5").done(), "1 5\n2 39\n3 724\n4 18026\n5 431830\n");
    assert_eq!(place.run("perft 5x5 5").done(), "1 5\n2 21\n3 202\n4 3469\n5 34608\n");
    assert_eq!(place.run("perft 5x5 5 --directions once").done(), "1 5\n2 21\n3 180\n4 2506\n5 24071\n");
    assert_eq!(place.run("perft 5x5 3 --directions turning").done(), "1 5\n2 21\n3 202\n");
    place.run("perft 5x5 3 --directions twice").misused(&["--directions", "not-repeated, once"]);
    let from = place.run_with(&["perft", "5x5", "1", "--position", "5/5/5/5/W3B w"]);
    assert_eq!(from.done(), "1 3\n");
    assert_eq!(place.run("perft 13x13 1").done().lines().count(), 1);
    place.run_with(&["perft", "3x3", "2", "--position", "5/5/5/5/W3B w"]).fails_at_once(&["5x5", "3x3"]);
    let counts = serde_json::json!({
        "board": "5x5", "position": "5/5/5/5/W3B w", "counts": [1, 3],
        "rules": { "diagonals": "corner", "continuation": "optional", "directions": "not-repeated", "stalemate": "loss" }
    });
    assert_eq!(place.run_with(&["perft", "5x5", "1", "--position", "5/5/5/5/W3B w", "--json"]).json(), counts);
    place.run("perft 9x5 many").misused(&["many"]);
}
