//! Endgame databases and a solver for Fanorona, the national game of Madagascar: tables for boards of up to 64 points, games on
//! boards up to 13x13.
//!
//! This page has what a user of the library calls. Each part has an example; `examples/` has them as programs.
//!
//! # Build tables and look positions up
//!
//! A table holds the values of a *slice*: all positions with given numbers of stones. [`build`] makes a [`plan`](retro::plan)
//! of what a [`Goal`] takes within a [`Budget`] and carries it out; [`Tables`] opens the result. Values are for the side to
//! move: an [`Outcome`], or `None` if no table covers the position.
//!
//! ```
//! use fanorona::{Budget, DEFAULT_CACHE_BYTES, Goal, Outcome, PositionText, RuleSet, Tables, build};
//!
//! # let folder = tempfile::tempdir()?;
//! # let database = folder.path();
//! let (size, rules) = ("3x3".parse()?, RuleSet::default());
//! build(Goal::both(size, rules, 4), database, Budget::default())?;
//! let tables = Tables::open(database, size, rules, DEFAULT_CACHE_BYTES)?;
//!
//! let position = PositionText::parse("1B1/1W1/1W1 w")?.on(size)?;
//! assert_eq!(tables.probe(position.mover(), position.opponent())?, Some(Outcome::Draw));
//!
//! // With depth tables also in how many plies, for the position and for each of its moves, best first.
//! let won = PositionText::parse("1B1/3/WW1 b")?.on(size)?;
//! let answer = fanorona::answer(tables.rules(), &won, |mover, opponent| tables.look_up(mover, opponent))?;
//! assert_eq!((answer.known.value, answer.known.dtw), ("win", Some(1)));
//! assert_eq!(answer.moves[0].text, "b3-b2A-c3W");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Solve a position
//!
//! [`solve`] answers whether White and whether Black can force a win, by proof-number search down to the tables. It continues
//! from a [`Checkpoint`], keeps to a time limit for each question, and writes a certificate. An observer follows it and can
//! stop it.
//!
//! ```
//! use fanorona::{Budget, Checkpoint, Control, Goal, Problem, RuleSet, SolveOptions, Value, build, solve};
//!
//! # let folder = tempfile::tempdir()?;
//! # let database = folder.path();
//! let (size, rules) = ("3x3".parse()?, RuleSet::default());
//! build(Goal::values(size, rules, 4), database, Budget::default())?;
//!
//! let mut options = SolveOptions::new(database, 4, 64 << 20); // tables to 4 stones, 64 MiB of memory
//! options.limit = Some(std::time::Duration::from_secs(60));
//! options.checkpoint =
//!     Some(Checkpoint { path: database.join("start.checkpoint"), every: std::time::Duration::from_secs(300) });
//! let file = database.join("3x3.proof");
//! options.certificate = Some(file.clone());
//! let solved = solve(&Problem::start(size, rules), &options, &mut |_| Control::Continue)?;
//! assert_eq!(solved.solution.value, Value::WhiteWins);
//!
//! // Check the certificate: the same tables, undamaged, and every claim proved with their values.
//! let certificate = fanorona::Certificate::read(&file)?;
//! certificate.prove(&database.into(), 64 << 20, &|_progress| ())?;
//! assert_eq!(certificate.claims[0].value.words(), "white wins");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Know what is proved
//!
//! [`Knowledge`] opens the tables of a board together with its certificates, those that [`check_certificate`] has checked and
//! recorded. [`Known`](table::Known) says what is known of a position, at least bounds on its outcome, and how it is known.
//!
//! ```
//! use fanorona::{DEFAULT_CACHE_BYTES, Knowledge, Outcome, Problem, RuleSet, SolveOptions, Trust};
//!
//! # let folder = tempfile::tempdir()?;
//! # let database = folder.path();
//! # std::fs::create_dir(database.join("certificates"))?;
//! let (problem, file) = (Problem::start("3x3".parse()?, RuleSet::default()), database.join("certificates/3x3.proof"));
//! let mut options = SolveOptions::new(database, 0, 64 << 20); // without tables
//! options.certificate = Some(file.clone());
//! fanorona::solve(&problem, &options, &mut |_| fanorona::Control::Continue)?;
//! fanorona::check_certificate(&file, &database.into(), 64 << 20, &|_progress| ())?.recorded?;
//!
//! let knowledge = Knowledge::open(database, problem.size, problem.rules, DEFAULT_CACHE_BYTES, Trust::Checked)?;
//! let known = knowledge.look_up(problem.position.mover(), problem.position.opponent())?.ok_or("unknown")?;
//! assert_eq!((known.outcome(), known.source.proof()), (Some(Outcome::Win), Some("3x3.proof")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Play
//!
//! A [`GameRequest`] is a game as JSON has it: board, rules, moves. [`GameRequest::replay`] makes it a [`Game`] with history
//! and result, for which the [`Engine`] chooses moves.
//!
//! ```
//! use fanorona::{Engine, GameRequest, Level, SearchLimits};
//!
//! let request = GameRequest { board: "5x5".to_owned(), moves: vec!["b2-c3A".to_owned()], ..GameRequest::default() };
//! let mut game = request.replay()?;
//! let stop = std::sync::atomic::AtomicBool::new(false);
//! let limits = SearchLimits { depth: Some(3), ..SearchLimits::new(Level::try_from(5)?, 1, &stop) };
//! let reply = Engine::default().reply(&game, None, &limits, &mut |_| ())?;
//! game.play(&reply.text, None)?;
//! assert_eq!(game.ply(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Review a game
//!
//! [`parse_game`] reads games in the notations of several programs, and [`review()`] says what each move was worth.
//!
//! ```
//! use fanorona::{ReviewOptions, parse_game, review};
//!
//! let game = parse_game("3x3 c2-b2A c3-c2A b2-c1W")?.game.replay()?;
//! let stop = std::sync::atomic::AtomicBool::new(false);
//! let options = ReviewOptions { time: None, nodes: Some(10_000), stop: &stop };
//! let review = review(&game, None, options, &mut |_progress| ())?;
//! assert_eq!((review.turns.len(), review.white.moves), (3, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Layers
//!
//! Each layer uses only those above it.
//!
//! | module | what it contains |
//! |---|---|
//! | [`board`] | sizes, points, lines, symmetries |
//! | [`rules`] | positions, turns, endings, notation |
//! | [`table`] | tables of values and depths, on disk and in memory; probing |
//! | [`retro`] | retrograde analysis: plans and builds |
//! | [`verify`] | verification of tables, with an independent move generator |
//! | [`proof`] | certificates and their checker |
//! | [`knowledge`] | tables and checked certificates together |
//! | [`search`] | proof-number search, closed sets |
//! | [`report`] | answers, best lines, statistics, pictures, charts |
//! | [`practice`] | tasks for players, drawn from tables |
//! | [`game`] | games in progress, records, the engine |
//! | [`review`](mod@review) | reviews of games |
//! | [`matches`](mod@matches) | matches between engines, Elo, SPRT |
//! | `api` | requests and answers, however they arrive (feature `api`) |
//! | `server` | the page and the HTTP API (feature `server`) |

#[cfg(feature = "api")]
pub mod api;
pub mod board;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod files;
pub mod game;
#[doc(hidden)]
pub mod index;
pub mod knowledge;
pub mod matches;
pub mod practice;
pub mod proof;
pub mod report;
pub mod retro;
pub mod review;
pub mod rules;
pub mod search;
#[cfg(feature = "server")]
pub mod server;
mod simd;
pub mod table;
pub mod verify;

pub use board::{BoardSize, Diagonals};
pub use game::engine::{Engine, Level, Reply, SearchLimits};
pub use game::{Game, GameRequest, parse_game};
pub use index::{Slice, SliceSet};
pub use knowledge::{Knowledge, Trust, check_certificate};
pub use proof::{Certificate, CheckError, CheckProgress};
pub use report::{answer, line};
pub use retro::{Budget, BuildError, Goal, build};
pub use review::{Review, ReviewOptions, review};
pub use rules::{Bounds, Outcome, Position, PositionText, RuleSet, Rules, Side, Value};
pub use search::{Checkpoint, Control, Problem, SolveError, SolveEvent, SolveOptions, SolveScope, Solved, solve};
pub use table::{DEFAULT_CACHE_BYTES, Database, TableError, Tables};
