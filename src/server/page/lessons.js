// The rules in ten steps: for each a position, what to do, the moves that do it, and what to say then.

/** `moves` are those that reach the goal; without them any move does. */
export const LESSONS = [
  {
    title: "Move",
    position: "1B3/5/2W2/5/5 w",
    task: "A stone moves one step along a line to an empty point. Click your white stone, then a marked point; or drag it.",
    done: "A move that captures nothing is called paika.",
  },
  {
    title: "Diagonals",
    position: "5/5/2W2/5/3B1 w",
    task: "Every other point is strong: lines lead from it diagonally too. Move your stone along a diagonal.",
    moves: ["c3-b2", "c3-b4", "c3-d2", "c3-d4"],
    again: "That was a straight line. Take a diagonal.",
    done: "From b3, its neighbour, only straight lines lead on: it is weak.",
  },
  {
    title: "Approach",
    position: "3B1/5/1W1BB/5/5 w",
    task: "A step up to enemy stones captures them: all that stand in line, in the direction of the step. Capture two stones.",
    moves: ["b3-c3A"],
    done: "The stone stays on its point. It does not jump on those that it captures.",
  },
  {
    title: "Withdrawal",
    position: "5/5/BBW2/4B/5 w",
    task: "A step away from enemy stones captures them too. Move away from the two stones on the left.",
    moves: ["c3-d3W"],
    done: "The stones have to stand right behind the one that moves away, in line with its step.",
  },
  {
    title: "Choose",
    position: "1B3/5/1BW1B/5/5 w",
    task: "A step from one enemy stone to another could capture either of them, but never both. Step between them, and click the one to capture.",
    moves: ["c3-d3A", "c3-d3W"],
    done: "In a record, A is for approach and W for withdrawal.",
  },
  {
    title: "Up to the first gap",
    position: "7B1/W1BB1BB2/1W7 w",
    task: "A capture takes the whole run of enemy stones, up to the first empty point or stone of your own. Capture two of the four stones in the middle row.",
    moves: ["a2-b2A"],
    done: "The gap on e2 has saved the other two.",
  },
  {
    title: "Captures are compulsory",
    position: "1B3/5/2W1B/5/WW3 w",
    task: "If you can capture, you must. Only one of your three stones can: find it. If you click another one, the page says why it may not move.",
    moves: ["c3-d3A"],
    done: "Stones that can move have a ring.",
  },
  {
    title: "Chains",
    position: "5/B1B2/5/1W1BB/5 w",
    task: "After a capture the same stone may go on capturing, as long as every step captures. Capture three stones in one turn.",
    moves: ["b2-c2A-c3A"],
    again: "You may end a turn after any capture. This time, go on.",
    done: "One turn, two captures. A good chain decides many games.",
  },
  {
    title: "No direction twice",
    position: "B4/2B2/5/3W1/4B w",
    task: "Within a turn, a stone may not step twice in a row in the same direction, nor return to a point on which it has stood. Capture twice.",
    moves: ["d2-c3W-c2W"],
    again: "You may end a turn after any capture. This time, go on.",
    done: "A step to b4 would have captured a5, but had the direction of the step before.",
  },
  {
    title: "Win",
    position: "5/1B3/3BB/5/2W2 w",
    task: "You win when the other side has no stones left, or cannot move. Capture all three stones in one turn.",
    moves: ["c1-d2A-c3A-b3W"],
    again: "Some stones are left. Look for a longer chain.",
    done: "You know the rules. Begin with a game on 5x5 against the computer at level 1 or 2.",
  },
];
