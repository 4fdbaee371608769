// Computer players: their moves, their draw offers, and their answers to offers.

import { drawAnswer, watch } from "./api.js";
import { capital, other } from "./dom.js";

/** The share of the time for a move that a computer thinks; the rest is for the network. */
const SHARE = 0.6;
/** The least number of milliseconds between the moves of two computers, so that one sees each of them. */
const PACE = 800;
/** The least number of plies between draw offers of computers, and before the first. */
const PATIENCE = 20;
/** A computer that does not know the value of the position offers a draw only after this many plies. */
const LONG = 60;

/** Event: `progress` when the search is further, or over. */
export class Opponent extends EventTarget {
  /** `ask(question, yes, no)` asks the user, `notify(sentence)` shows a message. */
  constructor(controller, ask, notify) {
    super();
    this.controller = controller;
    this.ask = ask;
    this.notify = notify;
    this.aborter = null;
    // How far the search is: depth, nodes, milliseconds, and the expected line.
    this.progress = null;
    this.offered = 0;
    // When the last move was made.
    this.moved = 0;
    // During a draw offer no computer moves.
    this.offering = false;
    controller.addEventListener("view", () => this.update());
    // The browser ends the requests of a page that is left; no failure of theirs pauses the computer.
    this.left = false;
    addEventListener("pagehide", () => { this.left = true; this.stop(); });
    addEventListener("pageshow", ({ persisted }) => { this.left = false; if (persisted && controller.view) this.update(); });
    // If a move could not be shown, the computer is paused.
    controller.addEventListener("failed", () => { if (!this.thinking() && this.due()) controller.pause(true); });
  }

  /** Whether a computer is to move now. */
  due() {
    const { game, view } = this.controller;
    // In practice only right moves are answered.
    const isWanted = game?.task ? game.task.passed === view?.position && !game.task.done : true;
    return !this.left && view !== null && !view.result && !game.paused && isWanted && game.isComputer(view.to_move);
  }

  /** Whether a computer is thinking. */
  thinking() {
    return this.aborter !== null;
  }

  show(progress) {
    this.progress = progress;
    this.dispatchEvent(new Event("progress"));
  }

  /** Stops the search and plays the best move found so far. */
  async moveNow() {
    if (!this.thinking() || !this.progress) return;
    const [move] = this.progress.line;
    this.stop();
    await this.make({ move, value: "unknown", offers_draw: false });
  }

  stop() {
    this.aborter?.abort();
    this.aborter = null;
    this.show(null);
  }

  async update() {
    this.stop();
    const { game, view } = this.controller;
    // An earlier ply belongs to another game, or to a new attempt at this one.
    if (view.ply < this.offered) this.offered = 0;
    if (!this.due() || this.offering) return;
    const aborter = new AbortController();
    this.aborter = aborter;
    const { levels, time } = game.seats;
    const limit = view.rules.move_time;
    const thinking = limit === null ? time : Math.min(time, Math.round(SHARE * limit));
    try {
      const answer = await watch(game.request(), levels[view.to_move], thinking, aborter.signal, (progress) => {
        if (!aborter.signal.aborted) this.show(progress);
      });
      if (game.sides() === "computers") await this.rest(limit === null ? PACE : Math.min(PACE, SHARE * limit));
      if (aborter.signal.aborted) return;
      this.aborter = null;
      this.show(null);
      // The user is undoing or redoing at this moment.
      if (this.controller.asked) return;
      await this.make(answer);
    } catch (error) {
      if (aborter.signal.aborted) return;
      this.aborter = null;
      this.show(null);
      // Another game, or another place in this one, may be on its way.
      if (!this.controller.asked) this.controller.pause(true);
      this.notify(`The computer could not move. ${error.message}`);
    }
  }

  /** Waits until so many milliseconds have passed since the last move. */
  rest(least) {
    return new Promise((done) => { setTimeout(done, this.moved + least - performance.now()); });
  }

  /** Plays a computer's move; it may offer a draw before the next one. */
  async make(answer) {
    this.offering = true;
    this.moved = performance.now();
    try {
      if (await this.controller.play(answer.move)) await this.considerDraw(answer);
    } finally {
      this.offering = false;
    }
    this.update();
  }

  /** After a computer's move: it may offer a draw, and the other side answers. */
  async considerDraw({ value, offers_draw: offers }) {
    const { game, view } = this.controller;
    const level = offers || (value === "unknown" && view.ply >= LONG);
    if (view.result || game.task || !level || view.ply < this.offered + PATIENCE) return;
    this.offered = view.ply;
    const mover = other(view.to_move);
    const still = () => this.controller.view === view && !view.result;
    try {
      const { accept } = await drawAnswer(game.request(), game.seats.levels[mover]);
      if (!accept || !still()) return;
      if (!game.isComputer(view.to_move)) {
        const agreed = await this.ask(`${capital(mover)}, the computer, offers a draw.`, "Accept", "Play on");
        if (agreed && still()) await this.controller.finish({ by: "agreement" });
        return;
      }
      // Nobody can ask the other computer before it moves; it agrees where the draw is known.
      if (offers) await this.controller.finish({ by: "agreement" });
    } catch {
      // Without an answer there is no offer; the game goes on.
    }
  }

  /** The side to move offers a draw. */
  async offerDraw() {
    const { game, view } = this.controller;
    if (game.live !== null) {
      await this.controller.finish({ by: "agreement" });
      return;
    }
    const asked = other(view.to_move);
    const side = capital(view.to_move);
    if (!game.isComputer(asked)) {
      const agreed = await this.ask(`${side} offers a draw. Does ${capital(asked)} agree?`, "Agree", "Play on");
      if (agreed && this.controller.view === view) await this.controller.finish({ by: "agreement" });
      return;
    }
    const { accept, why } = await drawAnswer(game.request(), game.seats.levels[asked]);
    if (this.controller.view !== view) return;
    this.notify(accept ? `The computer agrees to a draw. ${why}` : `The computer declines. ${why}`);
    if (accept) await this.controller.finish({ by: "agreement" });
  }

  /** Resigns: the only person, or else the side to move. */
  async resign() {
    const { game, view } = this.controller;
    const sides = game.sides();
    const side = sides === "people" ? view.to_move : sides;
    if (await this.ask(`${capital(side)} resigns?`, "Resign", "Play on")) await this.controller.finish({ by: "resignation", side });
  }
}
