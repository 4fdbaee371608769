//! `fanorona check` from outside: verdicts, refusals, and what it says of tables.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use fanorona::index::Slice;
use fanorona::proof::{Certificate, Claim, TableUse};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{RuleSet, Value as Claimed};
use fanorona::table::{Access, Metric, folder_name, open_table, slices_in};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::oracle;
use crate::program::{Place, Ran};
use crate::prover::{Solved, position};

/// A place with a database `db` and a certificate `proof.fan`.
struct Proved {
    place: Place,
}

impl Proved {
    /// A certificate of a position of 3x3, with tables of up to `stones` stones.
    fn new(root: &str, stones: usize, rules: RuleSet) -> (Self, Certificate) {
        let place = Self { place: Place::new() };
        let tables = if stones > 0 { place.build(stones, rules) } else { Vec::new() };
        let solved = Solved::new(root, rules);
        let mut certificate = solved.prove(u32::try_from(stones).expect("few"), tables);
        certificate.write(&place.proof()).expect("a file");
        (place, certificate)
    }

    fn proof(&self) -> PathBuf {
        self.place.path().join("proof.fan")
    }

    fn tables(&self, rules: RuleSet) -> PathBuf {
        self.place.path().join("db").join(folder_name("3x3".parse().expect("a board"), rules))
    }

    fn build(&self, stones: usize, rules: RuleSet) -> Vec<TableUse> {
        let size = "3x3".parse().expect("a board");
        let database = self.place.path().join("db");
        build(Goal::values(size, rules, stones), &database, Budget::default()).expect("a build");
        let space = fanorona::index::Space::new(size, rules.diagonals);
        let folder = self.tables(rules);
        let identity = |slice| {
            open_table((&folder, &Access::Read), &space, rules, (slice, Metric::Wdl))
                .expect("a table")
                .header()
                .identity
        };
        let slices = slices_in((&folder, &Access::Read), Metric::Wdl).expect("tables").into_iter();
        slices.map(|slice| TableUse { slice, identity: identity(slice) }).collect()
    }

    fn run(&self, arguments: &str) -> Ran {
        self.place.run(arguments)
    }
}

fn start() -> String {
    oracle::start(3, 3)
}

const DRAWN: &str = "1B1/1W1/1W1 w";

#[test]
fn a_proof_of_the_start_comes_before_its_moves() {
    let (place, certificate) = Proved::new(&start(), 0, RuleSet::default());
    let text = place.run("check proof.fan").done();
    let lines: Vec<&str> = text.lines().collect();
    let (verdict, others) = lines.split_first().expect("a line");
    let positions = certificate.safe.len() + certificate.won.len();
    let begins = format!(
        "3x3, diagonals corner, continuation optional, stalemate loss: the start is a win for White: proved, without tables. \
         {positions} positions, "
    );
    assert!(verdict.starts_with(&begins), "{verdict}");
    assert!(verdict.ends_with(" s") && verdict.contains(" B, "), "{verdict}");
    assert_eq!(others.len(), certificate.claims.len() - 1);
    let mut moves = BTreeSet::new();
    for (line, claim) in others.iter().zip(&certificate.claims[1..]) {
        let (turn, rest) = line.strip_prefix("after ").and_then(|line| line.split_once(", ")).expect("a move");
        let text = claim.position.to_text(certificate.size);
        assert_eq!(rest, format!("\"{text}\" is {}: proved", claim.value.noun()));
        assert!(moves.insert(turn), "{text}");
    }
    assert!(moves.contains("c2-b2A"), "{moves:?}");
    // With a database or without, on any number of threads.
    fs::create_dir(place.place.path().join("db")).expect("a folder");
    for threads in ["", " --threads 1", " --threads 7", " --db nowhere", " --memory 1G"] {
        place.run(&format!("check proof.fan{threads}")).done();
    }
}

