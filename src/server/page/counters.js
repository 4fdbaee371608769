// Counts games: played to the end and how, or abandoned.

import { byId, html, other } from "./dom.js";
import { load, save } from "./store.js";

const KINDS = { person: "You against the computer", people: "Two people", computers: "Two computers" };
const NONE = { white: 0, black: 0, won: 0, lost: 0, drawn: 0, abandoned: 0 };

export class Counters {
  constructor(controller) {
    this.controller = controller;
    this.counts = load("counters", {});
    controller.addEventListener("view", () => this.update());
    byId("reset-counters").addEventListener("click", () => {
      this.counts = {};
      save("counters", this.counts);
      this.draw();
    });
    this.draw();
  }

  add(game, what) {
    const sides = game.sides();
    const kind = sides in KINDS ? sides : "person";
    const counts = { ...NONE, ...this.counts[kind] };
    counts[what] += 1;
    this.counts[kind] = counts;
    save("counters", this.counts);
    game.counted = true;
    this.controller.keep();
    this.draw();
  }

  /** A game that has come to its end is counted once. */
  update() {
    const { game, view } = this.controller;
    if (!view.result || !game.rated || game.counted) return;
    const { winner } = view.result;
    const person = game.sides();
    if (winner === null) this.add(game, "drawn");
    else if (person === "people" || person === "computers") this.add(game, winner);
    else this.add(game, winner === other(person) ? "lost" : "won");
  }

  /** A game, last seen like this, is left for another. */
  leave(game, view) {
    if (game?.rated && !game.counted && !view.result && game.moves.length) this.add(game, "abandoned");
  }

  draw() {
    const rows = Object.entries(KINDS).map(([kind, name]) => {
      const { white, black, won, lost, drawn, abandoned } = { ...NONE, ...this.counts[kind] };
      const ended = kind === "person" ? [won, lost] : [white, black];
      const played = ended[0] + ended[1] + drawn + abandoned;
      const words = kind === "person" ? ["won", "lost"] : ["White won", "Black won"];
      const cells = [[played, "played"], [ended[0], words[0]], [ended[1], words[1]], [drawn, "drawn"], [abandoned, "abandoned"]];
      return html("tr", { "data-kind": kind }, html("th", { scope: "row", text: name }),
        cells.map(([number, word]) => html("td", { "data-word": word }, html("strong", { text: number }), ` ${word}`)));
    });
    byId("counters").replaceChildren(...rows);
  }
}
