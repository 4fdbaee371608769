//! Tables that are damaged, foreign or no files: every command names them, and a build replaces them.

use std::fs;

#[cfg(unix)]
use crate::program::make_pipe;
use crate::program::{Place, files};
use crate::tables::with_tables;

#[test]
fn damaged_tables_are_named_by_every_command() {
    let place = with_tables();
    let file = place.path().join("db/5x5/2v2.wdl");
    let good = fs::read(&file).expect("a table");
    let mut block = good.clone();
    *block.last_mut().expect("bytes") ^= 1;
    fs::write(&file, &block).unwrap();
    place.run("verify 5x5").fails_at_once(&["2v2.wdl", "damaged", "build again"]);
    place.run("verify 5x5 --full").fails_at_once(&["2v2.wdl", "damaged", "build again"]);
    // A build that needs its values says so, and leaves no part of a file.
    place.run("build 5x5 --stones 5").fails(&["2v2.wdl", "damaged", "build again"]);
    assert!(files(&place.path().join("db/5x5")).keys().all(|name| !name.contains(".tmp")));
    fs::write(&file, &good[..good.len() / 2]).unwrap();
    for command in ["verify 5x5", "stats 5x5", "stats 5x5 --json", "info", "query 5/5/5/5/W3B_w"] {
        place.run(command).fails_at_once(&["2v2.wdl", "build again"]);
    }
    // The remedy helps.
    fs::remove_file(&file).unwrap();
    place.run("build 5x5 --stones 4").done();
    assert!(fs::read(&file).expect("a table") == good);
}

#[test]
fn a_build_replaces_tables_that_cannot_be_used_and_keeps_the_old_files() {
    let place = Place::new();
    let folder = place.path().join("db/3x3");
    place.run("build 3x3 --stones 4 --metric both").done();
    place.run("build 3x3 --stones 4 --db other --continuation obligatory").done();
    let (table, foreign) = (folder.join("2v2.wdl"), place.path().join("other/3x3-obligatory/2v2.wdl"));
    let sound = fs::read(&table).expect("a table");
    let files = [Vec::new(), b"noise".to_vec(), sound[..sound.len() - 1].to_vec(), fs::read(foreign).expect("a table")];
    let one = fs::read(folder.join("3v1.wdl")).expect("a table");
    for (number, broken) in (1..).zip(files.into_iter().chain([one])) {
        fs::write(&table, &broken).expect("a file");
        place.run("info").fails(&["2v2.wdl"]);
        assert!(!place.run("build 3x3 --stones 4 --metric both").done().contains("already has"));
        assert_eq!(fs::read(&table).expect("a table"), sound);
        let aside = if number == 1 { "2v2.wdl.unusable".to_owned() } else { format!("2v2.wdl.unusable-{number}") };
        assert_eq!(fs::read(folder.join(aside)).expect("the old file"), broken);
        place.run("info").done();
    }
    // Depths that rest on values need sound ones.
    fs::write(&table, "noise").expect("a file");
    fs::remove_file(folder.join("2v2.dtw")).expect("a table");
    place.run("build 3x3 --stones 4 --metric dtw").fails(&["2v2.wdl", "build"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let place = Place::new();
    let folder = place.path().join("db/3x3");
    place.run("build 3x3 --stones 4").done();
    let table = folder.join("2v2.wdl");
    let sound = fs::read(&table).expect("a table");
    fs::remove_file(&table).expect("a table");
    make_pipe(&table);
    for command in ["info", "verify 3x3", "stats 3x3", "query 3/WB1/1WB_w"] {
        place.run(command).fails(&["2v2.wdl"]);
    }
    place.run("build 3x3 --stones 4").done();
    assert_eq!(fs::read(&table).expect("a table"), sound);
    place.run("solve 3x3 --stones 4").done();
    for file in ["VERIFIED", "../certificates/3x3.proof.checked", "../certificates/3x3.proof"] {
        let file = folder.join(file);
        let _ = fs::remove_file(&file);
        make_pipe(&file);
        for command in ["query 3/WB1/1WB_w", "report", "stats 3x3"] {
            place.run(command).done();
        }
        fs::remove_file(file).expect("a pipe");
    }
    // Scratch files of this name are removed.
    make_pipe(&folder.join("2v1.scratch"));
    fs::remove_file(folder.join("2v1.wdl")).expect("a table");
    place.run("build 3x3 --stones 4").done();
    make_pipe(&folder.join("VERIFIED"));
    let verified = place.run("verify 3x3");
    for word in ["not recorded", "VERIFIED", "a device or a pipe"] {
        assert!(verified.err.contains(word), "{}", verified.err);
    }
    verified.done();
}
