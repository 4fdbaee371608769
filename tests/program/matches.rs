//! `fanorona match`: real engines, engines that misbehave, interrupts, and records from which a match continues.

use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use fanorona::GameRequest;
use fanorona::game::parse_record;
use serde_json::{Value, json};

use crate::json::assert_documented;
use crate::program::{Place, Ran};

/// This program as an engine.
fn ours() -> String {
    format!("'{}' uci", env!("CARGO_BIN_EXE_fanorona"))
}

/// The arguments of a match, those of the engines apart because they have spaces.
fn arguments<'a>(engines: [&'a str; 2], rest: &'a str) -> Vec<&'a str> {
    ["match"].into_iter().chain(engines).chain(rest.split_whitespace()).collect()
}

fn play(place: &Place, engines: [&str; 2], rest: &str) -> Ran {
    place.run_with(&arguments(engines, rest))
}

/// An engine of a few lines; `go` is what it does when it has to move.
fn script(place: &Place, name: &str, go: &str) -> String {
    let text = format!(
        "while read -r command rest; do\n  case \"$command\" in\n    uci) echo uciok;;\n    isready) echo readyok;;\n    \
         go) {go};;\n    quit) exit;;\n  esac\ndone\n"
    );
    fs::write(place.path().join(name), text).expect("a file");
    format!("sh {name}")
}

/// The records of a file, without the times of the moves, in the order of the games.
fn games(place: &Place, file: &str) -> Vec<GameRequest> {
    let text = fs::read_to_string(place.path().join(file)).expect("a file of records");
    let mut games: Vec<GameRequest> = text
        .split("[Event ")
        .skip(1)
        .map(|part| parse_record(&format!("[Event {part}")).unwrap_or_else(|error| panic!("{error}\n{part}")).game)
        .map(|game| GameRequest { times: Vec::new(), ..game })
        .collect();
    games.sort_by_key(|game| game.tags["Event"].rsplit(' ').next().and_then(|number| number.parse::<u64>().ok()));
    games
}

