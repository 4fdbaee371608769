// The panel of values: the value of the position and its source, the value of each move, and the best line.

import { byId, capital, html, label, renew, say } from "./dom.js";
import { scoreText } from "./lookup.js";
import { sentence } from "./status.js";
import { inPlies, isExact, seenBy, valueBadge } from "./values.js";
import { decimal } from "./words.js";

const VERBS = { win: "wins", draw: "draws", loss: "loses" };
/** The moves of a line of the engine that are shown. */
const SHOWN = 5;
const ENDS = {
  over: "Then the game is over.",
  repetition: "Then the position repeats.",
  unknown: "The rest is unknown.",
};

export class Panel {
  /** `begin(game)` shows another game, `recommend(turn or null)` marks a move on the board. */
  constructor(controller, lookup, settings, begin, recommend) {
    Object.assign(this, { controller, lookup, settings, begin, recommend });
    this.verdict = byId("verdict");
    this.moves = byId("moves");
    this.line = byId("line");
    this.toggle = byId("show-values");
    this.toggle.checked = settings.values;
    this.toggle.addEventListener("change", () => settings.set("values", this.toggle.checked));
    byId("best-line").addEventListener("click", async () => {
      if (lookup.line) return lookup.hideLine();
      await lookup.findLine();
      this.line.parentElement.scrollTop = 0;
    });
    byId("search").addEventListener("click", () => lookup.analyse(!lookup.analysing));
    lookup.addEventListener("values", () => this.draw());
    this.moves.addEventListener("mouseleave", () => this.recommend(this.bestTurn()));
  }

  draw() {
    const { controller, lookup, settings } = this;
    const allowed = lookup.allowed();
    const over = controller.view.result !== null;
    byId("values").classList.toggle("off", !allowed || over);
    byId("best-line").hidden = !allowed || over;
    say(byId("best-line"), lookup.line ? "Hide best line" : "Best line");
    byId("best-line").setAttribute("aria-pressed", String(lookup.line !== null));
    byId("search").hidden = !allowed || over || (!lookup.analysing && (lookup.waiting.has("table") || lookup.isKnown()));
    byId("search").setAttribute("aria-pressed", String(lookup.analysing));
    this.verdict.replaceChildren(...this.verdictLines(settings.values, allowed));
    this.verdict.setAttribute("aria-busy", String(lookup.waiting.size > 0));
    const moves = allowed ? lookup.answer?.moves ?? [] : [];
    const { position } = controller.view;
    renew(this.moves, [position, moves], () => moves.map((move) => this.row(move)));
    const { line, lines, trouble } = lookup;
    renew(this.line, [position, allowed, line, lines, trouble.line, lookup.isKnown()], () => (allowed ? this.lineParts() : []));
    this.drawBar(allowed);
    this.recommend(this.bestTurn());
  }

  /** The bar below the board: White's share of what there is to win. */
  drawBar(allowed) {
    const bar = byId("bar");
    const share = allowed ? this.lookup.share() : null;
    bar.classList.toggle("off", !allowed);
    bar.classList.toggle("unknown", share === null);
    bar.style.setProperty("--share", `${Math.round(100 * (share ?? 0.5))}%`);
    const words = share === null ? "unknown" : share > 0.5 ? "White is better" : share < 0.5 ? "Black is better" : "even";
    label(bar, `Evaluation: ${words}`);
  }

  verdictLines(wanted, allowed) {
    const { controller: { game, view }, lookup } = this;
    if (!wanted) return [html("p", { class: "quiet", text: "Values are hidden." })];
    if (game.live !== null) return [html("p", { class: "quiet", text: "Values are hidden during a live game." })];
    if (!allowed) return [html("p", { class: "quiet", text: sentence(view.tables.why ?? "values are hidden") })];
    const { value, source, proof } = lookup.verdict();
    const known = {
      rules: view.result ? "The game is over." : "By the rules.",
      table: "From the tables.",
      proof: `Proved by the certificate ${proof}.`,
      search: "Proved by a search.",
    }[view.result ? "rules" : source];
    const open = lookup.waiting.has("search") && !lookup.opinion ? "Searching…" : isExact(value) || view.result ? "" : this.openText();
    return [
      html("p", { class: "headline" }, view.result ? null : valueBadge(seenBy(view.to_move, value)), html("strong", { text: this.headline() })),
      html("p", { class: "quiet", text: [known, open].filter(Boolean).join(" ") }),
    ];
  }

