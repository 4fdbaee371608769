//! Games in the notations of other programs are read as the games that they are.

use fanorona::game::{Game, GameRequest, parse_game};
use serde_json::json;

/// The reference game in `FanoronaPlay.java` of `BoardSpace` (github.com/ddyer0/boardspace.net), as its program writes it.
const BOARDSPACE: &str = r#"
 (;
 GM[Fanorona] VV[1]
 DT[]
 GN[null-null]
 SU[fanorona]
 P0[id "null"]
 P1[id "null"]
 ; P0[0 Start P0]
 ; P0[1 Capture A F 2 E 3]
 ; P0[2 done]
 ; P1[3 Capture A D 5 D 4]
 ; P1[4 done]
 ; P0[5 Capture W G 3 F 2]
 ; P0[6 done]
 ; P1[7 Capture A C 3 D 2]
 ; P1[8 done]
 ; P0[9 Capture W E 3 D 3]
 ; P0[10 done]
 ; P1[11 Capture W D 2 D 1]
 ; P1[12 Capture A D 1 E 1]
 ; P1[13 done]
 ; P0[14 Capture A F 2 F 3]
 ; P0[15 Capture A F 3 G 3]
 ; P0[16 Capture A G 3 F 4]
 ; P0[17 Capture W F 4 E 3]
 ; P0[18 done]
 ; P1[19 Capture A E 1 D 1]
 ; P1[20 done]
 ; P0[21 Capture A C 2 C 3]
 ; P0[22 Capture W C 3 D 2]
 ; P0[23 Capture W D 2 D 3]
 ; P0[24 done]
 ; P1[25 Capture A B 5 B 4]
 ; P1[26 done]
 ; P0[27 Capture W D 3 D 2]
 ; P0[28 Capture A D 2 C 3]
 ; P0[29 Capture A C 3 B 3]
 ; P0[30 done]
 ; P1[31 Capture A A 4 A 3]
 ; P1[32 done]
 ; P0[33 Capture A G 2 G 3]
 ; P0[34 done]
 ; P1[35 Capture W E 4 E 5]
 ; P1[36 Capture A E 5 F 4]
 ; P1[37 done]
 ; P0[38 Capture W B 3 C 3]
 ; P0[39 done]
 ; P1[40 Capture W I 4 I 5]
 ; P1[41 done]
 ; P0[42 Move C 3 B 4]
 ; P0[43 done]
 ; P1[44 Move I 5 H 4]
 ; P1[45 done]
 ;
 P0[time 0:00:47 ]
 P1[time 0:01:14 ]
 )
"#;

/// The same game in the notation of this program.
const MOVES: [&str; 18] = [
    "f2-e3A",
    "d5-d4A",
    "g3-f2W",
    "c3-d2A",
    "e3-d3W",
    "d2-d1W-e1A",
    "f2-f3A-g3A-f4A-e3W",
    "e1-d1A",
    "c2-c3A-d2W-d3W",
    "b5-b4A",
    "d3-d2W-c3A-b3A",
    "a4-a3A",
    "g2-g3A",
    "e4-e5W-f4A",
    "b3-c3W",
    "i4-i5W",
    "c3-b4",
    "i5-h4",
];

/// So many turns say without letters what they are, and all that follow together leave several readings.
const CLEAR: usize = 5;

fn game() -> GameRequest {
    GameRequest { board: "9x5".to_owned(), moves: MOVES.map(str::to_owned).to_vec(), ..GameRequest::default() }
}

fn moves_of(text: &str) -> Vec<String> {
    parse_game(text).unwrap_or_else(|error| panic!("{error}\n{text}")).game.moves
}

fn wrong(text: &str) -> String {
    parse_game(text).expect_err("no game").to_string()
}

