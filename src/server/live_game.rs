//! A live game: what its players may do, and its state for all who follow it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::api::Problem;
use crate::game::{End, Game, GameRequest, GameResult};
use crate::rules::Side;

use super::clients::{Client, LiveShare};

/// The most turns of a live game, which bounds its memory.
pub const MAX_GAME: usize = 1000;

/// What a player does.
#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "lowercase", deny_unknown_fields)]
pub enum LiveAction {
    /// Plays a move. `ply` is the number of turns before it, so that a move that is sent twice is made once.
    Move {
        /// The move.
        #[serde(rename = "move")]
        text: String,
        /// The number of turns before it.
        ply: usize,
    },
    /// Offers a draw, or accepts the offer of the other side.
    Draw {},
    /// Declines the offer of the other side, as a move does.
    Decline {},
    /// Resigns.
    Resign {},
    /// Claims that the side to move has exceeded its time.
    Time {},
}

/// A live game as one of its clients sees it.
#[derive(Debug, Serialize)]
pub struct LiveView {
    /// Larger after every change.
    version: u64,
    /// The side that the client plays; `None` for those who only watch.
    side: Option<Side>,
    /// The game.
    game: GameRequest,
    to_move: Side,
    result: Option<GameResult>,
    /// The side that offers a draw.
    draw_offer: Option<Side>,
    /// Whether each side is connected.
    here: BothSides,
    /// Whether both sides have been connected: from then on their clocks run.
    begun: bool,
    /// Milliseconds that the present turn has taken so far.
    spent: u64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct BothSides {
    white: bool,
    black: bool,
}

/// What all clients see.
#[derive(Debug)]
struct State {
    version: u64,
    game: GameRequest,
    to_move: Side,
    result: Option<GameResult>,
    draw_offer: Option<Side>,
    /// The ply at which each side has offered a draw last.
    offered_at: [Option<usize>; 2],
    /// Open connections of each side.
    open: [usize; 2],
    /// Whether each side has been connected.
    came: [bool; 2],
    /// When the present turn began; `None` until both sides have been connected, and when the game is over.
    turn_began: Option<Instant>,
    /// When somebody last came, did something, or left.
    used: Instant,
}

impl State {
    /// Milliseconds of the present turn until then.
    fn spent(&self, now: Instant) -> u64 {
        self.turn_began.map_or(0, |began| milliseconds(began, now))
    }
}

/// A game that is played now.
#[derive(Debug)]
pub struct LiveGame {
    game: Mutex<Game>,
    state: watch::Sender<State>,
    /// What it counts against.
    share: Option<LiveShare>,
}

fn conflict(message: impl Into<String>) -> Problem {
    Problem::new(StatusCode::CONFLICT, message)
}

impl LiveGame {
    /// A live game that continues that game.
    pub fn new(game: Game, share: Option<LiveShare>, now: Instant) -> Self {
        let state = State {
            version: 0,
            game: game.to_request(),
            to_move: game.to_move(),
            result: game.result(),
            draw_offer: None,
            offered_at: [None; 2],
            open: [0; 2],
            came: [false; 2],
            turn_began: None,
            used: now,
        };
        Self { game: Mutex::new(game), state: watch::Sender::new(state), share }
    }

    /// Whether the game is over and nobody has it open.
    pub fn is_left(&self) -> bool {
        self.state.borrow().result.is_some() && self.state.receiver_count() == 0
    }

    /// Whether that client has begun it.
    pub fn is_of(&self, client: &Arc<Client>) -> bool {
        self.share.as_ref().is_some_and(|share| share.is_of(client))
    }

    /// How long nobody has had it open or done anything in it.
    pub fn unused_for(&self, now: Instant) -> Duration {
        if self.state.receiver_count() > 0 {
            return Duration::ZERO;
        }
        now.saturating_duration_since(self.state.borrow().used)
    }

    /// The game as a side sees it.
    pub fn view(&self, side: Option<Side>) -> LiveView {
        let state = self.state.borrow();
        let [white, black] = state.open.map(|open| open > 0);
        LiveView {
            version: state.version,
            side,
            game: state.game.clone(),
            to_move: state.to_move,
            result: state.result.clone(),
            draw_offer: state.draw_offer,
            here: BothSides { white, black },
            begun: state.came == [true; 2],
            spent: state.spent(Instant::now()),
        }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        self.state.send_modify(|state| {
            change(state);
            state.used = Instant::now();
            state.version += 1;
        });
    }

