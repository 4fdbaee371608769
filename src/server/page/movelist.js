// The list of moves in Schadd's notation: marks the present one, goes to a move on a click, accepts typed moves.

import { byId, html } from "./dom.js";

export class MoveList {
  constructor(controller) {
    this.controller = controller;
    this.list = byId("history");
    const input = byId("typed");
    byId("type-move").addEventListener("submit", async (event) => {
      event.preventDefault();
      const text = input.value.trim();
      if (text && controller.view && await controller.play(text)) input.value = "";
    });
    controller.addEventListener("view", () => this.draw());
  }

  draw() {
    const { game, view } = this.controller;
    const firstIsBlack = game.sideAt(0) === "black";
    const cells = [];
    const pad = firstIsBlack ? 1 : 0;
    for (let i = 0; i < game.moves.length; i += 1) {
      const place = i + pad;
      if (place % 2 === 0 || i === 0) cells.push(html("span", { class: "number", text: `${Math.floor(place / 2) + 1}.` }));
      if (i === 0 && pad) cells.push(html("span", { class: "quiet", text: "…" }));
      cells.push(this.move(game.moves[i], i));
    }
    if (!cells.length) cells.push(html("p", { class: "quiet", text: "No moves yet." }));
    if (view.result) cells.push(html("p", { class: "score", text: `${view.result.score.replace("1/2-1/2", "½–½").replace("-", "–")} · ${view.result.text}` }));
    this.list.replaceChildren(...cells);
    const current = this.list.querySelector("[aria-current]");
    // The list is what its moves are placed in.
    this.list.scrollTop = current ? current.offsetTop + (current.offsetHeight - this.list.clientHeight) / 2 : 0;
  }

  move(text, i) {
    const { game } = this.controller;
    return html("button", {
      type: "button",
      class: i >= game.at ? "notation undone" : "notation",
      "aria-current": i === game.at - 1 ? "step" : null,
      onclick: () => this.controller.go(i + 1),
      text,
    });
  }
}
