//! Judges the positions of a game: by what is known of them, then by searches from the last to the first.

use std::sync::atomic::Ordering;

use web_time::Instant;

use crate::game::engine::{Engine, EngineError, FORCED, How, Level, SearchLimits};
use crate::game::{Game, GameRequest, MAX_LISTED, Reason};
use crate::knowledge::Knowledge;
use crate::report;
use crate::rules::{Bounds, Outcome, PositionText, Side, turn_text};
use crate::table::{Known, RatedMove, Source, TableError, rate};

use super::assess::{Made, Mark, TurnReview, assess};
use super::evaluation::{Found, Judged};
use super::summary::Summary;
use super::{Review, ReviewError, ReviewOptions, ReviewProgress};

/// The most turns of a better line.
const LINE: usize = 12;

/// The seed of all searches: with a limit of nodes, a review is always the same.
const SEED: u64 = 1;

/// A position of the game.
#[derive(Default)]
struct Place {
    judged: Judged,
    text: String,
    /// What is known after each of its turns, for its side to move.
    choices: Vec<Bounds>,
    /// The turn after which the most is known.
    best: Option<String>,
    /// Best play, if it is known.
    line: Option<Vec<String>>,
    /// Whether the search prefers the turn that was made.
    is_preferred: bool,
    /// Repetition or the move limit, if that ended the game here. Other moves may not have led to that: earlier positions learn nothing
    /// from it.
    cut: Option<Reason>,
}

/// A review in progress.
struct Reviewer<'a> {
    /// The game, at the position that is judged.
    game: Game,
    moves: Vec<(Side, String)>,
    knowledge: Option<&'a Knowledge>,
    options: ReviewOptions<'a>,
    engine: Engine,
    places: Vec<Place>,
    review: Review,
}

