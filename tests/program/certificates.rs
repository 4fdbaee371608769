//! Certificates of `fanorona solve`: one in use stays, an unchecked one is checked, and a bad path is refused at once.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use crate::program::{Place, Ran};

#[cfg(unix)]
#[test]
fn names_of_folders_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let folder = std::ffi::OsStr::from_bytes(b"n\xff");
    let mut command = place.command(&["solve", "3x3", "--stones", "4", "--db"]);
    assert!(Ran::of(command.arg(folder).spawn().expect("the program")).done().contains("proved"));
    assert!(place.path().join(folder).join("certificates/3x3.proof.checked").exists());
    fs::create_dir_all(place.path().join("db/certificates")).expect("a folder");
    let file = PathBuf::from("db/certificates").join(folder);
    let mut command = place.command(&["solve", "3x3", "--stones", "4", "--certificate"]);
    Ran::of(command.arg(file).spawn().expect("the program")).fails(&["UTF-8"]);
}

#[test]
fn a_certificate_in_use_is_never_replaced_by_one_that_proves_less() {
    let place = Place::new();
    let claims = |file: &str| {
        let checked = place.run(&format!("check db/certificates/{file} --json")).json();
        let claims = checked["claims"].as_array().expect("a list").iter();
        claims.map(|claim| (claim["position"].to_string(), claim["value"].to_string())).collect::<Vec<_>>()
    };
    place.run("solve 3x3 --stones 8 --moves").done();
    let all = claims("3x3.proof");
    assert!(all.len() > 3);
    // With fewer tables, for one question, within no time: what was claimed stays claimed, and proved.
    for options in ["--stones 4", "--stones 4 --question black", "--stones 2 --limit 0s"] {
        place.run(&format!("solve 3x3 {options}")).done();
        let now = claims("3x3.proof");
        assert!(all.iter().all(|claim| now.contains(claim)), "{options}: {now:?}");
        assert!(place.has("db/certificates/3x3.proof.checked") && !place.has("db/certificates/3x3.2.proof"));
    }
    // One that cannot be used now, because a table is missing, is left alone.
    let path = place.path().join("db/certificates/3x3.proof");
    let bytes = fs::read(&path).expect("a certificate");
    for slice in ["3v5", "4v4", "5v3"] {
        fs::remove_file(place.path().join(format!("db/3x3/{slice}.wdl"))).expect("a table");
    }
    place.run("solve 3x3 --stones 4 --question black").done();
    assert!(fs::read(&path).expect("a certificate") == bytes && place.has("db/certificates/3x3.2.proof"));
    place.run("solve 3x3 --stones 8 --no-proofs").done();
    // Nor is one by other tables that claims the same.
    let few = place.path().join("db/certificates/3x3.2.proof");
    let bytes = fs::read(&few).expect("a certificate");
    place.run("solve 3x3 --stones 5 --question black --no-proofs").done();
    assert!(fs::read(&few).expect("a certificate") == bytes);
    assert!(place.run("query BBB/B1W/WWW_w --no-build").done().contains("White to move wins"));
}

#[test]
fn the_same_certificate_from_elsewhere_gives_way_to_one_that_is_checked() {
    let place = Place::new();
    for _ in 0..2 {
        place.run("solve 5x3 --stones 4 --threads 1").done();
        assert!(place.has("db/certificates/5x3.proof.checked") && !place.has("db/certificates/5x3.2.proof"));
        fs::remove_file(place.path().join("db/certificates/5x3.proof.checked")).expect("a record");
    }
}

#[test]
fn a_certificate_whose_check_was_cut_short_is_checked_by_the_next_solve() {
    let place = Place::new();
    place.run("solve 5x5 --stones 6").done();
    // As a kill during the check leaves it.
    let file = |name: &str| place.path().join("db/certificates").join(name);
    fs::rename(file("5x5.proof"), file("5x5.proof.unchecked")).expect("a certificate");
    fs::remove_file(file("5x5.proof.checked")).expect("a record");
    let ran = place.run("solve 5x5 --stones 6 --json");
    assert!(ran.err.contains("5x5.proof: the certificate of an earlier solve is proved"), "{}", ran.err);
    let report = ran.json();
    assert!(report["value"] == "draw" && report["nodes"].as_u64() < Some(10), "{report}");
    assert!(!file("5x5.proof.unchecked").exists() && file("5x5.proof.checked").exists());
    // What cannot be checked now may be proved another time, and is kept.
    fs::copy(file("5x5.proof"), file("5x5.proof.unchecked")).expect("a certificate");
    let table = |folder: &str| place.path().join(folder).join("4v2.wdl");
    fs::rename(table("db/5x5"), table("db")).expect("a table");
    let ran = place.run("solve 5x5 --stones 5");
    let expected =
        ["is kept in db/certificates/5x5.proof.2.unchecked: there is no table 4v2", "fanorona build 5x5 --stones 6"];
    assert!(expected.iter().all(|text| ran.err.contains(text)), "{}", ran.err);
    assert!(ran.done().contains("draw") && !file("5x5.proof.unchecked").exists());
    assert!(fs::read(file("5x5.proof.2.unchecked")).expect("a file") == fs::read(file("5x5.proof")).expect("a file"));
    fs::rename(table("db"), table("db/5x5")).expect("a table");
    fs::remove_file(file("5x5.2.proof")).expect("a certificate");
    // A damaged one is searched for again.
    fs::write(file("5x5.proof.unchecked"), "damaged").expect("a file");
    fs::write(file("5x5.proof"), "damaged").expect("a file");
    let report = place.run("solve 5x5 --stones 6 --json").json();
    assert!(report["value"] == "draw" && report["nodes"].as_u64() > Some(100), "{report}");
    assert!(place.run("query BBBBB/BBBBB/BW1BW/WWWWW/WWWWW_w").done().contains("proved by 5x5.2.proof"));
    assert_eq!(fs::read(file("5x5.proof")).expect("a file"), b"damaged");
}