/// A turn as Abstract Play writes it (`lastmove` in its `src/games/fanorona.ts`): `b2c2+, c3-`. No record of a real game was to be
/// had, so games are translated.
fn abstract_play(turn: &str) -> String {
    let mut points = turn.split('-');
    let from = points.next().unwrap();
    let signs = |point: &str| point.replace('A', "+").replace('W', "-");
    from.to_owned() + &points.map(signs).collect::<Vec<_>>().join(", ")
}

/// A turn as vchess writes it (`getNotation` in its `client/src/variants/Fanorona.js`, joined by `getFullNotation`):
/// `b2c2X,c2c3X`. No record of a real game was to be had either.
fn vchess(turn: &str) -> String {
    let points: Vec<&str> = turn.split('-').collect();
    let captures = turn.contains(['A', 'W']);
    let step = |pair: &[&str]| {
        let bare = |point: &str| point.trim_end_matches(['A', 'W']).to_owned();
        bare(pair[0]) + &bare(pair[1]) + if captures { "X" } else { "" }
    };
    points.windows(2).map(step).collect::<Vec<_>>().join(",")
}

/// The moves with their numbers, two a line.
fn numbered(turns: &[String]) -> String {
    let line = |(number, pair): (usize, &[String])| format!("{}. {}", number + 1, pair.join(" "));
    turns.chunks(2).enumerate().map(line).collect::<Vec<_>>().join("\n")
}

fn all(translate: fn(&str) -> String) -> Vec<String> {
    MOVES.map(translate).to_vec()
}

#[test]
fn sgf_of_boardspace_is_read() {
    let read = parse_game(BOARDSPACE).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.game.moves, MOVES);
    assert_eq!((read.game.board.as_str(), read.game.tags["White"].as_str(), read.game.end), ("9x5", "null", None));
    // What people do with the mouse: stones are lifted and put down, and a stone to capture is chosen.
    let by_hand = BOARDSPACE
        .replace("P0[1 Capture A F 2 E 3]", "P0[1 Pickb F 2 0]\n ; P0[1 Dropb E 3]\n ; P0[2 Remove D 4 1]")
        .replace("P0[42 Move C 3 B 4]", "P0[42 Pickb C 3 0] ; P0[43 Dropb B 4]");
    assert_eq!(moves_of(&by_hand), MOVES);
    let resigned = BOARDSPACE.replace("P0[42 Move C 3 B 4]", "P0[42 Resign]").replace("; P1[44 Move I 5 H 4]", "");
    let read = parse_game(&resigned).unwrap();
    assert_eq!(read.game.moves, MOVES[..16]);
    assert_eq!(serde_json::to_value(read.game.end).unwrap(), json!({"by": "resignation", "side": "white"}));
    let at_once = r#"(;SU[fanorona]P0[id "alice"]P1[id "bob"];P1[1 Resign])"#;
    let read = parse_game(at_once).unwrap();
    assert_eq!(serde_json::to_value(read.game.end).unwrap(), json!({"by": "resignation", "side": "black"}));
    let error = wrong(&BOARDSPACE.replace("P1[19 Capture A E 1 D 1]", "P1[19 Capture A E 1 E 3]"));
    assert!(error.starts_with("line 28 of the record: move 8 of the game: e1-e3A is not legal"), "{error}");
    let error = wrong(&BOARDSPACE.replace("[19 Capture A", "[19 Jump"));
    assert!(error.contains("line 28 of the record") && error.contains("Jump"), "{error}");
    let error = wrong(&BOARDSPACE.replace("anorona", "rog"));
    assert!(error.contains("this is a game of \"Frog\""), "{error}");
    assert!(wrong("(;GM[1]SZ[19];B[aa]").contains("the ) at the end is missing"));
    assert!(wrong("(hello").contains("SGF"));
    assert!(wrong("5x4 a1-b2").contains("\"5x4\" is not a board size"));
}