/// Reviews a game with what is known of its board; knowledge of another board or other rules is not used.
///
/// # Errors
/// [`ReviewError`], if a table cannot be read or a position cannot be searched.
pub fn review(
    game: &Game,
    knowledge: Option<&Knowledge>,
    options: ReviewOptions<'_>,
    on_progress: &mut dyn FnMut(&ReviewProgress<'_>),
) -> Result<Review, ReviewError> {
    let view = game.view();
    // What the players agreed on, and their clocks, say nothing about the last position.
    let request = GameRequest { end: None, times: Vec::new(), ..game.to_request() };
    let mut reviewer = Reviewer {
        places: (0..=game.ply()).map(|_| Place::default()).collect(),
        moves: view.history.iter().map(|played| (played.side, played.text.clone())).collect(),
        review: Review {
            board: view.board,
            rules: view.rules,
            tags: request.tags.clone(),
            start: view.start,
            result: view.result,
            turns: Vec::new(),
            white: Summary::default(),
            black: Summary::default(),
            complete: false,
        },
        game: request.replay()?,
        knowledge,
        options,
        engine: Engine::default(),
    };
    reviewer.look_up()?;
    reviewer.search(on_progress)?;
    Ok(reviewer.review)
}

impl Reviewer<'_> {
    /// Judges all positions by the rules, tables and proofs, from the last to the first; then the game is at its start.
    fn look_up(&mut self) -> Result<(), ReviewError> {
        for ply in (0..self.places.len()).rev() {
            self.places[ply] = self.place()?;
            self.learn(ply);
            self.game.undo();
        }
        // What is known before a turn limits what can be after it.
        for ply in 1..self.places.len() {
            let (earlier, later) = self.places.split_at_mut(ply);
            later[0].judged.learn_from(&earlier[ply - 1].judged);
        }
        Ok(())
    }

    /// The present position of the game.
    fn place(&self) -> Result<Place, TableError> {
        let mut place = Place { text: self.game.position(), ..Place::default() };
        if let Some(result) = self.game.result() {
            let outcome = result.outcome(self.game.to_move());
            let plies = (outcome != Outcome::Draw).then_some(0);
            place.judged.known = Some(Known { plies, ..Known::new(outcome.into(), Source::Rules) });
            place.cut = Some(result.reason).filter(|reason| matches!(reason, Reason::Repetition | Reason::MoveLimit));
            return Ok(place);
        }
        let known = self.game.with_knowledge(self.knowledge).filter(|(game, _)| game.tables_apply().apply);
        let Some((game, knowledge)) = known else { return Ok(place) };
        let (position, rules) = (game.state().position, knowledge.rules());
        if rules.has_more_turns_than(MAX_LISTED, &position) {
            return Ok(place);
        }
        let rating = rate(rules, &position, &mut |mover, opponent| knowledge.look_up(mover, opponent))?;
        place.choices = rating.moves.iter().map(RatedMove::bounds).collect();
        let best = rating.moves.first().filter(|best| best.known.is_some());
        place.best = best.map(|best| turn_text(game.size(), &best.turn));
        place.judged.known = rating.known;
        Ok(place)
    }

    /// What follows for a position from the one after it.
    fn learn(&mut self, ply: usize) {
        let (earlier, later) = self.places.split_at_mut(ply + 1);
        if let Some(next) = later.first().filter(|next| next.cut.is_none()) {
            earlier[ply].judged.learn_from(&next.judged);
        }
    }

    /// Searches the positions without an exact value, from the last to the first.
    fn search(&mut self, on_progress: &mut dyn FnMut(&ReviewProgress<'_>)) -> Result<(), ReviewError> {
        while self.game.redo() {}
        let (mut searched, begun) = (0, Instant::now());
        self.report((searched, self.places.len(), begun), on_progress)?;
        for ply in (0..self.places.len()).rev() {
            self.learn(ply);
            if self.places[ply].judged.exact().is_none() {
                let judged = self.searched(ply)?;
                if self.options.stop.load(Ordering::Relaxed) {
                    break;
                }
                self.places[ply].judged = judged;
                self.learn(ply);
                self.prefer(ply);
                searched += 1;
                self.report((searched, ply, begun), on_progress)?;
            }
            self.game.undo();
        }
        self.review.complete = self.places.iter().all(|place| place.judged.expected().is_some());
        self.report((searched, 0, begun), on_progress)
    }

    /// Judges the present position by a search.
    fn searched(&mut self, ply: usize) -> Result<Judged, EngineError> {
        let game = self.game.clone();
        let after = self.places.get(ply + 1).map(|place| place.judged.clone());
        self.judged_by_search(&game, self.places[ply].judged.clone(), after, FORCED)
    }

    /// The same for any position: what is known of it, what is known after its only turn, and how many more turns may be followed.
    fn judged_by_search(
        &mut self,
        game: &Game,
        mut judged: Judged,
        after: Option<Judged>,
        more: u32,
    ) -> Result<Judged, EngineError> {
        let options = self.options;
        let level = Level::BEST;
        let limits =
            SearchLimits { time: options.time, nodes: options.nodes, ..SearchLimits::new(level, SEED, options.stop) };
        let mut line = Vec::new();
        let reply = self.engine.reply(game, self.knowledge, &limits, &mut |info| line.clone_from(&info.line))?;
        judged.learn(reply.known.bounds, &Source::Search, reply.known.dtw);
        if line.first() != Some(&reply.text) {
            line = vec![reply.text.clone()];
        }
        let mut found = Found { score: reply.score, depth: reply.depth, line };
        if reply.score.is_none() && judged.exact().is_none() && !options.stop.load(Ordering::Relaxed) {
            // There was nothing to choose. What the turn leads to is what the position is worth.
            let mut next = game.clone();
            let legal = next.play(&found.line[0], None).is_ok();
            let inner = match after {
                Some(after) if reply.how == How::OnlyMove => Some(after),
                _ if more > 0 && legal && next.result().is_none() => {
                    Some(self.judged_by_search(&next, Judged::default(), None, more - 1)?)
                }
                _ => None,
            };
            let Judged { known, found: beyond } = inner.unwrap_or_default();
            if let (How::OnlyMove, Some(known)) = (reply.how, known) {
                judged.learn(known.bounds.reversed(), &known.source, known.plies.map(|plies| plies + 1));
            }
            if let Some(beyond) = beyond {
                found.score = beyond.score.map(|score| -score);
                found.depth = beyond.depth + 1;
                found.line.extend(beyond.line.into_iter().take(LINE - 1));
            }
        }
        judged.found = Some(found);
        Ok(judged)
    }

    /// Where the search prefers the turn that was made, the position is worth what it led to, which has been searched deeper.
    fn prefer(&mut self, ply: usize) {
        let (earlier, later) = self.places.split_at_mut(ply + 1);
        let (place, Some(next)) = (&mut earlier[ply], later.first()) else { return };
        let Some(found) = &mut place.judged.found else { return };
        let mut game = self.game.clone();
        let is_legal = found.line.first().is_some_and(|preferred| game.play(preferred, None).is_ok());
        place.is_preferred = is_legal && game.position() == next.text;
        if let (true, None, Some(beyond)) = (place.is_preferred, next.judged.exact(), &next.judged.found)
            && let Some(score) = beyond.score
        {
            (found.score, found.depth) = (Some(-score), beyond.depth + 1);
        }
    }

    /// Brings the review up to date and reports what has changed; positions before `ply` may still have to be searched.
    fn report(
        &mut self,
        (searched, ply, begun): (usize, usize, Instant),
        on_progress: &mut dyn FnMut(&ReviewProgress<'_>),
    ) -> Result<(), ReviewError> {
        let turns = self.turns()?;
        let earlier = &self.review.turns;
        let changed: Vec<usize> = (0..turns.len()).filter(|&place| earlier.get(place) != Some(&turns[place])).collect();
        (self.review.white, self.review.black) = (Summary::of(&turns, Side::White), Summary::of(&turns, Side::Black));
        self.review.turns = turns;
        let open = self.places[..ply].iter().filter(|place| place.judged.exact().is_none()).count();
        let to_search = searched + open;
        #[allow(clippy::cast_precision_loss)] // few
        let seconds_left = (searched > 0).then(|| begun.elapsed().as_secs_f64() / searched as f64 * open as f64);
        let review = &self.review;
        on_progress(&ReviewProgress { review, changed: &changed, searched, to_search, seconds_left });
        Ok(())
    }

    /// Every turn with what is known by now.
    fn turns(&mut self) -> Result<Vec<TurnReview>, TableError> {
        let mut turns = Vec::new();
        for ply in 1..self.places.len() {
            let turn = self.turn(ply);
            // Best play is looked up only where it is shown.
            let is_shown = turn.better.is_none() && turn.mark.is_some_and(Mark::is_error);
            if is_shown && self.places[ply - 1].line.is_none() {
                self.places[ply - 1].line = Some(self.best_line(ply - 1)?);
            }
            turns.push(if is_shown { self.turn(ply) } else { turn });
        }
        Ok(turns)
    }

    fn turn(&self, ply: usize) -> TurnReview {
        let (before, after) = (&self.places[ply - 1], &self.places[ply]);
        let (side, text) = &self.moves[ply - 1];
        let known = before.line.as_deref().filter(|line| !line.is_empty());
        let found = before.judged.found.as_ref().map(|found| found.line.as_slice());
        assess(&Made {
            ply,
            side: *side,
            text,
            position: &after.text,
            before: &before.judged,
            after: &after.judged,
            choices: &before.choices,
            cut: after.cut,
            is_preferred: before.is_preferred,
            better: known.or(found),
        })
    }

    /// Best play by tables and proofs from a position; empty if a search knows better.
    fn best_line(&self, ply: usize) -> Result<Vec<String>, TableError> {
        let place = &self.places[ply];
        let by_search = place.judged.known.as_ref().is_none_or(|known| known.source == Source::Search);
        let (Some(best), Some(knowledge), false) = (&place.best, self.knowledge, by_search) else {
            return Ok(Vec::new());
        };
        let size = knowledge.rules().board().size();
        let Ok(position) = PositionText::parse(&place.text).and_then(|text| text.on(size)) else {
            return Ok(vec![best.clone()]);
        };
        let look_up = |mover, opponent| knowledge.look_up(mover, opponent);
        let line = report::line(knowledge.rules(), &position, look_up)?;
        let moves: Vec<String> = line.line.into_iter().take(LINE).map(|one| one.text).collect();
        Ok(if moves.is_empty() { vec![best.clone()] } else { moves })
    }
}