#[test]
fn other_positions_and_claims_are_named_by_their_text() {
    const GIVEN: &str = "given tables to 3 stones (the published ones, not verified). ";
    let (place, mut certificate) = Proved::new(DRAWN, 3, RuleSet::default());
    certificate.claims.truncate(2);
    certificate.write(&place.proof()).expect("a file");
    let text = place.run("check proof.fan").done();
    let verdict = text.lines().next().expect("a line");
    assert!(verdict.contains(&format!(": \"{DRAWN}\" is a draw: proved, {GIVEN}")), "{text}");
    certificate.claims[1] = Claim { position: position(DRAWN), value: Claimed::BlackDoesNotLose };
    certificate.write(&place.proof()).expect("a file");
    let text = place.run("check proof.fan").done();
    assert!(text.ends_with(&format!("\n\"{DRAWN}\" is no loss for Black: proved\n")), "{text}");
    certificate.claims.truncate(1);
    certificate.write(&place.proof()).expect("a file");
    assert!(place.run("check proof.fan").done().contains(&format!("is a draw: proved, {GIVEN}")));
}

#[test]
fn a_proof_says_what_its_tables_are_worth() {
    let (place, _) = Proved::new(DRAWN, 3, RuleSet::default());
    let given = || {
        let text = place.run("check proof.fan").done();
        let (_, given) = text.split_once("given tables to 3 stones (").expect("tables");
        given.split_once(')').expect("an end").0.to_owned()
    };
    let record = place.tables(RuleSet::default()).join("VERIFIED");
    assert_eq!(given(), "the published ones, not verified");
    place.run("verify 3x3 --sample 10").done();
    let samples = given();
    assert!(samples.starts_with("the published ones, samples verified on 20"), "{samples}");
    place.run("verify 3x3 --full").done();
    assert!(given().starts_with("the published ones, every value verified on 20"), "{}", given());
    // Less takes nothing back.
    place.run("verify 3x3 --sample 10").done();
    assert!(given().starts_with("the published ones, every value verified on 20"), "{}", given());
    let tables = &serde_json::from_str::<Value>(&place.run("check proof.fan --json").done()).expect("JSON")["tables"];
    assert!(tables["published"] == true && tables["verified"]["extent"] == "values", "{tables}");
    // A line that is not as it was written counts for nothing, and neither does a record of other tables.
    let whole = fs::read_to_string(&record).expect("a record");
    let digit = whole.find("1v1 ").expect("a line") + 4;
    let mut other_identity = whole.clone();
    other_identity.replace_range(digit..=digit, if whole[digit..].starts_with('0') { "1" } else { "0" });
    let sealed = |text: &str| {
        let (content, _) = text.rsplit_once("xxh3 ").expect("a checksum");
        format!("{content}xxh3 {:016x}\n", xxh3_64(content.as_bytes()))
    };
    assert_eq!(sealed(&whole), whole);
    for broken in [
        sealed(&other_identity),
        sealed(&whole.replace("1v1 ", "1v1 f")),
        sealed(&whole.replace("2v1", "4v1")),
        sealed(&whole.replace("verifier 2", "verifier 1")),
        // Of a folder for other rules, with the same tables; another day; cut off.
        sealed(&whole.replace(" 3x3\n", " 3x3-once\n")),
        whole.replacen(" 20", " 21", 1),
        whole[..whole.len() - 1].to_owned(),
    ] {
        assert_ne!(broken, whole);
        fs::write(&record, broken).expect("a record");
        assert_eq!(given(), "the published ones, not verified");
    }
    // A verification that covers the depths proves more.
    place.run("build 3x3 --stones 3 --metric dtw").done();
    place.run("verify 3x3 --full").done();
    assert!(given().starts_with("the published ones, every value, by depths, verified on 20"), "{}", given());
}

