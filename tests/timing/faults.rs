//! Full disks, read-only folders, folders that vanish, and limits of the system: a clear error, and an intact database.
//!
//! Disks of a given size are mounted in a namespace of their own, which takes the superuser or a system that lets others make
//! such namespaces. Where it does not, those tests say so and are left out; `FANORONA_FAULT_TESTS=require` makes that a failure.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::program::{self, Place, Ran, assert_same_files, files};

const PROGRAM: &str = env!("CARGO_BIN_EXE_fanorona");

/// What to put before a command to have it in a namespace of its own, if that is possible here.
fn namespace() -> Option<&'static [&'static str]> {
    static FOUND: OnceLock<Option<&[&str]>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let ways: [&[&str]; 2] = [&["unshare", "-m"], &["unshare", "-U", "-r", "-m"]];
        let mounts = |way: &&[&str]| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut command = Command::new(way[0]);
            command.args(&way[1..]).args(["mount", "-t", "tmpfs", "none"]).arg(folder.path());
            command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        };
        let found = ways.into_iter().find(mounts);
        if found.is_none() {
            let why = "no disk can be mounted here, neither by the superuser nor in a namespace of a user's own";
            let required = std::env::var("FANORONA_FAULT_TESTS").is_ok_and(|value| value == "require");
            assert!(!required, "{why}");
            eprintln!("Left out: {why}.");
        }
        found
    })
}

/// Runs a script of the shell in which `$F` is the program and `$D` a folder with a disk of so many kilobytes of its own; in
/// the end the disk is copied to the folder `after` of the place. `None` where there are no such disks.
fn on_disk(place: &Place, kilobytes: usize, script: &str) -> Option<Ran> {
    let way = namespace()?;
    let script = format!(
        "set -u; mkdir -p disk; mount -t tmpfs -o size={kilobytes}k none disk || exit 90\nF={PROGRAM} D=disk\n\
         larger() {{ mount -o remount,rw,size=256m disk || exit 91; }}\n{script}\nlarger; mkdir -p after; cp -r disk/. after/"
    );
    let mut command = Command::new(way[0]);
    command.args(&way[1..]).args(["sh", "-c", &script]).current_dir(place.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = Ran::of(command.spawn().expect("unshare"));
    assert_eq!(ran.code, Some(0), "{script}\n{}{}", ran.out, ran.err);
    Some(ran)
}

/// Runs the program under a limit of the shell.
fn limited(place: &Place, limit: &str, arguments: &str) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit {limit} && exec {PROGRAM} {arguments}")]).current_dir(place.path());
    command.env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ran::of_any(command.spawn().expect("a shell"))
}

/// Asserts that a text has one line of the program's own, the last one, that says all of `words`.
fn says(err: &str, words: &[&str]) {
    let own = err.lines().filter(|line| line.starts_with("fanorona: ")).count();
    let last = err.lines().last().unwrap_or_default();
    assert!(own == 1 && last.starts_with("fanorona: "), "{err}");
    for word in words {
        assert!(last.contains(word), "{word:?} is missing: {last}");
    }
}

fn is_temporary(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "tmp")
}

fn has_no_temporary(place: &Place) {
    let mut left = place.files();
    left.retain(|file| is_temporary(file));
    assert!(left.is_empty(), "left over: {left:?}");
}

/// The files of an undisturbed build.
fn built(arguments: &str, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let place = Place::new();
    place.run(arguments).done();
    files(&place.path().join(folder))
}

/// What tables there are is sound: as far as they are complete, verified; each as in an undisturbed build.
fn is_intact(place: &Place, database: &str, expected: &BTreeMap<String, Vec<u8>>) {
    let left = files(&place.path().join(database).join("5x5"));
    for (name, bytes) in left.iter().filter(|(name, _)| name.contains('v')) {
        assert!(expected.get(name) == Some(bytes), "{name} is not what it should be");
    }
    if left.contains_key("1v1.wdl") {
        place.run(&format!("verify 5x5 --full --db {database}")).done();
    }
}

const BUILD: &str = "build 5x5 --stones 5 --metric both";

// Full disks

