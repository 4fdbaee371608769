//! The commands that print depths: build, query, line, stats, verify, and the search beyond the tables.

use std::collections::{BTreeSet, HashMap};
use std::fs;

use serde_json::Value;

use crate::oracle;
use crate::program::{Place, keys};

/// Tables of 5x5 to four stones, depths to three.
fn with_depths() -> Place {
    let place = Place::new();
    place.run("build 5x5 --stones 3 --metric both").done();
    place.run("build 5x5 --stones 4").done();
    place
}

/// What the oracle says of all positions of 5x5 with up to three stones.
fn known() -> HashMap<String, (oracle::Value, Option<u32>)> {
    let rules = oracle::Rules::DEFAULT;
    oracle::solve(&oracle::all_positions(5, 5, 3), rules)
}

fn plies(one: &Value) -> Option<u32> {
    one["dtw"].as_u64().map(|plies| u32::try_from(plies).expect("few plies"))
}

#[test]
fn a_query_prints_depths_and_orders_moves_by_them() {
    let (place, known) = (with_depths(), known());
    let mut texts: Vec<&String> = known.keys().filter(|text| text.contains('W') && text.contains('B')).collect();
    texts.sort_unstable();
    let mut random = fastrand::Rng::with_seed(2);
    for _ in 0..40 {
        let text = texts[random.usize(..texts.len())];
        let answer = place.run_with(&["query", text, "--json"]).json();
        assert_eq!(plies(&answer), known[text].1, "{text}");
        let moves = answer["moves"].as_array().expect("a list");
        let mut order = Vec::new();
        for one in moves {
            let after = known[one["position"].as_str().expect("a position")];
            assert_eq!(plies(one), after.1, "{text}: {one}");
            // What the mover likes best comes first: quick wins, slow wins, draws, slow losses, quick losses.
            order.push(match (one["value"].as_str(), plies(one).map(i64::from)) {
                (Some("win"), Some(plies)) => (0, plies),
                (Some("draw"), None) => (1, 0),
                (Some("loss"), Some(plies)) => (2, -plies),
                other => panic!("{other:?}"),
            });
        }
        assert!(order.is_sorted(), "{text}: {order:?}");
    }
    let text = place.run_with(&["query", "5/5/5/5/W3B w"]).done();
    let plies = known["5/5/5/5/W3B w"].1.expect("a win");
    assert!(text.contains(&format!("Value: White to move wins in {plies} plies")), "{text}");
    assert!(text.contains(&format!("a1-b2  win in {plies} ")), "{text}");
    // Four stones have values, but no depths.
    let answer = place.run_with(&["query", "BB3/5/5/5/3WW w", "--json"]).json();
    assert_eq!((&answer["dtw"], answer["value"] == "unknown"), (&Value::Null, false));
}

/// No win is quicker than in one ply, so such a win has a depth even where no depth table covers the position.
#[test]
fn a_win_in_one_has_a_depth_without_depth_tables() {
    let text = "B3B/1W3/5/2W1W/5 w";
    for place in [Place::new(), with_depths()] {
        let answer = place.run_with(&["query", text, "--json"]).json();
        assert_eq!((&answer["value"], &answer["dtw"]), (&"win".into(), &1.into()), "{answer}");
        assert_eq!((&answer["moves"][0]["value"], &answer["moves"][0]["dtw"]), (&"win".into(), &0.into()), "{answer}");
        let line = place.run_with(&["line", text, "--json"]).json();
        assert_eq!((&line["value"], &line["dtw"], &line["end"]), (&"win".into(), &1.into(), &"over".into()), "{line}");
        assert_eq!((&line["line"][0]["move"], &line["line"][1]), (&answer["moves"][0]["move"], &Value::Null));
    }
}

