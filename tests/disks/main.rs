//! Full disks and disks that can only be read: a clear error, and an intact database.
//!
//! Disks of a given size are mounted in a namespace of their own, which takes the superuser or a system that lets others make
//! such namespaces. Elsewhere these tests are reported as ignored.

#[macro_use]
#[path = "../support/harness.rs"]
mod harness;
#[path = "../support/program/mod.rs"]
mod program;

use std::fs;
use std::process::{Command, ExitCode, Stdio};
use std::sync::OnceLock;

use program::{Place, Ran, assert_same_files, built, files, has_no_temporary, is_intact, says};

const PROGRAM: &str = env!("CARGO_BIN_EXE_fanorona");
const BUILD: &str = "build 5x5 --stones 5 --metric both";
const NO_DISKS: &str = "no disk can be mounted here, neither by the superuser nor in a namespace of a user's own";

fn main() -> ExitCode {
    harness::run(
        namespace().is_none().then_some(NO_DISKS),
        "FANORONA_FAULT_TESTS",
        tests![
            a_build_on_a_full_disk_says_so_and_goes_on_when_there_is_space,
            a_build_with_scratch_on_a_full_disk_says_so_and_goes_on_too,
            searches_and_certificates_on_a_full_disk,
            a_folder_that_can_only_be_read_is_read,
        ],
    )
}

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
        ways.into_iter().find(mounts)
    })
}

