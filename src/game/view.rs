//! A game as JSON: its state, its history, and the legal turns.

use std::ops::ControlFlow;

use serde::Serialize;

use crate::board::{Board, DIRECTIONS, MAX_POINTS, PointSet, point_name};
use crate::rules::{Capture, Side, Turn, turn_text};

use super::chain::captured;
use super::history::{GameHistory, Played};
use super::play_rules::PlayRules;
use super::referee::{Action, State};
use super::result::GameResult;
use super::write_record::write_record;

/// The most turns that a view lists. Only positions that were made for it have more, on 7x7 and larger boards.
pub const MAX_LISTED: usize = 4_000;

/// The most steps that all turns of a view have together, about a megabyte of text.
const MAX_STEPS: usize = 10_000;

/// A game. Points are names such as `c3`.
#[derive(Clone, Debug, Serialize)]
pub struct View {
    /// The board, columns x rows.
    pub board: String,
    /// The rules.
    pub rules: PlayRules,
    /// The position that the game began from.
    pub start: String,
    /// The present position; a block is one of its stones.
    pub position: String,
    /// The side to move.
    pub to_move: Side,
    /// Number of turns made.
    pub ply: usize,
    /// The turns made.
    pub history: Vec<ViewPlayed>,
    /// The board's lines.
    pub geometry: Geometry,
    /// The sacrificed stone of the side not to move, if there is one.
    pub block: Option<String>,
    /// Whether the side to move may not capture (vela).
    pub bound: bool,
    /// Whether the side to move can capture, and so must.
    pub can_capture: bool,
    /// Every legal turn by every path, in a fixed order, as far as [`turns_cut`](Self::turns_cut) says; empty when the game is over.
    pub turns: Vec<ViewTurn>,
    /// Whether there are more turns than are listed ([`MAX_LISTED`], and 10 000 steps).
    pub turns_cut: bool,
    /// The stones that may be sacrificed.
    pub sacrifices: Vec<String>,
    /// How often the present position has occurred, this time included.
    pub repetitions: usize,
    /// Turns until the move limit.
    pub turns_left: Option<u32>,
    /// The result, if the game is over.
    pub result: Option<GameResult>,
    /// Whether table values apply to the present position.
    pub tables: TablesApply,
    /// The game as a record.
    pub record: String,
}

/// A turn made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewPlayed {
    /// The turn, in notation.
    #[serde(rename = "move")]
    pub text: String,
    /// Who made it.
    pub side: Side,
    /// Where its stone began.
    pub from: String,
    /// The points it went to; empty for a sacrifice.
    pub path: Vec<String>,
    /// The stones it captured.
    pub captured: Vec<String>,
    /// The position after it.
    pub position: String,
    /// Milliseconds it took, if known.
    pub time: Option<u64>,
}

/// The points and lines of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Geometry {
    /// Number of columns.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
    /// Every pair of points that a line joins, once.
    pub lines: Vec<[String; 2]>,
}

/// A legal turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewTurn {
    /// The turn, in notation.
    #[serde(rename = "move")]
    pub text: String,
    /// Where its stone begins.
    pub from: String,
    /// Its steps.
    pub steps: Vec<ViewStep>,
    /// The position after it.
    pub position: String,
}

/// A step of a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViewStep {
    /// Where it leads.
    pub to: String,
    /// How it captures, if at all.
    pub capture: Option<Capture>,
    /// The stones that it captures.
    pub captured: Vec<String>,
}

/// Whether table values apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TablesApply {
    /// Whether they do.
    pub apply: bool,
    /// Why not.
    pub why: Option<&'static str>,
}

impl<P: PointSet> GameHistory<P> {
    /// Whether table values apply to the present position under the rules of the game. Move limit, time and repetition are not
    /// in the tables, but they only cut games short.
    #[must_use]
    pub fn tables_apply(&self) -> TablesApply {
        let (rules, state) = (self.referee().rules(), self.state());
        let why = if !state.block.is_empty() || rules.sacrifice {
            Some("values are hidden: tables do not cover sacrifices")
        } else if self.referee().bound_side(state).is_some() {
            Some("values are hidden: tables do not cover vela, and a side is bound")
        } else if self.size().points() > MAX_POINTS {
            Some("there are no values: boards of more than 64 points have no tables")
        } else {
            None
        };
        TablesApply { apply: why.is_none(), why }
    }

