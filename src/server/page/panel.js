// The panel of values: the value of the position and its source, the value of each move, and the best line.

import { byId, capital, html } from "./dom.js";
import { sentence } from "./status.js";
import { inPlies, valueBadge } from "./values.js";

const VERBS = { win: "wins", draw: "draws", loss: "loses" };
const ENDS = {
  over: "Then the game is over.",
  repetition: "Then the position repeats.",
  unknown: "The rest is unknown.",
};

export class Panel {
  /** `recommend(path or null)` marks a move on the board. */
  constructor(controller, lookup, settings, recommend) {
    Object.assign(this, { controller, lookup, settings, recommend });
    this.verdict = byId("verdict");
    this.moves = byId("moves");
    this.line = byId("line");
    this.toggle = byId("show-values");
    this.toggle.checked = settings.values;
    this.toggle.addEventListener("change", () => settings.set("values", this.toggle.checked));
    byId("best-line").addEventListener("click", () => (lookup.line ? lookup.hideLine() : lookup.findLine()));
    byId("search").addEventListener("click", () => lookup.think());
    lookup.addEventListener("values", () => this.draw());
    this.moves.addEventListener("mouseleave", () => this.recommend(this.bestPath()));
  }

  draw() {
    const { controller, lookup, settings } = this;
    const allowed = lookup.allowed();
    const over = controller.view.result !== null;
    byId("best-line").hidden = !allowed || over;
    byId("best-line").textContent = lookup.line ? "Hide best line" : "Best line";
    byId("best-line").setAttribute("aria-pressed", String(lookup.line !== null));
    byId("search").hidden = !allowed || over || lookup.waiting === "table" || lookup.verdict().by !== null;
    byId("search").disabled = lookup.waiting !== null;
    this.verdict.replaceChildren(...this.verdictLines(settings.values, allowed));
    this.verdict.setAttribute("aria-busy", String(lookup.waiting !== null));
    this.moves.replaceChildren(...(allowed ? (lookup.answer?.moves ?? []).map((move) => this.row(move)) : []));
    this.line.replaceChildren(...(allowed ? this.lineParts() : []));
    this.recommend(this.bestPath());
  }

  verdictLines(wanted, allowed) {
    const { controller: { view }, lookup } = this;
    if (!wanted) return [html("p", { class: "quiet", text: "Values are hidden." })];
    if (!allowed) return [html("p", { class: "quiet", text: sentence(view.tables.why ?? "values are hidden") })];
    const { value, dtw, by } = lookup.verdict();
    const known = {
      rules: "The game is over.",
      table: "From the tables.",
      search: "Found by search.",
    }[by] ?? this.unknownText();
    const headline = by === "rules" ? view.result.text
      : by ? `${capital(view.to_move)} to move ${VERBS[value]} ${inPlies(dtw)}`.trim()
        : lookup.waiting === "table" ? "Looking up…" : "Unknown";
    return [
      html("p", { class: "headline" }, by === "rules" ? null : valueBadge(value), html("strong", { text: headline })),
      html("p", { class: "quiet", text: lookup.waiting === "search" ? "Searching…" : known }),
    ];
  }

  unknownText() {
    const { lookup } = this;
    if (lookup.waiting === "table") return "";
    if (lookup.search) {
      const { move, depth, score } = lookup.search;
      const ahead = (Math.abs(score) / 100).toFixed(1);
      const stones = score === null ? "" : ahead === "0.0" ? ", about even" : `, ${score < 0 ? "behind" : "ahead"} by ${ahead} stones`;
      return `No value was found. The search prefers ${move}${depth ? ` (depth ${depth}${stones})` : ""}.`;
    }
    return sentence(lookup.trouble.search ?? lookup.trouble.table ?? "No table covers this position.");
  }

  row(move) {
    const after = inPlies(move.dtw === null || move.dtw === undefined ? null : move.dtw + 1);
    const path = this.controller.view.turns.find(({ position }) => position === move.position);
    const show = () => this.recommend(path ? [path.from, ...path.steps.map(({ to }) => to)] : null);
    return html("li", {}, html("button", {
      type: "button", class: "move", onclick: () => this.controller.play(move.move), onmouseenter: show, onfocus: show,
    }, valueBadge(move.value), html("span", { class: "notation", text: move.move }), html("span", { class: "quiet", text: after })));
  }

  lineParts() {
    const { lookup } = this;
    if (lookup.trouble.line) return [html("p", { class: "quiet", text: sentence(lookup.trouble.line) })];
    if (!lookup.line) return [];
    const { line, end } = lookup.line;
    if (!line.length) return [html("p", { class: "quiet", text: "No depth table covers this position." })];
    const { controller } = this;
    const play = async (count) => {
      const moves = line.slice(0, count + 1).map(({ move }) => move);
      const game = controller.game.copy();
      moves.forEach((move) => game.push(move, null));
      await controller.show(game);
    };
    const items = line.map(({ move }, i) =>
      html("button", { type: "button", class: "notation", title: "Play the line up to here", onclick: () => play(i), text: move }));
    return [html("p", {}, ...items.flatMap((item) => [item, " "]), html("span", { class: "quiet", text: ENDS[end] ?? "" }))];
  }

  /** The path of the first move of the best line, while that is shown. */
  bestPath() {
    const { controller, lookup } = this;
    const first = lookup.line?.line[0];
    if (!first || !lookup.allowed()) return null;
    const turn = controller.view.turns.find(({ position }) => position === first.position);
    return turn ? [turn.from, ...turn.steps.map(({ to }) => to)] : null;
  }
}
