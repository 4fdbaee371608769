// The game that is shown: its view from the server, the turn being composed, and every action on it.

import { gameView, liveAct, whyNot } from "./api.js";
import { ShownGame } from "./shown_game.js";
import { Turn } from "./turn.js";

/**
 * Events: `view` when another position is shown, `turn` when the turn being composed changes, `refused` and `failed` with a
 * sentence in `detail`, `busy` when waiting for the server begins or ends, `step` with the number of stones that a stone captured
 * on its way, `over` when a move ends the game, `live` with the key of a live game and its state after an action.
 */
export class GameController extends ShownGame {
  constructor() {
    super();
    this.hovered = null;
    this.sacrificing = false;
    // A game sent to the server; it is shown once the response arrives.
    this.asked = null;
    this.motion = null;
    this.justSelected = false;
    this.carried = false;
    // The error of the latest game, if it could not be shown.
    this.failure = null;
  }

  /** Shows a game if the server accepts it; resolves to whether it did. `words(error)` is the message if not. */
  async show(game, words = ({ message }) => message) {
    this.aborter?.abort();
    const aborter = new AbortController();
    this.aborter = aborter;
    this.failure = null;
    this.asked = game;
    this.emit("busy", true);
    try {
      const view = await gameView(game.request(), aborter.signal);
      if (aborter.signal.aborted) return false;
      this.put(game, view);
      return true;
    } catch (error) {
      if (aborter.signal.aborted) return false;
      this.asked = null;
      this.failure = error;
      this.turn.cancel();
      this.emit("turn");
      this.emit("failed", words(error));
      return false;
    } finally {
      if (this.aborter === aborter) {
        this.asked = null;
        this.emit("busy", false);
      }
    }
  }

  put(game, view) {
    game.adopt(view.history);
    const last = view.history.at(-1);
    const forward = this.game && this.view && view.ply === this.view.ply + 1 && view.start === this.view.start;
    // A chain composed on the board has been seen already.
    const seen = forward && last.path.length > 0 && this.turn.at() === last.path.at(-1);
    this.motion = forward && last.path.length && !seen ? [last.from, ...last.path] : null;
    const stepped = forward && !seen;
    const over = forward && view.result !== null;
    this.game = game;
    this.view = view;
    this.turn = new Turn(view.turns);
    if (game.composing) this.turn.resume(game.composing);
    game.composing = null;
    this.sacrificing = false;
    this.began = performance.now();
    this.keep();
    this.emit("view");
    if (stepped) this.emit("step", last.captured.length);
    if (over) this.emit("over");
  }

  /** The path of a stone since the board was last drawn. */
  takeMotion() {
    const { motion } = this;
    this.motion = null;
    return motion;
  }

  /** Pauses or continues computers and clocks, also of a game sent to the server. */
  pause(paused) {
    if (this.asked) this.asked.paused = paused;
    if (!this.game || this.game.paused === paused) return;
    this.game.spent = this.elapsed();
    this.began = performance.now();
    this.game.paused = paused;
    this.keep();
    this.emit("view");
  }

  /** Does something in a live game; resolves to whether the server accepts it. */
  async act(action) {
    const sent = this.game;
    this.asked = sent;
    this.emit("busy", true);
    try {
      this.emit("live", { key: sent.live, state: await liveAct(sent.live, action) });
      return true;
    } catch (error) {
      this.turn.cancel();
      this.emit("turn");
      // Both pages claim the time, so one of the claims fails.
      if (action.action !== "time") this.emit("failed", error.message);
      return false;
    } finally {
      if (this.asked === sent) this.asked = null;
      this.emit("busy", this.asked !== null);
    }
  }

  /** Plays a move chosen by its text, unless a computer is to move; resolves to whether it was played. */
  enter(text) {
    const { game, view } = this;
    if (view.result || game.paused || !game.isComputer(view.to_move)) return this.play(text);
    this.emit("refused", game.whoseTurn(view.to_move));
    return Promise.resolve(false);
  }

  /** Plays a move by its text. */
  play(text) {
    if (this.game.live !== null) return this.act({ action: "move", move: text, ply: this.game.at });
    const game = this.game.copy();
    game.push(text, this.elapsed());
    return this.show(game, ({ message }) => message.replace(/^Move \d+ of the game: /i, ""));
  }