#[test]
fn json_of_abstract_play_is_read() {
    let rounds: Vec<Vec<String>> = all(abstract_play).chunks(2).map(<[String]>::to_vec).collect();
    let mut record = json!({
        "header": {
            "game": {"name": "Fanorona"}, "site": {"name": "Abstract Play", "gameid": "a"},
            "date-start": "2024-02-29T10:00:00.000Z", "date-end": "2024-03-01T10:00:00.000Z",
            "date-generated": "2024-03-01T10:00:00.000Z",
            "players": [{"name": "Rakoto", "result": 0}, {"name": "Rasoa", "result": 1}],
        },
        "moves": rounds,
    });
    let read = parse_game(&record.to_string()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.game.moves, MOVES);
    assert_eq!((read.game.tags["White"].as_str(), read.game.tags["Date"].as_str()), ("Rakoto", "2024.03.01"));
    assert_eq!(serde_json::to_value(read.game.end).unwrap(), json!({"by": "resignation", "side": "white"}));
    // Entries may be objects, and the last one may say how the game ended.
    record["moves"][0][0] = json!({"move": "f2e3+", "result": "x"});
    record["moves"].as_array_mut().unwrap().push(json!(["resign", null]));
    assert_eq!(moves_of(&serde_json::to_string_pretty(&record).unwrap()), MOVES);
    record["moves"][1][0] = json!("g3f2+");
    let error = wrong(&serde_json::to_string_pretty(&record).unwrap());
    assert!(error.contains("move 3 of the game: g3-f2A is not legal"), "{error}");
    record["header"]["game"]["name"] = json!("Amazons");
    assert!(wrong(&record.to_string()).contains("this is a game of \"Amazons\""));
    // A game as the API has it.
    assert_eq!(moves_of(&serde_json::to_string(&game()).unwrap()), MOVES);
    assert!(wrong("{\"moves\": []}").contains("not a game in JSON: missing field `board`"));
}