#[test]
fn lines_are_best_play_to_the_end() {
    let (place, known) = (with_depths(), known());
    let turns = |text: &str| oracle::turns(text, oracle::Rules::DEFAULT);
    let mut texts: Vec<&String> = known.keys().filter(|text| text.contains('W') && text.contains('B')).collect();
    texts.sort_unstable();
    let mut random = fastrand::Rng::with_seed(3);
    let (mut over, mut repeated) = (0, 0);
    for _ in 0..40 {
        let text = texts[random.usize(..texts.len())];
        let line = place.run_with(&["line", text, "--json"]).json();
        assert_eq!(
            keys(&line),
            ["position", "board", "rules", "value", "dtw", "source", "proof", "line", "end"].into()
        );
        let moves = line["line"].as_array().expect("a list");
        let mut current = text.clone();
        let mut seen = vec![current.clone()];
        for one in moves {
            let next =
                (one["move"].as_str().expect("a move").to_owned(), one["position"].as_str().expect("text").to_owned());
            assert!(turns(&current).contains(&next), "{text}: {next:?} after {current}");
            let (value, depth) = known[&current];
            match depth {
                Some(depth) => assert_eq!(known[&next.1].1, Some(depth - 1), "{text}: {current}"),
                None => assert_eq!((value, known[&next.1].0), (oracle::Value::Draw, oracle::Value::Draw)),
            }
            current = next.1;
            seen.push(current.clone());
        }
        match line["end"].as_str() {
            Some("over") => {
                over += 1;
                assert_eq!((known[&current].1, plies(&line)), (Some(0), Some(u32::try_from(moves.len()).unwrap())));
            }
            Some("repetition") => {
                repeated += 1;
                assert!(line["dtw"].is_null() && seen[..seen.len() - 1].contains(&current));
            }
            other => panic!("{other:?}"),
        }
        let asked = place.run_with(&["query", text, "--line", "--json"]).json();
        assert_eq!((&asked["line"], &asked["end"]), (&line["line"], &line["end"]));
    }
    assert!(over > 0 && repeated > 0);
    let text = place.run_with(&["line", "5/5/5/5/W3B w"]).done();
    assert!(text.contains("\nLine: 1. a1-b2 ") && text.ends_with(", and the game is over.\n"), "{text}");
    let text = place.run_with(&["query", "5/5/5/5/W3B w", "--line"]).done();
    assert!(text.contains("\nLine: 1. a1-b2 "), "{text}");
    let over = place.run("line 5/5/5/5/W4_b").done();
    assert!(over.contains("Line: the game is over."), "{over}");
    // Without depths the way to the end is unknown.
    let ran = place.run("line 4B/5/5/5/WWW2_w --json");
    assert_eq!(ran.json()["line"], Value::Array(Vec::new()));
    let ran = place.run("line BBBBB/BBBBB/BW1BW/WWWWW/WWWWW_w");
    assert!(ran.err.contains("24 stones; solve it: fanorona solve 5x5"), "{}", ran.err);
    let ran = place.run("line 4B/5/5/5/WWW2_w");
    assert!(ran.err.contains("4 stones; build tables to 4 stones") && ran.err.contains("--metric both"), "{}", ran.err);
    place.run("line 13/13/13/13/13/13/W11B/13/13/13/13/13/13_w").fails_silently(&["13x13", "64 points"]);
}

#[test]
fn a_search_finds_what_tables_do_not_cover() {
    let place = with_depths();
    let start = "BBBBB/BBBBB/BW1BW/WWWWW/WWWWW w";
    let answer = place.run_with(&["query", start, "--search", "0", "--json"]).json();
    assert_eq!((&answer["value"], answer.get("search")), (&"unknown".into(), None));
    // By default it searches for two seconds.
    let crowded = "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w";
    let answer = place.run_with(&["query", crowded, "--json"]).json();
    let seconds = answer["search"]["seconds"].as_f64().expect("a search");
    assert!(answer["value"] == "unknown" && (1.5..10.0).contains(&seconds), "{answer}");
    let answer = place.run_with(&["query", start, "--search", "60s", "--json"]).json();
    assert_eq!((&answer["value"], &answer["search"]["value"]), (&"draw".into(), &"draw".into()));
    assert_eq!(keys(&answer["search"]), ["value", "nodes", "seconds"].into());
    let text = place.run_with(&["query", start, "--search", "60s"]).done();
    assert!(text.contains("Value: draw, by a search of "), "{text}");
    // A win and a loss for either side to move.
    for (position, value) in [("BBB/B1W/WWW w", "win"), ("1BB/BWW/WW1 b", "loss")] {
        let answer = place.run_with(&["query", position, "--no-build", "--search", "60s", "--json"]).json();
        assert_eq!(answer["value"], value, "{position}");
        assert_eq!(answer["search"]["value"], "white wins", "{position}");
    }
    // Nothing is searched where a table has the value.
    let answer = place.run("query 5/5/5/5/W3B_w --search 60s --json").json();
    assert_eq!((&answer["search"], &answer["value"]), (&Value::Null, &"win".into()));
    place.run("query 5/5/5/5/W3B_w --search never").misused(&["--search", "never"]);
}

