// The game that is shown with its view and the turn being composed, its clock, and how it is saved.

import { load, save } from "./store.js";
import { Turn } from "./turn.js";

export class ShownGame extends EventTarget {
  constructor() {
    super();
    this.game = null;
    this.view = null;
    this.turn = new Turn([]);
    // When the position was shown.
    this.began = 0;
    // When the present move of a live game began: its clock is the server's, and runs on whatever is shown here.
    this.liveSince = 0;
    // The game as this window saved it last.
    this.kept = null;
  }

  emit(type, detail = null) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** Saves the game for the next visit, with the steps of the turn being composed. */
  keep() {
    const { game, turn: { from, steps } } = this;
    // A live game is with the server.
    if (!game || game.live !== null) return;
    save("game", { ...game, spent: this.elapsed(), composing: from === null ? null : { from, steps } });
    this.kept = JSON.stringify(load("game", null, false));
  }

  /** Whether this window was the last to save its game: another one may have gone on with the same. */
  isLatest() {
    return JSON.stringify(load("game", null, false)) === this.kept;
  }

  /** The side whose clock it is. In a live game it is that of its present move, whatever is shown here. */
  clockSide() {
    return this.game.live === null ? this.view.to_move : this.game.sideAt(this.game.moves.length);
  }

  /** Whether the clock is running; it stops while an earlier position is shown, except in a live game. */
  running() {
    if (this.view === null || this.game.paused) return false;
    return this.game.live !== null || (!this.view.result && this.game.atEnd());
  }

  /** Milliseconds that the present move has taken so far. */
  elapsed() {
    if (!this.running()) return this.game.spent;
    return this.game.live === null ? this.game.spent + performance.now() - this.began : performance.now() - this.liveSince;
  }

  /** Whether the user may move; in a lesson only once, in a live game only at its end. */
  mayMove() {
    const { game, view } = this;
    if (view === null || view.result || !game.isPerson(view.to_move)) return false;
    return (game.lesson === null || view.ply === 0) && (game.live === null || game.atEnd());
  }
}