fn waits(mut child: Child, done: impl Fn() -> bool) -> Child {
    while !done() && child.try_wait().expect("a process").is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

const STRONG_AND_WEAK: &str =
    "--board 5x5 --nodes 300 --plies 4 --name1 strong --name2 weak --option Hash=1 --option2 Level=1";

#[test]
fn the_stronger_engine_wins_and_the_records_say_how() {
    let (place, engine) = (Place::new(), ours());
    let rest = format!("{STRONG_AND_WEAK} --games 12 --concurrency 2 --record games.txt");
    let result = play(&place, [&engine, &engine], &format!("{rest} --json")).json();
    assert_documented("match", &result);
    let number = |name: &str| result[name].as_u64().unwrap_or_else(|| panic!("{name}: {result}"));
    assert_eq!((number("games"), number("wins") + number("draws") + number("losses")), (12, 12));
    assert!(number("wins") > number("losses"), "{result}");
    let pairs: Vec<u64> = serde_json::from_value(result["pairs"].clone()).unwrap();
    assert_eq!(pairs.iter().sum::<u64>(), 6);
    let points: u64 = pairs.iter().zip(0..).map(|(pairs, points)| pairs * points).sum();
    assert_eq!(points, 2 * number("wins") + number("draws"));
    assert_eq!((&result["engines"][0]["name"], &result["engines"][1]["forfeits"]), (&"strong".into(), &0.into()));
    assert!(result["elo"]["value"].as_f64().is_none_or(|elo| elo > 0.0) && result["los"].as_f64().unwrap() > 0.5);

    let games = games(&place, "games.txt");
    assert_eq!(games.len(), 12);
    let mut openings = Vec::new();
    for (number, pair) in games.chunks(2).enumerate() {
        assert_eq!(pair[0].moves[..4], pair[1].moves[..4]);
        openings.push(&pair[0].moves[..4]);
        for (game, [white, black]) in pair.iter().zip([["strong", "weak"], ["weak", "strong"]]) {
            assert_eq!((game.tags["White"].as_str(), game.tags["Black"].as_str()), (white, black));
            assert!(game.replay().unwrap().result().is_some());
        }
        let event = format!("match, 300 nodes a move, game {}", 2 * number + 1);
        assert_eq!(pair[0].tags["Event"], event);
    }
    openings.sort();
    openings.dedup();
    assert_eq!(openings.len(), 6);

    // Everything has been played: the same command has the same result, and says it for people too.
    let again = play(&place, [&engine, &engine], &rest);
    assert!(again.err.contains("continuing from games.txt: 12 games"), "{}", again.err);
    let (wins, draws, losses) = (number("wins"), number("draws"), number("losses"));
    assert!(again.done().contains(&format!("wins-draws-losses {wins}-{draws}-{losses} in 12 games")));
}

#[test]
#[cfg(unix)]
fn an_interrupted_match_goes_on_to_the_same_record() {
    let (place, engine) = (Place::new(), ours());
    let rest = |file: &str| format!("{STRONG_AND_WEAK} --games 24 --record {file}");
    play(&place, [&engine, &engine], &rest("whole.txt")).done();
    let whole = games(&place, "whole.txt");

    let child = place.command(&arguments([&engine, &engine], &rest("parts.txt"))).spawn().expect("the program");
    let path = place.path().join("parts.txt");
    let child = waits(child, || fs::metadata(&path).is_ok_and(|found| found.len() > 0));
    crate::program::signal(&child, "INT");
    let ran = Ran::of(child);
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.contains("interrupted; the same command continues from parts.txt"), "{}", ran.err);
    assert!(ran.out.contains("wins-draws-losses "), "{}", ran.out);
    let part = games(&place, "parts.txt");
    assert!(!part.is_empty() && part.len() < 24, "{}", part.len());

    // Killed while it wrote a game: the beginning of one is at the end.
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("[Event \"match, 300 nodes a move, game 24\"]\n[Date \"????.??.??\"]\n[Whi");
    fs::write(&path, text).unwrap();
    play(&place, [&engine, &engine], &rest("parts.txt")).done();
    assert_eq!(games(&place, "parts.txt"), whole);
    // The same in the middle of a character.
    let complete = fs::read(&path).unwrap();
    fs::write(&path, [&complete, &b"[Event \"match, 300 nodes a move, game 24\"]\n[White \"n\xc3"[..]].concat())
        .unwrap();
    play(&place, [&engine, &engine], &rest("parts.txt")).done();
    assert_eq!(fs::read(&path).unwrap(), complete);
    // A last game that is whole and cannot be read is no such thing, and stays.
    let text = String::from_utf8(complete.clone()).unwrap();
    let last_move = text.rfind("\n1. ").expect("moves") + 4;
    let spoilt = format!("{}z9{}", &text[..last_move], &text[last_move + 2..]);
    fs::write(&path, &spoilt).unwrap();
    play(&place, [&engine, &engine], &rest("parts.txt")).fails_at_once(&["parts.txt, game 24 of the file: "]);
    assert_eq!(fs::read_to_string(&path).unwrap(), spoilt);
    // Nor is one that is followed by something else.
    let noted = [&complete, &b"hello\n"[..]].concat();
    fs::write(&path, &noted).unwrap();
    play(&place, [&engine, &engine], &rest("parts.txt"))
        .fails_at_once(&["parts.txt, game 24 of the file: line", "\"hello\""]);
    assert_eq!(fs::read(&path).unwrap(), noted);
    // No match comes to such a number while these games are missing.
    fs::write(&path, text.replace("game 3\"", "game 900001\"")).unwrap();
    play(&place, [&engine, &engine], &rest("parts.txt"))
        .fails_at_once(&["of another match: it has number 900001 in a file of "]);
    fs::write(&path, complete).unwrap();

    // Another match does not continue from it, and leaves it as it is.
    let before = fs::read(&path).unwrap();
    for (other, words) in [
        ("--seed 2", "it has another opening"),
        ("--move-limit 100", "it is on 5x5, "),
        ("--option1 Level=2 --name1 other", "White is \"strong\" instead of \"other\""),
    ] {
        let options = format!("{} {other}", rest("parts.txt")).replace("--name1 strong", "");
        let options = if other.contains("--name1") { options } else { format!("{options} --name1 strong") };
        let ran = play(&place, [&engine, &engine], &options);
        ran.fails_at_once(&["parts.txt: game ", "of the file is of another match", words]);
    }
    fs::write(place.path().join("first.txt"), whole[0].moves[..4].join(" ")).unwrap();
    let listed = STRONG_AND_WEAK.replace("--plies 4", "--openings first.txt --record parts.txt");
    play(&place, [&engine, &engine], &listed).fails_at_once(&["of another match: its opening is not in the list"]);
    let nodes = rest("parts.txt").replace("--nodes 300", "--nodes 300,200");
    let words = ["its Event is", "instead of \"match, 300 nodes a move against 200 nodes a move, game \""];
    play(&place, [&engine, &engine], &nodes).fails_at_once(&words);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
#[cfg(unix)]
fn engines_that_misbehave_lose_and_are_named() {
    let place = Place::new();
    let illegal = script(&place, "illegal.sh", "echo bestmove a1-a9");
    let crashing = script(&place, "crashing.sh", "echo out of cheese >&2; exit 3");
    let hanging = script(&place, "hanging.sh", "sleep 61 & echo $! >>started; wait");
    // The one that has White moves first, and loses.
    for (engines, timeout, faults) in [
        (
            [&illegal, &crashing],
            "60s",
            [
                "game 1: sh illegal.sh loses: illegal move \"a1-a9\": ",
                "game 2: sh crashing.sh loses: the engine ended (exit status: 3: out of cheese)",
            ],
        ),
        (
            [&hanging, &hanging],
            "200ms",
            [
                "game 1: sh hanging.sh loses: no answer within 0.2 s",
                "game 2: sh hanging.sh (2) loses: no answer within 0.2 s",
            ],
        ),
    ] {
        let rest = format!("--nodes 100 --plies 2 --games 2 --timeout {timeout} --json --record faults.txt");
        let ran = play(&place, [engines[0], engines[1]], &rest);
        for fault in faults {
            assert!(ran.err.contains(fault), "{fault}\n{}", ran.err);
        }
        let result = ran.json();
        assert_eq!(
            (&result["wins"], &result["losses"], &result["ends"]),
            (&1.into(), &1.into(), &json!({"forfeit": 2}))
        );
        for engine in result["engines"].as_array().unwrap() {
            assert_eq!(engine["forfeits"], 1, "{result}");
        }
        let games = games(&place, "faults.txt");
        assert_eq!(serde_json::to_value(games[0].end).unwrap(), json!({"by": "forfeit", "side": "white"}));
        let text = fs::read_to_string(place.path().join("faults.txt")).unwrap();
        assert!(text.contains(&format!("{{White: {}", faults[1].split_once("loses: ").unwrap().1)), "{text}");
        fs::remove_file(place.path().join("faults.txt")).unwrap();
    }
    // What an engine has started ends with it.
    for process in fs::read_to_string(place.path().join("started")).unwrap().lines() {
        let is_there = || Command::new("kill").args(["-0", process]).output().unwrap().status.success();
        let begun = Instant::now();
        while is_there() {
            assert!(begun.elapsed() < Duration::from_secs(5), "{process}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
#[cfg(unix)]
fn a_sequential_test_ends_the_match() {
    let (place, engine) = (Place::new(), ours());
    let illegal = script(&place, "illegal.sh", "echo bestmove a1-a9");
    let result = play(&place, [&engine, &illegal], "--nodes 10 --sprt 0,200 --concurrency 2 --json").json();
    assert_eq!((&result["sprt"]["decision"], &result["losses"]), (&"h1".into(), &0.into()), "{result}");
    // Each pair that is won is worth ln(0.76 / 0.5), and the bound is 2.94.
    let pairs = result["pairs"][4].as_u64().unwrap();
    assert!((7..=9).contains(&pairs), "{result}");
    let text = play(&place, [&illegal, &engine], "--nodes 10 --sprt 0,200").done();
    assert!(text.contains("H0 accepted: 0 Elo rather than 200") && text.contains("Elo -inf (-inf to "), "{text}");
}

#[test]
fn listed_openings_and_adjudication() {
    let (place, engine) = (Place::new(), ours());
    place.run("build 3x3 --stones 8 --metric wdl").done();
    fs::write(
        place.path().join("openings.txt"),
        "# drawn, won, and the start\n1B1/1W1/1W1 w\n\n1B1/3/WW1 b # Black wins\nb1-b2A\n",
    )
    .unwrap();
    let rest = "--board 3x3 --nodes 50 --openings openings.txt --record games.txt --json";
    let result = play(&place, [&engine, &engine], &format!("{rest} --adjudicate")).json();
    assert_eq!((&result["games"], &result["ends"]), (&6.into(), &json!({"adjudication": 6})), "{result}");
    assert_eq!(result["pairs"], json!([0, 0, 3, 0, 0]));
    let games = games(&place, "games.txt");
    let ends: Vec<Value> = games.iter().map(|game| serde_json::to_value(game.end).unwrap()["winner"].clone()).collect();
    assert_eq!(ends[..4], [Value::Null, Value::Null, "black".into(), "black".into()]);
    assert!(games[..4].iter().all(|game| game.moves.is_empty()) && games[4].moves == ["b1-b2A"]);
    // Without tables the games are played.
    fs::remove_file(place.path().join("games.txt")).unwrap();
    let result = play(&place, [&engine, &engine], rest).json();
    assert_eq!((&result["games"], &result["ends"]["adjudication"]), (&6.into(), &Value::Null), "{result}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let (place, engine) = (Place::new(), ours());
    let both = [engine.as_str(), engine.as_str()];
    fs::write(place.path().join("bad.txt"), "d3-e3A\nd3-e3A a1-a2\n").unwrap();
    fs::write(place.path().join("small.txt"), "3/3/W1B w\n").unwrap();
    fs::write(place.path().join("one.txt"), "d3-e3A\n").unwrap();
    fs::write(place.path().join("notes.txt"), "Buy milk.\n").unwrap();
    fs::File::create(place.path().join("zeros.txt")).and_then(|file| file.set_len(1 << 32)).unwrap();
    for (rest, words) in [
        ("--games 3", "the number of games must be even"),
        ("--option1 Colour=red", "has no option Colour; its options are "),
        ("--option2 Level=99", "refuses its options: level 99"),
        ("--openings bad.txt", "bad.txt: line 2 of the openings: move 2 of the game: a1-a2"),
        ("--openings small.txt", "line 1 of the openings: the position is on a 3x3 board"),
        ("--openings none.txt", "cannot read none.txt"),
        ("--openings one.txt --games 4", "1 opening is enough for 2 games, not for 4"),
        ("--name1 ?", "with a letter or a digit (--name1)"),
        ("--record notes.txt", "notes.txt, game 1 of the file: line 1 of the record"),
        ("--record zeros.txt", "cannot read zeros.txt: a game of it has more than 16777216 bytes"),
        ("--record nowhere/games.txt", "cannot open nowhere/games.txt"),
        ("--board 3x3 --plies 60", "no opening found; use fewer --plies or a larger --balance"),
        ("--board 13x13 --adjudicate", "13x13 has no tables"),
        ("--board 3x3 --adjudicate --db nowhere", "no tables or certificates of 3x3 in nowhere"),
    ] {
        let ran = play(&place, both, &format!("--nodes 10 {rest}"));
        assert_eq!(ran.code, Some(1), "{rest}\n{}", ran.err);
        crate::program::says(&ran.err, &[words]);
    }
    assert_eq!(fs::read_to_string(place.path().join("notes.txt")).unwrap(), "Buy milk.\n");
    // What was played before openings ran out has its result.
    let ran = play(&place, both, "--nodes 10 --board 3x3 --plies 1 --games 100 --json");
    let result: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert!(result["games"].as_u64() > Some(0) && ran.code == Some(1), "{}{}", ran.out, ran.err);
    crate::program::says(&ran.err, &["different openings found; use more --plies, fewer --games"]);
    for (rest, words) in [
        ("--nodes 0", "a number of nodes such as 2000"),
        ("--nodes 1,2,3", "a number of nodes such as 2000"),
        ("--time soon", "a time such as 300ms"),
        ("--clock 1s+x", "such as 60s+600ms"),
        ("--nodes 10 --time 1s", "cannot be used with"),
        ("--nodes 10 --sprt 5,0", "ELO0 must be less than ELO1"),
        ("--nodes 10 --option Level", "NAME=VALUE"),
        ("", "required"),
    ] {
        play(&place, both, rest).misused(&[words]);
    }
    play(&place, ["nobody", &engine], "--nodes 10").fails_at_once(&["cannot run \"nobody\""]);
    play(&place, ["'", &engine], "--nodes 10").misused(&["quotes must be closed"]);
    #[cfg(unix)]
    {
        play(&place, ["true", &engine], "--nodes 10")
            .fails_at_once(&["\"true\" does not speak uci", "ended (exit status: 0)"]);
        // A pipe that nobody writes to would be read for ever.
        crate::program::make_pipe(&place.path().join("pipe"));
        for record in ["pipe", "/dev/zero"] {
            play(&place, both, &format!("--nodes 10 --record {record}"))
                .fails_at_once(&[&format!("cannot open {record}"), "a device or a pipe"]);
        }
        let script = script(&place, "usual.sh", "echo bestmove a1-a9");
        play(&place, [&script, &engine], "--nodes 10 --board 5x5")
            .fails_at_once(&["has no option Board; its options are none"]);
    }
}
