// The list of moves in Schadd's notation, with all lines that were tried: goes to a move on a click, accepts typed moves.

import { byId, html } from "./dom.js";

/** The parts with a space between each two. */
const spaced = (parts) => parts.flatMap((part, i) => (i ? [" ", part] : [part]));

export class MoveList {
  constructor(controller) {
    this.controller = controller;
    // The mark that a review gives to a move of some lines, at a ply; `null` for none.
    this.mark = () => null;
    this.list = byId("history");
    this.input = byId("typed");
    byId("type-move").addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = this.input.value.trim();
      if (text && controller.view && await controller.enter(text)) this.input.value = "";
    });
    controller.addEventListener("view", () => this.draw());
  }

  draw() {
    const { game, view } = this.controller;
    // What was refused in one game is not for the next.
    if (!game.moves.length) this.input.value = "";
    const cells = this.rows(game.lines.keys());
    if (!cells.length) cells.push(html("p", { class: "quiet", text: "No moves yet." }));
    if (view.result) cells.push(html("p", { class: "score", text: `${view.result.score.replace("1/2-1/2", "½–½").replace("-", "–")} · ${view.result.text}` }));
    const buttons = () => [...this.list.querySelectorAll("button")];
    const focused = buttons().indexOf(document.activeElement);
    this.list.replaceChildren(...cells);
    buttons()[focused]?.focus();
    const current = this.list.querySelector("[aria-current]");
    // The list is what its moves are placed in.
    this.list.scrollTop = current ? current.offsetTop + (current.offsetHeight - this.list.clientHeight) / 2 : 0;
  }

  /** Lines with the same moves before a ply, by their move there; the line that was begun first is the first one. */
  branches(lines, ply) {
    const byMove = new Map();
    for (const line of lines) {
      const move = this.controller.game.lines[line].moves[ply];
      if (move) byMove.set(move, [...(byMove.get(move) ?? []), line]);
    }
    return [...byMove.values()];
  }

  /** The number of a ply within the moves of both sides, as a text, and whether the move is Black's. */
  number(ply) {
    const place = ply + (this.controller.game.sideAt(0) === "black" ? 1 : 0);
    return [Math.floor(place / 2) + 1, place % 2 === 1];
  }

  /** The main line in rows of two moves; what else was played is below the move that it replaces. */
  rows(all) {
    const cells = [];
    const rest = () => html("span", { class: "quiet", text: "…" });
    let lines = all;
    let begins = true;
    for (let ply = 0; ; ply += 1) {
      const [main, ...others] = this.branches(lines, ply);
      if (!main) return cells;
      const [number, isBlack] = this.number(ply);
      if (begins || !isBlack) cells.push(html("span", { class: "number", text: `${number}.` }));
      if (begins && isBlack) cells.push(rest());
      cells.push(this.move(main, ply));
      begins = others.length > 0;
      if (begins) {
        if (!isBlack && this.branches(main, ply + 1).length) cells.push(rest());
        cells.push(html("p", { class: "variations" }, spaced(others.map((other) => this.variation(other, ply)))));
      }
      lines = main;
    }
  }

  /** Moves that were played instead of others, in parentheses, as records have them. */
  variation(all, from) {
    const parts = [];
    let lines = all;
    let begins = true;
    for (let ply = from; ; ply += 1) {
      const [main, ...others] = this.branches(lines, ply);
      if (!main) return html("span", { class: "variation" }, "(", spaced(parts), ")");
      const [number, isBlack] = this.number(ply);
      if (begins || !isBlack) parts.push(`${number}${isBlack ? "…" : "."}`);
      parts.push(this.move(main, ply), ...others.map((other) => this.variation(other, ply)));
      begins = others.length > 0;
      lines = main;
    }
  }

  /** A move of some lines. */
  move(lines, ply) {
    const { game } = this.controller;
    const here = lines.includes(game.line);
    const mark = this.mark(lines, ply);
    return html("button", {
      type: "button",
      class: here && ply < game.at ? "notation" : "notation undone",
      "aria-current": here && ply === game.at - 1 ? "step" : null,
      onclick: () => this.controller.go(ply + 1, here ? game.line : lines[0]),
    }, game.lines[lines[0]].moves[ply], mark);
  }
}