#[test]
fn a_build_on_a_full_disk_says_so_and_goes_on_when_there_is_space() {
    let expected = built(BUILD, "db/5x5");
    let blocks = expected.values().map(|bytes| bytes.len().div_ceil(4096) + 1).sum::<usize>();
    let mut full = 0;
    // From hardly a folder to just enough.
    for kilobytes in (4..=4 * blocks + 24).step_by((blocks / 4).max(8)) {
        let place = Place::new();
        let script = format!(
            "$F {BUILD} --db $D/db 2>err; echo $? >code; mkdir -p found; cp -r $D/db found/ 2>/dev/null\n\
             larger; $F {BUILD} --db $D/db 2>again || exit 92"
        );
        let Some(_) = on_disk(&place, kilobytes, &script) else { return };
        let read = |name: &str| fs::read_to_string(place.path().join(name)).expect("a file");
        match read("code").trim() {
            "0" => {}
            "1" => {
                full += 1;
                says(&read("err"), &["disk", "No space left", "free some space"]);
            }
            other => panic!("{kilobytes} kB: status {other}, {}", read("err")),
        }
        has_no_temporary(&place);
        is_intact(&place, "found/db", &expected);
        assert_same_files(&files(&place.path().join("after/db/5x5")), &expected);
    }
    assert!(full >= 4, "the disks were too large: {full} of them full");
}

#[test]
fn searches_and_certificates_on_a_full_disk() {
    let place = Place::new();
    // The state of a search, at its first save; the certificate; the page; the record of a game; a list.
    let script = "$F build 5x5 --stones 4 --db $D/db 2>/dev/null || exit 92\n\
        $F build 5x5 --stones 4 --db db 2>/dev/null >/dev/null || exit 93\n\
        head -c 100M /dev/zero >$D/filler 2>/dev/null\n\
        $F solve 5x5 --stones 3 --threads 1 --db $D/db --checkpoint-every 0s 2>state; echo $? >>codes\n\
        $F solve 5x5 --stones 4 --db db --certificate $D/p 2>certificate >/dev/null; echo $? >>codes\n\
        $F solve 5x5 --stones 4 --db db --certificate q 2>resumed >/dev/null || exit 96\n\
        $F report --db $D/db --html $D/page.html 2>page; echo $? >>codes\n\
        $F stats 5x5 --db $D/db --csv 2>csv >$D/stats.csv; echo $? >>codes\n\
        echo 'old' >$D/filler; cp $D/filler $D/game.txt; head -c 100M /dev/zero >$D/filler 2>/dev/null\n\
        printf 'save disk/game.txt\\nquit\\n' | $F play 5x5 --white human --black human >played 2>play; echo $? >>codes\n\
        cat $D/game.txt >game\n\
        $F query '5/5/5/5/W3B w' --db $D/db >/dev/null 2>&1; echo $? >>codes\n\
        $F verify 5x5 --full --db $D/db >/dev/null 2>&1; echo $? >>codes\n\
        rm $D/filler; rm -f $D/stats.csv; ls -A $D $D/db/5x5 >list\n\
        $F solve 5x5 --stones 4 --db $D/db --certificate $D/p 2>/dev/null >/dev/null || exit 94\n\
        $F check $D/p --db $D/db >/dev/null 2>&1 || exit 95";
    let Some(_) = on_disk(&place, 512, script) else { return };
    let read = |name: &str| fs::read_to_string(place.path().join(name)).expect("a file");
    let codes = read("codes");
    assert_eq!(codes.split_whitespace().collect::<Vec<_>>(), ["1", "1", "1", "1", "0", "0", "0"], "{}", read("state"));
    says(&read("state"), &["checkpoint", "No space left", "free some space"]);
    says(&read("certificate"), &["disk/p", "No space left"]);
    // What was found is not lost with the certificate.
    let saved = "5x5: the state of the search is saved; the same command goes on from db/5x5/start.checkpoint";
    assert!(read("certificate").contains(saved), "{}", read("certificate"));
    assert!(read("resumed").contains("going on from db/5x5/start.checkpoint"), "{}", read("resumed"));
    says(&read("page"), &["disk/page.html", "No space left", "--html"]);
    says(&read("csv"), &["standard output", "No space left"]);
    assert!(read("played").contains("cannot write disk/game.txt"), "{}", read("played"));
    assert_eq!(read("game"), "old\n", "the old record is still there");
    assert!(!read("list").contains(".tmp"), "{}", read("list"));
}

