//! The path of a search: the positions from its root to the current one, with a quick look-up however long the path is.

use std::ops::Deref;

use super::canonical::{Canonical, Key};
use super::numbers::Numbers;

/// A position on the path.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub position: Canonical,
    pub key: Key,
    pub attacker_moves: bool,
    /// The search leaves the position when one of its numbers reaches its limit.
    pub limits: Numbers,
    /// Where its children begin.
    pub children: usize,
    /// The first frame from which only paikas lead here: a capture cannot be undone, so none before it can come back.
    pub reversible: usize,
    /// What the paikas since then add to its number.
    pub detour: u32,
    /// Its turns are paikas.
    pub quiet: bool,
    /// The child that is being searched.
    pub chosen: usize,
    /// Nodes counted when that child was entered.
    pub chosen_at: u64,
    /// Nodes counted when this position was entered.
    pub entered_at: u64,
    /// Nodes spent on it before.
    pub effort: u64,
}

/// The frames, first the root's.
#[derive(Debug)]
pub struct Path {
    frames: Vec<Frame>,
    /// For each frame the last one before it whose key has the same slot: its number plus one, or 0 for none.
    earlier: Vec<u32>,
    /// In the same way, for each slot the last frame. Most children are seen at once not to be on the path.
    last: Vec<u32>,
}

/// Slots for parts of keys, several parts in each: many more than most paths have frames, and few to clear, since many searches
/// are short.
const SLOTS: u16 = 1 << 12;

fn slot(key_part: u16) -> usize {
    usize::from(key_part % SLOTS)
}

impl Path {
    /// Without frames.
    #[must_use]
    pub fn new() -> Self {
        Self { frames: Vec::new(), earlier: Vec::new(), last: vec![0; usize::from(SLOTS)] }
    }

    /// Goes one position further.
    pub fn push(&mut self, frame: Frame) {
        self.frames.push(frame);
        #[allow(clippy::cast_possible_truncation)] // a longer path does not fit into memory
        let length = self.frames.len() as u32;
        self.earlier.push(std::mem::replace(&mut self.last[slot(frame.key.more)], length));
    }

    /// Goes back by one position.
    pub fn pop(&mut self) -> Option<Frame> {
        let (frame, earlier) = (self.frames.pop()?, self.earlier.pop()?);
        self.last[slot(frame.key.more)] = earlier;
        Some(frame)
    }

    /// The last frame.
    pub fn last_mut(&mut self) -> Option<&mut Frame> {
        self.frames.last_mut()
    }

    /// The frames from number `since` on whose keys have that part, the last first.
    fn with_part(&self, key_part: u16, since: usize) -> impl Iterator<Item = usize> {
        let number = |place: u32| place.checked_sub(1).map(|number| number as usize);
        let last = number(self.last[slot(key_part)]);
        let numbers = std::iter::successors(last, move |&frame| number(self.earlier[frame]));
        let has_part = move |&number: &usize| self.frames[number].key.more == key_part;
        numbers.take_while(move |&number| number >= since).filter(has_part)
    }

    /// The last frame from number `since` on whose key has that part.
    #[inline]
    #[must_use]
    pub fn find_part(&self, key_part: u16, since: usize) -> Option<usize> {
        self.with_part(key_part, since).next()
    }

    /// The frame from number `since` on with that position.
    #[inline]
    #[must_use]
    pub fn find(&self, position: Canonical, key: Key, since: usize) -> Option<usize> {
        let is_it = |frame: &Frame| frame.key == key && frame.position == position;
        self.with_part(key.more, since).find(|&number| is_it(&self.frames[number]))
    }
}

impl Deref for Path {
    type Target = [Frame];

    fn deref(&self) -> &[Frame] {
        &self.frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_found_as_by_looking_through_all() {
        let mut random = fastrand::Rng::with_seed(28);
        let (mut path, mut depths) = (Path::new(), 0);
        for _ in 0..20_000 {
            if random.u8(..5) < 2 && path.pop().is_some() {
                continue;
            }
            let position = Canonical { mover: random.u64(..300), opponent: 1 << 20 };
            let (attacker_moves, since) = (random.bool(), random.usize(..=path.len()));
            let mut key = position.key(attacker_moves);
            // Ten slots, five parts of keys in each.
            key.more = key.more % 10 + key.more / 10 % 5 * SLOTS;
            let last = |is_it: &dyn Fn(&Frame) -> bool| (since..path.len()).rev().find(|&at| is_it(&path[at]));
            let same = |frame: &Frame| frame.position == position && frame.attacker_moves == attacker_moves;
            assert_eq!(path.find(position, key, since), last(&same));
            assert_eq!(path.find_part(key.more, since), last(&|frame| frame.key.more == key.more));
            depths = depths.max(path.len());
            let limits = Numbers { phi: 1, delta: 1 };
            path.push(Frame {
                position,
                key,
                attacker_moves,
                limits,
                children: 0,
                reversible: 0,
                detour: 0,
                quiet: true,
                chosen: 0,
                chosen_at: 0,
                entered_at: 0,
                effort: 0,
            });
        }
        assert!(depths > 1000, "a long path");
    }
}
