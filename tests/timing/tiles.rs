//! Builds with little memory: the same files from tiles on disk, however often they are killed, and nothing left of the scratch.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_64;

use crate::program::{Place, assert_same_files, files};

/// 4v3 of 3x11 takes 84 MB in memory and 51 from tiles, by the estimate; the smaller pairs take less.
const SMALL: &str = "build 3x11 --slice 4v3 --memory 60M --threads 2";
const LARGE: &str = "build 3x11 --slice 4v3 --memory 1G --threads 2";

/// Depths of 4v3 of 9x3 take 104 MB in memory and 47 with their layers in a scratch file.
const SMALL_DEPTHS: &str = "build 9x3 --slice 4v3 --metric both --memory 60M --threads 2";
const LARGE_DEPTHS: &str = "build 9x3 --slice 4v3 --metric both --memory 1G --threads 2";

fn assert_same_tables(place: &Place, other: &Place, board: &str) {
    let [tables, others] = [place, other].map(|place| files(&place.path().join("db").join(board)));
    assert!(!tables.is_empty());
    assert_same_files(&tables, &others);
}

fn scratch(place: &Place) -> Vec<String> {
    let files = place.files().into_iter().map(|path| path.display().to_string());
    files.filter(|path| path.contains("scratch")).collect()
}

#[test]
fn little_memory_makes_the_same_files_and_leaves_no_scratch() {
    let (large, small) = (Place::new(), Place::new());
    large.run(LARGE).done();
    let ran = small.run(SMALL);
    assert!(ran.err.contains("4v3 and twin: from ") && ran.err.contains(" of scratch read, "), "{}", ran.err);
    ran.done();
    assert_same_tables(&small, &large, "3x11");
    assert_eq!(scratch(&small), [""; 0]);
    // Scratch may be elsewhere.
    let elsewhere = Place::new();
    elsewhere.run(&format!("{SMALL} --scratch other")).done();
    assert_same_tables(&elsewhere, &large, "3x11");
    assert!(elsewhere.has("other") && scratch(&elsewhere).is_empty());
    // The same with depths.
    large.run(LARGE_DEPTHS).done();
    let ran = elsewhere.run(&format!("{SMALL_DEPTHS} --scratch other"));
    assert!(ran.err.contains("4v3 and twin: depths from layers, up to "), "{}", ran.err);
    ran.done();
    assert_same_tables(&elsewhere, &large, "9x3");
    assert!(scratch(&elsewhere).is_empty());
}

/// Kills a build again and again while it has a scratch file.
fn kill(small: &str, large: &str, board: &str, file: &str) {
    let scratch_file = format!("db/{board}/{file}");
    let (undisturbed, place) = (Place::new(), Place::new());
    undisturbed.run(large).done();
    let mut random = fastrand::Rng::new();
    let arguments: Vec<&str> = small.split_whitespace().collect();
    let mut seen = 0;
    for _ in 0..40 {
        let mut child =
            place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program");
        let start = Instant::now();
        while !place.has(&scratch_file) && child.try_wait().expect("a child").is_none() {
            assert!(start.elapsed() < Duration::from_secs(600), "no scratch file appears");
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(random.u64(..150)));
        let _ = child.kill();
        let ended = child.wait().expect("the program ends");
        seen += usize::from(place.has(&scratch_file));
        if ended.success() || seen >= 4 {
            break;
        }
    }
    assert!(seen > 0, "the builds were killed too late");
    place.run(small).done();
    assert_same_tables(&place, &undisturbed, board);
    assert_eq!(scratch(&place), [""; 0]);
}

#[test]
fn a_killed_build_from_tiles_goes_on_to_the_same_files() {
    kill(SMALL, LARGE, "3x11", "4v3.scratch");
}

#[test]
fn a_killed_build_of_depths_from_layers_goes_on_to_the_same_files() {
    kill(SMALL_DEPTHS, LARGE_DEPTHS, "9x3", "4v3.dtw.scratch");
}

#[test]
fn two_builds_do_not_share_scratch_and_old_scratch_is_removed() {
    let (place, other) = (Place::new(), Place::new());
    place.run(LARGE).done();
    // Tables that are complete need no scratch.
    fs::write(place.path().join("db/3x11/4v3.scratch"), "old").expect("a file");
    fs::write(place.path().join("db/3x11/4v3.scratch-state"), "old").expect("a file");
    fs::write(place.path().join("db/3x11/4v3.scratch-state.tmp"), "half").expect("a file");
    place.run(SMALL).done();
    assert_eq!(scratch(&place), [""; 0]);
    // Scratch of something else is thrown away, not used.
    fs::create_dir_all(other.path().join("db/3x11")).expect("a folder");
    fs::write(other.path().join("db/3x11/4v3.scratch"), "old").expect("a file");
    fs::write(other.path().join("db/3x11/4v3.scratch-state"), "old").expect("a file");
    other.run(SMALL).done();
    assert_same_tables(&other, &place, "3x11");
    // A scratch file that another build holds is not touched.
    let shared = place.path().join("shared");
    fs::create_dir_all(&shared).expect("a folder");
    let third = Place::new();
    let folder = third.path().join("db/3x11");
    fs::create_dir_all(&folder).expect("a folder");
    // Each database has names of its own there.
    let folder = folder.canonicalize().expect("a folder");
    let name = format!("3x11-{:08x}-4v3.scratch", xxh3_64(folder.as_os_str().as_encoded_bytes()) >> 32);
    let held = fs::File::create(shared.join(&name)).expect("a file");
    held.try_lock().expect("nobody else has it");
    third.run(&format!("{SMALL} --scratch {}", shared.display())).fails(&[&name, "in use", "wait"]);
}

#[test]
fn a_dry_run_prints_scratch_and_too_little_memory_is_refused() {
    let place = Place::new();
    let said = place.run(&format!("{SMALL} --dry-run")).done();
    assert!(said.contains("4v3 and twin: values from tiles, in ") && said.contains(" of scratch, "), "{said}");
    let json = place.run(&format!("{SMALL} --dry-run --json")).json();
    let pair = json["pairs"].as_array().and_then(|pairs| pairs.last()).expect("a pair");
    assert_eq!((&pair["mover"], &pair["form"], &json["fits"]), (&4.into(), &"tiles".into(), &true.into()));
    assert!(pair["scratch"]["bytes"].as_u64() > Some(19_000_000), "{json}");
    place.run("build 3x11 --slice 4v3 --memory 20M").fails_at_once(&["4v3", "memory", "--memory"]);
    let said = place.run(&format!("{SMALL_DEPTHS} --dry-run")).done();
    assert!(said.contains("4v3 and twin: depths from layers, in ") && said.contains(" of scratch, "), "{said}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_build_from_tiles_at_once() {
    let place = Place::new();
    let arguments: Vec<&str> = SMALL.split_whitespace().collect();
    let mut child = place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program");
    while !place.has("db/3x11/4v3.scratch") && child.try_wait().expect("a child").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let start = Instant::now();
    assert!(Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status().expect("a shell").success());
    let code = child.wait().expect("the program ends").code();
    // It may have come to its end meanwhile.
    assert!(matches!(code, Some(130 | 0)), "{code:?}");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    place.run(SMALL).done();
}