  /** The value in words, and that it is proved. */
  headline() {
    const { controller: { view }, lookup } = this;
    if (view.result) return view.result.text;
    const { value, dtw, source } = lookup.verdict();
    const proved = source === "proof" ? ", proved" : "";
    if (value === "unknown") return lookup.waiting.has("table") ? "Looking up…" : "Unknown";
    if (!isExact(value)) return `${capital(value)}${proved}`;
    if (value === "draw" && proved) return "Draw, proved";
    return `${capital(view.to_move)} to move ${VERBS[value]} ${inPlies(dtw)}`.trim() + proved;
  }

  /** Why the value is open, and what the computer thinks. */
  openText() {
    const { lookup } = this;
    if (lookup.waiting.has("table")) return "";
    if (lookup.opinion) {
      const { move, depth, score } = lookup.opinion;
      const ahead = decimal(Math.abs(score) / 100, 1);
      const stones = score === null ? "" : ahead === decimal(0, 1) ? ", about even" : `, ${score < 0 ? "behind" : "ahead"} by ${ahead} stones`;
      return `The search did not find the exact value. The computer prefers ${move}${depth ? ` (depth ${depth}${stones})` : ""}.`;
    }
    const { game, view } = this.controller;
    // While a computer thinks, nothing else is searched for.
    const open = game.isComputer(view.to_move) ? "No table or proof has the exact value." : "No table or proof has the exact value, and a short search did not find it.";
    return sentence(lookup.trouble.search ?? (lookup.answer ? null : lookup.trouble.table) ?? open);
  }

  row(move) {
    const proved = move.source === "proof" ? "proved" : "";
    const after = inPlies(move.dtw === null || move.dtw === undefined ? null : move.dtw + 1) || proved;
    const turn = this.controller.view.turns.find(({ position }) => position === move.position);
    const show = () => this.recommend(turn ?? null);
    return html("li", {}, html("button", {
      type: "button", class: "move", onclick: () => this.controller.enter(move.move), onmouseenter: show, onfocus: show,
    }, valueBadge(seenBy(this.controller.view.to_move, move.value)), html("span", { class: "notation", text: move.move }), html("span", { class: "quiet", text: after })));
  }

  lineParts() {
    const { lookup } = this;
    if (lookup.trouble.line) return [html("p", { class: "quiet", text: sentence(lookup.trouble.line) })];
    const found = lookup.isKnown() ? [] : lookup.lines;
    if (found.length && !lookup.line?.line.length) return found.map(({ score, line }) => html("p", {}, html("strong", { class: "score", text: scoreText(score) }), this.playable(line.slice(0, SHOWN))));
    if (!lookup.line) return [];
    const { line, end } = lookup.line;
    if (!line.length) {
      const why = lookup.verdict().source === "table" ? "The tables here have no depths, so there is no line." : "Neither tables nor proofs have a line from here.";
      return [html("p", { class: "quiet", text: why })];
    }
    return [html("p", {}, this.playable(line.map(({ move }) => move)), html("span", { class: "quiet", text: ENDS[end] ?? "" }))];
  }

  /**
   * The moves of a line; a click plays it up to there. In a game against a computer only the first move is played, and the rest looked at.
   * What is looked at has the whole line, to go on in.
   */
  playable(line) {
    const { controller } = this;
    const play = (last) => {
      if (last === 0) return controller.enter(line[0]);
      const game = controller.game.copy();
      const people = game.sides() === "people";
      const ply = game.at + last + 1;
      (people && game.rated ? line.slice(0, last + 1) : line).forEach((move) => game.push(move, null));
      game.go(ply);
      return people ? controller.show(game) : this.begin(Object.assign(game, { rated: false, paused: true }));
    };
    return line.flatMap((move, i) => [
      html("button", { type: "button", class: "notation", title: "Play the line up to here", onclick: () => play(i), text: move }), " "]);
  }

  /** The best move that was asked for, or the first move of the best line while that is shown; `null` if there is none. */
  bestTurn() {
    const { controller: { view }, lookup } = this;
    const first = lookup.allowed() ? lookup.line?.line[0] : null;
    return view.turns.find(({ move }) => move === lookup.hint) ?? view.turns.find(({ position }) => position === first?.position) ?? null;
  }
}