  /** Shows the position after `ply` moves of a line. Computers are paused there. */
  go(ply, line) {
    const game = (this.asked ?? this.game).copy();
    if (!game.go(ply, line)) return Promise.resolve(false);
    if (game.live === null) game.paused = game.isComputer(game.sideAt(game.at)) && !(game.atEnd() && game.end);
    return this.show(game);
  }

  /** Takes back a step of the turn being composed, or else a turn. */
  undo() {
    if (this.turn.choice || this.turn.steps.length) {
      if (this.back()) return Promise.resolve(true);
    }
    const game = this.asked ?? this.game;
    return this.go(game.next(-1));
  }

  redo() {
    const game = this.asked ?? this.game;
    return this.go(game.next(1));
  }

  /** Ends the game by agreement, resignation or time. */
  finish(end) {
    if (this.game.live !== null) return this.act({ action: { agreement: "draw", resignation: "resign", time: "time" }[end.by] });
    const game = this.game.copy();
    game.finish(end);
    return this.show(game);
  }

  hover(point) {
    this.hovered = point;
    if (this.turn.from !== null) this.emit("turn");
  }

  sweep() {} // used by the editor only

  /** A pointer goes down: selects a stone that can move. */
  press(point) {
    this.justSelected = false;
    if (this.sacrificing || !this.mayMove() || this.asked || this.turn.choice) return false;
    if (point === this.turn.at()) return true;
    if (this.turn.steps.length || this.turn.optionsTo(point).length || !this.turn.movable().has(point)) return false;
    this.select(point);
    this.justSelected = true;
    return true;
  }

  release(point) {
    if (!this.justSelected) this.click(point);
  }

  drop(point) {
    this.carried = true;
    this.click(point);
    this.carried = false;
  }

  select(point) {
    this.turn.select(point);
    this.emit("turn");
  }

  /** Takes back the latest choice within this turn; returns whether there was one. A turn that was sent is complete. */
  back() {
    if (this.asked) return false;
    const was = this.sacrificing;
    this.sacrificing = false;
    if (!was && !this.turn.back()) return false;
    this.keep();
    this.emit("turn");
    return true;
  }

  toggleSacrifice() {
    this.turn.cancel();
    this.sacrificing = !this.sacrificing;
    this.emit("turn");
  }

  /** A point was chosen: a stone, a destination, or a stone to capture. */
  click(point) {
    const { turn } = this;
    if (!this.view || this.asked) return;
    if (!this.mayMove()) {
      if (this.game.isExercise) return;
      this.emit("refused", this.view.result?.text ?? this.game.whoseTurn(this.view.to_move));
      return;
    }
    if (this.sacrificing) {
      if (this.view.sacrifices.includes(point)) this.play(`${point}x`);
      else this.emit("refused", `There is no stone on ${point} that you can sacrifice.`);
      return;
    }
    if (turn.choice) {
      const chosen = turn.choice.find(({ captured }) => captured.includes(point));
      if (chosen) {
        this.take(chosen);
        return;
      }
      turn.choice = null;
    }
    const options = turn.optionsTo(point);
    if (options.length === 1) this.take(options[0]);
    else if (options.length > 1) this.choose(options);
    else if (!turn.steps.length && point === turn.from) this.back();
    else if (!turn.steps.length && turn.movable().has(point)) this.select(point);
    else this.refuse(point);
  }

  choose(options) {
    this.turn.choice = options;
    this.emit("turn");
  }

  /** Takes a step; a turn that cannot go on is played at once. */
  take(step) {
    const { turn } = this;
    const from = turn.at();
    turn.take(step);
    this.motion = this.carried ? null : [from, step.to];
    const done = turn.options().length ? null : turn.complete();
    this.keep();
    this.emit("turn");
    this.emit("step", step.captured.length);
    if (done) this.play(done.move);
  }

  /** Ends a chain that could go on. */
  endTurn() {
    const done = this.turn.complete();
    if (done) this.play(done.move);
  }

  /** Asks the server why a point cannot be chosen. */
  async refuse(point) {
    const question = this.turn.question(point);
    this.emit("turn");
    try {
      const { why } = await whyNot(this.game.request(), ...question);
      this.emit("refused", why ?? "This move is legal, but not shown because there are too many: type it.");
    } catch (error) {
      this.emit("failed", error.message);
    }
  }
}