    /// The game as it stands.
    #[must_use]
    pub fn view(&self) -> View {
        let (size, state, result) = (self.size(), self.state(), self.result());
        let board = self.referee().board();
        let over = result.is_some();
        let (turns, turns_cut) = self.listed_turns();
        let names = |points: P| points_of(board, points);
        View {
            board: size.to_string(),
            rules: *self.referee().rules(),
            start: self.start().position.to_text(size),
            position: state.position.to_text(size),
            to_move: self.to_move(),
            ply: self.played().len(),
            history: self.history(),
            geometry: geometry(board),
            block: names(state.block).pop(),
            bound: self.referee().is_bound(state),
            can_capture: !self.referee().capturing_stones(state).is_empty(),
            turns: turns.iter().map(|(turn, after)| self.view_turn(turn, after)).collect(),
            turns_cut,
            sacrifices: if over { Vec::new() } else { names(self.referee().sacrifices(state)) },
            repetitions: self.repetitions(),
            turns_left: self.turns_left(),
            result,
            tables: self.tables_apply(),
            record: write_record(self),
        }
    }

    /// The turns of the [view](Self::view), in notation; not all of them where [`View::turns_cut`] is true.
    #[must_use]
    pub fn turns(&self) -> Vec<String> {
        self.listed_turns().0.iter().map(|(turn, _)| turn_text(self.size(), turn)).collect()
    }

    /// The legal turns with the states after them, and whether the list is cut.
    fn listed_turns(&self) -> (Vec<(Turn, State<P>)>, bool) {
        let (mut turns, mut steps) = (Vec::new(), 0);
        if self.result().is_some() {
            return (turns, false);
        }
        let all = self.referee().for_each_turn(self.state(), |path, after| {
            let turn = path.to_turn();
            steps += turn.steps.len();
            if turns.len() == MAX_LISTED || steps > MAX_STEPS {
                return ControlFlow::Break(());
            }
            turns.push((turn, after));
            ControlFlow::Continue(())
        });
        (turns, all.is_break())
    }

    fn view_turn(&self, turn: &Turn, after: &State<P>) -> ViewTurn {
        let size = self.size();
        ViewTurn {
            text: turn_text(size, turn),
            from: point_name(size, turn.from),
            steps: self.view_steps(turn),
            position: after.position.to_text(size),
        }
    }

    /// The steps of a legal turn, with the stones they capture.
    fn view_steps(&self, turn: &Turn) -> Vec<ViewStep> {
        let board = self.referee().board();
        let mut enemy = self.state().enemy();
        let mut at = turn.from;
        let mut steps = Vec::new();
        for step in &turn.steps {
            let direction = (0..DIRECTIONS).find(|&direction| board.next(at, direction) == Some(step.to));
            let captured = match (step.capture, direction) {
                (Some(capture), Some(direction)) => captured(board, enemy, [at, step.to], direction, capture),
                _ => P::default(),
            };
            enemy = enemy.without(captured);
            at = step.to;
            let captured = points_of(board, captured);
            steps.push(ViewStep { to: point_name(board.size(), at), capture: step.capture, captured });
        }
        steps
    }

    /// The turns made.
    #[must_use]
    pub fn history(&self) -> Vec<ViewPlayed> {
        let size = self.size();
        let board = self.referee().board();
        let view = |played: &Played<P>| {
            let (from, path) = match &played.action {
                Action::Move(turn) => (turn.from, turn.steps.iter().map(|step| point_name(size, step.to)).collect()),
                Action::Sacrifice(point) => (*point, Vec::new()),
            };
            ViewPlayed {
                text: played.action.text(size),
                side: played.after.position.to_move.other(),
                from: point_name(size, from),
                path,
                captured: played.captures.iter().flat_map(|&captured| points_of(board, captured)).collect(),
                position: played.after.position.to_text(size),
                time: played.time,
            }
        };
        self.played().iter().map(view).collect()
    }
}

fn points_of<P: PointSet>(board: &Board<P>, points: P) -> Vec<String> {
    points.iter().map(|point| point_name(board.size(), point)).collect()
}

fn geometry<P: PointSet>(board: &Board<P>) -> Geometry {
    let size = board.size();
    let mut lines = Vec::new();
    for point in 0..board.points() {
        let joined = (0..DIRECTIONS).filter_map(|direction| board.next(point, direction));
        lines.extend(joined.filter(|&to| to > point).map(|to| [point_name(size, point), point_name(size, to)]));
    }
    Geometry { columns: size.columns(), rows: size.rows(), lines }
}
