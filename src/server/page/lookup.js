// Values of the position that is shown: from tables and proofs, or else by search.

import { bestLine, position, reply, search } from "./api.js";
import { isExact, seenBy } from "./values.js";

/** Time limits of searches in milliseconds: without being asked for, and on demand. */
const SHORT_SEARCH = 2000;
const LONG_SEARCH = 5000;

/** Event: `values` when other values are known. */
export class Lookup extends EventTarget {
  constructor(controller, settings) {
    super();
    this.controller = controller;
    this.settings = settings;
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
    // What the computer thinks of a position whose value was not found.
    this.opinion = null;
    // Errors of `table`, `line` and `search`, as sentences.
    this.trouble = {};
    // The request in progress: `table`, `line` or `search`.
    this.waiting = null;
    this.values = new Map();
  }

  /** Whether values may be shown: switched on, and valid under these rules. */
  allowed() {
    return this.settings.values && this.controller.view !== null && this.controller.view.tables.apply;
  }

  async update() {
    this.clear();
    this.dispatchEvent(new Event("values"));
    if (!this.allowed() || this.controller.view.result) return;
    const { signal } = this.aborter;
    await this.wait("table", () => position(this.controller.view, signal), (answer) => this.take(answer));
    const { game, view } = this.controller;
    // A computer that is to move needs the server for itself.
    if (!signal.aborted && !this.isKnown() && !game.isComputer(view.to_move)) await this.find(SHORT_SEARCH);
  }

  take(answer) {
    this.answer = answer;
    this.values = new Map(answer.moves.map((move) => [move.position, move]));
  }

  /** Sends a request about this position; responses about earlier positions are dropped. */
  async wait(what, ask, take) {
    const { signal } = this.aborter;
    this.waiting = what;
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
    this.waiting = null;
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

  /** Searches longer for the value, and then for what the computer would play. */
  async think() {
    const { signal } = this.aborter;
    await this.find(LONG_SEARCH);
    if (signal.aborted || this.isKnown()) return;
    const ask = () => reply(this.controller.game.request(), 5, LONG_SEARCH, signal);
    await this.wait("search", ask, (found) => { this.opinion = found; });
  }

  /** The best move: by the tables where they know how long the game lasts, or else the computer's at the highest level. */
  async best() {
    const first = this.answer?.moves[0];
    if (first && this.answer.dtw !== null) return first.move;
    const { move } = await reply(this.controller.game.request(), 5, this.controller.game.seats.time, this.aborter.signal);
    return move;
  }
}
