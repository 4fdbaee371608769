//! What all commands refuse: impossible boards and stones, and databases that cannot be used.

use std::fs;

use crate::program::Place;

#[test]
fn impossible_boards_and_stones_are_refused() {
    let place = Place::new();
    for command in ["build 4x5 --stones 4", "stats 4x5", "verify 5x4", "perft 15x5 1", "build 5 --stones 4"] {
        place.run(command).misused(&["board size"]);
    }
    for command in ["build 13x13 --stones 4", "stats 13x13", "verify 13x13", "build 9x9 --stones 2 --dry-run"] {
        place.run(command).fails_at_once(&["64 points"]);
    }
    for stones in ["0", "1"] {
        place.run(&format!("build 5x5 --stones {stones}")).fails_at_once(&["--stones", "2 stones or more"]);
    }
    place.run("build 7x7 --stones 40").fails_at_once(&["7x7", "40 stones", "at most"]);
    for command in ["build 5x5", "build 5x5 --stones -3", "build 5x5 --stones 4 --threads 0", "query", "dance"] {
        place.run(command).misused(&[]);
    }
    assert!(!place.path().join("db").exists());
}

#[test]
fn values_of_options_that_make_no_sense_are_refused() {
    let place = Place::new();
    for (command, expected) in [
        ("build 5x5 --stones many", "a whole number"),
        ("build 5x5 --stones 99999999999999999999999", "too large"),
        ("build 5x5 --stones 4 --threads many", "a whole number"),
        ("build 5x5 --stones 4 --threads 5000", "from 1 to 1024"),
        ("build 5x5 --stones 4 --memory much", "such as 12G"),
        ("solve 5x5 --limit soon", "such as 90s"),
        ("verify 5x5 --sample 0", "the least is 1"),
        ("perft 3x3 deep", "a whole number"),
        ("review game.txt --nodes 0", "the least is 1"),
        ("review game.txt --time 0s", "the least is 1ms"),
    ] {
        place.run(command).misused(&[expected]);
    }
}

#[test]
fn folders_names_and_addresses_that_make_no_sense_are_refused() {
    let place = Place::new();
    fs::write(place.path().join("file"), "").unwrap();
    place.run("build 3x3 --stones 2 --scratch file").fails_at_once(&["file is not a folder", "--scratch"]);
    place.run("report --html page.html --server javascript:alert(1)").misused(&["--server", "https://example.org"]);
    if cfg!(feature = "server") {
        for host in ["http://example.org", "example.org:9000", "[::1]"] {
            place.run(&format!("serve --host {host}")).misused(&["--host", "without a scheme or a port"]);
        }
        place.run("serve --bind 127.0.0.1:0 --page nowhere").fails_at_once(&["no page in nowhere", "--page"]);
    }
    place.run("solve 3x3 --stones 0 --memory 12").fails_at_once(&["1 kB", "12 bytes", "--memory"]);
    assert_eq!(place.run("perft 3x3 0").done(), "0 1\n");
}

#[test]
fn a_database_that_cannot_be_used_is_named() {
    let place = Place::new();
    for command in ["stats 5x5 --db nowhere", "verify 5x5 --db nowhere", "info --db nowhere"] {
        place.run(command).fails_at_once(&["nowhere"]);
        assert!(!place.path().join("nowhere").exists());
    }
    fs::write(place.path().join("file"), "not a folder").unwrap();
    for command in ["build 5x5 --stones 3 --db file", "stats 5x5 --db file", "info --db file", "verify 5x5 --db file"] {
        place.run(command).fails_at_once(&["file"]);
    }
    place.run_with(&["query", "5/5/5/5/W3B w", "--db", "file"]).fails_at_once(&["file"]);
    #[cfg(feature = "server")]
    place.run("serve --db file --bind 127.0.0.1:0").fails_at_once(&["file"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let folder = place.path().join("locked");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write everywhere.
    if fs::write(folder.join("probe"), "").is_err() {
        place.run("build 5x5 --stones 3 --db locked").fails_at_once(&["locked", "--db"]);
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
}