#[test]
fn output_to_a_full_device_is_an_error() {
    let place = Place::new();
    place.run("build 5x5 --stones 3").done();
    let commands = [
        "stats 5x5 --csv",
        "stats 5x5",
        "info",
        "report",
        "report --json",
        "verify 5x5",
        "query 5/5/5/5/W3B_w",
        "line 5/5/5/5/W3B_w",
        "perft 3x3 2",
        "solve 3x3 --stones 4",
        "build 5x5 --stones 3",
        "build 3x3 --stones 3 --dry-run",
    ];
    for arguments in commands {
        let full = fs::File::options().write(true).open("/dev/full").expect("the full device");
        let mut command = place.command(&arguments.split_whitespace().collect::<Vec<_>>());
        let ran = Ran::of(command.stdout(full).spawn().expect("the program"));
        assert_eq!(ran.code, Some(1), "{arguments}: {}", ran.err);
        says(&ran.err, &["standard output", "No space left"]);
        // What is said besides the result may be lost.
        let full = fs::File::options().write(true).open("/dev/full").expect("the full device");
        let mut command = place.command(&arguments.split_whitespace().collect::<Vec<_>>());
        let child = command.stderr(full).spawn().expect("the program");
        assert_eq!(Ran::of(child).code, Some(0), "{arguments}");
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error() {
    let place = Place::new();
    let expected = built(BUILD, "db/5x5");
    // In blocks of 512 bytes; the shell counts so.
    for blocks in [0, 1, 3, 8] {
        let ran = limited(&place, &format!("-f {blocks}"), BUILD);
        ran.fails(&["File too large", "ulimit -f"]);
        has_no_temporary(&place);
        is_intact(&place, "db", &expected);
    }
    place.run(BUILD).done();
    assert_same_files(&files(&place.path().join("db/5x5")), &expected);
}

// Folders

#[test]
fn a_folder_that_can_only_be_read_is_read() {
    let expected = built("build 5x5 --stones 4", "db/5x5");
    let place = Place::new();
    let script = "$F build 5x5 --stones 3 --db $D/db 2>/dev/null || exit 92\n\
        mount -o remount,ro $D || exit 93\n\
        $F build 5x5 --stones 4 --db $D/db 2>build; echo $? >>codes\n\
        $F build 3x3 --stones 4 --db $D/db 2>other; echo $? >>codes\n\
        $F solve 5x5 --stones 3 --db $D/db 2>solve; echo $? >>codes\n\
        $F solve 5x5 --stones 3 --db db --certificate $D/p 2>certificate; echo $? >>codes\n\
        $F reproduce --db $D/db 2>reproduce; echo $? >>codes\n\
        $F report --db $D/db --html $D/page 2>page; echo $? >>codes\n\
        for reader in 'query 5/5/5/5/W3B_w' 'line 5/5/5/5/W3B_w' 'stats 5x5' 'verify 5x5 --full' info report; do\n\
          $F $reader --db $D/db >/dev/null 2>readers; echo $? >>codes\n\
        done\n\
        larger; $F build 5x5 --stones 4 --db $D/db 2>/dev/null || exit 94";
    let Some(_) = on_disk(&place, 4096, script) else { return };
    let read = |name: &str| fs::read_to_string(place.path().join(name)).expect("a file");
    let codes: Vec<String> = read("codes").split_whitespace().map(str::to_owned).collect();
    assert_eq!(codes[..6], ["1"; 6], "{}{}", read("build"), read("solve"));
    says(&read("build"), &["disk/db/5x5", "Read-only", "--db"]);
    says(&read("other"), &["disk/db/3x3", "Read-only", "--db"]);
    says(&read("solve"), &["disk/db/5x5", "Read-only", "--checkpoint"]);
    says(&read("certificate"), &["disk/p", "Read-only", "--certificate"]);
    says(&read("reproduce"), &["disk/db", "Read-only"]);
    says(&read("page"), &["disk/page", "Read-only", "--html"]);
    assert_eq!(codes[6..], ["0"; 6], "{}", read("readers"));
    assert_same_files(&files(&place.path().join("after/db/5x5")), &expected);
}

#[test]
fn a_folder_that_is_removed_under_a_build_ends_it() {
    let expected = built(BUILD, "db/5x5");
    let mut ended = 0;
    for after in ["1v1.wdl: ", "3v1.wdl: ", "3v2.wdl: ", "2v1.dtw: ", "3v1.dtw: ", "4v1.dtw: "] {
        let place = Place::new();
        let mut child = place.command(&BUILD.split_whitespace().collect::<Vec<_>>()).spawn().expect("the program");
        let mut err = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        while !line.starts_with(after) {
            line.clear();
            assert!(err.read_line(&mut line).expect("text") > 0, "no line {after:?}");
        }
        // The program may put a file into it at the same moment.
        while fs::remove_dir_all(place.path().join("db")).is_err() {}
        child.stderr = Some(err.into_inner());
        let ran = Ran::of(child);
        if ran.code != Some(0) {
            ended += 1;
            // What it misses may be the folder, or the values that depths go with.
            ran.fails(&["db/5x5"]);
        }
        has_no_temporary(&place);
        place.run(BUILD).done();
        assert_same_files(&files(&place.path().join("db/5x5")), &expected);
    }
    assert!(ended >= 3, "only {ended} builds noticed that their folder had gone");
}

// Handles

#[test]
fn too_few_file_handles_are_named() {
    let place = Place::new();
    let expected = built("build 5x5 --stones 4", "db/5x5");
    place.run("build 5x5 --stones 3").done();
    let mut lacking = 0;
    for handles in 3..=16 {
        for arguments in [
            "build 5x5 --stones 4",
            "verify 5x5",
            "query 5/5/5/5/W3B_w",
            "solve 5x5 --stones 4 --no-moves --checkpoint state",
        ] {
            let ran = limited(&place, &format!("-n {handles}"), arguments);
            // The loader of the system needs some itself.
            if ran.err.contains("error while loading shared libraries") {
                continue;
            }
            if ran.code != Some(0) {
                lacking += 1;
                assert_eq!(ran.code, Some(1), "{handles}, {arguments}: {}", ran.err);
                says(&ran.err, &["ulimit -n"]);
                assert!(!ran.err.contains("delete"), "{handles}, {arguments}: {}", ran.err);
            }
            has_no_temporary(&place);
        }
    }
    assert!(lacking > 0, "handles were never too few");
    place.run("build 5x5 --stones 4").done();
    assert_same_files(&files(&place.path().join("db/5x5")), &expected);
}

// Memory

/// Megabytes of address space for the larger tests: from too few to start with to what is enough.
const MEGABYTES: [usize; 8] = [20, 30, 40, 60, 90, 130, 250, 2000];

/// Asserts that a program that did not get its memory said so in one line.
fn memory_was_short(ran: &Ran, what: &str) {
    assert_eq!(ran.code, Some(1), "{what}: {}", ran.err);
    let words = ["memory", "ulimit -v", "Resource temporarily unavailable"];
    assert!(words.iter().any(|word| ran.err.contains(word)), "{what}: {}", ran.err);
}

#[test]
fn a_limit_of_memory_is_told_beforehand_or_where_it_is_met() {
    let expected = built("build 9x5 --stones 5", "db/9x5");
    let (mut before, mut amid, mut done) = (0, 0, 0);
    for megabytes in MEGABYTES {
        let limit = format!("-v {}", megabytes * 1024);
        // What is free is taken from the limit; or the user insists on more than there is.
        for memory in ["", "--memory 8G"] {
            let place = Place::new();
            let ran = limited(&place, &limit, &format!("build 9x5 --stones 5 --threads 2 {memory}"));
            if ran.err.contains("error while loading shared libraries") {
                continue;
            }
            if ran.code == Some(0) {
                done += 1;
                has_no_temporary(&place);
                assert_same_files(&files(&place.path().join("db/9x5")), &expected);
                continue;
            }
            memory_was_short(&ran, &format!("{megabytes} MB {memory}"));
            if ran.err.contains("may be used") {
                before += 1;
            } else {
                amid += 1;
            }
            let left = files(&place.path().join("db/9x5"));
            for (name, bytes) in left.iter().filter(|(name, _)| name.contains('v')) {
                let is_whole = is_temporary(Path::new(name)) || expected.get(name) == Some(bytes);
                assert!(is_whole, "{megabytes} MB {memory}: {name} is not what it should be");
            }
            // Where memory for something small is refused the process ends where it is; the next build puts that in order.
            if left.keys().any(|name| is_temporary(Path::new(name))) {
                place.run("build 9x5 --stones 5").done();
                has_no_temporary(&place);
                assert_same_files(&files(&place.path().join("db/9x5")), &expected);
            }
        }
    }
    println!("{before} refused beforehand, {amid} broken off, {done} done");
    assert!(before + amid > 1 && done > 1, "{before} beforehand, {amid} amid, {done} done");
}

#[test]
fn other_commands_end_in_order_without_memory() {
    let place = Place::new();
    place.run("build 9x5 --stones 4 --metric both").done();
    place.run("solve 5x5 --stones 5 --certificate p").done();
    let before = place.files();
    let commands = [
        "verify 9x5 --full --threads 2",
        "stats 9x5 --zugzwangs",
        "query 9/9/9/9/B3WW2W_w",
        "solve 5x5 --stones 5 --memory 4G --threads 2",
        "check p --threads 2",
        "report",
    ];
    let mut short = 0;
    for arguments in commands {
        for megabytes in [16, 20, 24, 40] {
            let ran = limited(&place, &format!("-v {}", megabytes * 1024), arguments);
            if ran.code != Some(0) && !ran.err.contains("error while loading shared libraries") {
                short += 1;
                memory_was_short(&ran, &format!("{megabytes} MB, {arguments}"));
            }
        }
    }
    assert!(short > 4, "{short}");
    has_no_temporary(&place);
    place.run("verify 9x5").done();
    assert!(place.files().is_superset(&before));
}

// Servers

/// Starts a server, under a limit of the shell, and gives its address.
#[cfg(feature = "server")]
fn server(place: &Place, limit: &str) -> (std::process::Child, String) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit {limit}; exec {PROGRAM} serve --bind 127.0.0.1:0")]).current_dir(place.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("a shell");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("an address");
    (child, line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned())
}

/// The status and the body that a server answers with.
#[cfg(feature = "server")]
fn get(address: &str, path: &str) -> (u16, String) {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).expect("a server");
    let request = format!("GET {path} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a server that reads");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), body.to_owned())
}

