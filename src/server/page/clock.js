// The clock of the present move: shows the time left, and ends the game at zero.

import { decimal } from "./words.js";

export class Clock {
  /** `faces` are the elements for either side. */
  constructor(controller, faces) {
    this.controller = controller;
    this.faces = faces;
    this.timer = null;
    controller.addEventListener("view", () => this.update());
  }

  update() {
    clearTimeout(this.timer);
    const { controller } = this;
    const { view } = controller;
    const limit = view.rules.move_time;
    const present = controller.clockSide();
    for (const [side, face] of Object.entries(this.faces)) {
      const runs = limit !== null && side === present && !view.result;
      face.hidden = limit === null;
      face.classList.toggle("running", runs && controller.running());
      const isOver = view.result?.reason === "time" && side === present;
      if (limit !== null) this.show(face, isOver ? 0 : runs ? limit - controller.elapsed() : limit);
    }
    if (limit !== null && controller.running()) this.tick(view, limit);
  }

  show(face, milliseconds) {
    const seconds = Math.max(0, milliseconds) / 1000;
    const text = seconds < 60 ? decimal(seconds, 1) : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
    face.textContent = text;
    face.classList.toggle("short", seconds < 5);
  }

  /** The time of the side to move is over. In a live game the server says whether it is. */
  async end(view) {
    if (await this.controller.finish({ by: "time", side: this.controller.clockSide() })) return;
    this.timer = setTimeout(() => this.tick(view, view.rules.move_time), 1000);
  }

  tick(view, limit) {
    const { controller } = this;
    if (controller.view !== view || !controller.running()) return;
    const left = limit - controller.elapsed();
    this.show(this.faces[controller.clockSide()], left);
    const over = left <= 0 && !controller.asked && controller.game.sides() !== "computers";
    if (over) this.end(view);
    else this.timer = setTimeout(() => this.tick(view, limit), 100);
  }
}