#[test]
fn json_has_exactly_its_fields() {
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<BTreeSet<_>>();
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
    let rules = RuleSet::from_options([false, true, true, true]);
    let (place, certificate) = Proved::new(&start(), 4, rules);
    let answer: Value = serde_json::from_str(&place.run("check proof.fan --json").done()).expect("JSON");
    let fields =
        ["file", "board", "rules", "verdict", "claims", "safe", "won", "positions", "identity", "tables", "seconds"];
    assert_eq!(keys(&answer), names(&fields));
    let (_, identity) =
        Certificate::read_with_identity(&place.proof(), u64::MAX, &Access::Read).expect("a certificate");
    assert_eq!(answer["identity"], format!("{identity:032x}"));
    assert_eq!(answer["positions"], certificate.positions());
    assert_eq!((&answer["file"], &answer["board"]), (&"proof.fan".into(), &"3x3".into()));
    assert_eq!(answer["verdict"], "proved");
    assert_eq!(keys(&answer["rules"]), names(&["diagonals", "continuation", "directions", "stalemate"]));
    assert_eq!(
        ["continuation", "directions", "stalemate"].map(|name| &answer["rules"][name]),
        ["obligatory", "once", "draw"]
    );
    assert_eq!((&answer["safe"], &answer["won"]), (&certificate.safe.len().into(), &certificate.won.len().into()));
    assert_eq!(keys(&answer["tables"]), names(&["stones", "slices", "published", "verified"]));
    assert!(answer["tables"]["published"] == true && answer["tables"]["verified"].is_null());
    assert_eq!(
        (&answer["tables"]["stones"], &answer["tables"]["slices"]),
        (&4.into(), &certificate.tables.len().into())
    );
    assert!(answer["seconds"].as_f64().is_some_and(|seconds| seconds >= 0.0));
    let claims = answer["claims"].as_array().expect("a list");
    assert_eq!(claims.len(), certificate.claims.len());
    for (claim, expected) in claims.iter().zip(&certificate.claims) {
        assert_eq!(keys(claim), names(&["position", "value"]));
        assert_eq!(claim["position"], expected.position.to_text(certificate.size));
        assert_eq!(claim["value"], expected.value.words());
    }
}

#[test]
fn refusals_take_one_line() {
    let (place, whole) = Proved::new(&start(), 0, RuleSet::default());
    let refused = |tamper: &dyn Fn(&mut Certificate), words: &[&str]| {
        let mut certificate = whole.clone();
        tamper(&mut certificate);
        certificate.write(&place.proof()).expect("a file");
        place.run("check proof.fan").fails_silently(&["fanorona: proof.fan is refused: "]);
        place.run("check proof.fan").fails(words);
        place.run("check proof.fan --json").fails(words);
    };
    let anew = "; write a new certificate";
    refused(&|c| c.won[3].reply = 77, &["of the won set is not proved: its reply is number 77", anew]);
    refused(&|c| c.won.retain(|won| won.rank > 1), &["of the won set is not proved: \"", "nothing is known", anew]);
    refused(
        &|c| c.won.iter_mut().for_each(|won| won.rank = 9),
        &["the win has rank 9, and one below 9 is needed", anew],
    );
    refused(
        &|c| c.claims[0].value = Claimed::Draw,
        &["claim 1, that \"BBB/B1W/WWW w\" is a draw, is not proved", anew],
    );
}

#[test]
fn files_that_are_no_certificates() {
    let (place, _) = Proved::new(DRAWN, 2, RuleSet::default());
    let path = place.proof();
    let whole = fs::read(&path).expect("a file");
    let with = |bytes: &[u8], words: &[&str]| {
        fs::write(&path, bytes).expect("a file");
        let ran = place.run("check proof.fan");
        ran.fails_silently(&["fanorona: proof.fan is refused: "]);
        ran.fails(words);
        assert_eq!(ran.err.matches("refused").count(), 1, "{}", ran.err);
    };
    with(&[], &["not a Fanorona certificate"]);
    with(&whole[..whole.len() - 1], &["are expected; copy it again, or write a new one"]);
    with(&[&whole[..], b"x"].concat(), &["are expected; copy it again"]);
    let mut changed = whole.clone();
    changed[100] ^= 1;
    with(&changed, &["its checksum does not match", "write a new one"]);
    changed.clone_from(&whole);
    changed[8] = 2;
    with(&changed, &["format 2, this program reads 1; use a newer program"]);
    let table = fs::read(place.tables(RuleSet::default()).join("1v1.wdl")).expect("a table");
    with(&table, &["not a Fanorona certificate"]);
    place.run("check nowhere.fan").fails_silently(&["nowhere.fan: cannot read: ", "check the path"]);
    place.run("check db").fails_silently(&["db: cannot read: "]);
    assert_eq!(place.run("check").code, Some(2));
    fs::write(&path, &whole).expect("a file");
    place.run("check proof.fan").done();
    place.run("check proof.fan --memory 100").fails_silently(&[
        "proof.fan takes ",
        "bytes of memory",
        "use a machine with more",
    ]);
}