#[cfg(feature = "server")]
const POSITION: &str = "/api/5x5?position=5/5/5/5/W3B_w";

#[cfg(feature = "server")]
#[test]
fn a_folder_that_is_removed_under_a_server_is_missing_until_it_is_back() {
    let place = Place::new();
    place.run("build 5x5 --stones 3").done();
    let (child, address) = server(&place, "-n 256");
    let (status, before) = get(&address, POSITION);
    assert!(status == 200 && before.contains("\"win\""), "{before}");
    fs::remove_dir_all(place.path().join("db")).expect("a folder");
    let (status, body) = get(&address, POSITION);
    assert_eq!(status, 404, "{body}");
    assert!(body.contains("there are no tables of 5x5"), "{body}");
    assert_eq!(get(&address, "/api/tables").0, 200);
    place.run("build 5x5 --stones 3").done();
    assert_eq!(get(&address, POSITION), (200, before));
    program::signal(&child, "INT");
    assert_eq!(Ran::of(child).code, Some(0));
}

#[cfg(feature = "server")]
#[test]
fn a_server_without_file_handles_answers_when_it_has_some_again() {
    let place = Place::new();
    place.run("build 5x5 --stones 3").done();
    let (child, address) = server(&place, "-n 20");
    // More clients than it has handles for, before it has opened any table.
    let idle: Vec<_> = (0..40).map(|_| std::net::TcpStream::connect(&address).expect("a server")).collect();
    std::thread::sleep(std::time::Duration::from_millis(300));
    drop(idle);
    let (status, body) = get(&address, POSITION);
    // Connections that have ended may not all have been given up yet.
    assert!([200, 503].contains(&status), "{status} {body}");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let (status, body) = get(&address, POSITION);
    assert!(status == 200 && body.contains("\"win\""), "{status} {body}");
    assert!(get(&address, "/api/tables").1.contains("5x5"));
    program::signal(&child, "INT");
    assert_eq!(Ran::of(child).code, Some(0));
}
