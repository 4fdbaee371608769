// A game in progress: where it began, its moves, how far back one has gone, and who plays.

import { other } from "./dom.js";

/** The rules that tables are built for unless said otherwise, and none of the extras. */
export const STANDARD_RULES = {
  diagonals: "corner", continuation: "optional", stalemate: "loss",
  sacrifice: false, vela: null, move_limit: null, move_time: null, repetition: false,
};

/** Two people, and what a computer would do if there were one. */
export const PEOPLE = { players: { white: "person", black: "person" }, levels: { white: 3, black: 3 }, time: 1000 };

export class Game {
  /** A game from a description in the server's words, and who plays. */
  constructor({ board, position = null, rules = {}, moves = [], times = [], end = null, tags = {} }, seats = PEOPLE) {
    this.board = board;
    this.position = position;
    this.rules = { ...STANDARD_RULES, ...rules };
    this.moves = [...moves];
    // Milliseconds of each move, `null` where nobody knows.
    this.times = moves.map((_, i) => times[i] ?? null);
    this.end = end;
    this.tags = tags;
    this.at = moves.length;
    this.seats = structuredClone(seats);
    this.paused = false;
    // Whether the game is one for the counters, and whether it is in them already.
    this.rated = false;
    this.counted = false;
    // Milliseconds that the present move has taken so far.
    this.spent = 0;
  }

  /** The game that `kept` once was. */
  static restored(kept) {
    return Object.assign(new Game({ board: kept.board }), kept);
  }

  /** What the server is asked: the game as far as it is shown. */
  request() {
    const { at, board, position, rules, tags } = this;
    // Where there is no clock, nobody asks how long a move took.
    const times = rules.move_time === null ? [] : this.times.slice(0, at);
    return { board, position, rules, tags, times, moves: this.moves.slice(0, at), end: this.atEnd() ? this.end : null };
  }

  /** Whether the newest position is shown. */
  atEnd() {
    return this.at === this.moves.length;
  }

  /** Plays a move; what had been taken back is forgotten. */
  push(move, milliseconds) {
    this.moves.splice(this.at, Infinity, move);
    this.times.splice(this.at, Infinity, milliseconds === null ? null : Math.round(milliseconds));
    this.end = null;
    this.at += 1;
    this.spent = 0;
  }

  /** Shows the game after so many moves. */
  go(ply) {
    const at = Math.max(0, Math.min(this.moves.length, ply));
    const moved = at !== this.at;
    this.at = at;
    if (moved) this.spent = 0;
    return moved;
  }

  /** Writes the moves played so far the way the server does. */
  adopt(history) {
    history.forEach(({ move }, i) => { this.moves[i] = move; });
  }

  /** Ends the game other than on the board. */
  finish(end) {
    this.moves.splice(this.at);
    this.times.splice(this.at);
    this.end = end;
    this.spent = 0;
  }

  /** Makes it a game that is played from here on, for the counters, and says who plays and when. */
  rate() {
    const name = (side) => (this.isComputer(side) ? `Computer, level ${this.seats.levels[side]}` : "Person");
    this.rated = true;
    this.tags = { Date: new Date().toISOString().slice(0, 10).replaceAll("-", "."), White: name("white"), Black: name("black") };
    return this;
  }

  isComputer(side) {
    return this.seats.players[side] === "computer";
  }

  /** Who plays: `people`, `computers`, or the side of the one person. */
  sides() {
    if (!this.isComputer("white") && !this.isComputer("black")) return "people";
    if (this.isComputer("white") && this.isComputer("black")) return "computers";
    return this.isComputer("white") ? "black" : "white";
  }

  /** The side to move after so many moves. */
  sideAt(ply) {
    const first = this.position?.trim().endsWith("b") ? "black" : "white";
    return ply % 2 ? other(first) : first;
  }

  /** The ply to go back or on to: against a computer, where the person is to move again. */
  next(step) {
    const [one, two] = [this.at + step, this.at + 2 * step];
    const answers = this.isComputer(this.sideAt(one)) && this.sides() !== "computers";
    return answers && two >= 0 && two <= this.moves.length ? two : one;
  }

  /** The same game, to be changed apart. */
  copy() {
    return Game.restored(structuredClone({ ...this }));
  }
}
