// The buttons of the game: undo, redo, flip, best move, sacrifice, pause, draw, resign, and play again.

import { byId, say } from "./dom.js";
import { Game } from "./game.js";
import { load } from "./store.js";

export class Toolbar {
  constructor(controller, lookup, opponent, settings, notify) {
    Object.assign(this, { controller, lookup, opponent, settings, notify, finding: false });
    const actions = {
      "to-start": () => controller.go(0),
      "undo": () => controller.undo(),
      "redo": () => controller.redo(),
      "to-end": () => controller.go(Infinity),
      "flip": () => settings.set("flipped", !settings.flipped),
      "best-move": () => this.showBest(),
      "sacrifice": () => controller.toggleSacrifice(),
      "pause": () => controller.pause(!controller.game.paused),
      "offer-draw": () => opponent.offerDraw(),
      "resign": () => opponent.resign(),
    };
    for (const [id, action] of Object.entries(actions)) {
      byId(id).addEventListener("click", () => this.run(action));
    }
  }

  /** Runs an action that may ask the server, and shows errors. */
  async run(action) {
    if (!this.controller.view) return;
    try {
      await action();
    } catch (error) {
      if (error.name !== "AbortError") this.notify(error.message);
    }
  }

  /** Shows the best move, by table or by search, or hides it. */
  showBest() {
    return this.run(async () => {
      const { controller, lookup, opponent } = this;
      const { view } = controller;
      if (view.result || this.finding || controller.asked || controller.game.isExercise || controller.game.live !== null) return;
      if (lookup.hint) {
        lookup.setHint(null);
        return;
      }
      if (opponent.thinking()) {
        this.notify("The computer is thinking about its move.");
        return;
      }
      this.finding = true;
      document.body.classList.add("busy");
      try {
        const move = await lookup.best();
        if (controller.view !== view) return;
        lookup.setHint(move);
        this.notify(`Best move: ${move}.`);
      } finally {
        this.finding = false;
        document.body.classList.remove("busy");
      }
    });
  }

  /** A new game of the same kind. With vela the winner is bound and plays Black, because White has no paika at the start. */
  rematch(vela) {
    const { game, view } = this.controller;
    const rules = { ...game.rules, vela: vela ? "black" : null };
    const swapped = ({ white, black }) => ({ white: black, black: white });
    const { players, levels } = game.seats;
    const swap = vela && view.result.winner === "white";
    const seats = swap ? { ...game.seats, players: swapped(players), levels: swapped(levels) } : game.seats;
    return new Game({ board: game.board, position: game.position, rules }, seats).rate();
  }

  draw() {
    const { controller } = this;
    const { game, view } = controller;
    const over = view.result !== null;
    const live = game.live !== null;
    const computers = game.sides() === "computers";
    byId("to-start").disabled = game.at === 0;
    byId("undo").disabled = game.at === 0 && !controller.turn.steps.length && !controller.turn.choice;
    byId("redo").disabled = byId("to-end").disabled = game.atEnd();
    byId("best-move").disabled = over || live;
    byId("best-move").setAttribute("aria-pressed", String(this.lookup.hint !== null));
    const sacrifice = byId("sacrifice");
    sacrifice.hidden = !view.rules.sacrifice;
    sacrifice.disabled = !view.sacrifices.length || !controller.mayMove() || controller.turn.steps.length > 0;
    sacrifice.setAttribute("aria-pressed", String(controller.sacrificing));
    const pause = byId("pause");
    pause.hidden = over || live || !(computers || game.paused);
    say(pause, game.paused ? "Continue" : "Pause");
    byId("offer-draw").hidden = byId("resign").hidden = computers;
    byId("offer-draw").disabled = over || !(live || controller.mayMove());
    byId("resign").disabled = over;
    byId("review").disabled = !game.moves.length;
    byId("after").hidden = !over || game.isExercise;
    const winner = view.result?.winner;
    // A friend would not know of a new game.
    byId("again").hidden = game.friend !== null;
    byId("again-vela").hidden = !winner || game.friend !== null;
    say(byId("again-vela"), winner === "white" ? "Play again with vela, sides changed" : "Play again with vela for Black");
    byId("aside").hidden = load("aside", null) === null;
    // A button that is disabled loses the focus.
    if (document.activeElement.disabled) byId(byId("undo").disabled ? "redo" : "undo").focus();
  }
}
