//! `fanorona build`: reports, the same bytes every time, dry runs, too little memory, and a folder that is in use.

use std::fs;

use fanorona::table::lock_folder;
use serde_json::Value;

use crate::program::{Place, assert_same_files, files, keys};
use crate::tables::{placements_to, value_of, with_tables};

#[test]
fn a_build_reports_what_it_has_built() {
    let place = Place::new();
    let report = place.run("build 5x5 --stones 4 --json").json();
    assert_eq!(report["board"], "5x5");
    let slices = report["slices"].as_array().expect("a list");
    let positions: u64 = slices.iter().map(|slice| slice["positions"].as_u64().expect("a number")).sum();
    assert_eq!((slices.len(), positions), (6, placements_to(25, 4)));
    // Once more there is nothing to do, and with more stones only the rest is built.
    assert!(place.run("build 5x5 --stones 4").done().contains("already"));
    let more = place.run("build 5x5 --stones 5 --json").json();
    assert_eq!(more["slices"].as_array().map(Vec::len), Some(4));
    // A board that cannot hold that many stones is built to the last.
    assert!(place.run("build 1x5 --stones 100").done().contains("10 tables"));
    assert!(place.run("verify 1x5 --full").done().contains("to 5 stones"));
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    // The crowded boards are solved in compact form where the others are solved in planes.
    for (board, stones) in [("5x5", 5), ("3x3", 9), ("3x5", 8), ("9x5", 4)] {
        let folders = [1, 2, 3].map(|threads| {
            let place = Place::new();
            place.run(&format!("build {board} --stones {stones} --threads {threads}")).done();
            files(&place.path().join("db").join(board))
        });
        assert!(folders[0].len() > 4);
        assert_same_files(&folders[0], &folders[1]);
        assert_same_files(&folders[0], &folders[2]);
    }
}

#[test]
fn leftovers_are_removed_and_deleted_files_come_back() {
    let place = with_tables();
    let folder = place.path().join("db/5x5");
    let expected = files(&folder);
    for name in ["2v2.wdl.tmp", "XXH128SUMS.tmp", "5v5.wdl.tmp"] {
        fs::write(folder.join(name), "half a file").unwrap();
    }
    for name in ["1v1.wdl", "1v3.wdl", "2v2.wdl", "XXH128SUMS"] {
        fs::remove_file(folder.join(name)).unwrap();
    }
    place.run("build 5x5 --stones 4").done();
    assert_same_files(&files(&folder), &expected);
}

#[test]
fn too_little_memory_is_said_before_starting() {
    let place = Place::new();
    let ran = place.run("build 5x5 --stones 4 --memory 1K");
    ran.fails_at_once(&["memory", "--memory"]);
    let ran = place.run("build 5x5 --stones 25 --memory 1M");
    ran.fails_at_once(&["memory", "build to 4 stones"]);
    let folder = place.path().join("db/5x5");
    assert!(!folder.exists() || files(&folder).keys().all(|name| name == ".lock"));
    // What is there already needs none.
    place.run("build 5x5 --stones 3").done();
    assert!(place.run("build 5x5 --stones 3 --memory 1K").done().contains("already"));
}

#[test]
fn a_dry_run_writes_nothing() {
    let place = Place::new();
    let plan = place.run("build 5x5 --stones 4 --dry-run --json").json();
    for key in ["board", "rules", "threads", "pairs", "totals", "memory_allowed", "fits"] {
        assert!(keys(&plan).contains(key), "{key}");
    }
    assert_eq!((&plan["board"], &plan["fits"]), (&"5x5".into(), &true.into()));
    assert_eq!(plan["totals"]["positions"], placements_to(25, 4));
    let forms = |plan: &Value| -> Vec<(String, bool)> {
        let pairs = plan["pairs"].as_array().expect("pairs").iter();
        pairs.map(|pair| (pair["form"].as_str().expect("a form").to_owned(), pair["built"] == true)).collect()
    };
    assert_eq!(forms(&plan), vec![("planes".to_owned(), false); 4]);
    for key in ["positions", "memory", "disk", "seconds"] {
        assert!(plan["totals"][key].as_f64().is_some_and(|number| number > 0.0), "{key}");
    }
    let with_depths = place.run("build 5x5 --stones 4 --dry-run --json --metric both").json();
    assert!(with_depths["totals"]["disk"].as_u64() > plan["totals"]["disk"].as_u64());
    let text = place.run("build 5x5 --stones 4 --dry-run --threads 1").done();
    assert!(text.contains("191 500") && text.contains("1 thread:"), "{text}");
    place.run("build 5x5 --stones 8 --dry-run --memory 1M").fails(&["memory"]);
    // Every position, in the order that needs least.
    let text = place.run("build 5x5 --stones 24 --dry-run --memory 16G").done();
    assert!(text.contains("Slices in crowded form that later pairs need are kept in up to "), "{text}");
    place.run("build 5x5 --stones 24 --dry-run --memory 8G").fails(&["memory"]);
    // Depths that do not fit have their layers in a scratch file.
    let text = place.run("build 9x5 --stones 6 --dry-run --memory 150M --metric both").done();
    assert!(text.contains("4v2 and twin: depths from layers, "), "{text}");
    place.run("build 9x5 --stones 6 --dry-run --memory 70M --metric both").fails(&["memory"]);
    // Depths are built with values only, and the plan says so.
    let planned = place.run("build 5x5 --stones 3 --dry-run --metric dtw");
    assert!(planned.out.contains("2v1"), "{}", planned.out);
    for ran in [planned, place.run("build 5x5 --stones 3 --metric dtw")] {
        ran.fails(&["no table 1v1", "fanorona build 5x5 --stones 3"]);
    }
    assert_eq!(place.files().len(), 0, "the folder is empty");
    place.run("build 3x3 --stones 9").done();
    assert!(place.run("build 3x3 --stones 100").done().contains("already has tables to 9 stones"));
    // What is there already is marked and not counted.
    place.run("build 5x5 --stones 3").done();
    let rest = place.run("build 5x5 --stones 4 --dry-run --json").json();
    assert_eq!(forms(&rest).into_iter().map(|(_, built)| built).collect::<Vec<_>>(), [true, true, false, false]);
    assert_eq!(rest["totals"]["positions"], placements_to(25, 4) - placements_to(25, 3));
}

#[test]
fn two_builds_do_not_share_a_folder() {
    let place = Place::new();
    let folder = place.path().join("db/5x5");
    let lock = lock_folder(&folder).expect("a free folder");
    place.run("build 5x5 --stones 3").fails_at_once(&["db/5x5", "in use"]);
    // Other boards and readers do not mind.
    place.run("build 3x3 --stones 3").done();
    assert_eq!(value_of(&place, "5/5/5/5/W3B w"), "unknown");
    drop(lock);
    place.run("build 5x5 --stones 3").done();
}