/// Runs a script of the shell in which `$F` is the program and `$D` a folder with a disk of that many kilobytes; in
/// the end the disk is copied to the folder `after` of the place.
fn on_disk(place: &Place, kilobytes: usize, script: &str) {
    let way = namespace().expect(NO_DISKS);
    let script = format!(
        "set -u; mkdir -p disk; mount -t tmpfs -o size={kilobytes}k none disk || exit 90\nF={PROGRAM} D=disk\n\
         larger() {{ mount -o remount,rw,size=256m disk || exit 91; }}\n{script}\nlarger; mkdir -p after; cp -r disk/. after/"
    );
    let mut command = Command::new(way[0]);
    command.args(&way[1..]).args(["sh", "-c", &script]).current_dir(place.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = Ran::of(command.spawn().expect("unshare"));
    assert_eq!(ran.code, Some(0), "{script}\n{}{}", ran.out, ran.err);
}

/// The values, and then depths in so little memory that their layers go to a scratch file.
const LITTLE: [&str; 2] = ["build 5x5 --stones 5", "build 5x5 --stones 5 --metric dtw --memory 900k"];

fn a_build_on_a_full_disk_says_so_and_goes_on_when_there_is_space() {
    build_on_full_disks(&format!("$F {BUILD} --db $D/db"));
}

fn a_build_with_scratch_on_a_full_disk_says_so_and_goes_on_too() {
    let [values, depths] = LITTLE;
    let place = Place::new();
    place.run(values).done();
    let plan = place.run(&format!("{depths} --dry-run")).done();
    assert!(plan.contains("depths from layers"), "{plan}");
    build_on_full_disks(&format!("{{ $F {values} --db $D/db && $F {depths} --db $D/db; }}"));
}

/// Runs builds on disks from hardly large enough for a folder to just enough.
fn build_on_full_disks(build: &str) {
    let expected = built(BUILD, "db/5x5");
    let blocks = expected.values().map(|bytes| bytes.len().div_ceil(4096) + 1).sum::<usize>();
    let mut full = 0;
    for kilobytes in (4..=4 * blocks + 24).step_by((blocks / 4).max(8)) {
        let place = Place::new();
        let script = format!(
            "{build} 2>err; echo $? >code; mkdir -p found; cp -r $D/db found/ 2>/dev/null\n\
             larger; {build} 2>again || exit 92"
        );
        on_disk(&place, kilobytes, &script);
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

fn searches_and_certificates_on_a_full_disk() {
    let place = Place::new();
    // The state of a search, and its certificate; a certificate elsewhere; the page; the record of a game; a list.
    let script = "$F build 5x5 --stones 4 --db $D/db 2>/dev/null || exit 92\n\
        $F build 5x5 --stones 4 --db db 2>/dev/null >/dev/null || exit 93\n\
        head -c 100M /dev/zero >$D/filler 2>/dev/null\n\
        $F solve 5x5 --stones 3 --moves --threads 1 --db $D/db --checkpoint-every 0s 2>state; echo $? >>codes\n\
        $F solve 5x5 --stones 4 --db db --certificate $D/p 2>certificate >/dev/null; echo $? >>codes\n\
        $F solve 5x5 --stones 4 --db db --certificate q 2>resumed >/dev/null || exit 96\n\
        $F report --db $D/db --html $D/page.html 2>page; echo $? >>codes\n\
        $F stats 5x5 --db $D/db --csv 2>csv >$D/stats.csv; echo $? >>codes\n\
        echo 'old' >$D/filler; cp $D/filler $D/game.txt; head -c 100M /dev/zero >$D/filler 2>/dev/null\n\
        printf 'save disk/game.txt\\nquit\\n' | $F play 5x5 --white person --black person >played 2>play; echo $? >>codes\n\
        cat $D/game.txt >game\n\
        $F query '5/5/5/5/W3B w' --db $D/db >/dev/null 2>&1; echo $? >>codes\n\
        $F verify 5x5 --full --db $D/db >/dev/null 2>&1; echo $? >>codes\n\
        rm $D/filler; rm -f $D/stats.csv; ls -A $D $D/db/5x5 >list\n\
        $F solve 5x5 --stones 4 --db $D/db --certificate $D/p 2>/dev/null >/dev/null || exit 94\n\
        $F check $D/p --db $D/db >/dev/null 2>&1 || exit 95";
    on_disk(&place, 512, script);
    let read = |name: &str| fs::read_to_string(place.path().join(name)).expect("a file");
    let codes = read("codes");
    assert_eq!(codes.split_whitespace().collect::<Vec<_>>(), ["1", "1", "1", "1", "0", "0", "0"], "{}", read("state"));
    // It goes on without its state, if it comes to save it, and ends where its certificate has no space either.
    says(&read("state"), &["5x5.proof", "No space left"]);
    says(&read("certificate"), &["disk/p", "No space left"]);
    // What was found is not lost with the certificate.
    let saved = "5x5: the state of the search is saved; the same command continues from db/5x5/start.checkpoint";
    assert!(read("certificate").contains(saved), "{}", read("certificate"));
    assert!(read("resumed").contains("continuing from db/5x5/start.checkpoint"), "{}", read("resumed"));
    says(&read("page"), &["disk/page.html", "No space left", "--html"]);
    says(&read("csv"), &["standard output", "No space left"]);
    assert!(read("played").contains("cannot write disk/game.txt"), "{}", read("played"));
    assert_eq!(read("game"), "old\n", "the old record is still there");
    assert!(!read("list").contains(".tmp"), "{}", read("list"));
}

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
    on_disk(&place, 4096, script);
    let read = |name: &str| fs::read_to_string(place.path().join(name)).expect("a file");
    let codes: Vec<String> = read("codes").split_whitespace().map(str::to_owned).collect();
    assert_eq!(codes[..6], ["1"; 6], "{}{}", read("build"), read("solve"));
    says(&read("build"), &["disk/db/5x5", "Read-only", "--db"]);
    says(&read("other"), &["disk/db/3x3", "Read-only", "--db"]);
    says(&read("solve"), &["disk/db/certificates", "Read-only", "--certificate"]);
    says(&read("certificate"), &["disk/p", "Read-only", "--certificate"]);
    says(&read("reproduce"), &["disk/db", "Read-only"]);
    says(&read("page"), &["disk/page", "Read-only", "--html"]);
    assert_eq!(codes[6..], ["0"; 6], "{}", read("readers"));
    assert_same_files(&files(&place.path().join("after/db/5x5")), &expected);
}