#[test]
fn pgn_of_vchess_is_read() {
    let shown = all(vchess)[..CLEAR].to_vec();
    let again = shown.clone();
    let side = |ply: usize| if ply.is_multiple_of(2) { "w" } else { "b" };
    let lines = again.iter().enumerate().map(|(ply, turn)| format!("{}.{} {turn}", ply / 2 + 1, side(ply)));
    let again = lines.collect::<Vec<_>>().join("\n");
    let text = format!(
        "[Site \"vchess.club\"]\n[Variant \"Fanorona\"]\n[Date \"2021-03-04\"]\n[White \"Rakoto\"]\n[Black \"Rasoa\"]\n\
         [Fen \"ppppppppp/ppppppppp/pPpP1pPpP/PPPPPPPPP/PPPPPPPPP w 0\"]\n[Result \"1-0\"]\n\n{}\n\n{again}",
        numbered(&shown).replace(". ", ".").replace('\n', " "),
    );
    let read = parse_game(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(read.game.moves, MOVES[..CLEAR]);
    assert_eq!(serde_json::to_value(read.game.end).unwrap(), json!({"by": "resignation", "side": "black"}));
    let error = wrong(&text.replace("\"Fanorona\"", "\"Alice\""));
    assert!(error.starts_with("line 2 of the record: this is a game of \"Alice\""), "{error}");
    // A stone that is free to stop says so.
    assert_eq!(moves_of("1. f2e3X,stop d5d4X"), MOVES[..2]);
}

#[test]
fn lists_of_moves_are_read() {
    assert_eq!(moves_of(&MOVES.join(" ")), MOVES);
    assert_eq!(moves_of(&MOVES.join(", ")), MOVES);
    assert_eq!(moves_of(&MOVES.map(|turn| turn.replace('-', "").to_lowercase()).join("\n")), MOVES);
    for (translate, clear) in [(abstract_play as fn(&str) -> String, MOVES.len()), (vchess, CLEAR)] {
        let turns = &all(translate)[..clear];
        assert_eq!(moves_of(&numbered(turns)), MOVES[..clear]);
        assert_eq!(moves_of(&turns.join("\n")), MOVES[..clear]);
    }
    let error = wrong(&all(vchess).join("\n"));
    assert!(
        error.contains("could capture by approach or by withdrawal, and the later moves do not decide it"),
        "{error}"
    );
}

#[test]
fn what_a_turn_without_letters_means_is_found_out_by_the_turns_after_it() {
    // The stone on c3 may capture e3 ahead, or b3 behind it; the next turn moves the stone that was left.
    for (reply, meant) in [("e3-e4", "c3-d3W"), ("b3-c3A", "c3-d3A")] {
        assert_eq!(moves_of(&format!("5/5/1BW1B/5/5 w\nc3d3X {reply}"))[0], meant);
    }
    let error = wrong("5/5/1BW1B/5/5 w\nc3d3X");
    assert!(error.starts_with("line 2 of the record: c3-d3 could capture by approach or by withdrawal"), "{error}");
}

#[test]
fn a_game_may_go_on_after_a_third_occurrence_or_end_otherwise() {
    let cases =
        [(2, "", true), (3, "", false), (2, "1/2-1/2", true), (2, "1-0", false), (2, "*", false), (3, "0-1", false)];
    for (rounds, score, repetition) in cases {
        let text = format!("4B/5/5/5/W4 w\n{}{score}", "a1-a2 e5-e4 a2-a1 e4-e5\n".repeat(rounds));
        let game = parse_game(&text).unwrap_or_else(|error| panic!("{error}\n{text}")).game;
        assert_eq!((game.moves.len(), game.rules.repetition), (4 * rounds, repetition));
        assert_eq!(game.end.is_some(), ["1-0", "0-1"].contains(&score), "{text}");
    }
}

#[test]
fn what_is_no_game_is_refused_with_what_was_looked_for() {
    for text in ["", "   \n", "hello", "1. e4 e5 2. Nf3 Nc6", "<html>(", "17 4", "(", "lorem, ipsum"] {
        let error = wrong(text);
        let named = ["[Board \"9x5\"]", "BoardSpace", "Abstract Play", "vchess", "a list of moves"];
        assert!(text.starts_with('(') || named.iter().all(|name| error.contains(name)), "{text:?}: {error}");
        assert!(error.starts_with("line "), "{text:?}: {error}");
    }
    let error = wrong("f2-e3A d5-d4A\ng3-f2A");
    assert!(error.starts_with("line 2 of the record: move 3 of the game: g3-f2A is not legal"), "{error}");
}

#[test]
fn records_of_this_program_are_read_as_before() {
    let record = game().replay().as_ref().map(Game::record).unwrap();
    assert_eq!(moves_of(&record), MOVES);
    assert!(wrong("[Board \"9x5\"]\n\n1. f2-e3A").contains("ends without a score"));
}

/// The path of a stone up and down between two ranks, one file further after each step, as vchess writes it. Of the stones that its side
/// can capture on the way, each step up or down leaves a choice of two.
fn zigzag(files: usize, ranks: [usize; 2]) -> String {
    let at = |place: usize| {
        let (file, up) = (place / 2, place.is_multiple_of(4) || place % 4 == 3);
        format!("{}{}", char::from(b'a' + u8::try_from(file).unwrap()), ranks[usize::from(!up)])
    };
    (1..2 * files).map(|place| format!("{}{}X", at(place - 1), at(place))).collect::<Vec<_>>().join(",")
}

#[test]
fn a_record_that_can_mean_very_many_games_is_refused_at_once() {
    let position = [
        "13",
        "WWWWWWWWWW3",
        "2W1W1W1W1W2",
        "B2W1W1W1W3",
        "WWWWWWWWWW3",
        "13",
        "13",
        "13",
        "13",
        "BBBBBBBB5",
        "2B1B1B1B4",
        "W2B1B1B5",
        "BBBBBBBB5 w",
    ];
    let (white, black) = (zigzag(8, [2, 3]), zigzag(10, [10, 11]));
    // 256 games after the first turn, each with 1024 after the second.
    let error = wrong(&format!("{} {white} {black}", position.join("/")));
    assert!(error.contains("could capture by approach or by withdrawal"), "{error}");
}
