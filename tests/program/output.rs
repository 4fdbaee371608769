//! Where commands write: standard output that is closed, full or not read, and files that are links, devices or pipes.
#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{Place, Ran, make_pipe};
use crate::tables::with_tables;

#[test]
fn without_a_standard_output_nothing_is_begun() {
    let place = with_tables();
    let before = place.files();
    let commands = [
        "query 5/5/5/5/W3B_w",
        "query --stdin",
        "line 5/5/5/5/W3B_w",
        "stats 5x5",
        "verify 5x5 --full",
        "build 5x5 --stones 5",
        "solve 3x3 --stones 4 --certificate p",
        "check p",
        "reproduce",
        "info",
        "report --html page.html",
        "perft 3x3 2",
        "play 3x3",
        "review game",
        "uci",
        "match a b",
        "--help",
    ];
    for arguments in commands.into_iter().chain(cfg!(feature = "server").then_some("serve --bind 127.0.0.1:0")) {
        let mut command = Command::new("sh");
        let script = format!("exec {} {arguments} >&-", env!("CARGO_BIN_EXE_fanorona"));
        command.args(["-c", &script]).current_dir(place.path()).stdin(Stdio::null()).stderr(Stdio::piped());
        let ran = Ran::of(command.spawn().expect("a shell"));
        ran.fails_at_once(&["standard output", "closed", "/dev/null"]);
        assert_eq!(place.files(), before, "{arguments}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_goes_nowhere_is_reported_or_ends_quietly() {
    let place = with_tables();
    for arguments in [&["perft", "5x5", "2"][..], &["--help"], &["--version"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("the full device");
        let mut command = place.command(arguments);
        let child = command.stdout(full).stderr(Stdio::piped()).spawn().expect("the program");
        Ran::of(child).fails_at_once(&["standard output"]);
    }
    // A reader that has seen enough, such as `head`.
    let mut command = place.command(&["query", "--stdin"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    // The program may be gone before it has read everything.
    let _ = stdin.write_all("5/5/5/5/W3B w\n".repeat(20_000).as_bytes());
    drop(stdin);
    let ran = Ran::of(child);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn outputs_follow_links_and_replace_files_alone() {
    let place = Place::new();
    let path = |name: &str| place.path().join(name);
    let kind = |name: &str| fs::symlink_metadata(path(name)).expect("something").file_type();
    make_pipe(&path("pipe"));
    place.run("build 3x3 --stones 3").done();
    for (link, file) in [("null", "/dev/null"), ("one", "two"), ("two", "real"), ("round", "round"), ("other", "pipe")]
    {
        std::os::unix::fs::symlink(file, path(link)).expect("a link");
    }
    for output in ["solve 3x3 --certificate", "report --html"] {
        for name in ["null", "pipe", "other", "round", "db"] {
            place.run(&format!("{output} {name}")).fails(&[name]);
        }
        place.run(&format!("{output} one")).done();
        assert!(kind("real").is_file() && fs::remove_file(path("real")).is_ok());
    }
    // The name that a file has until it is complete may be taken too.
    fs::write(path("kept"), "kept").expect("a file");
    for taken in ["kept", "pipe"] {
        std::os::unix::fs::symlink(taken, path("new.tmp")).expect("a link");
        for output in ["solve 3x3 --certificate", "report --html"] {
            place.run(&format!("{output} new")).fails(&["new", "remove it"]);
        }
        assert!(kind("new.tmp").is_symlink() && !path("new").exists());
        fs::remove_file(path("new.tmp")).expect("a link");
    }
    // The state of a search is an output as well, and nothing comes to lie beside a device.
    for name in ["null", "pipe", "other", "round", "db", "/dev/null"] {
        place.run(&format!("solve 3x3 --checkpoint {name}")).fails_at_once(&[name]);
    }
    std::os::unix::fs::symlink("nowhere/state", path("nowhere")).expect("a link");
    place.run("solve 3x3 --checkpoint nowhere").fails_at_once(&["nowhere"]);
    assert!(!Path::new("/dev/null.lock").exists() && !path("null.lock").exists());
    // So may that of a lock, where a pipe would be waited for.
    make_pipe(&path("state.lock"));
    place.run("solve 3x3 --checkpoint state").fails_at_once(&["state.lock", "a device or a pipe"]);
    assert_eq!(fs::read(path("kept")).expect("a file"), b"kept");
    fs::write(path("new.tmp"), "left by a process that was killed").expect("a file");
    let another = fs::File::open(path("new.tmp")).expect("a file");
    another.lock().expect("a lock");
    place.run("report --html new").fails(&["new: it is being written at the moment"]);
    assert!(path("new.tmp").exists() && !path("new").exists());
    drop(another);
    place.run("report --html new").done();
    assert!(kind("new").is_file() && !path("new.tmp").exists());
    let mut game =
        place.command(&["play", "3x3"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a game");
    let commands = b"save pipe\nsave null\nsave one\nquit\n";
    game.stdin.take().expect("a pipe").write_all(commands).expect("a reader");
    let said = String::from_utf8(game.wait_with_output().expect("an end").stdout).expect("text");
    assert!(said.matches("a device or a pipe").count() == 2 && said.contains("Saved as one"), "{said}");
    assert!(kind("real").is_file() && ["null", "one", "two", "round"].iter().all(|link| kind(link).is_symlink()));
    assert!(!kind("pipe").is_file() && !fs::metadata("/dev/null").expect("a device").is_file());
}
