// Values of the position that is shown: from tables, or on demand by search.

import { bestLine, position, reply } from "./api.js";

/** Time limit of a search on demand, in milliseconds. */
const SEARCH_TIME = 5000;

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
    this.search = null;
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

  update() {
    this.clear();
    if (this.allowed() && !this.controller.view.result) {
      this.wait("table", (signal) => position(this.controller.view, signal), (answer) => {
        this.answer = answer;
        this.values = new Map(answer.moves.map((move) => [move.position, move]));
      });
    }
    this.dispatchEvent(new Event("values"));
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

  /** The value of the move to a position, for the player who makes it; `null` if it may not be shown or has not come yet. */
  valueOf(text) {
    return this.values.get(text)?.value ?? null;
  }

  /** The value of the position for the side to move, and its source: `rules` once the game is over. */
  verdict() {
    if (this.controller.view.result) return { value: null, dtw: null, by: "rules" };
    if (this.answer && this.answer.value !== "unknown") {
      return { value: this.answer.value, dtw: this.answer.dtw, by: "table" };
    }
    if (this.search && this.search.value !== "unknown") return { value: this.search.value, dtw: this.search.dtw, by: this.search.how === "table" ? "table" : "search" };
    return { value: "unknown", dtw: null, by: null };
  }

  /** Asks for best play from here. */
  findLine() {
    return this.wait("line", (signal) => bestLine(this.controller.view, signal), (line) => { this.line = line; });
  }

  hideLine() {
    this.line = null;
    this.dispatchEvent(new Event("values"));
  }

  /** Searches the position at the highest level. */
  think() {
    const ask = (signal) => reply(this.controller.game.request(), 5, SEARCH_TIME, signal);
    return this.wait("search", ask, (found) => { this.search = found; });
  }

  /** The best move: by tables, or by a search at the highest level. */
  async best() {
    const first = this.answer?.moves[0];
    if (first && this.answer.value !== "unknown") return first.move;
    const { move } = await reply(this.controller.game.request(), 5, this.controller.game.seats.time, this.aborter.signal);
    return move;
  }
}