    /// Does what a side has asked for at that time. It may take as long as the rules take to judge a move.
    ///
    /// # Errors
    /// Status 409 if it is not possible now, 400 if the move is not legal.
    pub fn act(&self, side: Side, action: &LiveAction, asked: Instant) -> Result<(), Problem> {
        let mut game = self.game.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(result) = game.result() {
            return Err(conflict(format!("the game is over: {}", result.text)));
        }
        let offer = self.state.borrow().draw_offer;
        match action {
            LiveAction::Move { text, ply } => return self.play(&mut game, side, text, *ply, asked),
            LiveAction::Draw {} if offer == Some(side.other()) => game.finish(End::Agreement {})?,
            LiveAction::Draw {} => return self.offer_draw(side, game.ply()),
            LiveAction::Decline {} if offer == Some(side.other()) => {
                self.change(|state| state.draw_offer = None);
                return Ok(());
            }
            LiveAction::Decline {} => return Err(conflict(format!("{} offers no draw", side.other().name()))),
            LiveAction::Resign {} => game.finish(End::Resignation { side })?,
            LiveAction::Time {} => self.claim_time(&mut game, asked)?,
        }
        self.publish(&game);
        Ok(())
    }

    fn play(&self, game: &mut Game, side: Side, text: &str, ply: usize, asked: Instant) -> Result<(), Problem> {
        if ply != game.ply() {
            let made = game.ply();
            return Err(conflict(format!(
                "the game is at turn {made}, but the move was sent at turn {ply}; reload the game"
            )));
        }
        if side != game.to_move() {
            return Err(conflict(format!("it is {}'s turn", game.to_move().name())));
        }
        if ply >= MAX_GAME {
            return Err(conflict(format!("a live game has at most {MAX_GAME} turns; agree on a draw, or resign")));
        }
        // Only a game with a limit needs times.
        let began = self.state.borrow().turn_began.filter(|_| game.rules().move_time.is_some());
        game.play(text, began.map(|began| milliseconds(began, asked)))?;
        self.publish(game);
        Ok(())
    }

    fn offer_draw(&self, side: Side, ply: usize) -> Result<(), Problem> {
        let before = self.state.borrow().offered_at[side.index()];
        if before == Some(ply) {
            return Err(conflict("you have offered a draw in this position; offer another one after the next turn"));
        }
        self.change(|state| {
            state.draw_offer = Some(side);
            state.offered_at[side.index()] = Some(ply);
        });
        Ok(())
    }

    fn claim_time(&self, game: &mut Game, asked: Instant) -> Result<(), Problem> {
        let side = game.to_move();
        let spent = self.state.borrow().spent(asked);
        if let Some(left) = game.rules().move_time.and_then(|limit| limit.checked_sub(spent)) {
            return Err(conflict(format!("{} has {left} ms left", side.name())));
        }
        Ok(game.finish(End::Time { side })?)
    }

    /// Shows the game to all after a turn or its end.
    fn publish(&self, game: &Game) {
        let (request, result) = (game.to_request(), game.result());
        self.change(|state| {
            // A turn declines the offer of the other side, and no offer outlives the game.
            if state.draw_offer == Some(state.to_move.other()) || result.is_some() {
                state.draw_offer = None;
            }
            state.game = request;
            state.to_move = game.to_move();
            // At its longest the game has no more turns that could take too long.
            let goes_on = result.is_none() && state.came == [true; 2] && game.ply() < MAX_GAME;
            state.turn_began = goes_on.then(Instant::now);
            state.result = result;
        });
    }
}

fn milliseconds(from: Instant, to: Instant) -> u64 {
    u64::try_from(to.saturating_duration_since(from).as_millis()).unwrap_or(u64::MAX)
}

/// A client that follows a game; it has left when this is dropped.
#[derive(Debug)]
pub struct Follower {
    game: Arc<LiveGame>,
    side: Option<Side>,
    changes: watch::Receiver<State>,
}

impl Follower {
    /// Follows a game for a side, or only watches it.
    pub fn new(game: Arc<LiveGame>, side: Option<Side>) -> Self {
        let changes = game.state.subscribe();
        game.change(|state| {
            let Some(side) = side.map(Side::index) else { return };
            state.open[side] += 1;
            let begins = !state.came[side];
            state.came[side] = true;
            if begins && state.came == [true; 2] && state.result.is_none() {
                state.turn_began = Some(Instant::now());
            }
        });
        Self { game, side, changes }
    }

    /// The game at its next change; changes in between are left out. The first is the game as it is now.
    pub async fn next(&mut self) -> LiveView {
        // It holds the game, so that there is always a sender.
        let _ = self.changes.changed().await;
        self.game.view(self.side)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.game.change(|state| {
            if let Some(side) = self.side {
                state.open[side.index()] -= 1;
            }
        });
    }
}