#[test]
fn stats_print_depths_and_zugzwangs() {
    let (place, known) = (with_depths(), known());
    let stats = place.run("stats 5x5 --json --zugzwangs").json();
    let side = |text: &str, side: char| {
        let colour = if text.ends_with('w') == (side == 'm') { 'W' } else { 'B' };
        text.chars().filter(|&c| c == colour).count()
    };
    let turned = |text: &str| {
        let (stones, to_move) = text.split_once(' ').expect("a position");
        format!("{stones} {}", if to_move == "w" { 'b' } else { 'w' })
    };
    for slice in stats["slices"].as_array().expect("a list") {
        let (mover, opponent) =
            (slice["mover"].as_u64().expect("a number"), slice["opponent"].as_u64().expect("a number"));
        let shares = ["wins", "draws", "losses"].map(|share| slice["shares"][share].as_f64().expect("a share"));
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        if mover + opponent > 3 {
            assert_eq!(slice["depths"], Value::Null);
            continue;
        }
        // One side to move is enough: the counts of White's and Black's moves are the same.
        let here = known.iter().filter(|(text, _)| {
            text.ends_with('w') && (side(text, 'm') as u64, side(text, 'o') as u64) == (mover, opponent)
        });
        let here: Vec<_> = here.collect();
        for (name, wanted) in [("wins", oracle::Value::Win), ("losses", oracle::Value::Loss)] {
            let mut counts: HashMap<u32, u64> = HashMap::new();
            for (_, (_, plies)) in here.iter().filter(|(_, (value, _))| *value == wanted) {
                *counts.entry(plies.expect("a depth")).or_default() += 1;
            }
            let listed = slice["depths"][name].as_object().expect("a map").iter();
            let listed: HashMap<u32, u64> =
                listed.map(|(plies, count)| (plies.parse().unwrap(), count.as_u64().unwrap())).collect();
            assert_eq!(listed, counts, "{mover}v{opponent} {name}");
            let longest = &slice["depths"][if name == "wins" { "longest_win" } else { "longest_loss" }];
            assert_eq!(longest["plies"].as_u64(), counts.keys().max().map(|&plies| plies.into()));
            if let Some(position) = longest["position"].as_str() {
                assert_eq!(known[position], (wanted, counts.keys().max().copied()), "{position}");
            }
        }
        // By the definition: worse for the side to move than if the other were to move.
        let better = |text: &str| {
            let rank = |value| match value {
                oracle::Value::Loss => -1,
                oracle::Value::Draw => 0,
                oracle::Value::Win => 1,
            };
            -rank(known[&turned(text)].0) - rank(known[text].0)
        };
        let zugzwangs = &slice["zugzwangs"];
        assert_eq!(zugzwangs["count"], here.iter().filter(|(text, _)| better(text) > 0).count());
        assert_eq!(zugzwangs["full_point"], here.iter().filter(|(text, _)| better(text) == 2).count());
        for example in zugzwangs["examples"].as_array().expect("a list") {
            assert!(better(example.as_str().expect("a position")) > 0, "{example}");
        }
    }
    let zugzwangs =
        stats["slices"].as_array().expect("a list").iter().map(|slice| slice["zugzwangs"]["count"].as_u64());
    assert!(zugzwangs.sum::<Option<u64>>().is_some_and(|sum| sum > 0));
    let text = place.run("stats 5x5 --histogram").done();
    assert!(text.contains("longest win") && text.contains("Wins and losses by plies"), "{text}");
    let lines = |command: &str| -> Vec<Vec<String>> {
        let text = place.run(command).done();
        text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
    };
    let csv = lines("stats 5x5 --csv");
    assert_eq!((csv.len(), csv[0][0].as_str(), csv[0].len()), (7, "mover", csv[1].len()));
    let histogram = lines("stats 5x5 --histogram --csv");
    let wins: u64 =
        histogram[1..].iter().filter(|line| line[..2] == ["2", "1"]).map(|line| line[3].parse::<u64>().unwrap()).sum();
    let of_2v1 = csv.iter().find(|line| line[..2] == ["2", "1"]).expect("a line");
    assert_eq!(of_2v1[3], wins.to_string());
}

