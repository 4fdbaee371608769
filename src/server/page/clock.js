// The clock of the present move: shows the time that is left, and ends the game when there is none.

export class Clock {
  /** `faces` are the elements for either side. */
  constructor(desk, faces) {
    this.desk = desk;
    this.faces = faces;
    this.timer = null;
    desk.addEventListener("view", () => this.update());
  }

  update() {
    clearTimeout(this.timer);
    const { desk } = this;
    const limit = desk.view.rules.move_time;
    for (const [side, face] of Object.entries(this.faces)) {
      const runs = limit !== null && side === desk.view.to_move && !desk.view.result;
      face.hidden = limit === null;
      face.classList.toggle("running", runs && desk.running());
      if (limit !== null) this.show(face, runs ? limit - desk.elapsed() : limit);
    }
    if (limit !== null && desk.running()) this.tick(desk.view, limit);
  }

  show(face, milliseconds) {
    const seconds = Math.max(0, milliseconds) / 1000;
    const text = seconds < 60 ? seconds.toFixed(1) : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
    face.textContent = text;
    face.classList.toggle("short", seconds < 5);
  }

  tick(view, limit) {
    const { desk } = this;
    if (desk.view !== view || !desk.running()) return;
    const left = limit - desk.elapsed();
    this.show(this.faces[view.to_move], left);
    if (left <= 0 && !desk.asked) desk.finish({ by: "time", side: view.to_move });
    else this.timer = setTimeout(() => this.tick(view, limit), 100);
  }
}
