// Values of the position that is shown: from tables and proofs, or else by search.

import { bestLine, position, reply, search, watch } from "./api.js";
import { isExact, seenBy } from "./values.js";
import { decimal } from "./words.js";

/** Time limits of searches in milliseconds: without being asked for, and on demand. */
const SHORT_SEARCH = 2000;
const LONG_SEARCH = 5000;
/** Of the engine in an analysis: its level, and the number of lines. */
const BEST_LEVEL = 9;
const LINES = 3;
/** Scores of the engine beyond this are known wins and losses. */
const SURE = 15000;

/** A score of the engine in stones, for the side to move. */
export function scoreText(score) {
  if (Math.abs(score) > SURE) return score > 0 ? "W" : "L";
  const stones = decimal(Math.abs(score) / 100, 1);
  return stones === decimal(0, 1) ? stones : `${score > 0 ? "+" : "−"}${stones}`;
}

/** Event: `values` when other values are known. */
export class Lookup extends EventTarget {
  constructor(controller, settings) {
    super();
    this.controller = controller;
    this.settings = settings;
    // Whether every position is analysed whose value is not known.
    this.analysing = false;
    this.clear();
    controller.addEventListener("view", () => this.update());
    settings.addEventListener("change", ({ detail }) => { if (detail === "values") this.update(); });
  }

  clear() {
    this.aborter?.abort();
    this.aborter = new AbortController();
    this.answer = null;
    this.line = null;
    // The best move, if it was asked for.
    this.hint = null;
    // What the computer thinks of a position whose value was not found: its move, and its lines, the best one first.
    this.opinion = null;
    this.lines = [];
    // Errors of `table`, `line` and `search`, as sentences.
    this.trouble = {};
    // The requests in progress: `table`, `line` and `search`.
    this.waiting = new Set();
    this.values = new Map();
  }

  /** Whether values may be shown: switched on, valid under these rules, and not the answer to an exercise or help in a live game. */
  allowed() {
    const { game, view } = this.controller;
    return this.settings.values && view !== null && view.tables.apply && !game.isExercise && game.live === null;
  }

  async update() {
    this.clear();
    this.dispatchEvent(new Event("values"));
    if (!this.allowed() || this.controller.view.result) return;
    const { signal } = this.aborter;
    await this.wait("table", () => position(this.controller.view, signal), (answer) => this.take(answer));
    const { game, view } = this.controller;
    // A computer that is to move needs the server for itself.
    if (signal.aborted || this.isKnown() || game.isComputer(view.to_move)) return;
    await (this.analysing ? this.think() : this.find(SHORT_SEARCH));
  }

  take(answer) {
    this.answer = answer;
    this.values = new Map(answer.moves.map((move) => [move.position, move]));
  }

  /** Sends a request about this position; responses about earlier positions are dropped. */
  async wait(what, ask, take) {
    const { signal } = this.aborter;
    this.waiting.add(what);
    delete this.trouble[what];
    this.dispatchEvent(new Event("values"));
    try {
      const answer = await ask(signal);
      if (signal.aborted) return;
      take(answer);
    } catch (error) {
      if (signal.aborted) return;
      this.trouble[what] = error.message;
    }
    this.waiting.delete(what);
    this.dispatchEvent(new Event("values"));
  }

  /** The value of the move to a position, as its player sees it; `null` if it may not be shown or has not come yet. */
  valueOf(text) {
    const move = this.values.get(text);
    return move ? seenBy(this.controller.view.to_move, move.value) : null;
  }

  /** Whether the value of the position is known exactly. */
  isKnown() {
    return isExact(this.verdict().value);
  }

  /** What is known of the position for the side to move, and how; `rules` once the game is over. */
  verdict() {
    const unknown = { value: "unknown", dtw: null, source: null, proof: null };
    if (this.controller.view.result) return { ...unknown, source: "rules" };
    if (this.answer && this.answer.value !== "unknown") return this.answer;
    if (this.opinion && this.opinion.value !== "unknown") {
      return { ...unknown, value: this.opinion.value, dtw: this.opinion.dtw, source: this.opinion.source, proof: this.opinion.proof };
    }
    return unknown;
  }

  /** Asks for best play from here. */
  findLine() {
    return this.wait("line", (signal) => bestLine(this.controller.view, signal), (line) => { this.line = line; });
  }

  hideLine() {
    this.line = null;
    this.dispatchEvent(new Event("values"));
  }

  setHint(move) {
    this.hint = move;
    this.dispatchEvent(new Event("values"));
  }

  /** Searches for the value. */
  find(time) {
    return this.wait("search", (signal) => search(this.controller.view, time, signal), (answer) => this.take(answer));
  }

  /** Begins to analyse, or stops. */
  analyse(analysing) {
    this.analysing = analysing;
    return analysing ? this.think() : this.update();
  }

  /** Searches for what the computer would play, and then for the value. */
  async think() {
    const { signal } = this.aborter;
    const progress = (line) => {
      this.lines[line.rank - 1] = line;
      this.dispatchEvent(new Event("values"));
    };
    const request = { ...this.controller.game.request(), lines: LINES };
    await this.wait("search", () => watch(request, BEST_LEVEL, LONG_SEARCH, signal, progress), (found) => { this.opinion = found; });
    if (!signal.aborted && !this.isKnown()) await this.find(LONG_SEARCH);
  }

  /** White's share, from 0 to 1, of what there is to win, as a review counts it; `null` if nothing is known. */
  share() {
    const { view } = this.controller;
    const forWhite = (share) => (view.to_move === "white" ? share : 1 - share);
    if (view.result) return { white: 1, black: 0 }[view.result.winner] ?? 0.5;
    const { value } = this.verdict();
    if (isExact(value)) return forWhite({ win: 1, draw: 0.5, loss: 0 }[value]);
    const score = this.lines[0]?.score ?? this.opinion?.score ?? null;
    if (score !== null) return forWhite(1 / (1 + Math.exp(-score / 200)));
    return value === "unknown" ? null : forWhite({ better: 0.75, worse: 0.25 }[seenBy(view.to_move, value)]);
  }

  /** The best move: by the tables where they know how long the game lasts, or else the computer's at the highest level. */
  async best() {
    const first = this.answer?.moves[0];
    if (first && this.answer.dtw !== null) return first.move;
    const { move } = await reply(this.controller.game.request(), BEST_LEVEL, this.controller.game.seats.time, this.aborter.signal);
    return move;
  }
}