#[test]
fn tables_that_are_not_there_or_not_the_same() {
    let (place, certificate) = Proved::new(&start(), 4, RuleSet::default());
    place.run("check proof.fan").done();
    place.run("check proof.fan --db elsewhere").fails_silently(&[
        "proof.fan cannot be checked: there is no table 1v1 in elsewhere/3x3",
        "fanorona build 3x3 --stones 4 --db elsewhere",
    ]);
    fs::remove_file(place.tables(RuleSet::default()).join("3v1.wdl")).expect("a table");
    place.run("check proof.fan").fails_silently(&["no table 3v1", "fanorona build 3x3 --stones 4"]);
    place.run("solve 3x3 --stones 4 --diagonals centre --stalemate draw --certificate other").done();
    let build = "fanorona build 3x3 --stones 4 --diagonals centre --stalemate draw --db elsewhere";
    place.run("check other --db elsewhere").fails_silently(&["no table 1v1", build]);
    place.build(4, RuleSet::default());
    place.run("check proof.fan").done();

    // Tables of another rule set under this name, and the right name with another identity in the certificate.
    let others = RuleSet::from_options([false, false, false, true]);
    place.build(4, others);
    let (here, aside) = (place.tables(RuleSet::default()), place.place.path().join("aside"));
    fs::rename(&here, &aside).expect("a folder");
    fs::rename(place.tables(others), &here).expect("a folder");
    place.run("check proof.fan").fails_silently(&["db/3x3/1v1.wdl", "stalemate draw"]);
    fs::remove_dir_all(&here).expect("a folder");
    fs::rename(&aside, &here).expect("a folder");
    place.run("check proof.fan").done();
    for index in [0, certificate.tables.len() - 1] {
        let mut changed = certificate.clone();
        changed.tables[index].identity += 1;
        changed.write(&place.proof()).expect("a file");
        let (slice, identity) = (changed.tables[index].slice, changed.tables[index].identity);
        let words =
            [format!("db/3x3/{slice}.wdl has identity"), format!("{identity:032x}"), "cannot be checked: ".to_owned()];
        place.run("check proof.fan").fails_silently(&words.each_ref().map(String::as_str));
    }
    // Fewer tables than the proof depends on.
    let mut changed = certificate.clone();
    changed.tables.retain(|table| table.slice.stones() < 4);
    changed.write(&place.proof()).expect("a file");
    place.run("check proof.fan").fails_silently(&["is not proved: ", "neither set nor listed table"]);
}

#[test]
fn damage_to_a_listed_table_is_noticed_wherever_it_is() {
    let (place, certificate) = Proved::new(&start(), 3, RuleSet::default());
    place.build(4, RuleSet::default());
    let folder = place.tables(RuleSet::default());
    let spoil = |slice: Slice, at: &dyn Fn(usize) -> usize| {
        let path = folder.join(format!("{slice}.wdl"));
        let whole = fs::read(&path).expect("a table");
        let mut bytes = whole.clone();
        let at = at(bytes.len());
        bytes[at] ^= 1;
        // Tables are replaced, not changed in place.
        fs::write(folder.join("spoilt"), &bytes).expect("a file");
        fs::rename(folder.join("spoilt"), &path).expect("a file");
        let ran = place.run("check proof.fan");
        fs::write(&path, whole).expect("a file");
        ran
    };
    for table in &certificate.tables {
        let name = format!("{}.wdl is damaged", table.slice);
        spoil(table.slice, &|length| length - 1).fails_silently(&[&name, "build again"]);
        spoil(table.slice, &|_| 102).fails_silently(&[&name, "in its header"]);
    }
    // The values of others are not looked at.
    spoil(Slice::new(2, 2), &|length| length - 1).done();
    place.run("check proof.fan").done();
}
