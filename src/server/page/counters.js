// Counts games by their results, or as abandoned.

import { byId, html, other } from "./dom.js";
import { load, save } from "./store.js";
import { isSingular } from "./words.js";

const KINDS = { person: "You against the computer", people: "Two people", computers: "Two computers" };
/** How many games are known to have been counted. Those before are in no window any more. */
const KNOWN = 100;
const NONE = { white: 0, black: 0, wins: 0, losses: 0, draws: 0, abandoned: 0 };

export class Counters {
  constructor(controller) {
    this.controller = controller;
    controller.addEventListener("view", () => this.update());
    byId("reset-counters").addEventListener("click", () => {
      save("counters", { known: load("counters", {}).known?.map(([id]) => [id, null]) });
      this.draw();
    });
    addEventListener("storage", () => this.draw());
    this.draw();
  }

  /** Counts a game once, though several windows may have it. One that was abandoned in one of them may be finished in another. */
  add(game, what) {
    const sides = game.sides();
    const kind = sides in KINDS ? sides : "person";
    const { known = [], ...all } = load("counters", {});
    const before = known.find(([id]) => id === game.id)?.[1];
    if (before !== undefined && (before !== "abandoned" || what === before)) return;
    const counts = { ...NONE, ...all[kind] };
    if (before) counts[before] -= 1;
    counts[what] += 1;
    const others = known.filter(([id]) => id !== game.id);
    save("counters", { ...all, [kind]: counts, known: [[game.id, what], ...others].slice(0, KNOWN) });
    this.draw();
  }

  /** Counts a finished game. */
  update() {
    const { game, view } = this.controller;
    if (!view.result || !game.rated) return;
    const { winner } = view.result;
    const person = game.sides();
    if (winner === null) this.add(game, "draws");
    else if (person === "people" || person === "computers") this.add(game, winner);
    else this.add(game, winner === other(person) ? "losses" : "wins");
  }

  /** Counts a game that is left; a finished one has been counted already. */
  leave(game) {
    if (game.rated && game.moves.length) this.add(game, "abandoned");
  }

  draw() {
    const counts = load("counters", {});
    const rows = Object.entries(KINDS).map(([kind, name]) => {
      const { white, black, wins, losses, draws, abandoned } = { ...NONE, ...counts[kind] };
      const ended = kind === "person" ? [wins, losses] : [white, black];
      const played = ended[0] + ended[1] + draws + abandoned;
      // The first word is the singular.
      const words = kind === "person" ? [["win", "wins"], ["loss", "losses"]] : [["win for White", "wins for White"], ["win for Black", "wins for Black"]];
      const cells = [[played, ["played", "played"]], [ended[0], words[0]], [ended[1], words[1]], [draws, ["draw", "draws"]], [abandoned, ["abandoned", "abandoned"]]];
      return html("tr", { "data-kind": kind }, html("th", { scope: "row", text: name }),
        cells.map(([number, [one, several]]) => html("td", { "data-word": several }, html("strong", { text: number }), ` ${isSingular(number) ? one : several}`)));
    });
    byId("counters").replaceChildren(...rows);
  }
}
