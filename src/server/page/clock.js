// The clock of the present move: shows the time left, and ends the game at zero.

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
    const limit = controller.view.rules.move_time;
    for (const [side, face] of Object.entries(this.faces)) {
      const runs = limit !== null && side === controller.view.to_move && !controller.view.result;
      face.hidden = limit === null;
      face.classList.toggle("running", runs && controller.running());
      const isOver = controller.view.result?.reason === "time" && side === controller.view.to_move;
      if (limit !== null) this.show(face, isOver ? 0 : runs ? limit - controller.elapsed() : limit);
    }
    if (limit !== null && controller.running()) this.tick(controller.view, limit);
  }

  show(face, milliseconds) {
    const seconds = Math.max(0, milliseconds) / 1000;
    const text = seconds < 60 ? seconds.toFixed(1) : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
    face.textContent = text;
    face.classList.toggle("short", seconds < 5);
  }

  /** The time of the side to move is over. In a live game the server says whether it is. */
  async end(view) {
    if (await this.controller.finish({ by: "time", side: view.to_move })) return;
    this.timer = setTimeout(() => this.tick(view, view.rules.move_time), 1000);
  }

  tick(view, limit) {
    const { controller } = this;
    if (controller.view !== view || !controller.running()) return;
    const left = limit - controller.elapsed();
    this.show(this.faces[view.to_move], left);
    const over = left <= 0 && !controller.asked && controller.game.sides() !== "computers";
    if (over) this.end(view);
    else this.timer = setTimeout(() => this.tick(view, limit), 100);
  }
}