#[test]
fn the_check_of_a_certificate_elsewhere_writes_nothing() {
    let place = Place::new();
    fs::create_dir(place.path().join("other")).expect("a folder");
    place.run("solve 3x3 --stones 4 --certificate other/3x3.proof").done();
    place.run("check other/3x3.proof").done();
    assert_eq!(fs::read_dir(place.path().join("other")).expect("a folder").count(), 1);
}

#[test]
fn a_value_that_two_certificates_prove_together_names_both() {
    let place = Place::new();
    place.run("solve 5x5 --stones 6 --question white").done();
    place.run("solve 5x5 --stones 6 --question black --no-proofs").done();
    let answer = place.run("query 5x5 --json").json();
    assert_eq!((&answer["value"], &answer["proof"]), (&"draw".into(), &"5x5.2.proof and 5x5.proof".into()));
    // Each alone proves half of it.
    fs::remove_file(place.path().join("db/certificates/5x5.2.proof")).expect("a certificate");
    assert!(place.run("query 5x5 --search 0").done().contains("Value: Black does not lose, proved by 5x5.proof"));
}

#[test]
fn a_file_in_the_database_gets_its_name_after_the_check_and_replaces_no_better_one() {
    let place = Place::new();
    place.run("solve 3x3 --stones 4").done();
    let file = |name: &str| place.path().join("db/certificates").join(name);
    let bytes = fs::read(file("3x3.proof")).expect("a certificate");
    place.run("solve 3x3 --stones 4 --question black --no-proofs --certificate db/certificates/3x3.proof").done();
    assert!(fs::read(file("3x3.proof")).expect("a certificate") == bytes && file("3x3.2.proof.checked").exists());
    place.run("solve 3x3 --stones 4 --certificate db/certificates/new.proof").done();
    assert!(file("new.proof.checked").exists() && !file("new.proof.unchecked").exists());
    // Two solves do not wait in the same file for their checks.
    let lock = fs::File::create(place.path().join("db/certificates/3x3.proof.lock")).expect("a file");
    lock.lock().expect("a lock");
    place.run("solve 3x3 --stones 4 --checkpoint other").fails_silently(&["3x3.proof.lock", "wait", "--certificate"]);
    place.run("solve 3x3 --stones 4 --checkpoint other --certificate p").done();
    // Where tables are missing it says which to build.
    fs::remove_dir_all(place.path().join("db/3x3")).expect("a folder");
    let ran = place.run("query 3x3 --no-build --search 0");
    assert!(ran.err.contains("build the tables that it rests on: fanorona build 3x3 --stones 4"), "{}", ran.err);
}

#[test]
fn a_certificate_that_cannot_be_written_is_said_before_the_search() {
    let place = Place::new();
    fs::create_dir(place.path().join("folder")).expect("a folder");
    fs::write(place.path().join("file"), "not a folder").expect("a file");
    for path in ["nowhere/start.proof", "folder", "file/start.proof"] {
        place.run(&format!("solve 3x3 --certificate {path}")).fails_silently(&[path, "--certificate"]);
    }
    // Only files of that name are used.
    fs::create_dir_all(place.path().join("db/certificates")).expect("a folder");
    place.run("solve 3x3 --certificate db/certificates/start").fails_silently(&[".proof", "--certificate"]);
    // A checkpoint is removed in the end.
    place.run("solve 3x3 --certificate p --checkpoint ./p").fails_silently(&["./p", "name another file"]);
    // Nor is anything but a certificate replaced.
    place.run("solve 3x3 --certificate file").fails_at_once(&["file is not a certificate", "--certificate"]);
    assert_eq!(fs::read(place.path().join("file")).expect("a file"), b"not a folder");
    assert_eq!(place.files(), BTreeSet::from([PathBuf::from("file")]));
    // One that is there already is replaced in the end, not before.
    fs::write(place.path().join("file"), "FANOCERT, damaged").expect("a file");
    place.run("solve 3x3 --certificate file --position BBB/3/WW_w").fails_silently(&[]);
    assert_eq!(fs::read(place.path().join("file")).expect("a file"), b"FANOCERT, damaged");
    place.run("solve 3x3 --certificate file").done();
    place.run("check file").done();
    place.run("solve 3x3 --certificate file --question black --no-proofs").done();
    place.run("check file").done();
    assert!(place.files().iter().all(|file| file.extension().is_none_or(|extension| extension != "tmp")));
}
