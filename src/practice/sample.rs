//! Draws random positions of the slices that have tables, until one is a task of the kind and difficulty that was chosen.

use crate::index::Slice;
use crate::knowledge::Knowledge;
use crate::rules::{Outcome, Position, Side};
use crate::table::{Known, RatedMove, rate};

use super::{Difficulty, Kind, Task, TaskChoice};

/// The most positions that are drawn for a task.
const MAX_TRIES: usize = 10_000;

/// The slice of three against five; the other is its twin.
pub const THREE_AGAINST_FIVE: Slice = Slice::new(5, 3);

/// Draws a task from the tables of a board; `None` if no position fits among 10 000, or if the tables that it takes are missing.
/// `look_up` is what is known of a position.
///
/// # Errors
/// Those of `look_up`.
pub fn draw_task<E>(
    knowledge: &Knowledge,
    choice: TaskChoice,
    mut look_up: impl FnMut(u64, u64) -> Result<Option<Known>, E>,
) -> Result<Option<Task>, E> {
    let slices = slices(knowledge, choice);
    if slices.is_empty() {
        return Ok(None);
    }
    let mut random = fastrand::Rng::with_seed(choice.seed.into());
    // By 64-bit numbers, so that a seed draws the same task on every machine, browsers included.
    #[allow(clippy::cast_possible_truncation)] // below a `usize`
    let mut below = |count: usize| random.u64(..count as u64) as usize;
    let mut points: Vec<usize> = (0..knowledge.rules().board().points()).collect();
    for _ in 0..MAX_TRIES {
        let slice = slices[below(slices.len())];
        for place in 1..points.len() {
            points.swap(place, below(place + 1));
        }
        let set = |points: &[usize]| points.iter().fold(0, |set, point| set | 1 << point);
        let (own, rest) = points.split_at(slice.mover);
        let (own, enemy) = (set(own), set(&rest[..slice.opponent]));
        // Most positions are ruled out by their value alone.
        let Some(known) = look_up(own, enemy)? else { continue };
        if !may_fit(choice, &known) {
            continue;
        }
        let position = Position::of_sides(Side::White, own, enemy);
        if let Some(task) = task_of(knowledge, choice, position, &mut look_up)? {
            return Ok(Some(task));
        }
    }
    Ok(None)
}

/// The slices that a task is drawn from, in order.
fn slices(knowledge: &Knowledge, choice: TaskChoice) -> Vec<Slice> {
    let with_table = knowledge.tables().folder().tables().map(|(slice, _)| slice);
    let mut slices: Vec<Slice> = with_table
        .filter(|slice| !choice.three_against_five || [*slice, slice.twin()].contains(&THREE_AGAINST_FIVE))
        .filter(|slice| choice.kind != Kind::Draw || slice.mover <= slice.opponent)
        .collect();
    slices.sort_unstable();
    slices
}

/// Whether a position of that value can be a task.
fn may_fit(choice: TaskChoice, known: &Known) -> bool {
    match (choice.kind, known.outcome()) {
        (Kind::Win, Some(Outcome::Win)) => {
            // Any numbers of turns will do: they do not decide.
            known.plies.is_none() || Difficulty::of(Kind::Win, known.plies, 2, 1) == Some(choice.difficulty)
        }
        (Kind::Draw, Some(Outcome::Draw)) | (Kind::Only, Some(Outcome::Win | Outcome::Draw)) => true,
        _ => false,
    }
}

/// The position as a task, if it is one.
fn task_of<E>(
    knowledge: &Knowledge,
    choice: TaskChoice,
    position: Position<u64>,
    look_up: &mut dyn FnMut(u64, u64) -> Result<Option<Known>, E>,
) -> Result<Option<Task>, E> {
    let TaskChoice { kind, difficulty, seed, .. } = choice;
    let rules = knowledge.rules();
    let rating = rate(rules, &position, look_up)?;
    let Some((known, outcome)) = rating.known.as_ref().and_then(|known| Some((known, known.outcome()?))) else {
        return Ok(None);
    };
    let outcomes: Option<Vec<Outcome>> = rating.moves.iter().map(RatedMove::outcome).collect();
    let Some(outcomes) = outcomes else { return Ok(None) };
    let (turns, holding) = (outcomes.len(), outcomes.iter().filter(|&&after| after == outcome).count());
    if Difficulty::of(kind, known.plies, turns, holding) != Some(difficulty) {
        return Ok(None);
    }
    let size = rules.board().size();
    Ok(Some(Task {
        board: size.to_string(),
        rules: rules.rule_set(),
        kind,
        difficulty,
        seed,
        position: position.to_text(size),
        value: Outcome::word(Some(outcome)),
        dtw: known.plies,
        source: known.source.word(),
        turns,
        holding,
        own_turns: kind.own_turns(),
    }))
}