#[test]
fn depths_are_built_verified_and_missed() {
    let place = Place::new();
    place.run("build 5x5 --stones 3 --metric dtw").fails(&["1v1", "fanorona build 5x5 --stones 3"]);
    place.run("build 5x5 --stones 3").done();
    let built = place.run("build 5x5 --stones 3 --metric dtw --json").json();
    let slices = built["slices"].as_array().expect("a list");
    assert!(slices.len() == 3 && slices.iter().all(|slice| slice["metric"] == "dtw"));
    let manifest = fs::read_to_string(place.path().join("db/5x5/XXH128SUMS")).expect("a manifest");
    assert_eq!(manifest.matches(".dtw\n").count(), 3);
    let info = place.run("info --json").json();
    assert_eq!((&info[0]["depth_stones"], &info[0]["depth_slices"]), (&3.into(), &3.into()));
    let text = place.run("verify 5x5 --full").done();
    assert!(
        text.contains("6 files: every checksum is correct") && text.contains("depths of tables to 3 stones"),
        "{text}"
    );
    assert!(text.contains("all proved"), "{text}");
    let text = place.run("verify 5x5 --sample 1000").done();
    assert!(text.contains("depths of tables to 3 stones") && text.ends_with("s\n"), "{text}");
    // A flipped bit in the last block.
    let file = place.path().join("db/5x5/2v1.dtw");
    let mut bytes = fs::read(&file).expect("a table");
    *bytes.last_mut().expect("bytes") ^= 1;
    fs::write(&file, &bytes).expect("a file");
    place.run("verify 5x5").fails_at_once(&["2v1.dtw", "damaged", "build again"]);
    // Certificates rely on values alone.
    place.run("solve 5x5 --stones 3 --position 5/5/5/5/W3B_w --certificate p").done();
    place.run("check p").done();
    place.run("stats 5x5").fails_at_once(&["2v1.dtw", "damaged", "build again"]);
    fs::write(&file, &bytes[..40]).expect("a file");
    place.run("query 5/5/5/5/W3B_w").fails_at_once(&["2v1.dtw", "build again"]);
    fs::remove_file(&file).expect("a file");
    place.run("build 5x5 --stones 3 --metric both").done();
    place.run("verify 5x5 --full").done();
}

#[test]
fn one_slice_is_built_with_what_it_takes() {
    let (place, whole) = (Place::new(), Place::new());
    whole.run("build 5x5 --stones 4 --metric both").done();
    place.run("build 5x5 --slice 1v3 --metric dtw").fails(&["1v1", "fanorona build 5x5 --stones 3 --slice 3v1"]);
    let plan = place.run("build 5x5 --slice 1v3 --metric both --dry-run --json").json();
    let planned: BTreeSet<String> = plan["pairs"].as_array().expect("pairs").iter().flat_map(both).collect();
    let built = place.run("build 5x5 --slice 1v3 --metric both --json").json();
    let slices: BTreeSet<String> = built["slices"].as_array().expect("slices").iter().map(name).collect();
    assert_eq!(slices, ["1v1", "1v2", "2v1", "1v3", "3v1"].map(str::to_owned).into());
    assert_eq!(planned, slices);
    for slice in slices {
        for metric in ["wdl", "dtw"] {
            let file = format!("db/5x5/{slice}.{metric}");
            let read = |place: &Place| std::fs::read(place.path().join(&file)).expect("a table");
            assert!(read(&place) == read(&whole), "{file} is not what a whole build makes");
        }
    }
    assert!(place.run("build 5x5 --slice 3v1").done().contains("already has tables to 3 stones and of 3v1"));
    for option in ["--full", "--sample 50"] {
        let text = place.run(&format!("verify 5x5 {option}")).done();
        assert!(text.contains("values") && text.contains("to 3 stones and of 3v1: "), "{text}");
        assert!(text.contains("depths of tables to 3 stones and of 3v1: "), "{text}");
    }
    let found = place.run("verify 5x5 --full --json").json();
    let check = &found["checks"][0];
    assert_eq!((&check["checked"], &check["verdict"]), (&"values and depths".into(), &"proved".into()), "{found}");
    // Without its twin a slice cannot be verified.
    std::fs::remove_file(place.path().join("db/5x5/3v1.wdl")).expect("a table");
    let ran = place.run("verify 5x5");
    for left in ["Values that are not verified", "Depths that are not verified"] {
        assert!(ran.err.lines().any(|line| line.starts_with(left) && line.contains(": ")), "{}", ran.err);
    }
    let text = ran.done();
    assert!(text.contains("to 3 stones: ") && !text.contains("and 1v3"), "{text}");
    place.run("build 5x5 --slice 1v3").done();
    place.run("build 5x5 --slice 20v6").fails_silently(&["--slice 20v6", "5x5", "25 points"]);
    place.run("build 5x5 --slice 3w1").misused(&["3w1", "such as 5v3"]);
    assert!(place.run("build 5x5 --slice 3v1 --stones 2").done().contains("already has tables to 3 stones and of 3v1"));
    place.run("build 5x5").misused(&["--stones <N>|--slice <SLICE>"]);
}

fn name(slice: &Value) -> String {
    format!("{}v{}", slice["mover"], slice["opponent"])
}

/// The two slices of a pair of a plan.
fn both(pair: &Value) -> [String; 2] {
    [name(pair), format!("{}v{}", pair["opponent"], pair["mover"])]
}
