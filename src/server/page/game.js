// A game in progress: start, lines of moves, the ply that is shown, and the players.

import { capital, other } from "./dom.js";
import { STANDARD_RULES } from "./rules.js";

/** Two people; level and time are for computers that may be added. */
export const PEOPLE = { players: { white: "person", black: "person" }, levels: { white: 4, black: 4 }, time: 1000 };

export class Game {
  /** A game from a request of the HTTP API, and its players. */
  constructor({ board, position = null, rules = {}, moves = [], times = [], variations = [], end = null, tags = {} }, seats = PEOPLE) {
    this.board = board;
    this.position = position;
    this.rules = { ...STANDARD_RULES, ...rules };
    // Lines of moves from the start, in the order in which they were begun; milliseconds of each move, `null` if unknown; what ended it.
    this.lines = [{ moves: [...moves], times: moves.map((_, i) => times[i] ?? null), end }];
    for (const { ply, moves: others } of variations) {
      const line = [...moves.slice(0, ply), ...others];
      this.lines.push({ moves: line, times: line.map(() => null), end: null });
    }
    // The line and the ply that are shown.
    this.line = 0;
    this.at = moves.length;
    this.tags = tags;
    this.seats = structuredClone(seats);
    this.paused = false;
    // Whether the game is for the counters, and what they know it by: it may be open in several windows.
    this.rated = false;
    this.id = null;
    // Milliseconds that the present move has taken so far.
    this.spent = 0;
    // The stone and the steps of a turn that was being composed when the game was saved.
    this.composing = null;
    // The number of the lesson that this is, or `null`.
    this.lesson = null;
    // The key of the live game that this is, or `null`.
    this.live = null;
    // The side of the friend, if it was a live game, or `null`.
    this.friend = null;
    // The task of practice that this is, or `null`.
    this.task = null;
    // The key of the live game that an exercise was opened from, or `null`.
    this.origin = null;
  }

  /** Whether values would give the answer away. */
  get isExercise() {
    return this.lesson !== null || this.task !== null;
  }

  /** Restores a saved game. Older versions saved games with a single line. */
  static restored({ board, moves, times, end, ...rest }) {
    return Object.assign(new Game({ board, moves, times, end }), rest);
  }

  get moves() {
    return this.lines[this.line].moves;
  }

  get times() {
    return this.lines[this.line].times;
  }

  get end() {
    return this.lines[this.line].end;
  }

  /** The request to the server: the game up to the ply that is shown. */
  request() {
    const { at, board, position, rules, tags } = this;
    // Without a clock times are not sent.
    const times = rules.move_time === null ? [] : this.times.slice(0, at);
    return { board, position, rules, tags, times, moves: this.moves.slice(0, at), end: this.atEnd() ? this.end : null };
  }

  /** The request for all of the game: the line that is shown to its end, and the others as variations of it. */
  whole() {
    const game = this.copy();
    game.go(Infinity);
    const variations = game.lines.filter((_, line) => line !== game.line).map(({ moves }) => {
      const same = moves.findIndex((move, i) => move !== game.moves[i]);
      const ply = same < 0 ? moves.length : same;
      return { ply, moves: moves.slice(ply) };
    });
    return { ...game.request(), variations: variations.filter(({ moves }) => moves.length) };
  }

  /** Whether the latest position is shown. */
  atEnd() {
    return this.at === this.moves.length;
  }

  /**
   * Leaves the moves after the present ply to the line that they are on, and continues on a line without them. In a game against a
   * computer, what was taken back is the variation.
   */
  branch() {
    const { moves, times, at, lines } = this;
    if (this.atEnd()) return;
    this.line = this.rated && this.sides() !== "people" ? 0 : lines.length;
    lines.splice(this.line, 0, { moves: moves.slice(0, at), times: times.slice(0, at), end: null });
  }

  /** Plays a move. After an undo it begins another line. */
  push(move, milliseconds) {
    this.branch();
    this.moves.push(move);
    this.times.push(milliseconds === null ? null : Math.round(milliseconds));
    this.lines[this.line].end = null;
    this.at += 1;
    this.spent = 0;
  }

  /** Shows the game after `ply` moves of a line. */
  go(ply, line = this.line) {
    const at = Math.max(0, Math.min(this.lines[line].moves.length, ply));
    const moved = at !== this.at || line !== this.line;
    this.line = line;
    this.at = at;
    if (moved) this.spent = 0;
    return moved;
  }

  /** Adopts the notation of the server for the moves played. A line that another one begins with is dropped. */
  adopt(history) {
    history.forEach(({ move }, i) => { this.moves[i] = move; });
    const present = this.lines[this.line];
    if (present.end) return;
    // A line that ends here in another way than by its moves stays apart.
    const longer = this.lines.find((line) => line !== present && present.moves.every((move, i) => move === line.moves[i])
      && (line.moves.length > present.moves.length || !line.end));
    if (!longer) return;
    this.lines.splice(this.line, 1);
    this.line = this.lines.indexOf(longer);
  }

  /** Why the user may not move now. */
  whoseTurn(toMove) {
    const side = capital(toMove);
    if (this.live === null) return `It is ${side}'s turn, and the computer plays ${side}.`;
    return this.atEnd() ? `It is ${side}'s turn.` : "This is an earlier position of a live game; go to its end to move.";
  }

  /** Ends the game by agreement, resignation or time. */
  finish(end) {
    this.branch();
    this.lines[this.line].end = end;
    this.spent = 0;
  }

  /** Marks the game for the counters, and sets its tags. */
  rate() {
    const name = (side) => (this.isComputer(side) ? `Computer, level ${this.seats.levels[side]}` : "Person");
    this.rated = true;
    this.id = Math.random();
    this.tags = { Date: new Date().toISOString().slice(0, 10).replaceAll("-", "."), White: name("white"), Black: name("black") };
    return this;
  }

  isComputer(side) {
    return this.seats.players[side] === "computer";
  }

  /** Whether a side is played by a person at this page. */
  isPerson(side) {
    return this.seats.players[side] === "person";
  }

  /** `people`, `computers` if nobody plays at this page, or the side of the only person. */
  sides() {
    if (this.isPerson("white") === this.isPerson("black")) return this.isPerson("white") ? "people" : "computers";
    return this.isPerson("white") ? "white" : "black";
  }

  /** The side to move at a ply. */
  sideAt(ply) {
    const first = this.position?.trim().endsWith("b") ? "black" : "white";
    return ply % 2 ? other(first) : first;
  }

  /** The ply of undo (-1) or redo (1): against a computer, where the person is to move. */
  next(step) {
    const [one, two] = [this.at + step, this.at + 2 * step];
    const answers = this.isComputer(this.sideAt(one)) && this.sides() !== "computers";
    return answers && two >= 0 && two <= this.moves.length ? two : one;
  }

  /** An independent copy. */
  copy() {
    return Game.restored(structuredClone({ ...this }));
  }
}
